//! The causes that a cover leads to, and their sentences.

use std::collections::{BTreeMap, BTreeSet};

use variant_specs::LayoutId;
use variant_values::handshake::Op;

use super::{Chosen, Cover};
use crate::causes::candidates::Candidate;
use crate::causes::cause::{Cause, Proof, simplest_first};
use crate::causes::seen::some;
use crate::causes::subject::Subject;
use crate::fault::Part;

impl Cover<'_, '_> {
    /// A cause for each name of a fault.
    pub(in crate::causes) fn causes(&self) -> Vec<Cause> {
        let mut of_name: BTreeMap<String, Vec<&Chosen>> = BTreeMap::new();
        for chosen in self.chosen.iter().filter(|chosen| !chosen.is_declared) {
            of_name.entry(self.candidates[chosen.candidate].name()).or_default().push(chosen);
        }
        of_name.into_values().map(|chosen| self.cause(&chosen)).collect()
    }

    fn cause(&self, chosen: &[&Chosen]) -> Cause {
        let first = &self.candidates[chosen[0].candidate];
        let fails: BTreeSet<usize> = chosen.iter().flat_map(|chosen| chosen.fails.iter().copied()).collect();
        let beside: BTreeSet<usize> = chosen.iter().flat_map(|chosen| chosen.beside.iter().copied()).collect();
        let tests: BTreeSet<usize> = &fails | &beside;
        let subject = |place: &usize| &self.bench.fails[*place];
        let (mut alone, mut against) = (BTreeSet::new(), 0);
        // What is sent on may be read and written by two of them.
        let all: Vec<Part<'_>> = self.parts_of(&chosen.iter().map(|one| one.candidate).collect::<Vec<_>>());
        let fails_of_all: Vec<usize> = fails.iter().copied().collect();
        alone.extend(self.same(&all, &fails_of_all));
        for one in chosen {
            alone.extend(self.same(&self.candidates[one.candidate].parts, &one.fails));
            against += self.contradicted(&self.candidates[one.candidate]);
        }
        let other = self.changed_otherwise(chosen, &tests).len() + beside.len();
        // What several faults show together is no proof of one; where it shows only with others, it is all there is.
        let same = if alone.is_empty() { fails.len() } else { alone.len() };
        // Of several types, the one that is true of each is meant.
        let or = if let [one] = chosen { self.or(one) } else { None };
        let or = or.map_or_else(String::new, |other| format!(", or: {other}"));
        let subjects: Vec<&Subject<'_>> = tests.iter().map(subject).collect();
        let mut cause = Cause::of(first.name(), self.headline(chosen) + &or, &subjects);
        if !alone.is_empty() {
            cause.samples = simplest_first(alone.iter().map(subject));
        }
        let (of, more) = (same + other + against, fails.len() - same);
        cause.proof = Some(Proof { same, of, more, advice: first.faults[0].advice.clone() });
        cause
    }

    /// The sentence of another fault that is as true of all its failures, and of what passes.
    pub(super) fn or(&self, chosen: &Chosen) -> Option<String> {
        let own = &self.candidates[chosen.candidate];
        // What the headline has said already is not said again.
        let sentence = |other: &Candidate<'_>| {
            let is_of_same = (other.only, other.place) == (own.only, own.place);
            if is_of_same { other.said(other.way()) } else { self.sentence(other, other.way()) }
        };
        let said = sentence(own);
        let is_true = |other: &&usize| {
            let other = &self.candidates[**other];
            self.same(&other.parts, &chosen.fails).len() == chosen.fails.len() && self.contradicted(other) == 0
        };
        let mut others = chosen.rivals.iter().filter(is_true).map(|other| sentence(&self.candidates[*other]));
        // What another says more is not shown by these.
        others.find(|other| !other.starts_with(said.as_str()))
    }

    /// The sentence of a candidate: true of values that stand somewhere alone, if others pass that it would fail.
    fn sentence(&self, candidate: &Candidate<'_>, way: Option<Op>) -> String {
        let only = candidate.place.is_some() && self.is_contradicted(&candidate.at(None));
        candidate.sentence(way, only, self.bench.dialect)
    }

    /// The sentence of the fault, with the types where it is a fault of each.
    fn headline(&self, chosen: &[&Chosen]) -> String {
        // What is true in both directions is said once.
        let mut of_fault: BTreeMap<(Option<LayoutId>, &str), Vec<&Candidate<'_>>> = BTreeMap::new();
        for candidate in chosen.iter().map(|chosen| &self.candidates[chosen.candidate]) {
            of_fault.entry((candidate.only, &candidate.faults[0].description)).or_default().push(candidate);
        }
        let sentence = |same: Vec<&Candidate<'_>>| {
            let way = same[0].way().filter(|way| same.iter().all(|other| other.way() == Some(*way)));
            self.sentence(same[0], way)
        };
        let sentences: Vec<String> = of_fault.into_values().map(sentence).collect();
        let mut parted: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for sentence in &sentences {
            let (types, what) = sentence.split_once(": ").unwrap_or(("", sentence));
            parted.entry(what).or_default().insert(types.to_owned());
        }
        let said = parted.into_iter().map(|(what, types)| {
            // What is true of all types is true of each.
            if types.contains("") { what.to_owned() } else { format!("{}: {what}", some(&types)) }
        });
        said.collect::<Vec<_>>().join("; ")
    }
}
