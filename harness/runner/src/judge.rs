//! The judge: a test and its outcome in, a judgement out. It sends nothing and prints nothing.

use variant_codec::{Codec, Framing, Role, Span, Value};
use variant_specs::{Dialect, JudgedBy};

use variant_corpus::citation::Difference;
use variant_corpus::test::Test;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_corpus::{Class, Expectation, Level, MaskedPacket};
use variant_values::compare::{Comparison, compare, differs_in_order, without_declared_losses};
use variant_values::handshake::{DeclaredLoss, Handshake, Limit, Lossy, Op, excuse};
use variant_values::implementation::{Answer, InvalidValue, Outcome};
use variant_values::reference;
use variant_values::value_text::ExpectedValue;

/// Judges the answers in one dialect by one judge.
#[derive(Debug)]
pub struct Judge<'a> {
    pub dialect: &'a Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// Tells whether other bytes mean the same value.
    codec: Codec,
    /// Tells whether an answer follows the other one of engines and documents.
    other: Codec,
    /// Reads what is in a packet, where the handshake declares that repeated keys are kept.
    verbatim: Option<Codec>,
    /// What the handshake declares as lossy.
    pub lossy: &'a [Lossy],
    /// What the handshake declares as limits.
    pub limits: &'a [Limit],
}

/// The verdict on one test, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgement {
    /// How the test ended: `pass`, `fail`, `crashed` and so on.
    pub verdict: Verdict,
    /// The offset of the first field or byte that is not as expected.
    pub at: Option<usize>,
    /// The path of the first field that is not as expected.
    pub field: Option<String>,
    /// The value that this field is of, if it stands in another.
    pub inner: Option<InnerValue>,
    pub difference: Difference,
    /// One sentence about the answer; empty if there is nothing to add.
    pub note: String,
    /// The erratum, if the answer is right by the other judge.
    pub erratum: Option<String>,
    /// Whether the answer leaves out `used`, which could not be judged.
    pub length_not_told: bool,
    /// The declared words that the answer needs to pass.
    pub losses: Vec<DeclaredLoss>,
}

/// A value within another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerValue {
    /// Its path: `[0].key`.
    pub path: String,
    pub id: u32,
}

impl Judgement {
    /// Its severity, which depends on the level and class of the test.
    pub fn severity(&self, test: &Test) -> Severity {
        self.verdict.severity_at(test.level() == Level::Should, test.expected.class == Class::Canonical)
    }

    fn of(verdict: Verdict) -> Self {
        Self { verdict, ..Self::default() }
    }

    fn fail(reason: Reason, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..Self::of(Verdict::Fail(reason)) }
    }

    pub(crate) fn noted(verdict: Verdict, note: &str) -> Self {
        Self { note: note.to_owned(), ..Self::of(verdict) }
    }
}

impl<'a> Judge<'a> {
    /// A judge that excuses nothing.
    pub fn new(dialect: &'a Dialect, judged_by: JudgedBy) -> Self {
        let codec = |judged_by| Codec::new(dialect, judged_by);
        let (codec, other) = (codec(judged_by), codec(judged_by.other()));
        Self { dialect, judged_by, codec, other, verbatim: None, lossy: &[], limits: &[] }
    }

    /// The judge of an implementation with this handshake: it excuses what is declared.
    pub fn for_claims(dialect: &'a Dialect, judged_by: JudgedBy, handshake: &'a Handshake) -> Self {
        let judge = Self::new(dialect, judged_by);
        let keeps_repeated = handshake.lossy.contains(&Lossy::RepeatedKeys);
        let verbatim = keeps_repeated.then(|| judge.codec.clone().keeping_repeated_keys());
        Self { verbatim, lossy: &handshake.lossy, limits: &handshake.limits, ..judge }
    }

    pub fn judge(&self, test: &Test, outcome: &Outcome) -> Judgement {
        let answer = &outcome.answer;
        let mut judgement = self.under(test, &test.expected, answer);
        if matches!(judgement.verdict, Verdict::Fail(_) | Verdict::NonCanonical)
            && let Some(erratum) = &test.erratum
            && self.follows_the_other_reading(test, answer, judgement.verdict)
        {
            judgement.erratum = Some(erratum.clone());
        }
        judgement
    }

