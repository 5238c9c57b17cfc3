//! Real numbers that a function changes wherever they stand: in floats, vectors and packed arrays.

use std::collections::{BTreeMap, BTreeSet};

use variant_codec::Role;
use variant_specs::{Scalar, Shape};
use variant_values::handshake::Op;

use super::words::{is_long, samples};
use crate::behaviour::numbers::{narrow, with_flag};
use crate::builder::{of_shape, reads, writes};
use crate::causes::bench::Bench;
use crate::fault::Fault;
use crate::packet::{MutatedField, Splice};

/// What is made of real numbers of one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// 32 or 64.
    width: u32,
    numbers: Numbers,
    /// The place in the table of what becomes of NaNs.
    nans: usize,
}

/// What is made of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Numbers {
    /// The place in the table.
    Made(usize),
    /// They have so many digits.
    Digits(usize),
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
    ("bits-as-integer", "the bits of a real number are taken for an integer", |real| real.as_integer()),
    ("bits-as-unsigned", "the bits of a real number are taken for an integer without a sign", |real| {
        #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
        let integer = real.bits as f64;
        integer
    }),
    ("of-eight-bits", EIGHT_BITS, |real| f64::from(int_of(real.single() * 255.0 + 0.5)) / 255.0),
    ("of-eight-bits-cut", EIGHT_BITS, |real| f64::from(int_of(real.single() * 255.0)) / 255.0),
    ("of-a-byte", EIGHT_BITS, |real| f64::from(int_of(real.single() * 255.0 + 0.5).to_le_bytes()[0]) / 255.0),
];

/// From here on they go through an integer.
const FIRST_INTEGER: usize = 10;

const EIGHT_BITS: &str = "there are eight bits for what is between 0 and 1";

/// A name, what is said of a NaN, and what its bits become, given the sign bit, and those of the plain NaN; `None`: what
/// becomes of other numbers.
type OfNan = (&'static str, &'static str, fn(u64, [u64; 2]) -> Option<u64>);

