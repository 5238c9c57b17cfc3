//! Coverage as tables for people.

use std::fmt::Write;

use super::{ClassCounts, Coverage, CoveredCount, DialectCoverage, DocumentCoverage, PairCoverage, TypeCoverage};

/// The tables, then what is not covered.
pub fn render(coverage: &Coverage) -> String {
    let mut text = String::new();
    documents(&mut text, coverage);
    coverage.dialects.iter().for_each(|dialect| of_dialect(&mut text, dialect));
    let mut uncovered = coverage.uncovered().peekable();
    if uncovered.peek().is_some() {
        line(&mut text, "\nnot covered:");
        uncovered.for_each(|row| line(&mut text, &format!("  {row}")));
    }
    text
}

fn documents(text: &mut String, coverage: &Coverage) {
    line(text, &format!("{:<17}{:<36}{:>10}{:>11}{:>6}", "document", "dialect", "type rows", "field rows", "notes"));
    for document in &coverage.documents {
        let DocumentCoverage { name, type_rows, field_rows, notes, .. } = document;
        let dialect = coverage.title_of(document);
        line(text, &format!("{name:<17}{dialect:<36}{type_rows:>10}{field_rows:>11}{notes:>6}"));
    }
}

fn of_dialect(text: &mut String, dialect: &DialectCoverage) {
    let DialectCoverage { title, packet, .. } = dialect;
    line(text, &format!("\n{title}"));
    let columns = "rows  canonical  readable  invalid  undecided  boundaries; documentation errors";
    line(text, &format!("{:<28}{columns}", " id type"));
    dialect.basis.iter().for_each(|basis| line(text, &format!("    basis: {basis}")));
    for entry in &dialect.types {
        let boundaries: Vec<&str> = entry.boundaries.keys().copied().collect();
        let errata: Vec<&str> = entry.errata.iter().map(String::as_str).collect();
        let errata = if errata.is_empty() { String::new() } else { format!("; {}", errata.join(" ")) };
        let TypeCoverage { id, name, cases, .. } = entry;
        let counts = counts(entry.count(), cases);
        line(text, &format!("{id:>3} {name:<22}{counts}  {}{errata}", boundaries.join(" ")));
    }
    let notes = counts(CoveredCount::of(packet), &dialect.packet_cases);
    line(text, &format!("    {:<22}{notes}", "any packet, its length"));
    let PairCoverage { all, unmet } = &dialect.pairs;
    let met = all - unmet.len();
    let what = "a type, alone or in an array or dictionary, an int or float in both widths, and a direction";
    line(text, &format!("    pairs of {what}: {met} of {all} are tested"));
    unmet.iter().for_each(|pair| line(text, &format!("      not {pair}")));
    if !dialect.max.covered {
        line(text, &format!("    {} is refused by no case", dialect.max.id));
    }
}

fn counts(rows: CoveredCount, cases: &ClassCounts) -> String {
    let ClassCounts { canonical, readable, invalid, undecided } = cases;
    format!("{rows:>6}{canonical:>11}{readable:>10}{invalid:>9}{undecided:>11}")
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", line.trim_end());
}
