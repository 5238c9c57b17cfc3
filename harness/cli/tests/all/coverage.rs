//! Every row of every document is covered, and where a case alone covers one, lint misses it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rstest::rstest;
use variant_corpus::Corpus;
use variant_corpus::coverage::{Coverage, CoverageRow, measure};
use variant_corpus::lint::lint;
use variant_specs::{Dialect, Specs};

use crate::support::{CORPUS, SPECS, conform, root};

/// What the program measures if no dialect is named.
static SINGLE: LazyLock<Coverage> =
    LazyLock::new(|| measure(&CORPUS, &SPECS, &SPECS.dialects.iter().collect::<Vec<_>>()));

static COVERAGE: LazyLock<Coverage> = LazyLock::new(|| {
    let all: Vec<&Dialect> = SPECS.all().collect();
    measure(&CORPUS, &SPECS, &all)
});

#[rstest]
#[case("godot-3-en", 28, 90)]
#[case("godot-3-fr", 28, 90)]
#[case("pandemonium-27", 28, 90)]
#[case("pandemonium-38", 39, 140)]
#[case("godot-2", 29, 94)]
#[case("godot-4-en", 30, 102)]
#[case("godot-4-proposed", 39, 149)]
#[ignore = "takes long: .ci/run runs it"]
fn all_rows_of_all_documents_are_covered(#[case] document: &str, #[case] types: usize, #[case] fields: usize) {
    let json = serde_json::to_value(&*SINGLE).unwrap();
    let documents = json["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 7, "each document once");
    let of = documents.iter().find(|of| of["name"] == document).unwrap();
    assert_eq!(of["type-rows"], serde_json::json!({"total": types, "covered": types}));
    assert_eq!(of["field-rows"], serde_json::json!({"total": fields, "covered": fields}));
    assert_eq!(of["notes"]["total"], of["notes"]["covered"]);
    assert_eq!(of["uncovered"], serde_json::json!([]));
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn every_type_has_boundaries_and_all_of_its_fields() {
    for dialect in &COVERAGE.dialects {
        for entry in &dialect.types {
            assert!(!entry.boundaries.is_empty(), "{} {}", dialect.name, entry.layout);
            let layout = SPECS.layouts.get(SPECS.layouts.id_of(&entry.layout).unwrap());
            let fields = layout.fields.iter().filter(|field| {
                let packed = format!("[i].{field}");
                !entry.fields.contains_key(*field) && !entry.fields.contains_key(&packed)
            });
            assert_eq!(fields.count(), 0, "{} {}: {:?}", dialect.name, entry.layout, entry.fields);
        }
    }
}

#[test]
fn a_person_reads_it_as_a_table() {
    let output = conform(&["coverage", "--dialect", "godot-3"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let head: Vec<&str> = text.lines().take(13).collect();
    insta::assert_snapshot!(head.join("\n"));
}

/// The file of a case of a layout, as a dialect has it.
fn file_of(case: &str, layout: &str, dialect: &str) -> PathBuf {
    let specs = Specs::builtin().unwrap();
    let file = CORPUS.files.iter().find(|file| {
        let here =
            file.layout == layout && file.inherited.is_none() && file.cases.iter().any(|other| other.name == case);
        here && file.place_in(specs.dialect(dialect).unwrap()).is_some()
    });
    Path::new(&file.unwrap_or_else(|| panic!("no case {case}")).path).canonicalize().unwrap()
}

/// What lint says of a copy of the corpus without these cases.
fn without(cases: &BTreeSet<(PathBuf, &str)>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    crate::support::copy(&root().join("corpus"), folder.path(), |path, text| {
        let path = path.canonicalize().unwrap();
        let those = cases.iter().filter(|(file, _)| *file == path);
        those.fold(text, |text, (_, case)| removed(&text, case))
    });
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(folder.path(), &[], &specs).unwrap();
    lint(&corpus, &specs).iter().map(ToString::to_string).collect()
}

/// The text of a file without one case: from its `- name:` to the next.
fn removed(text: &str, case: &str) -> String {
    let mut kept = String::new();
    let mut within = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("- name:") {
            within = name.split('#').next().unwrap().trim().trim_matches('"') == case;
        }
        if !within {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    assert_ne!(kept.lines().count(), text.lines().count(), "no case {case}");
    kept
}

/// Rows of each kind that a single case covers: without these cases lint fails, and names each row. A row loses its only
/// case here, whatever else is left out, so all are left out at once.
#[rstest]
#[case("godot-3")]
#[case("pandemonium-38")]
#[ignore = "takes long: .ci/run runs it"]
fn without_the_only_case_a_row_is_named(#[case] name: &str) {
    let dialect = COVERAGE.dialects.iter().find(|dialect| dialect.name == name).unwrap();
    let only = |row: &&CoverageRow| row.cases.len() == 1;
    let mut asked: Vec<(String, String, &CoverageRow)> = Vec::new();
    // Fields: the first of three layouts, so that the whole test stays short.
    let fields = dialect.types.iter().flat_map(|entry| entry.rows.iter().find(only).map(|row| (&entry.layout, row)));
    let fields: Vec<_> = fields.collect();
    for (layout, row) in fields.iter().step_by((fields.len() / 3).max(1)) {
        asked.push(((*layout).clone(), format!("row {}", row.id), row));
    }
    let ids = dialect.types.iter().find(|entry| entry.row.cases.len() == 1).unwrap();
    asked.push((
        ids.layout.clone(),
        format!("row {}: type {} has no canonical case", ids.row.id, ids.layout),
        &ids.row,
    ));
    asked.push((
        "packet".to_owned(),
        format!("row {}: no case refuses id {}", dialect.max.id, dialect.types.len()),
        &dialect.max,
    ));
    let notes = dialect.types.iter().flat_map(|entry| entry.notes.iter().find(only).map(|row| (&entry.layout, row)));
    if let Some((layout, row)) = notes.into_iter().next() {
        asked.push((layout.clone(), format!("note {}", row.id), row));
    }
    assert!(asked.len() >= 5);
    for (_, _, row) in &asked {
        assert_eq!(row.cases.len(), 1, "{}", row.id);
    }
    let cases = asked.iter().map(|(layout, _, row)| (file_of(&row.cases[0], layout, name), row.cases[0].as_str()));
    let problems = without(&cases.collect());
    for (_, said, _) in asked {
        // Row 1 is not row 12.
        let named = |problem: &String| {
            let rest = problem.split_once(&said).map(|(_, rest)| rest);
            rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-'))
        };
        assert!(problems.iter().any(named), "{said}: {problems:#?}");
    }
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn without_its_boundary_cases_a_type_is_named() {
    let bools = COVERAGE.dialects.iter().find(|dialect| dialect.name == "godot-2").unwrap();
    let rid = bools.types.iter().find(|entry| entry.layout == "rid").unwrap();
    assert_eq!(rid.boundaries.values().sum::<usize>(), 1);
    let problems = without(&BTreeSet::from([(file_of("header-is-cut", "rid", "godot-2"), "header-is-cut")]));
    assert!(problems.iter().any(|problem| problem.contains("type 17 rid has no boundary case")), "{problems:#?}");
}
