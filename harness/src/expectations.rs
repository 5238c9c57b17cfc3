//! Expected failures: `adapters/NAME/expected-failures.yaml`. Each is a claim that can turn false.

use std::path::Path;

use serde::Deserialize;

use crate::glob::AskGlob;
use crate::problem::{Problem, yaml_words};
use crate::verdict::{Reason, Verdict};

/// The failures that an adapter's list expects.
#[derive(Debug, Default)]
pub struct Expectations {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    glob: AskGlob,
    written: RawEntry,
    matched: usize,
    /// Asks that match and did not fail as listed: the first, and its verdict.
    contradicted: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    cases: String,
    verdict: String,
    reason: String,
    evidence: String,
    versions: Option<String>,
}

impl Expectations {
    /// Reads a list, keeping what holds for this version of the implementation.
    ///
    /// # Errors
    /// File and line of the first entry that is not well formed: without evidence, with an unknown verdict…
    pub fn load(path: &Path, version: &str) -> Result<Self, Problem> {
        let file = path.display().to_string();
        let whole = |message: String| Problem { file: file.clone(), line: 0, message };
        let text = std::fs::read_to_string(path).map_err(|error| whole(format!("cannot be read: {error}")))?;
        let raw: Vec<RawEntry> = serde_yaml::from_str(&text).map_err(|error| Problem {
            file: file.clone(),
            line: error.location().map_or(0, |location| location.line()),
            message: yaml_words(&error),
        })?;
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("- ")).map(|(index, _)| index + 1);
        let mut entries = Vec::new();
        for written in raw {
            let line = lines.next().unwrap_or(0);
            let entry = Entry::new(written).map_err(|message| Problem { file: file.clone(), line, message })?;
            if entry.written.versions.as_deref().is_none_or(|range| holds(range, version)) {
                entries.push(entry);
            }
        }
        Ok(Self { entries })
    }

    /// Whether this failure is expected; notes what it sees.
    pub fn covers(&mut self, ask: &str, verdict: Verdict, reason: Option<Reason>) -> bool {
        let actual = spelled(verdict, reason);
        let mut covered = false;
        for entry in self.entries.iter_mut().filter(|entry| entry.glob.is_match(ask)) {
            if entry.written.verdict == actual {
                entry.matched += 1;
                covered = true;
            } else if !matches!(verdict, Verdict::NotClaimed | Verdict::NotRun | Verdict::Open)
                && entry.contradicted.is_none()
            {
                entry.contradicted = Some(format!("{ask} is {actual}"));
            }
        }
        covered
    }

    /// Entries that were not true, a sentence each that mends the list.
    pub fn stale(&self) -> Vec<String> {
        let sentence = |entry: &Entry| {
            let RawEntry { cases, verdict, .. } = &entry.written;
            match (&entry.contradicted, entry.matched) {
                (Some(seen), 0) => {
                    Some(format!("`{cases}` is listed as {verdict}, but {seen}: delete the entry, or mend its verdict"))
                }
                (Some(seen), _) => Some(format!("`{cases}` is listed as {verdict}, but {seen}: narrow the glob")),
                (None, 0) => Some(format!("`{cases}` matches no ask of this run: delete the entry, or mend its glob")),
                (None, _) => None,
            }
        };
        self.entries.iter().filter_map(sentence).collect()
    }
}

impl Entry {
    fn new(written: RawEntry) -> Result<Self, String> {
        let plain = Verdict::ALL.iter().map(|verdict| spelled(*verdict, None));
        let failures = Reason::ALL.iter().map(|reason| spelled(Verdict::Fail, Some(*reason)));
        if !plain.chain(failures).any(|known| known == written.verdict) {
            return Err(format!(
                "verdict {:?} is none; write it as reports do: fail/wrong-value, crashed…",
                written.verdict
            ));
        }
        let versions = written.versions.iter().flat_map(|range| range.split(','));
        if let Some(part) =
            versions.map(str::trim).find(|part| numbers(part.trim_start_matches(['<', '>', '='])).is_empty())
        {
            return Err(format!("versions: {part:?} is none; write <3.6, >=4.0, 3.2.3, several with commas"));
        }
        for (key, text) in [("reason", &written.reason), ("evidence", &written.evidence)] {
            if text.trim().is_empty() {
                return Err(format!("`{}` has no {key}; say why, and where it can be seen", written.cases));
            }
        }
        Ok(Self { glob: AskGlob::new(&written.cases)?, written, matched: 0, contradicted: None })
    }
}

/// A verdict as reports and lists write it: `fail/wrong-value`, `crashed`.
pub fn spelled(verdict: Verdict, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{}/{}", verdict.name(), reason.name()),
        None => verdict.name().to_owned(),
    }
}

/// Whether a version is in a range: `<3.6`, `>=3.6`, `3.2.3`, several with commas.
fn holds(range: &str, version: &str) -> bool {
    range.split(',').map(str::trim).all(|part| {
        let (operator, bound) = part.split_at(part.find(|letter: char| letter.is_ascii_digit()).unwrap_or(part.len()));
        let order = numbers(version).cmp(&numbers(bound));
        match operator.trim() {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            _ => order.is_eq() || version.starts_with(bound),
        }
    })
}

/// The leading numbers of a version: `3.2.3.stable` → 3, 2, 3.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}
