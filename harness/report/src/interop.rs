//! Who can read what whom wrote, as text, and the words that the site's pages have too.

use std::collections::BTreeSet;
use std::fmt::Write;

use variant_runner::interop::{Fate, InteropCell, InteropRecord, InteropTable};
use variant_runner::results::DialectPlan;
use variant_specs::Specs;
use variant_values::sanitize::short;

/// At most so many packets that did not arrive are shown in each dialect.
const SHOWN: usize = 12;

/// A table, and the first packets that did not arrive.
pub fn text(table: &InteropTable, record: &InteropRecord, specs: &Specs) -> String {
    let dialect = specs.dialect(&table.dialect).map(DialectPlan::of);
    let name = |place: usize| record.plan.participants.get(place).map_or("", |of| of.name.as_str());
    let members: BTreeSet<usize> = table.writers.iter().chain(&table.readers).copied().collect();
    let number = |place: usize| members.range(..=place).count();
    let mut out = format!(
        "{}: types that arrive, out of the types that both support; after `+`, those that are written again correctly\n",
        dialect.as_ref().map_or_else(|| table.dialect.clone(), DialectPlan::title)
    );
    let width = members.iter().map(|place| name(*place).len()).max().unwrap_or(0);
    let headings = table.readers.iter().map(|place| format!("{:>13}", format!("to {}", number(*place))));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "     {:width$}{}", "", headings.collect::<String>());
    for (writer, row) in table.writers.iter().zip(&table.rows) {
        let cells = row.iter().map(|cell| format!("{:>13}", cell.as_ref().map(both_counts).unwrap_or_default()));
        let _ = writeln!(out, "{:>4} {:width$}{}", number(*writer), name(*writer), cells.collect::<String>());
    }
    for reader in table.readers.iter().filter(|reader| !table.writers.contains(reader)) {
        let _ = writeln!(out, "{:>4} {} only reads", number(*reader), name(*reader));
    }
    let only_writes = table.writers.iter().filter(|writer| !table.readers.contains(writer));
    let engines: Vec<&str> = only_writes.map(|writer| name(*writer)).collect();
    if !engines.is_empty() {
        let _ = writeln!(
            out,
            "  {} only write here: their packets are recorded. Whether they read what others write, `conform run` tests, byte \
             for byte",
            engines.join(", ")
        );
    }
    for line in types(table, dialect.as_ref(), name) {
        let _ = writeln!(out, "  {line}");
    }
    let lost = lost(table, record, name);
    for line in lost.iter().take(SHOWN) {
        let _ = writeln!(out, "  {line}");
    }
    if lost.len() > SHOWN {
        let _ = writeln!(out, "  and {} more, in the record (--out)", lost.len() - SHOWN);
    }
    out + "\n"
}

fn both_counts(cell: &InteropCell) -> String {
    [0, 1].into_iter().filter_map(|way| counts(cell, way)).collect::<Vec<_>>().join("+")
}

/// How many types arrive this way, of those that both support: `20/22`.
pub(crate) fn counts(cell: &InteropCell, way: usize) -> Option<String> {
    cell.types(way).map(|(surviving, claimed)| format!("{surviving}/{claimed}"))
}

/// What arrived instead of the value; `None` if it arrived.
pub(crate) fn instead(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Same => None,
        Fate::Other => Some("something else"),
        Fate::Refused => Some("refused"),
        Fate::Failed => Some("failed"),
    }
}

/// A line for each type that does not arrive everywhere: from whom to whom, and how many of its values do.
fn types<'a>(table: &InteropTable, dialect: Option<&DialectPlan>, name: impl Fn(usize) -> &'a str) -> Vec<String> {
    let mut lost: Vec<(&str, Vec<String>)> = Vec::new();
    for (writer, row) in table.writers.iter().zip(&table.rows) {
        for (reader, cell) in table.readers.iter().zip(row) {
            let types = cell.iter().flat_map(|cell| &cell.types);
            for of in types.filter(|of| !of.survives(0) && of.sent(0) + of.unsent > 0) {
                let all = of.sent(0) + of.unsent;
                let way = format!("{} → {} ({} of {all} values)", name(*writer), name(*reader), of.same[0]);
                match lost.iter_mut().find(|(layout, _)| *layout == of.layout) {
                    Some((_, ways)) => ways.push(way),
                    None => lost.push((&of.layout, vec![way])),
                }
            }
        }
    }
    let line = |(layout, ways): (&str, Vec<String>)| {
        let name = dialect.map_or(layout, |dialect| dialect.type_name(layout));
        format!("{name} does not arrive whole: {}", ways.join(", "))
    };
    lost.into_iter().map(line).map(|line| short(&line, 300)).collect()
}

/// A line for each packet that somebody did not get as it was meant.
fn lost<'a>(table: &InteropTable, record: &InteropRecord, name: impl Fn(usize) -> &'a str) -> Vec<String> {
    let names = |places: &[usize]| places.iter().map(|place| name(*place)).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    for case in record.cases.iter().filter(|case| case.dialect_and_layout().0 == table.dialect) {
        for packet in &case.packets {
            for arrival in &packet.decode {
                let Some(fate) = instead(arrival.fate) else { continue };
                let (from, to) = (names(&packet.from), names(&arrival.by));
                let line = format!("{} from {from} to {to}: {fate} ({}): {}", case.case, packet.bytes, arrival.answer);
                lines.push(short(&line, 300));
            }
        }
    }
    lines
}
