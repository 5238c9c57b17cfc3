//! `conform matrix`.

use std::path::{Path, PathBuf};

use variant_adapter::folder::{self, Adapter};
use variant_corpus::Corpus;
use variant_corpus::findings::{self, Findings};
use variant_report::matrix::{ImplementationRow, Matrix, Ran, markdown};
use variant_report::trophies;
use variant_specs::{Specs, newest_first};
use variant_values::reference::NAME as REFERENCE;
use variant_values::suggest::{did_you_mean, nearest};

use crate::args::{MatrixArgs, RunArgs};
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::run::{Prepared, prepare, record};
use crate::run_dir::RunDir;
use crate::subject::{Program, SubjectArgs};
use crate::terminal::{interrupt, say, warn, write_file};

/// The pages of an adapter's folder: what was found wrong in it, or by it in the corpus.
const PAGES: [&str; 2] = [findings::PAGE, "FIRST-CONTACT.md"];

pub(super) fn matrix(args: &MatrixArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    // What is wrong with a list is said before anything is run.
    let lists = lists(paths)?;
    let context = MatrixContext { args, paths, specs: &specs, corpus: &corpus };
    let dialects = newest_first(specs.dialects.iter()).iter().map(|dialect| dialect.name.clone()).collect();
    let mut matrix = Matrix { corpus: corpus.id(), dialects, implementations: Vec::new() };
    for name in names(args, paths)? {
        let (row, ran) = context.row(&name)?;
        if interrupt().is_set() {
            warn("interrupted; nothing was written");
            return Ok(Exit::Incomplete);
        }
        say(line(&name, &ran))?;
        matrix.implementations.push((row, ran));
    }
    let page = args.out.join("matrix.md");
    write_file(&page, markdown(&matrix).as_bytes())?;
    if args.name.is_empty() {
        let shelves = trophies::shelves(lists.iter().map(|(folder, list)| (folder.as_str(), list)));
        write_file(&args.out.join("trophies.md"), trophies::markdown(&shelves).as_bytes())?;
    }
    let runs = args.out.join("runs/*/results.jsonl");
    say(format!("{}; `conform site DIR --results {}` makes pages of it", page.display(), runs.display()))?;
    Ok(status(&matrix))
}

/// Every list of findings, with the name of its folder.
fn lists(paths: &Paths) -> Result<Vec<(String, Findings)>, Failure> {
    let mut lists = Vec::new();
    for folder in paths.listed()? {
        let name = folder.file_name().unwrap_or_default().display().to_string();
        lists.push((name, Findings::load(&folder.join(findings::FILE))?));
    }
    Ok(lists)
}

/// The implementations that are named, or all.
fn names(args: &MatrixArgs, paths: &Paths) -> Result<Vec<String>, Failure> {
    let mut names = vec![REFERENCE.to_owned()];
    names.extend(folder::subjects(&paths.adapters()?)?);
    if args.name.is_empty() {
        return Ok(names);
    }
    // Without a version, all that it has.
    let is = |name: &str, asked: &str| name.split('@').next() == Some(asked) || name == asked;
    if let Some(unknown) = args.name.iter().find(|asked| !names.iter().any(|name| is(name, asked))) {
        let meant = did_you_mean(nearest(unknown, names.iter().map(String::as_str)));
        return Err(Failure::usage(format!("there is no {unknown:?}{meant}; there are {}", names.join(", "))));
    }
    names.retain(|name| args.name.iter().any(|asked| is(name, asked)));
    Ok(names)
}

struct MatrixContext<'a> {
    args: &'a MatrixArgs,
    paths: &'a Paths,
    specs: &'a Specs,
    corpus: &'a Corpus,
}

impl MatrixContext<'_> {
    fn row(&self, name: &str) -> Result<(ImplementationRow, Result<Ran, String>), Failure> {
        let adapter = match name {
            REFERENCE => None,
            _ => Some(Adapter::load(&self.paths.adapters()?, name)?),
        };
        // Relative, so that the page is the same wherever the project is.
        let folder = format!("adapters/{}", name.split('@').next().unwrap_or(name));
        let install = adapter.as_ref().and_then(|adapter| adapter.install.as_ref()).map(|command| {
            let variant = name.split_once('@').map(|(_, variant)| format!(" {variant}"));
            format!("{folder}/{}{}", command.trim_start_matches("./"), variant.unwrap_or_default())
        });
        let runs = RunDir::new(self.args.out.join("runs").join(name))?;
        // The adapter may share the list of another.
        let listed = adapter.as_ref().map(Adapter::findings);
        let home = listed.as_deref().and_then(Path::file_name).map(|name| format!("adapters/{}", name.display()));
        let home = home.unwrap_or_else(|| folder.clone());
        let ran = match self.ran(name, &home, &runs) {
            Ok(ran) => Ok(ran),
            Err(Failure(Exit::ImplementationError, why)) => {
                warn(format!("{name}: {why}"));
                let fix = install.as_ref().map(|install| format!("; {install} installs it")).unwrap_or_default();
                Err(format!("it could not be started{fix}"))
            }
            Err(failure) => return Err(failure),
        };
        let page = |listed: &PathBuf| PAGES.iter().find(|page| listed.join(page).is_file());
        let row = ImplementationRow {
            name: name.to_owned(),
            about: adapter.as_ref().map_or("the reference codec of this project", |adapter| &adapter.about).to_owned(),
            home: adapter.as_ref().map_or("", |adapter| &adapter.home).to_owned(),
            findings: listed.as_ref().and_then(page).map(|page| format!("{home}/{page}")),
            ..ImplementationRow::default()
        };
        Ok((row, ran))
    }

    /// Runs every test on one implementation, and records the run.
    fn ran(&self, name: &str, folder: &str, runs: &RunDir) -> Result<Ran, Failure> {
        let named = Some(name.to_owned()).filter(|name| name != REFERENCE);
        let subject = SubjectArgs { name: named, ..SubjectArgs::default() };
        let args = RunArgs { subject, ..RunArgs::default() };
        let program = Program::new(&args.subject, self.paths)?;
        let Prepared { mut implementation, list, run } =
            prepare(&args, program.as_ref(), self.paths, self.specs, self.corpus)?;
        let handshake = implementation.handshake().clone();
        let recorded = record(&run, run.planned(&handshake)?, implementation.as_mut(), runs)?;
        runs.publish(&recorded, &list)?;
        Ok(Ran::of(&recorded, &list, folder))
    }
}

fn line(name: &str, ran: &Result<Ran, String>) -> String {
    match ran {
        Err(why) => format!("{name}: NOT RUN, {why}"),
        Ok(ran) if ran.is_as_expected() => format!("{name}: {}; {} known failures", ran.newest(), ran.known),
        Ok(ran) => format!(
            "{name}: NOT AS EXPECTED, {} failures, {} expectations no longer true{}{}; see `conform run {name}`",
            ran.failures,
            ran.stale.len(),
            if ran.complete { "" } else { ", incomplete" },
            if ran.claims_nothing { ", no type supported" } else { "" }
        ),
    }
}

fn status(matrix: &Matrix) -> Exit {
    if matrix.ran().any(|(_, ran)| !ran.is_as_expected()) {
        Exit::NotAsExpected
    } else if matrix.implementations.iter().any(|(_, ran)| ran.is_err()) {
        Exit::Incomplete
    } else {
        Exit::AsExpected
    }
}
