//! Values as text: the same forms in YAML (as tags) and in JSON (as keys).
//!
//! Reading has two steps, so that text can be parsed before its dialect is known: from text to [`SyntaxTree`], and from
//! `SyntaxTree` to [`ExpectedValue`] in a dialect.

mod error;
mod read;
mod real;
mod typecheck;
mod write;

pub use crate::SyntaxTree;
pub use error::ValueError;
pub(crate) use error::error;
pub use real::Strictness;
pub use typecheck::{ExpectedValue, typecheck};
pub use write::{Form, value_json, write_expected, write_value};
