//! Every failure says by whose authority: a document with its row or section, or an engine with its version and the packet
//! that shows it.

use rstest::rstest;
use variant_corpus::Corpus;
use variant_corpus::citation::{Citations, Difference, WrongAnswer, WrongField};
use variant_corpus::test::{Variants, tests};
use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::{JudgedBy, Specs};

/// The rule is in words, from the page of the dialect, with the place in the documents.
#[rstest]
#[case(
    "godot-3/string/two-byte-letter-has-length-two:decode",
    "length",
    None,
    "The length counts bytes of UTF-8 (Godot 3 documentation, String, offset 4)"
)]
#[case(
    "godot-3/string/text-of-mixed-widths-is-padded:decode",
    "text",
    None,
    "Text is UTF-8; its length is in bytes (Godot 3"
)]
#[case(
    "godot-3/string/text-ends-at-an-embedded-nul:decode",
    "text",
    None,
    "A NUL ends a text; its whole length is consumed ("
)]
#[case("godot-4.4/dictionary/two-nans-are-one-key:decode", "count", None, "so are two NaNs")]
#[case("godot-4.4/int/low-word-all-ones-is-still-wide:decode", "value", None, "A signed number of 32 bits, or of 64")]
#[case("godot-4.4/vector2/x-comes-before-y:decode", "x", None, "Vector2 is x, y: 32-bit floats")]
#[case("godot-4.4/rid/the-id-follows-in-64-bits:decode", "header", None, "Type 23 is RID (")]
#[case(
    "godot-4.4/array/built-in-type-then-count-then-whole-values:decode",
    "type",
    None,
    "A value keeps the type that it has"
)]
#[case("godot-4.4/array/callables-among-others-take-four-bytes:encode", "header", Some(25), "Type 25 is Callable (")]
#[case(
    "godot-4.4/array/callables-among-others-take-four-bytes:encode",
    "order",
    Some(4),
    "The pairs of a Dictionary keep their order: they are written as they were added or read (Godot 4.3"
)]
#[case(
    "godot-4.4/array/callables-among-others-take-four-bytes:encode",
    "value",
    Some(1),
    "true is written as 1 (Godot 4.3 and newer documentation, bool, offset 4)"
)]
fn a_rule_says_the_rule(#[case] id: &str, #[case] field: &str, #[case] inner: Option<u32>, #[case] words: &str) {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let dialect = specs.dialect(id.split('/').next().unwrap()).unwrap();
    let citations = Citations { specs: &specs, corpus: &corpus, dialect };
    let tests = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let test = tests.iter().find(|test| test.id.as_str() == id).unwrap();
    let difference = match field {
        "header" => Difference::AnotherType,
        "order" => Difference::PairOrder,
        _ => Difference::Content,
    };
    let field = WrongField { path: field, inner, difference };
    let wrong = WrongAnswer { verdict: Verdict::Fail(Reason::WrongValue), field: Some(field), erratum: None };
    let rule = citations.rule(test, JudgedBy::Engines, wrong);
    assert!(rule.contains(words), "{rule}");
}

/// Where a document has an address, a rule leads to its section.
#[rstest]
#[case(
    "godot-3/string/two-byte-letter-has-length-two:decode",
    Some("/en/3.5/tutorials/io/binary_serialization_api.html#string")
)]
#[case(
    "godot-docs-4/int32_array/each-number-takes-four-bytes:decode",
    Some("/en/4.5/tutorials/io/binary_serialization_api.html#packedint32array")
)]
#[case(
    "godot-3/packet/no-bytes-are-no-packet:decode",
    Some("/en/3.5/tutorials/io/binary_serialization_api.html#packet-specification")
)]
#[case("pandemonium-40/int/int-is-still-type-2:decode", None)]
fn a_rule_leads_to_its_section(#[case] id: &str, #[case] section: Option<&str>) {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let dialect = specs.dialect(id.split('/').next().unwrap()).unwrap();
    let tests = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let test = tests.iter().find(|test| test.id.as_str() == id).unwrap();
    let wrong = WrongAnswer { verdict: Verdict::Fail(Reason::WrongValue), field: None, erratum: None };
    let address = Citations { specs: &specs, corpus: &corpus, dialect }.address(test, wrong);
    assert_eq!(address, section.map(|section| format!("https://docs.godotengine.org{section}")));
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn no_failure_is_without_an_authority() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let mut seen = 0;
    for dialect in specs.all() {
        let citations = Citations { specs: &specs, corpus: &corpus, dialect };
        let readings = [JudgedBy::Engines, JudgedBy::Documents];
        for judged_by in readings.into_iter().take(1 + usize::from(!dialect.documents.is_empty())) {
            for test in tests(&corpus, &specs, dialect, judged_by, Variants::All).unwrap() {
                let erratum = test.erratum.as_deref();
                let header = Some(WrongField { path: "header", inner: None, difference: Difference::Content });
                for (verdict, field, erratum) in [
                    (Verdict::Fail(Reason::WrongValue), None, None),
                    (Verdict::Fail(Reason::WrongValue), header, None),
                    (Verdict::Fail(Reason::WrongValue), None, erratum),
                    (Verdict::NonCanonical, header, None),
                    (Verdict::Crashed, None, None),
                ] {
                    let rule = citations.rule(&test, judged_by, WrongAnswer { verdict, field, erratum });
                    let documented = !dialect.documents.is_empty() && rule.contains(" documentation, ");
                    let digit = |letter: char| letter.is_ascii_digit();
                    let shown = rule.rsplit_once("; ").is_some_and(|(_, engine)| {
                        // What is sent is shown; for an encoder, what is expected.
                        let packet = test.sent.as_ref().map(|packet| &packet.bytes);
                        let packet =
                            packet.or(test.expected.packet.as_ref().map(|packet| &packet.bytes)).map(hex::encode);
                        let begin = packet.map(|packet| packet.chars().take(16).collect::<String>());
                        let named = engine.split(" shows it").next().is_some_and(|engine| engine.contains(digit));
                        named && begin.is_none_or(|begin| engine.contains(&begin))
                    });
                    let erratum = rule.contains("(documentation error ") || rule.contains("known engine bug ");
                    assert!(documented || shown || erratum, "{}: {rule}", test.id);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}
