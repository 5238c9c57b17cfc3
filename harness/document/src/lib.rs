//! The page that documents a dialect, made from specs and corpus alone; and a check of other people's pages against the
//! same tables.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod check;
mod facts;
mod page;
mod read;
mod render;
pub mod rows;

pub use page::Page;
pub use read::{Heading, PageRow, PageTable, PageTables, SourceFormat, read};
pub use render::{PageFormat, render};
