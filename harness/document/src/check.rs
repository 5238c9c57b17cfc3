//! Compares the tables of somebody else's page with what engines do.

mod cell;
mod names;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

use variant_corpus::citation::Citations;
use variant_corpus::{Class, Corpus};
use variant_specs::{Dialect, Erratum, Evidence, Shape, Specs, Status, Type};
use variant_wire::diagnostic::Problem;
use variant_wire::sanitize;

use crate::page::{evidence, is_about, name_of};
use crate::read::{PageRow, PageTable, PageTables};
use crate::rows::{DocumentRow, Offset, rows};
use cell::Columns;
use names::{Names, fields_named};

/// What a page says, compared with a dialect.
#[derive(Debug)]
pub struct Checked<'a> {
    /// The dialect: the one that was named, or whose ids fit best.
    pub dialect: &'a Dialect,
    /// How many rows were compared.
    pub compared: usize,
    /// Where the page disagrees with engines, in its order.
    pub mismatches: Vec<PageMismatch>,
}

/// A row of a page that disagrees with what engines do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMismatch {
    /// Its line, from 1.
    pub line: usize,
    /// What the page says, and what engines do.
    pub message: String,
    /// The erratum that describes it, if there is one.
    pub erratum: Option<String>,
    /// A packet that shows what engines do.
    pub proof: Option<String>,
}

impl fmt::Display for PageMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.erratum.iter().try_for_each(|erratum| write!(f, " (erratum {erratum})"))?;
        self.proof.iter().try_for_each(|proof| write!(f, "\n    shown by {proof}"))
    }
}

/// Compares a page with a dialect: the one given, or the one whose ids it has.
///
/// # Errors
/// The page has no table of ids or fields, or two of ids, or fits no dialect.
pub fn check<'a>(
    file: &str,
    page: &PageTables,
    corpus: &Corpus,
    specs: &'a Specs,
    dialect: Option<&'a Dialect>,
) -> Result<Checked<'a>, Problem> {
    let names = Names::new(specs);
    let page = SortedPage::new(file, page, &names)?;
    let compare = |dialect| PageComparer { corpus, specs, dialect, page: &page }.compare();
    if let Some(dialect) = dialect {
        return Ok(compare(dialect));
    }
    let agreeing = |dialect: &Dialect| {
        page.ids
            .iter()
            .filter(|id| id.layout.as_ref().is_some_and(|layout| id_of(dialect, layout) == Some(id.id)))
            .count()
    };
    let best = specs.dialects.iter().map(agreeing).max().unwrap_or(0);
    if best == 0 {
        let message =
            "it has no id of a known type; write headings like `5: Vector2`, or name the dialect with --dialect";
        return Err(page.problem(1, message.to_owned()));
    }
    let fitting =
        specs.dialects.iter().filter(|dialect| dialect.status != Status::Unverified && agreeing(dialect) == best);
    // With the same ids, the dialect of as many types, then the one in which the page is right most often.
    let far = |checked: &Checked<'_>| {
        let types = checked.dialect.types.len().abs_diff(page.ids.len());
        (types, checked.mismatches.len(), Reverse(checked.compared))
    };
    let checked = fitting.map(compare).min_by_key(far);
    checked.ok_or_else(|| page.problem(1, "no dialect has its ids; name one with --dialect".to_owned()))
}

fn id_of(dialect: &Dialect, layout: &str) -> Option<u32> {
    dialect.layouts.id_of(layout).and_then(|layout| dialect.id_of(layout))
}

/// The page, its tables sorted by what they are.
struct SortedPage<'a> {
    file: &'a str,
    /// The line of the table of ids; 0 if there is none, and the ids are those of the headings.
    ids_line: usize,
    ids: Vec<PageId>,
    sections: Vec<SortedSection<'a>>,
}

struct PageId {
    line: usize,
    id: u32,
    name: String,
    layout: Option<String>,
}

/// A heading that names a type, and the tables of fields below it.
struct SortedSection<'a> {
    line: usize,
    heading: &'a str,
    layout: String,
    tables: Vec<(&'a PageTable, Columns)>,
}

