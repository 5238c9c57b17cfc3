//! `conform diff` from the command line.

mod command;
mod recipes;
mod rules;
mod saved;
