//! Each row of a listing says a thing three times; lint reports it if one of them is damaged.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

use std::path::Path;

use rstest::rstest;
use variant_corpus::Corpus;
use variant_corpus::lint::lint;
use variant_specs::Specs;

/// The problems of the corpus with one text of one file replaced. Of the folders, those of Godot 3 and of all dialects are enough
/// for that.
fn problems(file: &str, from: &str, to: &str) -> Vec<String> {
    let specs = Specs::builtin().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let is_left_out = |entry: &walkdir::DirEntry| {
        let is_folder = entry.depth() == 1 && entry.file_type().is_dir();
        !file.is_empty() && is_folder && !["godot-3", "family"].iter().any(|name| entry.file_name() == *name)
    };
    for entry in walkdir::WalkDir::new(&original).into_iter().filter_entry(|entry| !is_left_out(entry)) {
        let entry = entry.unwrap();
        let target = copy.path().join(entry.path().strip_prefix(&original).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let damaged = entry.path().ends_with(file) && !file.is_empty();
        assert!(!damaged || text.contains(from), "{file} has changed; fix this test");
        std::fs::write(target, if damaged { text.replacen(from, to, 1) } else { text }).unwrap();
    }
    match Corpus::load(copy.path(), &[], &specs) {
        Ok(corpus) => lint(&corpus, &specs)
            .iter()
            .map(|problem| problem.to_string().replace(&copy.path().display().to_string(), "corpus"))
            .collect(),
        Err(problem) => vec![problem.to_string().replace(&copy.path().display().to_string(), "corpus")],
    }
}

#[test]
fn the_corpus_is_clean() {
    assert_eq!(problems("", "", ""), Vec::<String>::new());
}

const ALIGNED: &str = "godot-3/06-rect2.yaml";

#[rstest]
#[case::offset(ALIGNED, "    8   ", "    9   ", "offset 9, but the rows before it end at 8")]
#[case::bytes(ALIGNED, "06 00 00 00  header ", "05 00 00 00  header ", "header: the value has rect2")]
#[case::value("godot-3/15-node_path.yaml", "names: [\"root\"", "names: [\"boot\"", "the value has")]
#[case::tag("godot-3/02-int.yaml", "tags: [", "tags: [no-such-tag, ", "tag no-such-tag is not described")]
#[case::erratum(
    "godot-3/12-basis.yaml",
    "erratum: basis-is-row-major",
    "erratum: basis-is-sideways",
    "no documentation error basis-is-sideways"
)]
#[case::unknown_key("godot-3/02-int.yaml", "  class: ", "  clas: ", "unknown field `clas`")]
#[case::two_cases_of_one_name(
    "family/vector2.yaml",
    "- name: ",
    "- name: origin\n  class: undecided\n  why: silent\n  value: !vector2 [1.0, 2.0]\n- name: origin\n  class: undecided\n  why: silent\n  value: !vector2 [1.0, 2.0]\n- name: ",
    "names must be unique"
)]
#[case::an_int_for_a_real(
    "family/vector2.yaml",
    "value: !vector2 [-0.0, 1.0]",
    "value: !vector2 [-0.0, 1]",
    "a real is written with a point: 1.0"
)]
#[case::no_rejects("family/vector2.yaml", "  rejects: truncated at 4\n", "", "needs `rejects:`")]
#[case::an_unknown_kind(
    "family/vector2.yaml",
    "rejects: truncated at 4",
    "rejects: cut at 4",
    "kinds are truncated, length"
)]
#[case::a_mask_outside_padding(
    "godot-3/02-int.yaml",
    "02 00 01 00  header",
    "02 00 01 ??  header",
    "?? is only for rows named padding"
)]
#[case::a_lost_row(ALIGNED, "  16  4  Float  size.y", "", "has 90 field rows, but the corpus of godot-3 has 89")]
fn damage_is_named(#[case] file: &str, #[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let problems = problems(file, from, to);
    assert!(problems.iter().any(|problem| problem.contains(message)), "{problems:#?}");
    let stem = file.rsplit('/').next().unwrap();
    let located = problems
        .iter()
        .any(|problem| problem.contains(stem) && problem.contains(".yaml:") || problem.contains("documents.yaml"));
    assert!(located, "no file and line: {problems:#?}");
}

/// Every single byte of a value, every meaning and every value of a listing is held by the other two.
#[rstest]
#[case::a_byte("00 00 80 3f", "00 00 81 3f")]
#[case::a_meaning("  1.0\n", "  1.5\n")]
#[case::a_value("!rect2 [1.0,", "!rect2 [1.5,")]
fn each_of_the_three_is_held_by_the_others(#[case] from: &str, #[case] to: &str) {
    let problems = problems(ALIGNED, from, to);
    assert!(problems.iter().any(|problem| problem.contains("position.x")), "{problems:#?}");
}
