//! The matrix as a page of Markdown.

use std::fmt::Write;

use super::{Attempt, CellRow, ImplementationRow, Matrix, MatrixTable, TypeRow};
use variant_runner::status::CellStatus;
use variant_values::sanitize;

/// The page, as it is in `reports/matrix.md`.
pub fn markdown(matrix: &Matrix) -> String {
    let mut page = format!(
        "# Matrix\n\nWritten by `conform matrix`: every implementation that could be run, on corpus {} (`{}`), judged by what engines \
         do. Every number is counted from its record.\n\n\
         | mark | meaning |\n|---|---|\n\
         | ok 5/5 | all five authored tests passed, and all tests derived from them |\n\
         | part 5/5 | nothing failed, but something is relaxed or only good practice, or too few tests ran |\n\
         | known 3/5 | some tests fail, but all are on the list of known failures; the findings explain why |\n\
         | FAIL 3/5 | some tests fail and are not on the list |\n\
         | not claimed | not claimed by the implementation, and not tested. Does not count as passed |\n\n\
         ## Implementations\n\n\
         | implementation | version | language | dialect | types that pass both ways | tested | unexpected | known failures | findings |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        plain(&matrix.corpus.version),
        plain(&matrix.corpus.digest.chars().take(19).collect::<String>()),
    );
    for row in &matrix.implementations {
        page.push_str(&implementation(row));
    }
    page.extend(matrix.tables().iter().map(dialect));
    page
}

/// A line for each of its dialects; one that was not run has one line that says so.
fn implementation(row: &ImplementationRow) -> String {
    let findings = row.findings.as_ref().map_or(String::new(), |page| format!("[findings](../{page})"));
    let ran = match &row.attempt {
        Attempt::NotRun { why } => {
            return format!("| {} | | | | **not run**: {} | | | | {findings} |\n", plain(&row.name), plain(why));
        }
        Attempt::Run(ran) => ran,
    };
    let mut lines = String::new();
    for (number, dialect) in ran.dialects.iter().enumerate() {
        let first = |text: String| if number == 0 { text } else { String::new() };
        let unexpected = ran.unexpected().map_or_else(|| "none".to_owned(), |what| format!("**{what}**"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            lines,
            "| {} | {} | {} | `{}` | {} of {} | {} | {} | {} | {} |",
            first(plain(&row.name)),
            first(plain(&ran.version)),
            first(plain(&ran.language)),
            plain(&dialect.name),
            dialect.green,
            dialect.ids,
            dialect.tested,
            first(unexpected),
            first(ran.known.to_string()),
            first(findings.clone()),
        );
    }
    lines
}

/// A line for each type, a column for each implementation.
fn dialect(table: &MatrixTable<'_>) -> String {
    let mut text = format!("\n## {}\n\nDecode, then encode.\n\n| id | layout |", plain(table.name));
    table.columns.iter().for_each(|name| text.push_str(&format!(" {} |", plain(name))));
    text.push_str(&format!("\n|---|---|{}\n", "---|".repeat(table.columns.len())));
    for (of, cells) in &table.rows {
        text.push_str(&format!("| {} | {} |", of.id.map_or(String::new(), |id| id.to_string()), plain(&of.layout)));
        for cell in cells {
            text.push_str(&format!(" {} |", cell.map_or_else(|| "–<br>–".to_owned(), both)));
        }
        text.push('\n');
    }
    text
}

fn both(row: &TypeRow) -> String {
    let (decode, encode) = (cell(&row.decode), cell(&row.encode));
    if decode == encode && row.decode.mark == CellStatus::Unclaimed { decode } else { format!("{decode}<br>{encode}") }
}

fn cell(cell: &CellRow) -> String {
    match cell.mark {
        CellStatus::Unclaimed => "not claimed".to_owned(),
        CellStatus::None => "–".to_owned(),
        CellStatus::Ok
        | CellStatus::Part
        | CellStatus::Known
        | CellStatus::Within
        | CellStatus::Fail
        | CellStatus::Open
        | CellStatus::NotRun => {
            let said = format!("{} {}/{}", cell.word, cell.passed, cell.judged);
            // The first of its findings; the others are on the same page.
            cell.findings.first().map_or(said.clone(), |page| format!("[{said}](../{page})"))
        }
    }
}

/// Text of an adapter, in a cell of a table.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in sanitize::short(text, 120).chars() {
        if "|<>`*_[]\\".contains(letter) {
            plain.push('\\');
        }
        plain.push(letter);
    }
    plain
}
