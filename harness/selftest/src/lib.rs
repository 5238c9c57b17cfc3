//! Whether the corpus has teeth: faulty codecs, and which cases notice each of them.
//!
//! A [`Mutant`] is the reference codec with one thing wrong: a fact of the tables changed, a field of the packet read
//! or written another way, or a habit that real codecs have. Each must be noticed by a case that a person wrote;
//! what derived cases would notice besides is not counted. A mutant that nothing can notice, because it is no
//! fault, is listed in `corpus/equivalent-mutants.yaml` with the reason.

mod behaviour;
mod equivalent;
mod faulty;
mod mutant;
mod null;
mod packet;
mod report;
mod smoke;
mod tables;
mod wire;
mod world;

pub use equivalent::{Equivalent, load as load_equivalents, schema as equivalents_schema};
pub use faulty::Faulty;
pub use mutant::Mutant;
pub use null::{Null, Nulled, run_all as run_nulls};
pub use report::{Extent, render};
pub use smoke::choose;
pub use world::{Bite, World};

use rayon::prelude::*;
use variant_specs::{Dialect, Reading, Specs};

use variant_corpus::Corpus;
use variant_wire::diagnostic::Problem;

/// A mutant and what came of it.
#[derive(Debug)]
pub struct Tried {
    /// The mutant.
    pub mutant: Mutant,
    /// The asks that notice it, in the order in which they are asked.
    pub bites: Vec<Bite>,
    /// Why nothing can notice it.
    pub explained: Option<String>,
}

/// A dialect under a reading, and all its mutants.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The dialect, the reading and the asks.
    pub world: World<'a>,
    /// The mutants.
    pub tried: Vec<Tried>,
}

impl Tried {
    /// Whether no case notices it, and nobody says why.
    pub fn survives(&self) -> bool {
        self.bites.is_empty() && self.explained.is_none()
    }
}

/// Every mutant of these dialects, tried on every case that a person wrote.
///
/// # Errors
/// A case that does not belong in its dialect; a case that the reference codec itself does not pass.
pub fn try_all<'a>(
    specs: &'a Specs,
    corpus: &Corpus,
    dialects: &[&'a Dialect],
    equivalents: &[Equivalent],
) -> Result<Vec<Trial<'a>>, Problem> {
    let mut trials = Vec::new();
    for dialect in dialects {
        for reading in [Reading::Engine, Reading::Document] {
            if reading == Reading::Document && dialect.documents.is_empty() {
                continue;
            }
            let world = World::new(specs, corpus, dialect, reading)?;
            let mutants = match reading {
                Reading::Engine => mutants(dialect),
                Reading::Document => tables::of_the_document(dialect),
            };
            trials.push(Trial { tried: try_each(&world, mutants, equivalents), world });
        }
    }
    Ok(trials)
}

/// Every mutant of a dialect, as engines have it.
pub fn mutants(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = tables::of_the_tables(dialect);
    mutants.extend(wire::mutants(dialect));
    mutants.extend(behaviour::mutants(dialect));
    mutants
}

fn try_each(world: &World<'_>, mutants: Vec<Mutant>, equivalents: &[Equivalent]) -> Vec<Tried> {
    mutants
        .into_par_iter()
        .map(|mutant| {
            let explained = equivalents.iter().find(|equivalent| equivalent.mutants.is_match(&mutant.id));
            Tried {
                bites: world.bites(&mutant),
                explained: explained.map(|equivalent| equivalent.because.clone()),
                mutant,
            }
        })
        .collect()
}

/// The entries of the list that are not true: they match nothing, or a mutant that some case notices.
pub fn stale(trials: &[Trial<'_>], equivalents: &[Equivalent]) -> Vec<String> {
    stale_entries(trials.iter().flat_map(|trial| &trial.tried), equivalents)
}

/// The same, of these mutants.
pub fn stale_entries<'t>(tried: impl Iterator<Item = &'t Tried>, equivalents: &[Equivalent]) -> Vec<String> {
    let all: Vec<&Tried> = tried.collect();
    let mut stale = Vec::new();
    for equivalent in equivalents {
        let matched: Vec<&&Tried> = all.iter().filter(|tried| equivalent.mutants.is_match(&tried.mutant.id)).collect();
        let written = equivalent.mutants.written();
        if matched.is_empty() {
            stale.push(format!("{written:?} matches no mutant; take the entry out, or mend it"));
        }
        if let Some((tried, bite)) = matched.iter().find_map(|tried| Some((tried, tried.bites.first()?))) {
            stale.push(format!("{written:?} is not true: {} is noticed by {}", tried.mutant.id, bite.test));
        }
    }
    stale
}
