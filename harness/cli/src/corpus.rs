//! `conform lint`, `conform list` and `conform changes`: the corpus, without an implementation.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use variant_adapter::folder;
use variant_corpus::findings::Findings;
use variant_corpus::released::{Aliases, Changes, Released};
use variant_corpus::test::{Derivation, tests};
use variant_corpus::{Corpus, lint, released};
use variant_specs::{Reading, Specs};
use variant_wire::glob::TestGlob;
use variant_wire::sanitize;

use super::paths::{Paths, dialects};
use super::terminal::{printed, say, show};
use super::{ChangesArgs, Exit, Failure, ListArgs, suggest};

pub(super) fn lint(paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let mut problems = lint::lint(&corpus, &specs);
    // Your own corpus has no adapters beside it.
    let of_list = |folder: &PathBuf| Findings::problems(folder, &folder::sharing(folder), &specs);
    problems.extend(paths.listed().unwrap_or_default().iter().flat_map(of_list));
    problems.extend(paths.unread_lists());
    // The corpus that the program carries was checked when it was built.
    if let Some(folder) = paths.corpus_folder() {
        problems.extend(released::check(&folder, &corpus, &specs)?);
    }
    for problem in &problems {
        say(sanitize::line(&problem.to_string()))?;
    }
    let cases: usize = corpus.files.iter().map(|file| file.cases.len()).sum();
    say(format!("{} files, {cases} cases, {} problems", corpus.files.len(), problems.len()))?;
    Ok(if problems.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}

pub(super) fn list(args: &ListArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let only = args.only.as_deref().map(TestGlob::new).transpose().map_err(Failure::usage)?;
    let mut any = false;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for name in dialects(&args.dialect, &specs, args.reading)? {
        let Some(dialect) = specs.dialect(&name) else { continue };
        let mut tests = tests(&corpus, &specs, dialect, args.reading, args.derived)?;
        tests.retain(|test| only.as_ref().is_none_or(|only| only.is_match(&test.id)));
        any |= !tests.is_empty();
        if let Err(error) = tests.iter().try_for_each(|test| writeln!(out, "{}", test.id)) {
            // What is not written yet would be written again when `out` is dropped.
            drop(out.into_parts());
            printed(Err(error))?;
            return Ok(Exit::AsExpected);
        }
    }
    printed(out.flush())?;
    if any {
        return Ok(Exit::AsExpected);
    }
    let why = match &only {
        Some(only) if only.written().contains('~') && args.derived != Derivation::All => {
            format!("no test matches '{}'; use `--derived all` to list derived tests too", only.written())
        }
        Some(only) => no_match(only.written(), &args.dialect, &specs, &corpus, args.reading),
        None => format!("{} has no test", args.dialect.join(", ")),
    };
    Err(Failure(Exit::NothingRan, why))
}

/// Why a glob matches no test, and what may have been meant.
fn no_match(only: &str, named: &[String], specs: &Specs, corpus: &Corpus, reading: Reading) -> String {
    match meant(only, &dialects(named, specs, reading).unwrap_or_default(), specs, corpus, reading) {
        Some(meant) => format!("no test matches '{only}'; did you mean `{meant}`?"),
        None => format!(
            "no test matches '{only}': a test is DIALECT/TYPE/CASE:OPERATION; try 'godot-3/vector2/*' or '**:encode'; \
             `conform list` prints every test"
        ),
    }
}

/// The glob that may have been meant by one that matches no test of these dialects.
pub(super) fn meant(
    only: &str,
    dialects: &[String],
    specs: &Specs,
    corpus: &Corpus,
    reading: Reading,
) -> Option<String> {
    let ids = |name: &String| {
        let tests = tests(corpus, specs, specs.dialect(name)?, reading, Derivation::None).ok()?;
        Some(tests.into_iter().map(|test| test.id.to_string()))
    };
    suggest::glob(only, &dialects.iter().filter_map(ids).flatten().collect::<Vec<_>>())
}

pub(super) fn changes(args: &ChangesArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let old = released(&args.old, &specs)?;
    let new = released(&args.new, &specs)?;
    let folder = if args.new.is_dir() { Some(args.new.as_path()) } else { args.new.parent() };
    let aliases = folder.map(Aliases::load).transpose()?.unwrap_or_default();
    show(&Changes::between(&old, &new, &aliases).to_string())?;
    Ok(Exit::AsExpected)
}

/// The cases of a corpus folder, or of a list.
fn released(path: &Path, specs: &Specs) -> Result<Released, Failure> {
    if path.is_dir() {
        return Ok(Released::of(&Corpus::load(path, specs)?, specs)?);
    }
    Released::load(path)?.ok_or_else(|| Failure::at(path)("this is neither a corpus folder nor a list of cases"))
}
