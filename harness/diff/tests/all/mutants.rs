//! The faults of real codecs that the selftest has: generated requests find each of them too.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use variant_corpus::Corpus;
use variant_diff::{Campaign, CampaignPlan, Participant, SeedCorpus};
use variant_faults::{Fault, Faulty, catalogue};
use variant_specs::{Dialect, JudgedBy, Specs};

use crate::support::campaign;

/// The dialect with most faults first; the others have faults of their own.
const DIALECTS: [&str; 4] = ["godot-3", "godot-4.4", "godot-2", "pandemonium-40"];

/// How many requests it may take.
const CASES: u64 = 100_000;

/// The faults that only cases find: no generated value declares the script of its elements, without permission for objects
/// a class and a script are written as the same class, and no generated dictionary has just the keys `x` and `y`.
const LEFT_TO_CASES: [&str; 3] =
    ["scripts-are-classes:", "classes-are-scripts:encode", "dictionary-of-x-and-y-is-a-vector:encode"];

#[test]
#[ignore = "takes a minute: FULL=1 .ci/run runs it"]
fn weekly_every_fault_is_found() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &specs).unwrap();
    let seeds: BTreeMap<&str, SeedCorpus> = DIALECTS
        .map(|name| (name, SeedCorpus::of(&corpus, &specs, specs.dialect(name).unwrap()).unwrap()))
        .into_iter()
        .collect();
    let one = |(fault, mutants): (String, Vec<(&Dialect, Fault)>)| {
        let sent = mutants.into_iter().find_map(|(dialect, mutant)| {
            requests_until_found(&specs, dialect, mutant, seeds[dialect.name.as_str()].clone())
        });
        (fault, sent)
    };
    // A thousand values on a path take more stack in a debug build than a thread has.
    let threads = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build().unwrap();
    let found: Vec<(String, Option<u64>)> = threads.install(|| faults(&specs).into_par_iter().map(one).collect());
    let missed: Vec<&str> = found.iter().filter(|(_, sent)| sent.is_none()).map(|(id, _)| id.as_str()).collect();
    let is_left = |id: &&str| LEFT_TO_CASES.iter().any(|left| id.starts_with(*left));
    let missed: Vec<&str> = missed.into_iter().filter(|id| !is_left(id)).collect();
    assert!(missed.is_empty(), "not found in {CASES} requests: {missed:#?}");
    // Most are there twice: in the reader, and in the writer.
    assert!(found.len() >= 60, "{}", found.len());
}

/// Every fault, in each dialect that has it.
fn faults(specs: &Specs) -> BTreeMap<String, Vec<(&Dialect, Fault)>> {
    let mut faults: BTreeMap<String, Vec<(&Dialect, Fault)>> = BTreeMap::new();
    for dialect in DIALECTS.iter().map(|name| specs.dialect(name).unwrap()) {
        for mutant in catalogue(specs, dialect) {
            let mut parts = mutant.id.split('/').skip(1);
            if let (Some("behaviour"), Some(fault)) = (parts.next(), parts.next()) {
                faults.entry(fault.to_owned()).or_default().push((dialect, mutant));
            }
        }
    }
    faults
}

/// How many requests it took to find the fault.
fn requests_until_found(specs: &Specs, dialect: &Dialect, mutant: Fault, seeds: SeedCorpus) -> Option<u64> {
    let reference = Participant::reference(specs);
    let faulty = Participant::in_process("faulty", Box::new(Faulty::new(mutant, dialect, JudgedBy::Engines)));
    let plan = CampaignPlan { cases: CASES, first: true, shrinking: Duration::ZERO, ..CampaignPlan::default() };
    let campaign = Campaign { seeds, ..campaign(specs, dialect, plan) };
    let outcome = campaign.run(vec![reference, faulty], &mut ()).unwrap();
    (!outcome.findings.is_empty()).then_some(outcome.sent)
}
