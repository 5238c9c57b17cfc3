//! Refusals of what is valid: for one reason, or of all that has something in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::difference::Difference;
use super::feature::{Feature, HEADER_BITS, first};
use super::group::{CONTAINERS, Causes, Cell};
use super::lack::Lack;
use crate::test::Rule;

impl Causes {
    /// Header bits that mean nothing: which of them a layout does not ignore is one cause.
    pub(super) fn header_bits(&self, keys: &mut [Difference]) {
        let authored = self.authored();
        let mut bits: BTreeMap<(Cell, bool), (BTreeSet<u32>, Vec<usize>)> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            let Some(Rule::Flag) = symptom.rule else { continue };
            let Some(bit) = symptom.bit().filter(|_| self.parent(symptom, &authored).is_none()) else { continue };
            let (found, places) = bits.entry((Self::cell(symptom), symptom.refused)).or_default();
            found.insert(bit);
            places.push(place);
        }
        let mut others = Vec::new();
        for ((cell, refused), (found, places)) in bits {
            let low = found.iter().filter(|bit| **bit < 16).count();
            let high = found.len() - low;
            let mask = match (low, high) {
                (6.., 0) => Some("8-15"),
                (6.., 8..) => Some("8-31"),
                (0, 8..) => Some("16-31"),
                _ => None,
            };
            match mask.filter(|mask| refused || *mask == "8-31") {
                Some(mask) => {
                    for place in places {
                        keys[place] = Difference::new(Lack::HeaderBits(mask.to_owned()), "");
                    }
                }
                None => others.push((cell, found, places)),
            }
        }
        // The same bits in several types are one mask, whether they are refused or change the value.
        let mut alike: BTreeMap<BTreeSet<u32>, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (cell, found, _) in &others {
            alike.entry(found.clone()).or_default().insert(Arc::clone(&cell.1));
        }
        let low = Lack::HeaderBits("8-15".to_owned());
        let whole: BTreeSet<u32> = (8..16).collect();
        let is_masked = keys.iter().any(|key| key.lack == low) || alike.get(&whole).is_some_and(|of| of.len() > 2);
        let masked = is_masked.then(|| Difference::new(low, ""));
        for (cell, mut found, places) in others {
            let several = alike.get(&found).is_some_and(|of| of.len() > 1);
            if masked.is_some() {
                found.retain(|bit| *bit > 15);
            }
            let list: Vec<String> = found.iter().map(u32::to_string).collect();
            let of = match &cell.1 {
                _ if several => "",
                of if of.ends_with("_array") => "packed array",
                of => of,
            };
            for place in places {
                let low = self.symptoms[place].bit().is_some_and(|bit| bit < 16);
                let own = Difference::new(Lack::Flag(list.join(", ")), of);
                keys[place] = masked.clone().filter(|_| low).unwrap_or(own);
            }
        }
    }

    /// Refusals: of every value of a type, or of all that have something in common, or for one reason.
    pub(super) fn refusals(&self, keys: &mut [Difference]) {
        let masked = keys.iter().find(|key| matches!(key.lack, Lack::HeaderBits(_))).cloned();
        let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            if symptom.refused && symptom.rule.is_none() {
                cells.entry(Self::cell(symptom)).or_default().push(place);
            }
        }
        for (cell, places) in &cells {
            let none: Vec<BTreeSet<Feature>> = Vec::new();
            let passed = self.passed.get(cell).map_or(&none, |passed| &passed.features);
            let of_words = |lack: &Lack| if let Lack::Refuses(words) = lack { words.clone() } else { String::new() };
            let mut by_words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for place in places {
                by_words.entry(of_words(&keys[*place].lack)).or_default().push(*place);
            }
            let most = by_words.iter().max_by_key(|(_, places)| places.len()).map(|(words, _)| words.clone());
            let other_failures = self.symptoms.iter().any(|symptom| {
                symptom.rule.is_none()
                    && !symptom.refused
                    && !matches!(symptom.difference.lack, Lack::Accepts(_))
                    && Self::cell(symptom) == *cell
            });
            if passed.is_empty() && !other_failures && !CONTAINERS.contains(&cell.1.as_ref()) {
                for place in places {
                    keys[*place] = Difference::new(Lack::RefusesAll(most.clone().unwrap_or_default()), "");
                }
                continue;
            }
            for places in by_words.values() {
                let all = |places: &[usize]| {
                    let mut features = places.iter().map(|place| self.symptoms[*place].features.clone());
                    let begin = features.next().unwrap_or_default();
                    let common = features.fold(begin, |common, other| common.intersection(&other).copied().collect());
                    let seen: BTreeSet<Feature> = passed.iter().flatten().copied().collect();
                    first(&common.difference(&seen).copied().collect())
                };
                let common = all(places).filter(|_| places.len() > 1 || passed.len() > 3);
                for place in places {
                    let flagged = self.symptoms[*place].features.contains(&HEADER_BITS);
                    match (&masked, common) {
                        (Some(mask), _) if flagged => keys[*place] = mask.clone(),
                        (_, Some((what, of))) => {
                            keys[*place] = Difference::new(Lack::RefusesWhere(what.to_owned()), of);
                        }
                        (_, None) => {}
                    }
                }
            }
        }
    }
}
