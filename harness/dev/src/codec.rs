//! The reference codec against memcpy, a scan, and other codecs.

use std::fmt;
use std::hint::black_box;

use variant_codec::{Codec, Value};
use variant_specs::Reading;

use super::clock::{duel, fastest};
use super::figure::{Figure, Unit, micros, millis, ratio};
use super::scan::Scan;
use super::{Bench, BenchError, sample};

/// How many bytes the byte array has.
const BYTES: usize = 1 << 20;
/// Numbers in the array of vectors: a million of three.
const NUMBERS: usize = 3_000_000;
/// Passes of milliseconds each; the fastest counts.
const TIMES: usize = 15;
/// How often one pass handles the small packets.
const ROUNDS: usize = 20;

/// A prepared pass of another codec.
pub type RivalPass = Box<dyn FnMut()>;

/// Another codec, on a dictionary of texts and ints in its own format.
pub struct Rival {
    /// The name of its crate, like `rmpv`.
    pub name: &'static str,
    /// The target: how many times as fast as it our codec must decode; `None`: no target.
    pub target: Option<f64>,
    /// Prepares a pass that decodes these pairs from the codec's own format.
    pub decode: fn(&[(String, i32)]) -> RivalPass,
    /// Prepares a pass that encodes these pairs in the codec's own format.
    pub encode: fn(&[(String, i32)]) -> RivalPass,
}

impl fmt::Debug for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Bench {
    pub(super) fn codec(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let dialect = self.dialect()?;
        let codec = Codec::new(dialect, Reading::Engine);
        for (name, layout, count) in
            [("1 MiB of bytes", "byte_array", BYTES), ("1,000,000 vectors", "vector3_array", NUMBERS)]
        {
            if let Some(value) = sample::packed(layout, count, dialect) {
                against_memory(name, &codec, &value, report);
            }
        }
        let pairs = sample::pairs();
        if let Some(value) = sample::dictionary(&pairs, dialect) {
            self.against_rivals(&codec, &value, &pairs, report);
        }
        against_a_scan(&codec, &Scan::new(dialect), &sample::mixed(&self.corpus, &self.specs, dialect)?, report);
        Ok(())
    }

    /// Measures the dictionary. Decoding it, perf sees 48 % in the search for repeated keys, which engines join and `rmpv`
    /// keeps, and 32 % in reading; encoding it is a pass over 10 MB of pairs.
    fn against_rivals(&self, codec: &Codec, value: &Value, pairs: &[(String, i32)], report: &mut dyn FnMut(Figure)) {
        let packet = codec.encode(value).unwrap_or_default();
        let mut decode = || drop(black_box(codec.decode(black_box(&packet))));
        let mut encode = || drop(black_box(codec.encode(black_box(value))));
        for rival in self.rivals {
            let (ours, theirs) = duel(TIMES, &mut decode, (rival.decode)(pairs));
            let what = format!("a dictionary of 100,000: decode, times as fast as {}", rival.name);
            let how = format!("{:.1} ms and {:.1} ms", millis(ours), millis(theirs));
            let times = ratio(theirs, ours);
            report(match rival.target {
                Some(least) => Figure::at_least(&what, least, Unit::Times, times, how),
                None => Figure::new(&what, Unit::Times, times, how),
            });
            let (ours, theirs) = duel(TIMES, &mut encode, (rival.encode)(pairs));
            let what = format!("a dictionary of 100,000: encode, times as fast as {}", rival.name);
            let how = format!("{:.1} ms and {:.1} ms", millis(ours), millis(theirs));
            report(Figure::new(&what, Unit::Times, ratio(theirs, ours), how));
        }
        if self.rivals.is_empty() {
            let what = "a dictionary of 100,000: decode and encode";
            let how = format!("and {:.1} ms", millis(fastest(TIMES, encode)));
            report(Figure::new(what, Unit::Millis, millis(fastest(TIMES, decode)), how));
        }
    }
}

/// Measures small values: all steps together, then decoding and encoding alone. Building a value, which a scan does
/// not do, takes four times as long as the scan. perf sees 40 % in decoding, 23 % in encoding, 11 % in `memcmp`, and
/// 6 % in `malloc` and `free`.
fn against_a_scan(codec: &Codec, scan: &Scan, packets: &[Vec<u8>], report: &mut dyn FnMut(Figure)) {
    let rounds = |pass: &mut dyn FnMut()| (0..ROUNDS).for_each(|_| pass());
    let mut scanned = || rounds(&mut || packets.iter().for_each(|packet| _ = black_box(scan.packet(packet))));
    let (ours, theirs) = duel(TIMES, || rounds(&mut || round_trips(codec, packets)), &mut scanned);
    let each = |time| micros(time, ROUNDS * packets.len());
    let how = format!("{:.3} µs each of {}; the scan {:.3} µs", each(ours), packets.len(), each(theirs));
    let what = "small values: decode, encode and compare, of a scan that only validates";
    report(Figure::at_most(what, 3.5, Unit::Times, ratio(ours, theirs), how));

    let (mut value, mut out) = (Value::Null, Vec::new());
    let values: Vec<Value> = packets.iter().filter_map(|packet| Some(codec.decode(packet).ok()?.value)).collect();
    let mut decode = || packets.iter().for_each(|packet| _ = black_box(codec.decode_into(packet, &mut value)));
    let (decoding, scanning) = duel(TIMES, || rounds(&mut decode), &mut scanned);
    let mut encode = || {
        values.iter().for_each(|value| {
            out.clear();
            _ = black_box(codec.encode_into(value, &mut out));
        });
    };
    let (encoding, _) = duel(TIMES, || rounds(&mut encode), &mut scanned);
    let how = format!("encode {:.1} ×; the rest is to compare", ratio(encoding, scanning));
    let what = "small values: decode alone, of that scan: it builds what a scan does not";
    report(Figure::new(what, Unit::Times, ratio(decoding, scanning), how));
}

/// Decodes, encodes and compares each packet.
pub(super) fn round_trips(codec: &Codec, packets: &[Vec<u8>]) {
    let (mut value, mut out) = (Value::Null, Vec::new());
    for packet in packets {
        out.clear();
        let same = codec.decode_into(packet, &mut value).is_ok() && codec.encode_into(&value, &mut out).is_ok();
        black_box(same && out == *packet);
    }
}

fn against_memory(name: &str, codec: &Codec, value: &Value, report: &mut dyn FnMut(Figure)) {
    let packet = codec.encode(value).unwrap_or_default();
    let mut copy = || drop(black_box(black_box(&packet).clone()));
    let (ours, memory) = duel(TIMES, || drop(black_box(codec.decode(black_box(&packet)))), &mut copy);
    let how = |ours, memory| format!("{:.2} ms and {:.2} ms", millis(ours), millis(memory));
    let what = format!("{name}: decode, of the rate of memcpy");
    report(Figure::at_least(&what, 90.0, Unit::Percent, 100.0 * ratio(memory, ours), how(ours, memory)));
    let (ours, memory) = duel(TIMES, || drop(black_box(codec.encode(black_box(value)))), &mut copy);
    let what = format!("{name}: encode, of the rate of memcpy");
    report(Figure::at_least(&what, 90.0, Unit::Percent, 100.0 * ratio(memory, ours), how(ours, memory)));
}
