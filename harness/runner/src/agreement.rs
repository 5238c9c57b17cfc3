//! Whether the corpus and the reference codec, two independent readings of the documents, agree.

use std::sync::Arc;

use variant_codec::{Codec, Spans};
use variant_corpus::test::{Test, TestId};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Case, Class, Corpus, File, Listing};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::diagnostic::Problem;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;
use variant_values::reference;

use super::judge::Judge;

/// What the cases of a file say and the codec does otherwise, in each dialect that they belong to.
pub fn disagreements(file: &File, specs: &Specs) -> Vec<Problem> {
    disagreements_in(file, &specs.all().collect::<Vec<_>>())
}

/// The same in some dialects.
pub fn disagreements_in(file: &File, dialects: &[&Dialect]) -> Vec<Problem> {
    let cases = |dialect| file.cases_in(dialect).map(|case| (file, case));
    dialects.iter().flat_map(|dialect| of_cases(dialect, cases(dialect))).collect()
}

/// The same of all cases of a dialect that extends another: of those that are not its own, how it overrules them.
pub fn disagreements_of(corpus: &Corpus, dialect: &Dialect) -> Vec<Problem> {
    let folder = dialect.file.trim_end_matches(".yaml");
    let cases = corpus.cases_of(dialect);
    let mut found = Vec::new();
    for (file, case) in cases {
        let place = file.place_in(dialect).unwrap_or_default();
        let overrule = format!(
            "; if that is meant, write what is right into a case of this name in {folder}/{place:02}-{}.yaml, with \
             `beside-parent: true`",
            file.layout
        );
        let advice = if file.path.starts_with(folder) { "" } else { overrule.as_str() };
        let with_advice = |problem: Problem| Problem { message: problem.message + advice, ..problem };
        found.extend(of_cases(dialect, [(file, case)]).into_iter().map(with_advice));
    }
    found
}

fn of_cases<'c>(dialect: &Dialect, cases: impl IntoIterator<Item = (&'c File, &'c Arc<Case>)>) -> Vec<Problem> {
    let judges = [JudgedBy::Engines, JudgedBy::Documents];
    let judges = judges.into_iter().filter(|by| *by == JudgedBy::Engines || !dialect.documents.is_empty());
    let judges: Vec<_> = judges.map(|by| (Judge::new(dialect, by), Codec::new(dialect, by))).collect();
    let mut found = Vec::new();
    for (file, case) in cases {
        for (judge, codec) in &judges {
            if let Err(what) = check(case, judge, codec) {
                let (name, by) = (&dialect.name, judge.judged_by.name());
                let message = format!("{}: the reference codec of {name}, judged by {by}, {what}", case.name);
                found.push(Problem { file: file.path.clone(), line: case.line, message });
            }
        }
    }
    found
}

/// The judge of a run, on the answers of the reference codec; and what a run does not ask for: how exactly a packet is
/// refused, and which fields the codec saw.
fn check(case: &Arc<Case>, judge: &Judge<'_>, codec: &Codec) -> Result<(), String> {
    let Judge { dialect, judged_by, .. } = *judge;
    let side = case.side(judged_by, dialect);
    let expected = Arc::new(side.expectation(dialect)?);
    let ops: &[Op] = match (expected.class, &expected.packet) {
        (Class::Undecided, _) => &[],
        // What is written as another packet is in the test below.
        (Class::Readable, _) if case.reencode => &[],
        (Class::Canonical, _) if case.reencode => &[Op::Reencode],
        (Class::Canonical, _) if case.encode => &[Op::Encode],
        (Class::Canonical, _) => &[Op::Decode, Op::Encode],
        (Class::Readable, _) | (Class::Invalid, Some(_)) => &[Op::Decode],
        (Class::Invalid, None) => &[Op::Encode],
    };
    for op in ops {
        let test = Test {
            id: TestId::new(&dialect.name, variant_corpus::PACKET, &case.name, None, *op),
            op: *op,
            dialect: dialect.name.as_str().into(),
            layout: variant_corpus::PACKET.into(),
            case: Arc::clone(case),
            file: "".into(),
            layouts: Arc::default(),
            holds: Arc::default(),
            rule: None,
            expected: Arc::clone(&expected),
            sent: None,
            good_practice: false,
            field: None,
            since: None,
            erratum: None,
        };
        let answer = reference::answer(codec, &test.request().ok_or("finds neither value nor bytes")?);
        let judgement = judge.judge(&test, &answer.clone().into());
        if (judgement.verdict, judgement.length_not_told) != (Verdict::Pass, false) {
            let why = if judgement.note.is_empty() { judgement.verdict.to_string() } else { judgement.note };
            return Err(format!("does not pass its {}: {why}", op.name()));
        }
        match (&answer, &expected.packet) {
            (Answer::Refused(refused), Some(_)) => {
                let rejects = expected.rejects.ok_or("refuses it, and there is no `rejects:`")?;
                let wanted = format!("{} at {}", rejects.kind.name(), rejects.at);
                if refused.text != wanted {
                    return Err(format!("refuses it: {}, and `rejects:` says {wanted}", refused.text));
                }
            }
            (Answer::Bytes(bytes), Some(packet)) if case.reencode && *bytes != packet.bytes => {
                return Err("writes other bytes than it read".to_owned());
            }
            _ => {}
        }
    }
    // A listing's names are those of the judge that it was written for.
    let own = judged_by == JudgedBy::Engines || side.listing != case.listing.as_ref();
    if own && expected.class == Class::Canonical && !case.reencode && case.framing.is_none() {
        let packet = expected.packet.as_ref().ok_or("finds no bytes")?;
        let (trace, decoded) = reference::allowing(codec, case.objects).traced(&packet.bytes);
        decoded.map_err(|error| format!("refuses it: {error}"))?;
        same_fields(side.listing.ok_or("finds no listing")?, &trace)?;
    }
    Ok(())
}

/// Row by row the fields that the codec saw; a row `[*]` stands for as many as its bytes hold.
fn same_fields(listing: &Listing, trace: &Spans) -> Result<(), String> {
    let mut spans = trace.spans.iter().peekable();
    for row in &listing.rows {
        if row.name.contains("[*]") {
            while spans.next_if(|span| row.bytes().contains(&span.bytes.start)).is_some() {}
            continue;
        }
        match spans.next() {
            Some(span) if span.bytes == row.bytes() && span.path == row.name => {}
            Some(span) => {
                return Err(format!(
                    "sees {} at {}, where the listing has {} at {}",
                    span.path, span.bytes.start, row.name, row.offset
                ));
            }
            None => return Err(format!("sees no {} at {}", row.name, row.offset)),
        }
    }
    spans.next().map_or(Ok(()), |span| Err(format!("sees {} behind the last row of the listing", span.path)))
}
