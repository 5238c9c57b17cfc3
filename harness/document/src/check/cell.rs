//! The cells of a table of fields.

use crate::read::PageRow;
use crate::rows::{FieldType, Offset};
use variant_wire::sanitize;

/// Which columns a table of fields has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    offset: usize,
    length: usize,
    kind: usize,
    description: usize,
}

impl Columns {
    /// `None` if the head is not that of a table of fields.
    pub(super) fn of(head: &[String]) -> Option<Self> {
        let column = |names: &[&str]| {
            head.iter().position(|cell| names.iter().any(|name| cell.trim().eq_ignore_ascii_case(name)))
        };
        Some(Self {
            offset: column(&["offset"])?,
            length: column(&["len", "length", "size"])?,
            kind: column(&["type"])?,
            description: column(&["description", "name", "field", "meaning"]).unwrap_or(head.len() - 1),
        })
    }

    /// The cells of a row; `None` if it has too few.
    pub(super) fn cells<'r>(&self, row: &'r PageRow) -> Option<Cells<'r>> {
        let cell = |column: usize| row.cells.get(column).map(|cell| cell.trim());
        Some(Cells {
            offset: PageOffset::parse(cell(self.offset)?),
            length: cell(self.length)?.parse().ok(),
            kind: FieldType::of_word(cell(self.kind)?),
            description: cell(self.description)?,
            written: [cell(self.offset)?, cell(self.length)?, cell(self.kind)?],
        })
    }
}

/// A row of a table of fields.
#[derive(Debug)]
pub(super) struct Cells<'r> {
    pub(super) offset: PageOffset,
    /// `None` if it is no number: as long as a length says.
    pub(super) length: Option<usize>,
    /// `None` if the word is not known, and so not compared.
    pub(super) kind: Option<FieldType>,
    pub(super) description: &'r str,
    written: [&'r str; 3],
}

impl Cells<'_> {
    /// The row as it is written.
    pub(super) fn shown(&self) -> String {
        sanitize::short(&format!("`{} {}`", self.written.join(" "), self.description), 100)
    }
}

/// The offset that a page gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOffset {
    /// `8`.
    Number(usize),
    /// `8..8+length*4` or `8+4i`.
    Each { base: usize, step: usize },
    /// A number and so many letters: `X+4`, `Y+4+Z`. `padded`: one of them is P.
    Letters { number: usize, letters: usize, padded: bool },
    /// A text that is read as no offset.
    Unknown,
}

impl PageOffset {
    fn parse(cell: &str) -> Self {
        let cell: String = cell.chars().filter(|letter| !letter.is_whitespace()).collect();
        if let Some((_, each)) = cell.split_once("..") {
            let (base, rest) = each.split_once('+').unwrap_or((each, ""));
            let step = rest.split_once('*').map_or(Ok(1), |(_, step)| step.parse());
            return base.parse().ok().zip(step.ok()).map_or(Self::Unknown, |(base, step)| Self::Each { base, step });
        }
        if let Some((base, step)) = cell.strip_suffix('i').and_then(|each| each.split_once('+')) {
            let step = if step.is_empty() { Ok(1) } else { step.parse() };
            return base.parse().ok().zip(step.ok()).map_or(Self::Unknown, |(base, step)| Self::Each { base, step });
        }
        let (mut number, mut letters, mut padded) = (0_usize, 0, false);
        for part in cell.split('+') {
            match part.parse::<usize>() {
                Ok(value) => number = number.saturating_add(value),
                Err(_) if part.len() == 1 && part.starts_with(char::is_alphabetic) => {
                    letters += 1;
                    padded |= part == "P";
                }
                Err(_) => return Self::Unknown,
            }
        }
        if letters == 0 { Self::Number(number) } else { Self::Letters { number, letters, padded } }
    }

    /// Whether it is this place.
    pub(super) fn is(self, place: Offset) -> bool {
        match (place, self) {
            (Offset::At(at) | Offset::In(at), Self::Number(number)) => at == number,
            (Offset::In(at), Self::Letters { number, letters: 1, padded: false }) => at == number,
            (Offset::AfterText(at), Self::Letters { number, letters: 1, padded: true }) => at == number,
            (Offset::Each { base, step }, Self::Each { base: first, step: next }) => (base, step) == (first, next),
            _ => false,
        }
    }

    /// As tables of the corpus write it.
    pub(super) fn canonical(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Each { base, step: 1 } => format!("{base}+i"),
            Self::Each { base, step } => format!("{base}+{step}i"),
            Self::Letters { number, letters: 1, .. } => format!("X+{number}"),
            Self::Letters { number, .. } => format!("Y+{number}"),
            Self::Unknown => String::new(),
        }
    }
}
