//! Mutation testing of the corpus: faulty codecs, and which tests detect each of them.
//!
//! A [`Fault`] is the reference codec with one thing wrong: a fact of the tables changed, a field of the packet read
//! or written another way, or a fault that real codecs have. The test of a case must kill each; variants do not
//! count. A mutant that no test can kill, because it is no fault, is listed with the reason in
//! `equivalent-mutants.yaml`.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod behaviour;
mod causes;
mod context;
mod equivalent;
mod fault;
mod mistakes;
mod packet;
mod report;
mod tables;
mod wire;

pub use causes::{Cause, Failure, OF_ORDER, Proof, Seen, Tried, causes, joined};
pub use context::{Context, Kill};
#[cfg(feature = "schema")]
pub use equivalent::schema as equivalents_schema;
pub use equivalent::{Equivalent, load as load_equivalents};
pub use fault::{Fault, Faulty};
pub use mistakes::{Mistake, mistakes};
pub use report::render;

use rayon::prelude::*;
use variant_specs::{Dialect, JudgedBy, Specs};

use variant_corpus::Corpus;
use variant_values::diagnostic::Problem;

/// A mutant, and the tests that kill it.
#[derive(Debug)]
pub struct FaultResult {
    /// The faulty codec that was tested.
    pub mutant: Fault,
    /// The tests that kill it, in the order in which they run.
    pub kills: Vec<Kill>,
    /// The reason why no test can kill it, where one is listed.
    pub equivalent: Option<String>,
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
        self.kills.is_empty() && self.equivalent.is_none()
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
            let mutants = match judged_by {
                JudgedBy::Engines => catalogue(specs, dialect),
                JudgedBy::Documents => tables::of_the_document(dialect),
            };
            let lineage = lineage(specs, dialect);
            let result = |mutant: Fault| FaultResult {
                kills: context.kills(&mutant),
                equivalent: equivalents.iter().find_map(|entry| entry.reason(&mutant.id, &lineage)),
                mutant,
            };
            let results = mutants.into_par_iter().map(result).collect();
            trials.push(Trial { context, results });
        }
    }
    Ok(trials)
}

/// The names of a dialect, of the one that it extends, of the one that this extends, and so on.
fn lineage<'a>(specs: &'a Specs, dialect: &'a Dialect) -> Vec<&'a str> {
    let parent = |dialect: &&'a Dialect| specs.dialect(dialect.parent.as_ref()?);
    let dialects = std::iter::successors(Some(dialect), parent).map(|dialect| dialect.name.as_str());
    // A dialect that takes the place of another may close a circle.
    dialects.take(specs.dialects.len()).collect()
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
