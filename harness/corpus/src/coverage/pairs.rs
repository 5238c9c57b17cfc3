//! Which types stand where: every type at the top, in an array and in a dictionary, ints and floats in each width, in each direction.

use std::collections::BTreeSet;

use serde::Serialize;
use variant_codec::Value;
use variant_specs::{Dialect, JudgedBy, Layout, Shape, Specs};
use variant_values::fields::layout_of;
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
    /// All pairs of a type, a place, the width of an int or float, and a direction.
    pub all: usize,
    /// Those that no test meets.
    pub unmet: Vec<String>,
}

impl PairCoverage {
    pub(super) fn of(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Self {
        let mut met = BTreeSet::new();
        // A case that does not fit is an error of lint, not of this count.
        for test in tests(corpus, specs, dialect, JudgedBy::Engines, Variants::All).unwrap_or_default() {
            let value = test.expected.value.as_ref().filter(|_| test.expected.class.has_value());
            if let Some(value) = value {
                add(&mut met, dialect, &value.value, PLACES[0], test.op);
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
        let is_widened = matches!(layout.shape, Shape::Int | Shape::Float) && dialect.rules.wide_numbers;
        let widths: &[bool] = if is_widened { &[false, true] } else { &[false] };
        for place in PLACES {
            for is_wide in widths {
                all.extend([Op::Decode, Op::Encode].map(|op| pair(layout, place, *is_wide, op)));
            }
        }
    }
    all
}

fn add(met: &mut BTreeSet<String>, dialect: &Dialect, value: &Value, place: &str, op: Op) {
    let Some(layout) = layout_of(value, &dialect.layouts) else { return };
    if op != Op::Reencode {
        met.insert(pair(layout, place, is_wide(value), op));
    }
    let inside = PLACES[1 + usize::from(matches!(value, Value::Dictionary(_)))];
    value.children().into_iter().for_each(|child| add(met, dialect, child, inside, op));
}

/// Whether a number is one that takes 64 bits.
fn is_wide(value: &Value) -> bool {
    if let Value::Int(int) = value {
        return i32::try_from(*int).is_err();
    }
    #[expect(clippy::cast_possible_truncation, reason = "whether that loses something is asked")]
    let is_changed = |real: f64| f64::from(real as f32).to_bits() != real.to_bits();
    matches!(value, Value::Float(float) if is_changed(f64::from_bits(float.0)))
}
