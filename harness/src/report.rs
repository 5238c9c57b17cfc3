//! Reports: views of `results.jsonl`, and of nothing else.

pub mod annotations;
pub mod badge;
pub mod ctrf;
pub mod gate;
mod headline;
pub mod html;
mod incomplete;
pub mod junit;
pub mod listing;
mod mark;
pub mod markdown;
pub mod points;
pub mod recorded;
pub mod repeat;
pub mod sarif;
pub mod standing;
pub mod summary;
pub mod tap;
pub mod text;
