//! Real numbers that a function changes wherever they stand: in floats, vectors and packed arrays.

use std::collections::{BTreeMap, BTreeSet};

use variant_codec::{Role, Value};
use variant_specs::{Scalar, Shape};
use variant_values::handshake::Op;

use super::words::{Sample, is_long, samples};
use crate::behaviour::numbers::{narrow, with_flag};
use crate::builder::{of_shape, reads, writes};
use crate::causes::bench::Bench;
use crate::causes::subject::Subject;
use crate::fault::Fault;
use crate::packet::{MutatedField, Splice};

/// What is made of real numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// How wide those are that it changes: 32 or 64 bits; `None`: all.
    of: Option<u32>,
    numbers: Numbers,
    /// The place in the table of what becomes of NaNs.
    nans: usize,
}

/// What is made of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Numbers {
    /// The place in the table.
    Made(usize),
    /// They have so many digits; whether -0.0 becomes 0.0 too.
    Digits(usize, bool),
}

/// What came in the place of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// These bits, as wide as it was.
    Bits(u64),
    /// The bits of a wider number.
    Wider(u64),
}

/// A real number as it is read or written.
#[derive(Clone, Copy)]
struct Real {
    width: u32,
    bits: u64,
    number: f64,
}

/// A name, what is said of real numbers, and what they become.
type Made = (&'static str, &'static str, fn(Real) -> f64);

/// The first changes nothing.
const MADE: [Made; 15] = [
    ("kept", "", |real| real.number),
    ("minus-zero-lost", "-0.0 becomes 0.0", |real| real.number + 0.0),
    ("small-ones-lost", "what is too small to be normal becomes zero", |real| {
        if real.is_small() { 0f64.copysign(real.number) } else { real.number }
    }),
    ("small-ones-and-minus-zero-lost", "-0.0, and what is too small to be normal, become 0.0", |real| {
        if real.is_small() { 0.0 } else { real.number + 0.0 }
    }),
    ("fraction-lost", "the fraction is lost", |real| real.number.trunc()),
    ("rounded", "the number is rounded to a whole one", |real| real.number.round()),
    ("rounded-to-even", "the number is rounded to a whole one", |real| real.number.round_ties_even()),
    ("rounded-down", "the number is rounded down to a whole one", |real| real.number.floor()),
    ("sign-lost", "what is negative becomes positive", |real| real.number.abs()),
    ("infinity-lost", "what is infinite becomes the greatest", |real| {
        let greatest = if real.width == 32 { f32::MAX.into() } else { f64::MAX };
        real.number.clamp(-greatest, greatest)
    }),
    ("zero-becomes-one", "zero becomes 1.0", |real| if real.number == 0.0 { 1.0 } else { real.number }),
    ("negative-lost", "what is negative becomes 0.0", |real| if real.number > 0.0 { real.number } else { 0.0 }),
    ("from-zero-to-one", "what is not from 0.0 to 1.0 becomes the nearer of them", |real| {
        if real.number > 0.0 { real.number.min(1.0) } else { 0.0 }
    }),
    ("bits-as-integer", "the bits of a real number are taken for an integer", |real| real.as_integer()),
    ("bits-as-unsigned", "the bits of a real number are taken for an integer without a sign", |real| {
        #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
        let integer = real.bits as f64;
        integer
    }),
];

/// From here on they go through an integer.
const FIRST_INTEGER: usize = 13;

/// A name, what is said of a NaN, and what its bits become, given the sign bit, and those of the plain NaN; `None`: what
/// becomes of other numbers.
type OfNan = (&'static str, &'static str, fn(u64, [u64; 2]) -> Option<u64>);

/// The first changes nothing.
const NANS: [OfNan; 8] = [
    ("kept", "", |bits, _| Some(bits)),
    ("quieted", "a signalling NaN becomes a quiet one", |bits, [_, plain]| Some(bits | plain)),
    ("sign-alone", "of a NaN, nothing but the sign is kept", |bits, [sign, plain]| Some(bits & sign | plain)),
    ("the-same", "each NaN becomes the same", |_, [_, plain]| Some(plain)),
    ("the-same-negative", "each NaN becomes the same", |_, [sign, plain]| Some(sign | plain)),
    ("lost", "a NaN becomes 0.0", |_, _| Some(0)),
    ("one", "a NaN becomes 1.0", |_, [_, plain]| {
        Some(if plain >> 32 == 0 { 1f32.to_bits().into() } else { 1f64.to_bits() })
    }),
    ("made", "", |_, _| None),
];

impl Real {
    fn of(width: u32, bits: u64) -> Self {
        let single = u32::try_from(bits).map_or(f32::NAN, f32::from_bits);
        let number = if width == 32 { single.into() } else { f64::from_bits(bits) };
        Self { width, bits, number }
    }

