//! Which candidate is chosen next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use variant_values::handshake::Op;

use super::Cover;
use super::tried::Found;
use crate::causes::bench::Match;

/// A fault that shows in nothing but refusals explains at least this part of what is refused with the same words in the
/// same types: else there is another reason for them.
const LEAST_PART: usize = 2;

impl<'b> Cover<'b, '_> {
    /// Candidates of another name that explain what one does, and of which nothing else is known.
    pub(super) fn alike(&mut self, found: &[Found], at: usize) -> Vec<usize> {
        let name = |candidate: usize| self.candidates[candidate].faults[0].name.as_str();
        let own = &found[at];
        // Of limits, the one that was suggested says it.
        let limits = self.candidates[own.candidate].limits();
        let same = |other: &&Found| {
            !limits
                && !self.candidates[other.candidate].is_suggested()
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
        for (at, own) in found.iter().enumerate() {
            let open = || own.same.iter().filter(|(place, _)| self.open.contains(*place));
            let exact = open().filter(|(_, how)| *how != Match::Ended).count();
            let weak = open().count() - exact;
            // Refusals say little: a fault that is seen in nothing else speaks of them, and has to be right in all of them.
            let words: BTreeSet<_> = open().map(|(place, _)| bench.fails[*place].refused_with()).collect();
            let alike: usize = words.into_iter().filter_map(|words| refused.get(&words)).sum();
            let speaks = || self.candidates[own.candidate].speaks_of_refusals() && weak * LEAST_PART >= alike;
            let points = (2 * exact + weak).saturating_sub(own.other / 4);
            if points > 0 && (exact > 0 || own.other == 0 && speaks()) {
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

    /// How many open failures are refused with which words, in which type and direction.
    fn refused_with(&self) -> BTreeMap<(Option<&'b str>, &'b str, Op), usize> {
        let bench = self.bench;
        let mut counts = BTreeMap::new();
        for place in &self.open {
            *counts.entry(bench.fails[place].refused_with()).or_default() += 1;
        }
        counts
    }

    /// Its points, then what is preferred of two that explain as much: dropped less often for what it spoilt, less against it, more types, one that is true of all
    /// types, one of the catalogue, one in one direction.
    fn rank(&self, points: usize, against: usize, found: &Found) -> Rank {
        let open = self.open_of(found);
        let types: BTreeSet<&str> = open.into_iter().map(|place| self.bench.fails[place].layout()).collect();
        let candidate = &self.candidates[found.candidate];
        let both_ways = candidate.parts.len() > 1 || candidate.parts.iter().any(|part| part.op.is_none());
        Rank {
            points: points.saturating_sub(2 * against),
            spoilt: Reverse(self.spoiling.get(&found.candidate).copied().unwrap_or(0)),
            against: Reverse(against),
            types: types.len(),
            whole: candidate.only.is_none() && candidate.place.is_none(),
            known: !candidate.is_suggested(),
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
    types: usize,
    whole: bool,
    known: bool,
    both_ways: Reverse<bool>,
    first: Reverse<usize>,
}
