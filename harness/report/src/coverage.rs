//! Coverage as Markdown, for a wiki, a comment or a step summary.

use std::fmt::Write;

use crate::markdown::{code, sign};
use variant_corpus::coverage::{Coverage, DialectCoverage, TypeCoverage};
use variant_runner::type_score::Scores;

/// The coverage tables, with a column for each of these implementations.
pub fn markdown(coverage: &Coverage, scores: &[Scores<'_>]) -> String {
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
    coverage.dialects.iter().for_each(|dialect| of_dialect(&mut text, dialect, scores));
    text
}

fn of_dialect(text: &mut String, dialect: &DialectCoverage, scores: &[Scores<'_>]) {
    let tested = |score: &&Scores<'_>| score.at(&dialect.name, "").is_some();
    let scores: Vec<&Scores<'_>> = scores.iter().filter(tested).collect();
    let names: String = scores.iter().map(|score| format!(" {} |", code(&score.name).replace('|', "\\|"))).collect();
    put(text, &format!("\n### {}\n", code(&dialect.name)));
    dialect.basis.iter().for_each(|basis| put(text, &format!("Basis: {basis}.\n")));
    put(
        text,
        &format!("| id | type | rows | canonical | readable | invalid | open | fields | boundaries | flags |{names}"),
    );
    put(text, &format!("|--:|---|--:|--:|--:|--:|--:|--:|---|---|{}", "---|".repeat(scores.len())));
    for entry in &dialect.types {
        let marks = scores.iter().filter_map(|score| score.at(&dialect.name, &entry.layout));
        let marks: String = marks
            .map(|score| {
                let [decode, encode] = score.marks();
                format!(" {} {} |", sign(decode), sign(encode))
            })
            .collect();
        put(text, &format!("{}{marks}", of_type(entry)));
    }
    if !scores.is_empty() {
        put(text, "\nFor each implementation, the first sign is decode and the second encode.");
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
