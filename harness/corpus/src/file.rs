//! A corpus file: the cases of one layout in one dialect, or in all that have it.

use std::fmt::Display;
use std::sync::Arc;

use variant_specs::{Dialect, Precision};

use super::case::Case;
use super::table::Table;
use variant_values::diagnostic::Problem;

/// One file of cases.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its path, as messages name it.
    pub path: String,
    /// The dialects that the cases are for.
    pub scope: Scope,
    /// The name of the layout, or [`PACKET`] or [`FRAMING`].
    pub layout: String,
    /// The heading of the document's section, if the file names one.
    pub section: Option<String>,
    /// The tables of fields in that section.
    pub table: Table,
    /// The line of the first row of the tables.
    pub table_line: usize,
    /// The names of the sentences beside the tables.
    pub notes: Vec<String>,
    /// Rules of the dialect, stated a second time, because family cases that need a rule cannot check its value.
    pub rules: Vec<String>,
    /// The cases, as ordered in the file.
    pub cases: Vec<Arc<Case>>,
    /// Whether its cases are added to those of the parent's file, instead of replacing them.
    pub beside_parent: bool,
    /// The dialect that the file was inherited from; `None` if it was not inherited.
    pub inherited: Option<String>,
}

/// The dialects that the cases of a file are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One dialect, by its name.
    Dialect(String),
    /// Every dialect that has the layout.
    Family,
    /// Every double-precision dialect that has the layout; or only this one, with literal headers.
    Double(Option<String>),
}

impl Scope {
    /// Whether it is this dialect, in any precision.
    pub(super) fn is_of(&self, dialect: &Dialect) -> bool {
        matches!(self, Self::Dialect(name) if name == dialect.base())
    }
}

/// The `type:` of a file about all packets.
pub const PACKET: &str = "packet";
/// The `type:` of a file about packets with their length prefix.
pub const FRAMING: &str = "framing";

impl File {
    /// Whether its cases are for several dialects. Their headers come from the specs.
    pub fn is_shared(&self) -> bool {
        matches!(self.scope, Scope::Family | Scope::Double(None))
    }

    /// Whether it is about one type, not about all packets.
    pub(crate) fn is_of_a_type(&self) -> bool {
        self.layout != PACKET && self.layout != FRAMING
    }

    /// Whether its cases are for this dialect only, in any precision.
    pub fn is_of(&self, dialect: &Dialect) -> bool {
        self.scope.is_of(dialect)
    }

    /// The place of its cases in a dialect's report: the id of their layout; those about all packets come last.
    /// `None` if they do not belong to the dialect.
    pub fn place_in(&self, dialect: &Dialect) -> Option<u32> {
        let here = match &self.scope {
            Scope::Dialect(_) => self.is_of(dialect),
            Scope::Family => true,
            Scope::Double(only) => {
                dialect.precision == Precision::Double && only.as_ref().is_none_or(|name| name == dialect.base())
            }
        };
        if !here {
            return None;
        }
        match self.layout.as_str() {
            PACKET => return Some(dialect.max),
            FRAMING => return Some(dialect.max + 1),
            _ => {}
        }
        dialect.layouts.id_of(&self.layout).and_then(|layout| dialect.id_of(layout))
    }

    /// The cases that hold in a dialect. In double precision, cases written for single precision hold if they have no
    /// real.
    pub fn cases_in<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = &'a Arc<Case>> {
        let here = self.place_in(dialect).is_some();
        let widened = dialect.precision == Precision::Double && !matches!(self.scope, Scope::Double(_));
        let layout = dialect.layouts.id_of(&self.layout).map(|layout| dialect.layouts.get(layout));
        let none = !here || widened && layout.is_some_and(|layout| dialect.widens(layout));
        let cases = if none { &[] } else { self.cases.as_slice() };
        cases.iter().filter(move |case| case.holds_in(dialect) && !(widened && case.has_reals(dialect)))
    }

    /// Whether it is about the same layout as `other`, or about framing where `other` is about all packets.
    pub(crate) fn is_about(&self, other: &Self) -> bool {
        self.layout == other.layout || self.layout == FRAMING && other.layout == PACKET
    }

    /// A problem of a case of this file.
    pub(crate) fn case_problem(&self, case: &Case, message: impl Display) -> Problem {
        self.problem(case.line, format!("case {}: {message}", case.name))
    }

    /// A problem at a line of this file.
    pub fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, message: message.into() }
    }
}
