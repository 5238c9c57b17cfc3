//! What a page says is in the cases of its dialect.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use variant_corpus::{Corpus, Row};
use variant_document::rows::{DocumentRow, FieldType, Offset, rows};
use variant_document::{Page, PageFormat, render};
use variant_specs::{Shape, Specs};
use variant_values::fields::any_index;

/// A row of a page is a row of some case: under its name, and at its offset where that does not depend on what is before.
#[test]
fn each_row_is_one_of_a_case() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &specs).unwrap();
    for dialect in specs.spoken() {
        // The rows of a record are those of `specs/`, of which a case may show some.
        for entry in dialect.types.iter().filter(|entry| dialect.layout(entry).shape != Shape::Record) {
            let name = &dialect.layout(entry).name;
            let cases = corpus.cases_of(dialect).into_iter().filter(|(file, _)| file.layout == *name);
            let listings = cases.filter_map(|(_, case)| case.listing.as_ref().filter(|_| case.framing.is_none()));
            let shown: Vec<&Row> = listings.flat_map(|listing| &listing.rows).collect();
            for row in rows(dialect, entry).iter().flat_map(|part| &part.rows) {
                assert!(shown.iter().any(|shown| is_row(row, shown)), "{}: {name}: {row:?}", dialect.name);
            }
        }
    }
}

fn is_row(row: &DocumentRow, shown: &Row) -> bool {
    let is_there = match row.offset {
        Offset::At(at) => shown.offset == at,
        Offset::Each { base, step } => shown.offset >= base && (shown.offset - base).is_multiple_of(step),
        Offset::In(_) | Offset::AfterText(_) => true,
    };
    let name = any_index(&shown.name);
    // A case has the rows of the value, as `properties[0].value.header`.
    is_there && (name == row.name || row.kind == FieldType::Value && name.starts_with(&format!("{}.", row.name)))
}

#[test]
fn a_page_is_the_same_each_time() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let dialect = specs.dialect("godot-4.4").unwrap();
    for format in [PageFormat::Rst, PageFormat::Markdown] {
        let page = || render(&Page::new(&corpus, &specs, dialect), format).unwrap();
        assert_eq!(page(), page());
    }
}

/// What the tests ask is on the page, under the type that it is about.
#[test]
fn a_page_has_what_is_tested() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let page =
        |dialect| render(&Page::new(&corpus, &specs, specs.dialect(dialect).unwrap()), PageFormat::Markdown).unwrap();
    let newest = page("godot-4.4");
    let section = |heading: &str| newest.split(heading).nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
    for (heading, words) in [
        ("\n## 5: Vector2\n", "Vector2 is x, y: 32-bit floats, of 64 bits with flag 1"),
        ("\n## 34: PackedStringArray\n", "A NUL ends a text"),
        ("\n## 4: String\n", "A NUL ends a text"),
        ("\n## 4: String\n", "byte order mark is dropped when read"),
        ("\n## 27: Dictionary\n", "A String and a StringName of one text are one key"),
        ("\n## 27: Dictionary\n", "but not as elements of an array"),
        ("\n## 27: Dictionary\n", "so are two NaNs"),
        ("\n## 27: Dictionary\n", "in the same order"),
        ("\n## 28: Array\n", "0 is no type"),
        ("\n## 28: Array\n", "Type 24 is any object"),
        ("\n## 28: Array\n", "a class without a name is any object"),
        ("\n## 28: Array\n", "a script whose path is empty or does not begin with"),
        ("\n## Refusals\n", "one wrong byte ends a session"),
        ("\n## What may be declared\n", "`nan-payload`: "),
        ("\n## What may be declared\n", "`string-keys`: "),
    ] {
        assert!(section(heading).contains(words), "{heading}: {words}: {}", section(heading));
    }
    for (heading, words) in
        [("\n## 4: String\n", "the length of a text counts characters"), ("\n## 28: Array\n", "What people get wrong")]
    {
        assert!(section(heading).contains(words), "{heading}: {words}: {}", section(heading));
    }
    assert!(
        page("godot-3").contains("It is undecided for dictionaries, for NaNs of other bits, and for the two zeros")
    );
}
