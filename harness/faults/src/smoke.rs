//! The smallest set of tests that kills every mutant: greedy, and checked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use variant_specs::Reading;

use super::Trial;
use variant_corpus::Smoke;

/// The smallest set that a greedy choice finds. What a mutant answers may depend on all earlier requests, so the set is
/// tried as it will run, and tests are added until it kills every mutant.
pub fn choose(trials: &[Trial<'_>]) -> Smoke {
    let mut smoke = Smoke::default();
    for trial in trials.iter().filter(|trial| trial.context.reading == Reading::Engine) {
        let mut chosen = greedy(trial);
        loop {
            let missing = missing(trial, &chosen);
            if missing.is_empty() {
                break;
            }
            chosen.extend(missing.into_iter().flat_map(|test| with_the_one_before(trial, test)));
        }
        smoke.extend(chosen.into_iter().map(str::to_owned));
    }
    smoke
}

/// Repeatedly chooses the test that kills the most of the mutants that are left; of equals, the first.
fn greedy<'t>(trial: &'t Trial<'_>) -> BTreeSet<&'t str> {
    let mut left: Vec<Vec<&str>> = Vec::new();
    for result in &trial.results {
        // A warning is not enough where another test fails.
        let Some(worst) = result.kills.iter().map(|kill| kill.severity).max() else { continue };
        let kills = result.kills.iter().filter(|kill| kill.severity == worst);
        left.push(kills.map(|kill| kill.test.as_str()).collect());
    }
    let tests = trial.context.tests.iter().enumerate();
    let order: BTreeMap<&str, usize> = tests.map(|(place, (test, _))| (test.id.as_str(), place)).collect();
    let mut chosen = BTreeSet::new();
    loop {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        left.iter().flatten().for_each(|test| *counts.entry(test).or_default() += 1);
        let best = counts.into_iter().max_by_key(|(test, count)| (*count, Reverse(order.get(test))));
        let Some((best, _)) = best else { return chosen };
        chosen.insert(best);
        left.retain(|tests| !tests.contains(&best));
    }
}

/// For each mutant that these tests do not kill, the first test that does.
fn missing<'t>(trial: &'t Trial<'_>, chosen: &BTreeSet<&str>) -> Vec<&'t str> {
    let chosen = |test: &str| chosen.contains(test);
    let survivors = trial.results.par_iter().filter(|result| {
        !result.kills.is_empty() && trial.context.kills_among(&result.mutant, |test| chosen(&test.id)).is_empty()
    });
    let first = survivors.filter_map(|result| result.kills.iter().find(|kill| !chosen(&kill.test)));
    let mut missing: Vec<&str> = first.map(|kill| kill.test.as_str()).collect();
    missing.dedup();
    missing
}

/// A test and the one that runs before it, which may have changed what the mutant answers.
fn with_the_one_before<'t>(trial: &'t Trial<'_>, test: &'t str) -> impl Iterator<Item = &'t str> {
    let tests = &trial.context.tests;
    let place = tests.iter().position(|(other, _)| other.id == test);
    let before = place.and_then(|place| place.checked_sub(1)).map(|before| tests[before].0.id.as_str());
    before.into_iter().chain([test])
}
