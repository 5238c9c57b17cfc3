//! Coverage: every row, note and id of the documents has a case that would show if it were wrong.

use std::collections::BTreeSet;
use std::path::Path;

use variant_specs::{Dialect, Document, Layout, Shape, Specs, Status, Type};

use super::problem::{in_dialect, in_specs};
use crate::coverage::{ClassCounts, DialectCoverage, of_dialect};
use crate::{BUILT_IN, Class, Corpus, File};
use variant_values::diagnostic::Problem;

/// Checks the coverage of one dialect's documents.
pub(super) fn check(corpus: &Corpus, specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    let own: Vec<&File> = corpus.files.iter().map(AsRef::as_ref).filter(|file| file.is_of(dialect)).collect();
    let coverage = of_dialect(corpus, specs, dialect);
    for file in own.iter().filter(|file| file.inherited.is_none()) {
        rows(file, dialect, &coverage, problems);
        let id = dialect.layouts.id_of(&file.layout).and_then(|layout| dialect.id_of(layout));
        let stem = Path::new(&file.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let named = stem.split_once('-').and_then(|(number, _)| number.parse::<u32>().ok());
        if let (Some(id), Some(named)) = (id.filter(|id| named.is_some_and(|named| named != *id)), named) {
            problems.push(file.problem(1, format!("is named {named}, but {} is type {id}", file.layout)));
        }
    }
    if dialect.documents.is_empty() && dialect.basis.is_none() {
        let message = "no document describes it: name the authority in `basis:`, and which parts could be tested";
        problems.push(in_dialect(dialect, message.to_owned()));
    }
    types(&own, specs, dialect, &coverage, problems);
    if dialect.status != Status::Unverified && !coverage.max.covered {
        let message = format!("row {}: no case refuses id {} as unknown-type", coverage.max.id, dialect.max);
        problems.push(in_dialect(dialect, message));
    }
    totals(&own, specs, dialect, problems);
}

/// Every row of every table is shown by a value that differs from zero and from its neighbours, and every sentence beside
/// the tables by a case that is not undecided.
fn rows(file: &File, dialect: &Dialect, coverage: &DialectCoverage, problems: &mut Vec<Problem>) {
    let rows = coverage.types.iter().flat_map(|entry| entry.rows.iter().chain(&entry.notes)).chain(&coverage.packet);
    let uncovered: BTreeSet<&str> = rows.filter(|row| !row.covered).map(|row| row.id.as_str()).collect();
    for row in &file.table.rows {
        let id = format!("{}/{}", dialect.name, row.id(&file.layout));
        if uncovered.contains(id.as_str()) {
            let of = dialect.layouts.id_of(&file.layout).map(|layout| dialect.layouts.get(layout));
            let of_element =
                |of: &&Layout| of.shape == Shape::Packed && of.fields.iter().any(|field| row.names.contains(field));
            let message = match of.filter(of_element) {
                Some(_) => format!("row {id}: {} is a field of each element: name it `[i].{0}`", row.names[0]),
                None => format!(
                    "row {id}: no canonical or readable case has a value there that differs from zero and from its \
                     neighbours"
                ),
            };
            problems.push(file.problem(file.table_line + row.line, message));
        }
    }
    for note in &file.notes {
        let id = format!("{}/{}/{note}", dialect.name, file.layout);
        if uncovered.contains(id.as_str()) {
            let message = format!("note {id}: no case covers it; name it in `covers:` of a case that tests it");
            problems.push(file.problem(1, message));
        }
    }
}

/// Every id has a file of its own, a canonical case with a literal header, an invalid case and a boundary case.
fn types(own: &[&File], specs: &Specs, dialect: &Dialect, coverage: &DialectCoverage, problems: &mut Vec<Problem>) {
    // A fork that has files only for its own types needs none for those of its parent.
    let parent = dialect.parent.as_ref().and_then(|name| specs.dialect(name));
    let types_of_parent = parent.iter().flat_map(|parent| &parent.types).map(|entry| &dialect.layout(entry).name);
    let types_of_parent: Vec<&String> = types_of_parent.collect();
    let all_inherited =
        own.iter().all(|file| file.inherited.is_some() || parent.is_some() && !types_of_parent.contains(&&file.layout));
    // Nor for those that it moved, if it has files for a few of them only.
    let moves =
        |entry: &&Type| parent.is_some_and(|parent| parent.id_of(entry.layout).is_some_and(|id| id != entry.id));
    let (with_file, without): (Vec<&Type>, Vec<&Type>) = dialect.types.iter().filter(moves).partition(|entry| {
        own.iter().any(|file| file.inherited.is_none() && file.layout == dialect.layout(entry).name)
    });
    let all_inherited = all_inherited || with_file.len() < without.len();
    for (entry, covered) in dialect.types.iter().zip(&coverage.types) {
        let layout = &dialect.layout(entry).name;
        let kind = format!("type {} {layout}", entry.id);
        let Some(file) = own.iter().find(|file| file.layout == *layout) else {
            if !all_inherited || own.is_empty() || covered.cases == ClassCounts::default() {
                let message = format!("{kind} has no case of this dialect: write {}", file_of(own, dialect, entry));
                problems.push(in_dialect(dialect, message));
            }
            continue;
        };
        let moved = parent.filter(|parent| parent.id_of(entry.layout) != Some(entry.id));
        if let Some(parent) = moved.filter(|_| file.inherited.is_some() && !all_inherited) {
            let message = format!(
                "{kind} has another id than in {}: write {}, with `beside-parent: true` and a case whose header is \
                 literal bytes",
                parent.name,
                file_of(own, dialect, entry)
            );
            problems.push(in_dialect(dialect, message));
        }
        let other = file.section.as_ref().filter(|section| **section != entry.section);
        if let Some(section) = other.filter(|_| !dialect.documents.is_empty()) {
            problems.push(file.problem(1, format!("section {section:?}, but the specs say {:?}", entry.section)));
        }
        let mut own_cases = own.iter().filter(|file| file.layout == *layout).flat_map(|file| &file.cases);
        let has_canonical = own_cases.any(|case| case.class == Class::Canonical);
        if !has_canonical && dialect.rules.supports(dialect.layout(entry)) {
            let message = format!("row {}/{}: type {layout} has no canonical case", dialect.name, entry.id);
            problems.push(file.problem(1, message));
        }
        if covered.cases.invalid == 0 {
            problems.push(file.problem(1, format!("{kind} has no invalid case")));
        }
        if covered.boundaries.is_empty() {
            let what = "the largest, the smallest, empty, or not a number";
            problems.push(file.problem(1, format!("{kind} has no boundary case: {what}")));
        }
    }
}

/// Where the cases of a type belong: in the folder of the dialect's other files, or in one that has the name of the dialect's file.
fn file_of(own: &[&File], dialect: &Dialect, entry: &Type) -> String {
    let other = own.iter().find(|file| file.dialect.is_some() && file.inherited.is_none());
    let folder = other.and_then(|file| Path::new(&file.path).parent());
    let named = Path::new(Path::new(&dialect.file).file_stem().unwrap_or_default());
    // What is built in stands in the folder of the project.
    let folder = folder.unwrap_or(named).display().to_string().replace(BUILT_IN, "corpus/");
    format!("{folder}/{:02}-{}.yaml", entry.id, dialect.layout(entry).name)
}

/// There are as many rows as were counted by hand in the documents.
fn totals(own: &[&File], specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    // A fork that has only its parent's documents may have other rows; one with other types has, also in its parent's place.
    if !dialect.types.iter().map(|entry| &entry.layout).eq(&dialect.documented) {
        return;
    }
    let parent = dialect.parent.as_ref().and_then(|name| specs.dialect(name));
    let inherited = parent.is_some_and(|parent| parent.documents == dialect.documents);
    let has_its_rows = |document: &Document| match &document.dialect {
        Some(name) => *name == dialect.name,
        None => !inherited,
    };
    let rows: usize = own.iter().map(|file| file.table.rows.len()).sum();
    let described = specs.documents.iter().filter(|document| dialect.documents.contains(&document.name));
    for document in described.filter(|document| has_its_rows(document)) {
        let types = dialect.types.len() + usize::from(document.max_row);
        for (what, counted, found) in [("field", document.field_rows, rows), ("type", document.type_rows, types)] {
            if counted != found {
                let (document, dialect) = (&document.name, &dialect.name);
                let message = format!("{document} has {counted} {what} rows, but the corpus of {dialect} has {found}");
                problems.push(in_specs("documents", message));
            }
        }
    }
}
