//! A corpus file: the cases of one layout in one dialect, or in all that have it.

use std::fmt::Display;
use std::sync::Arc;

use serde::Deserialize;
use variant_specs::{Dialect, Precision};

use super::case::Case;
use super::table::Table;
use variant_values::diagnostic::Problem;

/// A corpus file: the cases of one type, in one dialect or in a family of dialects.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// Its path, as messages name it.
    #[serde(skip)]
    pub path: String,
    /// The name of the dialect; absent in a family file.
    pub dialect: Option<String>,
    /// The cases apply to every dialect that has the type.
    #[serde(default)]
    pub family: bool,
    /// The cases are for double-precision builds.
    #[serde(default)]
    pub double: bool,
    /// The name of the type's layout, or `packet`.
    #[serde(rename = "type")]
    pub layout: String,
    /// The heading of the document's section about the type.
    pub section: Option<String>,
    /// The section's field tables, one row per line.
    #[serde(rename = "tables", default)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub table: Table,
    /// The line of the first row of the tables.
    #[serde(skip)]
    pub table_line: usize,
    /// In a dialect that extends another: these cases are added to those of its parent's file and do not replace them.
    #[serde(default)]
    pub beside_parent: bool,
    /// Sentences beside the document's tables, by name. Each needs a case that `covers` it.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Rules of the dialect, stated a second time. Family cases that need a rule cannot check its value.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The cases, in the order of the document.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Case>"))]
    pub cases: Vec<Arc<Case>>,
    /// The dialect that the file was inherited from; `None` if it was not inherited.
    #[serde(skip)]
    pub inherited: Option<String>,
}

/// The `type:` of a file about all packets.
pub const PACKET: &str = "packet";
/// The `type:` of a file about packets with their length prefix.
pub const FRAMING: &str = "framing";

impl File {
    /// Whether its cases are for several dialects. Their headers come from the specs.
    pub fn is_shared(&self) -> bool {
        self.dialect.is_none()
    }

    /// Whether it is about one type, not about all packets.
    pub(crate) fn is_of_a_type(&self) -> bool {
        self.layout != PACKET && self.layout != FRAMING
    }

    /// Whether its cases are for this dialect only, in any precision.
    pub fn is_of(&self, dialect: &Dialect) -> bool {
        !self.double && self.dialect.as_deref() == Some(dialect.base())
    }

    /// The place of its cases in a dialect's report: the id of their layout; those about all packets come last.
    /// `None` if they do not belong to the dialect.
    pub fn place_in(&self, dialect: &Dialect) -> Option<u32> {
        let is_meant = self.dialect.as_deref().is_none_or(|name| name == dialect.base());
        if !is_meant || self.double && dialect.precision == Precision::Single {
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
        let widened = dialect.precision == Precision::Double && !self.double;
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
