//! Coverage as Markdown: for a wiki, a comment, a step's summary.

use std::fmt::Write;

use crate::markdown::{code, sign};
use variant_corpus::coverage::{Coverage, DialectCoverage, TypeCoverage};
use variant_runner::standing::Standing;

/// The tables; a column for each implementation.
pub fn markdown(coverage: &Coverage, standings: &[Standing<'_>]) -> String {
    let mut text =
        "## Coverage\n\n| document | dialect | type rows | field rows | notes |\n|---|---|--:|--:|--:|\n".to_owned();
    for document in &coverage.documents {
        put(
            &mut text,
            &format!(
                "| {} | {} | {} | {} | {} |",
                code(&document.name),
                code(&document.dialect),
                document.type_rows,
                document.field_rows,
                document.notes
            ),
        );
    }
    let uncovered: Vec<&String> = coverage.documents.iter().flat_map(|document| &document.uncovered).collect();
    if !uncovered.is_empty() {
        put(&mut text, "\n### Not covered\n");
        uncovered.iter().for_each(|row| put(&mut text, &format!("- {}", code(row))));
    }
    coverage.dialects.iter().for_each(|dialect| of_dialect(&mut text, dialect, standings));
    text
}

fn of_dialect(text: &mut String, dialect: &DialectCoverage, standings: &[Standing<'_>]) {
    let asked = |standing: &&Standing<'_>| standing.at(&dialect.name, "").is_some();
    let standings: Vec<&Standing<'_>> = standings.iter().filter(asked).collect();
    let names: String =
        standings.iter().map(|standing| format!(" {} |", code(&standing.name).replace('|', "\\|"))).collect();
    put(text, &format!("\n### {}\n", code(&dialect.name)));
    dialect.basis.iter().for_each(|basis| put(text, &format!("On the word of: {basis}.\n")));
    put(
        text,
        &format!("| id | type | rows | canonical | readable | invalid | open | fields | boundaries | flags |{names}"),
    );
    put(text, &format!("|--:|---|--:|--:|--:|--:|--:|--:|---|---|{}", "---|".repeat(standings.len())));
    for entry in &dialect.types {
        let marks = standings.iter().filter_map(|standing| standing.at(&dialect.name, &entry.layout));
        let marks: String = marks
            .map(|standing| {
                let [decode, encode] = standing.marks();
                format!(" {} {} |", sign(decode), sign(encode))
            })
            .collect();
        put(text, &format!("{}{marks}", of_type(entry)));
    }
    if !standings.is_empty() {
        put(text, "\nOf implementations, the first sign is decode, the second encode.");
    }
}

fn of_type(entry: &TypeCoverage) -> String {
    let cases = &entry.cases;
    let boundaries: Vec<&str> = entry.boundaries.keys().copied().collect();
    let flags: Vec<&str> = entry.flags.keys().map(String::as_str).collect();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        entry.id,
        code(&entry.layout),
        entry.count(),
        cases.canonical,
        cases.readable,
        cases.invalid,
        cases.open,
        entry.fields.len(),
        boundaries.join(", "),
        flags.join(", ")
    )
}

fn put(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}
