//! The oracle: the reply of one side becomes an expectation, and the judge of runs judges the others. It sends nothing itself.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use variant_codec::{Codec, Framing, Options, Refusal, Role, Value};
use variant_corpus::test::{Test, TestId};
use variant_corpus::verdict::Severity;
use variant_corpus::{Case, Class, Expectation, MaskedPacket, PACKET, Rejects, is_unwritten};
use variant_runner::judge::{Judge, Judgement};
use variant_specs::{Dialect, DictionaryOrder, JudgedBy};
use variant_values::compare::{Comparison, compare};
use variant_values::handshake::{Handshake, Lossy, Op};
use variant_values::implementation::{Answer, Input, Outcome, Request};
use variant_values::reference;
use variant_values::value_text::ExpectedValue;

use super::failed::Failed;
use super::frame;
use super::parts;
use super::sides::Participant;

/// Judges replies in one dialect.
#[derive(Debug)]
pub struct Oracle<'a> {
    pub dialect: &'a Dialect,
    /// Names what packets contain.
    pub(super) codec: Codec,
    /// The same codec with objects allowed.
    permitting: Codec,
    /// The codec with objects allowed that keeps repeated keys: shrinking works on what is in a packet.
    pub(super) verbatim: Arc<Codec>,
    judges: Vec<Judge<'a>>,
    /// The place of the reference codec among the sides.
    reference: Option<usize>,
    pub(super) all_decode: bool,
    /// The packets of undecided cases, to which every reply is right.
    open: &'a HashSet<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum Ruling {
    Same,
    /// No reply is wrong: they differ in what a side declares as lossy, or in the order of entries.
    Right,
    /// They differ, and every reply is right: the packet is that of an undecided case.
    Undecided,
    Wrong(Vec<Failed>),
    /// Some side did not get the request, for this reason, and gets no other.
    NotRun(String),
    /// Some side did not get the request, because others like it cost too much.
    Skipped(String),
}

/// What the sides claim as it is judged in a dialect: where its entries have no order, no side has to keep one.
pub(super) fn declared(sides: &[Participant], dialect: &Dialect) -> Vec<Handshake> {
    let unordered = dialect.rules.dictionary_order == DictionaryOrder::Hash;
    let mut handshakes: Vec<Handshake> = sides.iter().map(|side| side.handshake().clone()).collect();
    handshakes.iter_mut().for_each(|side| side.lossy.extend(unordered.then_some(Lossy::DictionaryOrder)));
    handshakes
}

impl<'a> Oracle<'a> {
    /// An oracle for sides that claim this; `reference`: the place of the reference codec; `open`: the packets of undecided cases.
    pub(super) fn new(
        dialect: &'a Dialect,
        sides: &'a [Handshake],
        reference: Option<usize>,
        open: &'a HashSet<Vec<u8>>,
    ) -> Self {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let permitting = codec.clone().with(Options { objects: true });
        Self {
            dialect,
            verbatim: Arc::new(permitting.clone().keeping_repeated_keys()),
            codec,
            permitting,
            judges: sides.iter().map(|side| Judge::for_claims(dialect, JudgedBy::Engines, side)).collect(),
            reference,
            all_decode: sides.iter().all(|side| side.ops.contains(&Op::Decode)),
            open,
        }
    }

    pub(super) fn rule(&self, request: &Request, replies: &[&Outcome]) -> Ruling {
        if let [first, rest @ ..] = replies
            && rest.iter().all(|other| is_same(&first.answer, &other.answer))
        {
            return Ruling::Same;
        }
        let unsent = replies.iter().find_map(|reply| match &reply.answer {
            Answer::NotRun(why) => Some(Ruling::NotRun(why.clone())),
            Answer::Skipped(why) => Some(Ruling::Skipped(why.clone())),
            _ => None,
        });
        unsent.unwrap_or_else(|| self.judge(request, replies))
    }

    #[cold]
    fn judge(&self, request: &Request, replies: &[&Outcome]) -> Ruling {
        if let Input::Decode(packet) | Input::Reencode(packet) = &request.input
            && self.open.contains(packet)
            && !replies
                .iter()
                .any(|of| matches!(of.answer, Answer::Crashed(_) | Answer::TimedOut(_) | Answer::Garbled(_)))
        {
            return Ruling::Undecided;
        }
        let (expected, decided) = self.expectation(request, replies);
        let test = self.test(request, expected);
        let mut wrong = Vec::new();
        for (side, judge) in self.judges.iter().enumerate().filter(|(side, _)| self.reference != Some(*side)) {
            let judgement = judge.judge(&test, replies[side]);
            if judgement.verdict.severity() == Severity::Failure {
                wrong.push(self.failed(request, side, &test, judgement, replies[side]));
            }
        }
        let undecided = !decided || wrong.len() == self.judges.len();
        wrong.iter_mut().for_each(|failed| failed.undecided = undecided);
        if wrong.is_empty() { Ruling::Right } else { Ruling::Wrong(wrong) }
    }

