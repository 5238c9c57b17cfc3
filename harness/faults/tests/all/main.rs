//! The selftest itself: tests kill the mutants that they should, and the list of equivalent mutants is checked.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod causes;

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_corpus::Corpus;
use variant_faults::{Context, Fault, FaultResult, catalogue, load_equivalents, stale};
use variant_specs::{JudgedBy, Source, Specs};

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &SPECS).unwrap());

fn mutant(id: &str) -> Fault {
    let dialect = SPECS.dialect(id.split('/').next().unwrap()).unwrap();
    catalogue(&SPECS, dialect).into_iter().find(|mutant| mutant.id == id).unwrap_or_else(|| panic!("no mutant {id}"))
}

/// The tests of a corpus that kill a mutant.
fn killed_by(corpus: &Corpus, id: &str) -> Vec<String> {
    let dialect = SPECS.dialect(id.split('/').next().unwrap()).unwrap();
    let context = Context::new(&SPECS, corpus, dialect, JudgedBy::Engines).unwrap();
    context.kills(&mutant(id)).into_iter().map(|kill| kill.test).collect()
}

#[rstest]
#[case("godot-3/ids/9-and-10-swapped:decode", "godot-3/plane/")]
#[case("godot-3/basis/y.x-and-x.y-swapped:encode", "godot-3/basis/")]
#[case("godot-3/string/length-big-endian:decode", "godot-3/string/")]
#[case("godot-3/byte_array/padding-to-eight-bytes:decode", "godot-3/array/byte-array-is-padded-to-four")]
#[case("godot-3/header/id-mask-7f:decode", "godot-3/packet/id-128-is-no-type")]
#[case("godot-3/behaviour/nothing-after-a-refusal:both", "godot-3/")]
#[case("godot-2/behaviour/shared-lost:decode", "godot-2/")]
#[case("pandemonium-40/behaviour/typed-arrays-are-one:encode", "pandemonium-40/packed_typed_array/")]
#[case("godot-3/behaviour/input-is-sent-on:both", "godot-3/bool/two-is-sent-on-as-one")]
#[case(
    "godot-3/behaviour/leading-byte-order-mark-not-written:encode",
    "godot-3/string/leading-byte-order-mark-is-written"
)]
#[case("godot-3/behaviour/new-form-without-bit-31:decode", "godot-3/node_path/new-form-without-bit-31")]
#[case("godot-4.4/behaviour/bad-class-is-read:decode", "godot-4.4/array/class-that-is-not-utf-8")]
#[case("godot-4.4/behaviour/bad-class-is-read:decode", "godot-4.4/array/script-that-is-not-utf-8")]
#[case("godot-4.4/behaviour/bad-class-is-read:decode", "godot-4.4/dictionary/script-of-values-that-is-not-utf-8")]
#[case("pandemonium-40/behaviour/bad-class-is-read:decode", "pandemonium-40/typed_array/class-that-is-not-utf-8")]
#[case("godot-4.3/speaks/godot-4.4:both", "godot-4.3/dictionary/")]
fn a_fault_is_detected_by_the_case_that_is_about_it(#[case] id: &str, #[case] by: &str) {
    let killed = killed_by(&CORPUS, id);
    assert!(killed.iter().any(|test| test.starts_with(by)), "{id}: {killed:?}");
}

/// Without the case that is about it, no test kills it: the tests above do not pass for another reason.
#[rstest]
#[case("godot-3/header/id-mask-7f:decode", "id-128-is-no-type")]
#[case("godot-3/string_array/length-by-its-low-half:decode", "length-is-four-bytes")]
fn without_that_case_it_survives(#[case] id: &str, #[case] case: &str) {
    let mut corpus = CORPUS.clone();
    for file in &mut corpus.files {
        std::sync::Arc::make_mut(file).cases.retain(|other| other.name != case);
    }
    assert_eq!(killed_by(&corpus, id), Vec::<String>::new());
    assert!(!killed_by(&CORPUS, id).is_empty());
}

/// Only literal headers prove ids: headers that the specs fill in follow a wrong table.
#[test]
fn family_cases_prove_no_id() {
    let shared: Vec<&str> =
        CORPUS.files.iter().filter(|file| file.is_shared()).map(|file| file.path.as_str()).collect();
    let context = Context::new(&SPECS, &CORPUS, SPECS.dialect("godot-3").unwrap(), JudgedBy::Engines).unwrap();
    for kill in context.kills(&mutant("godot-3/ids/5-and-7-swapped:decode")) {
        let (test, _) = context.tests.iter().find(|(test, _)| test.id == kill.test.as_str()).unwrap();
        assert!(!shared.contains(&test.file.as_ref()), "{} is a case of the family", kill.test);
    }
}

#[test]
fn a_wrong_entry_is_reported() {
    let equivalents = load_equivalents(
        "list.yaml",
        "- {mutants: ['*/header/*:decode'], because: It is not.}\n- {mutants: [no/such:decode], because: It was.}\n",
    )
    .unwrap();
    let id = "godot-3/header/id-mask-7f:decode";
    let context = Context::new(&SPECS, &CORPUS, SPECS.dialect("godot-3").unwrap(), JudgedBy::Engines).unwrap();
    let result =
        FaultResult { kills: context.kills(&mutant(id)), mutant: mutant(id), equivalent: None, removed: false };
    let stale = stale(&[&result], &equivalents);
    assert_eq!(stale.len(), 2, "{stale:?}");
    let stale: Vec<String> = stale.iter().map(ToString::to_string).collect();
    assert!(stale[0].contains("is killed by godot-3/packet/id-128-is-no-type:decode"), "{stale:?}");
    assert!(stale[1].starts_with("list.yaml:2: \"no/such:decode\" matches no mutant"), "{stale:?}");
}

#[test]
fn a_list_that_is_not_well_formed_says_where() {
    let error = load_equivalents("list.yaml", "- mutants: ['a/b:decode']\n  reason: none\n").unwrap_err().to_string();
    assert!(error.starts_with("list.yaml:2: "), "{error}");
}

/// A type of one number has no field to lose, and one of 64 bits that is not packed has no elements.
#[test]
fn a_type_of_one_number_has_the_faults_that_it_can_have() {
    let text = "dialect: fork\nextends: godot-3\nlayouts: {money: {shape: fields, of: int64, fields: [cents]}}\n\
                insert: {27: money}\n";
    let mut specs = Specs::builtin().unwrap();
    specs.add_dialects(&[Source { file: "fork.yaml", text }]).unwrap();
    let faults = catalogue(&specs, specs.dialect("fork").unwrap());
    let has = |part: &str| faults.iter().any(|fault| fault.id.contains(part));
    assert!(has("/money/a-field-added"));
    assert!(!has("/money/cents-dropped") && !has("long-elements-through-double"));
}

/// A codec that answers without looking gets no type right.
#[rstest]
#[case("all-is-read-as-null")]
#[case("nothing-is-written")]
#[case("one-answer-late")]
fn without_looking_no_type_is_right(#[case] name: &str) {
    let killed = killed_by(&CORPUS, &format!("godot-3/behaviour/{name}:both"));
    let dialect = SPECS.dialect("godot-3").unwrap();
    for entry in &dialect.types {
        let tests = format!("godot-3/{}/", dialect.layout(entry).name);
        assert!(killed.iter().any(|test| test.starts_with(&tests)), "{tests} is right");
    }
}
