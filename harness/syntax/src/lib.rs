//! Corpus files and values as people write them, independent of any dialect; and how files are read at all.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod file;
pub mod input;
mod tree;

pub use tree::SyntaxTree;