    fn failed(&self, request: &Request, side: usize, test: &Test, mut judgement: Judgement, reply: &Outcome) -> Failed {
        if let (None, Some(at), Answer::Bytes(bytes)) = (&judgement.field, judgement.at, &reply.answer) {
            judgement.field = Some(self.field_of(request, &test.expected, bytes, at));
        }
        let (request, test, outcome) = (request.clone(), test.clone(), reply.clone());
        let mut failed = Failed { request, side, test, judgement, outcome, undecided: false };
        failed.test.id = failed.id();
        failed
    }

    /// What is right, and whether the reference codec says so: its reply where it takes part; else that of most sides, or if
    /// there is none, its own all the same.
    fn expectation(&self, request: &Request, replies: &[&Outcome]) -> (Expectation, bool) {
        let own = self
            .reference
            .map(|side| replies[side].answer.clone())
            .unwrap_or_else(|| reference::answer(&self.codec, request));
        let of_most = if self.reference.is_some() { None } else { self.majority(request, replies) };
        let (reply, decided) = match of_most {
            Some(side) => (&replies[side].answer, is_same(&replies[side].answer, &own)),
            None => (&own, true),
        };
        // A reply that says nothing about what is right leaves it undecided.
        (self.expected(request, reply).unwrap_or_default(), decided)
    }

    /// A side whose reply more than half of all sides give.
    fn majority(&self, request: &Request, replies: &[&Outcome]) -> Option<usize> {
        (0..replies.len()).filter(|_| replies.len() > 2).find(|side| {
            let Some(expected) = self.expected(request, &replies[*side].answer) else { return false };
            let test = self.test(request, expected);
            let agrees = |(judge, reply): &(&Judge<'_>, &&Outcome)| {
                judge.judge(&test, reply).verdict.severity() != Severity::Failure
            };
            self.judges.iter().zip(replies).filter(agrees).count() * 2 > replies.len()
        })
    }

    /// A reply as what is expected; `None` for one that says nothing about what is right.
    fn expected(&self, request: &Request, reply: &Answer) -> Option<Expectation> {
        let codec = self.codec_for(request);
        let known = |value: &Value| Arc::new(ExpectedValue { value: value.clone(), any_nan: Vec::new() });
        let read = |packet: &[u8]| reference::decode(codec, packet, request.framing).ok().map(|read| read.value);
        let open = Expectation { class: Class::Invalid, ..Expectation::default() };
        Some(match (&request.input, reply) {
            (Input::Encode(value), Answer::Refused(_)) => Expectation { value: Some(known(value)), ..open },
            (Input::Decode(packet) | Input::Reencode(packet), Answer::Refused(_)) => {
                let error = reference::decode(codec, packet, request.framing).err();
                let rejects = error.map(|error| Rejects { kind: error.kind, at: error.at });
                Expectation { packet: Some(MaskedPacket::whole(packet.clone())), rejects, ..open }
            }
            (Input::Decode(packet), Answer::Value { value, used }) => {
                let used = used.and_then(|used| usize::try_from(used).ok());
                let written = reference::encode(codec, value, request.framing);
                let class = if written.as_ref() == Ok(packet) { Class::Canonical } else { Class::Readable };
                Expectation {
                    class,
                    value: Some(known(value)),
                    packet: Some(MaskedPacket::whole(packet.clone())),
                    used,
                    ..open
                }
            }
            (Input::Encode(_) | Input::Reencode(_), Answer::Bytes(bytes)) => {
                let value = match &request.input {
                    Input::Encode(value) => Some(known(value)),
                    Input::Decode(sent) | Input::Reencode(sent) => {
                        read(sent).or_else(|| read(bytes)).as_ref().map(known)
                    }
                };
                let packet = MaskedPacket { bytes: bytes.clone().into(), unwritten: self.unwritten(bytes, request) };
                Expectation { class: Class::Canonical, value, packet: Some(packet), used: Some(bytes.len()), ..open }
            }
            _ => return None,
        })
    }

    /// A request as a test, as the reference codec expects it.
    pub(super) fn own_test(&self, request: &Request) -> Test {
        self.test(request, self.expectation(request, &[]).0)
    }

    /// A request as a test, to which nobody has replied yet.
    fn test(&self, request: &Request, expected: Expectation) -> Test {
        let sent = if let Input::Reencode(packet) = &request.input {
            Some(Arc::new(MaskedPacket::whole(packet.clone())))
        } else {
            None
        };
        let (layout, field) = (self.layout(request, &expected), self.field(request, &expected));
        let float = expected.value.as_ref().is_some_and(|expected| has_float(&expected.value));
        Test {
            id: TestId::new(&request.dialect, &layout, "generated", None, request.op()),
            op: request.op(),
            dialect: Arc::clone(&request.dialect),
            layout: layout.into(),
            case: Arc::new(case(request)),
            file: Arc::from("generated"),
            layouts: Arc::new(self.layouts(request)),
            holds: Arc::default(),
            rule: None,
            field: field.map(Arc::from),
            sent,
            erratum: None,
            // As in runs: how wide a float is written is good practice.
            good_practice: float && request.op() != Op::Decode,
            since: None,
            expected: Arc::new(expected),
        }
    }

