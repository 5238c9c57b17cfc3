//! Which types stand where: every type at the top, in an array and in a dictionary, in each width, in each direction.

use std::collections::BTreeSet;

use serde::Serialize;
use variant_codec::{Codec, Role};
use variant_specs::{Dialect, FLAG_1, JudgedBy, Layout, Precision, Shape, Specs};
use variant_values::handshake::Op;

use crate::Corpus;
use crate::test::{Variants, tests};

/// A type, where it stands, how wide it is, and whether it is read or written: `vector2 in a dictionary, decode`.
fn pair(layout: &Layout, place: &str, is_wide: bool, op: Op) -> String {
    let width = if is_wide { "wide " } else { "" };
    format!("{width}{}{place}, {}", layout.name, op.name())
}

const PLACES: [&str; 3] = ["", " in an array", " in a dictionary"];

/// How many of the pairs of a dialect are met by a test, a variant included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PairCoverage {
    /// All pairs of a type, a place, the width of its numbers, and a direction.
    pub all: usize,
    /// Those that no test meets.
    pub unmet: Vec<String>,
}

impl PairCoverage {
    pub(super) fn of(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Self {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let mut met = BTreeSet::new();
        // A case that does not fit is an error of lint, not of this count.
        for test in tests(corpus, specs, dialect, JudgedBy::Engines, Variants::All).unwrap_or_default() {
            let is_one = test.op != Op::Reencode && test.expected.value.is_some() && test.expected.class.has_value();
            if let Some(packet) = test.packet().filter(|_| is_one) {
                add(&mut met, &codec, &packet.bytes, test.op);
            }
        }
        let mut unmet = all(dialect);
        let all = unmet.len();
        unmet.retain(|pair| !met.contains(pair));
        Self { all, unmet }
    }
}

/// Every pair that can be.
fn all(dialect: &Dialect) -> Vec<String> {
    let mut all = Vec::new();
    for entry in &dialect.types {
        let layout = dialect.layout(entry);
        let is_number = matches!(layout.shape, Shape::Int | Shape::Float);
        for place in PLACES {
            for op in [Op::Decode, Op::Encode] {
                let says_width = dialect.says_width(layout);
                let widths: &[bool] = if is_number && dialect.rules.wide_numbers || says_width && op == Op::Decode {
                    &[false, true]
                } else if says_width && dialect.precision == Precision::Double {
                    // A build writes the reals that it has.
                    &[true]
                } else {
                    &[false]
                };
                all.extend(widths.iter().map(|is_wide| pair(layout, place, *is_wide, op)));
            }
        }
    }
    all
}

/// Adds what stands in a packet.
fn add(met: &mut BTreeSet<String>, codec: &Codec, packet: &[u8], op: Op) {
    let (trace, Ok(_)) = codec.traced(packet) else { return };
    for span in &trace.spans {
        let header = packet.get(span.bytes.clone()).and_then(|bytes| bytes.first_chunk().copied());
        if let (Role::Header(layout), Some(header)) = (span.role, header.map(u32::from_le_bytes)) {
            let place = match span.path.strip_suffix("header").unwrap_or("") {
                "" => PLACES[0],
                path if path.ends_with("].key.") || path.ends_with("].value.") => PLACES[2],
                _ => PLACES[1],
            };
            let layout = codec.layouts().get(layout);
            let has_width = !matches!(layout.shape, Shape::Array | Shape::Dictionary | Shape::Record);
            met.insert(pair(layout, place, has_width && header & FLAG_1 != 0, op));
        }
    }
}
