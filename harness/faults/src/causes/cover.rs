//! Covers failures with the fewest faults: singly, then together with those that were chosen.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use variant_values::handshake::Op;

use super::bench::{Bench, Match, Subject};
use super::candidates::{Candidate, candidates, is_of_values};
use super::{Cause, Proof};
use crate::fault::{Codecs, Fault, Part};

/// A candidate and the open failures in which it gives the implementation's reply.
struct Found {
    candidate: usize,
    same: Vec<(usize, Match)>,
    /// In how many others it changes the reply to something else.
    other: usize,
}

/// What a candidate makes of a failure.
#[derive(Debug, Clone, Copy)]
struct Tried {
    /// Whether it gives the same reply.
    same: Option<Match>,
    /// Whether it changes the reply.
    changes: bool,
    /// Whether it changes the reply to something that the implementation does not do either.
    other: bool,
}

impl Found {
    /// `None` if it gives the same reply to none.
    fn of(candidate: usize, tried: &[(usize, Tried)]) -> Option<Self> {
        let same: Vec<_> = tried.iter().filter_map(|(place, tried)| Some((*place, tried.same?))).collect();
        let other = tried.iter().filter(|(_, tried)| tried.other).count();
        (!same.is_empty()).then_some(Self { candidate, same, other })
    }
}

/// A fault that was chosen.
struct Chosen {
    candidate: usize,
    /// Others that explain the same: what tells them apart was not tried.
    alike: Vec<usize>,
    /// Its failures, those first that it explains alone.
    fails: Vec<usize>,
    alone: usize,
}

/// Failures, and the faults that explain them.
pub(super) struct Cover<'b, 'f> {
    bench: &'b Bench<'b>,
    candidates: Vec<Candidate<'f>>,
    chosen: Vec<Chosen>,
    /// Candidates that were chosen and turned out not to be true.
    disproved: BTreeSet<usize>,
    open: Open,
    /// How many passing tests a candidate fails, and up to how many they were counted.
    against: BTreeMap<usize, (usize, usize)>,
    /// Whether heavy packets are looked at: only faults that limit something are tried on them.
    heavy: bool,
    /// What each candidate makes of the failures on which it was tried alone.
    alone: Vec<BTreeMap<usize, Tried>>,
    /// Candidates that explain something of a layout, but are not true of all: the place of the candidate, and the layout.
    partly: BTreeSet<(usize, String)>,
}

/// Failures that nothing explains yet.
struct Open(Vec<bool>);

impl Open {
    fn contains(&self, place: usize) -> bool {
        self.0[place]
    }

    fn remove(&mut self, place: usize) {
        self.0[place] = false;
    }

    fn extend(&mut self, places: impl IntoIterator<Item = usize>) {
        places.into_iter().for_each(|place| self.0[place] = true);
    }

    fn set(&mut self, places: impl IntoIterator<Item = usize>) {
        self.0.fill(false);
        self.extend(places);
    }

    fn places(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|place| self.0[*place]).collect()
    }

    fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }
}

/// A fault that shows in nothing but refusals explains at least this part of what is refused with the same words in the
/// same types: else there is another reason for them.
const LEAST_PART: usize = 2;

/// A fault may fail one test that passes for so many that it explains: of a real codec, no fault is true to the letter.
const FOR_ONE_AGAINST: usize = 20;

/// A fault may change the reply to one test that nothing explains for so many that it explains.
const FOR_ONE_UNEXPLAINED: usize = 2;

/// What a whole test weighs.
const WHOLE: usize = 1000;

/// An implementation has at most this many faults: one that replies at random has none.
const MOST_CHOSEN: usize = 80;

/// How often others are looked for in the place of those that are not true.
const TRIALS: usize = 3;

/// How often more faults are looked for beside those that were found.
const ROUNDS: usize = 6;

