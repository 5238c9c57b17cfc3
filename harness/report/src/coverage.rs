//! Coverage as tables of Markdown.

use crate::markdown::{code, html};
use variant_corpus::coverage::{
    ClassCounts, Coverage, CoveredCount, DialectCoverage, DocumentCoverage, PairCoverage, TypeCoverage,
};

/// The coverage tables.
pub fn markdown(coverage: &Coverage) -> String {
    let mut lines = vec![
        "## Coverage\n".to_owned(),
        "| document | dialect | type rows | field rows | notes |".to_owned(),
        "|---|---|--:|--:|--:|".to_owned(),
    ];
    lines.extend(coverage.documents.iter().map(|document| {
        let DocumentCoverage { name, type_rows, field_rows, notes, .. } = document;
        let dialect = html(coverage.title_of(document));
        format!("| {} | {dialect} | {type_rows} | {field_rows} | {notes} |", code(name))
    }));
    let mut uncovered = coverage.uncovered().peekable();
    if uncovered.peek().is_some() {
        lines.push("\n### Not covered\n".to_owned());
        lines.extend(uncovered.map(|row| format!("- {}", code(row))));
    }
    lines.extend(coverage.dialects.iter().flat_map(of_dialect));
    lines.join("\n") + "\n"
}

fn of_dialect(dialect: &DialectCoverage) -> Vec<String> {
    let mut lines = vec![format!("\n### {}\n", html(&dialect.title))];
    lines.extend(dialect.basis.iter().map(|basis| format!("Basis: {basis}.\n")));
    lines.push(
        "| id | type | rows | canonical | readable | invalid | undecided | fields | boundaries | tags | documentation errors |"
            .to_owned(),
    );
    lines.push("|--:|---|--:|--:|--:|--:|--:|--:|---|---|---|".to_owned());
    lines.extend(dialect.types.iter().map(of_type));
    let ClassCounts { canonical, readable, invalid, undecided } = dialect.packet_cases;
    let rows = CoveredCount::of(&dialect.packet);
    lines.push(format!(
        "| | any packet, length prefix | {rows} | {canonical} | {readable} | {invalid} | {undecided} | | | | |"
    ));
    let PairCoverage { all, unmet } = &dialect.pairs;
    let what = "a type, alone or in an array or dictionary, a width of its numbers, and a direction";
    lines.push(format!("\nOf the {all} pairs of {what}, {} are tested.\n", all - unmet.len()));
    lines.extend(unmet.iter().map(|pair| format!("- not {pair}")));
    lines
}

fn of_type(entry: &TypeCoverage) -> String {
    let cases = &entry.cases;
    let boundaries: Vec<&str> = entry.boundaries.keys().copied().collect();
    let tags: Vec<&str> = entry.tags.keys().map(String::as_str).collect();
    let errata: Vec<String> = entry.errata.iter().map(|erratum| code(erratum)).collect();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
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
        tags.join(", "),
        errata.join(", ")
    )
}
