//! Runs, in process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod again;
mod authority;
mod corpus;
mod declared_losses;
mod gold;
