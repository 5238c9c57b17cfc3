//! What can be said against a list of expected failures without running anything.

use std::path::Path;

use variant_specs::Specs;

use super::Expectations;
use variant_wire::diagnostic::Problem;

/// What is wrong with a list: unreadable, an entry without reason, or evidence that is not there.
pub fn problems(list: &Path, specs: &Specs) -> Vec<Problem> {
    let entries = match Expectations::load(list, "") {
        Err(problem) => return vec![problem],
        Ok(list) => list.entries,
    };
    let folder = list.parent().unwrap_or(Path::new("."));
    let problem = |line: usize, message: String| Problem { file: list.display().to_string(), line, message };
    let missing = |evidence: &str| missing(evidence, folder, specs);
    entries.iter().filter_map(|entry| missing(&entry.written.evidence).map(|why| problem(entry.line, why))).collect()
}

/// Why evidence is none. It names a heading of a page beside the list, or an erratum; anything else is for people.
pub fn missing(evidence: &str, folder: &Path, specs: &Specs) -> Option<String> {
    if let Some(id) = evidence.strip_prefix("erratum:") {
        return specs
            .erratum(id)
            .is_none()
            .then(|| format!("evidence {evidence:?}: specs/errata.yaml has no such erratum"));
    }
    let (page, anchor) = evidence.split_once('#')?;
    let plain = page.ends_with(".md") && !page.contains('/');
    if !plain {
        return None;
    }
    let Ok(text) = std::fs::read_to_string(folder.join(page)) else {
        return Some(format!("evidence {evidence:?}: there is no {page} beside the list"));
    };
    let there = text.lines().filter(|line| line.starts_with('#')).any(|heading| slug(heading) == anchor);
    (!there).then(|| format!("evidence {evidence:?}: no heading of {page} makes this anchor"))
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn headings_make_anchors() {
        assert_eq!(slug("## NUL and byte order mark"), "nul-and-byte-order-mark");
        assert_eq!(slug("### `put_var`: 2^31"), "put_var-231");
    }
}
