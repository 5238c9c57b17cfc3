//! The listings of the corpus and the reference codec, two independent readings of the documents, agree.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rstest::rstest;
use variant_codec::Codec;
use variant_corpus::test::{Rule, Variants, tests};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Corpus, File};
use variant_runner::agreement::disagreements;
use variant_runner::judge::Judge;
use variant_specs::{JudgedBy, Source, Specs};
use variant_values::handshake::Op;
use variant_values::reference;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> = LazyLock::new(|| Corpus::load(&folder(), &[], &SPECS).unwrap());

#[rstest]
fn listings_and_codec_agree(#[files("../../corpus/*/*.yaml")] path: PathBuf) {
    let named = |file: &File| Path::new(&file.path).canonicalize().unwrap() == path.canonicalize().unwrap();
    let found: Vec<String> = CORPUS
        .files
        .iter()
        .filter(|file| named(file))
        .flat_map(|file| disagreements(file, &SPECS))
        .map(|problem| problem.to_string())
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Facts that `conform selftest` does not change: the names of fields, which bits are refused as flags, the columns of the
/// documents, the class that stands for all others, and how paths of scripts begin.
#[rstest]
#[case::two_fields_swapped("layouts.yaml", "fields: [r, g, b, a]}\n\n# The", "fields: [g, r, b, a]}\n\n# The")]
#[case::id_mask_of_a_byte("godot-2.yaml", "{id-mask: 0xffffffff,", "{id-mask: 0xff,")]
#[case::documents_without_columns("godot-3.yaml", "document-fields: true", "document-fields: false")]
#[case::another_class_stands_in(
    "layouts.yaml",
    "shape: array, stand-in: EncodedObjectAsID",
    "shape: array, stand-in: Object"
)]
#[case::scripts_from_anywhere("layouts.yaml", ", scripts: \"res://\"}\narray", "}\narray")]
fn a_changed_fact_in_the_specs_is_noticed(#[case] file: &str, #[case] from: &str, #[case] to: &str) {
    let specs_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let read = |name: &str| {
        let text = std::fs::read_to_string(specs_folder.join(name)).unwrap();
        if name != file {
            return text;
        }
        assert!(text.contains(from), "{file} has changed; fix this test");
        text.replacen(from, to, 1)
    };
    let mut names = vec!["layouts.yaml", "documents.yaml", "errata.yaml"];
    names.extend(["godot-2.yaml", "godot-3.yaml", "godot-4.0.yaml", "godot-4.3.yaml", "godot-4.4.yaml"]);
    names.extend(["pandemonium-27.yaml", "pandemonium-38.yaml", "pandemonium-40.yaml"]);
    let texts: Vec<String> = names.iter().map(|name| read(name)).collect();
    let sources: Vec<Source<'_>> = texts.iter().map(|text| Source { file: "changed", text }).collect();
    let specs = Specs::load(sources[0], sources[1], sources[2], &sources[3..]).unwrap();
    let noticed = match Corpus::load(&folder(), &[], &specs) {
        Err(_) => true,
        Ok(corpus) => corpus.files.iter().any(|file| !disagreements(file, &specs).is_empty()),
    };
    assert!(noticed, "no case tests {from:?}");
}

/// Rules about what is compared: no listing depends on them.
const ABOUT_COMPARING: [&str; 2] = ["dictionary-order", "unwritten-padding"];

/// A case holds each rule of each dialect, or the dialect's `packet.yaml` says it once more: another value of it is
/// noticed.
#[rstest]
#[case("godot-2.yaml")]
#[case("godot-3.yaml")]
#[case("godot-4.0.yaml")]
#[case("pandemonium-38.yaml")]
fn every_rule_is_held(#[case] file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let shared = ["layouts.yaml", "documents.yaml", "errata.yaml"].map(read);
    let (text, name) = (read(file), file.strip_suffix(".yaml").unwrap());
    let mut choices: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (rule, word, _) in SPECS.all().flat_map(|dialect| dialect.rules.variants()) {
        choices.entry(rule).or_default().insert(word);
    }
    choices.retain(|rule, _| !ABOUT_COMPARING.contains(rule));
    let mut unheld = Vec::new();
    for (rule, words) in &choices {
        let key = format!("\n  {rule}: ");
        for judged_by in ["\nrules:", "\ndocument-rules:"] {
            // Without documents there is one judge.
            let Some(section) = text.find(judged_by) else { continue };
            let end = section + text[section..].find("\n\n").unwrap();
            let Some(place) = text[section..end].find(&key) else { continue };
            let start = section + place + key.len();
            let word = text[start..].split_whitespace().next().unwrap();
            for other in words.iter().filter(|other| **other != word) {
                let changed = format!("{}{other}{}", &text[..start], &text[start + word.len()..]);
                let source = |text| Source { file: "changed", text };
                let [layouts, documents, errata] = [0, 1, 2].map(|index: usize| source(shared[index].as_str()));
                let specs = Specs::load(layouts, documents, errata, &[source(&changed)]).unwrap();
                let dialect = specs.dialect(name).unwrap();
                let mut own = CORPUS.files.iter().filter(|file| file.place_in(dialect).is_some());
                let held = own.any(|file| {
                    !disagreements(file, &specs).is_empty() || file.rules.iter().any(|rule| !dialect.rules.has(rule))
                });
                if !held {
                    unheld.push(format!("{} {rule}: {other}", judged_by.trim()));
                }
            }
        }
    }
    // Which texts the document means beyond Unicode is open.
    unheld.retain(|rule| rule != "document-rules: utf8: lenient");
    assert!(unheld.is_empty(), "nothing of {name} would notice {unheld:#?}");
}

/// What the codec writes after it read a canonical or readable case.
#[test]
fn every_round_trip_ends_in_the_canonical_packet() {
    let mut wrong = Vec::new();
    for dialect in SPECS.all() {
        let documented = !dialect.documents.is_empty();
        for judged_by in [JudgedBy::Engines, JudgedBy::Documents].into_iter().take(1 + usize::from(documented)) {
            let (judge, codec) = (Judge::new(dialect, judged_by), Codec::new(dialect, judged_by));
            let tests = tests(&CORPUS, &SPECS, dialect, judged_by, Variants::All).unwrap();
            for test in tests.iter().filter(|test| test.op == Op::Reencode && test.expected.class != Class::Undecided) {
                let answer = reference::answer(&codec, &test.request().unwrap());
                if judge.judge(test, &answer.clone().into()).verdict != Verdict::Pass {
                    wrong.push(format!("{} read as {}: {answer:?}", test.id, judged_by.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Records count passed tests by their rule, and find them again by their ids.
#[test]
fn the_rule_of_a_test_is_in_its_id() {
    for dialect in SPECS.all() {
        for test in tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::All).unwrap() {
            assert_eq!(test.id.parts().rule.and_then(Rule::of), test.rule, "{}", test.id);
        }
    }
}