impl<'a> SortedPage<'a> {
    fn new(file: &'a str, page: &'a PageTables, names: &Names) -> Result<Self, Problem> {
        let mut sorted = Self { file, ids_line: 0, ids: Vec::new(), sections: Vec::new() };
        for heading in &page.headings {
            if let Some(layout) = names.layout_of(&heading.text) {
                let (line, heading) = (heading.line, heading.text.as_str());
                sorted.sections.push(SortedSection { line, heading, layout: layout.to_owned(), tables: Vec::new() });
            }
        }
        let mut fields = 0;
        for table in &page.tables {
            if is_ids(table) {
                sorted.add_ids(table, names)?;
            } else if let Some(columns) = Columns::of(&table.head) {
                fields += 1;
                let below =
                    page.headings.iter().rev().find(|heading| heading.line < table.line).map(|heading| heading.line);
                let Some(section) = sorted.sections.iter_mut().find(|section| Some(section.line) == below) else {
                    let message =
                        "this table of fields has no heading with a type above it; write one like `5: Vector2`";
                    return Err(sorted.problem(table.line, message.to_owned()));
                };
                section.tables.push((table, columns));
            }
        }
        if fields == 0 {
            let message = "no table here has the columns Offset, Len and Type; write one for each type";
            return Err(sorted.problem(1, message.to_owned()));
        }
        if sorted.ids_line == 0 {
            let of_heading = |section: &SortedSection<'_>| {
                let (id, name) = section.heading.split_once(':')?;
                let id = id.trim().parse().ok()?;
                Some(PageId {
                    line: section.line,
                    id,
                    name: name.trim().to_owned(),
                    layout: Some(section.layout.clone()),
                })
            };
            sorted.ids = sorted.sections.iter().filter_map(of_heading).collect();
        }
        Ok(sorted)
    }

    fn add_ids(&mut self, table: &PageTable, names: &Names) -> Result<(), Problem> {
        if self.ids_line != 0 {
            let first = self.ids_line;
            let message = format!(
                "a second table of ids; the first starts on line {first}. Keep one, or check each page separately"
            );
            return Err(self.problem(table.line, message));
        }
        self.ids_line = table.line;
        for PageRow { line, cells } in &table.rows {
            let [id, name, ..] = cells.as_slice() else { continue };
            let Ok(id) = id.trim().parse() else { continue };
            if !name.eq_ignore_ascii_case("max") {
                let layout = names.layout_of(name).map(str::to_owned);
                self.ids.push(PageId { line: *line, id, name: name.clone(), layout });
            }
        }
        Ok(())
    }

    fn problem(&self, line: usize, message: String) -> Problem {
        Problem { file: self.file.to_owned(), line, message }
    }
}

/// Whether a table has two columns, the first of numbers.
fn is_ids(table: &PageTable) -> bool {
    let number = |row: &PageRow| row.cells.len() == 2 && row.cells[0].trim().parse::<u32>().is_ok();
    table.rows.len() > 2 && table.rows.iter().all(number)
}

struct PageComparer<'a, 'p> {
    corpus: &'p Corpus,
    specs: &'a Specs,
    dialect: &'a Dialect,
    page: &'p SortedPage<'p>,
}

