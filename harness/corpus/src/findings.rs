//! Known findings: `adapters/NAME/findings.yaml`, one block a finding.
//!
//! Each row of a finding claims a verdict for every test that it matches. A run is red if a claim is no longer true.

mod bless;
mod matcher;
mod page;
mod places;
mod tracker;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use variant_specs::Specs;

pub use self::bless::Blessed;
pub use self::page::page;
pub use self::tracker::{JudgedTest, Tracker};

use self::matcher::{Matcher, is_of_version};
use self::places::FindingPlaces;
use variant_values::diagnostic::Problem;
use variant_values::handshake::Op;
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
    /// The adapters under test, of those that share the list.
    #[serde(skip)]
    tested: Vec<String>,
    /// Whether other adapters share it.
    #[serde(skip)]
    is_shared: bool,
    /// The text of the file; empty if there is none.
    #[serde(skip)]
    text: String,
    /// The page beside the file; empty if there is none.
    #[serde(skip)]
    page: String,
    #[serde(skip)]
    places: FindingPlaces,
}

/// One thing that an implementation does wrong, and the tests that show it.
#[derive(Debug, Clone, Deserialize)]
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
    /// The erratum of `specs/errata.yaml` that it rests on.
    pub erratum: Option<String>,
    /// The versions that do it: `<3.6`, `>=4.0`, `3.2.3`, several with commas; absent: all.
    pub versions: Option<String>,
    /// The adapters that show it, if several share the list; empty: all.
    #[serde(default)]
    pub adapters: Vec<String>,
    /// The tests that show it.
    #[serde(default)]
    pub tests: Vec<FindingRow>,
    /// Generated tests of `conform diff` that show it, as globs: `godot-3/float/generated-*:decode`.
    #[serde(default)]
    pub diff: Vec<String>,
}

/// Tests, and the verdict that each of them has. Fields narrow it; of a list, one has to match. A row whose verdicts are
/// all `accepted-invalid` is about packets that must be refused. A row whose verdicts are all `refused-valid`, or a wrong
/// value, bytes or length, is about the others. Any other row is about all tests.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FindingRow {
    /// As reports write it: `fail/wrong-value`, `crashed`. If it is a list, each test must have one of them.
    #[serde(deserialize_with = "one_or_more")]
    #[cfg_attr(feature = "schema", schemars(with = "OneOrMore"))]
    pub verdict: Vec<String>,
    /// The adapters that show it, if several share the list; empty: all.
    #[serde(default)]
    pub adapters: Vec<String>,
    /// Globs over whole test ids: `godot-3/aabb/*:decode`.
    #[serde(default)]
    pub tests: Vec<String>,
    /// The operation: `decode`, `encode` or `reencode`; absent: any.
    pub op: Option<Op>,
    /// Globs over dialects: `godot-3*`; empty: any.
    #[serde(default)]
    pub dialect: Vec<String>,
    /// Globs over types, the second part of a test id; empty: any.
    #[serde(default, rename = "type")]
    pub types: Vec<String>,
    /// Globs over names of cases; empty: any.
    #[serde(default)]
    pub name: Vec<String>,
    /// Globs over derivations (after `~` in a test id), or `authored`. The last number may be a range: `flag-16..23`.
    #[serde(default)]
    pub rule: Vec<String>,
    /// Globs over the field because of which a packet must be refused: the one that `count-…` changed; the first that is
    /// missing in `truncated-at-…`, `text`, or `part-of-text` if the packet ends within it; in an authored test, the one
    /// at the offset of `rejects`. Tests without such a field do not match. Empty: any.
    #[serde(default)]
    pub field: Vec<String>,
    /// Globs over whole test ids that it does not match.
    #[serde(default)]
    pub except: Vec<String>,
    /// The implementation decides by chance: its tests may also pass, and `asked-again` may be `nondeterministic`.
    #[serde(default)]
    pub flaky: bool,
}

