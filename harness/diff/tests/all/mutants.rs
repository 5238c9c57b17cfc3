//! Habits of real codecs, as the selftest has them: each is found by generated questions too.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use variant_corpus::Corpus;
use variant_diff::{Campaign, Plan, Seeds, Side, Unwatched};
use variant_selftest::{Faulty, Mutant, mutants};
use variant_specs::{Dialect, Reading, Specs};
use variant_wire::interrupt::Interrupt;
use variant_wire::reference::Reference;

/// One that has most habits first; the others for those that only they have, or that only they show.
const DIALECTS: [&str; 4] = ["godot-3", "godot-4.4", "godot-2", "pandemonium-40"];

/// How many questions it may take.
const CASES: u64 = 10_000;

#[test]
fn every_habit_is_found() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &specs).unwrap();
    let worlds: BTreeMap<&str, Seeds> = DIALECTS
        .map(|name| (name, Seeds::of(&corpus, &specs, specs.dialect(name).unwrap()).unwrap()))
        .into_iter()
        .collect();
    let one = |(habit, mutants): (String, Vec<(&Dialect, Mutant)>)| {
        let asked = mutants.into_iter().find_map(|(dialect, mutant)| {
            asked_until_found(&specs, dialect, mutant, worlds[dialect.name.as_str()].clone())
        });
        (habit, asked)
    };
    // A thousand values on a path take more stack in a debug build than a thread has.
    let threads = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build().unwrap();
    let found: Vec<(String, Option<u64>)> = threads.install(|| habits(&specs).into_par_iter().map(one).collect());
    let missed: Vec<&str> = found.iter().filter(|(_, asked)| asked.is_none()).map(|(id, _)| id.as_str()).collect();
    assert!(missed.is_empty(), "not found in {CASES} questions: {missed:#?}");
    // Most are two: in the reader, and in the writer.
    assert!(found.len() >= 60, "{}", found.len());
}

/// Every habit, in each dialect that has it.
fn habits(specs: &Specs) -> BTreeMap<String, Vec<(&Dialect, Mutant)>> {
    let mut habits: BTreeMap<String, Vec<(&Dialect, Mutant)>> = BTreeMap::new();
    for dialect in DIALECTS.iter().map(|name| specs.dialect(name).unwrap()) {
        for mutant in mutants(dialect) {
            let mut parts = mutant.id.split('/').skip(1);
            if let (Some("behaviour"), Some(habit)) = (parts.next(), parts.next()) {
                habits.entry(habit.to_owned()).or_default().push((dialect, mutant));
            }
        }
    }
    habits
}

/// How many questions it took.
fn asked_until_found(specs: &Specs, dialect: &Dialect, mutant: Mutant, seeds: Seeds) -> Option<u64> {
    let reference = Side::here("reference", Box::new(Reference::new(specs, Reading::Engine)));
    let faulty = Side::here("faulty", Box::new(Faulty::new(mutant, dialect, Reading::Engine)));
    let plan = Plan { cases: CASES, first: true, shrinking: Duration::ZERO, ..Plan::default() };
    let campaign = Campaign { specs, dialect, seeds, plan, interrupt: Interrupt::default() };
    let outcome = campaign.run(vec![reference, faulty], &mut Unwatched).unwrap();
    outcome.findings.iter().any(|finding| finding.legal.is_none()).then_some(outcome.tally.asked)
}
