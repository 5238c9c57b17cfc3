//! `conform diff` from the command line.

mod command;
mod property;
mod rules;
mod saved;
