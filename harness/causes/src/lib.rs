//! Why tests fail: failures that one fault explains are one cause.
//!
//! Each failure alone is a [`Symptom`]: what the reply lacks, and where. [`Causes`] joins the symptoms that explain each
//! other, when all are known.

mod difference;
mod examiner;
mod explanation;
mod feature;
mod follow;
mod form;
mod group;
mod keys;
mod lack;
mod merge;
mod numbers;
mod packet_fields;
mod refused;
mod sent;
mod symptom;
mod texts;
mod words;

pub use self::difference::Difference;
pub use self::examiner::Examiner;
pub use self::group::{Cause, Causes, joined};
pub use self::lack::{Accepted, Lack};
pub use self::symptom::{Failure, Generated, Reply, Symptom, Wrong};
pub use self::words::words;
