//! Runs: tests are sent to one implementation, judged and recorded; records are read back and summed up.

pub mod earlier;
mod headline;
pub mod incomplete;
pub mod judge;
mod mark;
pub mod recorded;
pub mod results;
pub mod run;
pub mod standing;
pub mod summary;
