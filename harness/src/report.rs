//! Reports: views of `results.jsonl`, and of nothing else.

mod headline;
pub mod html;
pub mod listing;
mod mark;
pub mod recorded;
pub mod repeat;
pub mod shown;
pub mod summary;
pub mod text;
