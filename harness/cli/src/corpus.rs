//! `conform lint` and `conform list`: the corpus, without an implementation of yours.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use rayon::prelude::*;
use variant_adapter::folder;
use variant_corpus::findings::Findings;
use variant_corpus::lint;
use variant_corpus::test::{Variants, tests};
use variant_faults::unshown_rules;
use variant_runner::agreement::{disagreements_in, disagreements_of};
use variant_specs::{Dialect, JudgedBy, Shape};
use variant_values::diagnostic::Problem;
use variant_values::glob::TestGlob;
use variant_values::sanitize::{self, counted};

use crate::args::{AskedJudge, Dialects, ListArgs, Selection};
use crate::failure::{Exit, Failure};
use crate::paths::{Paths, dialects};
use crate::selftest;
use crate::terminal::{is_quiet, note, printed, say};

pub(super) fn lint(paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let corpus = paths.read_corpus(&specs)?;
    let is_given = |dialect: &&Dialect| paths.spec.iter().any(|file| file.display().to_string() == dialect.file);
    for change in specs.dialects.iter().filter(is_given).flat_map(|given| lint::changes(&corpus, &specs, given)) {
        note(change);
    }
    let mut problems = lint::lint(&corpus, &specs);
    // What is wrong by itself is mended first.
    let is_clean = |path: &str| problems.iter().all(|problem| problem.file != path);
    let own = corpus.files.par_iter().filter(|file| file.inherited.is_none() && is_clean(&file.path));
    let (given, others): (Vec<&Dialect>, Vec<&Dialect>) =
        specs.all().partition(|dialect| is_given(dialect) && dialect.parent.is_some());
    let mut disagree: Vec<Problem> = own.flat_map_iter(|file| disagreements_in(file, &others)).collect();
    // Your rules may be others than those of the dialect whose cases you inherit.
    let inherited = given.iter().flat_map(|dialect| disagreements_of(&corpus, dialect));
    // A case that is wrong is said once, not by each judge and in each precision.
    let mut said = BTreeSet::new();
    let is_new = |problem: &Problem| said.insert((problem.file.clone(), problem.line));
    disagree.extend(inherited.filter(|problem| is_clean(&problem.file)).filter(is_new));
    problems.extend(disagree);
    if problems.is_empty() {
        let equivalents = selftest::equivalents(&corpus)?;
        for dialect in specs.dialects.iter().filter(is_given) {
            problems.extend(unshown_rules(&specs, &corpus, dialect, &equivalents)?);
        }
    }
    // Your own corpus has no adapters beside it.
    let of_list = |folder: &PathBuf| Findings::problems(folder, &folder::sharing(folder), &specs);
    problems.extend(paths.listed().unwrap_or_default().iter().flat_map(of_list));
    for problem in &problems {
        say(sanitize::line(&problem.to_string()))?;
    }
    let (files, cases) = corpus.written();
    if !is_quiet() || !problems.is_empty() {
        say(format!("{files} files, {cases} cases, {}", counted(problems.len(), "problem")))?;
    }
    Ok(if problems.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}

pub(super) fn list(args: &ListArgs, paths: &Paths) -> Result<Exit, Failure> {
    let Selection { dialects: Dialects { dialect: named }, only, asked: AskedJudge { judged_by }, .. } =
        &args.selection;
    let (specs, corpus) = paths.load()?;
    let only = only.as_deref().map(TestGlob::new).transpose().map_err(Failure::usage)?;
    let mut listed = 0;
    // Who asks which cases are about a type asks for no variants of them.
    let of_header = args.flag.is_some() || args.r#type.is_some();
    let variants = if of_header { Variants::None } else { args.selection.variants() };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let dialects = dialects(named, &specs, *judged_by)?;
    if let Some(flag) = args.flag {
        known_flag(flag, args.r#type.as_deref(), &dialects, *judged_by)?;
    }
    for dialect in &dialects {
        let mut tests = tests(&corpus, &specs, dialect, *judged_by, variants)?;
        tests.retain(|test| only.as_ref().is_none_or(|only| only.is_match(&test.id)));
        if of_header {
            let layout = args.r#type.as_deref().map(|name| layout_named(name, dialect));
            tests.retain(|test| test.has_header(dialect, *judged_by, layout, args.flag));
            // The cases of the type itself come before those that hold it.
            tests.sort_by_key(|test| layout.is_some_and(|layout| *test.layout != *layout));
        }
        listed += tests.len();
        if let Err(error) = tests.iter().try_for_each(|test| writeln!(out, "{}", test.id)) {
            // What is not written yet would be written again when `out` is dropped.
            drop(out.into_parts());
            printed(Err(error))?;
            return Ok(Exit::AsExpected);
        }
    }
    printed(out.flush())?;
    if listed > 0 {
        if of_header {
            note(format!(
                "{} of cases; each has variants, which `conform list --only 'CASE~*'` lists",
                counted(listed, "test")
            ));
        }
        return Ok(Exit::AsExpected);
    }
    let why = match &only {
        Some(only) => format!(
            "no test matches '{}': a test is DIALECT/TYPE/CASE:OPERATION, and `*` stops at a `/`; try \
             '{}/{}/*' or '**/*:encode'; `conform list` prints every test",
            only.written(),
            dialects.first().map_or("*", |dialect| &dialect.name),
            dialects.iter().find_map(|dialect| dialect.an_example(Shape::Text)).unwrap_or("packet")
        ),
        None if of_header => {
            "no case has such a header: --type is a type like `dictionary`, and --flag a value of its flags".to_owned()
        }
        None => format!("{} has no test", named.join(", ")),
    };
    Err(Failure(Exit::NothingRan, why))
}

/// Fails if flags have this value in no header of these dialects, and names the values that they have.
fn known_flag(flag: u32, named: Option<&str>, dialects: &[&Dialect], judged_by: JudgedBy) -> Result<(), Failure> {
    let mut values = BTreeSet::new();
    for dialect in dialects {
        let layout = named.map(|name| layout_named(name, dialect));
        for of in dialect.types.iter().map(|entry| dialect.layout(entry)) {
            if layout.is_none_or(|layout| layout == of.name) {
                values.extend(dialect.flag_values(of, judged_by).into_iter().map(|(_, value)| value));
            }
        }
    }
    if values.contains(&flag) {
        return Ok(());
    }
    let of = named.map(|name| format!(" of {name}")).unwrap_or_default();
    let known: Vec<String> = values.iter().map(u32::to_string).collect();
    Err(Failure::usage(if known.is_empty() {
        format!("--flag {flag}: no header{of} has flags")
    } else {
        format!("--flag {flag}: the flags of a header{of} are {}", known.join(", "))
    }))
}

/// The layout of a type that is named as the engines of a dialect name it, or by its layout.
fn layout_named<'a>(name: &'a str, dialect: &'a Dialect) -> &'a str {
    let named = dialect.types.iter().find(|entry| {
        let names = [dialect.type_name(entry), entry.heading(), &dialect.layout(entry).name];
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    });
    named.map_or(name, |entry| &dialect.layout(entry).name)
}
