//! The values and packets of a dialect, as strategies of proptest.
//!
//! | strategy | what it makes |
//! |---|---|
//! | [`values()`] | values that the dialect can carry, each in the form that comes back from its packet |
//! | [`packets()`] | packets of such values; dictionaries may repeat keys |
//! | [`mutated()`] | the same packets with one to three changes: cut, doubled, with other headers, counts, flags and texts |
//! | [`deep()`] | arrays in arrays, near the limits of programs |
//!
//! Half of all numbers and texts are at a boundary. Most values are small, and only a few types occur in one value, so
//! that one type does not hide the faults of another ([`Swarm`]). What fails is shrunk to the smallest packet that
//! fails: first its structure, then its numbers ([`Descent`]).
//!
//! ```
//! use proptest::prelude::*;
//! use variant_codec::{Codec, Value};
//! use variant_specs::{JudgedBy, Specs};
//! use variant_strategies::{mutated, packets, values};
//!
//! # let specs = Specs::builtin().unwrap();
//! # let mine = Codec::new(specs.dialect("godot-3").unwrap(), JudgedBy::Engines);
//! proptest!(|(value in values("godot-3"), packet in mutated(packets("godot-3")))| {
//!     let written = mine.encode(&value).unwrap();
//!     prop_assert_eq!(mine.decode(&written).unwrap().value, value);
//!     let _ = mine.decode(&packet); // no packet causes a panic
//! });
//! ```
//!
//! Everything follows from proptest's own generator of random numbers: the seed of a failure in a file of regressions makes
//! the same value again.
// A new shape, form of a field or verdict must be thought about wherever it is matched.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![warn(missing_docs)]

mod deep;
mod generate;
mod grammar;
mod mutate;
mod numbers;
mod packets;
mod parts;
mod random;
mod shrink;
mod values;

pub use deep::{Deep, deep};
pub use generate::Swarm;
pub use mutate::Mutator;
pub use packets::{Packet, Packets, mutated, packets};
pub use parts::Parts;
pub use random::Random;
pub use shrink::{Descent, Shrinker, Steps, Weight, packet_weight};
pub use values::{Values, values};
