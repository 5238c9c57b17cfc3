//! What differences tell of each other by themselves, whatever tests show them.

use std::collections::{BTreeMap, BTreeSet};

use crate::difference::Difference;
use crate::lack::{Accepted, Lack};

/// Types that become one other type, or no value at all, are one cause: their values have no type of their own in the implementation.
pub(crate) fn typeless(keys: &mut [Difference]) {
    let mut targets: BTreeMap<Lack, BTreeSet<String>> = BTreeMap::new();
    for key in keys.iter().filter(|key| matches!(key.lack, Lack::Type(_) | Lack::NoValue)) {
        targets.entry(key.lack.clone()).or_default().insert(key.place.clone());
    }
    for key in keys.iter_mut() {
        if targets.get(&key.lack).is_some_and(|places| places.len() > 1) {
            key.place = String::new();
        }
    }
}

/// Where the ids are those of another dialect, types that become others and places that are lost follow from that.
pub(crate) fn ids_first(keys: &mut [Difference]) {
    // Of ids with fewer bits, many are those of other types.
    let cut = keys.iter().find(|key| matches!(key.lack, Lack::IdBits(_))).cloned();
    if let Some(cut) = cut {
        let follows = |lack: &Lack| matches!(lack, Lack::Type(_) | Lack::Place | Lack::TypeIds | Lack::IdBits(_));
        keys.iter_mut().filter(|key| follows(&key.lack)).for_each(|key| key.clone_from(&cut));
        return;
    }
    let Some(ids) = keys.iter().find(|key| key.lack == Lack::TypeIds).cloned() else { return };
    for key in keys.iter_mut().filter(|key| matches!(key.lack, Lack::Type(_) | Lack::Place)) {
        *key = ids.clone();
    }
}

/// What is refused for one reason is one cause, whatever its type, if the reason says something.
pub(crate) fn reasons(keys: &mut [Difference]) {
    // What one host calls not supported, it refuses elsewhere.
    let refused: BTreeSet<Lack> = keys.iter().map(|key| key.lack.clone()).collect();
    for key in keys.iter_mut().filter(|key| tells(&key.lack)) {
        let Lack::Unsupported(words) = &key.lack else { continue };
        let other = Lack::Refuses(words.clone());
        if refused.contains(&other) {
            key.lack = other;
        }
    }
    let mut places: BTreeMap<Lack, BTreeSet<String>> = BTreeMap::new();
    for key in
        keys.iter().filter(|key| matches!(&key.lack, Lack::Refuses(_) | Lack::Unsupported(_)) && tells(&key.lack))
    {
        places.entry(key.lack.clone()).or_default().insert(key.place.clone());
    }
    for key in keys {
        if places.get(&key.lack).is_some_and(|places| places.len() > 1) {
            key.place = String::new();
        }
    }
}

/// Where every value of a type is refused, others are refused in the same words because that type is in them.
pub(crate) fn words_of_all(keys: &mut [Difference]) {
    let all: BTreeMap<String, Difference> = keys
        .iter()
        .filter_map(
            |key| if let Lack::RefusesAll(words) = &key.lack { Some((words.clone(), key.clone())) } else { None },
        )
        .filter(|(words, _)| words.split_whitespace().filter(|word| *word != "…").count() > 1)
        .collect();
    for key in keys.iter_mut() {
        let known = if let Lack::Refuses(words) = &key.lack { all.get(words).cloned() } else { None };
        if let Some(known) = known {
            *key = known;
        }
    }
}

/// Whether the words of a refusal tell anything.
pub(crate) fn tells(lack: &Lack) -> bool {
    let (Lack::Refuses(words) | Lack::RefusesAll(words) | Lack::Unsupported(words)) = lack else { return false };
    words.split_whitespace().filter(|word| *word != "…").count() > 2
}

/// What ends early is one cause, however it does, in each part of a value; and if it is accepted nearly everywhere, one in
/// all.
pub(crate) fn accepted(keys: &mut [Difference]) {
    let early = |key: &Difference| {
        let Lack::Accepts(what) = key.lack else { return false };
        matches!(what, Accepted::BeyondTheEnd | Accepted::NegativeCount | Accepted::MissingPadding)
    };
    let beyond = Lack::Accepts(Accepted::BeyondTheEnd);
    let places: BTreeSet<String> = keys.iter().filter(|key| key.lack == beyond).map(|key| key.place.clone()).collect();
    let negative = Lack::Accepts(Accepted::NegativeCount);
    let below: BTreeSet<String> = keys
        .iter()
        .filter(|key| key.lack == negative && !places.contains(&key.place))
        .map(|key| key.place.clone())
        .collect();
    let everywhere = places.len() >= 4;
    // One counter of levels serves all containers.
    for key in keys.iter_mut().filter(|key| key.lack == Lack::Accepts(Accepted::TooDeep)) {
        key.place = "value in values".to_owned();
    }
    // One table of ids serves all headers, and the types of elements.
    let unknown = Difference::new(Lack::Accepts(Accepted::UnknownType), "header");
    let is_known = keys.contains(&unknown);
    for key in keys.iter_mut().filter(|key| is_known && key.lack == unknown.lack) {
        *key = unknown.clone();
    }
    for key in keys.iter_mut().filter(|key| early(key)) {
        if places.contains(&key.place) {
            key.lack = beyond.clone();
        }
        if below.len() >= 3 && key.lack == negative {
            key.place = String::new();
        }
        if everywhere && key.lack == beyond {
            key.place = String::new();
        }
    }
}
