//! Blame is true: an erratum is named where the answer is right by the other judge, a place is where a difference is that
//! nobody declared, and a rule is about what is wrong.

use std::collections::BTreeSet;

use rstest::rstest;
use variant_codec::{Text, Value};
use variant_corpus::test::Variants;
use variant_corpus::verdict::{Reason, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{DetailSide, TestResult};
use variant_runner::run::Run;
use variant_specs::JudgedBy;
use variant_values::handshake::{Handshake, Lossy};
use variant_values::implementation::{Answer, Implementation, Input, Outcomes, RefusalReason, Request, Requests};
use variant_values::reference::Reference;
use variant_values::row::Row;

use crate::planted::{ALWAYS_DOUBLE, CORPUS, DIALECT, SIGN, SPECS, TRANSPOSED, record_of};

/// The codec that one judge finds right, with every answer changed.
struct Changed {
    codec: Reference,
    handshake: Handshake,
    change: fn(&Request, Answer) -> Answer,
}

impl Implementation for Changed {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| {
            let answer = self.codec.answer(&request);
            Ok((place, (self.change)(&request, answer).into()))
        }))
    }
}

pub(crate) fn record(judged_by: JudgedBy, lossy: &[Lossy], change: fn(&Request, Answer) -> Answer) -> RunRecord {
    record_under(JudgedBy::Engines, judged_by, lossy, change)
}

/// The record of a run judged by the first, of a codec that the second finds right.
fn record_under(
    wins: JudgedBy,
    judged_by: JudgedBy,
    lossy: &[Lossy],
    change: fn(&Request, Answer) -> Answer,
) -> RunRecord {
    let codec = Reference::new(&SPECS, judged_by);
    let handshake = Handshake { lossy: lossy.to_vec(), ..codec.handshake().clone() };
    let mut changed = Changed { codec, handshake, change };
    let mut record = Vec::new();
    let dialects = vec![DIALECT.to_owned()];
    let run = Run { judged_by: wins, variants: Variants::None, ..Run::new(&SPECS, &CORPUS, dialects) };
    run.run(&mut changed, &mut record, &|_, _| {}).unwrap();
    let mut record = RunRecord::read(record.as_slice()).unwrap();
    variant_report::causes::explain(&mut record, &SPECS, &CORPUS, |_, _| Vec::new()).unwrap();
    record
}

fn refusal() -> Answer {
    Answer::Refused(RefusalReason { text: "no".to_owned(), ..RefusalReason::default() })
}

/// The right value, from four bytes more.
fn longer(answer: Answer) -> Answer {
    match answer {
        Answer::Value { value, used: Some(used) } => Answer::Value { value, used: Some(used + 4) },
        other => other,
    }
}

fn rule(result: &TestResult) -> &str {
    result.detail.as_ref().map_or("", |detail| &detail.rule)
}

fn blames_the_other_side(result: &&TestResult) -> bool {
    let said = ["the reply follows", "engines refuse this too"];
    result.erratum.is_some() || said.iter().any(|said| rule(result).contains(said))
}

/// What the rule of the other side begins with.
fn follows(wins: JudgedBy) -> &'static str {
    match wins {
        JudgedBy::Engines => "the reply follows the document, not the engines",
        JudgedBy::Documents => "the reply follows the engines, not the document",
    }
}

#[rstest]
#[case(JudgedBy::Engines)]
#[case(JudgedBy::Documents)]
fn what_is_as_the_other_side_has_it_names_the_erratum(#[case] wins: JudgedBy) {
    let record = record_under(wins, wins.other(), &[], |_, answer| answer);
    let errata: BTreeSet<&str> = record.verdicts.iter().filter_map(|result| result.erratum.as_deref()).collect();
    assert!(errata.len() > 3, "{errata:?}");
    for result in record.verdicts.iter().filter(blames_the_other_side) {
        let refused = result.verdict == Verdict::Fail(Reason::RefusedValid);
        // A refusal may have any reason.
        let said = if refused { "engines refuse this too" } else { follows(wins) };
        assert!(result.erratum.is_some() && rule(result).starts_with(said), "{result:?}");
        assert!(!refused || wins == JudgedBy::Documents, "{}", result.test);
    }
}

