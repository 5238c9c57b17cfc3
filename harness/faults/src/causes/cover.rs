//! Covers failures with the fewest faults: singly, then together with those that were chosen.

mod choice;
mod proof;
mod said;
mod tried;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use bit_set::BitSet;
use foldhash::{HashMap, HashMapExt};
use indexmap::IndexSet;
use rayon::prelude::*;
use variant_specs::Shape;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;

use super::bench::{Bench, Match};
use super::candidates::{Candidate, candidates};
use super::subject::Subject;
use crate::fault::{Fault, Part};
use crate::place::Place;
use crate::tables::DEEP;
use tried::{Found, PART, TriedOn};

/// A fault that was chosen.
struct Chosen {
    candidate: usize,
    /// Others that explain the same: what tells them apart was not tried.
    rivals: Vec<usize>,
    /// Its failures.
    fails: Vec<usize>,
    /// Failures that go wrong where it goes wrong, and look otherwise.
    beside: Vec<usize>,
    /// Whether it is a declared loss, which others are seen with: it explains nothing by itself.
    is_declared: bool,
}

/// Failures, and the faults that explain them.
pub(super) struct Cover<'b, 'f> {
    bench: &'b Bench<'b>,
    candidates: Vec<Candidate<'f>>,
    chosen: Vec<Chosen>,
    /// Candidates that were chosen and turned out not to be true.
    disproved: BTreeSet<usize>,
    /// How often a candidate was dropped because it spoilt what others explain.
    spoiling: BTreeMap<usize, usize>,
    /// Failures that nothing explains yet.
    open: BitSet,
    /// How many passing tests a candidate fails, and up to how many they were counted.
    against: BTreeMap<usize, (usize, usize)>,
    /// Whether heavy packets are looked at: only faults that limit something are tried on them.
    heavy: bool,
    /// What each candidate makes of the failures on which it was tried.
    tried: Vec<TriedOn>,
    /// Candidates that touched one failure.
    sets: IndexSet<Vec<usize>>,
    /// The number of the set of chosen faults that together did not give a failure.
    not_together: HashMap<usize, usize>,
    /// What was answered to a failure by those that touched it: the numbers of these are those in `tried`.
    answers: BTreeMap<usize, Vec<Answer>>,
    /// Candidates that explain something, but are not true of all.
    partly: BTreeSet<NotedPart>,
    /// Those of which the narrower fault is a candidate.
    narrowed: BTreeSet<NotedPart>,
}

/// What a candidate may be true of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NotedPart {
    /// The place of the candidate.
    candidate: usize,
    /// The layout of the only values.
    layout: Option<String>,
    /// Where they stand.
    place: Option<Place>,
}

/// An implementation has at most this many faults: one that replies at random has none.
const MOST_CHOSEN: usize = 80;

/// How often others are looked for in the place of those that are not true.
const TRIALS: usize = 3;

/// How often more faults are looked for beside those that were found.
const ROUNDS: usize = 6;

/// A failure that looks otherwise may be shown with a fault for so many that it explains.
const FOR_ONE_BESIDE: usize = 6;

impl<'b, 'f> Cover<'b, 'f> {
    pub(super) fn of(bench: &'b Bench<'b>, faults: &'f [Fault]) -> Self {
        let candidates = candidates(faults, bench);
        let tried = vec![TriedOn::default(); candidates.len()];
        let mut cover = Self {
            bench,
            candidates,
            chosen: Vec::new(),
            disproved: BTreeSet::new(),
            spoiling: BTreeMap::new(),
            open: BitSet::new(),
            against: BTreeMap::new(),
            tried,
            sets: IndexSet::new(),
            not_together: HashMap::new(),
            answers: BTreeMap::new(),
            partly: BTreeSet::new(),
            narrowed: BTreeSet::new(),
            heavy: false,
        };
        cover.explain(&cover.left_of_light());
        cover.drop_needless();
        // What was dropped took failures from others.
        for _ in 0..TRIALS {
            let dropped = cover.drop_disproved();
            if !cover.narrow() && !dropped {
                break;
            }
            cover.explain(&cover.left_of_light());
            cover.drop_needless();
        }
        cover.drop_disproved();
        cover.take_heavy();
        cover.take_sent_on();
        cover.take_orders();
        cover.take_too_deep();
        cover.drop_doubtful();
        cover.take_beside();
        cover
    }