impl<'a> PageComparer<'a, '_> {
    fn compare(&self) -> Checked<'a> {
        let mut checked = Checked { dialect: self.dialect, compared: 0, mismatches: Vec::new() };
        self.ids(&mut checked);
        for section in &self.page.sections {
            let entry = self.dialect.types.iter().find(|entry| self.dialect.layout(entry).name == section.layout);
            match entry {
                Some(entry) => self.section(section, entry, &mut checked),
                None if section.tables.is_empty() => {}
                None => checked.mismatches.push(PageMismatch {
                    line: section.line,
                    message: format!("{}: {} does not have this type", shown(section.heading), self.dialect.name),
                    erratum: None,
                    proof: None,
                }),
            }
        }
        checked.mismatches.sort_by_key(|mismatch| mismatch.line);
        checked
    }

    fn ids(&self, checked: &mut Checked<'a>) {
        // A page with ids that no engine has shows the erratum of the dialect that has them.
        let unspoken = self.specs.dialects.iter().filter(|dialect| dialect.status == Status::Unspoken);
        let of: Vec<String> = unspoken.chain([self.dialect]).map(|dialect| format!("{}/", dialect.name)).collect();
        let of_ids =
            |erratum: &&Erratum| erratum.rows.iter().any(|row| of.iter().any(|of| row.starts_with(of.as_str())));
        let erratum = self.specs.errata.iter().find(of_ids);
        if self.dialect.status == Status::Unspoken {
            let advice = self.dialect.advice.as_deref().unwrap_or("no engine has these ids");
            checked.mismatches.push(PageMismatch {
                line: self.page.ids_line,
                message: format!("these are the ids of {}: {advice}", self.dialect.name),
                erratum: erratum.map(|erratum| erratum.id.clone()),
                proof: erratum.and_then(|erratum| erratum.evidence.first()).map(proof),
            });
        }
        for id in &self.page.ids {
            checked.compared += 1;
            let Some(layout) = &id.layout else {
                let message = format!("{} {}: this is not the name of a known type", id.id, shown(&id.name));
                checked.mismatches.push(PageMismatch { line: id.line, message, erratum: None, proof: None });
                continue;
            };
            let actual = id_of(self.dialect, layout);
            if actual == Some(id.id) {
                continue;
            }
            let there = self.dialect.type_of(id.id).map_or("no type", name_of);
            let elsewhere =
                actual.map_or_else(|| "has no such type".to_owned(), |actual| format!("has it at {actual}"));
            let message =
                format!("{} {}: {} {elsewhere}, and {there} at {}", id.id, shown(&id.name), self.dialect.name, id.id);
            let proof = self.example(layout);
            checked.mismatches.push(PageMismatch {
                line: id.line,
                message,
                erratum: erratum.map(|erratum| erratum.id.clone()),
                proof,
            });
        }
    }

    fn section(&self, section: &SortedSection<'_>, entry: &Type, checked: &mut Checked<'a>) {
        let engine: Vec<DocumentRow> = rows(self.dialect, entry).into_iter().flat_map(|part| part.rows).collect();
        let mut accepted = engine.clone();
        accepted.extend(also(self.dialect, entry, &engine));
        let mut described_rows: BTreeSet<&str> = BTreeSet::new();
        for (table, columns) in &section.tables {
            for row in &table.rows {
                checked.compared += 1;
                let Some(cells) = columns.cells(row) else { continue };
                let fields = fields_named(cells.description, accepted.iter().map(|row| row.name.as_str()));
                let fits = |engine: &&DocumentRow| {
                    cells.offset.is(engine.offset)
                        && cells.length == engine.length
                        && cells.kind.is_none_or(|kind| kind == engine.kind)
                        && (fields.is_empty() || fields.contains(&engine.name.as_str()))
                };
                let matching: Vec<&str> = accepted.iter().filter(fits).map(|row| row.name.as_str()).collect();
                described_rows.extend(matching.iter().chain(&fields));
                if matching.is_empty() {
                    let place = cells.offset.canonical();
                    let message = format!("{}: {}", shown(section.heading), said(&cells, &fields, &engine));
                    let erratum = self.erratum_of_row(&section.layout, &place, cells.description);
                    checked.mismatches.push(self.mismatch(row.line, message, erratum, &section.layout));
                }
            }
        }
        let missing: Vec<&DocumentRow> =
            engine.iter().filter(|row| !described_rows.contains(row.name.as_str())).collect();
        // A section of a text may refer to that of the other text.
        let refers = section.tables.is_empty() && self.dialect.layout(entry).shape == Shape::Text;
        if !missing.is_empty() && !refers {
            let rows: Vec<String> = missing.iter().map(|row| described(row)).collect();
            let message = format!("{}: there is no row for {}", shown(section.heading), rows.join("; "));
            let erratum = self.erratum_of_note(&section.layout);
            checked.mismatches.push(self.mismatch(section.line, message, erratum, &section.layout));
        }
    }

    fn mismatch(&self, line: usize, message: String, erratum: Option<&Erratum>, layout: &str) -> PageMismatch {
        let shown_by = erratum.and_then(|erratum| evidence(self.dialect, erratum, layout)).map(proof);
        PageMismatch {
            line,
            message,
            erratum: erratum.map(|erratum| erratum.id.clone()),
            proof: shown_by.or_else(|| self.example(layout)),
        }
    }

    /// The erratum about the row of the documents that has this offset, and this name if it is one of ours.
    fn erratum_of_row(&self, layout: &str, offset: &str, description: &str) -> Option<&'a Erratum> {
        let files = self.corpus.files.iter().filter(|file| file.layout == layout && file.is_of(self.dialect));
        let at: Vec<_> = files.flat_map(|file| &file.table.rows).filter(|row| row.offset == offset).collect();
        let named = at.iter().find(|row| row.names.iter().any(|name| description.split('|').any(|word| word == name)));
        let row = format!("{}/{}", self.dialect.name, named.or(at.first())?.id(layout));
        let citations = Citations { specs: self.specs, corpus: None, dialect: self.dialect };
        citations.errata(&row).first().and_then(|id| self.specs.erratum(id))
    }

    /// The erratum about what the documents say of a type without a table.
    fn erratum_of_note(&self, layout: &str) -> Option<&'a Erratum> {
        let of_note = |erratum: &&Erratum| {
            let documents = self.dialect.documents.is_empty() || erratum.is_of(&self.dialect.documents);
            documents && is_about(erratum, layout) && erratum.rows.iter().any(|row| !row.contains('@'))
        };
        self.specs.errata.iter().find(of_note)
    }

    /// The packet of the first canonical case of a type.
    fn example(&self, layout: &str) -> Option<String> {
        self.corpus.cases_of(self.dialect).into_iter().find_map(|(file, case)| {
            let own = file.layout == layout && case.engine.class == Class::Canonical && case.framing.is_none();
            let packet = case.engine.listing.as_ref().filter(|_| own)?.packet(self.dialect).ok()?;
            let short = packet.bytes.len() <= 80;
            short.then(|| format!("{} ({}/{layout}/{})", hex::encode(&packet.bytes), self.dialect.name, case.name))
        })
    }
}

