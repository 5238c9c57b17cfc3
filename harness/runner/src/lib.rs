//! Runs: tests are sent to one implementation, judged and recorded; records are read back and summed up.

mod headline;
pub mod incomplete;
pub mod judge;
mod mark;
pub mod record;
pub mod results;
pub mod resume;
pub mod run;
pub mod standing;
pub mod summary;
