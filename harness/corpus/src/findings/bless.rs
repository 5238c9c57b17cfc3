//! Updates a list of findings to a run. What people wrote stays. Rows that no test shows any more are deleted. Other
//! failures are added without a sentence; a person has to write it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Tracker;
use super::matcher::AUTHORED;
use super::tracker::TrackedRow;
use crate::test::TestParts;
use variant_values::handshake::Op;

/// What findings without a sentence are called, before their number: `unexplained-1`.
const UNEXPLAINED: &str = "unexplained-";

/// A list of findings, updated to a run as far as a program can, and what was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blessed {
    /// The new text of the whole file.
    pub text: String,
    /// For each row that was deleted, because no test shows it any more: the id of its finding.
    pub dropped: Vec<String>,
    /// The ids of the findings that were added.
    pub added: Vec<String>,
    /// For each row that is not true and that a person has to change: a sentence that says how.
    pub stale: Vec<String>,
}

/// The type, names and derivations of a row. Without names, it is about any name.
type Key<'a> = (&'a str, BTreeSet<&'a str>, BTreeSet<&'a str>);

/// The derivations with which each name fails, by dialect and type.
type BlessGroup<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<&'a str, BTreeSet<&'a str>>>;

impl Tracker {
    /// The list that fits what was seen since [`Tracker::remembering`].
    pub fn blessed(&self) -> Blessed {
        let shown = |finding: usize| self.rows.iter().any(|row| row.finding == finding && !self.is_dead(row));
        let mut blessed = Blessed { text: String::new(), dropped: Vec::new(), added: Vec::new(), stale: Vec::new() };
        let mut gone: Vec<Range<usize>> = Vec::new();
        for row in &self.rows {
            if self.is_dead(row) && self.is_own(row) && shown(row.finding) {
                gone.push(self.list.places.row(row.finding, row.row));
                blessed.dropped.push(self.list.findings[row.finding].id.clone());
            } else {
                blessed.stale.extend(self.why_stale(row, gone.iter().map(ExactSizeIterator::len).sum()));
            }
        }
        let kept = |(number, line): (usize, &'_ str)| {
            (!gone.iter().any(|lines| lines.contains(&number))).then(|| format!("{line}\n"))
        };
        let lines = || self.list.text.lines().enumerate();
        let end = self.list.places.end;
        blessed.text = lines().take(end).filter_map(kept).collect();
        let added = self.unexplained();
        if !added.is_empty() && self.list.findings.is_empty() {
            blessed.text = blessed.text.replace("findings: []\n", "");
            blessed.text.push_str("findings:\n");
        }
        for (id, text) in self.ids().zip(&added) {
            let of = self.list.is_shared.then(|| format!("  adapters: [{}]\n", self.list.tested.join(", ")));
            let of = of.unwrap_or_default();
            blessed.text.push_str(&format!("- id: {id}\n{of}  finding: \"\"\n  tests:\n{text}"));
            blessed.added.push(id);
        }
        blessed.text.extend(lines().skip(end).filter_map(kept));
        blessed
    }

    /// Whether a row holds for the adapters under test only.
    fn is_own(&self, row: &TrackedRow) -> bool {
        let finding = &self.list.findings[row.finding];
        let names = [&finding.adapters, &finding.tests[row.row].adapters];
        let is_own =
            |names: &&Vec<String>| !names.is_empty() && names.iter().all(|name| self.list.tested.contains(name));
        !self.list.is_shared || names.iter().any(is_own)
    }

    /// Ids that no finding has yet: `unexplained-3`, `unexplained-4`…
    fn ids(&self) -> impl Iterator<Item = String> {
        let number = |id: &str| id.strip_prefix(UNEXPLAINED)?.parse().ok();
        let last: usize = self.list.findings.iter().filter_map(|finding| number(&finding.id)).max().unwrap_or(0);
        (last + 1..).map(|number| format!("{UNEXPLAINED}{number}"))
    }

    /// The rows of each finding that is missing: one for each verdict and operation.
    fn unexplained(&self) -> Vec<String> {
        let seen = self.seen.as_deref().unwrap_or_default();
        let mut verdicts: BTreeMap<_, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for seen in seen {
            let TestParts { dialect, layout, op, rule, .. } = seen.test.parts();
            let verdicts = verdicts.entry((op, dialect, layout)).or_default();
            verdicts.entry(rule.unwrap_or(AUTHORED)).or_default().insert(&seen.verdict);
        }
        let alone = verdicts.keys().map(|(_, dialect, _)| dialect).collect::<BTreeSet<_>>().len() < 2;
        let mut groups: BTreeMap<(&str, Op), BlessGroup<'_>> = BTreeMap::new();
        for seen in seen.iter().filter(|seen| seen.unexplained) {
            let TestParts { dialect, layout, op, rule, name, .. } = seen.test.parts();
            let rule = rule.unwrap_or(AUTHORED);
            // Where all names share a verdict, none is written.
            let all = verdicts[&(op, dialect, layout)][rule].len() == 1;
            let names = groups.entry((&seen.verdict, op)).or_default().entry((dialect, layout)).or_default();
            names.entry(if all { "" } else { name }).or_default().insert(rule);
        }
        groups.into_iter().map(|((verdict, op), group)| rows(verdict, op, alone, group)).collect()
    }
}

/// The rows of a verdict and an operation, for what fails in each dialect and type: names, and derivations of each.
fn rows<'a>(verdict: &str, op: Op, alone: bool, group: BlessGroup<'a>) -> String {
    let mut dialects: BTreeMap<Key<'a>, BTreeSet<&str>> = BTreeMap::new();
    for ((dialect, layout), names) in group {
        let mut alike: BTreeMap<BTreeSet<&str>, BTreeSet<&str>> = BTreeMap::new();
        for (name, rules) in names {
            alike.entry(rules).or_default().insert(name);
        }
        for (rules, names) in alike {
            dialects.entry((layout, names, rules)).or_default().insert(dialect);
        }
    }
    let list = |field: &str, words: &BTreeSet<&str>| {
        let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
        if words.is_empty() { String::new() } else { format!(", {field}: [{}]", words.join(", ")) }
    };
    let row = |((layout, names, rules), dialects): (Key<'_>, BTreeSet<&str>)| {
        let dialects = if alone { String::new() } else { list("dialect", &dialects) };
        let (names, rules) = (list("name", &names), list("rule", &rules));
        format!("  - {{verdict: {verdict}, op: {}{dialects}, type: [{layout}]{names}{rules}}}\n", op.name())
    };
    dialects.into_iter().map(row).collect()
}
