//! Which candidate is chosen next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use variant_values::handshake::Op;

use super::Cover;
use super::tried::Found;
use crate::causes::bench::{Bench, Match};
use crate::fault::FaultFamily;

/// A fault that shows in nothing but refusals explains at least this part of what is refused with the same words in the
/// same types: else there is another reason for them.
const LEAST_PART: usize = 2;

impl<'b> Cover<'b, '_> {
    /// Candidates of another name that explain what one does, and of which nothing else is known.
    pub(super) fn rivals(&mut self, found: &[Found], at: usize) -> Vec<usize> {
        let name = |candidate: usize| self.candidates[candidate].faults[0].name.as_str();
        let own = &found[at];
        // Of limits, the one that was suggested says it.
        let limits = self.candidates[own.candidate].limits();
        let same = |other: &&Found| {
            !limits
                && !self.candidates[other.candidate].is_of(FaultFamily::Suggested)
                && self.candidates[other.candidate].place == self.candidates[own.candidate].place
                && name(other.candidate) != name(own.candidate)
                && other.same == own.same
                && other.other == own.other
        };
        let others: Vec<usize> = found.iter().filter(same).map(|other| other.candidate).collect();
        others.into_iter().filter(|other| self.against(*other, 0) == 0).collect()
    }

    /// The place of the best candidate, and the open failures that it explains.
    pub(super) fn best(&mut self, found: &[Found], with: &[usize]) -> Option<(usize, Vec<usize>)> {
        // What it explains is known, what speaks against it is counted only for the first.
        let (bench, refused) = (self.bench, self.refused_with());
        let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
        let opens: Vec<Vec<usize>> = found.iter().map(|own| self.open_of(own)).collect();
        for (at, own) in found.iter().enumerate() {
            let open = own.same.iter().filter(|(place, _)| self.open.contains(*place));
            let exact = open.filter(|(_, how)| !how.is_weak()).count();
            let weak = opens[at].len() - exact;
            let words: BTreeSet<_> = opens[at].iter().map(|place| bench.fails[*place].refused_with()).collect();
            let same: usize = words.into_iter().filter_map(|words| refused.get(&words)).sum();
            let is_most = weak * LEAST_PART >= same;
            if weak + exact == 0
                || exact == 0
                    && (!is_most
                        || self.is_astray(own, &opens[at])
                        || self.replied_otherwise(own.candidate) > weak / 4
                        || !self.has_bounds(own, &opens[at])
                        || self.is_ambiguous(found, &opens, at))
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

    /// Whether a candidate alone changes nothing in these but what is a declared loss: another is to blame for them.
    pub(super) fn loses_what_is_declared(&self, candidate: usize, places: &[usize]) -> bool {
        let parts = &self.candidates[candidate].parts;
        let codecs = self.bench.codecs(parts);
        places.iter().all(|place| {
            let subject = &self.bench.fails[*place];
            let answer = self.bench.answer(parts, &codecs, subject);
            Bench::changes(&answer, subject) && !self.bench.is_failed(answer, subject)
        })
    }

    /// The open failures that a candidate explains.
    fn open_of(&self, found: &Found) -> Vec<usize> {
        found.same.iter().map(|(place, _)| *place).filter(|place| self.open.contains(*place)).collect()
    }

    /// Whether a fault that refuses nothing by itself is all that is known of a type of which most is wrong: there are many
    /// reasons for that.
    fn is_astray(&self, found: &Found, open: &[usize]) -> bool {
        let has_strayed = found.same.iter().all(|(_, how)| *how == Match::Strayed);
        let mostly_works = |place: &usize| {
            let subject = &self.bench.fails[*place];
            let is_type = self.bench.dialect.layouts.id_of(subject.layout()).is_some();
            !is_type || self.bench.mostly_works(subject.layout(), subject.test.op)
        };
        has_strayed && !open.iter().all(mostly_works)
    }

    /// Whether what a limit leaves is right: of a type of which everything is refused, no limit is seen.
    fn has_bounds(&self, found: &Found, open: &[usize]) -> bool {
        let is_seen = |place: &usize| {
            let subject = &self.bench.fails[*place];
            self.bench.works(subject.layout(), subject.test.op)
        };
        !self.candidates[found.candidate].limits() || open.iter().any(is_seen)
    }

    /// Whether another fault, of another name, refuses the same: then a refusal does not say which it is. `open` has the
    /// open failures that each explains.
    fn is_ambiguous(&mut self, all: &[Found], open: &[Vec<usize>], at: usize) -> bool {
        let own = &self.candidates[all[at].candidate];
        let (name, limits) = (own.faults[0].name.clone(), own.is_of_limits());
        // Of what is true of another type there is no doubt.
        if self.chosen.iter().any(|one| self.candidates[one.candidate].faults[0].name == name) {
            return false;
        }
        (0..all.len()).any(|place| {
            let other = &all[place];
            let candidate = &self.candidates[other.candidate];
            // Those of a family explain a part of each other's, and so do limits. What was suggested says the same in other words.
            let is_alike = candidate.is_of(FaultFamily::IdMask)
                || limits && candidate.is_of_limits()
                || candidate.is_of(FaultFamily::Suggested);
            let is_other =
                candidate.faults[0].name != name && other.same.len() >= open[at].len() && !is_alike && other.other == 0;
            let is_subset = || open[at].iter().all(|own| open[place].binary_search(own).is_ok());
            is_other && is_subset() && self.against(other.candidate, 0) == 0
        })
    }

    /// How many open failures are refused with which words, in which type and direction.
    fn refused_with(&self) -> BTreeMap<(Option<&'b str>, &'b str, Op), usize> {
        let bench = self.bench;
        let mut counts = BTreeMap::new();
        for place in &self.open {
            *counts.entry(bench.fails[place].refused_with()).or_default() += 1;
        }
        counts
    }

    /// Its points, then what is preferred of two that explain as much: dropped less often for what it spoilt, less against
    /// it, more replies that are the same without a declared loss, more types, one that another type has too, one that is true
    /// of all types, one of the catalogue, a narrower fault.
    fn rank(&self, points: usize, against: usize, found: &Found) -> Rank {
        let open = self.open_of(found);
        let settled = found.same.iter().filter(|(_, how)| *how == Match::Settled).count();
        let types: BTreeSet<&str> = open.into_iter().map(|place| self.bench.fails[place].layout()).collect();
        let candidate = &self.candidates[found.candidate];
        let about = candidate.faults.iter().map(|fault| fault.about.len()).max().unwrap_or(0);
        let about = if candidate.only.is_some() { 1 } else { about };
        let wide = if about == 0 { usize::MAX } else { about };
        let both_ways = candidate.parts.len() > 1 || candidate.parts.iter().any(|part| part.op.is_none());
        Rank {
            points: points.saturating_sub(2 * against),
            spoilt: Reverse(self.spoiling.get(&found.candidate).copied().unwrap_or(0)),
            against: Reverse(against),
            settled: Reverse(settled),
            types: types.len(),
            again: self
                .chosen
                .iter()
                .any(|one| self.candidates[one.candidate].faults[0].name == candidate.faults[0].name),
            whole: candidate.only.is_none() && candidate.place.is_none(),
            known: !candidate.is_of(FaultFamily::Suggested),
            wide: Reverse(wide),
            both_ways: Reverse(both_ways),
            first: Reverse(found.candidate),
        }
    }
}

/// Which of two candidates is better: the greater one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    points: usize,
    spoilt: Reverse<usize>,
    against: Reverse<usize>,
    settled: Reverse<usize>,
    types: usize,
    again: bool,
    whole: bool,
    known: bool,
    wide: Reverse<usize>,
    both_ways: Reverse<bool>,
    first: Reverse<usize>,
}
