//! Whether a fault is true: what speaks against it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use variant_corpus::test::{Rule, Test};
use variant_values::implementation::Answer;

use super::tried::PART;
use super::{Chosen, Cover};
use crate::causes::bench::{Bench, Match};
use crate::causes::candidates::Candidate;
use crate::causes::looks::{self, Look};
use crate::causes::subject::Subject;
use crate::fault::{Codecs, Part};

/// A fault may fail one test that passes for so many that it explains: of a real codec, no fault is true to the letter.
const FOR_ONE_AGAINST: usize = 20;

/// It is not true of a type and direction in which it fails so many cases that pass, and explains fewer.
const OF_ONE_TYPE: usize = 5;

/// A fault may change the reply to one test that nothing explains for so many that it explains.
const FOR_ONE_UNEXPLAINED: usize = 2;

/// A fault may spoil one reply that others explain for so many that it explains: there it is the only one to blame.
const FOR_ONE_SPOILT: usize = 12;

/// Of two faults that read what must be refused, one reads first: beside the others, a codec may give another reply to one
/// failure for so many that the fault explains.
const FOR_ONE_LOST: usize = 2;

/// So many replies may be the same to the letter by chance.
const CHANCE: usize = 4;

/// For each such reply that a fault gives to the letter, so many may look the same and be explained by nothing.
const FOR_ONE_EXACT: usize = 2;

/// What a whole test weighs.
const WHOLE: usize = 1000;

