//! Coverage as Markdown, for a wiki, a comment or a step summary.

use crate::markdown::{code, sign};
use variant_corpus::coverage::{ClassCounts, Coverage, CoveredCount, DialectCoverage, DocumentCoverage, TypeCoverage};
use variant_runner::type_score::Scores;

/// The coverage tables, with a column for each of these implementations.
pub fn markdown(coverage: &Coverage, scores: &[Scores<'_>]) -> String {
    let mut lines = vec![
        "## Coverage\n".to_owned(),
        "| document | dialect | type rows | field rows | notes |".to_owned(),
        "|---|---|--:|--:|--:|".to_owned(),
    ];
    lines.extend(coverage.documents.iter().map(|document| {
        let DocumentCoverage { name, dialect, type_rows, field_rows, notes, .. } = document;
        format!("| {} | {} | {type_rows} | {field_rows} | {notes} |", code(name), code(dialect))
    }));
    let mut uncovered = coverage.uncovered().peekable();
    if uncovered.peek().is_some() {
        lines.push("\n### Not covered\n".to_owned());
        lines.extend(uncovered.map(|row| format!("- {}", code(row))));
    }
    lines.extend(coverage.dialects.iter().flat_map(|dialect| of_dialect(dialect, scores)));
    lines.join("\n") + "\n"
}

fn of_dialect(dialect: &DialectCoverage, scores: &[Scores<'_>]) -> Vec<String> {
    let tested = |score: &&Scores<'_>| score.at(&dialect.name, "").is_some();
    let scores: Vec<&Scores<'_>> = scores.iter().filter(tested).collect();
    let names: String = scores.iter().map(|score| format!(" {} |", code(&score.name).replace('|', "\\|"))).collect();
    let mut lines = vec![format!("\n### {}\n", code(&dialect.name))];
    lines.extend(dialect.basis.iter().map(|basis| format!("Basis: {basis}.\n")));
    lines.push(format!(
        "| id | type | rows | canonical | readable | invalid | undecided | fields | boundaries | tags |{names}"
    ));
    lines.push(format!("|--:|---|--:|--:|--:|--:|--:|--:|---|---|{}", "---|".repeat(scores.len())));
    for entry in &dialect.types {
        let marks = scores.iter().filter_map(|score| score.at(&dialect.name, &entry.layout));
        let signs = marks.map(|score| score.marks().map(sign)).map(|signs| format!(" {} |", signs.join(" ")));
        lines.push(of_type(entry) + &signs.collect::<String>());
    }
    let ClassCounts { canonical, readable, invalid, undecided } = dialect.packet_cases;
    let rows = CoveredCount::of(&dialect.packet);
    lines.push(format!(
        "| | any packet, length prefix | {rows} | {canonical} | {readable} | {invalid} | {undecided} | | | |{}",
        " |".repeat(scores.len())
    ));
    if !scores.is_empty() {
        lines.push("\nFor each implementation, the signs are: reads, writes, exact, safe.".to_owned());
    }
    lines
}

fn of_type(entry: &TypeCoverage) -> String {
    let cases = &entry.cases;
    let boundaries: Vec<&str> = entry.boundaries.keys().copied().collect();
    let tags: Vec<&str> = entry.tags.keys().map(String::as_str).collect();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        entry.id,
        if entry.name == entry.layout {
            code(&entry.layout)
        } else {
            format!("{} {}", entry.name, code(&entry.layout))
        },
        entry.count(),
        cases.canonical,
        cases.readable,
        cases.invalid,
        cases.undecided,
        entry.fields.len(),
        boundaries.join(", "),
        tags.join(", ")
    )
}
