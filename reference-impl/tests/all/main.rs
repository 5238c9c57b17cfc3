//! The codec against itself, against arbitrary bytes, and against what engines wrote.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

mod properties;
mod records;
mod unwritable;
mod vectors;