#[rstest]
#[case(JudgedBy::Engines)]
#[case(JudgedBy::Documents)]
fn a_refusal_is_no_reading_of_the_other_side(#[case] wins: JudgedBy) {
    let record = record_under(wins, wins, &[], |_, _| refusal());
    assert!(record.verdicts.iter().any(|result| result.verdict == Verdict::Fail(Reason::RefusedValid)));
    let followed = record.verdicts.iter().filter(|result| rule(result).contains("the reply follows"));
    let followed: Vec<&str> = followed.map(|result| &*result.test).collect();
    assert!(followed.is_empty(), "{followed:?}");
}

/// Engines refuse it at another place, so it is another refusal.
#[test]
fn a_refusal_of_something_else_is_not_that_of_engines() {
    let record = record_under(JudgedBy::Documents, JudgedBy::Documents, &[], |_, _| {
        Answer::Refused(RefusalReason { at: Some(77), text: "no".to_owned(), ..RefusalReason::default() })
    });
    let blamed: Vec<_> = record.verdicts.iter().filter(blames_the_other_side).map(|result| &result.test).collect();
    assert!(blamed.is_empty(), "{blamed:?}");
}

/// A value or packet that is wrong in some other way is not the other side's; nor is a number of bytes consumed.
#[rstest]
fn another_wrong_answer_is_no_reading_of_the_other_side(
    #[values(JudgedBy::Engines, JudgedBy::Documents)] wins: JudgedBy,
    #[values(true, false)] right_value: bool,
) {
    let wrong: fn(&Request, Answer) -> Answer = |_, answer| match answer {
        Answer::Value { used, .. } => Answer::Value { value: Value::Int(77), used },
        Answer::Bytes(mut bytes) => {
            bytes.extend([7; 4]);
            Answer::Bytes(bytes)
        }
        other => other,
    };
    let record = if right_value {
        record_under(wins, wins, &[], |_, answer| longer(answer))
    } else {
        record_under(wins, wins.other(), &[], wrong)
    };
    let valued =
        |result: &&TestResult| blames_the_other_side(result) && result.verdict != Verdict::Fail(Reason::RefusedValid);
    let blamed: Vec<_> = record.verdicts.iter().filter(valued).map(|result| &result.test).collect();
    assert!(blamed.is_empty(), "{blamed:?}");
}

/// A transposed basis equals the document's, whatever else the codec does.
#[test]
fn a_reading_of_the_document_is_told_among_other_faults() {
    let record = record_of(&[SIGN, TRANSPOSED]);
    for result in record.verdicts.iter().filter(blames_the_other_side) {
        assert_eq!(result.erratum.as_deref(), Some("basis-is-row-major"), "{}", result.test);
    }
    assert!(record.verdicts.iter().any(|result| result.erratum.is_some()));
}

/// Whole floats become ints, which is declared, and texts another text, which is not.
#[test]
fn what_is_declared_is_not_where_it_first_differs() {
    let record = record(JudgedBy::Engines, &[Lossy::IntFloat], |request, answer| {
        let mut request = request.clone();
        match (&mut request.input, answer) {
            (Input::Decode(_), Answer::Value { mut value, used }) => {
                change(&mut value);
                Answer::Value { value, used }
            }
            (Input::Encode(value), _) => {
                change(value);
                Reference::new(&SPECS, JudgedBy::Engines).answer(&request)
            }
            (_, answer) => answer,
        }
    });
    let wrong = |reason| record.verdicts.iter().filter(move |result| result.verdict == Verdict::Fail(reason));
    let mut fields = BTreeSet::new();
    for result in wrong(Reason::WrongValue).chain(wrong(Reason::WrongBytes)) {
        let field = result.field.as_deref().unwrap_or("text");
        let last = field.rsplit('.').next().unwrap();
        // The length prefix is that of the longer packet.
        let texts = ["text", "length", "bytes", "count", "prefix"];
        assert!(texts.contains(&last), "{}: {field}", result.test);
        fields.insert(field.to_owned());
    }
    assert!(fields.len() > 4, "{fields:?}");
}

