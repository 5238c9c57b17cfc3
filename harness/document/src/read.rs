//! The tables of somebody else's page.

mod markdown;
mod rst;

use variant_wire::diagnostic::Problem;

/// The longest page that is read, in bytes. The longest that we know has 40,000.
const MOST: usize = 4 << 20;

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFormat {
    /// reStructuredText with grid tables.
    Rst,
    /// Markdown with pipe tables.
    Markdown,
}

impl SourceFormat {
    /// The format that the name of a file says.
    pub fn of_file(name: &str) -> Option<Self> {
        let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "rst" | "txt" => Some(Self::Rst),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }
}

/// The tables of a page, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageTables {
    /// The headings, from the top of the page.
    pub headings: Vec<Heading>,
    /// The tables, from the top of the page.
    pub tables: Vec<PageTable>,
}

/// A heading of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its line, from 1.
    pub line: usize,
    /// Its text, as the page has it.
    pub text: String,
}

/// A table of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageTable {
    /// The line where it begins, from 1.
    pub line: usize,
    /// The cells of its head.
    pub head: Vec<String>,
    /// The rows below the head.
    pub rows: Vec<PageRow>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRow {
    /// Its line, from 1.
    pub line: usize,
    /// Its cells, from the left.
    pub cells: Vec<String>,
}

/// Reads the tables of a page.
///
/// # Errors
/// The page is too long, has no table, or has a table that is broken: which line, and what to do.
pub fn read(file: &str, text: &str, format: SourceFormat) -> Result<PageTables, Problem> {
    let problem = |line: usize, message: String| Problem { file: file.to_owned(), line, message };
    if text.len() > MOST {
        let message =
            format!("it has {} bytes, but a page has at most {MOST}; name only the page of the format", text.len());
        return Err(problem(0, message));
    }
    let page = match format {
        SourceFormat::Rst => rst::read(text).map_err(|(line, message)| problem(line, message))?,
        SourceFormat::Markdown => markdown::read(text),
    };
    if page.tables.is_empty() {
        let kind = match format {
            SourceFormat::Rst => "grid tables (+---+---+)",
            SourceFormat::Markdown => "tables (| --- | --- |)",
        };
        return Err(problem(1, format!("there is no table here; the tables of ids and fields must be {kind}")));
    }
    Ok(page)
}