/// Rows that are as right as those of [`rows`], but would only lengthen a page: the place of a part that need not be there.
fn also(dialect: &Dialect, entry: &Type, engine: &[DocumentRow]) -> Vec<DocumentRow> {
    let container = dialect.layout(entry).shape.is_container();
    let moved = |row: &DocumentRow| match row.offset {
        Offset::In(place) if container => Some(DocumentRow { offset: Offset::At(4 + place), ..row.clone() }),
        Offset::In(_) | Offset::At(_) | Offset::Each { .. } | Offset::AfterText(_) => None,
    };
    engine.iter().filter_map(moved).collect()
}

fn described(row: &DocumentRow) -> String {
    let length = row.length.map_or_else(|| "N".to_owned(), |length| length.to_string());
    format!("{} ({} {length} {})", row.name, row.offset, row.kind.name())
}

/// What a row says, and what engines have in its place.
fn said(cells: &cell::Cells<'_>, fields: &[&str], engine: &[DocumentRow]) -> String {
    let there: Vec<String> = engine.iter().filter(|row| cells.offset.is(row.offset)).map(described).collect();
    let elsewhere: Vec<String> = engine
        .iter()
        .filter(|row| fields.contains(&row.name.as_str()) && !cells.offset.is(row.offset))
        .map(described)
        .collect();
    let there =
        if there.is_empty() { "no field starts there".to_owned() } else { format!("there is {}", there.join(" or ")) };
    let elsewhere =
        if elsewhere.is_empty() { String::new() } else { format!("; this one is {}", elsewhere.join(" or ")) };
    format!("{}: {there}{elsewhere}", cells.shown())
}

fn proof(Evidence { engine, version, packet, shows }: &Evidence) -> String {
    format!("{packet} ({engine} {version}: {shows})")
}

fn shown(text: &str) -> String {
    sanitize::short(text, 60)
}
