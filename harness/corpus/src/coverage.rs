//! Coverage: which rows of which table are covered, by which cases, measured from the reference decoder's trace.

mod boundary;
mod render;
mod touched;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use globset::Glob;
use serde::Serialize;
use variant_specs::{Dialect, Precision, Reading, Specs, Type};

pub use boundary::Boundary;
pub use render::render;

use crate::{Case, Class, Corpus, FRAMING, File, PACKET, Scope, TableRow};
use touched::Touched;

/// The coverage of some dialects and of the documents that describe them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Coverage {
    /// How many rows of each document are covered.
    pub documents: Vec<OfDocument>,
    /// Each dialect.
    pub dialects: Vec<OfDialect>,
}

/// How many of them there are, and how many are covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Share {
    /// All of them, as somebody counted.
    pub total: usize,
    /// Those that a case shows.
    pub covered: usize,
}

impl fmt::Display for Share {
    /// `3/4`, and `-` where there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total == 0 { f.pad("-") } else { f.pad(&format!("{}/{}", self.covered, self.total)) }
    }
}

/// One document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OfDocument {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The dialect that it describes.
    pub dialect: String,
    /// Rows of its table of types, the row `max` included where it has one.
    pub type_rows: Share,
    /// Rows of its tables of fields.
    pub field_rows: Share,
    /// Sentences beside the tables that bind.
    pub notes: Share,
    /// What is not covered.
    pub uncovered: Vec<String>,
}

/// One dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OfDialect {
    /// Its name.
    pub name: String,
    /// Its documents.
    pub documents: Vec<String>,
    /// Who says what holds, where no document does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
    /// Its types, in the order of their ids.
    pub types: Vec<OfType>,
    /// The row `max`: the first id that must be refused.
    pub max: Row,
    /// What its documents say of all packets.
    pub packet: Vec<Row>,
    /// Cases about all packets, and about the length in front of them.
    pub packet_cases: Cases,
}

/// One type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OfType {
    /// Its id.
    pub id: u32,
    /// Its layout.
    pub layout: String,
    /// The heading of its section.
    pub section: String,
    /// The row of the table of types.
    pub row: Row,
    /// The rows of its tables.
    pub rows: Vec<Row>,
    /// The sentences beside them.
    pub notes: Vec<Row>,
    /// Cases by class: its own and the family's.
    pub cases: Cases,
    /// Boundaries, and in how many cases.
    pub boundaries: BTreeMap<&'static str, usize>,
    /// Fields, and in how many cases.
    pub fields: BTreeMap<String, usize>,
    /// Flags in its headers, and in how many cases.
    pub header_flags: BTreeMap<String, usize>,
    /// Subjects, and how many cases have them.
    pub flags: BTreeMap<String, usize>,
    /// The errata that its cases show.
    pub errata: BTreeSet<String>,
}

/// A row of a table, or a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row {
    /// `godot-3/vector2@4`.
    pub id: String,
    /// Whether any case shows it.
    pub covered: bool,
    /// The cases that do.
    pub cases: Vec<String>,
}

/// How many cases there are of each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cases {
    /// Decoded and encoded.
    pub canonical: usize,
    /// Decoded.
    pub readable: usize,
    /// Refused.
    pub invalid: usize,
    /// Recorded.
    pub open: usize,
}

impl OfType {
    /// Its rows and the sentences beside them.
    pub fn share(&self) -> Share {
        let rows = self.rows.iter().chain(&self.notes);
        Share { total: rows.clone().count(), covered: rows.filter(|row| row.covered).count() }
    }
}

impl Row {
    fn new(id: String, cases: Vec<String>) -> Self {
        Self { id, covered: !cases.is_empty(), cases }
    }
}

impl Cases {
    fn count(&mut self, class: Class) {
        match class {
            Class::Canonical => self.canonical += 1,
            Class::Readable => self.readable += 1,
            Class::Invalid => self.invalid += 1,
            Class::Open => self.open += 1,
        }
    }
}

/// Whether this dialect's documents are wrong about where the row of this id stands.
pub(crate) fn is_moved(row: &str, dialect: &Dialect, specs: &Specs) -> bool {
    let matches = |glob: &String| Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(row));
    specs.errata.iter().any(|erratum| {
        erratum.chosen.is_none() && erratum.is_of(&dialect.documents) && erratum.rows.iter().any(matches)
    })
}

