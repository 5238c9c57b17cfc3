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

impl TableRow {
    /// The row's id within a dialect: `int/wide@4`.
    pub fn id(&self, layout: &str) -> String {
        match &self.part {
            Some(part) => format!("{layout}/{part}@{}", self.offset),
            None => format!("{layout}@{}", self.offset),
        }
    }
}