/// The first changes nothing.
const NANS: [OfNan; 6] = [
    ("kept", "", |bits, _| Some(bits)),
    ("quieted", "a signalling NaN becomes a quiet one", |bits, [_, plain]| Some(bits | plain)),
    ("sign-alone", "of a NaN, nothing but the sign is kept", |bits, [sign, plain]| Some(bits & sign | plain)),
    ("the-same", "each NaN becomes the same", |_, [_, plain]| Some(plain)),
    ("the-same-negative", "each NaN becomes the same", |_, [sign, plain]| Some(sign | plain)),
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

/// What processors make of a real number that is an integer of 32 bits for C.
#[expect(clippy::cast_possible_truncation, reason = "that is asked before")]
fn int_of(real: f32) -> i32 {
    const BEYOND: f32 = 2_147_483_648.0;
    if (-BEYOND..BEYOND).contains(&real) { real as i32 } else { i32::MIN }
}

impl Change {
    fn all(width: u32, digits: &BTreeSet<(u32, usize)>) -> Vec<Self> {
        let digits = digits.iter().filter(|(of, _)| *of == width).map(|(_, digits)| Numbers::Digits(*digits));
        let numbers = (0..MADE.len()).map(Numbers::Made).chain(digits);
        let all = numbers.flat_map(|numbers| {
            // An integer is no NaN.
            let is_integer = matches!(numbers, Numbers::Made(made) if made >= FIRST_INTEGER);
            let nans = if is_integer { NANS.len() - 1..NANS.len() } else { 0..NANS.len() };
            nans.map(move |nans| Self { width, numbers, nans })
        });
        all.collect()
    }

    /// What a number with these bits becomes.
    fn number(self, bits: u64) -> f64 {
        let real = Real::of(self.width, bits);
        match self.numbers {
            Numbers::Made(made) => MADE[made].2(real),
            Numbers::Digits(digits) if real.number.is_finite() => {
                let text = match self.width {
                    32 => format!("{:.*e}", digits - 1, real.single()),
                    _ => format!("{:.*e}", digits - 1, real.number),
                };
                text.parse().unwrap_or(real.number)
            }
            Numbers::Digits(_) => real.number,
        }
    }

    /// The bits that it becomes.
    fn bits(self, bits: u64) -> u64 {
        let signs = if self.width == 32 { [1 << 31, 0x7fc0_0000] } else { [1 << 63, 0x7ff8 << 48] };
        let is_nan = Real::of(self.width, bits).number.is_nan();
        let kept = if is_nan { NANS[self.nans].2(bits, signs) } else { None };
        #[expect(clippy::cast_possible_truncation, reason = "it becomes the nearest of 32 bits")]
        kept.unwrap_or_else(|| match self.width {
            32 => (self.number(bits) as f32).to_bits().into(),
            _ => self.number(bits).to_bits(),
        })
    }

    fn name(self) -> String {
        let numbers = match self.numbers {
            Numbers::Made(made) => MADE[made].0.to_owned(),
            Numbers::Digits(digits) => format!("of-{digits}-digits"),
        };
        format!("reals-of-{}-{numbers}-nan-{}", self.width, NANS[self.nans].0)
    }

    fn sentence(self) -> String {
        let numbers = match self.numbers {
            Numbers::Made(made) => MADE[made].1.to_owned(),
            Numbers::Digits(digits) => format!("the number has {digits} digits"),
        };
        let said = [numbers.as_str(), NANS[self.nans].1].into_iter().filter(|said| !said.is_empty());
        format!("in numbers of {} bits, {}", self.width, said.collect::<Vec<_>>().join(", and "))
    }
}

/// So many changes that explain a type are tried.
const TRIED: usize = 3;

/// For each type in which real numbers are wrong, the simplest changes that explain them all.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut wrong: BTreeMap<(Op, &str, u32), BTreeSet<(u64, u64)>> = BTreeMap::new();
    for subject in bench.failed_cases().filter(|subject| !subject.is_heavy()) {
        for (role, pair) in samples(bench, subject) {
            let width = if is_long(role) { 64 } else { 32 };
            if matches!(role, Role::Number(Scalar::Float32 | Scalar::Float64)) {
                wrong.entry((subject.way, subject.layout(), width)).or_default().insert(pair);
            }
        }
    }
    let pairs = wrong.iter().flat_map(|((_, _, width), pairs)| pairs.iter().map(|(_, seen)| (*width, *seen)));
    let digits = pairs.filter_map(|(width, seen)| Some((width, digits(Real::of(width, seen))?))).collect();
    let mut changes: BTreeSet<(Op, Change)> = BTreeSet::new();
    for ((op, _, width), pairs) in &wrong {
        let explains = |change: &Change| pairs.iter().all(|(right, seen)| change.bits(*right) == *seen);
        let explaining = Change::all(*width, &digits).into_iter().filter(explains);
        changes.extend(explaining.take(TRIED).map(|change| (*op, change)));
    }
    changes.into_iter().filter_map(|(op, change)| fault(bench, op, change)).collect()
}

/// The digits of a number as it is written shortest.
fn digits(real: Real) -> Option<usize> {
    let text = if real.width == 32 { format!("{:e}", real.single()) } else { format!("{:e}", real.number) };
    let count = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
    (real.number.is_finite() && (3..17).contains(&count)).then_some(count)
}

fn fault(bench: &Bench<'_>, op: Op, change: Change) -> Option<Fault> {
    let made = move |field: &MutatedField<'_>| {
        let width = match field.role {
            Role::Number(Scalar::Float32) => 32,
            Role::Number(Scalar::Float64) => 64,
            _ => return None,
        };
        let bits = field.bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let made = (width == change.width).then(|| change.bits(bits)).filter(|made| *made != bits)?;
        Some(made.to_le_bytes()[..field.bytes.len()].to_vec())
    };
    let float =
        of_shape(bench.dialect, Shape::Float).filter(|_| bench.dialect.rules.wide_numbers && change.width == 32);
    // A float that was read from 32 bits may become one that takes 64.
    let widened = move |field: &MutatedField<'_>| {
        let bits = u32::from_le_bytes(narrow(field, float?).filter(|_| field.is_header())?).into();
        let (wide, narrow) = (change.number(bits), Real::of(32, change.bits(bits)).number);
        let is_wide = narrow.is_finite() && narrow != wide;
        is_wide.then(|| Splice::Instead(8, [&with_flag(field)[..], &wide.to_le_bytes()].concat()))
    };
    let mutation = match op {
        Op::Encode => writes(made),
        _ => reads(move |field| widened(field).or_else(|| made(field).map(Splice::As))),
    }?;
    let fault = Fault::new(bench.dialect, "family", &change.name(), Some(op), mutation);
    Some(fault.described(change.sentence()))
}
