//! Reports of runs, in process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod blame;
mod one_record;
mod planted;
