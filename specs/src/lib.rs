//! What the documents of the Godot-family binary serialization format say, as data.
//!
//! A [`Layout`] is the shape of one type's body. A [`Dialect`] gives layouts the ids that one engine
//! generation uses, and has the rules of that generation. An [`Erratum`] is a place where document and
//! engine disagree. The crate knows no bytes: it says *what* follows *what*, never how it is encoded.
//! The data is in `specs/*.yaml`, and [`Specs::builtin`] loads it.
//!
//! Without the feature `yaml` the crate is `no_std` and has the types only.
// A new shape, form of a field or verdict must be thought about wherever it is matched.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![warn(missing_docs)]
#![cfg_attr(not(feature = "yaml"), no_std)]

extern crate alloc;

mod dialect;
mod document;
mod engines;
mod erratum;
mod layout;
#[cfg(feature = "yaml")]
mod load;
#[cfg(feature = "yaml")]
mod notation;
mod record;
mod rules;

pub use dialect::{DOUBLE, Dialect, FLAG_1, Header, JudgedBy, Precision, Status, Type, UnknownFlags};
pub use document::Document;
pub use engines::{newest_first, titles};
pub use erratum::{Concern, Divergence, Erratum, Evidence, RestsOn};
pub use layout::{Layout, LayoutId, Layouts, Scalar, Shape};
#[cfg(feature = "yaml")]
pub use load::{Problem, Source, Specs, UnknownDialect, parse_yaml};
#[cfg(feature = "schema")]
pub use notation::schemas;
pub use record::{Bit31, FLAG, FieldForm, FieldWalk, RecordField, any_field, flag_told_by, least_bytes};
pub use rules::{
    BadImage, DictionaryOrder, KeyRule, NegativeTextCount, NodePathProperty, ObjectRule, OldNodePath, RidRule, Rules,
    SharedBit, TypedContainers, UnwrittenPadding, Utf8, WideReals,
};
