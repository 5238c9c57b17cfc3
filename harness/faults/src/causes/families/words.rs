//! Words put together wrongly: one byte of a word, or one half of a number of 64 bits, comes from other bits.

use std::collections::{BTreeMap, BTreeSet};

use variant_codec::Role;
use variant_specs::{LayoutId, Scalar};
use variant_values::handshake::Op;
use variant_values::implementation::Answer;

use crate::builder::{reads, writes};
use crate::causes::bench::Bench;
use crate::causes::subject::Subject;
use crate::fault::{Fault, Mutation};
use crate::packet::{MutatedField, Splice};

/// One part of a word that is wrong: the others are where they belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wiring {
    /// The bits of the word.
    word: u32,
    /// The bits of the part.
    part: u32,
    /// The lowest bit of the place of the part.
    place: u32,
    from: From,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    /// The bytes of the word, which is all one part, are in the other order.
    Reversed,
    /// Of the word, which is all one part, so many low bits are kept.
    Low(u32),
    /// The same with their sign.
    LowWithSign(u32),
    /// The low half is added to what the high half is shifted by.
    AddedBeforeShift,
    /// The part is zero.
    Nothing,
    /// The part has the bits from this one on: what a writer shifts wrongly.
    Bits(u32),
    /// The part itself is shifted by so many bits: what a reader does.
    Shifted(u32),
    /// The same with its sign.
    ShiftedWithSign(u32),
}

/// Words, and what came in their places.
type Pairs = BTreeSet<(u64, u64)>;

/// A word that is wrong.
pub(super) struct Sample {
    /// The path of its field.
    pub(super) path: String,
    /// What it is for.
    pub(super) role: Role,
    pub(super) right: u64,
    /// What came in its place.
    pub(super) seen: u64,
}

impl Wiring {
    /// All of a word, the simplest first: what is lost, or comes from where another part is, then what is shifted.
    fn all(word: u32) -> Vec<Self> {
        let whole = |from| Self { word, part: word, place: 0, from };
        let mut all = vec![whole(From::Reversed)];
        all.extend((word == 64).then(|| whole(From::AddedBeforeShift)));
        // Of the halves, only the high one is lost.
        for bits in [32, 16, 8].into_iter().filter(|bits| *bits < word) {
            all.push(whole(From::LowWithSign(bits)));
            all.extend((2 * bits != 64).then(|| whole(From::Low(bits))));
        }
        // A half of 32 bits is a word.
        for part in [32, 8].into_iter().filter(|part| *part < word) {
            for place in (0..word).step_by(part as usize) {
                let from = |from| Self { word, part, place, from };
                all.extend([From::Nothing, From::ShiftedWithSign(place)].map(from));
                for bits in (0..word).filter(|bits| *bits != place) {
                    all.extend([From::Bits(bits), From::Shifted(bits), From::ShiftedWithSign(bits)].map(from));
                }
            }
        }
        let distance = |own: &Self| match own.from {
            From::Reversed | From::AddedBeforeShift | From::Low(_) | From::LowWithSign(_) | From::Nothing => 0,
            From::Bits(bits) => u32::from(bits % own.part != 0) + 1,
            From::Shifted(_) | From::ShiftedWithSign(_) => 3,
        };
        all.sort_by_key(distance);
        all
    }

    fn of(&self, word: u64) -> u64 {
        let part = u64::MAX >> (64 - self.part);
        let own = word >> self.place & part;
        let others = word & !(part << self.place);
        let signed = |bits: u32| ((own << (64 - bits)).cast_signed() >> (64 - bits)).cast_unsigned();
        let made = match self.from {
            From::Reversed => word.swap_bytes() >> (64 - self.word),
            From::Bits(bits) => (word >> bits & part) << self.place,
            From::Shifted(by) => own << by,
            From::ShiftedWithSign(by) => signed(self.part) << by,
            From::AddedBeforeShift => (own.cast_signed() >> 32).cast_unsigned() << (own.wrapping_add(32) % 64),
            From::Low(bits) => own & u64::MAX >> (64 - bits),
            From::LowWithSign(bits) => signed(bits),
            From::Nothing => 0,
        };
        (others | made) & u64::MAX >> (64 - self.word)
    }

    /// The same of each word in the bytes of a field.
    fn bytes(&self, field: &[u8]) -> Vec<u8> {
        let size = self.word as usize / 8;
        field.chunks(size).flat_map(|bytes| self.of(word_of(bytes)).to_le_bytes().into_iter().take(size)).collect()
    }

