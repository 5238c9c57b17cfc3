//! Finds the dialect that an implementation actually speaks, whatever it claims: first by its table of ids, then, among
//! dialects with the same table, by what it reads there.

mod probe;
mod readings;
mod render;

use std::borrow::Cow;
use std::cmp::Reverse;

use variant_codec::{Codec, DecodeError, Value};
use variant_specs::{Dialect, Specs, Status};
use variant_wire::compare::{Comparison, compare};
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Answer, AnsweredValue, AnsweredValueError, Implementation, ImplementationError};
use variant_wire::sanitize;
use variant_wire::value_text::ExpectedValue;

use readings::{FoundLayout, Readings, name_of};

/// What an implementation speaks when tested under one dialect's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The dialect's name in the requests, like `godot-3`.
    pub tested_as: String,
    /// How many packets got a reply other than `unsupported`.
    pub answered: usize,
    /// The dialects that fit best; more than one if these packets cannot distinguish them. Empty if it claims no type.
    pub nearest: Vec<Match>,
}

/// How well dialects fit that fit alike. Only types that the implementation claims to read count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The names of the dialects: `godot-3`.
    pub dialects: Vec<String>,
    /// How many types each has.
    pub types: usize,
    /// How many of these the implementation claims to read.
    pub claimed: usize,
    /// How many of these it reads at the id where the dialect has them.
    pub read: usize,
    /// How many it reads as a type that has an id of its own, like an array for a packed array.
    pub confused: usize,
    /// Ids at which it reads another type: the table of ids differs.
    pub ids: Vec<IdMismatch>,
    /// Types that it claims and does not read.
    pub unread: Vec<IdMismatch>,
    /// Types that it reads at their ids, but not as the dialect does: bugs, which are no sign of another dialect.
    pub bugs: Vec<IdMismatch>,
}

/// An id that the implementation reads differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdMismatch {
    /// The type id, as in the header.
    pub id: u32,
    /// The layout that the dialect has there, or `no type`.
    pub expected: String,
    /// What the implementation reads there: a layout, or words such as `refused`.
    pub actual: String,
    /// A packet that shows it.
    pub packet: Vec<u8>,
}

/// Tests an implementation under these names, or if there are none, under each that it claims.
///
/// # Errors
/// It does not support `decode`, or the program cannot be run.
pub fn identify(
    implementation: &mut dyn Implementation,
    specs: &Specs,
    names: &[String],
) -> Result<Vec<Identified>, ImplementationError> {
    let handshake = implementation.handshake().clone();
    if !handshake.ops.contains(&Op::Decode) {
        return Err(ImplementationError("identify needs `decode`, which is not in its `ops`".to_owned()));
    }
    let end = specs.dialects.iter().map(|dialect| dialect.max).max().unwrap_or(0);
    let names = if names.is_empty() { &handshake.dialects } else { names };
    let one = |name: &String| {
        let readings = Readings::take(implementation, &specs.layouts, &name.as_str().into(), end)?;
        Ok(Identified {
            tested_as: name.clone(),
            answered: readings.answered(),
            nearest: nearest(&readings, specs, &handshake, end),
        })
    };
    names.iter().map(one).collect()
}

fn nearest(readings: &Readings<'_>, specs: &Specs, handshake: &Handshake, end: u32) -> Vec<Match> {
    let mut matches: Vec<Match> = Vec::new();
    for dialect in specs.all().filter(|dialect| dialect.status != Status::Unverified) {
        let found = DialectComparer { dialect, handshake, readings }.compare(end);
        match matches.iter_mut().find(|other| found.is_like(other)) {
            Some(same) => same.dialects.extend(found.dialects),
            None if found.claimed > 0 => matches.push(found),
            None => {}
        }
    }
    let best = matches.iter().map(Match::rank).min();
    matches.retain(|found| Some(found.rank()) == best);
    // If a dialect that engines speak fits as well as one that none speaks, it is that one.
    let spoken = |name: &String| specs.dialect(name).is_some_and(|dialect| dialect.status == Status::Spoken);
    if matches.iter().flat_map(|found| &found.dialects).any(spoken) {
        matches.iter_mut().for_each(|found| found.dialects.retain(spoken));
        matches.retain(|found| !found.dialects.is_empty());
    }
    matches
}

struct DialectComparer<'a> {
    dialect: &'a Dialect,
    handshake: &'a Handshake,
    readings: &'a Readings<'a>,
}