impl<'b, 'f> Cover<'b, 'f> {
    pub(super) fn of(bench: &'b Bench<'b>, faults: &'f [Fault]) -> Self {
        let candidates = candidates(faults, bench);
        let alone = vec![BTreeMap::new(); candidates.len()];
        let mut cover = Self {
            bench,
            candidates,
            chosen: Vec::new(),
            disproved: BTreeSet::new(),
            open: Open(vec![false; bench.fails.len()]),
            against: BTreeMap::new(),
            alone,
            partly: BTreeSet::new(),
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
        cover
    }

    /// Adds the faults of one type that are true of it alone, of those that several types could have: a codec has a
    /// function for each type.
    fn narrow(&mut self) -> bool {
        let before = self.candidates.len();
        for (candidate, layout) in std::mem::take(&mut self.partly) {
            let Some(only) = self.bench.dialect.layouts.id_of(&layout) else { continue };
            let narrow = self.candidates[candidate].of_type(only, &layout, self.bench);
            self.candidates.push(narrow);
            self.alone.push(BTreeMap::new());
        }
        self.candidates.len() > before
    }

    /// Notes the types in which a candidate that is not true of all explains failures.
    fn note_partly(&mut self, candidate: usize, same: &[(usize, Match)]) {
        if !self.candidates[candidate].may_be_narrowed() {
            return;
        }
        for (place, _) in same.iter().filter(|(_, how)| *how == Match::Exact) {
            let layouts = self.bench.fails[*place].test.layouts.iter();
            self.partly.extend(layouts.map(|layout| (candidate, layout.to_string())));
        }
    }

    /// Chooses faults that explain these failures: those of cases first, then what they leave of the variants.
    fn explain(&mut self, fails: &[usize]) {
        let of_cases = |place: &&usize| self.bench.fails[**place].is_of_case();
        let (of_cases, variants): (Vec<usize>, Vec<usize>) = fails.iter().partition(of_cases);
        self.open.set(of_cases);
        self.choose(&[]);
        self.compose();
        let left = self.take_variants(&variants);
        let samples = self.samples(&left);
        self.open.extend(samples);
        self.choose(&[]);
        self.compose();
        let taken: BTreeSet<usize> = self.chosen.iter().flat_map(|chosen| chosen.fails.iter().copied()).collect();
        let left: Vec<usize> = left.into_iter().filter(|place| !taken.contains(place)).collect();
        let left = self.take_variants(&left);
        self.open.extend(left);
        self.take_composed();
    }

    fn left_of_light(&self) -> Vec<usize> {
        self.left().into_iter().filter(|place| !self.bench.fails[*place].is_heavy()).collect()
    }

    /// The places of failures that no fault explains.
    pub(super) fn left(&self) -> Vec<usize> {
        let explained: BTreeSet<usize> = self.chosen.iter().flat_map(|chosen| chosen.fails.iter().copied()).collect();
        (0..self.bench.fails.len()).filter(|place| !explained.contains(place)).collect()
    }

    /// Chooses candidates that explain open failures, each together with these, until none is left.
    fn choose(&mut self, with: &[usize]) -> bool {
        let mut found = self.explained(with);
        let before = self.chosen.len();
        while let Some((at, same)) = self.best(&found, with)
            && self.chosen.len() < MOST_CHOSEN
        {
            let alike = if with.is_empty() { self.alike(&found, at) } else { Vec::new() };
            let Found { candidate, .. } = found.swap_remove(at);
            same.iter().for_each(|place| self.open.remove(*place));
            self.take(candidate, same, with.is_empty(), alike);
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

    /// Candidates of another name that explain what one does, and of which nothing else is known.
    fn alike(&mut self, found: &[Found], at: usize) -> Vec<usize> {
        let name = |candidate: usize| self.candidates[candidate].faults[0].name.as_str();
        let own = &found[at];
        // Of limits, the one that was suggested says it.
        let limits = self.candidates[own.candidate].limits();
        let same = |other: &&Found| {
            !limits
                && name(other.candidate) != name(own.candidate)
                && other.same == own.same
                && other.other == own.other
        };
        let others: Vec<usize> = found.iter().filter(same).map(|other| other.candidate).collect();
        others.into_iter().filter(|other| self.against(*other, 0) == 0).collect()
    }

    fn take(&mut self, candidate: usize, same: Vec<usize>, alone: bool, alike: Vec<usize>) {
        let own = self.chosen.iter_mut().find(|chosen| chosen.candidate == candidate);
        let count = if alone { same.len() } else { 0 };
        match own {
            None => self.chosen.push(Chosen { candidate, alike, fails: same, alone: count }),
            Some(own) if alone => {
                own.fails.splice(own.alone..own.alone, same);
                own.alone += count;
            }
            Some(own) => own.fails.extend(same),
        }
    }

    /// For each candidate, the open failures in which it gives the same reply, together with these.
    fn explained(&mut self, with: &[usize]) -> Vec<Found> {
        let candidates = self.candidates_beside(with);
        if with.is_empty() {
            return self.explained_alone(&candidates);
        }
        let others = self.bench.codecs(&self.parts_of(with));
        let found = candidates.into_par_iter().filter_map(|candidate| {
            let places: Vec<usize> = match self.touches_beyond(candidate) {
                true => self.candidates[candidate].places.fails.clone(),
                false => self.alone[candidate].keys().copied().collect(),
            };
            let may = |place: &usize| self.open.contains(*place) && self.may_touch(candidate, *place);
            let open: Vec<usize> = places.into_iter().filter(may).collect();
            if open.is_empty() {
                return None;
            }
            let parts = self.parts_of(&[with, &[candidate]].concat());
            let own = &self.candidates[candidate].parts;
            let changes_tables = own.iter().any(|part| part.mutation.tables.is_some());
            let codecs = if changes_tables { Cow::Owned(self.bench.codecs(&parts)) } else { Cow::Borrowed(&others) };
            Found::of(candidate, &self.try_on(&parts, &codecs, &open))
        });
        found.collect()
    }

    /// The same, of candidates alone. What was tried is remembered.
    fn explained_alone(&mut self, candidates: &[usize]) -> Vec<Found> {
        let tried = candidates.par_iter().filter_map(|candidate| {
            let Candidate { places, parts, .. } = &self.candidates[*candidate];
            let known = &self.alone[*candidate];
            let is_new = |place: &usize| self.open.contains(*place) && !known.contains_key(place);
            let new: Vec<usize> = places.fails.iter().copied().filter(is_new).collect();
            (!new.is_empty()).then(|| (*candidate, self.try_on(parts, &self.bench.codecs(parts), &new)))
        });
        let tried: Vec<_> = tried.collect();
        for (candidate, tried) in tried {
            self.alone[candidate].extend(tried);
        }
        let open = |candidate: usize| {
            let tried = self.alone[candidate].iter().filter(|(place, _)| self.open.contains(**place));
            tried.map(|(place, tried)| (*place, *tried)).collect::<Vec<_>>()
        };
        candidates.iter().filter_map(|candidate| Found::of(*candidate, &open(*candidate))).collect()
    }

    /// The candidates that may be true beside these.
    fn candidates_beside(&self, with: &[usize]) -> Vec<usize> {
        let known = |candidate: &usize| with.contains(candidate) || self.disproved.contains(candidate);
        let all = (0..self.candidates.len()).filter(|candidate| !known(candidate));
        all.filter(|candidate| !self.heavy || self.candidates[*candidate].limits()).collect()
    }

    fn parts_of(&self, candidates: &[usize]) -> Vec<Part<'f>> {
        candidates.iter().flat_map(|one| self.candidates[*one].parts.iter().copied()).collect()
    }

    /// Whether a candidate may change a reply beside others that it does not change alone: it reads what others make
    /// unreadable, or it changes values, which others may have made of others.
    fn touches_beyond(&self, candidate: usize) -> bool {
        let beyond = |part: &Part<'_>| part.mutation.accepts.is_some() || is_of_values(part);
        self.candidates[candidate].parts.iter().any(beyond)
    }

    fn may_touch(&self, candidate: usize, place: usize) -> bool {
        let parts = &self.candidates[candidate].parts;
        parts.iter().any(|part| part.mutation.accepts.is_some())
            || self.alone[candidate].get(&place).is_some_and(|tried| tried.changes)
            || self.bench.fails[place].is_of_case() && parts.iter().any(is_of_values)
    }

    fn same(&self, parts: &[Part<'_>], places: &[usize]) -> Vec<usize> {
        let tried = self.try_on(parts, &self.bench.codecs(parts), places);
        tried.into_iter().filter(|(_, tried)| tried.same.is_some()).map(|(place, _)| place).collect()
    }

    fn try_on(&self, parts: &[Part<'_>], codecs: &Codecs, places: &[usize]) -> Vec<(usize, Tried)> {
        let tried = places.iter().map(|place| {
            let subject = &self.bench.fails[*place];
            let answer = self.bench.answer(parts, codecs, subject);
            let (same, changes) = (self.bench.same(&answer, subject), Bench::changes(&answer, subject));
            let other = changes && same.is_none() && !Bench::ends_alike(&answer, subject);
            (*place, Tried { same, changes, other })
        });
        tried.collect()
    }

    /// The place of the best candidate, and the open failures that it explains.
    fn best(&mut self, found: &[Found], with: &[usize]) -> Option<(usize, Vec<usize>)> {
        // What it explains is known, what speaks against it is counted only for the first.
        let (bench, refused) = (self.bench, self.refused_with());
        let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
        let opens: Vec<Vec<usize>> = found.iter().map(|own| self.open_of(own)).collect();
        for (at, own) in found.iter().enumerate() {
            let open = own.same.iter().filter(|(place, _)| self.open.contains(*place));
            let exact = open.filter(|(_, how)| *how == Match::Exact).count();
            let weak = opens[at].len() - exact;
            let words: BTreeSet<_> = opens[at].iter().map(|place| bench.fails[*place].refused_with()).collect();
            let alike: usize = words.into_iter().filter_map(|words| refused.get(&words)).sum();
            let says_why = || self.candidates[own.candidate].speaks_of_refusals() && weak * LEAST_PART >= alike;
            if weak + exact == 0 || exact == 0 && (!says_why() || self.is_ambiguous(found, &opens, at)) {
                continue;
            }
            // Refusals say little: a fault that is seen in nothing else has to be right in all of them.
            let points = (2 * exact + weak).saturating_sub(own.other / 4);
            if points > 0 && (exact > 0 || own.other == 0) {
                ranked.push((points, exact, at));
            }
        }
        ranked.sort_by_key(|(points, _, at)| (Reverse(*points), *at));
        let mut best: Option<(Rank, usize)> = None;
        for (points, exact, at) in ranked {
            if best.as_ref().is_some_and(|(rank, _)| points < rank.points) {
                break;
            }
            let mut against = self.against(found[at].candidate, exact / 4);
            if against > exact / 4 && !with.is_empty() {
                against = self.against_together(found[at].candidate, with, exact / 4);
            }
            if against > exact / 4 {
                self.note_partly(found[at].candidate, &found[at].same);
                continue;
            }
            let rank = self.rank(points, against, &found[at]);
            if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                best = Some((rank, at));
            }
        }
        let (_, at) = best?;
        Some((at, self.open_of(&found[at])))
    }

    /// The open failures that a candidate explains.
    fn open_of(&self, found: &Found) -> Vec<usize> {
        found.same.iter().map(|(place, _)| *place).filter(|place| self.open.contains(*place)).collect()
    }

    /// Whether another fault, of another name, refuses the same: then a refusal does not say which it is. `open` has the
    /// open failures that each explains.
    fn is_ambiguous(&mut self, all: &[Found], open: &[Vec<usize>], at: usize) -> bool {
        let own = &self.candidates[all[at].candidate];
        let (name, limits) = (own.faults[0].name.clone(), own.limits());
        (0..all.len()).any(|place| {
            let other = &all[place];
            let candidate = &self.candidates[other.candidate];
            let fault = candidate.faults[0];
            // Those of a family explain a part of each other's, and so do limits.
            let is_alike = fault.id.contains("/id-mask-") || limits && candidate.limits();
            let is_other = fault.name != name && other.same.len() >= open[at].len() && !is_alike && other.other == 0;
            let is_subset = || open[at].iter().all(|own| open[place].binary_search(own).is_ok());
            is_other && is_subset() && self.against(other.candidate, 0) == 0
        })
    }

    /// How many open failures are refused with which words, in which type and direction.
    fn refused_with(&self) -> BTreeMap<(Option<&'b str>, &'b str, Op), usize> {
        let bench = self.bench;
        let mut counts = BTreeMap::new();
        for place in self.open.places() {
            *counts.entry(bench.fails[place].refused_with()).or_default() += 1;
        }
        counts
    }

    /// Its points, then what is preferred of two that explain as much: less against it, more types, a narrower fault.
    fn rank(&self, points: usize, against: usize, found: &Found) -> Rank {
        let open = self.open_of(found);
        let types: BTreeSet<&str> = open.into_iter().map(|place| self.bench.fails[place].layout()).collect();
        let candidate = &self.candidates[found.candidate];
        let about = candidate.faults.iter().map(|fault| fault.about.len()).max().unwrap_or(0);
        let about = if candidate.only.is_some() { 1 } else { about };
        let wide = if about == 0 { usize::MAX } else { about };
        let both_ways = candidate.parts.len() > 1 || candidate.parts.iter().any(|part| part.op.is_none());
        Rank {
            points: points.saturating_sub(2 * against),
            against: Reverse(against),
            types: types.len(),
            wide: Reverse(wide),
            both_ways: Reverse(both_ways),
            first: Reverse(found.candidate),
        }
    }

    /// How many tests a candidate fails that the implementation passes.
    /// Counting ends at one more than are allowed.
    fn against(&mut self, candidate: usize, allowed: usize) -> usize {
        if let Some((count, most)) = self.against.get(&candidate)
            && (*count <= *most || allowed <= *most)
        {
            return *count;
        }
        let own = &self.candidates[candidate];
        let codecs = self.bench.codecs(&own.parts);
        let against = self.own_passes(own).filter(|place| {
            let subject = &self.bench.passes[*place];
            self.bench.is_against(self.bench.answer(&own.parts, &codecs, subject), subject)
        });
        let count = against.take(allowed + 1).count();
        self.against.insert(candidate, (count, allowed));
        count
    }

    /// How many tests pass that a candidate fails alone, and together with these.
    fn against_together(&self, candidate: usize, with: &[usize], allowed: usize) -> usize {
        let own = &self.candidates[candidate];
        let all = self.parts_of(&[with, &[candidate]].concat());
        let (codecs, of_all) = (self.bench.codecs(&own.parts), self.bench.codecs(&all));
        let is_against = |parts: &[Part<'f>], codecs: &Codecs, place: usize| {
            let subject = &self.bench.passes[place];
            self.bench.is_against(self.bench.answer(parts, codecs, subject), subject)
        };
        let against = self.own_passes(own).filter(|place| is_against(&own.parts, &codecs, *place));
        against.filter(|place| is_against(&all, &of_all, *place)).take(allowed + 1).count()
    }

    /// Failures that all chosen faults together give.
    fn take_composed(&mut self) {
        for (place, at) in self.composed(&self.open.places()) {
            self.open.remove(place);
            self.chosen[at].fails.push(place);
        }
    }

    /// The failures of these that the chosen faults together give, and for each the chosen fault that it belongs to.
    fn composed(&self, places: &[usize]) -> Vec<(usize, usize)> {
        let parts = |without: Option<usize>| -> Vec<Part<'f>> {
            let others = self.chosen.iter().enumerate().filter(|(at, _)| Some(*at) != without);
            others.flat_map(|(_, chosen)| self.candidates[chosen.candidate].parts.iter().copied()).collect()
        };
        let all = parts(None);
        if all.is_empty() {
            return Vec::new();
        }
        let codecs = self.bench.codecs(&all);
        let fewer: Vec<_> = (0..self.chosen.len())
            .map(|at| {
                let parts = parts(Some(at));
                let codecs = self.bench.codecs(&parts);
                (parts, codecs)
            })
            .collect();
        let owned = places.par_iter().filter(|place| self.bench.may_be_same(**place)).filter_map(|place| {
            let subject = &self.bench.fails[*place];
            self.bench.same(&self.bench.answer(&all, &codecs, subject), subject)?;
            // The first without which the test passes; else the first without which the reply is another.
            let mut owner = None;
            for (at, (parts, codecs)) in fewer.iter().enumerate() {
                let answer = self.bench.answer(parts, codecs, subject);
                if self.bench.same(&answer, subject).is_none() {
                    let rights = !Bench::changes(&answer, subject);
                    owner = if rights { Some(at) } else { owner.or(Some(at)) };
                    if rights {
                        break;
                    }
                }
            }
            // Two that hide each other: the first that gives it alone.
            let alone = || {
                (0..self.chosen.len()).find(|at| {
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
        let case = |subject: &Subject| (subject.test.layout.clone(), subject.test.case.name.clone());
        let mut of_case: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, chosen) in self.chosen.iter().enumerate() {
            for place in &chosen.fails {
                of_case.entry(case(&self.bench.fails[*place])).or_default().push(at);
            }
        }
        let codecs: Vec<_> =
            self.chosen.iter().map(|chosen| self.bench.codecs(&self.candidates[chosen.candidate].parts)).collect();
        let owner = |place: &usize| {
            let subject = &self.bench.fails[*place];
            let own = of_case.get(&case(subject)).into_iter().flatten().copied();
            own.chain(0..self.chosen.len()).find(|at| {
                let candidate = &self.candidates[self.chosen[*at].candidate];
                candidate.is_about(subject)
                    && self.bench.same(&self.bench.answer(&candidate.parts, &codecs[*at], subject), subject).is_some()
            })
        };
        let owned: Vec<(usize, Option<usize>)> = variants.par_iter().map(|place| (*place, owner(place))).collect();
        let mut left = Vec::new();
        for (place, at) in owned {
            match at {
                Some(at) => self.chosen[at].fails.push(place),
                None => left.push(place),
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

    /// Drops each fault without which the others explain all the same: the fewest are wanted.
    fn drop_needless(&mut self) {
        let mut order: Vec<usize> = self.chosen.iter().map(|chosen| chosen.candidate).collect();
        order.sort_by_key(|candidate| {
            self.chosen.iter().find(|one| one.candidate == *candidate).map(|one| one.fails.len())
        });
        for candidate in order {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            let dropped = self.chosen.remove(at);
            match self.owners(&dropped.fails) {
                Some(owners) => owners.into_iter().for_each(|(place, owner)| self.chosen[owner].fails.push(place)),
                None => self.chosen.insert(at, dropped),
            }
        }
    }

    /// For each of these failures the chosen fault that explains it, alone or with others; `None` if one is not explained.
    fn owners(&self, places: &[usize]) -> Option<Vec<(usize, usize)>> {
        let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, chosen) in self.chosen.iter().enumerate() {
            let left: Vec<usize> = places.iter().copied().filter(|place| !owners.contains_key(place)).collect();
            owners.extend(
                self.same(&self.candidates[chosen.candidate].parts, &left).into_iter().map(|place| (place, at)),
            );
        }
        let left: Vec<usize> = places.iter().copied().filter(|place| !owners.contains_key(place)).collect();
        owners.extend(self.composed(&left));
        (owners.len() == places.len()).then(|| owners.into_iter().collect())
    }

    /// Drops each fault that is not proved, those with the least evidence first: others may explain what they spoilt.
    fn drop_disproved(&mut self) -> bool {
        let before = self.chosen.len();
        self.open.set(self.left_of_light());
        let mut order: Vec<(usize, usize)> = self.chosen.iter().map(|one| (one.fails.len(), one.candidate)).collect();
        order.sort_unstable();
        for (_, candidate) in order {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            if !self.is_proved(at) {
                let dropped = self.chosen.remove(at);
                let own: Vec<_> = dropped.fails.iter().map(|place| (*place, Match::Exact)).collect();
                self.note_partly(dropped.candidate, &own);
                self.disproved.insert(dropped.candidate);
                self.open.extend(dropped.fails);
                self.take_composed();
            }
        }
        self.chosen.len() < before
    }

    /// Whether hardly anything speaks against a fault. Variants are many of a few cases: all that one rule makes of a case
    /// count once.
    fn is_proved(&self, at: usize) -> bool {
        let own: BTreeSet<usize> = self.chosen[at].fails.iter().copied().collect();
        let changed = self.changed_otherwise(&[&self.chosen[at]], &own);
        let [weight, against] = self.weights([&own, &changed]);
        against <= weight / FOR_ONE_UNEXPLAINED
            && changed.len() <= own.len() / FOR_ONE_UNEXPLAINED
            && self.contradicted(at) * WHOLE <= weight / FOR_ONE_AGAINST
            && self.spoilt(at) * WHOLE <= weight / FOR_ONE_UNEXPLAINED
    }

    /// How many failures of cases that others explain a chosen fault makes unlike what the implementation replied.
    fn spoilt(&self, at: usize) -> usize {
        let own = self.chosen[at].candidate;
        let others: Vec<usize> = self.chosen.iter().map(|one| one.candidate).filter(|one| *one != own).collect();
        let (with, without) = (self.parts_of(&[&others[..], &[own]].concat()), self.parts_of(&others));
        let (codecs, codecs_without) = (self.bench.codecs(&with), self.bench.codecs(&without));
        let of_others = self.chosen.iter().enumerate().filter(|(place, _)| *place != at);
        let explained = of_others.flat_map(|(_, one)| one.fails.iter().copied());
        let is_light = |place: &usize| self.bench.fails[*place].is_of_case() && !self.bench.fails[*place].is_heavy();
        let explained: Vec<usize> = explained.filter(is_light).collect();
        let is_spoilt = |place: &usize| {
            let subject = &self.bench.fails[*place];
            let same = |parts: &[Part<'f>], codecs: &Codecs| {
                self.bench.same(&self.bench.answer(parts, codecs, subject), subject).is_some()
            };
            !same(&with, &codecs) && same(&without, &codecs_without)
        };
        explained.par_iter().filter(|place| is_spoilt(place)).count()
    }

    /// How much two sets of tests weigh, in thousandths of a test: of all that one rule makes of a case, each has a part.
    fn weights(&self, sets: [&BTreeSet<usize>; 2]) -> [usize; 2] {
        let mut kinds: HashMap<_, [usize; 2]> = HashMap::new();
        for (set, places) in sets.iter().enumerate() {
            for place in *places {
                let test = &self.bench.fails[*place].test;
                kinds.entry((&test.layout, &test.case.name, test.op, test.rule)).or_default()[set] += 1;
            }
        }
        [0, 1].map(|set| kinds.values().map(|counts| WHOLE * counts[set] / (counts[0] + counts[1])).sum())
    }

    /// How many tests pass that a chosen fault fails, alone and with all others.
    fn contradicted(&self, at: usize) -> usize {
        self.contradicted_of(&self.candidates[self.chosen[at].candidate])
    }

    fn contradicted_of(&self, own: &Candidate<'f>) -> usize {
        let all = self.chosen.iter().flat_map(|chosen| self.candidates[chosen.candidate].parts.iter().copied());
        let all: Vec<Part<'f>> = all.collect();
        let (codecs, of_all) = (self.bench.codecs(&own.parts), self.bench.codecs(&all));
        let is_against = |parts: &[Part<'f>], codecs: &Codecs, place: usize| {
            let subject = &self.bench.passes[place];
            self.bench.is_against(self.bench.answer(parts, codecs, subject), subject)
        };
        let passes: Vec<usize> = self.own_passes(own).chain(self.own_variants(own)).collect();
        let against = |place: &usize| is_against(&own.parts, &codecs, *place) && is_against(&all, &of_all, *place);
        passes.into_par_iter().filter(against).count()
    }

    /// A variant of each rule, type and direction that passes and that a candidate could fail.
    fn own_variants(&self, own: &Candidate<'_>) -> impl Iterator<Item = usize> {
        let variants = own.places.variants.clone();
        variants.into_iter().filter(|place| !self.bench.passes[*place].is_heavy())
    }

    /// The tests of cases that pass and that a candidate could fail.
    fn own_passes(&self, own: &Candidate<'_>) -> impl Iterator<Item = usize> {
        let limits = own.limits();
        let passes = own.places.passes.clone();
        passes.into_iter().filter(move |place| limits || !self.bench.passes[*place].is_heavy())
    }

    /// Heavy packets are only compared with what was found on the others.
    fn take_heavy(&mut self) {
        let heavy: Vec<usize> =
            (0..self.bench.fails.len()).filter(|place| self.bench.fails[*place].is_heavy()).collect();
        let taken: BTreeMap<usize, usize> = self.composed(&heavy).into_iter().collect();
        for (place, at) in &taken {
            self.chosen[*at].fails.push(*place);
        }
        // Limits show in nothing else.
        self.open.set(heavy.into_iter().filter(|place| !taken.contains_key(place)));
        self.heavy = true;
        self.choose(&[]);
    }

    /// A cause for each name of a fault.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let mut of_name: BTreeMap<&str, Vec<&Chosen>> = BTreeMap::new();
        for chosen in &self.chosen {
            of_name.entry(&self.candidates[chosen.candidate].faults[0].name).or_default().push(chosen);
        }
        of_name.into_values().map(|chosen| self.cause(&chosen)).collect()
    }

    fn cause(&self, chosen: &[&Chosen]) -> Cause {
        let first = self.candidates[chosen[0].candidate].faults[0];
        let fails: BTreeSet<usize> = chosen.iter().flat_map(|chosen| chosen.fails.iter().copied()).collect();
        let alone: BTreeSet<usize> =
            chosen.iter().flat_map(|chosen| chosen.fails[..chosen.alone].iter().copied()).collect();
        let smallest = (if alone.is_empty() { &fails } else { &alone })
            .iter()
            .map(|place| &self.bench.fails[*place])
            .min_by_key(|subject| (!subject.is_of_case(), subject.size(), subject.test.id.as_str()));
        let places = |place: &usize| &self.bench.fails[*place];
        let types: BTreeSet<&str> = fails.iter().map(places).map(Subject::layout).collect();
        let ops: BTreeSet<Op> = fails.iter().map(places).map(|subject| subject.test.op).collect();
        let is_one = |at: &usize| chosen.iter().any(|one| one.candidate == self.chosen[*at].candidate);
        let against: usize = (0..self.chosen.len()).filter(is_one).map(|at| self.contradicted(at)).sum();
        let (same, other) = (fails.len(), self.changed_otherwise(chosen, &fails).len());
        let or = chosen.iter().find_map(|one| self.or(one)).map_or_else(String::new, |other| format!(", or: {other}"));
        Cause {
            id: first.name.clone(),
            headline: self.headline(chosen) + &or,
            types: types.into_iter().map(str::to_owned).collect(),
            ops: ops.into_iter().collect(),
            tests: fails.iter().map(places).map(|subject| subject.test.id.to_string()).collect(),
            smallest: smallest.map(|subject| subject.test.id.to_string()).unwrap_or_default(),
            deadly: fails.iter().map(places).any(Subject::is_deadly),
            proof: Some(Proof { same, of: same + other + against, advice: first.advice.clone() }),
        }
    }

    /// The sentence of another fault that is as true of all its failures, and of what passes.
    fn or(&self, chosen: &Chosen) -> Option<String> {
        let own = self.candidates[chosen.candidate].sentences(self.bench.dialect);
        let is_true = |other: &&usize| {
            let other = &self.candidates[**other];
            self.same(&other.parts, &chosen.fails).len() == chosen.fails.len() && self.contradicted_of(other) == 0
        };
        let other = chosen
            .alike
            .iter()
            .filter(is_true)
            .map(|other| self.candidates[*other].sentences(self.bench.dialect).swap_remove(0));
        other.into_iter().find(|other| !own.contains(other))
    }

    /// The sentence of the fault, with the types where it is a fault of each.
    fn headline(&self, chosen: &[&Chosen]) -> String {
        let sentences: BTreeSet<String> =
            chosen.iter().flat_map(|chosen| self.candidates[chosen.candidate].sentences(self.bench.dialect)).collect();
        let mut parted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for sentence in &sentences {
            let (types, what) = sentence.split_once(": ").unwrap_or(("", sentence));
            parted.entry(what).or_default().push(types);
        }
        let said = parted.into_iter().map(|(what, types)| match types.join(", ") {
            types if types.is_empty() => what.to_owned(),
            types => format!("{types}: {what}"),
        });
        said.collect::<Vec<_>>().join("; ")
    }

    /// Failures that belong to no fault, although this one changes the reply to them.
    fn changed_otherwise(&self, chosen: &[&Chosen], own: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut changed = BTreeSet::new();
        for chosen in chosen {
            let candidate = &self.candidates[chosen.candidate];
            let codecs = self.bench.codecs(&candidate.parts);
            let about = candidate.places.fails.iter().copied();
            let open = about.filter(|place| self.open.contains(*place) && !own.contains(place));
            changed.extend(open.filter(|place| {
                let subject = &self.bench.fails[*place];
                let answer = self.bench.answer(&candidate.parts, &codecs, subject);
                Bench::changes(&answer, subject) && !Bench::ends_alike(&answer, subject)
            }));
        }
        changed
    }
}

/// Which of two candidates is better: the greater one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    points: usize,
    against: Reverse<usize>,
    types: usize,
    wide: Reverse<usize>,
    both_ways: Reverse<bool>,
    first: Reverse<usize>,
}
