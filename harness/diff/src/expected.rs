//! Findings that are known already: the `diff:` entries of an implementation's `findings.yaml`.

use std::cell::Cell;
use std::path::Path;

use super::signature::Signature;
use variant_corpus::findings::{Finding, Findings};
use variant_wire::diagnostic::Problem;

/// Findings that are known already, with the reason for each.
#[derive(Debug, Default)]
pub struct KnownFindings {
    entries: Vec<KnownPattern>,
}

#[derive(Debug)]
struct KnownPattern {
    /// A cause as texts name it, `godot-3/int-type-float`, or a signature as [`Signature::what`] shows it; `*` matches any
    /// text.
    pattern: String,
    /// The sentence of the finding.
    reason: String,
    met: Cell<bool>,
}

impl KnownFindings {
    /// Adds the `diff:` entries of the `findings.yaml` at this path that hold for these adapters; without any, all.
    ///
    /// # Errors
    /// The file cannot be read, or one of its findings is not well formed.
    pub fn add(&mut self, path: &Path, adapters: Vec<String>) -> Result<(), Problem> {
        for (_, Finding { diff, finding, .. }) in Findings::load(path)?.tested_by(adapters).held() {
            let entry = |pattern: &String| KnownPattern {
                pattern: pattern.clone(),
                reason: finding.clone(),
                met: Cell::new(false),
            };
            self.entries.extend(diff.iter().map(entry));
        }
        Ok(())
    }

    /// Why a finding is expected, by its signature or the id of its cause; `None` if it is not. The entry that matches is no
    /// longer stale.
    pub fn reason(&self, signature: &Signature, cause: &str) -> Option<&str> {
        let shown = [signature.what(), format!("{}/{cause}", signature.dialect)];
        let entry = self.entries.iter().find(|entry| shown.iter().any(|shown| is_like(&entry.pattern, shown)))?;
        entry.met.set(true);
        Some(&entry.reason)
    }

    /// The entries about this dialect that have matched no finding.
    pub fn stale<'a>(&'a self, dialect: &'a str) -> impl Iterator<Item = &'a str> {
        let of_it = move |entry: &&KnownPattern| {
            entry.pattern.starts_with('*') || entry.pattern.split('/').next() == Some(dialect)
        };
        self.entries.iter().filter(of_it).filter(|entry| !entry.met.get()).map(|entry| entry.pattern.as_str())
    }
}

/// Whether a text matches a pattern, where `*` is any text. A glob library would read brackets of paths as classes.
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