/// Measures the coverage of these dialects.
pub fn measure(corpus: &Corpus, specs: &Specs, dialects: &[&Dialect]) -> Coverage {
    let dialects: Vec<OfDialect> =
        dialects.iter().map(|dialect| Measurer::new(corpus, specs, dialect).dialect()).collect();
    let documents = specs.documents.iter().flat_map(|document| {
        let described = dialects.iter().filter(|dialect| dialect.documents.contains(&document.name));
        described.map(|dialect| of_document(document, dialect))
    });
    Coverage { documents: documents.collect(), dialects }
}

fn of_document(document: &variant_specs::Document, dialect: &OfDialect) -> OfDocument {
    let fields: Vec<&Row> = dialect.types.iter().flat_map(|entry| &entry.rows).collect();
    let max = Some(&dialect.max).filter(|_| document.max_row);
    let types: Vec<&Row> = dialect.types.iter().map(|entry| &entry.row).chain(max).collect();
    let notes: Vec<&Row> = dialect.types.iter().flat_map(|entry| &entry.notes).chain(&dialect.packet).collect();
    let covered = |rows: &[&Row]| rows.iter().filter(|row| row.covered).count();
    let uncovered = types.iter().chain(&fields).chain(&notes).filter(|row| !row.covered).map(|row| row.id.clone());
    OfDocument {
        name: document.name.clone(),
        title: document.title.clone(),
        dialect: dialect.name.clone(),
        type_rows: Share { total: document.type_rows, covered: covered(&types) },
        field_rows: Share { total: document.field_rows, covered: covered(&fields) },
        notes: Share { total: notes.len(), covered: covered(&notes) },
        uncovered: uncovered.collect(),
    }
}

/// A case, and what the decoder saw of it.
struct Seen<'a> {
    file: &'a File,
    case: &'a Case,
    engine: Option<Touched>,
    document: Option<Touched>,
}

impl Seen<'_> {
    fn sides(&self) -> impl Iterator<Item = &Touched> {
        self.engine.iter().chain(&self.document)
    }

    /// In how many cases: each counts once, whatever its sides.
    fn touched<T: Ord>(&self, of: impl Fn(&Touched) -> BTreeSet<T>) -> BTreeSet<T> {
        self.sides().flat_map(of).collect()
    }
}

struct Measurer<'a> {
    specs: &'a Specs,
    dialect: &'a Dialect,
    files: Vec<&'a File>,
    cases: Vec<Seen<'a>>,
}

impl<'a> Measurer<'a> {
    fn new(corpus: &'a Corpus, specs: &'a Specs, dialect: &'a Dialect) -> Self {
        let seen = |(file, case): (&'a File, &'a Arc<Case>)| Seen {
            file,
            case,
            engine: Touched::new(case, dialect, Reading::Engine),
            document: case.document.as_ref().and_then(|_| Touched::new(case, dialect, Reading::Document)),
        };
        Self {
            specs,
            dialect,
            files: corpus.files.iter().map(AsRef::as_ref).filter(|file| file.place_in(dialect).is_some()).collect(),
            cases: corpus.cases_of(dialect).into_iter().map(seen).collect(),
        }
    }

    fn dialect(&self) -> OfDialect {
        let about_all = |seen: &&Seen<'_>| !seen.file.is_of_a_type();
        let mut packet_cases = Cases::default();
        self.cases.iter().filter(about_all).for_each(|seen| packet_cases.count(seen.case.engine.class));
        let refuses_max =
            |touched: &Touched| touched.class == Class::Invalid && touched.no_type() == Some(self.dialect.max);
        let packets = self.own(PACKET);
        OfDialect {
            name: self.dialect.name.clone(),
            documents: self.dialect.documents.clone(),
            basis: self.dialect.basis.clone(),
            types: self.dialect.types.iter().map(|entry| self.of_type(entry)).collect(),
            max: Row::new(
                format!("{}/max", self.dialect.name),
                self.names(PACKET, |seen| seen.engine.as_ref().is_some_and(refuses_max)),
            ),
            packet: packets.iter().flat_map(|file| self.notes(file)).collect(),
            packet_cases,
        }
    }

