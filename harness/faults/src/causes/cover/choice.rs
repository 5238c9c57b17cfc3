//! Which candidate is chosen next.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Cover;
use super::tried::Found;
use crate::causes::bench::Match;

impl Cover<'_, '_> {
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
        let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
        for (at, own) in found.iter().enumerate() {
            let open = || own.same.iter().filter(|(place, _)| self.open.contains(*place));
            let exact = open().filter(|(_, how)| *how != Match::Ended).count();
            let points = exact + open().count();
            // Refusals say little: a fault that is seen in nothing else speaks of them, and has to be right in all of them.
            let is_clear = || self.candidates[own.candidate].speaks_of_refusals() && own.other == 0;
            if points > 0 && (exact > 0 || is_clear()) {
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
