//! Values as people and pipes write them: the same forms in YAML (as tags) and JSON (as keys).
//!
//! Reading has two steps, so that a value can be read before its dialect is known: text to [`Node`],
//! which knows no layouts, and `Node` to [`Expected`] under a dialect.

mod node;
mod resolve;
mod write;

pub use node::Node;
pub use resolve::{Expected, Strictness, ValueError, resolve};
pub use write::{Form, value_json, write_expected, write_value};
