//! The cases of a release, each with a digest of what it tests: `corpus/released.txt`. People pin their ids, so
//! CHANGELOG.md names every case that is changed, renamed or dropped.

mod changes;
mod check;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use variant_specs::Specs;

pub use changes::Changes;
pub use check::check;

use crate::Corpus;
use crate::export::Export;
use variant_syntax::input;
use variant_wire::diagnostic::Problem;

/// The list of released cases, in the corpus folder.
pub const LIST: &str = "released.txt";
/// Old and new ids of cases that were renamed, in the corpus folder.
pub const ALIASES: &str = "aliases.txt";
/// The word after a case of an earlier release that is gone. Its name is not reused.
const GONE: &str = "gone";

/// The cases of a corpus, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Released {
    /// The version of the corpus.
    pub version: String,
    /// Id → digest of what is tested and expected.
    pub cases: BTreeMap<String, String>,
    /// The same for cases that only earlier releases had.
    pub gone: BTreeMap<String, String>,
}

/// The cases that were renamed: old id → new id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases(BTreeMap<String, String>);

impl Released {
    /// The cases of a corpus as it is now.
    ///
    /// # Errors
    /// The first case whose value or listing does not belong in its dialect.
    pub fn of(corpus: &Corpus, specs: &Specs) -> Result<Self, Problem> {
        let cases = Export::digests(corpus, specs)?;
        Ok(Self { version: corpus.version.clone(), cases, gone: BTreeMap::new() })
    }

    /// Lists as gone what an earlier release had, or listed as gone, and this corpus does not have.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        let before = earlier.cases.iter().chain(&earlier.gone);
        let gone = before.filter(|(id, _)| !self.cases.contains_key(*id));
        self.gone = gone.map(|(id, digest)| (id.clone(), digest.clone())).collect();
        self
    }

    /// Reads a list; `None` if there is no such file.
    ///
    /// # Errors
    /// If the file cannot be read or has no version; or the first line that is not well formed or repeats an id.
    pub fn load(path: &Path) -> Result<Option<Self>, Problem> {
        let Some(text) = read(path)? else { return Ok(None) };
        Self::parse(&path.display().to_string(), &text).map(Some)
    }

    fn parse(file: &str, text: &str) -> Result<Self, Problem> {
        let mut list = Self::default();
        for (line, text) in lines(text) {
            let problem = |message: &str| Problem { file: file.to_owned(), line, message: message.to_owned() };
            let words: Vec<&str> = text.split_whitespace().collect();
            let (cases, id, digest) = match words.as_slice() {
                ["corpus", version] => {
                    (*version).clone_into(&mut list.version);
                    continue;
                }
                [id, digest] => (&mut list.cases, id, digest),
                [id, digest, GONE] => (&mut list.gone, id, digest),
                _ => {
                    return Err(problem(
                        "a line is the id of a case and its digest; `conform export --ids` writes them",
                    ));
                }
            };
            if cases.insert((*id).to_owned(), (*digest).to_owned()).is_some() {
                return Err(problem("this id is listed twice"));
            }
        }
        if list.version.is_empty() {
            let message = "the line `corpus VERSION` is missing: this is not a list of released cases".to_owned();
            return Err(Problem { file: file.to_owned(), line: 1, message });
        }
        Ok(list)
    }
}

impl fmt::Display for Released {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "# Every case of the last release, and a digest of what it tests: `conform export --ids` at a release."
        )?;
        writeln!(
            out,
            "# `conform lint` fails if one is changed, dropped or its name reused, and CHANGELOG.md does not name it."
        )?;
        writeln!(out, "corpus {}", self.version)?;
        let gone = self.gone.iter().map(|(id, digest)| (id, digest, " gone"));
        let all: BTreeSet<_> = self.cases.iter().map(|(id, digest)| (id, digest, "")).chain(gone).collect();
        all.into_iter().try_for_each(|(id, digest, end)| writeln!(out, "{id} {digest}{end}"))
    }
}

impl Aliases {
    /// Reads the list of a corpus folder; empty if there is none.
    ///
    /// # Errors
    /// If the file cannot be read; or the first line that is not two ids.
    pub fn load(folder: &Path) -> Result<Self, Problem> {
        let path = folder.join(ALIASES);
        let mut aliases = Self::default();
        for (line, text) in lines(&read(&path)?.unwrap_or_default()) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let [old, new] = words.as_slice() else {
                let message = "a line is the old id of a case and its new one".to_owned();
                return Err(Problem { file: path.display().to_string(), line, message });
            };
            aliases.0.insert((*old).to_owned(), (*new).to_owned());
        }
        Ok(aliases)
    }

    /// The current id of a case that may have been renamed, even several times.
    pub fn now<'a>(&'a self, id: &'a str) -> &'a str {
        let mut now = id;
        // No case was renamed more often than there are entries. Without this limit a cycle would not end.
        for _ in 0..self.0.len() {
            let Some(next) = self.0.get(now) else { break };
            now = next;
        }
        now
    }

    fn renamed(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

/// Lines that are neither empty nor a comment, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn read(path: &Path) -> Result<Option<String>, Problem> {
    match input::text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(Problem::of_input(path, &error)),
    }
}
