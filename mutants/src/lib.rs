//! The reference codec at the end of a pipe, and nothing else of the harness.
//!
//! A mutant of the codec has all that uses the codec built anew. These are the harness's own files, the few
//! that an adapter takes, so that this costs two seconds a mutant and not a minute.

#[path = "../../harness/src/hello.rs"]
pub mod hello;
#[path = "../../harness/src/implementation.rs"]
pub mod implementation;
pub mod notation;
#[path = "../../harness/src/protocol.rs"]
pub mod protocol;
#[path = "../../harness/src/reference.rs"]
#[allow(dead_code, reason = "of it the selftest and the differential mode take more")]
pub mod reference;
#[path = "../../harness/src/serve.rs"]
pub mod serve;