impl DialectComparer<'_> {
    fn compare(&self, end: u32) -> Match {
        let codec = Codec::new(self.dialect, variant_specs::Reading::Engine);
        let claimed = self.dialect.types.iter().filter(|entry| self.claims(entry.id)).count();
        let mut found = Match {
            dialects: vec![self.dialect.name.clone()],
            types: self.dialect.types.len(),
            claimed,
            read: 0,
            confused: 0,
            ids: Vec::new(),
            unread: Vec::new(),
            bugs: Vec::new(),
        };
        for id in 0..end {
            let (read, packet) = self.readings.at(id, self.dialect);
            let mismatch = |actual| IdMismatch { id, expected: self.named(id), actual, packet: packet.to_vec() };
            match (read, self.claims(id)) {
                (FoundLayout::Own, true) => {
                    found.read += 1;
                    found.bugs.extend(self.bug(id, &codec));
                }
                // An array for a packed array, if its language has no other.
                (FoundLayout::Confused(_), true) if self.bug(id, &codec).is_none() => found.read += 1,
                (FoundLayout::Confused(layout), true) => {
                    found.confused += 1;
                    found.bugs.push(mismatch(layout));
                }
                (FoundLayout::Another(layout), claims) if claims || self.handshake.claims(&layout, Op::Decode) => {
                    found.ids.push(mismatch(layout));
                }
                (FoundLayout::Nothing(words), true) => found.unread.push(mismatch(words)),
                (
                    FoundLayout::Own
                    | FoundLayout::Confused(_)
                    | FoundLayout::Nothing(_)
                    | FoundLayout::Another(_)
                    | FoundLayout::Unknown,
                    _,
                ) => {}
            }
        }
        found
    }

    /// Whether the implementation claims to read what this dialect has at an id.
    fn claims(&self, id: u32) -> bool {
        let entry = self.dialect.type_of(id);
        entry.is_some_and(|entry| self.handshake.claims(&self.dialect.layout(entry).name, Op::Decode))
    }

    fn named(&self, id: u32) -> String {
        let entry = self.dialect.type_of(id);
        entry.map_or_else(|| "no type".to_owned(), |entry| self.dialect.layout(entry).name.clone())
    }

    /// The first packet of an id that is not read as the dialect reads it.
    fn bug(&self, id: u32, codec: &Codec) -> Option<IdMismatch> {
        self.readings.of(id).find_map(|reading| {
            let packet = &reading.probe.packet;
            let expected = codec.decode(packet).map(|decoded| decoded.value);
            let actual = self.differs(&expected, &reading.answer)?;
            Some(IdMismatch { id, expected: self.named(id), actual, packet: packet.clone() })
        })
    }

    /// What it reads, if the dialect expects something else.
    fn differs(&self, expected: &Result<Value, DecodeError>, answer: &Answer) -> Option<String> {
        let value = match (answer, expected) {
            (Answer::Value { value, .. }, _) => self.value(value),
            // An unsupported request says nothing about the dialect.
            (Answer::Unsupported(_) | Answer::NotRun(_) | Answer::Skipped(_), _) | (Answer::Refused(_), Err(_)) => {
                return None;
            }
            (Answer::Refused(_), Ok(_)) => return Some("refused".to_owned()),
            (Answer::Bytes(_) | Answer::Garbled(_), _) => return Some("no valid reply".to_owned()),
            (Answer::Crashed(_) | Answer::TimedOut(_) | Answer::OrderDependent(_), _) => {
                return Some("no reply: it crashed or hung".to_owned());
            }
        };
        match (value, expected) {
            (Ok(value), Ok(expected)) => {
                let wanted = ExpectedValue { value: expected.clone(), any_nan: Vec::new() };
                match compare(&wanted, &value, &self.handshake.lossy, &self.dialect.layouts) {
                    Comparison::Same | Comparison::Relaxed(_) => None,
                    Comparison::Different(_) => Some(self.layout(&value, expected)),
                }
            }
            (Ok(value), Err(_)) => Some(format!("{}, not refused", name_of(&value, &self.dialect.layouts))),
            (Err(words), Ok(_) | Err(_)) => Some(words),
        }
    }

    /// The value in the reply; or its layout, if this dialect has no such value.
    fn value(&self, value: &AnsweredValue) -> Result<Value, String> {
        value.read(self.dialect, &self.handshake.lossy).map(Cow::into_owned).map_err(|error| match error {
            AnsweredValueError::NoSuchValue { layout, .. } => {
                format!("{}, with an impossible value", sanitize::short(&layout, 40))
            }
            AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_) => "no value".to_owned(),
        })
    }

    fn layout(&self, value: &Value, expected: &Value) -> String {
        let [actual, wanted] = [value, expected].map(|value| name_of(value, &self.dialect.layouts));
        if actual == wanted { format!("{actual}, with another value") } else { actual }
    }
}

impl Identified {
    /// Whether a dialect has all its ids, and it reads all types that it claims. It may have bugs.
    pub fn is_exact(&self) -> bool {
        let fits = |found: &Match| found.read > 0 && found.ids.is_empty() && found.unread.is_empty();
        self.answered > 0 && self.nearest.first().is_some_and(fits)
    }
}

impl Match {
    /// The ids come first: which types are at other ids, and how many are at theirs. A type that is claimed and not
    /// read distinguishes dialects only if another dialect has no such type. Then what is read.
    fn rank(&self) -> (usize, Reverse<usize>, bool, usize) {
        (self.ids.len(), Reverse(2 * self.read + self.confused), !self.unread.is_empty(), self.bugs.len())
    }

    fn is_like(&self, other: &Self) -> bool {
        Self { dialects: other.dialects.clone(), ..self.clone() } == *other
    }
}