    /// Whether a codec that the other judge expects gives the same value or bytes. A refusal proves nothing where engines accept:
    /// there are many reasons for one. But where documents are read literally, a refusal may be what engines do.
    fn follows_the_other_reading(&self, test: &Test, answer: &Answer, verdict: Verdict) -> bool {
        let Some(request) = test.request() else { return false };
        let right = reference::answer(&self.other, &request);
        match (answer, right) {
            (Answer::Value { value, used }, Answer::Value { value: right, used: right_used }) if !test.is_deep() => {
                let expected = ExpectedValue { value: right, any_nan: Vec::new() };
                let compared = compare(&expected, value, self.lossy, &self.dialect.layouts);
                let right_length = verdict != Verdict::Fail(Reason::WrongLength) || *used == right_used;
                right_length && !matches!(compared, Comparison::Different(_))
            }
            (Answer::Refused(said), Answer::Refused(right)) => {
                self.judged_by == JudgedBy::Documents && (said.at.is_none() || said.at == right.at)
            }
            (Answer::Bytes(bytes), Answer::Bytes(right)) => *bytes == right,
            _ => false,
        }
    }

    /// The declared word that lets the value of a test be refused. One that is too deep for JSON is in its packet alone.
    fn excuse(&self, test: &Test, expected: &Expectation) -> Option<DeclaredLoss> {
        let read;
        let value = match &expected.value {
            Some(value) => &value.value,
            None if test.is_deep() => {
                read = self.codec.decode(&test.packet()?.bytes).ok()?.value;
                &read
            }
            None => return None,
        };
        excuse(self.lossy, self.limits, value, test.op, &self.dialect.layouts)
    }

    fn under(&self, test: &Test, expected: &Expectation, answer: &Answer) -> Judgement {
        if let (Answer::Refused(_) | Answer::Unsupported(_), Class::Canonical | Class::Readable) =
            (answer, expected.class)
            && let Some(excuse) = self.excuse(test, expected)
        {
            return Judgement { losses: vec![excuse], ..Judgement::of(Verdict::DeclaredLoss) };
        }
        match answer {
            // No JSON library reads a value this deep.
            Answer::Value { .. } | Answer::Invalid { .. } if test.is_deep() => match expected.class {
                Class::Invalid => Judgement::fail(Reason::AcceptedInvalid, "accepted what must be refused"),
                Class::Undecided => Judgement::of(Verdict::Undecided),
                Class::Canonical | Class::Readable => Judgement::of(Verdict::Pass),
            },
            Answer::Value { value, used } => self.value(test, expected, value, *used),
            Answer::Invalid { why, .. } => no_value(expected.class, why),
            Answer::Bytes(bytes) => self.bytes(test, expected, bytes),
            Answer::Refused(_) | Answer::Unsupported(_) if expected.class == Class::Undecided => {
                Judgement::of(Verdict::Undecided)
            }
            Answer::Refused(_) if expected.class == Class::Invalid => Judgement::of(Verdict::Pass),
            Answer::Refused(_) => Judgement::fail(Reason::RefusedValid, "refused what must be accepted"),
            Answer::Unsupported(_) if test.is_deep() && test.op == Op::Decode && expected.class != Class::Invalid => {
                Judgement::noted(
                    Verdict::Undecided,
                    "its JSON cannot hold a value this deep; `reencode` tests whether it is read",
                )
            }
            Answer::Unsupported(_) => Judgement::fail(
                Reason::UnsupportedAfterAll,
                "its handshake supports it; if the library refuses by this exception on purpose, reply `refused`: an accident stays a failure",
            ),
            Answer::Garbled(why) => Judgement::noted(Verdict::Garbled, why),
            Answer::Crashed(how) => Judgement::noted(Verdict::Crashed, &how.to_string()),
            Answer::TimedOut(how) => Judgement::noted(Verdict::TimedOut, &how.to_string()),
            Answer::NotRun(why) => Judgement::noted(Verdict::NotRun, why),
            Answer::Skipped(why) => Judgement::noted(Verdict::Skipped, why),
        }
    }

    fn value(&self, test: &Test, expected: &Expectation, value: &Value, used: Option<u64>) -> Judgement {
        if test.op != Op::Decode {
            return Judgement::noted(Verdict::Garbled, &format!("a value in reply to {}", test.op.name()));
        }
        match (expected.class, &expected.value) {
            (Class::Undecided, _) => Judgement::of(Verdict::Undecided),
            (Class::Canonical | Class::Readable, Some(expected_value)) => {
                self.same_value(test, expected, expected_value, value, used)
            }
            (Class::Invalid, _) => Judgement::fail(Reason::AcceptedInvalid, "accepted what must be refused"),
            (Class::Canonical | Class::Readable, None) => Judgement::fail(Reason::Internal, "the case has no value"),
        }
    }

