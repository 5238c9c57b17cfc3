//! Known findings: `adapters/NAME/findings.yaml`, one block a finding.
//!
//! A finding is some causes of failures: all failures of a listed cause are known. A run fails if it fails for another
//! cause, or if a listed cause explains nothing any more.

mod check;
mod page;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::page::{flat, page};

use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::glob::TestGlob;
use variant_values::input;

/// The file of an adapter's findings.
pub const FILE: &str = "findings.yaml";
/// The page that is generated from it.
pub const PAGE: &str = "FINDINGS.md";

/// What an implementation is known to do wrong: a whole `findings.yaml`. Texts are Markdown.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Name and version of the implementation: the title of the page.
    #[serde(default)]
    pub implementation: String,
    /// What it is, and how to feed it a packet by hand.
    #[serde(default)]
    pub intro: String,
    /// What the corpus does not show: the end of the page.
    #[serde(default)]
    pub notes: String,
    /// The findings, in the order of the page where severity is equal.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The adapter under test, of those that share the list.
    #[serde(skip)]
    tested: Option<String>,
    /// Whether other adapters share it.
    #[serde(skip)]
    pub is_shared: bool,
    /// The page beside the file; empty if there is none.
    #[serde(skip)]
    pub page: String,
    /// The line of each finding, from 1.
    #[serde(skip)]
    lines: Vec<usize>,
}

/// One thing that an implementation does wrong, and the tests that show it.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The anchor on the page: the heading in lower case, with `-` for spaces.
    pub id: String,
    /// The heading on the page; absent: the id, with spaces for `-`.
    pub title: Option<String>,
    /// How bad it is for users of the implementation.
    pub severity: Option<FindingSeverity>,
    /// What it does wrong, in one sentence.
    #[serde(default)]
    pub finding: String,
    /// A packet that shows it.
    pub packet: Option<String>,
    /// A value that shows it, if it is about encoding.
    pub value: Option<String>,
    /// What a correct implementation does with it.
    #[serde(default)]
    pub expected: String,
    /// What this implementation does with it.
    #[serde(default)]
    pub actual: String,
    /// What it means for users.
    #[serde(default)]
    pub consequence: String,
    /// Further packets and remarks.
    pub notes: Option<String>,
    /// Where it is reported: a URL; absent: not known.
    pub reported: Option<String>,
    /// The first version without it; absent: not known.
    pub fixed: Option<String>,
    /// The erratum of `specs/errata.yaml` that it rests on.
    pub erratum: Option<String>,
    /// The adapters that show it, if several share the list, or variants of one: `godot3@3.2.3`; empty: all.
    #[serde(default)]
    pub adapters: Vec<String>,
    /// The causes of failures that it is, by their ids in reports: all their tests are known. Of a crash, a hang or a broken reply
    /// with the type and operation, as `--bless` writes it: `timed-out-did-not-reply/vector2:decode`.
    #[serde(default)]
    pub causes: Vec<String>,
    /// Globs over the tests that show it, where no cause of their own is known: `godot-3/aabb/*:decode`. They come before causes.
    #[serde(default)]
    pub tests: Vec<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum FindingSeverity {
    /// A peer ends the process or reads its memory.
    Critical,
    /// Values are lost or wrong without an error, or common ones cannot be sent.
    High,
    /// As `high`, but only for values that are rare.
    Medium,
    /// It shows only in packets that no engine sends.
    Low,
}

/// The most characters of a glob.
const LONGEST: usize = 120;

impl Findings {
    /// Reads a list of findings, all of which must be explained.
    pub fn load(path: &Path) -> Result<Self, Problem> {
        let findings = Self::parse(path)?;
        let mut ids = BTreeSet::new();
        for (number, finding) in findings.findings.iter().enumerate() {
            let is_new = ids.insert(&finding.id);
            let twice = || format!("two findings have the id `{}`; merge them, or rename this one", finding.id);
            if let Some(message) = finding.unfounded().or_else(|| (!is_new).then(twice)) {
                return Err(problem(path, findings.line(number), message));
            }
        }
        Ok(findings)
    }

    /// Reads a list to add to it. The file may be missing, and findings may lack their explanation.
    pub fn draft(path: &Path) -> Result<Self, Problem> {
        if path.try_exists().is_ok_and(|there| !there) {
            return Ok(Self::default());
        }
        Self::parse(path)
    }

    /// The list as it holds for this adapter, without findings that name only others. If others share the list, a cause that
    /// a run does not show may still be one of theirs.
    #[must_use]
    pub fn tested_by(self, adapter: String, is_shared: bool) -> Self {
        Self { tested: Some(adapter), is_shared, ..self }
    }

    /// The findings that hold for the adapter under test.
    pub fn held(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| self.holds(&finding.adapters))
    }

    /// The findings, the gravest first.
    pub fn by_severity(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.findings.iter().collect();
        findings.sort_by_key(|finding| (finding.severity.is_none(), finding.severity));
        findings
    }

    /// The adapter under test, where others share the list.
    pub fn sharer(&self) -> Option<&str> {
        self.tested.as_deref().filter(|_| self.is_shared)
    }

    /// Whether what names these adapters holds for the one under test. A name without a variant is all of them.
    fn holds(&self, adapters: &[String]) -> bool {
        let is_of =
            |one: &str, all: &str| one.strip_prefix(all).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'));
        let is_tested = |named: &String| self.tested.as_ref().is_none_or(|own| is_of(own, named) || is_of(named, own));
        adapters.is_empty() || adapters.iter().any(is_tested)
    }

    fn line(&self, finding: usize) -> usize {
        self.lines.get(finding).copied().unwrap_or(1)
    }

    fn parse(path: &Path) -> Result<Self, Problem> {
        let (text, file) = (input::yaml(path)?, path.display().to_string());
        let mut findings: Self = parse_yaml(&file, &text)?;
        let page = path.with_file_name(PAGE);
        findings.page = if page.is_file() { page.display().to_string() } else { String::new() };
        findings.lines = places(&text).0;
        for (number, finding) in findings.findings.iter().enumerate() {
            for glob in &finding.tests {
                check_glob(glob).map_err(|message| problem(path, findings.line(number), message))?;
            }
        }
        Ok(findings)
    }
}

