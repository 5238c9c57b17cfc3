//! `conform diff` from the command line.

mod command;
mod rules;
mod saved;
