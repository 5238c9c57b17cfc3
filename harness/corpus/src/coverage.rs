//! Coverage: which rows of which table are covered by which cases, measured from the reference decoder's trace.

mod boundary;
mod pairs;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use variant_specs::{Dialect, JudgedBy, Precision, Specs, Type};

pub use boundary::Boundary;
pub use pairs::PairCoverage;

use crate::citation::is_about;
use crate::{Case, Class, Corpus, File, PACKET, TableRow};
use trace::CaseTrace;

/// The coverage of some dialects and of the documents that describe them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Coverage {
    pub documents: Vec<DocumentCoverage>,
    pub dialects: Vec<DialectCoverage>,
}

impl Coverage {
    /// The dialect of a document's rows, as it is shown to people.
    pub fn title_of<'c>(&'c self, document: &'c DocumentCoverage) -> &'c str {
        let described = self.dialects.iter().find(|dialect| dialect.name == document.dialect);
        described.map_or(&document.dialect, |dialect| &dialect.title)
    }

    /// The ids of the rows and notes of all documents that no case covers.
    pub fn uncovered(&self) -> impl Iterator<Item = &String> {
        self.documents.iter().flat_map(|document| &document.uncovered)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CoveredCount {
    /// How many there are. For the tables of a document: as many as were counted by hand.
    pub total: usize,
    /// How many of them at least one case covers.
    pub covered: usize,
}

impl CoveredCount {
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r CoverageRow>) -> Self {
        let mut count = Self::default();
        for row in rows {
            count.total += 1;
            count.covered += usize::from(row.covered);
        }
        count
    }
}

impl fmt::Display for CoveredCount {
    /// `3/4`, or `-` if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total == 0 { f.pad("-") } else { f.pad(&format!("{}/{}", self.covered, self.total)) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DocumentCoverage {
    /// The document's name: `godot-3-en`.
    pub name: String,
    pub title: String,
    pub dialect: String,
    /// Rows of its table of types, the row `max` included where it has one.
    pub type_rows: CoveredCount,
    pub field_rows: CoveredCount,
    /// The notes: sentences outside its tables.
    pub notes: CoveredCount,
    /// The ids of the rows and notes that no case covers.
    pub uncovered: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DialectCoverage {
    /// The dialect's name: `godot-3`.
    pub name: String,
    /// The dialect as it is shown to people: `Godot 3.1–3.6 (godot-3)`.
    pub title: String,
    pub documents: Vec<String>,
    /// Where expected results come from, if no document describes the dialect: an engine and its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
    /// Its types, in the order of their ids.
    pub types: Vec<TypeCoverage>,
    /// The row `max`: the first id that must be refused.
    pub max: CoverageRow,
    /// The notes of its documents about all packets.
    pub packet: Vec<CoverageRow>,
    /// Cases about all packets, and about their length prefix.
    pub packet_cases: ClassCounts,
    /// Pairs of a type, the place where it stands (alone, in an array, in a dictionary), the width of an int or float and a
    /// direction.
    pub pairs: PairCoverage,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TypeCoverage {
    pub id: u32,
    pub layout: String,
    pub name: String,
    pub section: String,
    pub row: CoverageRow,
    pub rows: Vec<CoverageRow>,
    /// The notes: sentences outside its tables.
    pub notes: Vec<CoverageRow>,
    /// Cases by class, its own and the family's.
    pub cases: ClassCounts,
    /// How many cases are at each boundary.
    pub boundaries: BTreeMap<&'static str, usize>,
    /// How many cases have each field.
    pub fields: BTreeMap<String, usize>,
    /// How many cases have each subject of `tags.yaml`.
    pub tags: BTreeMap<String, usize>,
    /// The errata that its cases show.
    pub errata: BTreeSet<String>,
}

/// A row of a table or a note, and the cases that cover it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverageRow {
    /// The row's id, `godot-3/vector2@4`; of a note, `godot-3/vector2/NOTE`.
    pub id: String,
    /// Whether it is covered. A row with two names needs a case for each.
    pub covered: bool,
    /// The names of the cases that show it.
    pub cases: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ClassCounts {
    pub canonical: usize,
    pub readable: usize,
    pub invalid: usize,
    pub undecided: usize,
}

impl TypeCoverage {
    /// How many of its rows and notes are covered.
    pub fn count(&self) -> CoveredCount {
        CoveredCount::of(self.rows.iter().chain(&self.notes))
    }
}

impl CoverageRow {
    fn new(id: String, cases: Vec<String>) -> Self {
        Self { id, covered: !cases.is_empty(), cases }
    }
}

impl ClassCounts {
    fn count(&mut self, class: Class) {
        match class {
            Class::Canonical => self.canonical += 1,
            Class::Readable => self.readable += 1,
            Class::Invalid => self.invalid += 1,
            Class::Undecided => self.undecided += 1,
        }
    }
}

/// Measures the coverage of these dialects.
pub fn measure(corpus: &Corpus, specs: &Specs, dialects: &[&Dialect]) -> Coverage {
    let dialect = |dialect: &&Dialect| DialectCoverage {
        pairs: PairCoverage::of(corpus, specs, dialect),
        ..of_dialect(corpus, specs, dialect)
    };
    let dialects: Vec<DialectCoverage> = dialects.iter().map(dialect).collect();
    let documents = dialects.iter().flat_map(|dialect| {
        let describing = specs.documents.iter().filter(|document| {
            let has_its_rows = document.dialect.as_ref().is_none_or(|name| *name == dialect.name);
            has_its_rows && dialect.documents.contains(&document.name)
        });
        describing.map(|document| document_coverage(document, dialect))
    });
    Coverage { documents: documents.collect(), dialects }
}

/// Measures the coverage of one dialect, without the pairs of its types.
pub(crate) fn of_dialect(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> DialectCoverage {
    Measurer::new(corpus, specs, dialect).dialect_coverage()
}

fn document_coverage(document: &variant_specs::Document, dialect: &DialectCoverage) -> DocumentCoverage {
    let fields = dialect.types.iter().flat_map(|entry| &entry.rows);
    let max = Some(&dialect.max).filter(|_| document.max_row);
    let types = dialect.types.iter().map(|entry| &entry.row).chain(max);
    let notes = dialect.types.iter().flat_map(|entry| &entry.notes).chain(&dialect.packet);
    let all = types.clone().chain(fields.clone()).chain(notes.clone());
    DocumentCoverage {
        name: document.name.clone(),
        title: document.title.clone(),
        dialect: dialect.name.clone(),
        type_rows: CoveredCount { total: document.type_rows, ..CoveredCount::of(types) },
        field_rows: CoveredCount { total: document.field_rows, ..CoveredCount::of(fields) },
        notes: CoveredCount::of(notes),
        uncovered: all.filter(|row| !row.covered).map(|row| row.id.clone()).collect(),
    }
}

/// A case, and the decoder's trace of it by each judge.
struct TracedCase<'a> {
    file: &'a File,
    case: &'a Case,
    engine: Option<CaseTrace>,
    document: Option<CaseTrace>,
}

impl TracedCase<'_> {
    fn traces(&self) -> impl Iterator<Item = &CaseTrace> {
        self.engine.iter().chain(&self.document)
    }

    /// What any of its traces has: a case counts once.
    fn any<T: Ord>(&self, of: impl Fn(&CaseTrace) -> BTreeSet<T>) -> BTreeSet<T> {
        self.traces().flat_map(of).collect()
    }
}

struct Measurer<'a> {
    specs: &'a Specs,
    dialect: &'a Dialect,
    files: Vec<&'a File>,
    cases: Vec<TracedCase<'a>>,
}

impl<'a> Measurer<'a> {
    fn new(corpus: &'a Corpus, specs: &'a Specs, dialect: &'a Dialect) -> Self {
        let traced = |(file, case): (&'a File, &'a Arc<Case>)| TracedCase {
            file,
            case,
            engine: CaseTrace::new(case, dialect, JudgedBy::Engines),
            document: case.document_in(dialect).and_then(|_| CaseTrace::new(case, dialect, JudgedBy::Documents)),
        };
        Self {
            specs,
            dialect,
            files: corpus.files.iter().map(AsRef::as_ref).filter(|file| file.place_in(dialect).is_some()).collect(),
            cases: corpus.cases_of(dialect).into_iter().map(traced).collect(),
        }
    }

