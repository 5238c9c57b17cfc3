//! A list of expected failures made to fit a run: what holds stays as it was written, what fails besides is added
//! without a reason, for a person to find one.

use std::collections::BTreeMap;

use super::cover::cover;
use super::{Entry, Expectations, Seen};
use crate::verdict::spelled;
use crate::verdict::{Severity, Verdict};

/// A list that fits a run, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blessed {
    /// The whole list.
    pub text: String,
    /// Entries that stayed as they were.
    pub kept: usize,
    /// Entries that were too wide, and are now narrower.
    pub narrowed: usize,
    /// Globs of entries of which nothing holds any more.
    pub dropped: Vec<String>,
    /// Entries without reason and evidence.
    pub added: usize,
}

impl Expectations {
    /// The list that fits what was seen.
    pub fn blessed(&self) -> Blessed {
        let mut blessed = Blessed { text: self.head.clone(), kept: 0, narrowed: 0, dropped: Vec::new(), added: 0 };
        let mut covered = vec![false; self.seen.len()];
        for entry in self.entries.iter().filter(|entry| entry.holds()) {
            self.matching(entry).for_each(|place| covered[place] = true);
        }
        for entry in &self.entries {
            self.keep_or_narrow(entry, &mut covered, &mut blessed);
        }
        let mut left: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (seen, _) in self.seen.iter().zip(&covered).filter(|(seen, covered)| seen.fails() && !**covered) {
            left.entry(seen.spelled()).or_default().push(&seen.test);
        }
        for (verdict, tests) in left {
            for glob in cover(&tests, &self.others(&verdict)) {
                blessed.added += 1;
                blessed.text.push_str(&format!(
                    "- cases: {}\n  verdict: {verdict}\n  reason: \"\"\n  evidence: \"\"\n",
                    quoted(&glob)
                ));
            }
        }
        blessed
    }

    fn keep_or_narrow(&self, entry: &Entry, covered: &mut [bool], blessed: &mut Blessed) {
        if entry.holds() || !entry.applies {
            blessed.kept += 1;
            blessed.text.push_str(&entry.text);
            return;
        }
        let rest: Vec<usize> =
            self.matching(entry).filter(|place| !covered[*place] && self.seen[*place].fails()).collect();
        if rest.is_empty() {
            blessed.dropped.push(entry.written.cases.clone());
            return;
        }
        blessed.narrowed += 1;
        let tests: Vec<&str> = rest.iter().map(|place| self.seen[*place].test.as_str()).collect();
        for glob in cover(&tests, &self.others(&entry.written.verdict)) {
            blessed.text.push_str(&entry.with_glob(&glob));
        }
        rest.iter().for_each(|place| covered[*place] = true);
    }

    /// What was seen that an entry speaks of truly.
    fn matching<'e>(&'e self, entry: &'e Entry) -> impl Iterator<Item = usize> + 'e {
        let true_of = |seen: &Seen| seen.spelled() == entry.written.verdict && entry.glob.is_match(&seen.test);
        (0..self.seen.len()).filter(move |place| true_of(&self.seen[*place]))
    }

    /// The asks that no entry with this verdict may match.
    fn others(&self, verdict: &str) -> Vec<&str> {
        let other = |seen: &&Seen| !super::says_nothing(seen.verdict) && seen.spelled() != verdict;
        self.seen.iter().filter(other).map(|seen| seen.test.as_str()).collect()
    }
}

impl Seen {
    fn spelled(&self) -> String {
        spelled(self.verdict, self.reason)
    }

    fn fails(&self) -> bool {
        self.severity == Severity::Red && self.verdict != Verdict::NotRun
    }
}

impl Entry {
    fn holds(&self) -> bool {
        self.applies && self.matched > 0 && self.contradicted.is_none()
    }

    /// As it was written, but for its glob.
    fn with_glob(&self, glob: &str) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let place = lines.iter().position(|line| line.trim_start_matches(['-', ' ']).starts_with("cases:"));
        let alone = |place: usize| lines.get(place + 1).is_none_or(|next| !next.starts_with("   "));
        let Some(place) = place.filter(|place| alone(*place)) else { return self.rewritten(glob) };
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            match line.split_once("cases:") {
                Some((before, _)) if number == place => text.push_str(&format!("{before}cases: {}\n", quoted(glob))),
                Some(_) | None => text.push_str(&format!("{line}\n")),
            }
        }
        text
    }

    fn rewritten(&self, glob: &str) -> String {
        let super::RawEntry { verdict, reason, evidence, versions, .. } = &self.written;
        let versions = versions.iter().map(|versions| format!("  versions: {}\n", quoted(versions)));
        let body = format!("  verdict: {verdict}\n  reason: {}\n  evidence: {}\n", quoted(reason), quoted(evidence));
        format!("- cases: {}\n{body}{}", quoted(glob), versions.collect::<String>())
    }
}

/// Text as YAML has it in double quotes: as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