    /// Whether it makes these of those, and shows in one.
    fn explains(&self, samples: &Pairs) -> bool {
        samples.iter().all(|(word, seen)| self.of(*word) == *seen)
    }

    fn name(&self) -> String {
        let Self { word, part, place, from } = self;
        let from = match from {
            From::Reversed => "reversed".to_owned(),
            From::Bits(bits) => format!("from-bit-{bits}"),
            From::Shifted(by) => format!("shifted-by-{by}"),
            From::ShiftedWithSign(by) => format!("shifted-with-sign-by-{by}"),
            From::AddedBeforeShift => "added-before-shift".to_owned(),
            From::Low(bits) => format!("low-{bits}"),
            From::LowWithSign(bits) => format!("low-{bits}-with-sign"),
            From::Nothing => "lost".to_owned(),
        };
        format!("bits-{place}-to-{}-of-{word}-{from}", place + part - 1)
    }

    fn sentence(&self, words: &str) -> String {
        let Self { part, place, .. } = self;
        let bits = |first: u32| format!("bits {first} to {}", first + part - 1);
        let what = match (part, place) {
            (8, place) => format!("byte {} of {words}", place / 8 + 1),
            (_, 0) => format!("the low half of {words}"),
            (..) => format!("the high half of {words}"),
        };
        match self.from {
            From::AddedBeforeShift => {
                format!("the high half of {words} is shifted by 32 and the low half: + comes before <<")
            }
            From::Low(bits) => format!("of {words} only the low {bits} bits are kept"),
            From::LowWithSign(bits) => format!("of {words} only the low {bits} bits are kept, with their sign"),
            From::Reversed => format!("the bytes of {words} are in big-endian order"),
            From::Bits(first) if *part == 8 && first % 8 == 0 => format!("{what} is byte {} again", first / 8 + 1),
            From::Bits(0) => format!("{what} is the low half again"),
            From::Bits(32) => format!("{what} is the high half again"),
            From::Bits(first) => format!("{what} has {}, not {}", bits(first), bits(*place)),
            From::Shifted(by) => format!("{what} is shifted by {by} bits, not {place}"),
            From::ShiftedWithSign(by) if by == *place => format!("{what} is added with its sign"),
            From::ShiftedWithSign(by) => format!("{what} is shifted with its sign, by {by} bits, not {place}"),
            From::Nothing => format!("{what} is lost"),
        }
    }
}

fn word_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Fewer words show too little.
const SAMPLES: usize = 3;

/// The simplest parts of words that explain all words that are wrong of one type, in one direction.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut wrong: BTreeMap<(Op, &str, u32), Pairs> = BTreeMap::new();
    for subject in bench.failed_cases().filter(|subject| !subject.is_heavy()) {
        for Sample { role, right, seen, .. } in samples(bench, subject) {
            let size = if is_long(role) { 64 } else { 32 };
            wrong.entry((subject.way, subject.layout(), size)).or_default().insert((right, seen));
        }
    }
    let mut wirings: BTreeSet<(Op, Wiring)> = BTreeSet::new();
    for ((op, _, word), samples) in wrong.iter().filter(|(_, samples)| samples.len() >= SAMPLES) {
        let explaining = Wiring::all(*word).into_iter().find(|wiring| wiring.explains(samples));
        wirings.extend(explaining.map(|wiring| (*op, wiring)));
    }
    let mut suggested: Vec<Fault> = wirings.into_iter().flat_map(|(op, wiring)| faults(bench, op, wiring)).collect();
    suggested.extend(cut(bench));
    suggested
}