/// What is declared comes first in these packets, and their ends are missing, which nobody declared.
#[test]
fn bytes_that_cannot_be_read_first_differ_where_reading_fails() {
    let record = record(JudgedBy::Engines, &[Lossy::IntFloat], |request, answer| {
        let mut request = request.clone();
        let (Input::Encode(value), Answer::Bytes(_)) = (&mut request.input, &answer) else { return answer };
        whole_to_ints(value);
        let answer = Reference::new(&SPECS, JudgedBy::Engines).answer(&request);
        let Answer::Bytes(mut bytes) = answer else { return answer };
        if bytes.len() > 8 {
            bytes.truncate(bytes.len() - 2);
        }
        Answer::Bytes(bytes)
    });
    let mut losses = 0;
    let wrong = |result: &&TestResult| {
        result.verdict == Verdict::Fail(Reason::WrongBytes) && !result.test.contains("/framing/")
    };
    for result in record.verdicts.iter().filter(wrong) {
        let detail = result.detail.as_ref().unwrap();
        let (DetailSide::Rows(expected), DetailSide::Rows(actual)) = (&detail.expected, &detail.actual) else {
            continue;
        };
        let last = expected.last().unwrap();
        // Two bytes may be more than the last field.
        if !expected.iter().any(|row| row.name.starts_with('…')) && last.bytes.len() > "00 00".len() {
            assert!(result.at >= last.offset, "{}: {:?} {:?}", result.test, result.at, result.field);
            let headers =
                |rows: &[Row]| rows.iter().filter(|row| row.name.ends_with("header")).cloned().collect::<Vec<_>>();
            losses += usize::from(headers(expected) != headers(actual));
        }
    }
    assert!(losses > 10, "{losses}");
}

fn change(value: &mut Value) {
    value.children_mut().into_iter().for_each(change);
    whole_to_ints(value);
    if let Value::Text(_, text) = value
        && !text.as_bytes().is_empty()
    {
        *text = Text::from("another text, longer than any");
    }
}

fn whole_to_ints(value: &mut Value) {
    value.children_mut().into_iter().for_each(whole_to_ints);
    if let Value::Float(float) = value
        && float.get().fract() == 0.0
        && float.get().abs() < 1e9
        && float.0 != (-0.0f64).to_bits()
    {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and not large")]
        let int = float.get() as i64;
        *value = Value::Int(int);
    }
}

/// The right value from another number of bytes: there is nothing to see in the value.
#[test]
fn a_wrong_length_shows_lengths() {
    let record = record(JudgedBy::Engines, &[], |_, answer| longer(answer));
    let wrong: Vec<_> =
        record.verdicts.iter().filter(|result| result.verdict == Verdict::Fail(Reason::WrongLength)).collect();
    assert!(wrong.len() > 100, "{}", wrong.len());
    for result in wrong {
        let detail = result.detail.as_ref().unwrap();
        let bytes = |listing: &DetailSide| match listing {
            DetailSide::Sentence(text) => text.strip_suffix(" bytes consumed").unwrap().parse::<usize>().unwrap(),
            DetailSide::Rows(rows) => panic!("{}: {rows:?}", result.test),
        };
        assert_eq!(bytes(&detail.actual), bytes(&detail.expected) + 4, "{}", result.test);
    }
}

/// Which width to write is no reason for a sign, an infinity or a NaN.
#[test]
fn the_rule_of_widths_is_about_widths() {
    let lost = record(JudgedBy::Engines, &[], |_, answer| match answer {
        Answer::Value { value, used } => {
            let value = match value {
                Value::Float(float) if !float.get().is_finite() => Value::Null,
                Value::Int(int) if int < 0 => Value::Int(int.wrapping_neg()),
                other => other,
            };
            Answer::Value { value, used }
        }
        other => other,
    });
    let wide = record_of(&[SIGN, ALWAYS_DOUBLE]);
    let about_widths = |result: &&TestResult| rule(result).contains("Flag 1 is set");
    for result in lost.verdicts.iter().chain(&wide.verdicts).filter(about_widths) {
        // A header that is written for another width is wrong, whatever follows it.
        let is_header = result.field.as_deref().is_some_and(|field| field.ends_with("header"));
        let is_written = is_header && result.verdict == Verdict::Fail(Reason::WrongBytes);
        assert!(is_written || result.verdict == Verdict::NonCanonical, "{}: {}", result.test, rule(result));
    }
    let signs = lost.verdicts.iter().filter(|result| result.verdict == Verdict::Fail(Reason::WrongValue));
    assert!(signs.filter(|result| result.test.contains("/int/") || result.test.contains("/float/")).count() > 10);
    assert!(wide.verdicts.iter().any(|result| about_widths(&result)));
}
