//! What a person needs to fix a failure, as it goes into the record.

use variant_codec::Value;

use crate::judge::{Judge, Judgement};
use crate::results::{Detail, DetailSide, MOST_ROWS, RecordedReply, digest_of};
use variant_corpus::citation::{Citations, WrongAnswer, WrongField};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::{Reason, Verdict};
use variant_corpus::{Class, Expectation};
use variant_values::explain::Explainer;
use variant_values::fields::first_fields;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Input, Outcome};
use variant_values::row::Row;
use variant_values::value_text::{Form, value_json};

use super::plan::Run;

/// A row of a listing has at most this many bytes, if all of them are there: all that failed is in memory when the run ends.
const MOST_OF_ROW: usize = 82;
/// More letters than this are cut.
const MOST_LETTERS: usize = 4096;
/// More letters of a reply than this are cut.
const MOST_OF_REPLY: usize = 1 << 16;

/// How much of a failure is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The rows of a listing. Without any, values and packets are texts.
    rows: usize,
    /// The letters of a text.
    letters: usize,
}

impl Extent {
    pub(super) const FULL: Self = Self { rows: MOST_ROWS, letters: MOST_LETTERS };
    pub(super) const SHORT: Self = Self { rows: 0, letters: 160 };

    /// Cuts a long text. The digest at its end shows whether two cut texts were the same.
    fn cut(self, text: String) -> String {
        cut_at(text, self.letters).0
    }
}

pub(super) fn detail(
    run: &Run<'_>,
    judge: &Judge<'_>,
    test: &Test,
    finding: &Judgement,
    outcome: &Outcome,
    extent: Extent,
) -> Detail {
    let shower = Shower { judge, test, extent };
    let place = format!("{}:{}", test.file, test.case.line);
    if finding.verdict.did_not_run() {
        // There may be very many, all for one reason.
        return Detail { note: finding.note.clone(), place, ..Detail::default() };
    }
    let citations = Citations { specs: run.specs, corpus: run.corpus, dialect: judge.dialect };
    let wrong =
        WrongAnswer { verdict: finding.verdict, field: wrong_field(finding), erratum: finding.erratum.as_deref() };
    // Of a type that is not supported after all, every variant fails: the rows of its cases are enough.
    let is_shown = test.rule.is_none() || !matches!(outcome.answer, Answer::Unsupported(_));
    let has_rows = is_shown && extent.rows > 0;
    let rows = |packet: &[u8]| if has_rows { shower.packet_rows(packet) } else { Vec::new() };
    let (sent, packet) = match test.request().map(|request| request.input) {
        Some(Input::Decode(bytes) | Input::Reencode(bytes)) => (hex::encode(&bytes), rows(&bytes)),
        Some(Input::Encode(value)) => (json(&value, judge), Vec::new()),
        None => Default::default(),
    };
    let expected = if is_shown { shower.expected(&test.expected, finding) } else { DetailSide::default() };
    let detail = Detail {
        sent: extent.cut(sent),
        objects: test.case.objects,
        framing: test.case.framing,
        packet,
        expected,
        actual: shower.actual(&outcome.answer, finding),
        rule: citations.rule(test, judge.judged_by, wrong),
        document: citations.address(test, wrong),
        note: finding.note.clone(),
        place,
        noise: extent.cut(outcome.noise.clone()),
        near: Vec::new(),
    };
    if test.rule != Some(Rule::Exit) {
        return detail;
    }
    Detail {
        sent: "the end of input".to_owned(),
        packet: Vec::new(),
        expected: DetailSide::Sentence("it exits with status 0".to_owned()),
        rule: "an adapter replies to everything, and exits with status 0 at the end of its input".to_owned(),
        ..detail
    }
}

/// The field that is not as expected, as one of the value that it is of.
fn wrong_field(finding: &Judgement) -> Option<WrongField<'_>> {
    let path = finding.field.as_deref()?;
    let before = finding.inner.as_ref().map_or(0, |inner| inner.path.len() + 1);
    let inner = finding.inner.as_ref().map(|inner| inner.id);
    Some(WrongField { path: path.get(before..)?, inner, difference: finding.difference })
}

