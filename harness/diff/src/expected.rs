//! Findings that are expected: `expected-findings.yaml` beside an adapter.

use std::cell::Cell;
use std::path::Path;

use serde::Deserialize;
use variant_specs::Specs;

use super::signature::Signature;
use variant_corpus::expectations::missing;
use variant_wire::diagnostic::Problem;

/// What an implementation is known to do otherwise.
#[derive(Debug, Default)]
pub struct Expected {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    written: Written,
    line: usize,
    met: Cell<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// A signature as it is shown, without who; `*` stands for anything.
    finding: String,
    reason: String,
    evidence: String,
}

impl Expected {
    /// Adds what a file lists.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn add(&mut self, path: &Path) -> Result<(), Problem> {
        let problem = |line: usize, message: String| Problem { file: path.display().to_string(), line, message };
        let text = std::fs::read_to_string(path).map_err(|error| problem(0, format!("cannot be read: {error}")))?;
        let written: Vec<Written> =
            serde_yaml::from_str(&text).map_err(|error| Problem::of_yaml(&path.display().to_string(), &error))?;
        let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("- "));
        let lines = lines.map(|(index, _)| index + 1).chain(std::iter::repeat(0));
        for (written, line) in written.into_iter().zip(lines) {
            if written.reason.trim().is_empty() || written.evidence.trim().is_empty() {
                return Err(problem(
                    line,
                    format!("{:?}: `reason` and `evidence` say why it is expected", written.finding),
                ));
            }
            self.entries.push(Entry { written, line, met: Cell::new(false) });
        }
        Ok(())
    }

    /// What can be said against a list without asking anybody: unreadable, or evidence that is not there.
    pub fn problems(list: &Path, specs: &Specs) -> Vec<Problem> {
        let mut expected = Self::default();
        if let Err(problem) = expected.add(list) {
            return vec![problem];
        }
        let folder = list.parent().unwrap_or(Path::new("."));
        let problem = |entry: &Entry| {
            let message = missing(&entry.written.evidence, folder, specs)?;
            Some(Problem { file: list.display().to_string(), line: entry.line, message })
        };
        expected.entries.iter().filter_map(problem).collect()
    }

    /// Why a finding is expected; it is noted that it was met.
    pub fn reason(&self, signature: &Signature) -> Option<&str> {
        let shown = signature.what();
        let entry = self.entries.iter().find(|entry| is_like(&entry.written.finding, &shown))?;
        entry.met.set(true);
        Some(&entry.written.reason)
    }

    /// What was expected in this dialect and was not met.
    pub fn stale<'a>(&'a self, dialect: &'a str) -> impl Iterator<Item = &'a str> {
        let of_it = move |entry: &&Entry| {
            entry.written.finding.starts_with('*') || entry.written.finding.split('/').next() == Some(dialect)
        };
        self.entries.iter().filter(of_it).filter(|entry| !entry.met.get()).map(|entry| entry.written.finding.as_str())
    }
}

/// `*` stands for anything. A glob library would read the brackets of paths as classes.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        Some(part) => part.is_empty() || text.ends_with(part),
    }
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(is_like("godot-3/*:decode value *", "godot-3/array:decode value [i].x"));
        assert!(is_like("godot-3/array:decode value [i].x", "godot-3/array:decode value [i].x"));
        assert!(!is_like("godot-3/array:decode value", "godot-3/array:decode value [i].x"));
        assert!(!is_like("godot-3/*:encode *", "godot-3/array:decode value [i].x"));
    }
}
