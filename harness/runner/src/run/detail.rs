//! All that a person needs to mend a failure, as text: it goes into the record as it is.

use variant_codec::Value;

use crate::judge::{Judge, Judgement};
use crate::results::{Detail, Refused};
use variant_corpus::citation::{Citations, Wrong};
use variant_corpus::test::{Test, hash};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Expectation};
use variant_wire::explain::{explain, explain_framed, render};
use variant_wire::fields::fields_of;
use variant_wire::implementation::{Answer, AnsweredValue, Input, Outcome};
use variant_wire::value_text::{Form, value_json};

use super::Run;

/// More lines than this are cut: the whole answer is in the record anyway.
const MOST_LINES: usize = 200;
/// More letters than this are cut.
const MOST_LETTERS: usize = 4096;

/// The detail of a finding.
pub(super) fn detail(run: &Run<'_>, judge: &Judge<'_>, test: &Test, finding: &Judgement, outcome: &Outcome) -> Detail {
    let shower = Shower { judge, test };
    let place = format!("{}:{}", test.file, test.case.line);
    if finding.verdict == Verdict::NotRun {
        // There may be very many, all for one reason.
        return Detail { note: finding.note.clone(), place, ..Detail::default() };
    }
    let citations = Citations { specs: run.specs, corpus: Some(run.corpus), dialect: judge.dialect };
    let wrong =
        Wrong { verdict: finding.verdict, field: finding.field.as_deref(), erratum: finding.erratum.as_deref() };
    let input = test.request().map(|request| request.input);
    Detail {
        sent: cut(shower.sent(input.as_ref())),
        packet: shower.packet(input.as_ref()),
        expected: shower.expected(&test.expected),
        actual: shower.actual(&outcome.answer, finding),
        answer: cut(shower.answer(&outcome.answer)),
        rule: citations.rule(test, judge.reading, wrong),
        note: finding.note.clone(),
        place,
        noise: outcome.noise.clone(),
    }
}

/// An answer that can be observed and compared: a value as JSON, a packet as hex, or `refused`.
pub(super) fn observed(judge: &Judge<'_>, finding: &Judgement, outcome: &Outcome) -> Option<String> {
    match (&outcome.answer, &finding.value) {
        (_, Some(value)) => Some(json(value, judge)),
        (Answer::Bytes(bytes), None) => Some(hex::encode(bytes)),
        (Answer::Refused(_), None) => Some("refused".to_owned()),
        (Answer::Unsupported(_), None) => Some("unsupported".to_owned()),
        (
            Answer::Value { .. }
            | Answer::Garbled(_)
            | Answer::Crashed(_)
            | Answer::TimedOut(_)
            | Answer::OrderDependent(_)
            | Answer::NotRun(_),
            None,
        ) => None,
    }
}

/// Our reason for a refusal beside theirs, where they gave one.
pub(super) fn refused(expected: &Expectation, outcome: &Outcome) -> Option<Refused> {
    let (Answer::Refused(said), Some(rejects)) = (&outcome.answer, expected.rejects) else { return None };
    let at = said.at.map(|at| format!("at {at}"));
    let parts = [said.kind.clone(), at, Some(said.text.clone())];
    let theirs: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let ours = format!("{} at {}", rejects.kind.name(), rejects.at);
    (!theirs.is_empty()).then(|| Refused { ours, theirs: cut(theirs.join(" ")) })
}

struct Shower<'a> {
    judge: &'a Judge<'a>,
    test: &'a Test,
}

impl Shower<'_> {
    fn sent(&self, input: Option<&Input>) -> String {
        match input {
            Some(Input::Decode(bytes) | Input::Reencode(bytes)) => hex::encode(bytes),
            Some(Input::Encode(value)) => self.json(value),
            None => String::new(),
        }
    }

    fn packet(&self, input: Option<&Input>) -> Vec<String> {
        match input {
            Some(Input::Decode(bytes) | Input::Reencode(bytes)) => self.packet_lines(bytes),
            Some(Input::Encode(_)) | None => Vec::new(),
        }
    }

    fn expected(&self, expected: &Expectation) -> Vec<String> {
        match expected.class {
            Class::Invalid => {
                let how = expected.rejects.map(|rejects| format!(": {} at {}", rejects.kind.name(), rejects.at));
                vec![format!("refused{}", how.unwrap_or_default())]
            }
            Class::Open => vec!["anything but a crash or a hang".to_owned()],
            Class::Canonical | Class::Readable => match (self.test.op, &expected.value, &expected.packet) {
                (variant_wire::handshake::Op::Decode, Some(value), _) => self.value_lines(&value.value),
                (_, _, Some(packet)) => self.packet_lines(&packet.bytes),
                (_, _, None) => Vec::new(),
            },
        }
    }

    fn actual(&self, answer: &Answer, finding: &Judgement) -> Vec<String> {
        match (answer, &finding.value) {
            (Answer::Bytes(bytes), _) => self.packet_lines(bytes),
            (_, Some(value)) => self.value_lines(value),
            (_, None) => vec![cut(self.answer(answer))],
        }
    }

    fn answer(&self, answer: &Answer) -> String {
        match answer {
            Answer::Value { value: AnsweredValue::Known(value), .. } => self.json(value),
            Answer::Value { value: AnsweredValue::Json(json), .. } => json.to_string(),
            Answer::Bytes(bytes) => hex::encode(bytes),
            Answer::Refused(said) => format!("refused: {}", said.text),
            Answer::Unsupported(why) => format!("unsupported: {why}"),
            Answer::Garbled(why) => format!("garbled: {why}"),
            Answer::Crashed(how) => format!("crashed: {how}"),
            Answer::TimedOut(what) => format!("timed out: {what}"),
            Answer::OrderDependent(what) => format!("order-dependent: {what}"),
            Answer::NotRun(why) => format!("not run: {why}"),
        }
    }

    fn value_lines(&self, value: &Value) -> Vec<String> {
        let leaves = fields_of(value, &self.judge.dialect.layouts);
        let width = leaves.iter().map(|leaf| leaf.path.chars().count()).max().unwrap_or(0);
        cut_lines(leaves.iter().map(|leaf| cut(format!("{:width$}  {}", leaf.path, leaf.value))).collect())
    }

    fn packet_lines(&self, packet: &[u8]) -> Vec<String> {
        let (dialect, reading) = (self.judge.dialect, self.judge.reading);
        let explanation = match self.test.case.framing {
            None => explain(packet, dialect, reading),
            Some(framing) => explain_framed(packet, framing, dialect, reading),
        };
        cut_lines(render(&explanation.rows))
    }

    fn json(&self, value: &Value) -> String {
        json(value, self.judge)
    }
}

fn json(value: &Value, judge: &Judge<'_>) -> String {
    value_json(value, &judge.dialect.layouts, Form::default())
}

fn cut_lines(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_LINES {
        let rest = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("… {rest} lines more"));
    }
    lines
}

/// Of what is cut, a number tells whether the whole is the same as another time.
fn cut(text: String) -> String {
    let letters = text.chars().count();
    if letters <= MOST_LETTERS {
        return text;
    }
    let begin: String = text.chars().take(MOST_LETTERS).collect();
    format!("{begin}… ({letters} letters, #{:016x})", hash(&text))
}
