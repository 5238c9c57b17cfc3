//! What each candidate makes of the failures, alone and beside others.

use std::collections::{BTreeMap, BTreeSet};

use bit_set::BitSet;
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;

use super::Cover;
use crate::causes::bench::{Bench, Match};
use crate::causes::candidates::Candidate;
use crate::fault::{Codecs, Mutation, Part};

/// So many trials are worth a thread.
pub(super) const PART: usize = 64;

/// A candidate and the open failures in which it gives the implementation's reply.
pub(super) struct Found {
    pub(super) candidate: usize,
    pub(super) same: Vec<(usize, Match)>,
    /// In how many others it changes the reply to something else.
    pub(super) other: usize,
}

/// What a candidate makes of a failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    /// Whether it gives the same reply.
    same: Option<Match>,
    /// Whether it changes the reply.
    changes: bool,
    /// Whether it changes the reply to something that the implementation does not do either.
    other: bool,
}

/// What a candidate makes of failures, by their places.
#[derive(Debug, Clone, Default)]
pub(super) struct TriedOn {
    tried: BitSet,
    /// The implementation's replies.
    same: BTreeMap<usize, Match>,
    changes: BitSet,
    other: BitSet,
    /// Beside others: with the number of the answer that those give.
    beside: HashMap<(usize, usize), Tried>,
}

impl TriedOn {
    fn note(&mut self, place: usize, Tried { same, changes, other }: Tried) {
        self.tried.insert(place);
        self.same.extend(same.map(|same| (place, same)));
        if changes {
            self.changes.insert(place);
        }
        if other {
            self.other.insert(place);
        }
    }
}

/// Faults that touch a failure.
struct Others<'f> {
    parts: Vec<Part<'f>>,
    codecs: Codecs,
    effects: Effects,
}

/// What faults do that others may see.
#[derive(Clone, Copy)]
struct Effects {
    /// Whether one reads packets in another way.
    read_otherwise: bool,
    /// Whether one makes other values.
    make_values: bool,
}

impl Effects {
    fn of<'p>(mut parts: impl Iterator<Item = &'p Part<'p>> + Clone) -> Self {
        let read_otherwise = parts.clone().any(|part| part.mutation.reads_otherwise());
        Self { read_otherwise, make_values: read_otherwise || parts.any(|part| part.mutation.changes_values()) }
    }
}

impl Found {
    /// `None` if it gives the same reply to none. What was read wrongly and written rightly says nothing of a fault that
    /// does not read it so.
    fn of(candidate: usize, all: &[(usize, Match)], other: usize, bench: &Bench<'_>) -> Option<Self> {
        let is_same = |place| all.binary_search_by_key(&place, |(place, _)| *place).is_ok();
        let same: Vec<_> =
            all.iter().copied().filter(|(place, _)| bench.fails[*place].read.is_none_or(is_same)).collect();
        (!same.is_empty()).then_some(Self { candidate, same, other })
    }
}