/// An answer that can be observed and compared: a value as JSON, a packet as hex, or `refused`. A long one is cut, and
/// its length and digest are kept.
pub(super) fn observed(judge: &Judge<'_>, test: &Test, outcome: &Outcome) -> Option<String> {
    let written = match &outcome.answer {
        Answer::Value { value, .. } => is_shown(test).then(|| json(value, judge))?,
        Answer::Bytes(bytes) => hex::encode(bytes),
        Answer::Refused(_) => "refused".to_owned(),
        Answer::Unsupported(_) => "unsupported".to_owned(),
        _ => return None,
    };
    Some(Extent::FULL.cut(written))
}

/// Whether a value is what was asked for, and not too deep.
fn is_shown(test: &Test) -> bool {
    test.op == Op::Decode && !test.is_deep()
}

/// The reply as it came, if there is one; and the digest of its whole text, if that is cut.
pub(super) fn reply(
    judge: &Judge<'_>,
    outcome: &Outcome,
    extent: Extent,
    room: &mut usize,
) -> (Option<RecordedReply>, Option<String>) {
    let mut whole = None;
    let mut cut = |text: String| {
        let (text, digest) = cut_at(text, MOST_OF_REPLY.min(extent.letters.max(*room)));
        *room = room.saturating_sub(if text.len() > extent.letters { text.len() } else { 0 });
        whole = digest;
        text
    };
    let reply = match &outcome.answer {
        Answer::Value { value, used } => Some(RecordedReply::Value { json: cut(json(value, judge)), used: *used }),
        Answer::Invalid { json, .. } => Some(RecordedReply::Value { json: cut(json.to_string()), used: None }),
        Answer::Bytes(bytes) => Some(RecordedReply::Bytes(cut(hex::encode(bytes)))),
        Answer::Refused(said) => Some(RecordedReply::Refused(cut(said.text.clone()))),
        Answer::Unsupported(why) => Some(RecordedReply::Unsupported(cut(why.clone()))),
        Answer::Crashed(ending) => Some(RecordedReply::Crashed(ending.clone())),
        Answer::TimedOut(ending) => Some(RecordedReply::TimedOut(ending.clone())),
        _ => None,
    };
    (reply, whole)
}

struct Shower<'a> {
    judge: &'a Judge<'a>,
    test: &'a Test,
    extent: Extent,
}

impl Shower<'_> {
    fn expected(&self, expected: &Expectation, finding: &Judgement) -> DetailSide {
        if let (Verdict::Fail(Reason::WrongLength), Some(used)) = (finding.verdict, expected.used) {
            return consumed(used);
        }
        match expected.class {
            Class::Invalid => {
                let how = expected.rejects.map(|rejects| format!(": {} at {}", rejects.kind.name(), rejects.at));
                DetailSide::Sentence(format!("refused{}", how.unwrap_or_default()))
            }
            Class::Undecided => DetailSide::Sentence("anything except a crash or a hang".to_owned()),
            Class::Canonical | Class::Readable => match (self.test.op, &expected.value, &expected.packet) {
                (Op::Decode, Some(value), _) => self.value(&value.value),
                (_, _, Some(packet)) => self.bytes(&packet.bytes),
                (_, _, None) => DetailSide::default(),
            },
        }
    }

    fn actual(&self, answer: &Answer, finding: &Judgement) -> DetailSide {
        match answer {
            // The value is right: there is nothing to compare but the two lengths.
            Answer::Value { used: Some(used), .. } if finding.verdict == Verdict::Fail(Reason::WrongLength) => {
                consumed(used)
            }
            Answer::Bytes(bytes) => self.bytes(bytes),
            Answer::Value { value, .. } if is_shown(self.test) => self.value(value),
            Answer::Value { value, .. } => self.json(value),
            Answer::Invalid { json, .. } => DetailSide::Sentence(self.extent.cut(json.to_string())),
            _ => DetailSide::Sentence(self.extent.cut(answer.words())),
        }
    }

    fn json(&self, value: &Value) -> DetailSide {
        DetailSide::Sentence(self.extent.cut(json(value, self.judge)))
    }

    fn bytes(&self, packet: &[u8]) -> DetailSide {
        if self.extent.rows == 0 {
            return DetailSide::Sentence(self.extent.cut(hex::encode(packet)));
        }
        DetailSide::Rows(self.packet_rows(packet))
    }

    fn value(&self, value: &Value) -> DetailSide {
        if self.extent.rows == 0 {
            return self.json(value);
        }
        let (fields, more) = first_fields(value, &self.judge.dialect.layouts, self.extent.rows);
        let row =
            |(name, meaning)| Row { name: self.extent.cut(name), meaning: self.extent.cut(meaning), ..Row::default() };
        let rows = fields.into_iter().map(|field| row((field.path, field.value.to_string())));
        DetailSide::Rows(cut_rows(rows.collect(), more, self.extent.rows))
    }

    fn packet_rows(&self, packet: &[u8]) -> Vec<Row> {
        let (dialect, judged_by, framing) = (self.judge.dialect, self.judge.judged_by, self.test.case.framing);
        let objects = self.test.case.objects;
        let explainer = Explainer { judged_by, framing, most: self.extent.rows, objects, ..Explainer::new(dialect) };
        let explanation = explainer.explain(packet);
        cut_rows(explanation.rows, explanation.more, self.extent.rows)
    }
}