    fn same_value(
        &self,
        test: &Test,
        expected: &Expectation,
        expected_value: &ExpectedValue,
        value: &Value,
        used: Option<u64>,
    ) -> Judgement {
        let judgement = match compare(expected_value, value, self.lossy, &self.dialect.layouts) {
            Comparison::Same => Judgement::of(Verdict::Pass),
            Comparison::DeclaredLoss(lossy) => losses(lossy),
            Comparison::Different(path) => {
                let packet = test.packet().map_or(&[][..], |packet| &packet.bytes);
                let fields = self.fields(test, packet);
                return Judgement {
                    at: fields.iter().find(|field| field.path == path).map(|field| field.bytes.start),
                    inner: self.inner(&fields, packet, &path),
                    // Which flags it has, a value does not tell.
                    difference: self.difference(Some((value, expected_value)), path.ends_with("header")),
                    field: Some(path),
                    ..Judgement::fail(Reason::WrongValue, "")
                };
            }
        };
        match (used, expected.used) {
            (Some(used), Some(right)) if usize::try_from(used) != Ok(right) => Judgement::fail(
                Reason::WrongLength,
                format!("the right value, but {used} bytes consumed instead of {right}"),
            ),
            (None, Some(_)) => Judgement { length_not_told: true, ..judgement },
            (Some(_) | None, _) => judgement,
        }
    }

    fn bytes(&self, test: &Test, expected: &Expectation, bytes: &[u8]) -> Judgement {
        if test.op == Op::Decode {
            return Judgement::noted(Verdict::Garbled, "bytes in reply to decode");
        }
        match (expected.class, &expected.packet) {
            (Class::Undecided, _) => Judgement::of(Verdict::Undecided),
            (Class::Invalid, _) => Judgement::fail(Reason::AcceptedInvalid, "wrote a packet for what must be refused"),
            (Class::Canonical | Class::Readable, Some(packet)) => self.same_bytes(test, expected, packet, bytes),
            (Class::Canonical | Class::Readable, None) => Judgement::fail(Reason::Internal, "the case has no bytes"),
        }
    }

    fn same_bytes(&self, test: &Test, expected: &Expectation, packet: &MaskedPacket, bytes: &[u8]) -> Judgement {
        let Some(at) = packet.first_difference(bytes) else { return Judgement::of(Verdict::Pass) };
        let decoded = self.decoded(test, bytes);
        let both = decoded.as_ref().zip(expected.value.as_deref());
        let meaning = both.map(|(value, expected)| compare(expected, value, self.lossy, &self.dialect.layouts));
        let undeclared = || self.undeclared(test, packet, bytes);
        let at = (!self.lossy.is_empty()).then(undeclared).flatten().unwrap_or(at);
        let at = within_frame(test, packet, bytes).filter(|_| at < Framing::PREFIX).unwrap_or(at);
        let repeated = if meaning == Some(Comparison::Same) { self.repeated(test, expected, bytes) } else { None };
        let judgement = match repeated.or(meaning) {
            Some(Comparison::DeclaredLoss(lossy)) => return Judgement { at: Some(at), ..losses(lossy) },
            Some(Comparison::Same) => {
                Judgement::noted(Verdict::NonCanonical, "not the canonical bytes, but they decode to the same value")
            }
            _ => Judgement::fail(Reason::WrongBytes, ""),
        };
        // The field begins before the byte that shows it.
        let fields = self.fields(test, &packet.bytes);
        let Some(field) = fields.iter().find(|field| field.bytes.contains(&at)) else {
            return Judgement { at: Some(at), ..judgement };
        };
        Judgement {
            at: Some(field.bytes.start),
            inner: self.inner(&fields, &packet.bytes, &field.path),
            // The lowest byte of a header is the type.
            difference: self.difference(both, field.path.ends_with("header") && field.bytes.start == at),
            field: Some(field.path.clone()),
            ..judgement
        }
    }

    /// How a value differs from the expected one, where it does: first in a header or not.
    fn difference(&self, values: Option<(&Value, &ExpectedValue)>, is_header: bool) -> Difference {
        let layouts = &self.dialect.layouts;
        match values {
            Some((value, expected)) if differs_in_order(expected, value, self.lossy, layouts) => Difference::PairOrder,
            _ if is_header => Difference::AnotherType,
            _ => Difference::Content,
        }
    }

