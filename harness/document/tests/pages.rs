//! Pages that are written here from the facts of the published ones, and the errata that are found in them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_corpus::{Corpus, TableRow};
use variant_document::check::{Checked, check};
use variant_document::{Page, PageFormat, SourceFormat, read, render};
use variant_specs::{Dialect, Specs};

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &SPECS).unwrap());

/// The tables of a dialect's documents, as a page: ids, then a section with its tables for each type.
fn published(dialect: &Dialect) -> String {
    let mut page = "# A page\n\n| Type | Value |\n|---|---|\n".to_owned();
    for entry in &dialect.types {
        let name = entry.section.split_once(": ").unwrap().1;
        writeln!(page, "| {} | {name} |", entry.id).unwrap();
    }
    writeln!(page, "| {} | max |", dialect.max).unwrap();
    for entry in &dialect.types {
        writeln!(page, "\n### {}", entry.section).unwrap();
        let layout = &dialect.layout(entry).name;
        let files = CORPUS.files.iter().filter(|file| file.layout == *layout && file.is_of(dialect));
        let rows: Vec<&TableRow> = files.flat_map(|file| &file.table.rows).collect();
        for table in rows.chunk_by(|a, b| a.variant == b.variant) {
            page += "\n| Offset | Len | Type | Description |\n|---|---|---|---|\n";
            for TableRow { offset, length, kind, names, .. } in table {
                let offset = printed(offset);
                writeln!(page, "| {offset} | {length} | {kind} | {} |", names.join("\\|")).unwrap();
            }
        }
    }
    page
}

/// `8+4i` as pages print it, and the place after two lengths.
fn printed(offset: &str) -> String {
    if let Some((base, step)) = offset.strip_suffix('i').and_then(|each| each.split_once('+')) {
        let step = if step.is_empty() { String::new() } else { format!("*{step}") };
        return format!("8..{base}+length{step}");
    }
    if offset.starts_with('Y') { format!("{offset}+Z") } else { offset.to_owned() }
}

fn checked<'a>(text: &str, format: SourceFormat, dialect: Option<&'a Dialect>) -> Result<Checked<'a>, String> {
    let page = read("page", text, format).map_err(|problem| problem.to_string())?;
    let specs: &'static Specs = &SPECS;
    check("page", &page, &CORPUS, specs, dialect).map_err(|problem| problem.to_string())
}

/// Every erratum that is a row, and nothing else.
#[rstest]
#[case("godot-3", &["basis-is-row-major", "double-real-array-stays-single", "node-path-new-form-offsets", "node-path-old-form", "object-by-id"])]
#[case("pandemonium-38", &["basis-is-row-major", "double-real-array-stays-single", "node-path-new-form-offsets", "node-path-old-form", "object-by-id", "vector4-array-strides"])]
#[case("godot-docs-4", &["basis-is-row-major", "double-real-array-stays-single", "ids-of-no-engine", "int64-count-is-four-bytes", "node-path-new-form-offsets", "node-path-old-form", "offsets-forget-padding"])]
#[case("godot-4.4", &["basis-is-row-major", "offsets-forget-padding"])]
fn a_published_page_has_these_errata(#[case] name: &str, #[case] errata: &[&str]) {
    let page = published(SPECS.dialect(name).unwrap());
    let checked = checked(&page, SourceFormat::Markdown, None).unwrap();
    assert_eq!(checked.dialect.name, name);
    for mismatch in &checked.mismatches {
        assert!(mismatch.erratum.is_some() && mismatch.proof.is_some() && mismatch.line > 0, "{mismatch}");
    }
    let found: BTreeSet<&str> = checked.mismatches.iter().filter_map(|mismatch| mismatch.erratum.as_deref()).collect();
    assert_eq!(found, errata.iter().copied().collect(), "{:#?}", checked.mismatches);
}

/// What is written here is right, in both formats that are read.
#[test]
fn our_own_pages_agree_with_engines() {
    for dialect in SPECS.spoken() {
        for (format, other) in [(PageFormat::Rst, SourceFormat::Rst), (PageFormat::Markdown, SourceFormat::Markdown)] {
            let text = render(&Page::new(&CORPUS, &SPECS, dialect), format).unwrap();
            assert_eq!(text, render(&Page::new(&CORPUS, &SPECS, dialect), format).unwrap());
            let checked = checked(&text, other, Some(dialect)).unwrap();
            assert!(checked.mismatches.is_empty(), "{}: {:#?}", dialect.name, checked.mismatches);
            assert!(checked.compared > 100, "{}: {}", dialect.name, checked.compared);
        }
    }
}

const GRID: &str = "0: null\n=======\n\n+--------+-----+------+------+\n| Offset | Len | Type | Name |\n";

#[rstest]
#[case::no_table("words\n", SourceFormat::Rst, "page:1: there is no table here")]
#[case::no_table_of_fields(
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    SourceFormat::Markdown,
    "page:1: no table here has the columns Offset, Len and Type"
)]
#[case::broken_grid(&format!("{GRID}+--------+----+------+------+\n"), SourceFormat::Rst, "page:6: the table that starts on line 4 is broken")]
#[case::open_grid(
    GRID,
    SourceFormat::Rst,
    "page:5: the table that starts on line 4 is broken: it has no rule at the end"
)]
#[case::no_heading(
    "| Offset | Len | Type | Name |\n|---|---|---|---|\n| 4 | 4 | Integer | x |\n",
    SourceFormat::Markdown,
    "page:1: this table of fields has no heading with a type above it"
)]
#[case::two_tables_of_ids(
    "| a | b |\n|---|---|\n| 0 | null |\n| 1 | bool |\n| 2 | int |\n\n| a | b |\n|---|---|\n| 0 | null |\n| 1 | bool |\n| 2 | int |\n",
    SourceFormat::Markdown,
    "page:7: a second table of ids; the first starts on line 1"
)]
#[case::ten_megabytes(&"x".repeat(10 << 20), SourceFormat::Markdown, "page: it has 10485760 bytes")]
fn what_is_no_page_is_refused(#[case] text: &str, #[case] format: SourceFormat, #[case] said: &str) {
    let message = checked(text, format, None).unwrap_err();
    assert!(message.starts_with(said), "{message}");
}
