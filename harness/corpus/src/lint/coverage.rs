//! Coverage: every row, note and id of the documents has a case that would show it wrong.

use variant_specs::{Dialect, Reading, Specs};

use crate::coverage::{Boundary, is_moved};
use crate::{ByteToken, Case, Class, Corpus, FRAMING, FieldPlace, File, Listing, PACKET, Scope, TableRow};
use variant_wire::diagnostic::Problem;

/// Checks the coverage of one dialect's documents.
pub(super) fn check(corpus: &Corpus, specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    let own: Vec<&File> = corpus.files.iter().map(AsRef::as_ref).filter(|file| file.is_of(dialect)).collect();
    for file in own.iter().filter(|file| file.inherited.is_none()) {
        rows(file, specs, dialect, problems);
        notes(file, dialect, corpus, problems);
    }
    if dialect.documents.is_empty() && dialect.basis.is_none() {
        problems.push(Problem {
            file: format!("specs/{}.yaml", dialect.name),
            line: 0,
            message: "no document describes it: say in `basis:` who does, and what of it could be asked".to_owned(),
        });
    }
    types(&own, corpus, specs, dialect, problems);
    totals(&own, specs, dialect, problems);
}

/// Every row of every table is exposed: by a value that is not zero and not that of a neighbour.
fn rows(file: &File, specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    for row in &file.table.rows {
        let id = format!("{}/{}", dialect.name, row.id(&file.layout));
        let erratum = is_moved(&id, dialect, specs);
        for name in &row.names {
            if !file.cases.iter().any(|case| exposes(case, row, name, erratum)) {
                let message = format!(
                    "row {id} ({name}): no canonical or readable case has a value there that differs from zero and from its neighbours"
                );
                problems.push(file.problem(file.table_line + row.line, message));
            }
        }
    }
}

fn exposes(case: &Case, row: &TableRow, name: &str, erratum: bool) -> bool {
    [Reading::Document, Reading::Engine].into_iter().any(|reading| {
        let side = case.side(reading);
        matches!(side.class, Class::Canonical | Class::Readable)
            && side.listing.as_ref().is_some_and(|listing| exposed_in(listing, row, name, erratum))
    })
}

fn exposed_in(listing: &Listing, row: &TableRow, name: &str, erratum: bool) -> bool {
    let rows = &listing.rows;
    (0..rows.len()).any(|place| {
        let candidate = &rows[place];
        let neighbours = [place.checked_sub(1), place.checked_add(1)];
        let neighbour = |pieces: &[ByteToken]| {
            neighbours.iter().flatten().filter_map(|place| rows.get(*place)).any(|other| other.pieces == pieces)
        };
        let zero = candidate.pieces.iter().all(|piece| *piece == ByteToken::Byte(0));
        let field = FieldPlace { name: &candidate.name, offset: candidate.offset, length: candidate.len() };
        row.describes(name, field, erratum) && !zero && !candidate.is_empty() && !neighbour(&candidate.pieces)
    })
}

/// Every sentence beside the tables is shown by a case that is not open.
fn notes(file: &File, dialect: &Dialect, corpus: &Corpus, problems: &mut Vec<Problem>) {
    let shown = |note: &String| {
        let same_layout = |other: &&std::sync::Arc<File>| {
            let about = other.layout == file.layout || file.layout == PACKET && other.layout == FRAMING;
            about && (other.home == file.home || other.home == Scope::Family)
        };
        corpus
            .files
            .iter()
            .filter(same_layout)
            .flat_map(|other| &other.cases)
            .any(|case| case.engine.class != Class::Open && case.covers.contains(note))
    };
    for note in file.notes.iter().filter(|note| !shown(note)) {
        let id = format!("{}/{}/{note}", dialect.name, file.layout);
        problems
            .push(file.problem(0, format!("note {id}: no case covers it; name it in `covers:` of one that shows it")));
    }
    for case in &file.cases {
        if let Some(note) = case.covers.iter().find(|note| !file.notes.contains(note)) {
            problems
                .push(file.problem(case.line, format!("case {}: covers {note}, which is not in `notes:`", case.name)));
        }
    }
}

