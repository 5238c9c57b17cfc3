//! What an implementation is known to do otherwise: the `diff:` of its `findings.yaml`.

use std::cell::Cell;
use std::path::Path;

use super::signature::Signature;
use variant_corpus::findings::Findings;
use variant_wire::diagnostic::Problem;

/// What an implementation is known to do otherwise.
#[derive(Debug, Default)]
pub struct Expected {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// A signature as it is shown, without who; `*` stands for anything.
    pattern: String,
    /// The sentence of the finding.
    reason: String,
    met: Cell<bool>,
}

impl Expected {
    /// Adds what a list has.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn add(&mut self, path: &Path) -> Result<(), Problem> {
        for finding in Findings::load(path)?.findings {
            let entry = |pattern| Entry { pattern, reason: finding.finding.clone(), met: Cell::new(false) };
            self.entries.extend(finding.diff.into_iter().map(entry));
        }
        Ok(())
    }

    /// Why a finding is expected; it is noted that it was met.
    pub fn reason(&self, signature: &Signature) -> Option<&str> {
        let shown = signature.what();
        let entry = self.entries.iter().find(|entry| is_like(&entry.pattern, &shown))?;
        entry.met.set(true);
        Some(&entry.reason)
    }

    /// What was expected in this dialect and was not met.
    pub fn stale<'a>(&'a self, dialect: &'a str) -> impl Iterator<Item = &'a str> {
        let of_it =
            move |entry: &&Entry| entry.pattern.starts_with('*') || entry.pattern.split('/').next() == Some(dialect);
        self.entries.iter().filter(of_it).filter(|entry| !entry.met.get()).map(|entry| entry.pattern.as_str())
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
