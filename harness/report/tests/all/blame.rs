//! Blame is true: an erratum is named where the answer equals the other reading, a place is where a difference is that
//! nobody declared, and a rule is about what is wrong.

#![expect(clippy::wildcard_enum_match_arm, reason = "most replies and values are left as they are")]

use std::collections::BTreeSet;

use variant_codec::{Text, Value};
use variant_corpus::findings::Tracker;
use variant_corpus::verdict::{Reason, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{Listing, TestResult};
use variant_runner::run::Run;
use variant_specs::Reading;
use variant_wire::handshake::{Handshake, Lossy};
use variant_wire::implementation::{
    Answer, AnsweredValue, Implementation, ImplementationError, Input, Outcome, RefusalReason, Request,
};
use variant_wire::reference::Reference;

use crate::planted::{ALWAYS_DOUBLE, CORPUS, DIALECT, SIGN, SPECS, TRANSPOSED, record_of};

/// The codec of a reading, with every answer changed.
struct Changed {
    codec: Reference,
    handshake: Handshake,
    change: fn(&Request, Answer) -> Answer,
}

impl Implementation for Changed {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            let answer = self.codec.answer(&request);
            answered(place, (self.change)(&request, answer).into());
        }
        Ok(())
    }
}

fn record(reading: Reading, lossy: &[Lossy], change: fn(&Request, Answer) -> Answer) -> RunRecord {
    let codec = Reference::new(&SPECS, reading);
    let handshake = Handshake { lossy: lossy.to_vec(), ..codec.handshake().clone() };
    let mut changed = Changed { codec, handshake, change };
    let mut record = Vec::new();
    let run = Run::new(&SPECS, &CORPUS, vec![DIALECT.to_owned()]);
    run.run(&mut changed, &mut Tracker::default(), &mut record, &|_, _| {}).unwrap();
    RunRecord::read(record.as_slice()).unwrap()
}

fn refusal() -> Answer {
    Answer::Refused(RefusalReason { text: "no".to_owned(), ..RefusalReason::default() })
}

fn rule(result: &TestResult) -> &str {
    result.detail.as_ref().map_or("", |detail| &detail.rule)
}

fn blames_the_document(result: &&TestResult) -> bool {
    result.erratum.is_some() || rule(result).contains("the answer follows")
}

#[test]
fn what_is_as_in_the_document_names_the_erratum() {
    let record = record(Reading::Document, &[], |_, answer| answer);
    let errata: BTreeSet<&str> = record.verdicts.iter().filter_map(|result| result.erratum.as_deref()).collect();
    assert!(errata.len() > 3, "{errata:?}");
    for result in record.verdicts.iter().filter(blames_the_document) {
        assert!(result.erratum.is_some() && rule(result).starts_with("the answer follows the document"), "{result:?}");
        // A refusal may have any reason.
        assert!(!matches!(result.reason, Some(Reason::RefusedValid)), "{}", result.test);
    }
}

#[test]
fn a_refusal_is_no_reading_of_the_document() {
    let record = record(Reading::Engine, &[], |_, _| refusal());
    assert!(record.verdicts.iter().any(|result| result.reason == Some(Reason::RefusedValid)));
    let blamed: Vec<&str> = record.verdicts.iter().filter(blames_the_document).map(|result| &*result.test).collect();
    assert!(blamed.is_empty(), "{blamed:?}");
}

/// A value or packet that is wrong in some other way is not the document's.
#[test]
fn another_wrong_answer_is_no_reading_of_the_document() {
    let record = record(Reading::Document, &[], |_, answer| match answer {
        Answer::Value { used, .. } => Answer::Value { value: AnsweredValue::Known(Value::Int(77)), used },
        Answer::Bytes(mut bytes) => {
            bytes.extend([7; 4]);
            Answer::Bytes(bytes)
        }
        other => other,
    });
    let blamed: Vec<&str> = record.verdicts.iter().filter(blames_the_document).map(|result| &*result.test).collect();
    assert!(blamed.is_empty(), "{blamed:?}");
}

/// A transposed basis equals the document's, whatever else the codec does.
#[test]
fn a_reading_of_the_document_is_told_among_other_faults() {
    let record = record_of(&[SIGN, TRANSPOSED]);
    for result in record.verdicts.iter().filter(blames_the_document) {
        assert_eq!(result.erratum.as_deref(), Some("basis-is-row-major"), "{}", result.test);
    }
    assert!(record.verdicts.iter().any(|result| result.erratum.is_some()));
}

