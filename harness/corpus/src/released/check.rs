//! Lint: released cases stay as they are, or CHANGELOG.md names them.

use std::path::Path;

use globset::Glob;
use variant_specs::Specs;

use super::{ALIASES, Aliases, Changes, LIST, Released, read};
use crate::Corpus;
use variant_syntax::input;
use variant_wire::diagnostic::Problem;

/// Compares a corpus with its last release. `folder` is the corpus folder; CHANGELOG.md is beside it.
///
/// # Errors
/// The first list that cannot be read, or a case that does not belong in its dialect.
pub fn check(folder: &Path, corpus: &Corpus, specs: &Specs) -> Result<Vec<Problem>, Problem> {
    let list = folder.join(LIST);
    let Some(released) = Released::load(&list)? else { return Ok(Vec::new()) };
    let aliases = Aliases::load(folder)?;
    let now = Released::of(corpus, specs)?;
    let changes = Changes::between(&released, &now, &aliases);
    let version = &released.version;
    let Some(announced) = Announced::read(&folder.join("../CHANGELOG.md"))? else {
        let count = changes.changed.len() + changes.removed.len();
        let message = format!(
            "{count} cases that were released with {version} are changed or gone, and no CHANGELOG.md beside the corpus names \
             them: write one, or delete this list if nobody depends on it"
        );
        let problem = Problem { file: list.display().to_string(), line: 1, message };
        return Ok(if count == 0 { Vec::new() } else { vec![problem] });
    };
    let mut problems = Vec::new();
    let texts = [LIST, ALIASES].map(|file| (file, input::text(&folder.join(file)).unwrap_or_default()));
    let mut problem = |file: &str, id: &str, message: String| {
        let text = texts.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
        let line = text.lines().position(|line| line.split_whitespace().next() == Some(id));
        let line = line.map_or(1, |before| before + 1);
        problems.push(Problem { file: folder.join(file).display().to_string(), line, message });
    };
    for id in changes.changed.iter().filter(|id| !announced.names(id)) {
        problem(LIST, id, format!("{id} was released with {version} and now tests something else; {FIX}"));
    }
    for id in changes.removed.iter().filter(|id| !announced.names(id)) {
        problem(LIST, id, format!("{id} was released with {version} and is gone; {FIX}, or its new id in {ALIASES}"));
    }
    for (id, name, _) in changes.renamed.iter().filter(|(id, name, _)| aliases.now(id) != name && !announced.names(id))
    {
        problem(LIST, id, format!("{id} was released with {version} and is now {name}; add it to {ALIASES}"));
    }
    for (id, name, _) in changes.renamed.iter().filter(|(id, _, same)| !same && !announced.names(id)) {
        problem(LIST, id, format!("{id} was released with {version} and tests something else as {name}; {FIX}"));
    }
    for (id, digest) in &released.gone {
        if now.cases.get(id).is_some_and(|now| now != digest) && !announced.names(id) {
            problem(
                LIST,
                id,
                format!("{id} was the name of another case in an earlier release; give this one its own"),
            );
        }
    }
    for id in aliases.renamed() {
        if now.cases.contains_key(id) {
            problem(ALIASES, id, format!("{id} was renamed, but a case still has this name"));
        } else if !now.cases.contains_key(aliases.now(id)) {
            problem(ALIASES, id, format!("{id} was renamed to {}, but there is no such case", aliases.now(id)));
        }
    }
    Ok(problems)
}

/// How to fix a change that is meant.
const FIX: &str = "undo this, or name the id or a glob in backticks in the first section of CHANGELOG.md";

/// The ids and globs in backticks in the newest section of CHANGELOG.md.
struct Announced(Vec<globset::GlobMatcher>);

impl Announced {
    /// `None` if there is no such file.
    fn read(path: &Path) -> Result<Option<Self>, Problem> {
        let Some(text) = read(path)? else { return Ok(None) };
        let newest = text.split("\n## ").nth(1).unwrap_or_default();
        let quoted = newest.split('`').skip(1).step_by(2).filter(|word| word.matches('/').count() >= 2);
        let globs = quoted.filter_map(|word| Glob::new(word).ok());
        Ok(Some(Self(globs.map(|glob| glob.compile_matcher()).collect())))
    }

    fn names(&self, id: &str) -> bool {
        self.0.iter().any(|glob| glob.is_match(id))
    }
}
