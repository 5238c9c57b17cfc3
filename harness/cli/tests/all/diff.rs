//! `conform diff` from the command line.

mod command;
mod property;
mod recipes;
mod rules;
mod saved;
