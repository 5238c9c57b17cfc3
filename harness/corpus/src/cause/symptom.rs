//! What one failure shows: what is lacking, and where.

use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::{Codec, Refusal, Role, Value};
use variant_specs::{Dialect, Reading, Shape};

use super::difference::{Compared, Difference, Fields, Meant, TEXT, is_padded, of_values};
use super::feature::{Feature, features};
use super::lack::{Accepted, Lack};
use super::words::words;
use crate::test::{Rule, Test};
use crate::verdict::{Reason, Verdict};
use crate::{Class, Packet};
use variant_codec::Framing;
use variant_wire::handshake::{Lossy, Op};
use variant_wire::implementation::Input;
use variant_wire::reference;

/// A test that did not pass, and the reply.
#[derive(Debug)]
pub struct Failure<'a> {
    /// The test.
    pub test: &'a Test,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why it failed, if the verdict is `fail`.
    pub reason: Option<Reason>,
    /// Whether it is amber only.
    pub amber: bool,
    /// The erratum by which the reply follows the other reading.
    pub erratum: Option<&'a str>,
    /// The reply.
    pub reply: Reply,
}

/// A reply, as far as it can be told.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A value, and the bytes consumed.
    Value(Value, Option<u64>),
    /// A packet.
    Bytes(Vec<u8>),
    /// A refusal, how the process ended, or anything else in words.
    Words(String),
}

/// What one failure shows.
#[derive(Debug, Clone)]
pub struct Symptom {
    /// The id of the test.
    pub(super) test: String,
    /// The id without rule and operation.
    pub(super) case: String,
    pub(super) layout: Arc<str>,
    pub(super) layouts: Arc<BTreeSet<Arc<str>>>,
    pub(super) op: Op,
    pub(super) rule: Option<Rule>,
    pub(super) amber: bool,
    /// Whether it refuses what is valid.
    pub(super) refused: bool,
    /// How many bytes its packet has.
    pub(super) size: usize,
    pub(super) difference: Difference,
    pub(super) features: BTreeSet<Feature>,
    /// What the value of its packet ends with: after it, the place may be lost.
    pub(super) tail: String,
}

/// Finds out what failures show, in one dialect.
#[derive(Debug)]
pub struct Examiner<'a> {
    dialect: &'a Dialect,
    reading: Reading,
    codec: Codec,
    lossy: &'a [Lossy],
}

impl<'a> Examiner<'a> {
    /// For an implementation that is `lossy` in these ways.
    pub fn new(dialect: &'a Dialect, reading: Reading, lossy: &'a [Lossy]) -> Self {
        Self { dialect, reading, codec: Codec::new(dialect, reading), lossy }
    }

    /// What a failure shows.
    pub fn symptom(&self, failure: &Failure<'_>) -> Symptom {
        let Failure { test, amber, reason, .. } = failure;
        let codec = reference::allowing(&self.codec, test.case.objects);
        let packet = test.expected.packet.as_ref();
        let case = test.id.rsplit_once(':').map_or(test.id.as_str(), |(case, _)| case);
        Symptom {
            case: case.split_once('~').map_or(case, |(case, _)| case).to_owned(),
            test: test.id.clone(),
            layout: Arc::clone(&test.layout),
            layouts: Arc::clone(&test.layouts),
            op: test.op,
            rule: test.rule,
            amber: *amber,
            refused: *reason == Some(Reason::RefusedValid)
                || *reason == Some(Reason::UnsupportedButClaimed) && test.expected.class != Class::Invalid,
            size: packet.map_or(0, |packet| packet.bytes.len()),
            difference: self.difference(failure, &codec),
            features: self.features(test),
            tail: self.tail(test, &codec),
        }
    }

    /// What is special about a test.
    pub(super) fn features(&self, test: &Test) -> BTreeSet<Feature> {
        features(test, &|header| {
            let entry = self.dialect.type_of(header & 0xff)?;
            Some(self.dialect.known_flags(self.dialect.layout(entry), self.reading))
        })
    }

