//! How much of a record is shown.

use crate::repeat::quoted;

/// How much of a record the report shows, and to whom.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// Every failure, each with its rows.
    pub full: bool,
    /// At most this many characters in a line, where it can be broken; `usize::MAX` where nobody reads it on a terminal.
    pub width: usize,
    /// The record, as a command line names it; `None` if there is no file of it.
    pub record: Option<&'a str>,
}

impl Extent<'_> {
    /// Which command shows more of the record; nothing if none can.
    pub(super) fn more(self, option: &str, does: &str) -> String {
        let command = |record| format!("; `conform report {} {option}` {does}", quoted(record));
        self.record.map(command).unwrap_or_default()
    }
}

impl Default for Extent<'_> {
    fn default() -> Self {
        Self { full: false, width: usize::MAX, record: None }
    }
}
