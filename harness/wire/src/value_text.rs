//! Values as people and pipes write them: the same forms in YAML (as tags) and JSON (as keys).
//!
//! Reading has two steps, so that a value can be read before its dialect is known: text to [`SyntaxTree`],
//! which knows no layouts, and `SyntaxTree` to [`Expected`] under a dialect.

mod error;
mod read;
mod real;
mod typecheck;
mod write;

pub use error::ValueError;
pub use real::Strictness;
pub use typecheck::{Expected, typecheck};
pub use variant_syntax::SyntaxTree;
pub use write::{Form, value_json, write_expected, write_value};