    fn difference(&self, failure: &Failure<'_>, codec: &Codec) -> Difference {
        let Failure { test, verdict, reason, erratum, reply, .. } = failure;
        let layout = test.layout.as_ref();
        let said = match reply {
            Reply::Words(text) => words(text),
            Reply::Value(..) | Reply::Bytes(_) => String::new(),
        };
        if let Some(erratum) = erratum {
            return Difference::new(Lack::Erratum((*erratum).to_owned()), "");
        }
        match (verdict, reason) {
            (Verdict::Crashed, _) => Difference::new(Lack::Crashes(said), self.part(test, codec)),
            (Verdict::TimedOut, _) => Difference::new(Lack::Hangs, self.part(test, codec)),
            (Verdict::Garbled, _) => Difference::new(Lack::Garbles(said), layout),
            (Verdict::OrderDependent, _) => Difference::new(Lack::DependsOnOrder, ""),
            (Verdict::Nondeterministic, _) => Difference::new(Lack::Varies, ""),
            (Verdict::Resource, _) => Difference::new(Lack::Resources, layout),
            (Verdict::Relaxed, _) => Difference::new(Lack::Declared, ""),
            (_, Some(Reason::RefusedValid)) => Difference::new(Lack::Refuses(said), layout),
            (_, Some(Reason::UnsupportedButClaimed)) if test.expected.class == Class::Invalid => {
                Difference::new(Lack::NotRefused(said), "")
            }
            (_, Some(Reason::UnsupportedButClaimed)) => Difference::new(Lack::Unsupported(said), layout),
            (_, Some(Reason::AcceptedInvalid)) => {
                Difference::new(Lack::Accepts(self.accepted(test, codec)), self.part(test, codec))
            }
            (_, Some(Reason::WrongLength)) => self.length(test, reply, codec),
            (_, Some(Reason::Internal)) => Difference::new(Lack::Other("a fault of this suite".to_owned()), layout),
            (Verdict::Fail | Verdict::NonCanonical, Some(Reason::WrongValue | Reason::WrongBytes) | None) => {
                self.compared(test, reply, codec)
            }
            (Verdict::Pass | Verdict::Open | Verdict::NotClaimed | Verdict::NotRun | Verdict::Skipped, _) => {
                Difference::new(Lack::Other(verdict.name().to_owned()), layout)
            }
        }
    }

    /// How a wrong value or packet differs.
    fn compared(&self, test: &Test, reply: &Reply, codec: &Codec) -> Difference {
        let value = test.expected.value.as_ref().map(|value| &value.value);
        let decoded;
        match (reply, value, &test.expected.packet) {
            (Reply::Value(wrong, _), Some(right), packet) => {
                let difference = of_values(right, wrong, self.lossy, codec.layouts());
                // Read in each other's place, a path may be relative too: the flag alone is the simpler reason.
                let simple = matches!(difference.lack, Lack::Absolute | Lack::Relative);
                let exchanged =
                    packet.as_ref().filter(|_| !simple).and_then(|packet| exchanged(&packet.bytes, wrong, codec));
                if let Some(exchanged) = exchanged {
                    return Difference::new(exchanged, difference.place);
                }
                let other = difference.lack == Lack::True
                    && packet.as_ref().is_some_and(|packet| has_other_true(&packet.bytes, codec));
                if other { Difference::new(Lack::OtherTrue, difference.place) } else { difference }
            }
            (Reply::Bytes(wrong), value, Some(packet)) => {
                let (packet, wrong) = match test.case.framing {
                    None => (packet.clone(), wrong.as_slice()),
                    // The right length of a wrong packet is right.
                    Some(framing) if length_in_front(wrong, framing) != wrong.len().checked_sub(Framing::PREFIX) => {
                        return Difference::new(Lack::Prefix, "");
                    }
                    Some(_) => {
                        let bytes = packet.bytes[Framing::PREFIX..].to_vec();
                        (Packet { bytes, unwritten: Vec::new() }, &wrong[Framing::PREFIX..])
                    }
                };
                // A test of `reencode` need not have its value.
                decoded = codec.decode(&packet.bytes).ok().map(|decoded| decoded.value);
                let compared = Compared { dialect: self.dialect, codec, lossy: self.lossy };
                compared.packets(Meant { packet: &packet, value: value.or(decoded.as_ref()) }, wrong)
            }
            (Reply::Words(words), Some(right), _) if is_unsigned(right, words) => {
                Difference::new(Lack::WideSign, "int")
            }
            (Reply::Words(_), ..) => Difference::new(Lack::NoValue, test.layout.as_ref()),
            (Reply::Value(..) | Reply::Bytes(_), ..) => Difference::new(Lack::Bytes, test.layout.as_ref()),
        }
    }