    /// The innermost value that a field is of; `None` for the outermost.
    fn inner(&self, fields: &[Span], packet: &[u8], path: &str) -> Option<InnerValue> {
        let is_of = |value: &str| path.strip_prefix(value).is_some_and(|rest| rest.starts_with('.'));
        let values = fields.iter().rev().filter_map(|field| Some((field.path.strip_suffix(".header")?, field)));
        let (value, header) = values.into_iter().find(|(value, _)| is_of(value))?;
        let header = u32::from_le_bytes(*packet.get(header.bytes.start..)?.first_chunk()?);
        Some(InnerValue { path: value.to_owned(), id: header & self.dialect.header.id_mask })
    }

    /// The fields of a packet; where it cannot be read, those before that.
    fn fields(&self, test: &Test, packet: &[u8]) -> Vec<Span> {
        let codec = reference::allowing(&self.codec, test.case.objects);
        let start = if test.case.framing.is_some() { Framing::PREFIX } else { 0 };
        let (mut fields, _) = codec.traced(packet.get(start..).unwrap_or_default());
        for field in &mut fields.spans {
            field.bytes = field.bytes.start + start..field.bytes.end + start;
        }
        if start > 0 {
            fields.spans.push(Span { bytes: 0..start, path: "prefix".to_owned(), role: Role::Length });
        }
        fields.spans
    }

    /// The value of the bytes, if they can be read to their end.
    fn decoded(&self, test: &Test, bytes: &[u8]) -> Option<Value> {
        let codec = reference::allowing(&self.codec, test.case.objects);
        let decoded = reference::decode(&codec, bytes, test.case.framing).ok();
        decoded.filter(|decoded| decoded.used == bytes.len()).map(|decoded| decoded.value)
    }

    /// Compares the value of the bytes with the expected one, if they are canonical apart from repeated keys.
    fn repeated(&self, test: &Test, expected: &Expectation, bytes: &[u8]) -> Option<Comparison> {
        let codec = reference::allowing(self.verbatim.as_ref()?, test.case.objects);
        let value = reference::decode(&codec, bytes, test.case.framing).ok()?.value;
        let canonical = reference::encode(&codec, &value, test.case.framing).ok()?;
        let compared = compare(expected.value.as_ref()?, &value, self.lossy, &self.dialect.layouts);
        (canonical == bytes && compared != Comparison::Same).then_some(compared)
    }

    /// The first byte that differs for another reason than a declared loss, as far as the bytes can be read.
    fn undeclared(&self, test: &Test, packet: &MaskedPacket, bytes: &[u8]) -> Option<usize> {
        let codec = reference::allowing(&self.codec, test.case.objects);
        let Some(framing) = test.case.framing else {
            return packet.first_difference(&without_declared_losses(&packet.bytes, bytes, self.lossy, &codec)?);
        };
        let (expected, body) = (packet.bytes.get(Framing::PREFIX..)?, bytes.get(Framing::PREFIX..)?);
        let undone = without_declared_losses(expected, body, self.lossy, &codec)?;
        // A right length prefix of it stays right.
        let prefix = |length: usize| u32::try_from(length).map(|length| framing.prefix(length)).ok();
        let own = bytes.first_chunk().copied()?;
        let front = if prefix(body.len()) == Some(own) { prefix(undone.len())? } else { own };
        packet.first_difference(&[front.as_slice(), &undone].concat())
    }
}

/// The first byte that differs behind a length prefix that is right for what follows: that is not what is wrong.
fn within_frame(test: &Test, packet: &MaskedPacket, bytes: &[u8]) -> Option<usize> {
    let (framing, (prefix, body)) = (test.case.framing?, bytes.split_first_chunk()?);
    let is_right = usize::try_from(framing.length(*prefix)) == Ok(body.len());
    let expected = packet.bytes.first_chunk::<{ Framing::PREFIX }>().filter(|_| is_right)?;
    packet.first_difference(&[expected.as_slice(), body].concat())
}

/// Right, apart from what is declared.
fn losses(lossy: Vec<Lossy>) -> Judgement {
    let losses = lossy.into_iter().map(DeclaredLoss::Lossy).collect();
    Judgement { losses, ..Judgement::of(Verdict::DeclaredLoss) }
}

/// A value that the dialect does not have.
fn no_value(class: Class, why: &InvalidValue) -> Judgement {
    let InvalidValue::NoSuchValue(error) = why else { return Judgement::noted(Verdict::Garbled, &why.to_string()) };
    match class {
        Class::Invalid => {
            let note = format!("replied with a value that does not exist: `value`: {error}");
            Judgement::fail(Reason::AcceptedInvalid, note)
        }
        Class::Undecided => Judgement::of(Verdict::Undecided),
        Class::Canonical | Class::Readable => Judgement::fail(Reason::WrongValue, format!("`value`: {error}")),
    }
}