    /// The dialect's own files of a layout.
    fn own(&self, layout: &str) -> Vec<&'a File> {
        self.files.iter().filter(|file| file.layout == layout && file.is_of(self.dialect)).copied().collect()
    }

    fn of_type(&self, entry: &Type) -> OfType {
        let layout = &self.dialect.layout(entry).name;
        let files = self.own(layout);
        let mut of_type = OfType {
            id: entry.id,
            layout: layout.clone(),
            section: entry.section.clone(),
            row: Row::new(
                format!("{}/{}", self.dialect.name, entry.id),
                self.names(layout, |seen| self.proves(seen, entry)),
            ),
            rows: files.iter().flat_map(|file| &file.table.rows).map(|row| self.row(row, layout)).collect(),
            notes: files.iter().flat_map(|file| self.notes(file)).collect(),
            cases: Cases::default(),
            boundaries: BTreeMap::new(),
            fields: BTreeMap::new(),
            header_flags: BTreeMap::new(),
            flags: BTreeMap::new(),
            errata: BTreeSet::new(),
        };
        for seen in self.cases.iter().filter(|seen| seen.file.layout == *layout) {
            of_type.cases.count(seen.case.engine.class);
            add(&mut of_type.fields, seen.touched(|touched| touched.fields(entry.layout)));
            add(&mut of_type.header_flags, seen.touched(|touched| touched.header_flags(entry.layout, self.dialect)));
            let boundaries = seen.touched(|touched| touched.boundaries(entry.layout, self.dialect));
            add(&mut of_type.boundaries, boundaries.into_iter().map(Boundary::name));
            add(&mut of_type.flags, seen.case.flags.iter().cloned());
            of_type.errata.extend(seen.case.erratum.clone());
            of_type.errata.extend(seen.case.document.as_ref().map(|document| document.erratum.clone()));
        }
        of_type
    }

    /// Whether a case proves an id: the literal header of a canonical packet, in a file of the dialect or of the one
    /// that it extends where the id is the same there. In double precision, the single-precision file proves it.
    fn proves(&self, seen: &Seen<'_>, entry: &Type) -> bool {
        let same_there =
            |name: &String| self.specs.dialect(name).and_then(|origin| origin.id_of(entry.layout)) == Some(entry.id);
        let literal = seen.file.is_of(self.dialect) && seen.file.inherited.as_ref().is_none_or(same_there);
        let double = self.dialect.precision == Precision::Double && matches!(seen.file.home, Scope::Double(_));
        let canonical = seen.engine.as_ref().filter(|touched| touched.class == Class::Canonical);
        (literal || double) && canonical.and_then(|touched| touched.id(self.dialect)) == Some(entry.id)
    }

    fn row(&self, row: &TableRow, layout: &str) -> Row {
        let id = format!("{}/{}", self.dialect.base(), row.id(layout));
        let moved = is_moved(&id, self.dialect, self.specs);
        let reals =
            self.dialect.layouts.id_of(layout).is_some_and(|id| self.dialect.widens(self.dialect.layouts.get(id)));
        let widened = self.dialect.precision == Precision::Double && reals;
        let row = if widened { row.doubled() } else { row.clone() };
        // The family's headers come from the specs, and so might its offsets: rows are for the dialect's own cases.
        let own = |seen: &&Seen<'_>| {
            let home = if widened { matches!(seen.file.home, Scope::Double(_)) } else { seen.file.is_of(self.dialect) };
            home && seen.file.layout == layout
        };
        let shows = |name: &String, seen: &Seen<'_>| {
            let only = TableRow { names: vec![name.clone()], ..row.clone() };
            seen.sides().any(|touched| touched.exposes(&only, moved))
        };
        // A row with two names is covered when both are.
        let of_name = |name: &String| -> Vec<String> {
            self.cases.iter().filter(own).filter(|seen| shows(name, seen)).map(name_of).collect()
        };
        let each: Vec<Vec<String>> = row.names.iter().map(of_name).collect();
        let covered = each.iter().all(|cases| !cases.is_empty());
        let cases: BTreeSet<String> = each.into_iter().flatten().collect();
        Row { id, covered, cases: cases.into_iter().collect() }
    }

    fn notes(&self, file: &File) -> Vec<Row> {
        let about = |layout: &str| layout == file.layout || file.layout == PACKET && layout == FRAMING;
        let note = |note: &String| {
            let shows = |seen: &&Seen<'_>| {
                about(&seen.file.layout) && seen.case.engine.class != Class::Open && seen.case.covers.contains(note)
            };
            let id = format!("{}/{}/{note}", self.dialect.base(), file.layout);
            Row::new(id, self.cases.iter().filter(shows).map(name_of).collect())
        };
        file.notes.iter().map(note).collect()
    }

    fn names(&self, layout: &str, is: impl Fn(&Seen<'_>) -> bool) -> Vec<String> {
        let of_layout = self.cases.iter().filter(|seen| seen.file.layout == layout);
        of_layout.filter(|seen| is(seen)).map(name_of).collect()
    }
}

fn name_of(seen: &Seen<'_>) -> String {
    seen.case.name.clone()
}

fn add<K: Ord>(counts: &mut BTreeMap<K, usize>, keys: impl IntoIterator<Item = K>) {
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
}