    fn is_small(self) -> bool {
        if self.width == 32 { self.single().is_subnormal() } else { self.number.is_subnormal() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "it becomes the nearest")]
    fn single(self) -> f32 {
        self.number as f32
    }

    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "that is the fault")]
    fn as_integer(self) -> f64 {
        if self.width == 32 { f64::from(self.bits as i32) } else { self.bits.cast_signed() as f64 }
    }
}

impl Change {
    fn all(of: Option<u32>, digits: &BTreeSet<usize>) -> Vec<Self> {
        let digits = digits.iter().flat_map(|digits| [false, true].map(|lost| Numbers::Digits(*digits, lost)));
        let numbers = (0..MADE.len()).map(Numbers::Made).chain(digits);
        let all = numbers.flat_map(|numbers| {
            // An integer is no NaN.
            let is_integer = matches!(numbers, Numbers::Made(made) if made >= FIRST_INTEGER);
            let nans = if is_integer { NANS.len() - 1..NANS.len() } else { 0..NANS.len() };
            nans.map(move |nans| Self { of, numbers, nans })
        });
        all.collect()
    }

    /// What a number becomes.
    fn number(self, real: Real) -> f64 {
        match self.numbers {
            Numbers::Made(made) => MADE[made].2(real),
            Numbers::Digits(_, true) if real.number == 0.0 => 0.0,
            Numbers::Digits(digits, _) if real.number.is_finite() => {
                let text = match real.width {
                    32 => format!("{:.*e}", digits - 1, real.single()),
                    _ => format!("{:.*e}", digits - 1, real.number),
                };
                text.parse().unwrap_or(real.number)
            }
            Numbers::Digits(..) => real.number,
        }
    }

    /// The bits that it becomes.
    fn bits(self, real: Real) -> u64 {
        let signs = if real.width == 32 { [1 << 31, 0x7fc0_0000] } else { [1 << 63, 0x7ff8 << 48] };
        let kept = if real.number.is_nan() { NANS[self.nans].2(real.bits, signs) } else { None };
        #[expect(clippy::cast_possible_truncation, reason = "it becomes the nearest of 32 bits")]
        kept.unwrap_or_else(|| match real.width {
            32 => (self.number(real) as f32).to_bits().into(),
            _ => self.number(real).to_bits(),
        })
    }

    fn explains(self, real: Real, seen: Seen) -> bool {
        match seen {
            Seen::Bits(bits) => self.bits(real) == bits,
            Seen::Wider(bits) => self.number(real).to_bits() == bits,
        }
    }

    fn name(self, at: Option<&str>) -> String {
        let numbers = match self.numbers {
            Numbers::Made(made) => MADE[made].0.to_owned(),
            Numbers::Digits(digits, _) => format!("of-{digits}-digits"),
        };
        let of = self.of.map_or_else(String::new, |width| format!("-of-{width}"));
        let at = at.map_or_else(String::new, |at| format!("{at}-of-"));
        format!("{at}reals{of}-{numbers}-nan-{}", NANS[self.nans].0)
    }

    /// What is made of real numbers, or of the components of this name.
    fn sentence(self, at: Option<&str>) -> String {
        let numbers = match self.numbers {
            Numbers::Made(made) => MADE[made].1.to_owned(),
            Numbers::Digits(digits, true) => format!("the number has {digits} digits, and -0.0 becomes 0.0"),
            Numbers::Digits(digits, false) => format!("the number has {digits} digits"),
        };
        let said = [numbers.as_str(), NANS[self.nans].1].into_iter().filter(|said| !said.is_empty());
        let of = match (at, self.of) {
            (Some(at), _) => at.to_owned(),
            (None, Some(width)) => format!("numbers of {width} bits"),
            (None, None) => "real numbers".to_owned(),
        };
        format!("in {of}, {}", said.collect::<Vec<_>>().join(", and "))
    }
}

/// The bits of numbers, and what came in their places.
type Pairs = BTreeSet<(u64, Seen)>;

/// So many changes that explain a type are tried.
const TRIED: usize = 3;

