//! A corpus file: the cases of one layout in one dialect, or in all that have it.

use std::sync::Arc;

use variant_specs::{Dialect, Precision};

use super::case::Case;
use super::table::Table;
use variant_wire::diagnostic::Problem;

/// One file of cases.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its path, as found.
    pub path: String,
    /// Whose cases these are.
    pub home: Scope,
    /// The layout, or `packet` for what holds of all packets.
    pub layout: String,
    /// The section's heading.
    pub section: Option<String>,
    /// The section's tables.
    pub table: Table,
    /// The line of the first row of the tables.
    pub table_line: usize,
    /// Sentences beside the tables, by name.
    pub notes: Vec<String>,
    /// Rules of the dialect, said a second time: family cases that need them cannot hold them.
    pub rules: Vec<String>,
    /// The cases.
    pub cases: Vec<Arc<Case>>,
    /// Whether its cases stand beside those of the parent's file, not in their place.
    pub beside_parent: bool,
    /// The dialect whose file this is in truth, where the cases came from there with other ids.
    pub inherited: Option<String>,
}

/// Whose cases a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One dialect's.
    Dialect(String),
    /// Those of every dialect that has the layout.
    Family,
    /// Those of every double-precision dialect that has the layout; or of this one alone, its headers being literal.
    Double(Option<String>),
}

impl Scope {
    /// Whether it is this dialect, in whatever precision.
    pub(super) fn is_of(&self, dialect: &Dialect) -> bool {
        matches!(self, Self::Dialect(name) if name == dialect.base())
    }
}

/// What stands for a layout in the file of what holds of all packets.
pub const PACKET: &str = "packet";
/// What stands for a layout in the file of packets with their length in front.
pub const FRAMING: &str = "framing";

impl File {
    /// Whether these are cases of several dialects: their headers come from the specs.
    pub fn is_shared(&self) -> bool {
        matches!(self.home, Scope::Family | Scope::Double(None))
    }

    /// Whether these are cases of one type: not what holds of all packets.
    pub fn is_of_a_type(&self) -> bool {
        self.layout != PACKET && self.layout != FRAMING
    }

    /// Whether these are cases of this dialect alone, in whatever precision.
    pub fn is_of(&self, dialect: &Dialect) -> bool {
        self.home.is_of(dialect)
    }

    /// Where these cases stand in a dialect's report: at the id of their layout, the packet's last.
    /// `None` where they do not belong to it.
    pub fn place_in(&self, dialect: &Dialect) -> Option<u32> {
        let here = match &self.home {
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

    /// The cases that hold in a dialect. In double precision, what was written for single precision holds where it has
    /// no real.
    pub fn cases_in<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = &'a Arc<Case>> {
        let here = self.place_in(dialect).is_some();
        let widened = dialect.precision == Precision::Double && !matches!(self.home, Scope::Double(_));
        let layout = dialect.layouts.id_of(&self.layout).map(|layout| dialect.layouts.get(layout));
        let none = !here || widened && layout.is_some_and(|layout| dialect.widens(layout));
        let cases = if none { &[] } else { self.cases.as_slice() };
        cases.iter().filter(move |case| case.holds_in(dialect) && !(widened && case.has_reals(dialect)))
    }

    /// A problem at a line of this file.
    pub fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, message: message.into() }
    }
}