/// A text, or a list of texts.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a verdict, or a list of verdicts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn one_or_more<'de, D: Deserializer<'de>>(texts: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMore::deserialize(texts)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(texts) => texts,
    })
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, strum::Display)]
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

/// What is wrong with a finding.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindingError {
    #[error("`{id}` has no {missing}; explain what is wrong and why, so that a reader can check it")]
    Unexplained { id: String, missing: &'static str },
    #[error("`{id}` is not the anchor of its title; write `id: {anchor}`")]
    Anchor { id: String, anchor: String },
    #[error("two findings have the id `{0}`; merge them, or rename this one")]
    Twice(String),
    #[error("`{0}` has neither `tests` nor `diff`, so nothing shows it; add one, or delete it")]
    Nothing(String),
    #[error("verdict {0:?} is unknown; write it as in reports: fail/wrong-value, crashed…")]
    Verdict(String),
    #[error("the row has no verdict; write it as in reports: fail/wrong-value, crashed…")]
    NoVerdict,
    #[error("{name:?} does not use this list ({known} do); correct the name, or delete it")]
    Adapter { name: String, known: String },
    #[error("versions: {0:?} is unknown; write <3.6, >=4.0, 3.2.3, separated by commas")]
    Versions(String),
    #[error("{0}")]
    Glob(String),
    #[error("a glob has {0} characters, but {max} is the limit; split it", max = matcher::LONGEST)]
    Long(usize),
    #[error("the row matches every test; select some with `tests`, `op`, `dialect`, `type`, `name`, `rule` or `field`")]
    Everything,
    #[error("erratum {0:?} is not in specs/errata.yaml")]
    Erratum(String),
}

impl Findings {
    /// Reads a list of findings, all of which must be explained.
    ///
    /// # Errors
    /// If the file cannot be read; or the first finding that is not well formed, with file and line.
    pub fn load(path: &Path) -> Result<Self, Problem> {
        let findings = Self::parse(&read(path)?, path)?;
        let mut ids = BTreeSet::new();
        for (number, finding) in findings.findings.iter().enumerate() {
            let twice = || (!ids.insert(&finding.id)).then(|| FindingError::Twice(finding.id.clone()));
            if let Some(error) = finding.unfounded().or_else(twice) {
                return Err(problem(path, findings.places.line(number), &error));
            }
        }
        Ok(findings)
    }

    /// Reads a list to add to it. The file may be missing, and findings may lack their explanation.
    ///
    /// # Errors
    /// File and line of what cannot be read, for example a row with an unknown verdict.
    pub fn draft(path: &Path) -> Result<Self, Problem> {
        if path.try_exists().is_ok_and(|there| !there) {
            return Ok(Self::default());
        }
        Self::parse(&read(path)?, path)
    }

    /// Limits the list to these adapters: leaves out findings and rows that name only others. Without any, all hold.
    #[must_use]
    pub fn tested_by(self, adapters: Vec<String>) -> Self {
        Self { tested: adapters, ..self }
    }

    /// Says whether other adapters share the list: then a row that this run does not show may still be true of them.
    #[must_use]
    pub fn shared(self, is_shared: bool) -> Self {
        Self { is_shared, ..self }
    }

    /// The findings that hold for the adapters under test, with their numbers.
    pub fn held(&self) -> impl Iterator<Item = (usize, &Finding)> {
        self.findings.iter().enumerate().filter(|(_, finding)| self.holds(&finding.adapters))
    }

    /// The names of adapters that do not use the list, with their lines.
    fn strangers(&self, users: &[String]) -> Vec<(usize, FindingError)> {
        let mut named = Vec::new();
        for (number, finding) in self.findings.iter().enumerate() {
            named.push((self.places.line(number), &finding.adapters));
            let rows = finding.tests.iter().enumerate();
            named.extend(rows.map(|(row, of)| (self.places.row(number, row).start + 1, &of.adapters)));
        }
        let error = |(line, adapters): (usize, &Vec<String>)| {
            let name = adapters.iter().find(|name| !users.contains(name))?.clone();
            Some((line, FindingError::Adapter { name, known: users.join(", ") }))
        };
        named.into_iter().filter_map(error).collect()
    }

