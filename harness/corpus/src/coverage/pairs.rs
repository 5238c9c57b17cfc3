//! Which types stand where: every type at the top, in an array and in a dictionary, in each width, in each direction.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;
use variant_codec::Value;
use variant_specs::{Dialect, JudgedBy, Shape, Specs};
use variant_values::fields::layout_of;
use variant_values::handshake::Op;

use crate::Corpus;
use crate::test::{Variants, tests};

/// A type, where it stands, how wide it is, and whether it is read or written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    layout: String,
    place: Place,
    is_wide: bool,
    op: Op,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Top,
    Array,
    Dictionary,
}

/// How many of the pairs of a dialect are met by a test, a variant included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PairCoverage {
    /// All pairs of a type, a place, a width and a direction.
    pub all: usize,
    /// Those that no test meets: `vector2 in a dictionary, decode`.
    pub unmet: Vec<String>,
}

impl PairCoverage {
    pub(super) fn of(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Self {
        let mut met = BTreeSet::new();
        // A case that does not fit is an error of lint, not of this count.
        for test in tests(corpus, specs, dialect, JudgedBy::Engines, Variants::All).unwrap_or_default() {
            let value = test.expected.value.as_ref().filter(|_| test.expected.class.has_value());
            if let Some(value) = value {
                add(&mut met, dialect, &value.value, Place::Top, test.op);
            }
        }
        let all = all(dialect);
        let unmet: Vec<String> = all.iter().filter(|pair| !met.contains(pair)).map(Pair::to_string).collect();
        Self { all: all.len(), unmet }
    }
}

/// Every pair that can be.
fn all(dialect: &Dialect) -> Vec<Pair> {
    let mut all = Vec::new();
    for entry in &dialect.types {
        let layout = dialect.layout(entry);
        let is_widened = matches!(layout.shape, Shape::Int | Shape::Float) && dialect.rules.wide_numbers;
        let widths: &[bool] = if is_widened { &[false, true] } else { &[false] };
        for place in [Place::Top, Place::Array, Place::Dictionary] {
            for is_wide in widths {
                for op in [Op::Decode, Op::Encode] {
                    all.push(Pair { layout: layout.name.clone(), place, is_wide: *is_wide, op });
                }
            }
        }
    }
    all
}

fn add(met: &mut BTreeSet<Pair>, dialect: &Dialect, value: &Value, place: Place, op: Op) {
    let Some(layout) = layout_of(value, &dialect.layouts) else { return };
    let is_wide = is_wide(value);
    if op != Op::Reencode {
        met.insert(Pair { layout: layout.name.clone(), place, is_wide, op });
    }
    let inside = if matches!(value, Value::Dictionary(_)) { Place::Dictionary } else { Place::Array };
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

impl Display for Pair {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Top => "",
            Place::Array => " in an array",
            Place::Dictionary => " in a dictionary",
        };
        let width = if self.is_wide { "wide " } else { "" };
        write!(to, "{width}{}{place}, {}", self.layout, self.op.name())
    }
}
