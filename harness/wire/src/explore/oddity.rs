//! What an engine of a dialect would not write: signs that it did not write these bytes.

use variant_codec::{Codec, Options, Role, Span, Spans};
use variant_specs::{Dialect, Reading, Scalar, UnwrittenPadding};

/// At most so many are named; more say nothing more.
const MOST: usize = 8;

/// Appends what is odd in a packet that begins at `start`.
pub(super) fn oddities(packet: &[u8], start: usize, dialect: &Dialect, found: &mut Vec<String>) {
    let mut trace = Spans::default();
    let codec = Codec::new(dialect, Reading::Engine).with(Options { objects: true });
    let Ok(decoded) = codec.decode_traced(packet, &mut trace) else { return };
    let odd = trace.spans.iter().filter_map(|span| {
        let what = odd(packet.get(span.bytes.clone())?, span, dialect)?;
        Some(format!("{what} at {}", start + span.bytes.start))
    });
    found.extend(odd.take(MOST.saturating_sub(found.len())));
    if decoded.used < packet.len() && found.len() < MOST {
        found.push(format!("{} bytes that no field has at {}", packet.len() - decoded.used, start + decoded.used));
    }
}

fn odd(bytes: &[u8], span: &Span, dialect: &Dialect) -> Option<&'static str> {
    let word = || bytes.try_into().map_or(0, u32::from_le_bytes);
    match span.role {
        Role::Header(layout) => {
            let known = dialect.known_flags(dialect.layouts.get(layout), Reading::Engine);
            let flags = word() & !dialect.header.mask(Reading::Engine);
            (flags & !known != 0).then_some("a flag that the type does not have")
        }
        Role::Bool => (word() > 1).then_some("a bool that is neither 0 nor 1"),
        Role::Padding if is_unwritten(span, dialect) => None,
        Role::Padding => bytes.iter().any(|byte| *byte != 0).then_some("padding that is not zero"),
        Role::Number(scalar) => is_noise(bytes, scalar).then_some("a number that looks like noise"),
        Role::Count | Role::Length | Role::Word | Role::Flags | Role::Id | Role::Text | Role::Bytes | Role::Nul => None,
    }
}

/// Whether engines leave this padding as it was.
fn is_unwritten(span: &Span, dialect: &Dialect) -> bool {
    match dialect.rules.unwritten_padding {
        UnwrittenPadding::None => false,
        UnwrittenPadding::NodePath => span.path.contains("names["),
        UnwrittenPadding::All => true,
    }
}

/// Whether a float is denormal: what small integers and pieces of text look like.
fn is_noise(bytes: &[u8], scalar: Scalar) -> bool {
    let float = match scalar {
        Scalar::Byte | Scalar::Int32 | Scalar::Int64 => return false,
        Scalar::Float32 | Scalar::Float64 | Scalar::Real | Scalar::Channel => bytes,
    };
    if let Ok(bytes) = float.try_into().map(f32::from_le_bytes) {
        return bytes.is_subnormal();
    }
    float.try_into().map(f64::from_le_bytes).is_ok_and(f64::is_subnormal)
}
