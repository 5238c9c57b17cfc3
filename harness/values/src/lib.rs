//! Values as text and JSON, the protocol between runner and adapter, and the trait of every implementation under test.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod compare;
pub mod convert;
pub mod diagnostic;
pub mod disk;
pub mod explain;
pub mod explore;
pub mod fields;
pub mod foreign;
pub mod glob;
pub mod handshake;
pub mod implementation;
pub mod input;
pub mod interrupt;
mod json;
pub mod literal;
pub mod malformed_reply;
pub mod pasted;
pub mod protocol;
pub mod reference;
pub mod row;
pub mod sanitize;
pub mod serve;
pub mod suggest;
mod tree;
pub mod value_text;
pub mod version;

pub use tree::SyntaxTree;
