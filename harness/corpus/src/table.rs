//! The tables of a section, as the document prints them.

/// The rows of one section, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// One row: `OFFSET LEN TYPE NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The part it belongs to (`narrow`), where the section has several.
    pub part: Option<String>,
    /// The offset cell: `4`, `8+8i`, `X+4`.
    pub offset: String,
    /// The length cell: `4`, `X`.
    pub length: String,
    /// The type cell: `Integer`, `Float`, `Bytes`, `Byte`.
    pub kind: String,
    /// The names that a listing may give it, `[i]` standing for any index.
    pub names: Vec<String>,
    /// The line within the block, from 0.
    pub line: usize,
}

impl Table {
    /// Reads a `tables:` block.
    ///
    /// # Errors
    /// The line within the block, and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut rows = Vec::new();
        let mut part = None;
        for (line, written) in text.lines().enumerate() {
            let row = written.split('#').next().unwrap_or_default().trim();
            if row.is_empty() {
                continue;
            }
            if let Some((name, _condition)) = row.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                part = Some(name.to_owned());
                continue;
            }
            let cells: Vec<&str> = row.split_whitespace().collect();
            let [offset, length, kind, names] = cells.as_slice() else {
                return Err((line, format!("a table row is OFFSET LEN TYPE NAME, and {row:?} is not")));
            };
            if !matches!(*kind, "Integer" | "Float" | "Bytes" | "Byte") {
                return Err((line, format!("type {kind:?}; the documents have Integer, Float, Bytes and Byte")));
            }
            rows.push(TableRow {
                part: part.clone(),
                offset: (*offset).to_owned(),
                length: (*length).to_owned(),
                kind: (*kind).to_owned(),
                names: names.split('|').map(str::to_owned).collect(),
                line,
            });
        }
        Ok(Self { rows })
    }
}

/// A field of a packet, as a row of a table may describe it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldPlace<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its offset.
    pub(crate) offset: usize,
    /// Its bytes.
    pub(crate) length: usize,
}

impl TableRow {
    /// Whether a field is this row's, under one of the names that the row has: by name, width and, unless the
    /// documents are known to be wrong about it (`moved`), offset.
    pub(crate) fn describes(&self, name: &str, field: FieldPlace<'_>, moved: bool) -> bool {
        let width = self.kind == "Byte" || self.length.parse().map_or(true, |width: usize| width == field.length);
        width && indexed(name, field.name).is_some_and(|index| moved || self.stands_at(index, field.offset))
    }

    /// Whether an offset is the one of the table: `4`, `8+8i`; one counted from `X` may be anywhere.
    fn stands_at(&self, index: usize, offset: usize) -> bool {
        match parse_offset(&self.offset) {
            Some((base, step)) => Some(offset) == step.checked_mul(index).and_then(|behind| base.checked_add(behind)),
            None => true,
        }
    }

    /// The row in double precision, by the documents' formula; in arrays, elements follow their count (erratum
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
        match &self.part {
            Some(part) => format!("{layout}/{part}@{}", self.offset),
            None => format!("{layout}@{}", self.offset),
        }
    }
}

/// `4`, `8+8i`: the first offset and the step of an index; nothing for one that is counted from `X`.
fn parse_offset(cell: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.parse::<u16>().ok().map(usize::from);
    if let Some(fixed) = number(cell) {
        return Some((fixed, 0));
    }
    let (base, step) = cell.split_once('+')?;
    let step = step.strip_suffix('i')?;
    Some((number(base)?, if step.is_empty() { 1 } else { number(step)? }))
}

/// Whether a field's name is the table's, `[i]` standing for an index: that index, 0 where there is none.
fn indexed(pattern: &str, name: &str) -> Option<usize> {
    let Some((before, after)) = pattern.split_once("[i]") else { return (pattern == name).then_some(0) };
    let index = name.strip_prefix(before)?.strip_prefix('[')?.split_once(']').filter(|(_, rest)| *rest == after)?.0;
    index.parse().ok()
}
