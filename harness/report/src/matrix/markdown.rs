//! The matrix as a page of Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Attempt, CellRow, DialectRow, Matrix, Row, TypeRow};
use variant_wire::sanitize;

/// The page, as it stands in `reports/`.
pub fn markdown(matrix: &Matrix) -> String {
    let mut page = format!(
        "# Matrix\n\nWritten by `conform matrix`: every implementation that could be run, on corpus {} (`{}`), judged by what engines \
         do. Every number is counted from its record.\n\n\
         | mark | meaning |\n|---|---|\n\
         | ok 5/5 | all of five authored cases passed, and all that is derived from them |\n\
         | part 5/5 | nothing failed, but something is relaxed, only advised, or too little was asked |\n\
         | known 3/5 | it fails, as its list of expected failures says; the findings say why |\n\
         | FAIL 3/5 | it fails, and nobody knows why |\n\
         | not claimed | the implementation does not say that it can, and was not asked. That is no success |\n\n\
         ## Implementations\n\n\
         | implementation | version | language | dialect | type ids that conform both ways | claimed | unexpected | known failures | findings |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        plain(&matrix.corpus.version),
        plain(&matrix.corpus.digest.chars().take(19).collect::<String>()),
    );
    for row in &matrix.implementations {
        page.push_str(&implementation(row));
    }
    let names: BTreeSet<&str> =
        matrix.ran().flat_map(|(_, ran)| &ran.dialects).map(|dialect| dialect.name.as_str()).collect();
    for name in names {
        page.push_str(&dialect(matrix, name));
    }
    page
}

/// A line for each of its dialects; one that was not run has one line that says so.
fn implementation(row: &Row) -> String {
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
            dialect.asked,
            first(unexpected),
            first(ran.known.to_string()),
            first(findings.clone()),
        );
    }
    lines
}

/// A table of one dialect: a line for each type id, a column for each implementation.
fn dialect(matrix: &Matrix, name: &str) -> String {
    let columns: Vec<(&Row, &DialectRow)> = matrix
        .ran()
        .filter_map(|(row, ran)| Some((row, ran.dialects.iter().find(|dialect| dialect.name == name)?)))
        .collect();
    let mut table = format!("\n## {}\n\nDecode, then encode.\n\n| id | layout |", plain(name));
    columns.iter().for_each(|(row, _)| table.push_str(&format!(" {} |", plain(&row.name))));
    table.push_str(&format!("\n|---|---|{}\n", "---|".repeat(columns.len())));
    let Some((_, first)) = columns.first() else { return table };
    for (line, of) in first.types.iter().enumerate().filter(|(line, _)| said(&columns, *line)) {
        table.push_str(&format!("| {} | {} |", of.id.map_or(String::new(), |id| id.to_string()), plain(&of.layout)));
        for (_, dialect) in &columns {
            table.push_str(&dialect.types.get(line).map_or(" |".to_owned(), |row| format!(" {} |", both(row))));
        }
        table.push('\n');
    }
    table
}

/// Whether there is anything to say in a line.
fn said(columns: &[(&Row, &DialectRow)], line: usize) -> bool {
    columns
        .iter()
        .filter_map(|(_, dialect)| dialect.types.get(line))
        .any(|row| row.decode.mark != "none" || row.encode.mark != "none")
}

fn both(row: &TypeRow) -> String {
    let (decode, encode) = (cell(&row.decode), cell(&row.encode));
    if decode == encode && row.decode.mark == "unclaimed" { decode } else { format!("{decode}<br>{encode}") }
}

fn cell(cell: &CellRow) -> String {
    match cell.mark {
        "unclaimed" => "not claimed".to_owned(),
        "none" => "–".to_owned(),
        _ => format!("{} {}/{}", cell.word, cell.passed, cell.judged),
    }
}

/// What a stranger said, in a cell of a table.
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
