//! Reports: views of `results.jsonl`, and of nothing else.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod annotations;
pub mod badge;
pub mod causes;
pub mod certificate;
pub mod coverage;
pub mod gate;
pub mod groups;
pub mod headline;
pub mod html;
pub mod interop;
pub mod junit;
mod known;
pub mod markdown;
pub mod matrix;
pub mod outputs;
pub mod repeat;
pub mod site;
pub mod text;
pub mod trophies;

pub use known::known_as;
