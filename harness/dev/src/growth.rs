//! How cost grows with the number of tests, with the elements of an array, with depth. It should be proportional.

use std::hint::black_box;
use std::time::Duration;

use variant_codec::{Array, Codec, Value};
use variant_specs::Reading;

use super::clock::fastest;
use super::figure::{Figure, Unit, number};
use super::{Bench, BenchError, passes};

const TIMES: usize = 5;
/// A pass over a small value is repeated until it handles about as many elements.
const AT_LEAST: usize = 100_000;
const CASES: [usize; 5] = [5_000, 15_000, 50_000, 150_000, 500_000];
const ELEMENTS: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Proportional, with what caches and first pages cost. Quadratic cost would be 2.
const PROPORTIONAL: f64 = 1.2;
const DEPTHS: [usize; 5] = [4, 16, 64, 256, 1_024];

/// One kind of growth.
#[derive(Debug, Clone)]
pub struct Growth {
    /// The work, like `decode an array`.
    pub what: &'static str,
    /// What there is more and more of, in the plural, like `elements`.
    pub of: &'static str,
    /// How many there were, and the CPU time for all of them.
    pub points: Vec<(usize, Duration)>,
}

impl Growth {
    /// `k`, where the cost grows as `n^k` between the first point and the last.
    pub fn exponent(&self) -> f64 {
        let (Some((few, short)), Some((many, long))) = (self.points.first(), self.points.last()) else { return 0.0 };
        (long.as_secs_f64() / short.as_secs_f64()).ln() / (number(*many) / number(*few)).ln()
    }

    fn figure(&self) -> Figure {
        let each = |(count, time): &(usize, Duration)| format!("{:.1} ns", time.as_secs_f64() * 1e9 / number(*count));
        let [first, last] = [self.points.first(), self.points.last()].map(|point| point.map(each).unwrap_or_default());
        let what = format!("{}: growth with the {}, as a power of their number", self.what, self.of);
        let (few, many) =
            (self.points.first().map_or(0, |point| point.0), self.points.last().map_or(0, |point| point.0));
        let how = format!("{first} each of {few}, {last} each of {many}");
        Figure::at_most(&what, PROPORTIONAL, Unit::Power, self.exponent(), how)
    }
}

impl Bench {
    /// Measures every kind of growth.
    ///
    /// # Errors
    /// There is no dialect, or the program cannot be used as an adapter.
    pub fn growths(&self) -> Result<Vec<Growth>, BenchError> {
        let codec = Codec::new(self.dialect()?, Reading::Engine);
        let row = |count| array((0..count).map(|_| Value::Int(7)).collect());
        let nested = |depth| (1..depth).fold(array(Vec::new()), |inner, _| array(vec![inner]));
        let mut growths = vec![self.cases()?];
        growths.extend(of_codec(&codec, ["decode an array", "encode an array"], "elements", &ELEMENTS, row));
        growths.extend(of_codec(
            &codec,
            ["decode arrays in arrays", "encode arrays in arrays"],
            "levels",
            &DEPTHS,
            nested,
        ));
        Ok(growths)
    }

    pub(super) fn growth(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        self.growths()?.iter().map(Growth::figure).for_each(report);
        Ok(())
    }

    fn cases(&self) -> Result<Growth, BenchError> {
        let command = self.command(&["serve", "--echo"]);
        let mut points = Vec::new();
        for count in CASES {
            points.push((count, passes::echo(&command, &self.specs, count)?.cpu));
        }
        Ok(Growth { what: "a run against an adapter", of: "cases", points })
    }
}

fn of_codec(
    codec: &Codec,
    [decode, encode]: [&'static str; 2],
    of: &'static str,
    counts: &[usize],
    value: impl Fn(usize) -> Value,
) -> [Growth; 2] {
    let mut growths = [decode, encode].map(|what| Growth { what, of, points: Vec::new() });
    for &count in counts {
        let value = value(count);
        let packet = codec.encode(&value).unwrap_or_default();
        let rounds = (AT_LEAST / count).max(1);
        let [decoded, encoded] = &mut growths;
        let time = fastest(TIMES, || (0..rounds).for_each(|_| drop(black_box(codec.decode(black_box(&packet))))));
        decoded.points.push((count, time / u32::try_from(rounds).unwrap_or(u32::MAX)));
        let time = fastest(TIMES, || (0..rounds).for_each(|_| drop(black_box(codec.encode(black_box(&value))))));
        encoded.points.push((count, time / u32::try_from(rounds).unwrap_or(u32::MAX)));
    }
    growths
}

fn array(items: Vec<Value>) -> Value {
    Value::Array(Array { items, ..Array::default() })
}