    /// What the number of bytes consumed lacks.
    fn length(&self, test: &Test, reply: &Reply, codec: &Codec) -> Difference {
        let tail = self.tail(test, codec);
        let (Reply::Value(_, Some(used)), Some(packet)) = (reply, &test.expected.packet) else {
            return Difference::new(Lack::Length, tail);
        };
        let right = test.expected.used.unwrap_or(packet.bytes.len());
        let last =
            self.whole(test, codec).and_then(|fields| fields.spans.last().map(|span| (span.role, span.bytes.len())));
        let short = usize::try_from(*used).ok().and_then(|used| right.checked_sub(used));
        if let (Some((Role::Bool, width)), Some(short @ 1..=3)) = (last, short) {
            return Difference::new(Lack::FieldWidth(width.saturating_sub(short)), tail);
        }
        let padding = self.padding(test, codec);
        let padded = padding > 0 && u64::try_from(right - padding) == Ok(*used);
        Difference::new(if padded { Lack::PaddingLength } else { Lack::Length }, tail)
    }

    /// The fields of the whole packet of a case: a derived test may have only a part of it.
    fn whole<'c>(&self, test: &Test, codec: &'c Codec) -> Option<Fields<'c>> {
        let listing = test.case.reading(self.reading, self.dialect).listing.as_ref()?;
        let packet = listing.packet(self.dialect).ok()?;
        let skipped = test.case.framing.map_or(0, |_| Framing::PREFIX);
        Some(Fields::of(packet.bytes.get(skipped..)?, codec))
    }

    /// What the value of a test ends with.
    fn tail(&self, test: &Test, codec: &Codec) -> String {
        let Some(fields) = self.whole(test, codec) else { return test.layout.to_string() };
        let Some(last) = fields.spans.iter().rposition(|span| span.role != Role::Padding) else {
            return test.layout.to_string();
        };
        if matches!(fields.spans[last].role, Role::Text | Role::Nul | Role::Length) {
            TEXT.to_owned()
        } else {
            fields.owner(last)
        }
    }

    fn padding(&self, test: &Test, codec: &Codec) -> usize {
        let fields = self.whole(test, codec);
        let last = fields.as_ref().and_then(|fields| fields.spans.last());
        last.filter(|span| span.role == Role::Padding).map_or(0, |span| span.bytes.len())
    }

    /// What is wrong with a packet that must be refused.
    fn accepted(&self, test: &Test, codec: &Codec) -> Accepted {
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = test.request().map(|request| request.input) else {
            return Accepted::NoPacket;
        };
        let error = reference::decode(codec, &packet, test.case.framing).err();
        let rejects = test.expected.rejects.map(|rejects| (rejects.kind, rejects.at));
        let kind = rejects.or(error.map(|error| (error.kind, error.at)));
        match kind {
            Some((Refusal::Length, at)) => {
                let word = packet.get(at..).and_then(|rest| rest.first_chunk().copied()).map(i32::from_le_bytes);
                if word.is_some_and(|word| word < 0) { Accepted::NegativeCount } else { Accepted::BeyondTheEnd }
            }
            Some((Refusal::Truncated, _)) => {
                let fields = self.whole(test, codec);
                let cut = fields.as_ref().and_then(|fields| Some(fields.spans.get(fields.at(packet.len())?)?.role));
                let padding = cut == Some(Role::Padding) && test.rule == Some(Rule::TruncatedAt);
                if padding { Accepted::MissingPadding } else { Accepted::BeyondTheEnd }
            }
            Some((Refusal::UnknownType, _)) => Accepted::UnknownType,
            Some((Refusal::UnknownFlag, _)) => Accepted::UnknownFlag,
            Some((Refusal::BadUtf8, _)) => Accepted::BadUtf8,
            Some((Refusal::TooDeep, _)) => Accepted::TooDeep,
            Some((Refusal::BadObject, _)) => Accepted::BadObject,
            Some((Refusal::UnsupportedForm, _)) => Accepted::UnsupportedForm,
            None => Accepted::Other,
        }
    }

    /// The part of a value that is wrong in an invalid packet; the layout of any other.
    fn part(&self, test: &Test, codec: &Codec) -> String {
        let layout = test.layout.to_string();
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = test.request().map(|request| request.input) else {
            return layout;
        };
        if test.expected.class != Class::Invalid {
            return layout;
        }
        if test.case.framing.is_some() {
            return crate::FRAMING.to_owned();
        }
        let at = match codec.decode(&packet) {
            Err(error) => test.expected.rejects.map_or(error.at, |rejects| rejects.at),
            Ok(_) => return layout,
        };
        // The whole packet says what the cut one would have had there.
        let whole = test.rule.and_then(|_| self.whole(test, codec)).filter(|fields| fields.at(at).is_some());
        let fields = whole.unwrap_or_else(|| Fields::of(&packet, codec));
        let Some(place) = fields.at(at).or_else(|| fields.spans.len().checked_sub(1)) else {
            return "header".to_owned();
        };
        let of = fields.layout(place).map(|layout| (layout.shape, layout.name.as_str()));
        match (fields.spans[place].role, of) {
            (Role::Header(_), _) | (_, None) => "header".to_owned(),
            (role, Some((_, name))) if name == "byte_array" && is_padded(role) => "byte_array".to_owned(),
            (Role::Text | Role::Length | Role::Nul, _) => TEXT.to_owned(),
            (Role::Padding, Some((shape, _))) if shape != Shape::Packed => TEXT.to_owned(),
            (_, Some((Shape::Packed, name))) if name != "byte_array" => "packed array".to_owned(),
            (_, Some((Shape::Fields, _))) => "row of numbers".to_owned(),
            (_, Some((_, name))) => name.to_owned(),
        }
    }
}

