//! Corpus files and values as people write them, independent of any dialect.

pub mod file;
mod tree;

pub use tree::SyntaxTree;
