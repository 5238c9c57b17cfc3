//! The tables of a section, as the document prints them.

use std::ops::Range;

use serde::{Deserialize, Deserializer};

/// The rows of one section, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The rows, in the document's order.
    pub rows: Vec<TableRow>,
    /// What is wrong with it, until its file is loaded: the line within the block, from 0.
    pub(crate) wrong: Option<(usize, String)>,
}

/// What is wrong is kept: only the file knows on which line it is.
impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        Ok(Self::parse(&text).unwrap_or_else(|wrong| Self { rows: Vec::new(), wrong: Some(wrong) }))
    }
}

/// One row: `OFFSET LEN TYPE NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The table it belongs to (`narrow`), where the section has several.
    pub variant: Option<String>,
    /// The offset cell: `4`, `8+8i`, `X+4`.
    pub offset: String,
    /// The length cell: `4`, `X`.
    pub length: String,
    /// The type cell: `Integer`, `Float`, `Bytes`, `Byte`; `Value` for a whole value with its header.
    pub kind: String,
    /// The names that a listing may give it, with `[i]` for any index.
    pub names: Vec<String>,
    /// Its line within the block, from 0.
    pub line: usize,
}

impl Table {
    /// Reads a `tables:` block.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut rows = Vec::new();
        let mut variant = None;
        for (line, written) in text.lines().enumerate() {
            let row = written.split('#').next().unwrap_or_default().trim();
            if row.is_empty() {
                continue;
            }
            if let Some((name, _condition)) = row.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                variant = Some(name.to_owned());
                continue;
            }
            let cells: Vec<&str> = row.split_whitespace().collect();
            let [offset, length, kind, names] = cells.as_slice() else {
                return Err((line, format!("{row:?} is not a table row: OFFSET LEN TYPE NAME")));
            };
            if !matches!(*kind, "Integer" | "Float" | "Bytes" | "Byte" | "Value") {
                return Err((line, format!("type {kind:?}; the documents have Integer, Float, Bytes, Byte and Value")));
            }
            rows.push(TableRow {
                variant: variant.clone(),
                offset: (*offset).to_owned(),
                length: (*length).to_owned(),
                kind: (*kind).to_owned(),
                names: names.split('|').map(str::to_owned).collect(),
                line,
            });
        }
        Ok(Self { rows, wrong: None })
    }
}

impl TableRow {
    /// Whether the field with this path, at these bytes, is the one that the row calls by this name.
    pub(crate) fn describes(&self, name: &str, path: &str, bytes: &Range<usize>, moved: bool) -> bool {
        let width = |width: usize| width == bytes.len();
        // A whole value begins with its header.
        let of_value = path.strip_suffix(".header").filter(|_| self.kind == "Value");
        let index = indexed(name, path).or_else(|| indexed(name, of_value?));
        (self.kind == "Byte" || moved || self.length.parse().map_or(true, width))
            && index.is_some_and(|index| moved || self.is_at(index, bytes.start))
    }

    /// Whether an offset is that of the table: `4`, `8+8i`. An offset counted from `X` may be anywhere.
    fn is_at(&self, index: usize, offset: usize) -> bool {
        match parse_offset(&self.offset) {
            Some((base, step)) => Some(offset) == step.checked_mul(index).and_then(|behind| base.checked_add(behind)),
            None => true,
        }
    }

    /// The row in double precision, by the documents' formula. In arrays, elements follow their count (erratum
    /// double-elements-follow-their-count).
    pub(crate) fn doubled(&self) -> Self {
        if self.kind != "Float" {
            return self.clone();
        }
        let offset = match parse_offset(&self.offset) {
            Some((offset, 0)) => (offset.saturating_sub(4) * 2 + 4).to_string(),
            Some((base, step)) => format!("{}+{}i", 8 + base.saturating_sub(8) * 2, step * 2),
            None => self.offset.clone(),
        };
        Self { offset, length: "8".to_owned(), ..self.clone() }
    }

    /// The row's id within a dialect: `int/wide@4`.
    pub fn id(&self, layout: &str) -> String {
        match &self.variant {
            Some(variant) => format!("{layout}/{variant}@{}", self.offset),
            None => format!("{layout}@{}", self.offset),
        }
    }
}

/// `4`, `8+8i`: the first offset and the step of an index; `None` for one counted from `X`.
fn parse_offset(cell: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.parse::<u16>().ok().map(usize::from);
    if let Some(fixed) = number(cell) {
        return Some((fixed, 0));
    }
    let (base, step) = cell.split_once('+')?;
    let step = step.strip_suffix('i')?;
    Some((number(base)?, if step.is_empty() { 1 } else { number(step)? }))
}

/// The index in a field's name if it is the table's name with a number for `[i]`; 0 if that has no index.
fn indexed(pattern: &str, name: &str) -> Option<usize> {
    let Some((before, after)) = pattern.split_once("[i]") else { return (pattern == name).then_some(0) };
    let index = name.strip_prefix(before)?.strip_prefix('[')?.split_once(']').filter(|(_, rest)| *rest == after)?.0;
    index.parse().ok()
}