/// Every id has a file of its own, a canonical case with a literal header, and an invalid case.
fn types(own: &[&File], corpus: &Corpus, specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    // A fork without a corpus of its own has its parent's, and that is all that is asked of it.
    let all_inherited = own.iter().all(|file| file.inherited.is_some());
    let whole = |message: String| Problem { file: format!("specs/{}.yaml", dialect.name), line: 0, message };
    for entry in &dialect.types {
        let layout = &dialect.layout(entry).name;
        let Some(file) = own.iter().find(|file| file.layout == *layout) else {
            if all_inherited && !own.is_empty() {
                continue;
            }
            problems.push(whole(format!("type {} {layout} has no file in the corpus", entry.id)));
            continue;
        };
        let proved =
            |name: &String| specs.dialect(name).and_then(|origin| origin.id_of(entry.layout)) == Some(entry.id);
        if !all_inherited && file.inherited.as_ref().is_some_and(|name| !proved(name)) {
            problems.push(whole(format!(
                "type {} {layout} has another id than in {}, and no file of its own that proves it",
                entry.id,
                file.inherited.as_deref().unwrap_or_default()
            )));
        }
        if !dialect.documents.is_empty() && file.section.as_ref().is_some_and(|section| *section != entry.section) {
            problems.push(file.problem(0, format!("section {:?}, and specs say {:?}", file.section, entry.section)));
        }
        let mut cases = own.iter().filter(|file| file.layout == *layout).flat_map(|file| &file.cases);
        if !cases.any(|case| case.engine.class == Class::Canonical)
            && dialect.rules.has_canonical(dialect.layout(entry).shape)
        {
            problems.push(
                file.problem(0, format!("row {}/{}: type {layout} has no canonical case", dialect.name, entry.id)),
            );
        }
        let all = corpus.cases_of(dialect);
        if !all.iter().any(|(file, case)| file.layout == *layout && case.engine.class == Class::Invalid) {
            problems.push(file.problem(0, format!("type {} {layout} has no invalid case", entry.id)));
        }
        let of_type = all.iter().filter(|(file, _)| file.layout == *layout).map(|(_, case)| *case);
        if !of_type.into_iter().any(|case| Boundary::is_in_listing(case, layout, dialect)) {
            let what = "the largest, the smallest, nothing, or what is no number";
            problems.push(file.problem(0, format!("type {} {layout} has no boundary case: {what}", entry.id)));
        }
    }
    let max = own
        .iter()
        .filter(|file| file.layout == PACKET)
        .flat_map(|file| &file.cases)
        .any(|case| refuses_max(case, dialect));
    if !max {
        problems.push(whole(format!("row {}/max: no case refuses id {} as unknown-type", dialect.name, dialect.max)));
    }
}

fn refuses_max(case: &Case, dialect: &Dialect) -> bool {
    let kind = case.engine.rejects.map(|rejects| rejects.kind);
    let packet = case.engine.listing.as_ref().and_then(|listing| listing.packet(dialect).ok());
    let header = packet.and_then(|packet| packet.bytes.first_chunk().copied()).map(u32::from_le_bytes);
    kind == Some(variant_codec::Refusal::UnknownType) && header == Some(dialect.max)
}

/// The rows are as many as somebody counted in the documents.
fn totals(own: &[&File], specs: &Specs, dialect: &Dialect, problems: &mut Vec<Problem>) {
    // A fork that has no document but its parent's may have other rows.
    let parent = dialect.parent.as_ref().and_then(|name| specs.dialect(name));
    if parent.is_some_and(|parent| parent.documents == dialect.documents) {
        return;
    }
    let rows: usize = own.iter().map(|file| file.table.rows.len()).sum();
    for document in specs.documents.iter().filter(|document| dialect.documents.contains(&document.name)) {
        let mut compare = |what: &str, counted: usize, found: usize| {
            if counted != found {
                problems.push(Problem {
                    file: "specs/documents.yaml".to_owned(),
                    line: 0,
                    message: format!(
                        "{} has {counted} {what} rows, and the corpus of {} has {found}",
                        document.name, dialect.name
                    ),
                });
            }
        };
        compare("field", document.field_rows, rows);
        compare("type", document.type_rows, dialect.types.len() + usize::from(document.max_row));
    }
}