    fn layout(&self, request: &Request, expected: &Expectation) -> String {
        // A header with an unknown id is no part of what is around it.
        let is_unknown = expected.rejects.is_some_and(|rejects| rejects.kind == Refusal::UnknownType);
        let layout = parts::layout_of(request, self.codec_for(request));
        layout.filter(|_| !is_unknown || request.framing.is_some()).unwrap_or_else(|| PACKET.to_owned())
    }

    /// The field because of which a packet must be refused.
    fn field(&self, request: &Request, expected: &Expectation) -> Option<String> {
        let rejects = expected.rejects?;
        let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else { return None };
        let codec = self.codec_for(request);
        Some(match frame::field(packet, rejects.at, request.framing, codec) {
            Some(field) => field,
            None if rejects.kind == Refusal::UnknownType => "header".to_owned(),
            None => after_last_field(packet, request.framing, codec),
        })
    }

    /// The layouts in a request. Behind what cannot be read, whatever looks like a header may be one.
    fn layouts(&self, request: &Request) -> BTreeSet<Arc<str>> {
        let codec = self.codec_for(request);
        let packet = parts::unframed(request, codec);
        let mut names = parts::names(&packet, codec);
        let unread = codec.decode(&packet).err().and_then(|error| packet.get(error.at..)).unwrap_or_default();
        let (words, _) = unread.as_chunks();
        let types = words.iter().filter_map(|word| self.dialect.type_of(u32::from_le_bytes(*word)));
        names.extend(types.map(|entry| Arc::from(self.dialect.layout(entry).name.as_str())));
        names
    }

    /// The field in which bytes differ: of the value, where they have another one, or else of the packet.
    fn field_of(&self, request: &Request, expected: &Expectation, bytes: &[u8], at: usize) -> String {
        let codec = self.codec_for(request);
        let decoded = reference::decode(codec, bytes, request.framing).ok().filter(|read| read.used == bytes.len());
        if let (Some(expected), Some(read)) = (&expected.value, decoded)
            && let Comparison::Different(path) = compare(expected, &read.value, &[], codec.layouts())
        {
            return path;
        }
        let packet = expected.packet.as_ref().map(|packet| &packet.bytes[..]).unwrap_or_default();
        frame::field(packet, at, request.framing, codec).unwrap_or_else(|| "trailing".to_owned())
    }

    /// The padding of a packet that may contain anything.
    fn unwritten(&self, packet: &[u8], request: &Request) -> Vec<Range<usize>> {
        let front = request.framing.map_or(0, |_| Framing::PREFIX);
        let spans = frame::spans(packet.get(front..).unwrap_or_default(), self.codec_for(request)).into_iter();
        let padding = spans.filter(|span| span.role == Role::Padding && is_unwritten(&span.path, self.dialect));
        padding.map(|span| span.bytes.start + front..span.bytes.end + front).collect()
    }

    /// The codec for a request, with objects allowed if the request allows them.
    pub(super) fn codec_for(&self, request: &Request) -> &Codec {
        if request.objects { &self.permitting } else { &self.codec }
    }
}

/// Whether two replies are the same without a closer look.
#[inline]
fn is_same(left: &Answer, right: &Answer) -> bool {
    match (left, right) {
        (Answer::Value { value: left, used: left_used }, Answer::Value { value: right, used: right_used }) => {
            left == right && (left_used == right_used || left_used.is_none() || right_used.is_none())
        }
        (Answer::Bytes(left), Answer::Bytes(right)) => left == right,
        (Answer::Refused(_), Answer::Refused(_)) => true,
        _ => false,
    }
}

fn has_float(value: &Value) -> bool {
    matches!(value, Value::Float(_)) || value.children().into_iter().any(has_float)
}

fn case(request: &Request) -> Case {
    let Request { objects, framing, .. } = *request;
    Case { name: "generated".to_owned(), class: Class::Undecided, objects, framing, ..Case::default() }
}

/// `behind FIELD`, where the field is the last that the reference codec could read.
fn after_last_field(packet: &[u8], framing: Option<Framing>, codec: &Codec) -> String {
    let body = match framing {
        None => packet,
        Some(framing) => frame::inside(packet, framing).map_or(&[][..], |inside| &packet[inside]),
    };
    match frame::spans(body, codec).last() {
        Some(last) => format!("behind {}", last.path),
        None if framing.is_some() => frame::FIELD.to_owned(),
        None => "header".to_owned(),
    }
}
