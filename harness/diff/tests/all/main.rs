//! Campaigns, in process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod damaged;
mod mutants;
mod record;
mod support;
mod time;