impl<'f> Cover<'_, 'f> {
    /// How many tests a candidate fails that the implementation passes.
    /// Counting ends at one more than are allowed.
    pub(super) fn against(&mut self, candidate: usize, allowed: usize) -> usize {
        if let Some((count, most)) = self.against.get(&candidate)
            && (*count <= *most || allowed <= *most)
        {
            return *count;
        }
        let own = &self.candidates[candidate];
        let codecs = self.bench.codecs(&own.parts);
        // What passes of limits are variants, mostly.
        let variants = own.limits().then(|| self.own_variants(own)).into_iter().flatten();
        let against = self.own_passes(own).into_iter().chain(variants);
        let against = against.filter(|place| self.bench.is_against(&own.parts, &codecs, *place));
        let count = against.take(allowed + 1).count();
        self.against.insert(candidate, (count, allowed));
        count
    }

    /// How many tests pass that a candidate fails alone, and together with these.
    pub(super) fn against_together(&self, candidate: usize, with: &[usize], allowed: usize) -> usize {
        let own = &self.candidates[candidate];
        let all = self.parts_of(&[with, &[candidate]].concat());
        let (codecs, of_all) = (self.bench.codecs(&own.parts), self.bench.codecs(&all));
        let against = self.own_passes(own).into_iter();
        let against = against.filter(|place| self.bench.is_against(&own.parts, &codecs, *place));
        against.filter(|place| self.bench.is_against(&all, &of_all, *place)).take(allowed + 1).count()
    }

    /// Drops each fault that is not proved, those with the least evidence first: others may explain what they spoilt.
    pub(super) fn drop_disproved(&mut self) -> bool {
        let before = self.chosen.len();
        self.open = self.left_of_light().into_iter().collect();
        for candidate in self.by_evidence() {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            let is_true = self.is_true(at);
            if !is_true || self.is_spoiling(at) {
                let dropped = self.chosen.remove(at);
                let own: Vec<_> = dropped.fails.iter().map(|place| (*place, Match::Exact)).collect();
                self.note_partly(dropped.candidate, &own);
                if is_true {
                    // What is wrong only beside another may be right without that.
                    *self.spoiling.entry(dropped.candidate).or_default() += 1;
                } else {
                    self.disproved.insert(dropped.candidate);
                }
                self.open.extend(dropped.fails);
                self.take_composed();
            }
        }
        let dropped = self.chosen.len() < before;
        if dropped {
            self.reopen();
        }
        dropped
    }

    /// Drops each fault that explains a small part of what looks the same: the rest has another reason, and so may its own.
    /// Refusals look the same if their words are, and say little; a limit of depth does not refuse what is large and flat.
    pub(super) fn drop_doubtful(&mut self) {
        for candidate in self.by_evidence() {
            let Some(at) = self.chosen.iter().position(|one| one.candidate == candidate) else { continue };
            let fails = &self.chosen[at].fails;
            let (own_name, is_placed) =
                (&self.candidates[candidate].faults[0].name, self.candidates[candidate].place.is_some());
            // What several types have is one fault, and all variants of one case may be the same by chance.
            let of_name = self.chosen.iter().filter(|one| self.candidates[one.candidate].faults[0].name == *own_name);
            let of_name: BTreeSet<usize> = of_name.flat_map(|one| one.fails.iter().copied()).collect();
            let is_of_one_case = self.cases_of(&of_name) == 1;
            let is_refused =
                fails.iter().all(|place| matches!(self.bench.fails[*place].reply(), Some(Answer::Refused(_))));
            let mut own = looks::looks(self.bench, fails, &[]);
            // What is accepted looks the same in every type.
            let is_accepted = own.iter().all(|(_, look)| look.is_accepted());
            if !is_accepted {
                own.retain(|(_, look)| !look.is_accepted());
            }
            let is_chance = own.len() <= CHANCE || is_of_one_case;
            let layout = |place: &usize| self.bench.fails[*place].layout();
            let types: BTreeSet<&str> = fails.iter().map(layout).collect();
            let is_of_one_type = self.candidates[candidate].only.is_some();
            let is_accepted_in_one = is_accepted && (is_of_one_type || types.len() == 1);
            if !(is_refused || is_chance || is_accepted_in_one) {
                continue;
            }
            // What is in another order is in one of many.
            let looks: BTreeSet<&Look> = own.iter().map(|(_, look)| look).filter(|look| !look.is_of_order()).collect();
            let mut alike = looks::looks(self.bench, &self.left(), fails);
            alike.retain(|(place, look)| {
                let is_of_types = types.contains(layout(place));
                // What is refused in one type may be refused with other words.
                let is_alike = looks.contains(look) || is_refused && is_of_one_type && is_of_types;
                is_alike && (is_of_types || !is_accepted)
            });
            let of_size = alike.iter().any(|(place, _)| self.bench.fails[*place].is_large_and_flat());
            let is_of_size = is_refused && self.candidates[candidate].limits() && of_size;
            let few = if is_accepted_in_one {
                alike.len() <= own.len()
            } else if is_refused && is_of_one_type {
                // What is true of one type is seen in nothing else.
                alike.is_empty()
            } else if is_refused {
                alike.len() < of_name.len()
            } else if is_placed {
                // What is true somewhere alone is seen in several cases, and leaves nothing there.
                !is_of_one_case && alike.is_empty()
            } else {
                alike.len() <= FOR_ONE_EXACT * own.len()
            };
            if !few || is_of_size {
                self.chosen.remove(at);
            }
        }
    }

    /// Opens the failures that nothing explains any more, because it took a fault that was dropped.
    fn reopen(&mut self) {
        for at in 0..self.chosen.len() {
            let fails = std::mem::take(&mut self.chosen[at].fails);
            let own = self.same(&self.candidates[self.chosen[at].candidate].parts, &fails);
            let (alone, others): (Vec<usize>, Vec<usize>) = fails.into_iter().partition(|place| own.contains(place));
            self.chosen[at].fails = alone;
            self.open.extend(others);
        }
        self.take_composed();
    }

    /// Whether hardly anything speaks against a fault. Variants are many of a few cases: all that one rule makes of a case
    /// count once.
    fn is_true(&self, at: usize) -> bool {
        let own: BTreeSet<usize> = self.chosen[at].fails.iter().copied().collect();
        let changed = self.changed_otherwise(&[&self.chosen[at]], &own);
        let [weight, against] = self.weights([&own, &changed]);
        against <= weight / FOR_ONE_UNEXPLAINED
            && changed.len() <= own.len() / FOR_ONE_UNEXPLAINED
            && (!self.reads_more(self.chosen[at].candidate) || self.lost_beside_others(&own) <= weight / FOR_ONE_LOST)
            && self.is_hardly_contradicted(at, weight / (WHOLE * FOR_ONE_AGAINST))
    }

    /// How many cases these failures are of.
    fn cases_of(&self, places: &BTreeSet<usize>) -> usize {
        let tests = places.iter().map(|place| self.bench.fails[*place].test);
        tests.map(|test| (&test.layout, &test.case.name)).collect::<BTreeSet<_>>().len()
    }

    /// Whether a chosen fault fails at most so many tests that pass, and not the cases of one type.
    fn is_hardly_contradicted(&self, at: usize, most: usize) -> bool {
        let against = self.against_all(&self.candidates[self.chosen[at].candidate]);
        let mut of_type: BTreeMap<_, [usize; 2]> = BTreeMap::new();
        let passes = against.iter().map(|place| (1, &self.bench.passes[*place]));
        let fails = self.chosen[at].fails.iter().map(|place| (0, &self.bench.fails[*place]));
        // What must be refused may be refused for another reason.
        let counts = |subject: &Subject<'_>| subject.is_of_case() && subject.test.expected.class.has_value();
        for (kind, subject) in fails.chain(passes).filter(|(_, subject)| counts(subject)) {
            of_type.entry((subject.layout(), subject.test.op)).or_default()[kind] += 1;
        }
        let is_false = |[explained, against]: &[usize; 2]| *against >= OF_ONE_TYPE && against > explained;
        self.kinds_of(&against) <= most && !of_type.values().any(is_false)
    }

    /// What those of these failures weigh to which a codec with all that were chosen gives another reply.
    fn lost_beside_others(&self, own: &BTreeSet<usize>) -> usize {
        let all = self.parts_of(&self.chosen.iter().map(|one| one.candidate).collect::<Vec<_>>());
        let light: Vec<usize> = own.iter().copied().filter(|place| !self.bench.fails[*place].is_heavy()).collect();
        let kept = self.same(&all, &light);
        let lost = light.into_iter().filter(|place| !kept.contains(place)).collect();
        let [weight, _] = self.weights([&lost, &BTreeSet::new()]);
        weight
    }

    /// Whether a chosen fault makes failures of cases that others explain unlike what the implementation replied: more than
    /// its own outweigh.
    fn is_spoiling(&self, at: usize) -> bool {
        let own = self.chosen[at].candidate;
        let others: Vec<usize> = self.chosen.iter().map(|one| one.candidate).filter(|one| *one != own).collect();
        let (with, without) = (self.parts_of(&[&others[..], &[own]].concat()), self.parts_of(&others));
        let (codecs, codecs_without) = (self.bench.codecs(&with), self.bench.codecs(&without));
        let of_others = self.chosen.iter().enumerate().filter(|(place, _)| *place != at);
        let explained = of_others.flat_map(|(_, one)| one.fails.iter().copied());
        let is_light = |place: &usize| {
            let subject = &self.bench.fails[*place];
            subject.is_of_case() && !subject.is_heavy() && self.candidates[own].places.fails.contains(*place)
        };
        let explained: Vec<usize> = explained.filter(is_light).collect();
        let is_spoilt = |place: &usize| {
            let subject = &self.bench.fails[*place];
            let same = |parts: &[Part<'f>], codecs: &Codecs| self.bench.try_on(parts, codecs, subject).1.is_some();
            !same(&with, &codecs) && same(&without, &codecs_without)
        };
        let spoilt = explained.par_iter().filter(|place| is_spoilt(place)).count();
        let [weight, _] = self.weights([&self.chosen[at].fails.iter().copied().collect(), &BTreeSet::new()]);
        spoilt * WHOLE > weight / FOR_ONE_SPOILT
    }

    /// How much two sets of tests weigh, in thousandths of a test: of all that one rule makes of a case, each has a part.
    fn weights(&self, sets: [&BTreeSet<usize>; 2]) -> [usize; 2] {
        let mut kinds: HashMap<_, [usize; 2]> = HashMap::new();
        for (set, places) in sets.iter().enumerate() {
            for place in *places {
                let test = self.bench.fails[*place].test;
                kinds.entry((&test.layout, &test.case.name, test.op, test.rule)).or_default()[set] += 1;
            }
        }
        [0, 1].map(|set| kinds.values().map(|counts| WHOLE * counts[set] / (counts[0] + counts[1])).sum())
    }

    /// How many tests pass that a fault fails. All variants of a rule, type and direction count once.
    pub(super) fn contradicted(&self, own: &Candidate<'f>) -> usize {
        self.kinds_of(&self.against_all(own))
    }

    /// Whether a test passes that a fault fails.
    pub(super) fn is_contradicted(&self, own: &Candidate<'f>) -> bool {
        let codecs = self.bench.codecs(&own.parts);
        self.own_passes(own).into_iter().any(|place| self.bench.is_against(&own.parts, &codecs, place))
    }

    /// The tests that pass and that a fault fails, alone and with all that are chosen.
    fn against_all(&self, own: &Candidate<'f>) -> Vec<usize> {
        let all = self.chosen.iter().flat_map(|chosen| self.candidates[chosen.candidate].parts.iter().copied());
        let all: Vec<Part<'f>> = all.collect();
        let (codecs, of_all) = (self.bench.codecs(&own.parts), self.bench.codecs(&all));
        let passes = [self.own_passes(own), self.own_variants(own)].concat();
        let is_against = |place: &usize| {
            self.bench.is_against(&own.parts, &codecs, *place) && self.bench.is_against(&all, &of_all, *place)
        };
        passes.into_par_iter().filter(is_against).collect()
    }

    fn kinds_of(&self, passes: &[usize]) -> usize {
        let tests = passes.iter().map(|place| self.bench.passes[*place].test);
        let (cases, variants): (Vec<&Test>, Vec<&Test>) = tests.partition(|test| test.rule.is_none());
        let kinds: BTreeSet<_> =
            variants.iter().map(|test| (&test.layout, test.op, test.rule.map(Rule::name))).collect();
        cases.len() + kinds.len()
    }

    /// The tests of cases that pass and that a candidate could fail.
    fn own_passes(&self, own: &Candidate<'_>) -> Vec<usize> {
        self.light(own, &own.places.passes(self.bench).of_cases)
    }

    /// A few variants of each rule, type and direction that pass and that a candidate could fail.
    fn own_variants(&self, own: &Candidate<'_>) -> Vec<usize> {
        self.light(own, &own.places.passes(self.bench).variants)
    }

    fn light(&self, own: &Candidate<'_>, places: &[usize]) -> Vec<usize> {
        let may_fail = |place: &usize| own.limits() || !self.bench.passes[*place].is_heavy();
        places.iter().copied().filter(may_fail).collect()
    }

    /// Failures that belong to no fault, although this one changes the reply to them, which does not show it.
    pub(super) fn changed_otherwise(&self, chosen: &[&Chosen], own: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut changed = BTreeSet::new();
        for chosen in chosen {
            let candidate = &self.candidates[chosen.candidate];
            let codecs = self.bench.codecs(&candidate.parts);
            // What is no reply of a codec shows nothing.
            let open = self.open_about(chosen.candidate).filter(|place| self.bench.speaks(*place));
            let may_change = |place: &usize| self.may_change(chosen.candidate, *place);
            let open: Vec<usize> = open.filter(|place| !own.contains(place) && may_change(place)).collect();
            changed.par_extend(open.into_par_iter().with_min_len(PART).filter(|place| {
                let subject = &self.bench.fails[*place];
                let answer = self.bench.answer(&candidate.parts, &codecs, subject);
                Bench::changes(&answer, subject) && !Bench::is_shown(&answer, subject)
            }));
        }
        changed
    }
}