/// Whether a packet has a true that is written as another number than 1, and none that is 1.
fn has_other_true(packet: &[u8], codec: &Codec) -> bool {
    let fields = Fields::of(packet, codec);
    let mut words = fields.spans.iter().filter(|span| span.role == Role::Bool).map(|span| &packet[span.bytes.clone()]);
    let mut other = false;
    words.all(|word| {
        other |= word.iter().any(|byte| *byte != 0);
        word != [1, 0, 0, 0]
    }) && other
}

/// Which two fields of a packet have been read in each other's place, if that explains the value.
fn exchanged(packet: &[u8], wrong: &Value, codec: &Codec) -> Option<Lack> {
    let fields = Fields::of(packet, codec);
    let all = (0..fields.spans.len()).flat_map(|place| fields.exchanged(place));
    let mut changed = all.map(|(lack, changed)| (lack, changed(packet))).filter(|(_, changed)| changed != packet);
    changed.find_map(|(lack, changed)| (codec.decode(&changed).ok()?.value == *wrong).then_some(lack))
}

/// The length that stands in front of a packet.
fn length_in_front(packet: &[u8], framing: Framing) -> Option<usize> {
    let prefix = packet.first_chunk().copied()?;
    let length = match framing {
        Framing::U32Le => u32::from_le_bytes(prefix),
        Framing::U32Be => u32::from_be_bytes(prefix),
    };
    usize::try_from(length).ok()
}

/// Whether a reply has a negative number of this value as an unsigned one.
fn is_unsigned(value: &Value, words: &str) -> bool {
    let own = matches!(value, Value::Int(int) if *int < 0 && words.contains(&int.cast_unsigned().to_string()));
    own || value.children().into_iter().any(|child| is_unsigned(child, words))
}

impl Symptom {
    /// The bit that a test of header flags sets.
    pub(super) fn bit(&self) -> Option<u32> {
        self.test.split_once("~flag-").and_then(|(_, rest)| rest.split(':').next()?.parse().ok())
    }
}