/// Counts and lengths that are cut to eight or 16 bits when they are written: those of replies.
fn cut(bench: &Bench<'_>) -> Vec<Fault> {
    let mut cuts: BTreeSet<(LayoutId, u32)> = BTreeSet::new();
    for subject in bench.failed_cases().filter(|subject| subject.test.op == Op::Encode) {
        let Some(layout) = bench.dialect.layouts.id_of(subject.layout()) else { continue };
        let (Some(Answer::Bytes(right)), Some(Answer::Bytes(seen))) = (&subject.right, subject.reply()) else {
            continue;
        };
        let (trace, _) = bench.codec.traced(right.get(subject.frame()..).unwrap_or_default());
        let counts = trace.spans.iter().filter(|span| matches!(span.role, Role::Count | Role::Length));
        for span in counts {
            let at = span.bytes.start + subject.frame();
            let [right, seen] = [right, seen].map(|packet| packet.get(at..at + 4).map(word_of));
            let (Some(right), Some(seen)) = (right, seen) else { continue };
            cuts.extend(
                [8, 16]
                    .into_iter()
                    .filter(|bits| right >> bits != 0 && seen == right % (1 << bits))
                    .map(|bits| (layout, bits)),
            );
        }
    }
    let fault =
        |(layout, bits): (LayoutId, u32)| {
            let own = bench.dialect.layouts.get(layout);
            let mutation = writes(move |field| {
                let count = field.word().filter(|_| matches!(field.role, Role::Count | Role::Length))?;
                (field.layout == layout).then(|| (count % (1 << bits)).to_le_bytes().to_vec())
            })?;
            let id = format!("{}-counts-of-{bits}-bits", own.name);
            let fault = Fault::new(bench.dialect, "family", &id, Some(Op::Encode), mutation);
            let fault = fault.called(format!("counts-of-{bits}-bits")).about([own.name.as_str()]);
            Some(fault.described(format!(
                "{}: counts and lengths are cut to {bits} bits",
                bench.dialect.type_name_of(&own.name)
            )))
        };
    cuts.into_iter().filter_map(fault).collect()
}

/// The words of a subject that are wrong: of a packet that was written, or of a value that was read.
pub(super) fn samples(bench: &Bench<'_>, subject: &Subject<'_>) -> Vec<Sample> {
    let packet = |answer: &Answer| match answer {
        Answer::Bytes(bytes) => Some(bytes.get(subject.frame()..)?.to_vec()),
        Answer::Value { value, .. } => bench.codec.encode(value).ok(),
        _ => None,
    };
    let (Some(right), Some(seen)) = (subject.right.as_ref().and_then(packet), subject.reply().and_then(packet)) else {
        return Vec::new();
    };
    if right.len() != seen.len() {
        return Vec::new();
    }
    let (trace, _) = bench.codec.traced(&right);
    let words = trace.spans.iter().filter(|span| is_word(span.role));
    let samples = words.filter_map(|span| {
        let [right, seen] = [right.get(span.bytes.clone())?, seen.get(span.bytes.clone())?].map(word_of);
        (right != seen).then(|| Sample { path: span.path.clone(), role: span.role, right, seen })
    });
    samples.collect()
}

/// Whether a field has 64 bits.
pub(super) fn is_long(role: Role) -> bool {
    matches!(role, Role::Id | Role::Number(Scalar::Int64 | Scalar::Float64))
}

fn is_word(role: Role) -> bool {
    !matches!(role, Role::Text | Role::Nul | Role::Bytes | Role::Padding)
}

/// A codec that puts words together so: all words, numbers of so many bits alone.
fn faults(bench: &Bench<'_>, op: Op, wiring: Wiring) -> Vec<Fault> {
    let fault = |id: String, words: &str, is_own: fn(&MutatedField<'_>, usize) -> bool| {
        let size = wiring.word as usize / 8;
        let made = move |field: &MutatedField<'_>| {
            let made = is_own(field, size).then(|| wiring.bytes(field.bytes));
            made.filter(|made| made != field.bytes)
        };
        let mutation: Option<Mutation> = match op {
            Op::Encode => writes(made),
            _ => reads(move |field| made(field).map(Splice::As)),
        };
        let fault = Fault::new(bench.dialect, "family", &id, Some(op), mutation?).called(wiring.name());
        Some(fault.described(wiring.sentence(words)))
    };
    let numbers = format!("numbers of {} bits", wiring.word);
    let of_numbers = fault(format!("{}-in-numbers", wiring.name()), &numbers, |field, size| {
        matches!(field.role, Role::Id | Role::Number(_)) && field.bytes.len() == size
    });
    let name = |of: &str| format!("{}-in-{of}", wiring.name());
    let of_words = fault(name("words"), "each word", |field, _| is_word(field.role) && field.bytes.len() % 4 == 0);
    let of_headers = fault(name("headers"), "each header", |field, _| field.is_header());
    let of_words = [of_words, of_headers].into_iter().filter(|_| wiring.word == 32);
    of_words.flatten().chain(of_numbers).collect()
}