    fn dialect_coverage(&self) -> DialectCoverage {
        let mut packet_cases = ClassCounts::default();
        let about_all = self.cases.iter().filter(|traced| !traced.file.is_of_a_type());
        about_all.for_each(|traced| packet_cases.count(traced.case.class));
        let refuses_max =
            |trace: &CaseTrace| trace.class == Class::Invalid && trace.no_type() == Some(self.dialect.max);
        let packets = self.own(PACKET);
        DialectCoverage {
            name: self.dialect.name.clone(),
            title: self.dialect.title(),
            documents: self.dialect.documents.clone(),
            basis: self.dialect.basis.clone(),
            types: self.dialect.types.iter().map(|entry| self.type_coverage(entry)).collect(),
            max: CoverageRow::new(
                format!("{}/max", self.dialect.name),
                self.names(PACKET, |traced| traced.engine.as_ref().is_some_and(refuses_max)),
            ),
            packet: packets.iter().flat_map(|file| self.notes(file)).collect(),
            packet_cases,
            pairs: PairCoverage::default(),
        }
    }

    /// The dialect's own files about a layout.
    fn own(&self, layout: &str) -> Vec<&'a File> {
        self.files.iter().filter(|file| file.layout == layout && file.is_of(self.dialect)).copied().collect()
    }

