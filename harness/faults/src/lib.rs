//! Mutation testing of the corpus: faulty codecs, and which tests detect each of them.
//!
//! A [`Fault`] is the reference codec with one thing wrong: a fact of the tables changed, a field of the packet read
//! or written another way, or a fault that real codecs have. The test of a case must kill each; variants do not
//! count. A mutant that no test can kill, because it is no fault, is listed with the reason in
//! `equivalent-mutants.yaml`.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod behaviour;
mod builder;
mod causes;
mod context;
mod equivalent;
mod fault;
mod mistakes;
mod moves;
mod packet;
mod place;
mod removed;
mod repeats;
mod report;
mod tables;
mod wire;

pub use causes::{Cause, Failure, OF_ORDER, Proof, RunTests, causes, joined};
pub use context::{Context, Kill};
#[cfg(feature = "schema")]
pub use equivalent::schema as equivalents_schema;
pub use equivalent::{Equivalent, load as load_equivalents};
pub use fault::{Fault, Faulty};
pub use mistakes::{Mistake, mistakes};
pub use report::render;

use rayon::prelude::*;
use variant_specs::{Dialect, JudgedBy, Specs};

use variant_corpus::{Corpus, EQUIVALENTS};
use variant_values::diagnostic::Problem;

use removed::Removed;

/// A mutant, and the tests that kill it.
#[derive(Debug)]
pub struct FaultResult {
    /// The faulty codec that was tested.
    pub mutant: Fault,
    /// The tests that kill it, in the order in which they run.
    pub kills: Vec<Kill>,
    /// The reason why no test can kill it, where one is listed.
    pub equivalent: Option<String>,
    /// Whether no test kills it because the dialect lacks a type or an order of one that it extends.
    pub removed: bool,
}

/// A dialect by one judge, and all its mutants.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The dialect, who judges, and the tests.
    pub context: Context<'a>,
    /// One result for each mutant.
    pub results: Vec<FaultResult>,
}

impl FaultResult {
    /// Whether no test kills it, and no reason is listed.
    pub fn survives(&self) -> bool {
        self.kills.is_empty() && self.equivalent.is_none() && !self.removed
    }
}

/// Runs the tests of cases of these dialects on every mutant.
///
/// # Errors
/// A case does not belong in its dialect, or the reference codec itself does not pass it.
pub fn try_all<'a>(
    specs: &'a Specs,
    corpus: &Corpus,
    dialects: &[&'a Dialect],
    equivalents: &[Equivalent],
) -> Result<Vec<Trial<'a>>, Problem> {
    let mut trials = Vec::new();
    for dialect in dialects {
        for judged_by in [JudgedBy::Engines, JudgedBy::Documents] {
            if judged_by == JudgedBy::Documents && dialect.documents.is_empty() {
                continue;
            }
            let context = Context::new(specs, corpus, dialect, judged_by)?;
            let lineage = lineage(specs, dialect);
            let removed = Removed::new(specs, corpus, &lineage, judged_by, &context)?;
            let result = |mutant: Fault| {
                let kills = context.kills(&mutant);
                let equivalent = equivalents.iter().find_map(|entry| entry.reason(&mutant.id, &lineage));
                let removed = kills.is_empty() && equivalent.is_none() && removed.alone_show(&mutant);
                FaultResult { mutant, kills, equivalent, removed }
            };
            let results = faults(specs, dialect, judged_by).into_par_iter().map(result).collect();
            trials.push(Trial { context, results });
        }
    }
    Ok(trials)
}

/// Every fault of a dialect by one judge.
fn faults(specs: &Specs, dialect: &Dialect, judged_by: JudgedBy) -> Vec<Fault> {
    match judged_by {
        JudgedBy::Engines => catalogue(specs, dialect),
        JudgedBy::Documents => tables::of_the_document(dialect),
    }
}

/// The rules of a dialect that are not those of the one that it extends, where no case shows it.
///
/// # Errors
/// As for [`try_all`].
pub fn unshown_rules(
    specs: &Specs,
    corpus: &Corpus,
    dialect: &Dialect,
    equivalents: &[Equivalent],
) -> Result<Vec<Problem>, Problem> {
    let lineage = lineage(specs, dialect);
    let Some(parent) = lineage.get(1).filter(|parent| parent.rules != dialect.rules) else { return Ok(Vec::new()) };
    let context = Context::new(specs, corpus, dialect, JudgedBy::Engines)?;
    let mut unshown = Vec::new();
    for fault in tables::of_the_tables(dialect) {
        let rule = fault.id.split(['/', ':']).nth(2).unwrap_or_default();
        let is_of_parent = parent.rules.has(rule) && !dialect.rules.has(rule);
        let is_listed = || equivalents.iter().any(|entry| entry.reason(&fault.id, &lineage).is_some());
        if is_of_parent && !is_listed() && context.kills(&fault).is_empty() {
            let message = format!(
                "its rules differ from {0}, but no case shows it: a codec with {rule} passes every one. Write one into {1}/, in a \
                 file with `beside-parent: true`, or, if none can show it, list {2} in {1}/{EQUIVALENTS}",
                parent.name,
                dialect.file.trim_end_matches(".yaml"),
                fault.id
            );
            unshown.push(Problem { file: dialect.file.clone(), line: 1, message });
        }
    }
    Ok(unshown)
}

/// A dialect, the one that it extends, the one that this extends, and so on.
fn lineage<'a>(specs: &'a Specs, dialect: &'a Dialect) -> Vec<&'a Dialect> {
    let parent = |dialect: &&'a Dialect| specs.dialect(dialect.parent.as_ref()?);
    // A dialect that takes the place of another may close a circle.
    std::iter::successors(Some(dialect), parent).take(specs.dialects.len()).collect()
}

/// Every fault of a dialect as engines judge.
pub fn catalogue(specs: &Specs, dialect: &Dialect) -> Vec<Fault> {
    let groups = [
        tables::of_the_tables(dialect),
        wire::mutants(dialect),
        behaviour::mutants(dialect),
        tables::dialects::mutants(specs, dialect),
    ];
    groups.into_iter().flatten().collect()
}

/// What is wrong with entries of the list: no mutant matches one, or a test kills one that does.
pub fn stale(results: &[&FaultResult], equivalents: &[Equivalent]) -> Vec<Problem> {
    let mut stale = Vec::new();
    for entry in equivalents {
        let mut matching = results.iter().filter(|result| entry.mutants.is_match(&result.mutant.id)).peekable();
        if matching.peek().is_none() {
            stale.push(entry.problem("matches no mutant; remove the entry, or fix it"));
        }
        if let Some((id, kill)) = matching.find_map(|result| Some((&result.mutant.id, result.kills.first()?))) {
            stale.push(entry.problem(&format!("is wrong: {id} is killed by {}", kill.test)));
        }
    }
    stale
}