impl Finding {
    pub fn heading(&self) -> String {
        let spaced = || {
            let mut letters = self.id.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.collect::<String>() + &letters.as_str().replace('-', " ")
        };
        self.title.clone().unwrap_or_else(spaced)
    }

    /// The first thing that is missing or wrong for a reader of the page.
    fn unfounded(&self) -> Option<String> {
        let shows = self.packet.as_ref().or(self.value.as_ref());
        let texts = [
            ("finding", Some(&self.finding)),
            ("packet or value", shows),
            ("expected", Some(&self.expected)),
            ("actual", Some(&self.actual)),
            ("consequence", Some(&self.consequence)),
        ];
        let empty = texts.into_iter().find(|(_, text)| text.is_none_or(|text| text.trim().is_empty()));
        let missing = empty.map(|(name, _)| name).or(self.severity.is_none().then_some("severity"));
        let (id, anchor) = (&self.id, anchor(&self.heading()));
        if let Some(missing) = missing {
            Some(format!("`{id}` has no {missing}; explain what is wrong and why, so that a reader can check it"))
        } else if anchor != *id {
            Some(format!("`{id}` is not the anchor of its title; write `id: {anchor}`"))
        } else if self.causes.is_empty() && self.tests.is_empty() {
            Some(format!("`{id}` has neither `causes` nor `tests`, so nothing shows it; add one, or delete it"))
        } else {
            None
        }
    }
}

/// The line of each finding in the text of a list, from 1, and how many lines there are up to the last one's end.
pub fn places(text: &str) -> (Vec<usize>, usize) {
    let (mut lines, mut end, mut within) = (Vec::new(), 0, false);
    for (number, line) in (1..).zip(text.lines()) {
        match line.chars().next() {
            Some('-') if within => lines.push(number),
            Some(' ' | '#') | None => {}
            Some(_) => within = line.starts_with("findings:"),
        }
        // Blank lines and comments behind the last finding belong to what follows.
        if within && line.starts_with(['-', ' ', 'f']) {
            end = number;
        }
    }
    (lines, if end == 0 { text.lines().count() } else { end })
}

/// A glob that matches tests which nobody could mean, in whatever dialect, is about all.
fn check_glob(glob: &str) -> Result<(), String> {
    if glob.len() > LONGEST {
        return Err(format!("a glob has {} characters, but {LONGEST} is the limit; split it", glob.len()));
    }
    let matcher = TestGlob::new(glob)?;
    let within = glob.split_once('/').filter(|(dialect, _)| !dialect.contains("**"));
    let any_dialect = within.map(|(_, rest)| TestGlob::new(&format!("*/{rest}")));
    let matcher = any_dialect.transpose().unwrap_or_default().unwrap_or(matcher);
    let any = ["no-such", "qqqq"]
        .into_iter()
        .flat_map(|of| ["decode", "encode", "reencode"].map(|op| format!("dialect/{of}-type/{of}-name:{op}")));
    if any.into_iter().any(|test| matcher.is_match(&test)) {
        return Err(format!(
            "{glob:?} matches tests of any type and name; name a type or cases, as in `*/int/*:decode`"
        ));
    }
    Ok(())
}

fn problem(path: &Path, line: usize, message: String) -> Problem {
    Problem { file: path.display().to_string(), line, message }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{Findings, anchor, check_glob, places};

    #[test]
    fn headings_make_anchors() {
        assert_eq!(anchor("NUL and byte order mark"), "nul-and-byte-order-mark");
        assert_eq!(anchor("`put_var`: 2^31"), "put_var-231");
    }

    #[test]
    fn findings_have_lines_and_the_list_an_end() {
        assert_eq!(
            places("a: b\nfindings:\n- id: a\n  b: c\n# c\n\n- id: b\n\n# d\nnotes: |\n  - e\n"),
            (vec![3, 7], 7)
        );
        assert_eq!(places("findings:\n- id: a\n  b: c\n"), (vec![2], 3));
    }

    #[rstest]
    #[case("*/int/*:decode", true)]
    #[case("**/negative-zero*", true)]
    #[case("godot-3/{int,float}/**", true)]
    #[case("**", false)]
    #[case("**:decode", false)]
    #[case("godot-3/**", false)]
    #[case("godot-*/*/*", false)]
    #[case("{godot-3,godot-4.4}/*/[a-z]*:encode", false)]
    #[case("?*/?*/?*", false)]
    #[case("??*/*/*", false)]
    #[case("godot-3/[!n]*/*", false)]
    fn no_glob_is_about_all(#[case] glob: &str, #[case] is_narrow: bool) {
        assert_eq!(check_glob(glob).is_ok(), is_narrow);
    }

    #[rstest]
    #[case("engine@3", "engine@3", true)]
    #[case("engine", "engine@3", true)]
    #[case("engine@3", "engine", true)]
    #[case("engine@3", "engine@4", false)]
    #[case("engine", "engine-4", false)]
    fn a_finding_may_be_of_one_variant(#[case] named: &str, #[case] tested: &str, #[case] holds: bool) {
        let list = Findings::default().tested_by(tested.to_owned(), true);
        assert_eq!(list.holds(&[named.to_owned()]), holds);
    }
}
