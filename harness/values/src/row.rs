//! A field of a packet or of a value, as everything has it that shows fields.

use serde::{Deserialize, Serialize};

use crate::sanitize;

/// A field of a packet; or of a value, which has neither offset nor bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Row {
    /// The offset of its first byte; absent in a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Its bytes in hex, the middle of long ones left out; empty in a value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bytes: String,
    /// Its path, as in `names[1].padding`; in the last row of a long listing, how many rows are left out.
    pub name: String,
    /// What its bytes mean, or the field's value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meaning: String,
}

impl Row {
    pub fn of_bytes(offset: usize, bytes: &[u8], name: &str, meaning: String) -> Self {
        Self { offset: Some(offset), bytes: hex(bytes), name: name.to_owned(), meaning }
    }

    /// The last row of a listing that is cut.
    pub fn more(rows: usize, offset: Option<usize>) -> Self {
        Self { offset, name: format!("… {rows} more rows"), ..Self::default() }
    }
}

/// Bytes in hex, with spaces between.
pub fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Bytes in hex. Of more than 24, the first 16 and the last 4.
fn hex(bytes: &[u8]) -> String {
    if bytes.len() <= 24 {
        return spaced(bytes);
    }
    format!("{} … {} ({} bytes)", spaced(&bytes[..16]), spaced(&bytes[bytes.len() - 4..]), bytes.len())
}

/// The widths of columns, so that the lines of several listings can be compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns([usize; 3]);

impl Columns {
    /// As wide as these rows need.
    pub fn of<'r>(rows: impl Iterator<Item = &'r Row>) -> Self {
        rows.fold(Self::default(), |Self([offset, bytes, name]), row| {
            let digits = row.offset.map_or(0, |offset| offset.to_string().len());
            Self([offset.max(digits), bytes.max(row.bytes.chars().count()), name.max(row.name.chars().count())])
        })
    }

    pub fn line(self, row: &Row) -> String {
        let Self([offsets, bytes, name]) = self;
        let Row { bytes: hex, name: path, meaning, .. } = row;
        let line = match row.offset {
            Some(offset) => format!("{offset:<offsets$}  {hex:bytes$}  {path:name$}  {meaning}"),
            None => format!("{path:name$}  {meaning}"),
        };
        line.trim_end().to_owned()
    }
}

/// Rows as aligned text, one line each, safe to print whatever the packet contains.
pub fn aligned(rows: &[Row]) -> Vec<String> {
    let columns = Columns::of(rows.iter());
    rows.iter().map(|row| sanitize::line(&columns.line(row))).collect()
}
