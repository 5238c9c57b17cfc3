//! Differential mode: what is damaged is found, shrunk and blamed; what is saved can be run; shards add up.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

#[path = "diff/command.rs"]
mod command;
#[path = "diff/damaged.rs"]
mod damaged;
#[path = "diff/mutants.rs"]
mod mutants;
#[path = "diff/recipes.rs"]
mod recipes;
#[path = "diff/rules.rs"]
mod rules;
#[path = "diff/saved.rs"]
mod saved;