    /// Adds the faults of one type, or of values that stand somewhere, that are true of those alone: a codec has a function
    /// for each type, and often another one for what is within containers. Whether there are any.
    fn narrow(&mut self) -> bool {
        let before = self.candidates.len();
        let noted = std::mem::take(&mut self.partly);
        for part in noted.difference(&self.narrowed).cloned().collect::<Vec<_>>() {
            if let Some(narrow) = self.narrowed_to(&part) {
                self.candidates.push(narrow);
                self.tried.push(TriedOn::default());
            }
        }
        self.narrowed.extend(noted);
        self.candidates.len() > before
    }

    fn narrowed_to(&self, NotedPart { candidate, layout, place }: &NotedPart) -> Option<Candidate<'f>> {
        let own = &self.candidates[*candidate];
        let of_place = |own: &Candidate<'f>| place.map_or_else(|| own.clone(), |place| own.at(Some(place)));
        let Some(layout) = layout else { return Some(of_place(own)) };
        let layouts = &self.bench.dialect.layouts;
        // Null has nothing to read.
        let only = layouts.id_of(layout).filter(|only| layouts.get(*only).shape != Shape::Empty)?;
        Some(of_place(&own.of_type(only, layout, self.bench)))
    }

    /// Notes the types in which a candidate that is not true of all explains failures, and where the values stand.
    fn note_partly(&mut self, candidate: usize, same: &[(usize, Match)]) {
        let own = &self.candidates[candidate];
        let places: Vec<usize> = same.iter().map(|(place, _)| *place).collect();
        let mut layouts = BTreeSet::new();
        if own.may_be_narrowed() {
            let of_tests = places.iter().flat_map(|place| self.bench.fails[*place].test.layouts.iter());
            layouts.extend(of_tests.map(ToString::to_string));
        }
        let mut stand = Vec::new();
        if own.may_be_of_a_place() {
            let held: Vec<&BTreeSet<Place>> = places.iter().map(|place| &self.bench.fails[*place].holds).collect();
            let within = [Place::Within, Place::Element, Place::Key, Place::Value];
            stand.extend(within.into_iter().filter(|place| held.iter().all(|held| held.contains(place))));
            stand.extend(held.iter().all(|held| held.is_empty()).then_some(Place::Whole));
        }
        for layout in layouts.into_iter().map(Some).chain([None]) {
            for place in stand.iter().copied().map(Some).chain([None]) {
                if layout.is_some() || place.is_some() {
                    self.partly.insert(NotedPart { candidate, layout: layout.clone(), place });
                }
            }
        }
    }

    /// Chooses faults that explain these failures: those of cases first, then what they leave of the variants.
    fn explain(&mut self, fails: &[usize]) {
        let of_cases = |place: &&usize| self.bench.fails[**place].is_of_case();
        let (of_cases, variants): (Vec<usize>, Vec<usize>) = fails.iter().partition(of_cases);
        self.open = of_cases.into_iter().collect();
        self.choose(&[]);
        self.compose();
        let left = self.take_variants(&variants);
        let samples = self.samples(&left);
        self.open.extend(samples);
        self.choose(&[]);
        self.compose();
        let explained = self.explained_by_chosen();
        let left: Vec<usize> = left.into_iter().filter(|place| !explained.contains(place)).collect();
        let left = self.take_variants(&left);
        self.open.extend(left);
        self.take_composed();
    }

    fn left_of_light(&self) -> Vec<usize> {
        self.left().into_iter().filter(|place| !self.bench.fails[*place].is_heavy()).collect()
    }

    /// The places of failures that no fault explains, and that do not depend on order.
    pub(super) fn left(&self) -> Vec<usize> {
        let explained = self.explained_by_chosen();
        let is_left = |place: &usize| !explained.contains(place) && !self.bench.fails[*place].depends;
        (0..self.bench.fails.len()).filter(is_left).collect()
    }

    fn explained_by_chosen(&self) -> BTreeSet<usize> {
        self.chosen.iter().flat_map(|chosen| chosen.fails.iter().chain(&chosen.beside).copied()).collect()
    }

    /// Chooses candidates that explain open failures, each together with these, until none is left.
    fn choose(&mut self, with: &[usize]) -> bool {
        let mut found = self.explained(with);
        let before = self.chosen.len();
        while let Some((at, same)) = self.best(&found, with)
            && self.chosen.len() < MOST_CHOSEN
        {
            let rivals = if with.is_empty() { self.rivals(&found, at) } else { Vec::new() };
            let Found { candidate, .. } = found.swap_remove(at);
            if self.loses_what_is_declared(candidate, &same) {
                self.chosen.push(Chosen {
                    candidate,
                    rivals,
                    fails: Vec::new(),
                    beside: Vec::new(),
                    is_declared: true,
                });
                continue;
            }
            for place in &same {
                self.open.remove(*place);
            }
            self.take(candidate, same, rivals);
        }
        self.chosen.len() > before
    }

    /// Looks for failures that show several of the chosen faults, and for faults that show only beside them.
    fn compose(&mut self) {
        for _ in 0..ROUNDS {
            self.take_composed();
            let chosen: Vec<usize> = self.chosen.iter().map(|chosen| chosen.candidate).collect();
            if chosen.is_empty() || self.open.is_empty() || !self.choose(&chosen) {
                return;
            }
        }
    }

    fn take(&mut self, candidate: usize, same: Vec<usize>, rivals: Vec<usize>) {
        match self.chosen.iter_mut().find(|chosen| chosen.candidate == candidate) {
            None => self.chosen.push(Chosen { candidate, rivals, fails: same, beside: Vec::new(), is_declared: false }),
            Some(own) => own.fails.extend(same),
        }
    }

    /// Failures that all chosen faults together give.
    fn take_composed(&mut self) {
        let open: Vec<usize> = self.open.iter().collect();
        for (place, at) in self.composed(&open) {
            self.open.remove(place);
            self.chosen[at].fails.push(place);
        }
    }

    /// The failures of these that the chosen faults together give, and for each the chosen fault that it belongs to. What
    /// the same faults did not give is not tried again.
    fn composed(&mut self, places: &[usize]) -> Vec<(usize, usize)> {
        let places: Vec<usize> = places.iter().copied().filter(|place| self.bench.may_be_same(*place)).collect();
        let chosen: Vec<usize> = self.chosen.iter().map(|one| one.candidate).collect();
        self.try_alone(&chosen, &places);
        // Those that change nothing, and see nothing of what others change, are left out.
        let mut of_set: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for place in places {
            let set = self.shown_together(place);
            let of_candidates: Vec<usize> = set.iter().map(|at| chosen[*at]).collect();
            let number = self.sets.insert_full(of_candidates).0;
            if self.not_together.insert(place, number) != Some(number) {
                of_set.entry(set).or_default().push(place);
            }
        }
        let given = of_set.par_iter().flat_map_iter(|(set, places)| self.composed_of(set, places));
        let given: Vec<(usize, usize)> = given.collect();
        for (place, _) in &given {
            self.not_together.remove(place);
        }
        given
    }

    /// The same of failures that these of the chosen faults are about.
    fn composed_of(&self, set: &[usize], places: &[usize]) -> Vec<(usize, usize)> {
        let codec = |without: Option<usize>| {
            let others = set.iter().filter(|at| Some(**at) != without);
            let parts = others.flat_map(|at| self.candidates[self.chosen[*at].candidate].parts.iter().copied());
            let parts: Vec<Part<'f>> = parts.collect();
            let codecs = self.bench.codecs(&parts);
            (parts, codecs)
        };
        let (all, codecs) = codec(None);
        if all.is_empty() {
            return Vec::new();
        }
        let fewer: BTreeMap<usize, OnceLock<_>> = set.iter().map(|at| (*at, OnceLock::new())).collect();
        let owned = places.par_iter().with_min_len(PART).filter_map(|place| {
            let subject = &self.bench.fails[*place];
            self.bench.try_on(&all, &codecs, subject).1?;
            // The first without which the test passes; else the first without which the reply is another.
            let mut owner = None;
            let explains = |at: &usize| !self.chosen[*at].is_declared;
            for (at, own) in fewer.iter().filter(|(at, _)| explains(at)) {
                let (parts, codecs) = own.get_or_init(|| codec(Some(*at)));
                let (answer, same) = self.bench.try_on(parts, codecs, subject);
                if same.is_none() {
                    let rights = !Bench::changes(&answer, subject);
                    owner = if rights { Some(*at) } else { owner.or(Some(*at)) };
                    if rights {
                        break;
                    }
                }
            }
            // Two that hide each other: the first that gives it alone.
            let alone = || {
                (0..self.chosen.len()).filter(explains).find(|at| {
                    let parts = &self.candidates[self.chosen[*at].candidate].parts;
                    !self.same(parts, &[*place]).is_empty()
                })
            };
            Some((*place, owner.or_else(alone)?))
        });
        owned.collect()
    }

    /// Variants go to the cause of their case, where that predicts their replies too; then to another one that does.
    /// Returns the others.
    fn take_variants(&mut self, variants: &[usize]) -> Vec<usize> {
        let case = |subject: &Subject<'b>| (&subject.test.layout, &subject.test.case.name);
        let mut of_case: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, chosen) in self.chosen.iter().enumerate() {
            for place in &chosen.fails {
                of_case.entry(case(&self.bench.fails[*place])).or_default().push(at);
            }
        }
        let explaining: Vec<usize> = (0..self.chosen.len()).filter(|at| !self.chosen[*at].is_declared).collect();
        let candidates: Vec<usize> = explaining.iter().map(|at| self.chosen[*at].candidate).collect();
        self.try_alone(&candidates, variants);
        let mut left = Vec::new();
        for place in variants {
            let own = of_case.get(&case(&self.bench.fails[*place])).into_iter().flatten();
            let is_same = |at: &&usize| self.is_same(self.chosen[**at].candidate, *place);
            match own.chain(&explaining).find(is_same) {
                Some(at) => self.chosen[*at].fails.push(*place),
                None => left.push(*place),
            }
        }
        left
    }

    /// A few variants of each rule and type: faults that explain these are tried on the others.
    fn samples(&self, variants: &[usize]) -> Vec<usize> {
        const OF_A_KIND: usize = 2;
        let mut kinds: BTreeMap<(&str, Op, Option<&str>), usize> = BTreeMap::new();
        let mut samples = Vec::new();
        for place in variants {
            let subject = &self.bench.fails[*place];
            let rule = subject.test.rule.map(variant_corpus::test::Rule::name);
            let count = kinds.entry((subject.layout(), subject.test.op, rule)).or_default();
            *count += 1;
            if *count <= OF_A_KIND {
                samples.push(*place);
            }
        }
        samples
    }

    /// The chosen candidates that explain something, those of the least failures first.
    fn by_evidence(&self) -> Vec<usize> {
        let explaining = self.chosen.iter().filter(|one| !one.is_declared);
        let mut order: Vec<(usize, usize)> = explaining.map(|one| (one.fails.len(), one.candidate)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Drops each fault without which the others explain all the same: the fewest are wanted.
    fn drop_needless(&mut self) {
        for candidate in self.by_evidence() {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            let dropped = self.chosen.remove(at);
            match self.owners(&dropped.fails) {
                Some(owners) => owners.into_iter().for_each(|(place, owner)| self.chosen[owner].fails.push(place)),
                None => self.chosen.insert(at, dropped),
            }
        }
    }

    /// For each of these failures the chosen fault that explains it, alone or with others; `None` if one is not explained.
    fn owners(&mut self, places: &[usize]) -> Option<BTreeMap<usize, usize>> {
        let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, chosen) in self.chosen.iter().enumerate().filter(|(_, chosen)| !chosen.is_declared) {
            let left: Vec<usize> = places.iter().copied().filter(|place| !owners.contains_key(place)).collect();
            let own = self.same(&self.candidates[chosen.candidate].parts, &left);
            owners.extend(own.into_iter().map(|place| (place, at)));
        }
        let left: Vec<usize> = places.iter().copied().filter(|place| !owners.contains_key(place)).collect();
        owners.extend(self.composed(&left));
        (owners.len() == places.len()).then_some(owners)
    }

    /// Heavy packets are only compared with what was found on the others.
    fn take_heavy(&mut self) {
        let is_open = |place: &usize| self.bench.fails[*place].is_heavy() && !self.bench.fails[*place].depends;
        let heavy: Vec<usize> = (0..self.bench.fails.len()).filter(is_open).collect();
        let taken: BTreeMap<usize, usize> = self.composed(&heavy).into_iter().collect();
        for (place, at) in &taken {
            self.chosen[*at].fails.push(*place);
        }
        // Limits show in nothing else.
        self.open = heavy.into_iter().filter(|place| !taken.contains_key(place)).collect();
        self.heavy = true;
        self.choose(&[]);
    }

    /// That what nests too deep is read is true of all that is, whatever it is read as, and of what ends the process then.
    fn take_too_deep(&mut self) {
        let is_deep = |place: &usize| self.bench.fails[*place].is_tried_too_deep();
        let left: Vec<usize> = self.left().into_iter().filter(is_deep).collect();
        let reads_all = |one: &&mut Chosen| self.candidates[one.candidate].faults[0].name == DEEP;
        if let Some(one) = self.chosen.iter_mut().find(reads_all) {
            one.fails.extend(left);
        }
    }

    /// A codec has one order of pairs: what is wrong in nothing else has the same reason, or what explains less of it is chance.
    fn take_orders(&mut self) {
        for candidate in self.by_evidence() {
            let at = self.chosen.iter().position(|one| one.candidate == candidate);
            let Some(at) = at.filter(|_| self.candidates[candidate].reorders()) else { continue };
            let about = Arc::clone(&self.candidates[candidate].places);
            let is_own = |place: &usize| about.fails.contains(*place) && self.bench.seen(&self.bench.fails[*place]).0;
            let left: Vec<usize> = self.left().into_iter().filter(is_own).collect();
            if left.len() <= self.chosen[at].fails.len() {
                self.chosen[at].fails.extend(left);
            } else {
                self.chosen.remove(at);
            }
        }
    }

    /// A few failures that go wrong where a fault goes wrong are shown with it: a codec does some of what it does in its own
    /// way, and what else is wrong there shows when the fault is gone.
    fn take_beside(&mut self) {
        let mut beside: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut order: Vec<usize> = (0..self.chosen.len()).filter(|at| !self.chosen[*at].is_declared).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.chosen[*at].fails.len()));
        let mut left = self.left();
        for at in order {
            let parts = &self.candidates[self.chosen[at].candidate].parts;
            let codecs = self.bench.codecs(parts);
            let goes_wrong = |place: &usize| {
                let subject = &self.bench.fails[*place];
                self.bench.goes_wrong_where(&self.bench.answer(parts, &codecs, subject), subject)
            };
            let (own, others) = left.par_iter().partition(|place| goes_wrong(place));
            left = others;
            beside.insert(at, own);
        }
        for (at, own) in beside {
            if own.len() * FOR_ONE_BESIDE <= self.chosen[at].fails.len() {
                self.chosen[at].beside = own;
            }
        }
    }

    /// What was read wrongly and written rightly goes with what was read.
    fn take_sent_on(&mut self) {
        let left = self.left();
        for chosen in &mut self.chosen {
            let own: BTreeSet<usize> = chosen.fails.iter().copied().collect();
            let is_sent_on = |place: &&usize| self.bench.fails[**place].read.is_some_and(|read| own.contains(&read));
            chosen.fails.extend(left.iter().filter(is_sent_on));
        }
    }
}
