//! What was identified, as a text for people.

use std::fmt::Write;

use variant_specs::{DOUBLE, Dialect, Specs};
use variant_wire::sanitize::{self, counted};

use super::{IdMismatch, Identified, Match};

/// How many bytes of a packet are shown.
const SHOWN: usize = 20;

impl Identified {
    /// A text for people: a sentence, then tables of ids that differ, of types that are not read, and of bugs.
    pub fn render(&self, specs: &Specs) -> String {
        let mut text = format!("tested as {}: ", sanitize::line(&self.tested_as));
        let Some(found) = self.nearest.first().filter(|_| self.answered > 0) else {
            let why = if self.answered == 0 { "it does not reply" } else { "it claims no type of any dialect" };
            return text + why + "\n";
        };
        text += &if found.read == 0 { "it reads none of the types that it claims".to_owned() } else { self.sentence() };
        text += "\n";
        let advice = found.dialects.iter().find_map(|name| specs.dialect(name)?.advice.as_ref());
        if let Some(advice) = advice.filter(|_| found.ids.is_empty() && found.read > 0) {
            text += &format!("  {advice}\n");
        }
        if !found.ids.is_empty() {
            text += &format!("  it reads a different type at {}:\n", counted(found.ids.len(), "id"));
            table(&mut text, &found.ids);
            elsewhere(&mut text, &found.ids, specs);
        }
        if !found.unread.is_empty() && found.read > 0 {
            text += &format!("  it claims but does not read {}:\n", counted(found.unread.len(), "type"));
            table(&mut text, &found.unread);
        }
        if !found.bugs.is_empty() {
            let types = counted(found.bugs.len(), "type");
            text += &format!("  it reads {types} differently: bugs, not a sign of another dialect\n");
            table(&mut text, &found.bugs);
        }
        text
    }

    fn sentence(&self) -> String {
        let groups: Vec<(&Match, Vec<&str>)> = self.nearest.iter().map(|found| (found, self.names(found))).collect();
        let groups: Vec<_> = groups.into_iter().filter(|(_, names)| !names.is_empty()).collect();
        let [(first, names), others @ ..] = groups.as_slice() else { return String::new() };
        let apart = if names.len() > 1 || !others.is_empty() { "; these packets do not distinguish them" } else { "" };
        if !first.ids.is_empty() {
            let (names, read, types) = (names.join(" or "), first.read, first.types);
            return format!("no known dialect; the nearest is {names}: {read} of its {types} types have their ids");
        }
        let verb = if first.bugs.is_empty() && first.unread.is_empty() { "speaks" } else { "has the ids of" };
        if first.read == first.types && others.is_empty() {
            return format!("it {verb} {}, all {} types{apart}", names.join(" or "), first.types);
        }
        let described = groups
            .iter()
            .map(|(found, names)| format!("{} ({} of {} types)", names.join(" or "), found.read, found.types));
        let described = described.collect::<Vec<_>>().join(" or ");
        let extent = if first.unread.is_empty() { "claims" } else { "reads" };
        format!("it {verb} {described}, judged by the types that it {extent}{apart}")
    }

    /// The dialects of a match, without the double-precision forms of others that fit as well, unless it was tested as one.
    fn names<'a>(&'a self, found: &'a Match) -> Vec<&'a str> {
        let fits = |name: &str| self.nearest.iter().any(|found| found.dialects.iter().any(|other| other == name));
        let single = |name: &str| name.strip_suffix(DOUBLE).is_some_and(fits) && !self.tested_as.ends_with(DOUBLE);
        found.dialects.iter().map(String::as_str).filter(|name| !single(name)).collect()
    }
}

/// Rows of columns as wide as what is in them. Ids in a row with the same entries are one row.
fn table(text: &mut String, mismatches: &[IdMismatch]) {
    let heading = ["id", "expected", "it reads", "shown by"].map(str::to_owned);
    let rows = mismatches.chunk_by(|a, b| b.id == a.id + 1 && (&a.expected, &a.actual) == (&b.expected, &b.actual));
    let rows: Vec<[String; 4]> = std::iter::once(heading).chain(rows.filter_map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [id, expected, actual] = [0, 1, 2].map(width);
    for [a, b, c, d] in &rows {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {a:>id$}  {b:<expected$}  {c:<actual$}  {d}");
    }
}

fn row(mismatches: &[IdMismatch]) -> Option<[String; 4]> {
    let (first, last) = (mismatches.first()?, mismatches.last()?);
    let ids = if first.id == last.id { first.id.to_string() } else { format!("{}–{}", first.id, last.id) };
    Some([ids, first.expected.clone(), first.actual.clone(), beginning(&first.packet)])
}

/// A packet in hex, as far as it is not only zeros.
fn beginning(packet: &[u8]) -> String {
    let words = packet.len().div_ceil(4) - packet.rchunks(4).take_while(|word| *word == [0; 4]).count();
    let end = 4 * words.max(1);
    if end > SHOWN {
        return format!("{}…", hex::encode(&packet[..SHOWN]));
    }
    format!("{}, then zeros", hex::encode(&packet[..end.min(packet.len())]))
}

/// The dialects that have there what is read, a line for each set of them.
fn elsewhere(text: &mut String, mismatches: &[IdMismatch], specs: &Specs) {
    let mut sets: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for mismatch in mismatches {
        let has_it = |dialect: &&Dialect| {
            dialect.type_of(mismatch.id).is_some_and(|entry| dialect.layout(entry).name == mismatch.actual)
        };
        let names: Vec<&str> = specs.dialects.iter().filter(has_it).map(|dialect| dialect.name.as_str()).collect();
        match sets.iter_mut().find(|(others, _)| *others == names) {
            Some((_, ids)) => ids.push(mismatch.id.to_string()),
            None => sets.push((names, vec![mismatch.id.to_string()])),
        }
    }
    for (names, ids) in sets {
        let nowhere = if names.is_empty() { "in no dialect".to_owned() } else { format!("as in {}", names.join(", ")) };
        let _ = writeln!(text, "  {}: {nowhere}", ids.join(", "));
    }
}
