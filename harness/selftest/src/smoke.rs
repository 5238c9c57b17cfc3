//! The smallest set of asks that notices every mutant: greedy, and checked.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use variant_specs::Reading;

use super::{Mutant, Trial};
use variant_corpus::Smoke;

/// The smallest set that a greedy choice finds. What a mutant remembers depends on all that it was asked, so that the
/// choice is tried as it will be asked, and asks are added until every mutant is noticed.
pub fn choose(trials: &[Trial<'_>]) -> Smoke {
    let mut smoke = Smoke::default();
    for trial in trials.iter().filter(|trial| trial.world.reading == Reading::Engine) {
        let mut chosen = greedy(trial);
        loop {
            let missed = missed(trial, &chosen);
            if missed.is_empty() {
                break;
            }
            for test in missed {
                chosen.extend(with_the_one_before(trial, test));
            }
        }
        smoke.extend(chosen.into_iter().map(str::to_owned));
    }
    smoke
}

/// Again and again the ask that notices the most of what no other has noticed yet; of two, the first.
fn greedy<'t>(trial: &'t Trial<'_>) -> BTreeSet<&'t str> {
    let mut left: Vec<Vec<&str>> = Vec::new();
    for tried in trial.tried.iter().filter(|tried| !tried.bites.is_empty()) {
        // A warning is not enough where something else fails.
        let red: Vec<&str> = tried.bites.iter().filter(|bite| !bite.amber).map(|bite| bite.test.as_str()).collect();
        let any = || tried.bites.iter().map(|bite| bite.test.as_str()).collect();
        left.push(if red.is_empty() { any() } else { red });
    }
    let order: BTreeMap<&str, usize> =
        trial.world.tests.iter().enumerate().map(|(place, (test, _))| (test.id.as_str(), place)).collect();
    let mut chosen = BTreeSet::new();
    while !left.is_empty() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        left.iter().flatten().for_each(|test| *counts.entry(test).or_default() += 1);
        let best = counts.iter().max_by_key(|(test, count)| (**count, std::cmp::Reverse(order.get(*test))));
        let Some((best, _)) = best else { break };
        let best = *best;
        chosen.insert(best);
        left.retain(|tests| !tests.contains(&best));
    }
    chosen
}

/// For each mutant that these asks alone do not notice, the first ask that does.
fn missed<'t>(trial: &'t Trial<'_>, chosen: &BTreeSet<&str>) -> Vec<&'t str> {
    let noticed = |mutant: &Mutant| !trial.world.bites_of(mutant, |test| chosen.contains(test.id.as_str())).is_empty();
    let candidates: Vec<_> = trial.tried.iter().filter(|tried| !tried.bites.is_empty()).collect();
    let missed = candidates.par_iter().filter(|tried| !noticed(&tried.mutant));
    let mut missed: Vec<&str> = missed
        .filter_map(|tried| tried.bites.iter().find(|bite| !chosen.contains(bite.test.as_str())))
        .map(|bite| bite.test.as_str())
        .collect();
    missed.dedup();
    missed
}

/// An ask and the one that is asked before it, which may have left something behind.
fn with_the_one_before<'t>(trial: &'t Trial<'_>, test: &'t str) -> Vec<&'t str> {
    let tests = &trial.world.tests;
    let place = tests.iter().position(|(other, _)| other.id == test);
    let before = place.and_then(|place| place.checked_sub(1)).map(|before| tests[before].0.id.as_str());
    before.into_iter().chain([test]).collect()
}
