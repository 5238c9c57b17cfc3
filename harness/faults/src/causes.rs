//! Why tests fail: the faults of the catalogue whose replies are exactly the implementation's.
//!
//! A headline is a proof: a codec with this one fault gives the same reply in N of N tests. What no fault explains is
//! grouped by what it is, and claims nothing.

mod bench;
mod blamed;
mod candidates;
mod cause;
mod cover;
mod families;
mod joined;
mod looks;
mod rest;
mod run_tests;
mod seen;
mod subject;
mod words;

use std::collections::BTreeMap;

pub use cause::{Cause, OF_ORDER, Proof};
pub use run_tests::{Failure, RunTests};

/// The causes of failures in one dialect: crashes and hangs first, then those of the most tests.
pub fn causes(run: RunTests<'_>, failures: &[Failure]) -> Vec<Cause> {
    if failures.is_empty() {
        return Vec::new();
    }
    let bench = bench::Bench::new(run, failures);
    let mut faults = crate::catalogue(run.specs, run.dialect);
    faults.extend(families::suggested(&bench));
    let covered = cover::Cover::of(&bench, &faults);
    let mut causes = covered.causes();
    causes.extend(rest::groups(&bench, covered.left()));
    causes.extend(rest::dependent(&bench));
    order(&mut causes);
    causes
}

/// The causes of several dialects as one list: those of one name are one.
pub fn joined(of_dialects: impl IntoIterator<Item = Vec<Cause>>) -> Vec<Cause> {
    let mut causes: BTreeMap<String, Cause> = BTreeMap::new();
    for cause in of_dialects.into_iter().flatten() {
        match causes.get_mut(&cause.id) {
            Some(first) => first.join(cause),
            None => drop(causes.insert(cause.id.clone(), cause)),
        }
    }
    let mut causes: Vec<Cause> = causes.into_values().collect();
    order(&mut causes);
    causes
}

fn order(causes: &mut [Cause]) {
    causes.sort_by(|one, other| {
        let by = |cause: &Cause| (std::cmp::Reverse(cause.deadly), std::cmp::Reverse(cause.tests.len()));
        by(one).cmp(&by(other)).then_with(|| one.id.cmp(&other.id))
    });
}
