//! Coverage as a table that a person reads.

use std::fmt::Write;

use super::{Coverage, OfDialect, OfDocument, OfType, Share};

/// The tables, and behind them what is not covered.
pub fn render(coverage: &Coverage) -> String {
    let mut text = String::new();
    documents(&mut text, &coverage.documents);
    coverage.dialects.iter().for_each(|dialect| of_dialect(&mut text, dialect));
    let uncovered: Vec<&String> = coverage.documents.iter().flat_map(|document| &document.uncovered).collect();
    if !uncovered.is_empty() {
        line(&mut text, "");
        line(&mut text, "not covered:");
        uncovered.iter().for_each(|row| line(&mut text, &format!("  {row}")));
    }
    text
}

fn documents(text: &mut String, documents: &[OfDocument]) {
    line(text, &format!("{:<16}{:<26}{:>10}{:>12}{:>10}", "document", "dialect", "type rows", "field rows", "notes"));
    for document in documents {
        let OfDocument { name, dialect, type_rows, field_rows, notes, .. } = document;
        let shares = [(type_rows, 10), (field_rows, 12), (notes, 10)];
        let shares: String = shares.map(|(part, width)| format!("{part:>width$}")).concat();
        line(text, &format!("{name:<16}{dialect:<26}{shares}"));
    }
}

fn of_dialect(text: &mut String, dialect: &OfDialect) {
    line(text, "");
    line(
        text,
        &format!(
            "{:<26}{:>6}{:>11}{:>10}{:>9}{:>6}  {}",
            dialect.name, "rows", "canonical", "readable", "invalid", "open", "boundaries; errata"
        ),
    );
    dialect.basis.iter().for_each(|basis| line(text, &format!("    on the word of: {basis}")));
    dialect.types.iter().for_each(|entry| of_type(text, entry));
    let of_all = &dialect.packet_cases;
    let notes = Share { total: dialect.packet.len(), covered: dialect.packet.iter().filter(|row| row.covered).count() };
    line(
        text,
        &format!(
            "    {:<22}{:>6}{:>11}{:>10}{:>9}{:>6}",
            "any packet", notes, of_all.canonical, of_all.readable, of_all.invalid, of_all.open
        ),
    );
    if !dialect.max.covered {
        line(text, &format!("    {} is refused by no case", dialect.max.id));
    }
}

fn of_type(text: &mut String, entry: &OfType) {
    let rows = entry.share();
    let cases = &entry.cases;
    let boundaries: Vec<&str> = entry.boundaries.keys().copied().collect();
    let errata: Vec<&str> = entry.errata.iter().map(String::as_str).collect();
    let errata = if errata.is_empty() { String::new() } else { format!("; {}", errata.join(" ")) };
    line(
        text,
        &format!(
            "{:>3} {:<22}{:>6}{:>11}{:>10}{:>9}{:>6}  {}{errata}",
            entry.id,
            entry.layout,
            rows,
            cases.canonical,
            cases.readable,
            cases.invalid,
            cases.open,
            boundaries.join(" ")
        ),
    );
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", line.trim_end());
}
