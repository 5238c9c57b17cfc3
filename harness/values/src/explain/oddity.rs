//! What an engine of a dialect would not write: signs that it did not write these bytes.

use variant_codec::Role;
use variant_specs::{Dialect, JudgedBy, Scalar, Shape, UnwrittenPadding};

use crate::fields::word;

/// At most so many are named; more say nothing more.
const MOST: usize = 8;

/// What is odd in a packet.
#[derive(Default)]
pub(super) struct Oddities {
    /// What is odd, and where.
    pub(super) found: Vec<(&'static str, usize)>,
    /// Whether the value whose header came last is a path.
    in_path: bool,
}

impl Oddities {
    pub(super) fn note(&mut self, bytes: &[u8], at: usize, role: Role, dialect: &Dialect) {
        if let Role::Header(layout) = role {
            self.in_path = dialect.layouts.get(layout).shape == Shape::NodePath;
        }
        if self.found.len() < MOST
            && let Some(what) = self.odd(bytes, role, dialect)
        {
            self.found.push((what, at));
        }
    }

    fn odd(&self, bytes: &[u8], role: Role, dialect: &Dialect) -> Option<&'static str> {
        match role {
            Role::Header(layout) => {
                let known = dialect.known_flags(dialect.layouts.get(layout), JudgedBy::Engines);
                let flags = word(bytes) & !dialect.header.mask(JudgedBy::Engines);
                (flags & !known != 0).then_some("a flag that the type does not have")
            }
            Role::Bool => (word(bytes) > 1).then_some("a bool that is neither 0 nor 1"),
            Role::Padding if self.is_unwritten(dialect) => None,
            Role::Padding => bytes.iter().any(|byte| *byte != 0).then_some("padding that is not zero"),
            Role::Number(scalar) => is_noise(bytes, scalar).then_some("a number that looks like noise"),
            Role::Count | Role::Length | Role::Word | Role::Flags | Role::Id | Role::Text | Role::Bytes | Role::Nul => {
                None
            }
        }
    }

    /// Whether engines leave the padding here as it was.
    fn is_unwritten(&self, dialect: &Dialect) -> bool {
        match dialect.rules.unwritten_padding {
            UnwrittenPadding::None => false,
            UnwrittenPadding::NodePath => self.in_path,
            UnwrittenPadding::All => true,
        }
    }
}

/// Whether a float is denormal: what small integers and pieces of text look like.
fn is_noise(bytes: &[u8], scalar: Scalar) -> bool {
    match scalar {
        Scalar::Byte | Scalar::Int32 | Scalar::Int64 => false,
        Scalar::Float32 | Scalar::Float64 | Scalar::Real | Scalar::Channel => match bytes.try_into() {
            Ok(single) => f32::from_le_bytes(single).is_subnormal(),
            Err(_) => bytes.try_into().map(f64::from_le_bytes).is_ok_and(f64::is_subnormal),
        },
    }
}
