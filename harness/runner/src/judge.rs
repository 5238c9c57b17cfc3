//! The judge: an ask and its outcome in, a finding out. Pure: it asks nobody and prints nothing.

use std::borrow::Cow;

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, Reading};

use variant_corpus::test::Test;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_corpus::{Class, Expectation, Level, Packet};
use variant_wire::compare::{Comparison, compare};
use variant_wire::handshake::{Lossy, Op};
use variant_wire::implementation::{Answer, AnsweredValueError, Outcome};
use variant_wire::reference;
use variant_wire::value_text::Expected;

/// What is known while judging a dialect's answers.
#[derive(Debug)]
pub struct Judge<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Whose word counts.
    pub reading: Reading,
    /// Tells whether other bytes mean the same value.
    codec: Codec,
    /// Tells whether an answer follows the other reading.
    other: Codec,
    /// What the implementation cannot tell apart.
    pub lossy: &'a [Lossy],
}

/// What is said of one ask, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it failed.
    pub reason: Option<Reason>,
    /// The first byte that is not as expected.
    pub at: Option<usize>,
    /// The first field that is not as expected.
    pub field: Option<String>,
    /// One sentence, where there is something to say.
    pub note: String,
    /// The erratum by which the answer follows the other reading.
    pub erratum: Option<String>,
    /// Whether `used` should have been judged and was not told.
    pub length_not_told: bool,
    /// What was relaxed.
    pub relaxed: Vec<Lossy>,
    /// The answered value, where it could be read.
    pub value: Option<Value>,
}

impl Finding {
    /// How it weighs for this ask.
    pub fn severity(&self, test: &Test) -> Severity {
        self.verdict.severity_at(test.level() == Level::Should, test.expected.class == Class::Canonical)
    }

    fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            reason: None,
            at: None,
            field: None,
            note: String::new(),
            erratum: None,
            length_not_told: false,
            relaxed: Vec::new(),
            value: None,
        }
    }

    fn fail(reason: Reason, note: impl Into<String>) -> Self {
        Self { reason: Some(reason), note: note.into(), ..Self::of(Verdict::Fail) }
    }

    fn noted(verdict: Verdict, note: &str) -> Self {
        Self { note: note.to_owned(), ..Self::of(verdict) }
    }
}

impl<'a> Judge<'a> {
    /// A judge of a dialect under a reading.
    pub fn new(dialect: &'a Dialect, reading: Reading, lossy: &'a [Lossy]) -> Self {
        let codec = |reading| Codec::new(dialect, reading);
        Self { dialect, reading, codec: codec(reading), other: codec(reading.other()), lossy }
    }

    /// Judges an outcome.
    pub fn judge(&self, test: &Test, outcome: &Outcome) -> Finding {
        let answer = self.read(&outcome.answer);
        let mut finding = self.under(test, &test.expected, &answer);
        if matches!(finding.verdict, Verdict::Fail | Verdict::NonCanonical)
            && let Some(erratum) = &test.erratum
            && self.follows_the_other_reading(test, &answer)
        {
            finding.erratum = Some(erratum.clone());
        }
        if let (Verdict::Pass, Some(took)) = (finding.verdict, outcome.slow) {
            finding.verdict = Verdict::Resource;
            finding.note = format!("the right answer, but it took {took:.1?}");
        }
        finding
    }

