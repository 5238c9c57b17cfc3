//! All that a person needs to mend a failure, as text: it goes into the record as it is.

use variant_codec::Value;
use variant_specs::{Erratum, Reading};

use crate::judge::{Finding, Judge};
use crate::results::{Detail, Refused};
use variant_corpus::test::{Test, hash};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Expectation, TableRow};
use variant_wire::explain::{explain, explain_framed, render};
use variant_wire::fields::{any_index, fields_of};
use variant_wire::implementation::{Answer, AnsweredValue, Input, Outcome};
use variant_wire::value_text::{Form, value_json};

use super::Run;

/// More lines than this are cut: the whole answer is in the record anyway.
const MOST_LINES: usize = 200;
/// More letters than this are cut.
const MOST_LETTERS: usize = 4096;

/// The detail of a finding.
pub(super) fn detail(run: &Run<'_>, judge: &Judge<'_>, test: &Test, finding: &Finding, outcome: &Outcome) -> Detail {
    let shower = Shower { run, judge, test };
    let place = format!("{}:{}", test.file, test.case.line);
    if finding.verdict == Verdict::NotRun {
        // There may be very many, all for one reason.
        return Detail { note: finding.note.clone(), place, ..Detail::default() };
    }
    Detail {
        sent: cut(shower.sent()),
        packet: shower.packet(),
        expected: shower.expected(&test.expected),
        actual: shower.actual(&outcome.answer, finding),
        answer: cut(shower.answer(&outcome.answer)),
        rule: shower.rule(finding),
        note: finding.note.clone(),
        place,
        noise: outcome.noise.clone(),
    }
}

/// An answer that can be observed and compared: a value as JSON, a packet as hex, or `refused`.
pub(super) fn observed(judge: &Judge<'_>, finding: &Finding, outcome: &Outcome) -> Option<String> {
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
    run: &'a Run<'a>,
    judge: &'a Judge<'a>,
    test: &'a Test,
}

impl Shower<'_> {
    fn sent(&self) -> String {
        match self.test.request().map(|request| request.input) {
            Some(Input::Decode(bytes) | Input::Reencode(bytes)) => hex::encode(bytes),
            Some(Input::Encode(value)) => self.json(&value),
            None => String::new(),
        }
    }

    fn packet(&self) -> Vec<String> {
        match self.test.request().map(|request| request.input) {
            Some(Input::Decode(bytes) | Input::Reencode(bytes)) => self.packet_lines(&bytes),
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

    fn actual(&self, answer: &Answer, finding: &Finding) -> Vec<String> {
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

    /// The rule in one sentence: the erratum by which the answer follows the other reading, else the reason why
    /// a form is good practice, else the row of the document.
    fn rule(&self, finding: &Finding) -> String {
        let erratum = |id: &String| self.run.specs.erratum(id);
        if let Some(erratum) = finding.erratum.as_ref().and_then(erratum) {
            let followed = match self.judge.reading {
                Reading::Engine => "the answer follows the document, which engines do not",
                Reading::Document => "the answer follows the engines, which part from the document",
            };
            let Erratum { id, says, engines_do, .. } = erratum;
            return format!("{followed} (erratum {id}): the document says: {says}; engines {engines_do}");
        }
        if let (Verdict::NonCanonical, Some(because)) = (finding.verdict, &self.test.case.because) {
            return because.clone();
        }
        // An engine that is known to fail this very case is told so: it is not the case that is wrong.
        if let Some(erratum) = self.test.case.erratum.as_ref().and_then(erratum)
            && let Some(chosen) = &erratum.chosen
            && self.test.rule.is_none()
        {
            let Erratum { id, says, engines_do, .. } = erratum;
            return format!("known of engines (erratum {id}): {says}; engines {engines_do}; asked for is {chosen}");
        }
        let place = self.place(finding);
        match self.test.erratum.as_ref().and_then(erratum) {
            Some(erratum) if self.test.rule.is_none() => {
                let Erratum { id, says, engines_do, .. } = erratum;
                format!(
                    "{place}; document and engines part here (erratum {id}): the document says: {says}; engines {engines_do}"
                )
            }
            Some(_) | None => place,
        }
    }

    /// Why the case is as it is, where it says so itself, and where in the document the first wrong field stands.
    fn place(&self, finding: &Finding) -> String {
        let because = self.test.case.because.as_ref().filter(|_| self.test.rule.is_none());
        match (because, self.row(finding)) {
            (Some(because), Some(row)) => format!("{because} See {row}"),
            (Some(because), None) => because.clone(),
            (None, Some(row)) => row,
            (None, None) => self.section(),
        }
    }

    /// The row of the document in which the first wrong field stands.
    fn row(&self, finding: &Finding) -> Option<String> {
        let field = finding.field.as_ref()?;
        let of_type = |file: &&std::sync::Arc<variant_corpus::File>| {
            file.layout == self.test.layout.as_ref() && file.is_of(self.judge.dialect)
        };
        let file = self.run.corpus.files.iter().find(of_type)?;
        let name = any_index(field);
        let listed = self.test.case.side(self.judge.reading).listing.as_ref().and_then(|listing| listing.row(field));
        // Two forms of a type may give a field one name; its width tells them apart.
        let fits = |row: &&TableRow| {
            listed.is_none_or(|listed| row.length.parse().is_ok_and(|length: usize| length == listed.len()))
        };
        let mut rows = file.table.rows.iter().filter(|row| row.names.contains(&name)).collect::<Vec<_>>();
        rows.sort_by_key(|row| !fits(row));
        let row = rows.first()?;
        Some(format!("row {}/{} ({}) of {}", self.test.dialect, row.id(&file.layout), name, self.documents()))
    }

    fn section(&self) -> String {
        let dialect = self.judge.dialect;
        let layout = dialect.layouts.id_of(&self.test.layout);
        let entry = dialect.types.iter().find(|entry| Some(entry.layout) == layout);
        match entry {
            Some(entry) => format!("section {:?} of {}", entry.section, self.documents()),
            None => format!("what {} say of all packets", self.documents()),
        }
    }

    fn documents(&self) -> String {
        let documents = &self.judge.dialect.documents;
        if documents.is_empty() { "no document".to_owned() } else { documents.join(" and ") }
    }

    fn value_lines(&self, value: &Value) -> Vec<String> {
        let leaves = fields_of(value, &self.judge.dialect.layouts);
        let width = leaves.iter().map(|leaf| leaf.path.chars().count()).max().unwrap_or(0);
        cut_lines(leaves.iter().map(|leaf| cut(format!("{:width$}  {}", leaf.path, leaf.datum))).collect())
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
