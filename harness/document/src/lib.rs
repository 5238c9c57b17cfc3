//! The page that documents a dialect, made from specs and corpus alone, and definitions of it that other tools load.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod definitions;
mod facts;
mod page;
mod render;
pub mod rows;

pub use definitions::{kaitai, wireshark};
pub use page::Page;
pub use render::{PageFormat, render};