fn consumed(bytes: impl std::fmt::Display) -> DetailSide {
    DetailSide::Sentence(format!("{bytes} bytes consumed"))
}

pub(super) fn json(value: &Value, judge: &Judge<'_>) -> String {
    value_json(value, &judge.dialect.layouts, Form::default())
}

/// Cuts a listing of more than `most` rows; `more` rows are left out of it already.
fn cut_rows(mut rows: Vec<Row>, more: usize, most: usize) -> Vec<Row> {
    let mut room = most * MOST_OF_ROW;
    let fits = |row: &&Row| {
        let letters = row.bytes.len() + row.name.len() + row.meaning.len();
        room = room.saturating_sub(letters);
        room > 0
    };
    let kept = rows.iter().take(most).take_while(fits).count();
    let more = more + rows.len() - kept;
    rows.truncate(kept);
    if more > 0 {
        rows.push(Row::more(more, None));
    }
    rows
}

/// At most so many letters of a text; and the digest of the whole text, if it has more.
fn cut_at(text: String, most: usize) -> (String, Option<String>) {
    // No letter is less than a byte.
    if text.len() <= most {
        return (text, None);
    }
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, None) };
    let digest = digest_of(&text);
    (format!("{}… ({digest})", &text[..end]), Some(digest))
}

#[cfg(test)]
mod tests {
    use variant_corpus::Corpus;
    use variant_corpus::test::{Variants, tests};
    use variant_specs::{JudgedBy, Specs};

    use super::*;

    /// Both sides are there, in few letters and without rows.
    #[test]
    fn in_short_both_sides_are_texts() {
        let specs = Specs::builtin().unwrap();
        let corpus = Corpus::carried(&[], &specs).unwrap();
        let dialect = specs.dialect("godot-3").unwrap();
        let run = Run::new(&specs, &corpus, vec!["godot-3".to_owned()]);
        let judge = Judge::new(dialect, JudgedBy::Engines);
        let tests = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::None).unwrap();
        let vector = |op: &str| {
            tests.iter().find(|test| test.id.to_string() == format!("godot-3/vector2/x-comes-before-y:{op}"))
        };
        let shown = |test: &Test, answer: Answer| {
            let outcome = Outcome::from(answer);
            detail(&run, &judge, test, &judge.judge(test, &outcome), &outcome, Extent::SHORT)
        };
        let read = shown(vector("decode").unwrap(), Answer::Value { value: Value::Null, used: Some(4) });
        let written = shown(vector("encode").unwrap(), Answer::Bytes(vec![0; 400]));
        assert!(read.packet.is_empty() && written.packet.is_empty());
        let text = |side: &DetailSide| match side {
            DetailSide::Sentence(text) => text.clone(),
            DetailSide::Rows(rows) => panic!("{rows:?}"),
        };
        assert!(text(&read.expected).starts_with("{\"vector2\":["), "{:?}", read.expected);
        assert_eq!(text(&read.actual), "{\"null\":null}");
        assert!(text(&written.expected).starts_with("05000000"), "{:?}", written.expected);
        assert!(text(&written.actual).starts_with(&"00".repeat(80)), "{:?}", written.actual);
        assert!(text(&written.actual).contains("(800 letters, #"), "{:?}", written.actual);
    }
}
