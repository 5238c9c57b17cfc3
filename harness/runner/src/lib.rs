//! Runs: tests are sent to one implementation, judged and recorded; records are read back and summed up. And exchanges:
//! what one implementation writes, others read.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod ability;
pub mod agreement;
pub mod incomplete;
pub mod interop;
pub mod judge;
pub mod record;
pub mod record_writer;
pub mod results;
pub mod run;
pub mod status;
pub mod summary;
