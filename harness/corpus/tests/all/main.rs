//! The corpus against the documents, the specs and the reference codec.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod embedded;
mod lint;
