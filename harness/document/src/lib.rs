//! The page that documents a dialect, made from specs and corpus alone, and definitions of it that other tools load.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// A new shape, form of a field or verdict must be thought about wherever it is matched.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod definitions;
mod page;
mod render;
pub mod rows;

pub use definitions::{kaitai, wireshark};
pub use page::Page;
pub use render::{PageFormat, render};
