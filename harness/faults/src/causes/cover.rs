//! Covers failures with the fewest faults: singly, then together with those that were chosen.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use variant_values::handshake::Op;

use super::bench::{Bench, Match, Subject};
use super::{Cause, Proof};
use crate::fault::{Codecs, Fault, Part};

/// One fault, in one direction or both: what a cover is chosen from.
struct Candidate<'f> {
    /// Two where reader and writer are two faults of one name.
    faults: Vec<&'f Fault>,
    parts: Vec<Part<'f>>,
}

/// A candidate and the open failures in which it gives the implementation's reply.
struct Found {
    candidate: usize,
    same: Vec<(usize, Match)>,
    /// In how many others it changes the reply to something else.
    other: usize,
}

/// The failures in which a candidate gives the same reply, and all in which it changes the reply.
struct Tried {
    same: Vec<(usize, Match)>,
    changed: Vec<usize>,
}

/// A fault that was chosen.
struct Chosen {
    candidate: usize,
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
    open: BTreeSet<usize>,
    /// How many passing tests a candidate fails, and up to how many they were counted.
    against: BTreeMap<usize, (usize, usize)>,
    /// Whether heavy packets are looked at: only faults that limit something are tried on them.
    heavy: bool,
    /// The failures whose reply each candidate changes alone.
    touched: Vec<BTreeSet<usize>>,
}

/// A fault that shows in nothing but refusals explains at least this part of what is refused with the same words: else
/// there is another reason for them.
const LEAST_PART: usize = 10;

/// A fault may fail one test that passes for so many that it explains: of a real codec, no fault is true to the letter.
const FOR_ONE_AGAINST: usize = 20;

/// A fault may change the reply to one test that nothing explains for so many that it explains.
const FOR_ONE_UNEXPLAINED: usize = 2;

/// An implementation has at most this many faults: one that replies at random has none.
const MOST_CHOSEN: usize = 80;

/// How often more faults are looked for beside those that were found.
const ROUNDS: usize = 6;

impl<'b, 'f> Cover<'b, 'f> {
    pub(super) fn of(bench: &'b Bench<'b>, faults: &'f [Fault]) -> Self {
        let candidates = candidates(faults);
        let touched = vec![BTreeSet::new(); candidates.len()];
        let mut cover = Self {
            bench,
            candidates,
            chosen: Vec::new(),
            disproved: BTreeSet::new(),
            open: BTreeSet::new(),
            against: BTreeMap::new(),
            touched,
            heavy: false,
        };
        cover.explain(&cover.left_of_light());
        cover.drop_needless();
        if cover.drop_disproved() {
            cover.explain(&cover.left_of_light());
            cover.drop_disproved();
        }
        cover.take_heavy();
        cover
    }

