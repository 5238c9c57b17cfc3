//! Strategies, through proptest's own runner.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod regressions;
mod strategy;
