//! What each candidate makes of the failures, alone and beside others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use variant_values::implementation::Answer;

use super::Cover;
use crate::causes::bench::{Bench, Match};
use crate::causes::candidates::Candidate;
use crate::fault::{Codecs, Part};

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
    alone: BTreeMap<usize, Tried>,
    /// Beside others: with the number of the answer that those give.
    beside: HashMap<(usize, usize), Tried>,
}

/// Faults that touch a failure.
struct Others<'f> {
    parts: Vec<Part<'f>>,
    codecs: Codecs,
    /// Whether one reads packets in another way.
    read_otherwise: bool,
    /// Whether one makes other values.
    make_values: bool,
}

impl TriedOn {
    /// Whether it changes the reply, alone.
    fn changes(&self, place: usize) -> bool {
        self.alone.get(&place).is_some_and(|tried| tried.changes)
    }
}

impl Found {
    /// `None` if it gives the same reply to none. What was read wrongly and written rightly says nothing of a fault that
    /// does not read it so.
    fn of(candidate: usize, tried: &[(usize, Tried)], bench: &Bench<'_>) -> Option<Self> {
        let same =
            |place| tried.binary_search_by_key(&place, |(place, _)| *place).is_ok_and(|at| tried[at].1.same.is_some());
        let own = tried.iter().filter_map(|(place, tried)| Some((*place, tried.same?)));
        let same: Vec<_> = own.filter(|(place, _)| bench.fails[*place].read.is_none_or(same)).collect();
        let other = tried.iter().filter(|(_, tried)| tried.other).count();
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
        let sets: BTreeMap<usize, Others<'_>> = sets.into_iter().map(|set| (set, self.others(set))).collect();
        let answers = self.answered(&touching, &sets);
        let tried = candidates.into_par_iter().map(|candidate| {
            let may = |place: &usize| self.may_touch(candidate, *place, &sets[&touching[place]]);
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
        let mut found = Vec::new();
        for (candidate, known, mut tried) in tried {
            let new = tried[known..].iter().map(|(place, tried)| ((*place, answers[place]), *tried));
            self.tried[candidate].beside.extend(new);
            tried.sort_unstable_by_key(|(place, _)| *place);
            found.extend(Found::of(candidate, &tried, self.bench));
        }
        found
    }

    /// The same, of candidates alone.
    fn explained_alone(&mut self, candidates: &[usize]) -> Vec<Found> {
        let tried = candidates.par_iter().filter_map(|candidate| {
            let Candidate { parts, .. } = &self.candidates[*candidate];
            let known = &self.tried[*candidate].alone;
            let new: Vec<usize> = self.open_about(*candidate).filter(|place| !known.contains_key(place)).collect();
            (!new.is_empty()).then(|| (*candidate, self.try_on(parts, &self.bench.codecs(parts), &new)))
        });
        let tried: Vec<_> = tried.collect();
        for (candidate, tried) in tried {
            self.tried[candidate].alone.extend(tried);
        }
        let open = |candidate: usize| {
            let tried = |place: usize| Some((place, *self.tried[candidate].alone.get(&place)?));
            self.open.iter().filter_map(tried).collect::<Vec<_>>()
        };
        candidates.iter().filter_map(|candidate| Found::of(*candidate, &open(*candidate), self.bench)).collect()
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
        let about = self.open.intersection(&self.candidates[candidate].places.fails);
        about.filter(move |place| self.is_in(candidate, *place))
    }

    pub(super) fn parts_of(&self, candidates: &[usize]) -> Vec<Part<'f>> {
        candidates.iter().flat_map(|one| self.candidates[*one].parts.iter().copied()).collect()
    }

    /// Whether a candidate is about what a failure is: reading or writing.
    pub(super) fn is_in(&self, candidate: usize, place: usize) -> bool {
        self.candidates[candidate].is_in(self.bench.fails[place].test.op)
    }

    /// Whether a candidate may change the reply to a failure beside the others that touch it: alone it does, or it reads
    /// what others make unreadable, or it changes what others have made.
    fn may_touch(&self, candidate: usize, place: usize, others: &Others<'_>) -> bool {
        let shows = |part: &Part<'_>| {
            others.make_values && part.mutation.changes_values()
                || others.read_otherwise && part.mutation.reads.is_some()
        };
        self.reads_more(candidate)
            || self.tried[candidate].changes(place)
            || self.bench.fails[place].is_of_case() && self.candidates[candidate].parts.iter().any(shows)
    }

    /// Whether a candidate reads packets that others make unreadable.
    pub(super) fn reads_more(&self, candidate: usize) -> bool {
        self.candidates[candidate].parts.iter().any(|part| part.mutation.accepts.is_some())
    }

    /// The number of the set of these that touch each open failure: alone they change the reply. What must be refused is not
    /// changed by any of them, and may be beside one that reads it.
    fn touching(&mut self, candidates: &[usize]) -> HashMap<usize, usize> {
        let mut of_place = HashMap::new();
        for place in &self.open {
            let is_refused = matches!(self.bench.fails[place].right, Some(Answer::Refused(_)));
            let touches = |own: &usize| is_refused || self.reads_more(*own) || self.tried[*own].changes(place);
            let touching = candidates.iter().copied().filter(touches).collect();
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

    /// A codec with the faults of such a set.
    fn others(&self, set: usize) -> Others<'f> {
        let parts = self.parts_of(&self.sets[set]);
        let read_otherwise = parts.iter().any(|part| part.mutation.reads_otherwise());
        let make_values = read_otherwise || parts.iter().any(|part| part.mutation.changes_values());
        Others { codecs: self.bench.codecs(&parts), parts, read_otherwise, make_values }
    }

    /// The failures of these that a codec with these faults gives.
    pub(super) fn same(&self, parts: &[Part<'_>], places: &[usize]) -> Vec<usize> {
        let tried = self.try_on(parts, &self.bench.codecs(parts), places);
        tried.into_iter().filter(|(_, tried)| tried.same.is_some()).map(|(place, _)| place).collect()
    }

    pub(super) fn try_on(&self, parts: &[Part<'_>], codecs: &Codecs, places: &[usize]) -> Vec<(usize, Tried)> {
        let tried = places.iter().map(|place| {
            let subject = &self.bench.fails[*place];
            let (answer, same) = self.bench.try_on(parts, codecs, subject);
            let changes = Bench::changes(&answer, subject);
            let other = changes && same.is_none() && self.bench.speaks(*place);
            (*place, Tried { same, changes, other })
        });
        tried.collect()
    }
}
