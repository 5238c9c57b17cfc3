//! A scan that only validates: the least that any decoder must do. It keeps nothing, and knows only the common shapes.

use variant_specs::{Dialect, Scalar, Shape};

/// What follows a header.
#[derive(Debug, Clone, Copy)]
enum Body {
    /// This many bytes; twice as many with flag 1 if it `widens`.
    Fixed {
        bytes: usize,
        widens: bool,
    },
    /// A count of elements of this many bytes, padded.
    Counted(usize),
    Text,
    Texts,
    /// A count, and this many values for each.
    Values(usize),
    /// A shape that the scan does not know.
    Other,
}

/// A scan of one dialect.
pub(super) struct Scan {
    bodies: Vec<Body>,
    id_mask: u32,
}

const FLAG_1: u32 = 1 << 16;
const DEEPEST: usize = 64;

impl Scan {
    pub(super) fn new(dialect: &Dialect) -> Self {
        let body = |entry: &variant_specs::Type| {
            let layout = dialect.layout(entry);
            let width = match layout.of {
                Some(Scalar::Byte) => 1,
                Some(Scalar::Int64 | Scalar::Float64) => 8,
                Some(Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel) | None => 4,
            };
            match layout.shape {
                Shape::Empty => Body::Fixed { bytes: 0, widens: false },
                Shape::Bool => Body::Fixed { bytes: 4, widens: false },
                Shape::Int | Shape::Float => Body::Fixed { bytes: 4, widens: true },
                Shape::Fields => Body::Fixed { bytes: width * layout.arity(), widens: false },
                Shape::Packed => Body::Counted(width * layout.arity()),
                Shape::Text => Body::Text,
                Shape::PackedText => Body::Texts,
                Shape::Array => Body::Values(1),
                Shape::Dictionary => Body::Values(2),
                Shape::NodePath | Shape::Record => Body::Other,
            }
        };
        Self { bodies: dialect.types.iter().map(body).collect(), id_mask: dialect.header.id_mask }
    }

    /// How long the packet at the start of these bytes is; `None` where there is none, or none that is known here.
    pub(super) fn packet(&self, bytes: &[u8]) -> Option<usize> {
        self.value(bytes, 0, DEEPEST)
    }

    fn value(&self, bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
        let header = word(bytes, at)?;
        let at = at + 4;
        match *self.bodies.get(usize::try_from(header & self.id_mask).ok()?)? {
            Body::Fixed { bytes: length, widens } => {
                let length = if widens && header & FLAG_1 != 0 { 2 * length } else { length };
                skip(bytes, at, length)
            }
            Body::Counted(size) => skip(bytes, at + 4, padded(count(bytes, at)?.checked_mul(size)?)),
            Body::Text => text(bytes, at),
            Body::Texts => (0..count(bytes, at)?).try_fold(at + 4, |at, _| text(bytes, at)),
            Body::Values(each) => {
                let depth = depth.checked_sub(1)?;
                let count = count(bytes, at)? & 0x7fff_ffff;
                (0..count.checked_mul(each)?).try_fold(at + 4, |at, _| self.value(bytes, at, depth))
            }
            Body::Other => None,
        }
    }
}

fn text(bytes: &[u8], at: usize) -> Option<usize> {
    let length = count(bytes, at)?;
    let text = bytes.get(at + 4..at.checked_add(4)?.checked_add(length)?)?;
    std::str::from_utf8(text).ok()?;
    skip(bytes, at + 4, padded(length))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

fn count(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(word(bytes, at)?).ok()
}

fn skip(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    at.checked_add(length).filter(|end| *end <= bytes.len())
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}