    /// Chooses faults that explain these failures: those of cases first, then what they leave of the variants.
    fn explain(&mut self, fails: &[usize]) {
        let of_cases = |place: &&usize| self.bench.fails[**place].is_of_case();
        let (of_cases, variants): (Vec<usize>, Vec<usize>) = fails.iter().partition(of_cases);
        self.open = of_cases.into_iter().collect();
        self.choose(&[]);
        self.compose();
        let left = self.take_variants(&variants);
        self.open.extend(self.samples(&left));
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
            let Found { candidate, .. } = found.swap_remove(at);
            for place in &same {
                self.open.remove(place);
            }
            self.take(candidate, same, with.is_empty());
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

    fn take(&mut self, candidate: usize, same: Vec<usize>, alone: bool) {
        let own = self.chosen.iter_mut().find(|chosen| chosen.candidate == candidate);
        let count = if alone { same.len() } else { 0 };
        match own {
            None => self.chosen.push(Chosen { candidate, fails: same, alone: count }),
            Some(own) if alone => {
                own.fails.splice(own.alone..own.alone, same);
                own.alone += count;
            }
            Some(own) => own.fails.extend(same),
        }
    }

    /// For each candidate, the open failures in which it gives the same reply, together with these.
    fn explained(&mut self, with: &[usize]) -> Vec<Found> {
        let known = |candidate: &usize| with.contains(candidate) || self.disproved.contains(candidate);
        let all = (0..self.candidates.len()).into_par_iter().filter(|candidate| !known(candidate));
        let all = all.filter(|candidate| !self.heavy || self.candidates[*candidate].limits());
        let tried = all.filter_map(|candidate| {
            let about = self.candidates[candidate].places(|about| self.bench.fails_about(about));
            let open = about.into_iter().filter(|place| self.open.contains(place));
            let open: Vec<usize> = open.filter(|place| with.is_empty() || self.may_touch(candidate, *place)).collect();
            (!open.is_empty()).then(|| (candidate, self.try_on(&self.together(candidate, with), &open)))
        });
        let tried: Vec<(usize, Tried)> = tried.collect();
        let mut found = Vec::new();
        for (candidate, Tried { same, changed }) in tried {
            let other = changed.len().saturating_sub(same.len());
            if with.is_empty() {
                self.touched[candidate].extend(changed);
            }
            if !same.is_empty() {
                found.push(Found { candidate, same, other });
            }
        }
        found
    }

    /// Whether a candidate may change a reply beside others: it does so alone, or it reads what others make unreadable,
    /// or it changes values, which others may have made of others.
    fn may_touch(&self, candidate: usize, place: usize) -> bool {
        let is_of_values = |part: &Part<'_>| part.mutation.decoded.is_some() || part.mutation.encoded.is_some();
        let parts = &self.candidates[candidate].parts;
        parts.iter().any(|part| part.mutation.accepts.is_some())
            || self.touched[candidate].contains(&place)
            || self.bench.fails[place].is_of_case() && parts.iter().any(is_of_values)
    }

    fn together(&self, candidate: usize, with: &[usize]) -> Vec<Part<'f>> {
        with.iter().chain([&candidate]).flat_map(|one| self.candidates[*one].parts.iter().copied()).collect()
    }

    fn same(&self, parts: &[Part<'_>], places: &[usize]) -> Vec<(usize, Match)> {
        self.try_on(parts, places).same
    }

    fn try_on(&self, parts: &[Part<'_>], places: &[usize]) -> Tried {
        let codecs = self.bench.codecs(parts);
        let (mut same, mut changed) = (Vec::new(), Vec::new());
        for place in places {
            let subject = &self.bench.fails[*place];
            let answer = self.bench.answer(parts, &codecs, subject);
            same.extend(self.bench.same(&answer, subject).map(|how| (*place, how)));
            if Bench::changes(&answer, subject) {
                changed.push(*place);
            }
        }
        Tried { same, changed }
    }

    /// The place of the best candidate, and the open failures that it explains.
    fn best(&mut self, found: &[Found], with: &[usize]) -> Option<(usize, Vec<usize>)> {
        // What it explains is known, what speaks against it is counted only for the first.
        let (bench, refused) = (self.bench, self.refused_with());
        let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
        let opens: Vec<BTreeSet<usize>> = found.iter().map(|own| self.open_of(own)).collect();
        for (at, own) in found.iter().enumerate() {
            let open = own.same.iter().filter(|(place, _)| opens[at].contains(place));
            let exact = open.filter(|(_, how)| *how == Match::Exact).count();
            let weak = opens[at].len() - exact;
            let first = opens[at].first();
            let alike = first.and_then(|first| refused.get(&bench.fails[*first].refused_with()));
            if weak + exact == 0
                || exact == 0
                    && (alike.is_none_or(|alike| weak * LEAST_PART < *alike) || self.is_ambiguous(found, &opens, at))
            {
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
                continue;
            }
            let rank = self.rank(points, against, &found[at]);
            if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                best = Some((rank, at));
            }
        }
        let (_, at) = best?;
        let same = found[at].same.iter().map(|(place, _)| *place).filter(|place| self.open.contains(place));
        Some((at, same.collect()))
    }

    /// The open failures that a candidate explains.
    fn open_of(&self, found: &Found) -> BTreeSet<usize> {
        found.same.iter().map(|(place, _)| *place).filter(|place| self.open.contains(place)).collect()
    }

    /// Whether another fault, of another name, refuses the same: then a refusal does not say which it is. `open` has the
    /// open failures that each explains.
    fn is_ambiguous(&mut self, all: &[Found], open: &[BTreeSet<usize>], at: usize) -> bool {
        let own = &self.candidates[all[at].candidate];
        let (name, limits) = (own.faults[0].name.clone(), own.limits());
        (0..all.len()).any(|place| {
            let other = &all[place];
            let candidate = &self.candidates[other.candidate];
            let fault = candidate.faults[0];
            // Those of a family explain a part of each other's, and so do limits.
            let is_alike = fault.id.contains("/id-mask-") || limits && candidate.limits();
            let is_other = fault.name != name && other.same.len() >= open[at].len() && !is_alike && other.other == 0;
            is_other && open[at].is_subset(&open[place]) && self.against(other.candidate, 0) == 0
        })
    }

    /// How many open failures are refused with which words.
    fn refused_with(&self) -> BTreeMap<Option<&'b str>, usize> {
        let bench = self.bench;
        let mut counts = BTreeMap::new();
        for place in &self.open {
            *counts.entry(bench.fails[*place].refused_with()).or_default() += 1;
        }
        counts
    }

