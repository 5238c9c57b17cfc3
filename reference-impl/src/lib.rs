//! The reference codec of the Godot-family binary serialization format.
//!
//! A [`Codec`] is made from a [`Dialect`](variant_specs::Dialect) and a
//! [`JudgedBy`](variant_specs::JudgedBy); it holds no fact of its own about any dialect. It is strict:
//! every length is checked against the bytes left before anything is allocated, depth is limited, and
//! every refusal gives the offset of the first field that cannot be right.
//!
//! ```
//! use variant_codec::{Codec, Value};
//! use variant_specs::{JudgedBy, Specs};
//!
//! let specs = Specs::builtin()?;
//! let codec = Codec::new(specs.dialect("godot-3").expect("it is built in"), JudgedBy::Engines);
//!
//! let packet = codec.encode(&Value::Int(-7))?;
//! assert_eq!(packet, [2, 0, 0, 0, 0xf9, 0xff, 0xff, 0xff]);
//! assert_eq!(codec.decode(&packet)?.value, Value::Int(-7));
//!
//! let cut = codec.decode(&packet[..6]).unwrap_err();
//! assert_eq!(cut.to_string(), "truncated at 4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The core needs `alloc` only, and does no I/O.
// A new shape, form of a field or verdict must be thought about wherever it is matched.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![warn(missing_docs)]
#![no_std]

extern crate alloc;

mod codec;
mod cursor;
mod decode;
mod encode;
mod error;
mod framing;
mod keys;
mod text;
mod trace;
mod utf8;
mod value;

pub use codec::{Codec, Decoded, Options};
pub use error::{DecodeError, EncodeError, Refusal};
pub use framing::Framing;
pub use text::Text;
pub use trace::{Role, Span, Spans, Step, Trace, TracePath};
pub use value::{Array, Component, Dictionary, ElementType, EntryTypes, F32, F64, NodePath, Numbers, Value};