    /// Whether the answer is what a codec of the other reading gives.
    fn follows_the_other_reading(&self, test: &Test, answer: &Read<'_>) -> bool {
        let packet = test.expected.packet.as_ref().map(|packet| packet.bytes.as_slice()).unwrap_or_default();
        let other = reference::allowing(&self.other, test.case.objects);
        match (test.op, answer) {
            (Op::Decode, Read::Value(value, _)) => other.decode(packet).is_ok_and(|decoded| decoded.value == **value),
            (Op::Decode | Op::Reencode, Read::Answer(Answer::Refused(_))) => other.decode(packet).is_err(),
            (Op::Encode, Read::Answer(answer)) => {
                let encoded = test.expected.value.as_ref().map(|value| other.encode(&value.value));
                match (answer, encoded) {
                    (Answer::Bytes(bytes), Some(Ok(other))) => *bytes == other,
                    (Answer::Refused(_), Some(Err(_))) => true,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn under(&self, test: &Test, expected: &Expectation, answer: &Read<'_>) -> Finding {
        let answer = match answer {
            Read::Garbled(why) => return Finding::noted(Verdict::Garbled, why),
            Read::Answer(answer) => *answer,
            Read::Value(value, used) => return self.value(test, expected, value, *used),
            Read::NoSuchValue(why) if expected.class == Class::Invalid => {
                return Finding::fail(Reason::AcceptedInvalid, format!("answered with a value that is none: {why}"));
            }
            Read::NoSuchValue(_) if expected.class == Class::Open => return Finding::of(Verdict::Open),
            Read::NoSuchValue(why) => return Finding::fail(Reason::WrongValue, why.clone()),
        };
        match answer {
            Answer::Bytes(bytes) => self.bytes(test, expected, bytes),
            Answer::Refused(_) => match expected.class {
                Class::Invalid => Finding::of(Verdict::Pass),
                Class::Open => Finding::of(Verdict::Open),
                Class::Canonical | Class::Readable => {
                    Finding::fail(Reason::RefusedValid, "refused what must be accepted")
                }
            },
            Answer::Unsupported(_) if expected.class == Class::Open => Finding::of(Verdict::Open),
            Answer::Unsupported(_) => {
                Finding::fail(Reason::UnsupportedButClaimed, "answered `unsupported` to what its hello claims")
            }
            Answer::Garbled(why) => Finding::noted(Verdict::Garbled, why),
            Answer::Crashed(how) => Finding::noted(Verdict::Crashed, how),
            Answer::TimedOut(what) => Finding::noted(Verdict::TimedOut, what),
            Answer::OrderDependent(what) => Finding::noted(Verdict::OrderDependent, what),
            Answer::NotRun(why) => Finding::noted(Verdict::NotRun, why),
            // `read` has turned each of these into a value or into nonsense.
            Answer::Value { .. } => Finding::fail(Reason::Internal, "a value that was not read"),
        }
    }

    fn value(&self, test: &Test, expected: &Expectation, value: &Value, used: Option<u64>) -> Finding {
        if test.op != Op::Decode {
            return Finding::noted(Verdict::Garbled, &format!("a value in answer to {}", test.op.name()));
        }
        let finding = match (expected.class, &expected.value) {
            (Class::Open, _) => Finding::of(Verdict::Open),
            (Class::Canonical | Class::Readable, Some(expected_value)) => {
                self.same_value(test, expected, expected_value, value, used)
            }
            (Class::Invalid, _) => Finding::fail(Reason::AcceptedInvalid, "accepted what must be refused"),
            (Class::Canonical | Class::Readable, None) => Finding::fail(Reason::Internal, "the case has no value"),
        };
        Finding { value: Some(value.clone()), ..finding }
    }

    fn same_value(
        &self,
        test: &Test,
        expected: &Expectation,
        expected_value: &Expected,
        value: &Value,
        used: Option<u64>,
    ) -> Finding {
        let finding = match compare(expected_value, value, self.lossy, &self.dialect.layouts) {
            Comparison::Same => Finding::of(Verdict::Pass),
            Comparison::Relaxed(relaxed) => Finding { relaxed, ..Finding::of(Verdict::Relaxed) },
            Comparison::Different(path) => {
                let row = test
                    .case
                    .side(self.reading)
                    .listing
                    .as_ref()
                    .filter(|_| test.rule.is_none())
                    .and_then(|listing| listing.row(&path));
                return Finding {
                    at: row.map(|row| row.offset),
                    field: Some(path),
                    ..Finding::fail(Reason::WrongValue, "")
                };
            }
        };
        match (used, expected.used) {
            (Some(used), Some(right)) if usize::try_from(used) != Ok(right) => Finding::fail(
                Reason::WrongLength,
                format!("the right value, but {used} bytes consumed instead of {right}"),
            ),
            (None, Some(_)) => Finding { length_not_told: true, ..finding },
            (Some(_) | None, _) => finding,
        }
    }

    fn bytes(&self, test: &Test, expected: &Expectation, bytes: &[u8]) -> Finding {
        if test.op == Op::Decode {
            return Finding::noted(Verdict::Garbled, "bytes in answer to decode");
        }
        match (expected.class, &expected.packet) {
            (Class::Open, _) => Finding::of(Verdict::Open),
            (Class::Invalid, _) => Finding::fail(Reason::AcceptedInvalid, "wrote a packet for what must be refused"),
            (Class::Canonical | Class::Readable, Some(packet)) => self.same_bytes(test, expected, packet, bytes),
            (Class::Canonical | Class::Readable, None) => Finding::fail(Reason::Internal, "the case has no bytes"),
        }
    }

    fn same_bytes(&self, test: &Test, expected: &Expectation, packet: &Packet, bytes: &[u8]) -> Finding {
        let Some(at) = packet.first_difference(bytes) else { return Finding::of(Verdict::Pass) };
        let row = test
            .case
            .side(self.reading)
            .listing
            .as_ref()
            .filter(|_| test.rule.is_none())
            .and_then(|listing| listing.row_at(at));
        let meaning = self.meaning(test, expected, bytes);
        if let Some(Comparison::Relaxed(relaxed)) = meaning {
            return Finding { relaxed, at: Some(at), ..Finding::of(Verdict::Relaxed) };
        }
        let finding = if meaning == Some(Comparison::Same) {
            Finding::noted(
                Verdict::NonCanonical,
                "other bytes than the canonical ones, from which the same value is read",
            )
        } else {
            Finding::fail(Reason::WrongBytes, "")
        };
        // The field begins before the byte that shows it.
        Finding { at: Some(row.map_or(at, |row| row.offset)), field: row.map(|row| row.name.clone()), ..finding }
    }

    /// What the bytes mean beside what was to be written, where they can be read to their end.
    fn meaning(&self, test: &Test, expected: &Expectation, bytes: &[u8]) -> Option<Comparison> {
        let codec = reference::allowing(&self.codec, test.case.objects);
        let decoded =
            reference::decode(&codec, bytes, test.case.framing).ok().filter(|decoded| decoded.used == bytes.len())?;
        Some(compare(expected.value.as_ref()?, &decoded.value, self.lossy, &self.dialect.layouts))
    }

    fn read<'r>(&self, answer: &'r Answer) -> Read<'r> {
        let Answer::Value { value, used } = answer else { return Read::Answer(answer) };
        match value.read(self.dialect) {
            Ok(value) => Read::Value(value, *used),
            Err(AnsweredValueError::NoSuchValue { error, .. }) => Read::NoSuchValue(format!("`value`: {error}")),
            Err(error @ (AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_))) => {
                Read::Garbled(error.to_string())
            }
        }
    }
}

/// An answer whose value has been looked into.
enum Read<'a> {
    /// Anything but a value.
    Answer(&'a Answer),
    /// A value, and the bytes consumed.
    Value(Cow<'a, Value>, Option<u64>),
    /// A value in form, of no layout or beyond its range.
    NoSuchValue(String),
    /// Not even that.
    Garbled(String),
}
