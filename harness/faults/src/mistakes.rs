//! What people get wrong: the faults of a dialect that ordinary packets show, each with the packet that shows it.

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::Serialize;
use variant_corpus::Corpus;
use variant_corpus::rarity::Rarity;
use variant_corpus::test::Test;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::diagnostic::Problem;
use variant_values::sanitize;
use variant_values::value_text::{Form, value_json};

use crate::behaviour;
use crate::context::Context;
use crate::fault::Fault;

/// Faults, and the smallest ordinary test that shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// What is wrong, each in a sentence.
    pub sentences: Vec<String>,
    /// The layout of the case.
    pub layout: String,
    /// The name of the case.
    pub case: String,
    /// The packet of the case in hex.
    pub packet: String,
    /// The value that it is, as JSON.
    pub value: String,
}

/// The longest packet that is shown, in bytes.
const LONGEST: usize = 64;

/// The mistakes of a dialect, in the order of the catalogue, but those of values within others last. A fault that only rare or
/// hostile packets show is left out.
///
/// # Errors
/// A case does not belong in its dialect, or the reference codec itself does not pass it.
pub fn mistakes(specs: &Specs, corpus: &Corpus, dialect: &Dialect) -> Result<Vec<Mistake>, Problem> {
    let context = Context::new(specs, corpus, dialect, JudgedBy::Engines)?;
    let faults = behaviour::mutants(dialect);
    let found: Vec<_> = faults.par_iter().map(|fault| mistake(&context, corpus, fault)).collect();
    let mut found: Vec<(usize, Mistake)> = found.into_iter().flatten().collect();
    found.sort_by_key(|(place, _)| *place);
    let mut of_packet: IndexMap<(String, String), Mistake> = IndexMap::new();
    for (_, mistake) in found {
        let same = of_packet.entry((mistake.layout.clone(), mistake.packet.clone()));
        let first = same.or_insert_with(|| Mistake { sentences: Vec::new(), ..mistake.clone() });
        // Reader and writer of a type get the same wrong.
        for sentence in mistake.sentences {
            if !first.sentences.contains(&sentence) {
                first.sentences.push(sentence);
            }
        }
    }
    Ok(of_packet.into_values().collect())
}

/// A mistake, and how late it is named.
fn mistake(context: &Context<'_>, corpus: &Corpus, fault: &Fault) -> Option<(usize, Mistake)> {
    let bytes = |test: &Test| test.expected.packet.as_ref().map(|packet| packet.bytes.to_vec());
    let ordinary = |test: &Test| {
        let is_short = bytes(test).is_some_and(|bytes| bytes.len() <= LONGEST);
        is_short && corpus.rarity(test) == Rarity::Everyday && test.case.framing.is_none()
    };
    let kills = context.kills_among(fault, ordinary);
    let shown = kills.iter().filter_map(|kill| context.tests.iter().find(|(test, _)| test.id.as_str() == kill.test));
    // No packet shows a fault that depends on earlier requests.
    let alone = shown.filter(|(test, request)| context.always_shows(fault, test, request));
    let (test, _) = alone.min_by_key(|(test, _)| bytes(test).map_or(usize::MAX, |bytes| bytes.len()))?;
    let packet = bytes(test)?;
    // What is wrong with a container itself shows in a shorter packet than what is wrong with a type within it.
    let place = if test.layouts.len() > 1 { packet.len() } else { 0 };
    let mistake = Mistake {
        sentences: vec![fault.description.clone()],
        layout: test.layout.to_string(),
        case: test.case.name.clone(),
        packet: hex::encode(packet),
        value: sanitize::json(&value_json(
            &test.expected.value.as_ref()?.value,
            &context.dialect.layouts,
            Form::default(),
        )),
    };
    Some((place, mistake))
}
