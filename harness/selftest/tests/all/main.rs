//! The selftest itself: it notices what it should, and says so where it does not.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_corpus::Corpus;
use variant_corpus::Smoke;
use variant_corpus::findings::Tracker;
use variant_corpus::test::Derivation;
use variant_runner::record::RunRecord;
use variant_runner::run::Run;
use variant_runner::summary::Summary;
use variant_selftest::{Mutant, Tried, World, load_equivalents, mutants, stale_entries};
use variant_specs::{Reading, Specs};
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Input, Outcome, Request};
use variant_wire::reference::Reference;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &SPECS).unwrap());

fn mutant(id: &str) -> Mutant {
    let dialect = SPECS.dialect(id.split('/').next().unwrap()).unwrap();
    mutants(dialect).into_iter().find(|mutant| mutant.id == id).unwrap_or_else(|| panic!("no mutant {id}"))
}

/// The asks of a corpus that notice a mutant.
fn noticed_by(corpus: &Corpus, id: &str) -> Vec<String> {
    let dialect = SPECS.dialect(id.split('/').next().unwrap()).unwrap();
    let world = World::new(&SPECS, corpus, dialect, Reading::Engine).unwrap();
    world.bites(&mutant(id)).into_iter().map(|bite| bite.test).collect()
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
fn a_fault_is_noticed_by_the_case_that_is_about_it(#[case] id: &str, #[case] by: &str) {
    let noticed = noticed_by(&CORPUS, id);
    assert!(noticed.iter().any(|test| test.starts_with(by)), "{id}: {noticed:?}");
}

/// Without the case that is about it, nothing notices: the answer above is not the machinery's.
#[rstest]
#[case("godot-3/header/id-mask-7f:decode", "id-128-is-no-type")]
#[case("godot-3/byte_array/padding-to-eight-bytes:decode", "byte-array-is-padded-to-four-not-to-eight")]
#[case("godot-3/string_array/length-by-its-low-half:decode", "length-is-four-bytes")]
#[case("pandemonium-38+double/behaviour/ints-and-floats-are-one-key:both", "int-and-float-of-one-number-are-two-keys")]
fn without_that_case_it_survives(#[case] id: &str, #[case] case: &str) {
    let mut corpus = CORPUS.clone();
    for file in &mut corpus.files {
        std::sync::Arc::make_mut(file).cases.retain(|other| other.name != case);
    }
    assert_eq!(noticed_by(&corpus, id), Vec::<String>::new());
    assert!(!noticed_by(&CORPUS, id).is_empty());
}

/// Ids are held by bytes that a person wrote: headers that the specs fill in move with a wrong table.
#[test]
fn family_cases_prove_no_id() {
    let shared: Vec<&str> =
        CORPUS.files.iter().filter(|file| file.is_shared()).map(|file| file.path.as_str()).collect();
    let world = World::new(&SPECS, &CORPUS, SPECS.dialect("godot-3").unwrap(), Reading::Engine).unwrap();
    for bite in world.bites(&mutant("godot-3/ids/5-and-7-swapped:decode")) {
        let (test, _) = world.tests.iter().find(|(test, _)| test.id == bite.test).unwrap();
        assert!(!shared.contains(&test.file.as_ref()), "{} is the family's", bite.test);
    }
}

#[test]
fn an_entry_that_is_not_true_is_refused() {
    let equivalents = load_equivalents(
        "list.yaml",
        "- {mutants: ['*/header/*:decode'], because: It is not.}\n- {mutants: [no/such:decode], because: It was.}\n",
    )
    .unwrap();
    let id = "godot-3/header/id-mask-7f:decode";
    let world = World::new(&SPECS, &CORPUS, SPECS.dialect("godot-3").unwrap(), Reading::Engine).unwrap();
    let tried = Tried { bites: world.bites(&mutant(id)), mutant: mutant(id), explained: None };
    let stale = stale_entries(std::slice::from_ref(&tried).iter(), &equivalents);
    assert_eq!(stale.len(), 2, "{stale:?}");
    assert!(stale[0].contains("is noticed by godot-3/packet/id-128-is-no-type:decode"), "{stale:?}");
    assert!(stale[1].contains("matches no mutant"), "{stale:?}");
}

#[test]
fn a_list_that_is_not_well_formed_says_where() {
    let error = load_equivalents("list.yaml", "- mutants: ['a/b:decode']\n  reason: none\n").unwrap_err().to_string();
    assert!(error.starts_with("list.yaml:2: "), "{error}");
}

#[test]
fn the_list_of_a_smoke_run_is_read_as_it_is_written() {
    let smoke = Smoke::parse("# why\ngodot-3/bool/b:decode\n\ngodot-3/bool/a:encode\n");
    assert_eq!(smoke.len(), 2);
    assert_eq!(Smoke::parse(&smoke.write()), smoke);
}

/// Each ask of `smoke.txt` exists: what is renamed must be chosen anew.
#[test]
fn smoke_asks_are_asks() {
    let smoke = Smoke::parse(&CORPUS.smoke);
    let mut found = 0;
    for dialect in SPECS.all() {
        let world = World::new(&SPECS, &CORPUS, dialect, Reading::Engine).unwrap();
        found += world.tests.iter().filter(|(test, _)| smoke.has(&test.id)).count();
    }
    assert_eq!(found, smoke.len(), "write it again: conform selftest --write-smoke");
}

/// Gives back what it gets.
struct Echo(Handshake);

impl Implementation for Echo {
    fn handshake(&self) -> &Handshake {
        &self.0
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            let Input::Reencode(packet) = request.input else { panic!("it claims nothing else") };
            answered(place, Answer::Bytes(packet).into());
        }
        Ok(())
    }
}

/// Asked of canonical packets alone, an echo would be the best codec there is.
#[test]
fn an_echo_that_only_reencodes_has_no_type_right() {
    let reference = Reference::new(&SPECS, Reading::Engine);
    let handshake = Handshake { ops: vec![Op::Reencode], ..reference.handshake().clone() };
    let run = Run { derivation: Derivation::None, ..Run::new(&SPECS, &CORPUS, vec!["godot-3".to_owned()]) };
    let mut record = Vec::new();
    run.run(&mut Echo(handshake), &mut Tracker::default(), &mut record, &|_, _| {}).unwrap();
    let recorded = RunRecord::read(record.as_slice()).unwrap();
    assert_eq!(Summary::of(&recorded).green_ids(), Vec::<String>::new());
}