/// For each type in which real numbers are wrong, the simplest changes that explain them all, and the same of all widths.
/// If those of one component alone are wrong, in whatever type, the same of that.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut wrong: BTreeMap<(Op, &str, u32, Option<String>), Pairs> = BTreeMap::new();
    let mut components: BTreeMap<Op, BTreeSet<String>> = BTreeMap::new();
    for subject in bench.failed_cases().filter(|subject| !subject.is_heavy()) {
        for (component, width, bits, seen) in pairs(bench, subject) {
            let (op, layout) = (subject.way, subject.layout());
            wrong.entry((op, layout, width, None)).or_default().insert((bits, seen));
            // What else is in a container may be wrong for another reason.
            let shape = bench.dialect.layouts.id_of(layout).map(|layout| bench.dialect.layouts.get(layout).shape);
            if matches!(shape, Some(Shape::Fields | Shape::Packed)) {
                components.entry(op).or_default().insert(component.clone());
            }
            wrong.entry((op, layout, width, Some(component))).or_default().insert((bits, seen));
        }
    }
    let mut changes: BTreeSet<(Op, Change, Option<String>)> = BTreeSet::new();
    let is_alone = |op: &Op, component: &str| {
        components.get(op).is_some_and(|all| all.len() == 1) && component != "value" && !component.starts_with('[')
    };
    let is_tried = |op: &Op, component: &Option<String>| component.as_deref().is_none_or(|own| is_alone(op, own));
    for ((op, _, width, component), pairs) in wrong.iter().filter(|((op, _, _, component), _)| is_tried(op, component))
    {
        let digits = pairs.iter().filter_map(|(_, seen)| digits(*width, *seen)).collect();
        let explains =
            |change: &Change| pairs.iter().all(|(bits, seen)| change.explains(Real::of(*width, *bits), *seen));
        for change in Change::all(Some(*width), &digits).into_iter().filter(explains).take(TRIED) {
            let of_all = Change { of: None, ..change };
            match component {
                None => changes.extend([(*op, change, None), (*op, of_all, None)]),
                Some(_) => changes.extend([(*op, of_all, component.clone())]),
            }
        }
    }
    changes.into_iter().filter_map(|(op, change, at)| fault(bench, op, change, at.as_deref())).collect()
}

/// The real numbers of a subject that are wrong: the component, how wide they are, their bits, and what came in their place.
fn pairs(bench: &Bench<'_>, subject: &Subject<'_>) -> Vec<(String, u32, u64, Seen)> {
    if let (Some(Value::Float(right)), Some(Value::Float(seen))) = (subject.value(), bench.value_of(subject).as_deref())
        && right.nearest().widen() == *right
        && seen.nearest().widen() != *seen
    {
        return vec![("value".to_owned(), 32, right.nearest().0.into(), Seen::Wider(seen.0))];
    }
    let mut pairs = Vec::new();
    for Sample { path, role, right, seen } in samples(bench, subject) {
        if matches!(role, Role::Number(Scalar::Float32 | Scalar::Float64)) {
            pairs.push((component_of(&path).to_owned(), if is_long(role) { 64 } else { 32 }, right, Seen::Bits(seen)));
        }
    }
    pairs
}

/// The last name in a path: `z` of `normal.z`.
fn component_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

/// The digits of a number as it is written shortest.
fn digits(width: u32, seen: Seen) -> Option<usize> {
    let (text, number) = match seen {
        Seen::Bits(bits) if width == 32 => (format!("{:e}", Real::of(32, bits).single()), Real::of(32, bits).number),
        Seen::Bits(bits) | Seen::Wider(bits) => (format!("{:e}", f64::from_bits(bits)), f64::from_bits(bits)),
    };
    let count = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
    (number.is_finite() && (3..17).contains(&count)).then_some(count)
}

fn fault(bench: &Bench<'_>, op: Op, change: Change, at: Option<&str>) -> Option<Fault> {
    let component = at.map(str::to_owned);
    let is_at = move |field: &MutatedField<'_>| {
        component.as_deref().is_none_or(|component| component_of(field.name) == component)
    };
    let is_own = move |real: &Real| change.of.is_none_or(|width| width == real.width);
    let made = move |field: &MutatedField<'_>| {
        let width = match field.role {
            Role::Number(Scalar::Float32) => 32,
            Role::Number(Scalar::Float64) => 64,
            _ => return None,
        };
        is_at(field).then_some(())?;
        let bits = field.bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let real = Some(Real::of(width, bits)).filter(is_own)?;
        let made = Some(change.bits(real)).filter(|made| *made != bits)?;
        Some(made.to_le_bytes()[..field.bytes.len()].to_vec())
    };
    let float = of_shape(bench.dialect, Shape::Float).filter(|_| bench.dialect.rules.wide_numbers && at.is_none());
    // A float that was read from 32 bits may become one that takes 64.
    let widened = move |field: &MutatedField<'_>| {
        let bits = u32::from_le_bytes(narrow(field, float?).filter(|_| field.is_header())?);
        let real = Some(Real::of(32, bits.into())).filter(is_own)?;
        let (wide, narrow) = (change.number(real), Real::of(32, change.bits(real)).number);
        let is_wide = narrow.is_finite() && narrow != wide;
        is_wide.then(|| Splice::Instead(8, [&with_flag(field)[..], &wide.to_le_bytes()].concat()))
    };
    let mutation = match op {
        Op::Encode => writes(made),
        _ => reads(move |field| widened(field).or_else(|| made(field).map(Splice::As))),
    }?;
    let fault = Fault::new(bench.dialect, "family", &change.name(at), Some(op), mutation);
    Some(fault.described(change.sentence(at)))
}
