//! Each word of `lossy` and `limits` excuses just what it says, and nothing else.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use serde_json::json;
use variant_codec::Value;
use variant_corpus::Corpus;
use variant_corpus::test::{Test, Variants, tests};
use variant_runner::judge::{Judge, Judgement};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::compare::{Comparison, compare};
use variant_values::handshake::{DeclaredLoss, Handshake, Limit, Lossy, Op, excuse};
use variant_values::implementation::{Answer, RefusalReason};
use variant_values::protocol::Reply;
use variant_values::value_text::{ExpectedValue, Strictness, SyntaxTree, typecheck};

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &SPECS).unwrap());

fn dialect(name: &str) -> &'static Dialect {
    SPECS.dialect(name).unwrap()
}

fn value(json: &str) -> Value {
    let tree: SyntaxTree = serde_json::from_str(json).unwrap();
    typecheck(&tree, dialect("godot-4.4"), Strictness::Reply).unwrap().value
}

/// The examples of a word in the tables of `adapters/PROTOCOL.md`: values that it makes the same, or one that may be refused.
fn examples(word: &str) -> Vec<String> {
    let protocol = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters/PROTOCOL.md");
    let protocol = std::fs::read_to_string(protocol).unwrap();
    let row = protocol.lines().find(|line| line.starts_with(&format!("| `{word}` |"))).unwrap();
    row.rsplit(" | ").next().unwrap().split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// How the second value compares with the first for those who lose this.
fn compared(expected: &str, actual: &str, lossy: &[Lossy]) -> Comparison {
    let expected = ExpectedValue { value: value(expected), any_nan: Vec::new() };
    compare(&expected, &value(actual), lossy, &dialect("godot-4.4").layouts)
}

#[test]
fn an_example_is_excused_by_its_own_word_alone() {
    for word in Lossy::ALL {
        let [expected, actual] = &examples(word.name())[..] else { panic!("{word:?} has not two examples") };
        for other in Lossy::ALL {
            let losses = compared(expected, actual, &[*other]);
            let is_right = match losses {
                Comparison::DeclaredLoss(ref words) => word == other && words == &[*word],
                _ => word != other && matches!(losses, Comparison::Different(_)),
            };
            assert!(is_right, "{word:?}, {other:?}: {losses:?}");
        }
        // All other words together do not excuse it either.
        let others: Vec<Lossy> = Lossy::ALL.iter().copied().filter(|other| other != word).collect();
        let together = compared(expected, actual, &others);
        assert!(matches!(together, Comparison::Different(_)), "{word:?}: {together:?}");
    }
}

#[test]
fn an_example_is_excused_by_its_own_limit_alone() {
    for limit in Limit::ALL {
        let [example] = &examples(limit.name())[..] else { panic!("{limit:?} has not one example") };
        for other in Limit::ALL {
            let layouts = &dialect("godot-4.4").layouts;
            let excused = excuse(Lossy::ALL, &[*other], &value(example), Op::Encode, layouts);
            let expected = (limit == other).then_some(DeclaredLoss::Limit(*limit));
            assert_eq!(excused, expected, "{limit:?}, {other:?}");
        }
    }
}

const TRUE_1: &str = r#"{"dictionary":[[{"bool":true},{"int":2}],[{"int":1},{"int":3}]]}"#;
const ONE_1: &str = r#"{"dictionary":[[{"int":1},{"int":2}],[{"float":1.0},{"int":3}]]}"#;

#[rstest]
#[case::last_value_wins(&[Lossy::IntFloat], ONE_1, r#"{"dictionary":[[{"int":1},{"int":3}]]}"#, true)]
#[case::and_not_the_first(&[Lossy::IntFloat], ONE_1, r#"{"dictionary":[[{"int":1},{"int":2}]]}"#, false)]
#[case::either_spelling(&[Lossy::IntFloat], ONE_1, r#"{"dictionary":[[{"float":1.0},{"int":3}]]}"#, true)]
#[case::true_is_no_number(&[Lossy::IntFloat], TRUE_1, r#"{"dictionary":[[{"bool":true},{"int":3}]]}"#, false)]
#[case::first_key_stays(&[Lossy::EqualKeys], ONE_1, r#"{"dictionary":[[{"int":1},{"int":3}]]}"#, true)]
#[case::and_not_the_last(&[Lossy::EqualKeys], ONE_1, r#"{"dictionary":[[{"float":1.0},{"int":3}]]}"#, false)]
#[case::no_key_vanishes(&[Lossy::EqualKeys], TRUE_1, r#"{"dictionary":[]}"#, false)]
#[case::a_text_is_another_key(&[Lossy::EqualKeys], r#"{"dictionary":[[{"int":1},{"int":2}],[{"string":"1"},{"int":3}]]}"#,
    r#"{"dictionary":[[{"int":1},{"int":3}]]}"#, false)]
#[case::last_of_the_repeated(&[Lossy::RepeatedKeys], r#"{"dictionary":[[{"int":1},{"int":3}]]}"#,
    r#"{"dictionary":[[{"int":1},{"int":3}],[{"int":1},{"int":2}]]}"#, false)]
#[case::no_key_is_added(&[Lossy::RepeatedKeys], r#"{"dictionary":[[{"int":1},{"int":3}]]}"#,
    r#"{"dictionary":[[{"int":1},{"int":3}],[{"int":2},{"int":3}]]}"#, false)]
#[case::packed_within(&[Lossy::PackedAsList], r#"{"array":[{"vector2_array":[[1,2]]}]}"#,
    r#"{"array":[{"array":[{"vector2":[1,2]}]}]}"#, true)]
#[case::a_list_for_a_typed_array(&[Lossy::PackedAsList], r#"{"array":{"of":"int","items":[]}}"#, r#"{"array":[]}"#, false)]
#[case::no_types_for_packed(&[Lossy::ContainerTypes], r#"{"int32_array":[]}"#, r#"{"array":[]}"#, false)]
#[case::another_type(&[Lossy::ContainerTypes], r#"{"array":{"of":"int","items":[]}}"#,
    r#"{"array":{"of":"float","items":[]}}"#, false)]
#[case::types_that_were_not_there(&[Lossy::ContainerTypes], r#"{"array":[]}"#, r#"{"array":{"of":"int","items":[]}}"#, false)]
#[case::typed_dictionary(&[Lossy::ContainerTypes], r#"{"dictionary":{"key":"int","entries":[]}}"#, r#"{"dictionary":[]}"#, true)]
#[case::a_text_for_a_list(&[Lossy::CharLists], r#"{"array":[{"int":233}]}"#, r#"{"string":"é"}"#, true)]
#[case::bytes_are_no_code_points(&[Lossy::CharLists], r#"{"string":"é"}"#, r#"{"array":[{"int":195},{"int":169}]}"#, false)]
#[case::a_name_is_no_list(&[Lossy::CharLists], r#"{"string_name":"a"}"#, r#"{"array":[{"int":97}]}"#, false)]
#[case::packed_int64(&[Lossy::Int64], r#"{"int64_array":["9007199254740993"]}"#, r#"{"int64_array":["9007199254740992"]}"#, true)]
#[case::small_ints(&[Lossy::Int64], r#"{"int":1}"#, r#"{"int":2}"#, false)]
#[case::another_double(&[Lossy::Int64], r#"{"int":"9007199254740993"}"#, r#"{"int":"9007199254740994"}"#, false)]
#[case::two_words(&[Lossy::Int64, Lossy::IntFloat], r#"{"int":"9223372036854775807"}"#, r#"{"float":9223372036854775808.0}"#, true)]
#[case::one_of_two_words(&[Lossy::IntFloat], r#"{"int":"9223372036854775807"}"#, r#"{"float":9223372036854775808.0}"#, false)]
#[case::another_number(&[Lossy::IntFloat], r#"{"int":1}"#, r#"{"float":1.5}"#, false)]
#[case::large_and_exact(&[Lossy::IntFloat], r#"{"int":"9007199254740994"}"#, r#"{"float":9007199254740994.0}"#, true)]
#[case::large_and_rounded(&[Lossy::IntFloat], r#"{"int":"9007199254740993"}"#, r#"{"float":9007199254740992.0}"#, false)]
#[case::minus_zero(&[Lossy::IntFloat], r#"{"float":-0.0}"#, r#"{"int":0}"#, false)]
fn a_word_goes_this_far(#[case] lossy: &[Lossy], #[case] expected: &str, #[case] actual: &str, #[case] same: bool) {
    let result = compared(expected, actual, lossy);
    assert_eq!(matches!(result, Comparison::DeclaredLoss(_)), same, "{result:?}");
}

#[rstest]
#[case(Limit::StringKeys, r#"{"dictionary":[[{"string":"1"},{"null":null}]]}"#)]
#[case(Limit::FiniteFloats, r#"{"array":[{"float":1e300},{"vector2":[1,2]}]}"#)]
#[case(Limit::UntypedContainers, r#"{"array":[{"dictionary":[]},{"int32_array":[1]}]}"#)]
#[case(Limit::PathNames, r#"{"node_path":{"absolute":true,"names":["a","é"],"subnames":["b"]}}"#)]
#[case(Limit::PathNames, r#"{"string":"a/b"}"#)]
fn a_limit_excuses_nothing_else(#[case] limit: Limit, #[case] json: &str) {
    assert_eq!(excuse(&[], &[limit], &value(json), Op::Encode, &dialect("godot-4.4").layouts), None);
}

/// Judges an answer to the test of a case, from an adapter that declares this.
fn judged(id: &str, answer: Answer, lossy: &[Lossy], limits: &[Limit]) -> Judgement {
    let dialect = dialect(id.split('/').next().unwrap());
    let all = tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let test: &Test = all.iter().find(|test| test.id == id).unwrap();
    let handshake: Handshake = serde_json::from_value(json!({
        "protocol": 1, "name": "x", "dialects": [dialect.name], "ops": ["decode"], "lossy": lossy, "limits": limits
    }))
    .unwrap();
    Judge::for_claims(dialect, JudgedBy::Engines, &handshake).judge(test, &answer.into())
}

fn refused() -> Answer {
    Answer::Refused(RefusalReason::default())
}

fn unsupported() -> Answer {
    Answer::Unsupported(String::new())
}

fn int(json: &str) -> Answer {
    let json = format!("{{\"int\":{json}}}").into();
    Reply::Value { json, used: None }.answer(dialect("godot-3"), &[Lossy::Int64])
}

fn bytes(hex: &str) -> Answer {
    Answer::Bytes(hex::decode(hex.replace(' ', "")).unwrap())
}

const LARGEST: &str = "godot-3/int/largest-of-64-bits";

#[rstest]
#[case::nearest_double(LARGEST, ":decode", int("9223372036854775808"), "declared-loss")]
#[case::in_quotes(LARGEST, ":decode", int("\"9223372036854775808\""), "declared-loss")]
#[case::as_javascript_prints_it(LARGEST, ":decode", int("9223372036854776000"), "declared-loss")]
#[case::the_int_itself(LARGEST, ":decode", int("\"9223372036854775807\""), "pass")]
#[case::smallest_is_far(LARGEST, ":decode", int("\"-9223372036854775808\""), "fail/wrong-value")]
#[case::beyond(LARGEST, ":decode", int("\"9223372036854779904\""), "fail/wrong-value")]
#[case::a_decoder_may_not_refuse(LARGEST, ":decode", refused(), "fail/refused-valid")]
#[case::an_encoder_may(LARGEST, ":encode", refused(), "declared-loss")]
#[case::other_ints_have_a_double("godot-3/int/smallest-of-64-bits", ":encode", refused(), "fail/refused-valid")]
fn the_largest_int_has_a_double(#[case] case: &str, #[case] op: &str, #[case] answer: Answer, #[case] verdict: &str) {
    let judgement = judged(&format!("{case}{op}"), answer, &[Lossy::Int64], &[]);
    assert_eq!(judgement.verdict.to_string(), verdict);
    let words: &[DeclaredLoss] = if verdict == "declared-loss" { &[DeclaredLoss::Lossy(Lossy::Int64)] } else { &[] };
    assert_eq!(judgement.losses, words);
}

const PATH: &str = "godot-3/node_path/slash-and-colon-in-a-name-do-not-split-it";

#[rstest]
#[case::refused(":encode", refused(), &[Limit::PathNames], "declared-loss")]
#[case::unsupported(":encode", unsupported(), &[Limit::PathNames], "declared-loss")]
#[case::not_declared(":encode", unsupported(), &[Limit::StringKeys], "fail/unsupported-after-all")]
#[case::a_wrong_packet_is_wrong(":encode", bytes("00000000"), &[Limit::PathNames], "fail/wrong-bytes")]
#[case::it_must_be_read(":decode", refused(), &[Limit::PathNames], "fail/refused-valid")]
fn a_limit_is_refused_and_not_got_wrong(
    #[case] op: &str,
    #[case] answer: Answer,
    #[case] limits: &[Limit],
    #[case] verdict: &str,
) {
    let judgement = judged(&format!("{PATH}{op}"), answer, &[], limits);
    assert_eq!(judgement.verdict.to_string(), verdict);
}