    /// Its points, then what is preferred of two that explain as much: less against it, more types, a narrower fault.
    fn rank(&self, points: usize, against: usize, found: &Found) -> Rank {
        let open = found.same.iter().map(|(place, _)| *place).filter(|place| self.open.contains(place));
        let types: BTreeSet<&str> = open.map(|place| self.bench.fails[place].layout()).collect();
        let candidate = &self.candidates[found.candidate];
        let about = candidate.faults.iter().map(|fault| fault.about.len()).max().unwrap_or(0);
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
        let all = self.together(candidate, with);
        let (codecs, of_all) = (self.bench.codecs(&own.parts), self.bench.codecs(&all));
        let is_against = |parts: &[Part<'f>], codecs: &Codecs, place: usize| {
            let subject = &self.bench.passes[place];
            self.bench.is_against(self.bench.answer(parts, codecs, subject), subject)
        };
        let against = self.own_passes(own).filter(|place| is_against(&own.parts, &codecs, *place));
        against.filter(|place| is_against(&all, &of_all, *place)).take(allowed + 1).count()
    }

    /// Failures that all chosen faults together give: each goes to the first without which the reply is another.
    fn take_composed(&mut self) {
        let places: Vec<usize> = self.open.iter().copied().collect();
        for (place, at) in self.composed(&places) {
            self.open.remove(&place);
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
        let owned = places.par_iter().filter_map(|place| {
            let subject = &self.bench.fails[*place];
            self.bench.same(&self.bench.answer(&all, &codecs, subject), subject)?;
            let needed = |(parts, codecs): &(Vec<Part<'f>>, _)| {
                self.bench.same(&self.bench.answer(parts, codecs, subject), subject).is_none()
            };
            let owner = fewer.iter().position(needed);
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
                self.same(&self.candidates[chosen.candidate].parts, &left).into_iter().map(|(place, _)| (place, at)),
            );
        }
        let left: Vec<usize> = places.iter().copied().filter(|place| !owners.contains_key(place)).collect();
        owners.extend(self.composed(&left));
        (owners.len() == places.len()).then(|| owners.into_iter().collect())
    }

    /// Drops each fault that is not proved, those with the least evidence first: others may explain what they spoilt.
    fn drop_disproved(&mut self) -> bool {
        let before = self.chosen.len();
        self.open = self.left_of_light().into_iter().collect();
        let mut order: Vec<(usize, usize)> = self.chosen.iter().map(|one| (one.fails.len(), one.candidate)).collect();
        order.sort_unstable();
        for (_, candidate) in order {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            if !self.is_proved(at) {
                let dropped = self.chosen.remove(at);
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
        let weight = self.weight(&own);
        self.weight(&changed) <= weight / FOR_ONE_UNEXPLAINED
            && changed.len() <= own.len() / FOR_ONE_UNEXPLAINED
            && self.contradicted(at) <= weight / FOR_ONE_AGAINST
    }

    fn weight(&self, places: &BTreeSet<usize>) -> usize {
        let kind = |place: &usize| {
            let test = &self.bench.fails[*place].test;
            (&test.layout, &test.case.name, test.op, test.rule)
        };
        places.iter().map(kind).collect::<std::collections::HashSet<_>>().len()
    }

    /// How many tests pass that a chosen fault fails, alone and with all others.
    fn contradicted(&self, at: usize) -> usize {
        let own = &self.candidates[self.chosen[at].candidate];
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
        let mut seen = BTreeSet::new();
        let places = own.places(|about| self.bench.passes_about(about));
        places.into_iter().filter(move |place| {
            let Subject { test, .. } = &self.bench.passes[*place];
            let kind = (test.layout.to_string(), test.op, test.rule.map(variant_corpus::test::Rule::name));
            test.rule.is_some() && !self.bench.passes[*place].is_heavy() && seen.insert(kind)
        })
    }

    /// The tests of cases that pass and that a candidate could fail.
    fn own_passes(&self, own: &Candidate<'_>) -> impl Iterator<Item = usize> {
        let limits = own.limits();
        let places = own.places(|about| self.bench.passes_about(about));
        places.into_iter().filter(move |place| {
            let subject = &self.bench.passes[*place];
            subject.is_of_case() && (limits || !subject.is_heavy())
        })
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
        self.open = heavy.into_iter().filter(|place| !taken.contains_key(place)).collect();
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
        Cause {
            id: first.name.clone(),
            headline: self.headline(chosen),
            types: types.into_iter().map(str::to_owned).collect(),
            ops: ops.into_iter().collect(),
            tests: fails.iter().map(places).map(|subject| subject.test.id.to_string()).collect(),
            smallest: smallest.map(|subject| subject.test.id.to_string()).unwrap_or_default(),
            deadly: fails.iter().map(places).any(Subject::is_deadly),
            proof: Some(Proof { same, of: same + other + against, advice: first.advice.clone() }),
        }
    }

    /// The sentence of the fault, with the types where it is a fault of each.
    fn headline(&self, chosen: &[&Chosen]) -> String {
        let faults = || chosen.iter().flat_map(|chosen| self.candidates[chosen.candidate].faults.iter());
        let sentences: BTreeSet<&str> = faults().map(|fault| fault.description.as_str()).collect();
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
            let about = candidate.places(|about| self.bench.fails_about(about));
            let open = about.into_iter().filter(|place| self.open.contains(place) && !own.contains(place));
            changed.extend(open.filter(|place| {
                let subject = &self.bench.fails[*place];
                Bench::changes(&self.bench.answer(&candidate.parts, &codecs, subject), subject)
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

impl Candidate<'_> {
    fn places(&self, of: impl Fn(&[std::sync::Arc<str>]) -> Vec<usize>) -> Vec<usize> {
        of(&self.faults[0].about)
    }

    /// Whether it is a limit of how deep, long or many something may be.
    fn limits(&self) -> bool {
        self.faults.iter().any(|fault| fault.mutation.refuses.is_some() || fault.id.contains("/depth/"))
    }

    fn is_about(&self, subject: &Subject) -> bool {
        let about = &self.faults[0].about;
        about.is_empty() || about.iter().any(|layout| subject.test.layouts.contains(layout))
    }
}

/// Every fault in each of its directions, and in both.
fn candidates(faults: &[Fault]) -> Vec<Candidate<'_>> {
    let mut of_id: BTreeMap<&str, Vec<&Fault>> = BTreeMap::new();
    let mut ids: Vec<&str> = Vec::new();
    for fault in faults {
        let id = fault.id.rsplit_once(':').map_or(fault.id.as_str(), |(id, _)| id);
        let same = of_id.entry(id).or_default();
        if same.is_empty() {
            ids.push(id);
        }
        same.push(fault);
    }
    let mut candidates = Vec::new();
    for id in ids {
        let same = of_id.remove(id).unwrap_or_default();
        if same.len() > 1 {
            candidates.push(Candidate { parts: same.iter().map(|fault| fault.part()).collect(), faults: same.clone() });
        }
        for fault in same {
            let ops = match (fault.op, fault.mutation.directions()) {
                (None, (true, true)) => vec![None, Some(Op::Decode), Some(Op::Encode)],
                (op, _) => vec![op],
            };
            for op in ops {
                let parts = vec![Part { op, ..fault.part() }];
                candidates.push(Candidate { parts, faults: vec![fault] });
            }
        }
    }
    candidates
}