impl<'f> Cover<'_, 'f> {
    /// For each candidate, the open failures in which it gives the same reply, together with these. What was tried is
    /// remembered: a failure is looked at again where these give another answer to it.
    pub(super) fn explained(&mut self, with: &[usize]) -> Vec<Found> {
        let candidates = self.candidates_beside(with);
        if with.is_empty() {
            return self.explained_alone(&candidates);
        }
        let touching = self.touching(with);
        let sets: BTreeSet<usize> = touching.values().copied().collect();
        let sets: BTreeMap<usize, Others<'_>> =
            sets.into_iter().map(|set| (set, self.others(&self.sets[set]))).collect();
        let answers = self.answered(&touching, &sets);
        let mut found = Vec::new();
        for candidates in self.twins_last(&candidates) {
            let tried = candidates.into_par_iter().map(|candidate| {
                let may = |place: &usize| self.may_touch(candidate, *place, sets[&touching[place]].effects);
                let mut tried = Vec::new();
                let mut new: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                for place in self.open_about(candidate).filter(may) {
                    match self.tried[candidate].beside.get(&(place, answers[&place])) {
                        Some(known) => tried.push((place, *known)),
                        None => new.entry(touching[&place]).or_default().push(place),
                    }
                }
                let known = tried.len();
                for (set, places) in new {
                    let Others { parts, codecs, .. } = &sets[&set];
                    let own = &self.candidates[candidate].parts;
                    let parts = [parts.as_slice(), own.as_slice()].concat();
                    let changes_tables = own.iter().any(|part| part.mutation.tables.is_some());
                    let changed = changes_tables.then(|| self.bench.codecs(&parts));
                    tried.extend(self.try_on(&parts, changed.as_ref().unwrap_or(codecs), &places));
                }
                (candidate, known, tried)
            });
            let tried: Vec<_> = tried.collect();
            for (candidate, known, mut tried) in tried {
                for (place, new) in &tried[known..] {
                    for own in self.knowing(candidate, *place) {
                        self.tried[own].beside.insert((*place, answers[place]), *new);
                    }
                }
                tried.sort_unstable_by_key(|(place, _)| *place);
                let same: Vec<_> = tried.iter().filter_map(|(place, tried)| Some((*place, tried.same?))).collect();
                let other = tried.iter().filter(|(_, tried)| tried.other).count();
                found.extend(Found::of(candidate, &same, other, self.bench));
            }
        }
        found.sort_by_key(|own| own.candidate);
        found
    }

    /// The same, of candidates alone.
    fn explained_alone(&mut self, candidates: &[usize]) -> Vec<Found> {
        self.try_alone(candidates, &self.open.iter().collect::<Vec<_>>());
        let found = candidates.iter().filter_map(|candidate| {
            let tried = &self.tried[*candidate];
            let same = tried.same.iter().map(|(place, how)| (*place, *how));
            let same: Vec<_> = same.filter(|(place, _)| self.open.contains(*place)).collect();
            Found::of(*candidate, &same, tried.other.intersection(&self.open).count(), self.bench)
        });
        found.collect()
    }

    /// Tries candidates on failures that they may touch, each alone.
    pub(super) fn try_alone(&mut self, candidates: &[usize], places: &[usize]) {
        for candidates in self.twins_last(candidates) {
            let tried = candidates.into_par_iter().filter_map(|candidate| {
                let Candidate { parts, places: about, .. } = &self.candidates[candidate];
                let known = &self.tried[candidate].tried;
                let is_new = |place: &&usize| about.fails.contains(**place) && !known.contains(**place);
                let new: Vec<usize> = places.iter().filter(is_new).copied().collect();
                (!new.is_empty()).then(|| (candidate, self.try_on(parts, &self.bench.codecs(parts), &new)))
            });
            for (candidate, tried) in tried.collect::<Vec<_>>() {
                for (place, tried) in tried {
                    for own in self.knowing(candidate, place) {
                        self.tried[own].note(place, tried);
                    }
                }
            }
        }
    }

    /// A candidate, and its twin in the direction of a failure: that does the same there.
    fn knowing(&self, candidate: usize, place: usize) -> Vec<usize> {
        let is_in_one_direction = self.bench.fails[place].test.op != Op::Reencode;
        let twins = self.candidates[candidate].twins.iter().copied().filter(|_| is_in_one_direction);
        let twins = twins.filter(|twin| self.candidates[*twin].places.fails.contains(place));
        twins.chain([candidate]).collect()
    }

    /// Whether a candidate gives the same reply, alone.
    pub(super) fn is_same(&self, candidate: usize, place: usize) -> bool {
        self.tried[candidate].same.contains_key(&place)
    }

    /// Whether it was not seen that a candidate does not change the reply, alone.
    pub(super) fn may_change(&self, candidate: usize, place: usize) -> bool {
        !self.tried[candidate].tried.contains(place) || self.changes(candidate, place)
    }

    /// Whether a candidate changes the reply, alone.
    fn changes(&self, candidate: usize, place: usize) -> bool {
        self.tried[candidate].changes.contains(place)
    }

    /// In how many failures, explained or not, a candidate alone gives another reply than the implementation's.
    pub(super) fn replied_otherwise(&self, candidate: usize) -> usize {
        self.tried[candidate].other.count()
    }

    /// Those that others are known by are tried before those.
    fn twins_last(&self, candidates: &[usize]) -> [Vec<usize>; 2] {
        let (first, others) = candidates.iter().partition(|own| !self.candidates[**own].twins.is_empty());
        [first, others]
    }

    /// The candidates that may be true beside these.
    fn candidates_beside(&self, with: &[usize]) -> Vec<usize> {
        let known = |candidate: &usize| {
            let own = &self.candidates[*candidate];
            let mut chosen = self.chosen.iter().map(|chosen| &self.candidates[chosen.candidate]);
            with.contains(candidate) || self.disproved.contains(candidate) || chosen.any(|one| own.is_other_order(one))
        };
        let all = (0..self.candidates.len()).filter(|candidate| !known(candidate));
        all.filter(|candidate| !self.heavy || self.candidates[*candidate].limits()).collect()
    }

    /// The open failures that a candidate may touch.
    pub(super) fn open_about(&self, candidate: usize) -> impl Iterator<Item = usize> {
        self.open.intersection(&self.candidates[candidate].places.fails)
    }

    pub(super) fn parts_of(&self, candidates: &[usize]) -> Vec<Part<'f>> {
        candidates.iter().flat_map(|one| self.candidates[*one].parts.iter().copied()).collect()
    }

    /// Whether a candidate may change the reply to a failure beside the others that touch it: alone it does, or it reads
    /// what others make unreadable, or it changes what others have made.
    fn may_touch(&self, candidate: usize, place: usize, others: Effects) -> bool {
        self.reads_more(candidate)
            || self.changes(candidate, place)
            || self.bench.fails[place].is_of_case() && self.sees(candidate, others, Mutation::changes_values)
    }

    /// Whether a candidate changes what others make of a packet, or of a value: that it `takes`.
    fn sees(&self, candidate: usize, others: Effects, takes: fn(&Mutation) -> bool) -> bool {
        let sees = |Part { mutation, .. }: &Part<'_>| {
            others.make_values && takes(mutation) || others.read_otherwise && mutation.reads.is_some()
        };
        self.candidates[candidate].parts.iter().any(sees)
    }

    /// Whether a candidate changes the reply to a failure: alone it does, or beside one that reads what must be refused, or it
    /// changes whatever reply there is.
    fn touches(&self, candidate: usize, place: usize) -> bool {
        let is_refused = matches!(self.bench.fails[place].right, Some(Answer::Refused(_)));
        let is_of_replies = self.candidates[candidate].parts.iter().any(|part| part.mutation.answers.is_some());
        is_refused || is_of_replies || self.reads_more(candidate) || self.changes(candidate, place)
    }

    /// Whether a candidate reads packets that others make unreadable.
    pub(super) fn reads_more(&self, candidate: usize) -> bool {
        self.candidates[candidate].parts.iter().any(|part| part.mutation.accepts.is_some())
    }

    /// The places of the chosen faults that a failure may show together: those that change it, and those that see what
    /// these change.
    pub(super) fn shown_together(&self, place: usize) -> Vec<usize> {
        let about: Vec<(usize, usize)> = self
            .chosen
            .iter()
            .map(|one| one.candidate)
            .enumerate()
            .filter(|(_, own)| self.candidates[*own].places.fails.contains(place))
            .collect();
        let touching = about.iter().filter(|(_, own)| self.touches(*own, place));
        let effects = Effects::of(touching.flat_map(|(_, own)| &self.candidates[*own].parts));
        let takes = |own: &Mutation| {
            own.changes_values() || own.changes_written() || own.tables.is_some() || own.refuses.is_some()
        };
        let is_shown = |(_, own): &(usize, usize)| self.touches(*own, place) || self.sees(*own, effects, takes);
        about.into_iter().filter(is_shown).map(|(at, _)| at).collect()
    }

    /// The number of the set of these that touch each open failure.
    fn touching(&mut self, candidates: &[usize]) -> HashMap<usize, usize> {
        let mut of_place = HashMap::new();
        for place in &self.open {
            let touching = candidates.iter().copied().filter(|own| self.touches(*own, place)).collect();
            of_place.insert(place, self.sets.insert_full(touching).0);
        }
        of_place
    }

    /// The number of the answer to each failure of a codec with those that touch it: that of an earlier one that was the same.
    fn answered(
        &mut self,
        touching: &HashMap<usize, usize>,
        sets: &BTreeMap<usize, Others<'_>>,
    ) -> HashMap<usize, usize> {
        let mut numbers = HashMap::new();
        for (place, set) in touching {
            let Others { parts, codecs, .. } = &sets[set];
            let answer = self.bench.answer(parts, codecs, &self.bench.fails[*place]);
            let known = self.answers.entry(*place).or_default();
            let number = known.iter().position(|own| *own == answer).unwrap_or_else(|| {
                known.push(answer);
                known.len() - 1
            });
            numbers.insert(*place, number);
        }
        numbers
    }

    /// A codec with the faults of these.
    fn others(&self, candidates: &[usize]) -> Others<'f> {
        let parts = self.parts_of(candidates);
        Others { codecs: self.bench.codecs(&parts), effects: Effects::of(parts.iter()), parts }
    }

    /// The failures of these that a codec with these faults gives.
    pub(super) fn same(&self, parts: &[Part<'_>], places: &[usize]) -> Vec<usize> {
        let tried = self.try_on(parts, &self.bench.codecs(parts), places);
        tried.into_iter().filter(|(_, tried)| tried.same.is_some()).map(|(place, _)| place).collect()
    }

    pub(super) fn try_on(&self, parts: &[Part<'_>], codecs: &Codecs, places: &[usize]) -> Vec<(usize, Tried)> {
        let tried = places.par_iter().with_min_len(PART).map(|place| {
            let subject = &self.bench.fails[*place];
            let (answer, same) = self.bench.try_on(parts, codecs, subject);
            let changes = Bench::changes(&answer, subject);
            let other = changes && same.is_none() && self.bench.speaks(*place);
            (*place, Tried { same, changes, other })
        });
        tried.collect()
    }
}
