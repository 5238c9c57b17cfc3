//! Refusals of what is valid: for one reason, or of all that has something in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::difference::Difference;
use crate::feature::{BEHIND, BELOW_ZERO, Feature, HEADER_BITS, first};
use crate::form::is_leaf;
use crate::group::{CONTAINERS, Causes, TypeAndOp};
use crate::keys::tells;
use crate::lack::Lack;
use crate::symptom::Symptom;
use variant_corpus::test::Rule;
use variant_wire::handshake::Op;

impl Causes {
    /// Header bits that mean nothing: which of them a layout does not ignore is one cause.
    pub(crate) fn header_bits(&self, keys: &mut [Difference]) {
        let authored = self.authored();
        let mut bits: BTreeMap<(TypeAndOp, bool), (BTreeSet<u32>, Vec<usize>)> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            let Some(Rule::Flag) = symptom.rule else { continue };
            // A mask that is the other reading's has its erratum.
            if symptom.difference.lack.erratum().is_some() {
                continue;
            }
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
    pub(crate) fn refusals(&self, keys: &mut [Difference]) {
        let masked = keys.iter().find(|key| matches!(key.lack, Lack::HeaderBits(_))).cloned();
        let mut cells: BTreeMap<TypeAndOp, Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            if symptom.refused && symptom.rule.is_none() {
                cells.entry(Self::cell(symptom)).or_default().push(place);
            }
        }
        // What every value of a type is refused with, is said of containers of that type too.
        let mut said: BTreeSet<String> = BTreeSet::new();
        let is_container = |cell: &TypeAndOp| CONTAINERS.contains(&cell.1.as_ref());
        let (containers, leaves): (Vec<_>, Vec<_>) = cells.iter().partition(|(cell, _)| is_container(cell));
        for (cell, places) in leaves.into_iter().chain(containers) {
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
            // Few packets are only sent on; what they have in common says more.
            let whole =
                cell.2 != Op::Reencode || cells.contains_key(&(Arc::clone(&cell.0), Arc::clone(&cell.1), Op::Decode));
            if whole && passed.is_empty() && !other_failures && !CONTAINERS.contains(&cell.1.as_ref()) {
                said.extend(most.clone());
                for place in places {
                    keys[*place] = Difference::new(Lack::RefusesAll(most.clone().unwrap_or_default()), "");
                }
                continue;
            }
            // All that is refused, in whatever words, if it has something in common; or else what is refused in these words.
            let all: Vec<usize> = by_words.values().flatten().copied().collect();
            let ignored = |(what, _): &Feature| {
                self.ignored
                    .iter()
                    .any(|((dialect, layout, _), name)| *dialect == cell.0 && *layout == cell.1 && name == what)
            };
            let elsewhere = self.seen(cell.2);
            let other = |feature: &Feature| ignored(feature) || elsewhere.contains(feature);
            let find = |places: &[usize]| {
                self.common(places, passed, &other).or_else(|| self.common(places, passed, &ignored))
            };
            let one = find(&all);
            for (words, places) in &by_words {
                if said.contains(words) && !words.is_empty() && is_container(cell) {
                    continue;
                }
                let common = one.or_else(|| find(places));
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

    /// Where packets with bytes behind them are refused, those of a count below zero that have such bytes are refused for them.
    pub(crate) fn refused_for_bytes_behind(&self, keys: &mut [Difference]) {
        let of = |what: &str| Lack::RefusesWhere(what.to_owned());
        let Some(behind) = keys.iter().find(|key| key.lack == of(BEHIND)).cloned() else { return };
        for (symptom, key) in self.symptoms.iter().zip(keys) {
            let has_bytes_behind = symptom.features.iter().any(|(what, _)| *what == BEHIND);
            if key.lack == of(BELOW_ZERO) && has_bytes_behind {
                *key = behind.clone();
            }
        }
    }

    /// What is special about tests that passed, of types of which others are refused.
    fn seen(&self, op: Op) -> BTreeSet<Feature> {
        let of = self.passed.iter().filter(|((.., other), _)| *other == op);
        of.flat_map(|(_, passed)| passed.features.iter().flatten().copied()).collect()
    }

    /// What is special about all of these, and about none that passed.
    fn common(
        &self,
        places: &[usize],
        passed: &[BTreeSet<Feature>],
        ignored: &dyn Fn(&Feature) -> bool,
    ) -> Option<Feature> {
        let mut features = places.iter().map(|place| self.symptoms[*place].features.clone());
        let begin = features.next()?;
        let common = features.fold(begin, |common, other| common.intersection(&other).copied().collect());
        let seen: BTreeSet<Feature> = passed.iter().flatten().copied().collect();
        let own = common.difference(&seen).filter(|feature| !ignored(feature)).copied().collect();
        first(&own).filter(|_| places.len() > 1 || passed.len() > 3)
    }

    /// What is refused in words that are said of values of many levels alone is too deep.
    pub(crate) fn deep(&self, keys: &mut [Difference]) {
        /// Fewer levels are no reason.
        const DEEP: usize = 8;
        let mut least: BTreeMap<Lack, usize> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if symptom.refused && matches!(key.lack, Lack::Refuses(_) | Lack::Unsupported(_)) {
                let least = least.entry(key.lack.clone()).or_insert(symptom.levels);
                *least = symptom.levels.min(*least);
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(symptom, _)| symptom.refused) {
            if let Some(levels) = least.get(&key.lack).filter(|levels| **levels >= DEEP) {
                debug_assert!(symptom.levels >= *levels, "the least is less");
                *key = Difference::new(Lack::RefusesDeep(*levels), "value in values");
            }
        }
    }

    /// A flag that means nothing, and is refused in some tests of a type, is what changes values in others.
    pub(crate) fn flags(&self, keys: &mut [Difference]) {
        let mut of: BTreeMap<Arc<str>, Difference> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| matches!(key.lack, Lack::Flag(_)))
        {
            of.insert(Arc::clone(&symptom.layout), key.clone());
        }
        let refused = |key: &Difference| matches!(&key.lack, Lack::RefusesWhere(what) if what == HEADER_BITS.0);
        let all = self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| refused(key));
        let known = |symptom: &Symptom| of.get(&symptom.layout).or_else(|| of.values().next()).cloned();
        let mut others =
            all.filter(|(symptom, _)| is_leaf(symptom)).map(|(symptom, _)| of.contains_key(&symptom.layout));
        if !others.all(|known| known) {
            return;
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(_, key)| refused(key)) {
            if let Some(known) = known(symptom) {
                *key = known;
            }
        }
    }

    /// What is refused elsewhere for what is special about it, is refused for that here too.
    pub(crate) fn featured(&self, keys: &mut [Difference]) {
        let where_refused = |key: &Difference| matches!(key.lack, Lack::RefusesWhere(_));
        let known: BTreeSet<Difference> = keys.iter().filter(|key| where_refused(key)).cloned().collect();
        let mut said: BTreeMap<&Lack, BTreeSet<Difference>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| where_refused(key)) {
            said.entry(&symptom.difference.lack).or_default().insert(key.clone());
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            if !matches!(key.lack, Lack::Refuses(_) | Lack::Unsupported(_)) {
                continue;
            }
            let has = |known: &&Difference| {
                let Lack::RefusesWhere(what) = &known.lack else { return false };
                symptom.features.iter().any(|(feature, of)| feature == what && *of == known.place)
            };
            // Or it is refused in words that are said of that alone.
            let alone = || said.get(&key.lack).filter(|known| known.len() == 1 && tells(&key.lack))?.first();
            if let Some(known) = known.iter().find(has).or_else(alone) {
                *key = known.clone();
            }
        }
    }
}