    fn type_coverage(&self, entry: &Type) -> TypeCoverage {
        let layout = &self.dialect.layout(entry).name;
        let files = self.own(layout);
        let mut coverage = TypeCoverage {
            id: entry.id,
            layout: layout.clone(),
            name: self.dialect.type_name(entry).to_owned(),
            section: entry.section.clone(),
            row: CoverageRow::new(
                format!("{}/{}", self.dialect.name, entry.id),
                self.names(layout, |traced| self.proves(traced, entry)),
            ),
            rows: files.iter().flat_map(|file| &file.table.rows).map(|row| self.row(row, layout)).collect(),
            notes: files.iter().flat_map(|file| self.notes(file)).collect(),
            ..TypeCoverage::default()
        };
        for traced in self.cases.iter().filter(|traced| traced.file.layout == *layout) {
            coverage.cases.count(traced.case.class);
            add(&mut coverage.fields, traced.any(|trace| trace.fields(entry.layout)));
            let boundaries = traced.any(|trace| trace.boundaries(entry.layout, self.dialect));
            add(&mut coverage.boundaries, boundaries.into_iter().map(Boundary::name));
            add(&mut coverage.tags, traced.case.tags.iter().cloned());
            coverage.errata.extend(traced.case.erratum.clone());
            coverage.errata.extend(traced.case.document_in(self.dialect).map(|document| document.erratum.clone()));
        }
        coverage
    }

    /// Whether a case proves a type's id. Its packet must be canonical, with a literal header. Its file must be the
    /// dialect's (in double precision, of either precision), or its parent's if the id is the same there.
    fn proves(&self, traced: &TracedCase<'_>, entry: &Type) -> bool {
        let proved_there = |name: &String| self.specs.dialect(name)?.id_of(entry.layout);
        let literal = traced.file.is_of(self.dialect)
            && traced.file.inherited.as_ref().is_none_or(|name| proved_there(name) == Some(entry.id));
        let double = self.dialect.precision == Precision::Double && traced.file.double;
        let canonical = traced.engine.as_ref().filter(|trace| trace.class == Class::Canonical);
        (literal || double) && canonical.and_then(|trace| trace.id(self.dialect)) == Some(entry.id)
    }

    fn row(&self, row: &TableRow, layout: &str) -> CoverageRow {
        let id = format!("{}/{}", self.dialect.base(), row.id(layout));
        // Whether an erratum says that the documents are wrong about its offset or length.
        let documents = &self.dialect.documents;
        let moved = self.specs.errata.iter().any(|erratum| {
            let of_documents = documents.is_empty() || erratum.is_of(documents);
            erratum.chosen.is_none() && of_documents && is_about(erratum, &id)
        });
        let reals =
            self.dialect.layouts.id_of(layout).is_some_and(|id| self.dialect.widens(self.dialect.layouts.get(id)));
        let widened = self.dialect.precision == Precision::Double && reals;
        let row = if widened { row.doubled() } else { row.clone() };
        // Headers of family cases come from the specs, and so might their offsets. Only the dialect's own cases count.
        let own = |traced: &&TracedCase<'_>| {
            let own = if widened { traced.file.double } else { traced.file.is_of(self.dialect) };
            own && traced.file.layout == layout
        };
        let shows = |name: &str, traced: &TracedCase<'_>| traced.traces().any(|trace| trace.shows(&row, name, moved));
        // A row with two names is covered when both are.
        let of_name = |name: &String| -> Vec<String> {
            self.cases.iter().filter(own).filter(|traced| shows(name, traced)).map(name_of).collect()
        };
        let each: Vec<Vec<String>> = row.names.iter().map(of_name).collect();
        let covered = each.iter().all(|cases| !cases.is_empty());
        let cases: BTreeSet<String> = each.into_iter().flatten().collect();
        CoverageRow { id, covered, cases: cases.into_iter().collect() }
    }

    fn notes(&self, file: &File) -> Vec<CoverageRow> {
        let note = |note: &String| {
            let shows = |traced: &&TracedCase<'_>| {
                traced.file.is_about(file) && traced.case.class != Class::Undecided && traced.case.covers.contains(note)
            };
            let id = format!("{}/{}/{note}", self.dialect.base(), file.layout);
            CoverageRow::new(id, self.cases.iter().filter(shows).map(name_of).collect())
        };
        file.notes.iter().map(note).collect()
    }

    fn names(&self, layout: &str, is: impl Fn(&TracedCase<'_>) -> bool) -> Vec<String> {
        let of_layout = self.cases.iter().filter(|traced| traced.file.layout == layout);
        of_layout.filter(|traced| is(traced)).map(name_of).collect()
    }
}

fn name_of(traced: &TracedCase<'_>) -> String {
    traced.case.name.clone()
}

fn add<K: Ord>(counts: &mut BTreeMap<K, usize>, keys: impl IntoIterator<Item = K>) {
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
}
