//! Expected failures: `adapters/NAME/expected-failures.yaml`. Each is a claim that can turn false.

mod bless;
mod cover;
mod evidence;

use std::path::Path;

use serde::Deserialize;

pub use self::bless::Blessed;
pub use self::evidence::missing;
pub use self::evidence::problems;

use crate::verdict::{Reason, Severity, Verdict, spelled};
use variant_wire::diagnostic::Problem;
use variant_wire::glob::TestGlob;
use variant_wire::version::numbers;

/// The failures that an adapter's list expects.
#[derive(Debug, Default)]
pub struct Expectations {
    /// What stands before the first entry.
    head: String,
    entries: Vec<Entry>,
    /// Whether all that is seen is kept, to make the list fit it.
    blessing: bool,
    seen: Vec<Seen>,
}

/// An ask and what came of it.
#[derive(Debug)]
struct Seen {
    test: String,
    verdict: Verdict,
    reason: Option<Reason>,
    severity: Severity,
}

#[derive(Debug)]
struct Entry {
    glob: TestGlob,
    written: RawEntry,
    /// The lines of it, as they stand.
    text: String,
    /// Whether it is about this version.
    applies: bool,
    line: usize,
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
        let list = Self::parse(&text, &file, version)?;
        list.unfounded(&file).map_or(Ok(list), Err)
    }

    /// Reads a list to make it fit a run; no file is an empty list, and reasons may still be missing.
    ///
    /// # Errors
    /// File and line of the first entry that is not well formed.
    pub fn to_bless(path: &Path, version: &str) -> Result<Self, Problem> {
        let file = path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Problem { file, line: 0, message: format!("cannot be read: {error}") }),
            Ok(text) => text,
        };
        Ok(Self { blessing: true, ..Self::parse(&text, &file, version)? })
    }

    fn parse(text: &str, file: &str, version: &str) -> Result<Self, Problem> {
        let blank = text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
        let raw: Vec<RawEntry> = if blank {
            Vec::new()
        } else {
            serde_yaml::from_str(text).map_err(|error| Problem::of_yaml(file, &error))?
        };
        let (head, blocks) = blocks(text);
        let mut blocks = blocks.into_iter();
        let mut entries = Vec::new();
        for written in raw {
            let (line, text) = blocks.next().unwrap_or_default();
            let problem = |message| Problem { file: file.to_owned(), line, message };
            entries.push(Entry::new(written, text, line, version).map_err(problem)?);
        }
        Ok(Self { head, entries, ..Self::default() })
    }

    /// The first entry without a reason or evidence.
    fn unfounded(&self, file: &str) -> Option<Problem> {
        self.entries.iter().find_map(|entry| {
            let RawEntry { cases, reason, evidence, .. } = &entry.written;
            let (missing, _) =
                [("reason", reason), ("evidence", evidence)].into_iter().find(|(_, text)| text.trim().is_empty())?;
            let message = format!("`{cases}` has no {missing}; say why, and where it can be seen");
            Some(Problem { file: file.to_owned(), line: entry.line, message })
        })
    }

    /// Whether this failure is expected; notes what it sees.
    pub fn covers(&mut self, test: &str, verdict: Verdict, reason: Option<Reason>, severity: Severity) -> bool {
        if self.blessing {
            self.seen.push(Seen { test: test.to_owned(), verdict, reason, severity });
        }
        let actual = spelled(verdict, reason);
        let mut covered = false;
        for entry in self.entries.iter_mut().filter(|entry| entry.applies && entry.glob.is_match(test)) {
            if entry.written.verdict == actual {
                entry.matched += 1;
                covered = true;
            } else if !says_nothing(verdict) && entry.contradicted.is_none() {
                entry.contradicted = Some(format!("{test} is {actual}"));
            }
        }
        covered
    }

    /// Where it can be seen that this is expected: the evidence of each entry that covers it.
    pub fn evidence<'a>(
        &'a self,
        test: &'a str,
        verdict: Verdict,
        reason: Option<Reason>,
    ) -> impl Iterator<Item = &'a str> {
        let actual = spelled(verdict, reason);
        let covering =
            move |entry: &&Entry| entry.applies && entry.written.verdict == actual && entry.glob.is_match(test);
        self.entries.iter().filter(covering).map(|entry| entry.written.evidence.as_str())
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
        self.entries.iter().filter(|entry| entry.applies).filter_map(sentence).collect()
    }
}

impl Entry {
    fn new(written: RawEntry, text: String, line: usize, version: &str) -> Result<Self, String> {
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
        let applies = written.versions.as_deref().is_none_or(|range| holds(range, version));
        Ok(Self { glob: TestGlob::new(&written.cases)?, written, text, applies, line, matched: 0, contradicted: None })
    }
}

/// The text before the first entry, and line and text of each. A comment belongs to what follows it.
fn blocks(text: &str) -> (String, Vec<(usize, String)>) {
    let (mut head, mut blocks): (String, Vec<(usize, String)>) = (String::new(), Vec::new());
    let mut waiting = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line_of_text = format!("{line}\n");
        if line.starts_with("- ") {
            let before = std::mem::take(&mut waiting);
            if blocks.is_empty() {
                head = before;
                blocks.push((number, line_of_text));
            } else {
                blocks.push((number, before + &line_of_text));
            }
        } else if blocks.is_empty() || line.is_empty() || line.starts_with('#') {
            waiting.push_str(&line_of_text);
        } else if let Some((_, block)) = blocks.last_mut() {
            block.push_str(&std::mem::take(&mut waiting));
            block.push_str(&line_of_text);
        }
    }
    match blocks.last_mut() {
        Some((_, block)) => block.push_str(&waiting),
        None => head = waiting,
    }
    (head, blocks)
}

/// Whether a verdict is neither for nor against what a list says.
fn says_nothing(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotClaimed | Verdict::NotRun | Verdict::Open)
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