/// Whole floats become ints, which is declared, and texts another text, which is not.
#[test]
fn what_is_declared_is_not_where_it_first_differs() {
    let record = record(Reading::Engine, &[Lossy::IntFloat], |request, answer| {
        let mut request = request.clone();
        match (&mut request.input, answer) {
            (Input::Decode(_), Answer::Value { value: AnsweredValue::Known(mut value), used }) => {
                change(&mut value);
                Answer::Value { value: AnsweredValue::Known(value), used }
            }
            (Input::Encode(value), _) => {
                change(value);
                Reference::new(&SPECS, Reading::Engine).answer(&request)
            }
            (_, answer) => answer,
        }
    });
    let wrong = |reason| record.verdicts.iter().filter(move |result| result.reason == Some(reason));
    let mut fields = BTreeSet::new();
    for result in wrong(Reason::WrongValue).chain(wrong(Reason::WrongBytes)) {
        let field = result.field.as_deref().unwrap_or("text");
        let last = field.rsplit('.').next().unwrap();
        // The length in front is that of the longer packet.
        let texts = ["text", "length", "bytes", "count", "prefix"];
        assert!(texts.contains(&last), "{}: {field}", result.test);
        fields.insert(field.to_owned());
    }
    assert!(fields.len() > 4, "{fields:?}");
}

fn change(value: &mut Value) {
    value.children_mut().into_iter().for_each(change);
    if let Value::Float(float) = value
        && float.get().fract() == 0.0
        && float.get().abs() < 1e9
        && float.0 != (-0.0f64).to_bits()
    {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and not large")]
        let int = float.get() as i64;
        *value = Value::Int(int);
    } else if let Value::Text(_, text) = value
        && !text.as_bytes().is_empty()
    {
        *text = Text::from("another text, longer than any");
    }
}

/// The right value from another number of bytes: there is nothing to see in the value.
#[test]
fn a_wrong_length_shows_lengths() {
    let record = record(Reading::Engine, &[], |_, answer| match answer {
        Answer::Value { value, used: Some(used) } => Answer::Value { value, used: Some(used + 4) },
        other => other,
    });
    let wrong: Vec<_> = record.verdicts.iter().filter(|result| result.reason == Some(Reason::WrongLength)).collect();
    assert!(wrong.len() > 100, "{}", wrong.len());
    for result in wrong {
        let detail = result.detail.as_ref().unwrap();
        let bytes = |listing: &Listing| match listing {
            Listing::Sentence(text) => text.strip_suffix(" bytes consumed").unwrap().parse::<usize>().unwrap(),
            Listing::Rows(rows) => panic!("{}: {rows:?}", result.test),
        };
        assert_eq!(bytes(&detail.actual), bytes(&detail.expected) + 4, "{}", result.test);
    }
}

/// Which width to write is no reason for a sign, an infinity or a NaN.
#[test]
fn the_rule_of_widths_is_about_widths() {
    let lost = record(Reading::Engine, &[], |_, answer| match answer {
        Answer::Value { value: AnsweredValue::Known(value), used } => {
            let value = match value {
                Value::Float(float) if !float.get().is_finite() => Value::Null,
                Value::Int(int) if int < 0 => Value::Int(int.wrapping_neg()),
                other => other,
            };
            Answer::Value { value: AnsweredValue::Known(value), used }
        }
        other => other,
    });
    let wide = record_of(&[SIGN, ALWAYS_DOUBLE]);
    let about_widths = |result: &&TestResult| rule(result).contains("width") || rule(result).contains("32 bits");
    for result in lost.verdicts.iter().chain(&wide.verdicts).filter(about_widths) {
        assert_eq!(result.verdict, Verdict::NonCanonical, "{}: {}", result.test, rule(result));
    }
    let signs = lost.verdicts.iter().filter(|result| result.reason == Some(Reason::WrongValue));
    assert!(signs.filter(|result| result.test.contains("/int/") || result.test.contains("/float/")).count() > 10);
    assert!(wide.verdicts.iter().any(|result| about_widths(&result)));
}
