//! Codecs with several faults of the catalogue: the text names each, within two screens.

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_corpus::Corpus;
use variant_faults::{Faulty, catalogue};
use variant_report::text::{Extent, render};
use variant_runner::record::RunRecord;
use variant_runner::run::Run;
use variant_runner::summary::Summary;
use variant_specs::{JudgedBy, Specs};

pub(crate) static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
pub(crate) static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &SPECS).unwrap());

pub(crate) const DIALECT: &str = "godot-3";

pub(crate) const SIGN: &str = "int-is-unsigned";
pub(crate) const ALWAYS_DOUBLE: &str = "floats-always-wide";
pub(crate) const TRANSPOSED: &str = "document-fields=true";
pub(crate) const SORTED: &str = "keys-sorted";
const UTF16: &str = "length-in-utf16-units";
const RELATIVE: &str = "path-is-never-absolute";
const COLORS: &str = "colors-multiplied-by-255";

/// The record of a run of a codec with these faults.
pub(crate) fn record_of(names: &[&str]) -> RunRecord {
    let dialect = SPECS.dialect(DIALECT).unwrap();
    let faults: Vec<_> =
        catalogue(&SPECS, dialect).into_iter().filter(|fault| names.contains(&fault.name.as_str())).collect();
    let mut codec = Faulty::composed(faults, dialect, JudgedBy::Engines);
    let run = Run::new(&SPECS, &CORPUS, vec![DIALECT.to_owned()]);
    let mut record = Vec::new();
    run.run(&mut codec, &mut record, &|_, _| {}).unwrap();
    let mut record = RunRecord::read(record.as_slice()).unwrap();
    variant_report::causes::explain(&mut record, &SPECS, &CORPUS, |_, _| Vec::new()).unwrap();
    record
}

#[rstest]
#[case::of_a_script(&[SIGN, UTF16, SORTED, RELATIVE])]
#[case::of_doubles(&[ALWAYS_DOUBLE, TRANSPOSED, COLORS])]
fn each_fault_is_one_cause_and_the_text_proves_it(#[case] names: &[&str]) {
    let record = record_of(names);
    let mut found: Vec<&str> = record.causes.iter().map(|cause| cause.id.as_str()).collect();
    let mut wanted = names.to_vec();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    let text = anstream::adapter::strip_str(&render(&Summary::of(&record), Extent::default())).to_string();
    assert!(text.lines().count() <= 120, "{} lines", text.lines().count());
    for cause in &record.causes {
        assert!(text.contains(&cause.headline), "{}: {text}", cause.headline);
        // Tests that show it only together with another are no proof of it.
        let proof = cause.proof.as_deref().unwrap();
        let numbers = proof.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
        let [same, of, more] = *numbers.chain([0]).take(3).collect::<Vec<usize>>() else { panic!("{proof}") };
        assert!(same == of && same + more == cause.tests, "{proof}: {} tests", cause.tests);
        assert!(text.contains(proof), "{proof}: {text}");
    }
}

/// The ids of another dialect are said first of all, and what to do about them.
#[test]
fn the_ids_of_another_dialect_are_named() {
    let record = record_of(&["speaks-godot-docs-4"]);
    let text = anstream::adapter::strip_str(&render(&Summary::of(&record), Extent::default())).to_string();
    assert!(text.contains("the type ids and layouts are those of godot-docs-4"), "{text}");
    assert!(text.contains("declare godot-docs-4 in the handshake"), "{text}");
}