    /// Whether what names these adapters holds for one under test.
    fn holds(&self, adapters: &[String]) -> bool {
        adapters.is_empty() || self.tested.is_empty() || adapters.iter().any(|adapter| self.tested.contains(adapter))
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Problem> {
        let file = path.display().to_string();
        let mut findings: Self = serde_yaml::from_str(text).map_err(|error| Problem::of_yaml(&file, text, &error))?;
        findings.text = text.to_owned();
        let page = path.with_file_name(PAGE);
        findings.page = if page.is_file() { page.display().to_string() } else { String::new() };
        findings.places = FindingPlaces::of(text);
        for (number, finding) in findings.findings.iter().enumerate() {
            let of_version = finding.versions.as_deref().map(|range| is_of_version(range, "")).transpose();
            of_version.map_err(|error| problem(path, findings.places.line(number), &error))?;
            for (place, row) in finding.tests.iter().enumerate() {
                let line = findings.places.row(number, place).start + 1;
                Matcher::new(row).map_err(|error| problem(path, line, &error))?;
            }
        }
        Ok(findings)
    }

    /// What is wrong with the list in an adapter's folder, found without a run: it cannot be read, it names an unknown
    /// erratum or an adapter that does not use it, or the page beside it is out of date.
    pub fn problems(folder: &Path, users: &[String], specs: &Specs) -> Vec<Problem> {
        let path = folder.join(FILE);
        let findings = match Self::load(&path) {
            Err(problem) => return vec![problem],
            Ok(findings) => findings,
        };
        let unknown = |(number, finding): (usize, &Finding)| {
            let id = finding.erratum.as_ref().filter(|id| specs.erratum(id).is_none())?;
            Some(problem(&path, findings.places.line(number), &FindingError::Erratum(id.clone())))
        };
        let mut problems: Vec<Problem> = findings.findings.iter().enumerate().filter_map(unknown).collect();
        problems.extend(findings.strangers(users).into_iter().map(|(line, error)| problem(&path, line, &error)));
        let place = folder.join(PAGE);
        if input::text(&place).ok().as_ref() != Some(&page(&findings)) {
            let name = folder.file_name().unwrap_or_default().display();
            let message = format!("does not match {FILE}; update it with `conform findings {name} --write`");
            problems.push(Problem { file: place.display().to_string(), line: 0, message });
        }
        problems
    }
}

impl Finding {
    /// The heading of its section.
    pub fn heading(&self) -> String {
        let spaced = || {
            let mut letters = self.id.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.collect::<String>() + &letters.as_str().replace('-', " ")
        };
        self.title.clone().unwrap_or_else(spaced)
    }

    /// The first thing that is missing or wrong for a reader of the page.
    fn unfounded(&self) -> Option<FindingError> {
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
        let id = self.id.clone();
        match (missing, anchor(&self.heading())) {
            (Some(missing), _) => Some(FindingError::Unexplained { id, missing }),
            (None, anchor) if anchor != id => Some(FindingError::Anchor { id, anchor }),
            (None, _) if self.tests.is_empty() && self.diff.is_empty() => Some(FindingError::Nothing(id)),
            (None, _) => None,
        }
    }
}

fn read(path: &Path) -> Result<String, Problem> {
    input::yaml(path).map_err(|error| Problem::of_input(path, &error))
}

fn problem(path: &Path, line: usize, error: &FindingError) -> Problem {
    Problem { file: path.display().to_string(), line, message: error.to_string() }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::anchor;

    #[test]
    fn headings_make_anchors() {
        assert_eq!(anchor("NUL and byte order mark"), "nul-and-byte-order-mark");
        assert_eq!(anchor("`put_var`: 2^31"), "put_var-231");
    }
}
