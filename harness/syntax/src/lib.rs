//! Corpus files and values as people write them, before any dialect is looked at.

pub mod file;
mod tree;

pub use tree::SyntaxTree;
