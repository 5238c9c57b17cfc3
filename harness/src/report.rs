//! Reports: views of `results.jsonl`, and of nothing else.

pub mod summary;
pub mod text;
