//! Joins the symptoms that explain each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::difference::{Difference, INTS, REALS, TEXT};
use super::feature::{Feature, HEADER_BITS, first};
use super::lack::{Accepted, Lack};
use super::symptom::{Examiner, Failure, Symptom};
use crate::Class;
use crate::test::{Rule, Test, hash};
use variant_wire::handshake::Op;

/// Why some tests fail: one fault, as far as the replies tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Its id, the same in every run in which the fault shows alike: `text-utf16-length`.
    pub id: String,
    /// What is wrong, in one sentence without a period.
    pub headline: String,
    /// The tests, in the order of the run.
    pub tests: Vec<String>,
    /// The layouts of these tests, in order.
    pub types: Vec<String>,
    /// The test with the fewest bytes; an authored one, if there is any.
    pub smallest: String,
    /// Whether all of its tests are amber.
    pub amber: bool,
}

/// Collects the failures of a run, and joins them.
#[derive(Debug, Default)]
pub struct Causes {
    symptoms: Vec<Symptom>,
    /// The authored tests that passed. What is special about them is looked for only where others are refused.
    passed: HashMap<Cell, Passed>,
    refused: BTreeSet<Cell>,
}

/// The authored tests of a cell that passed.
#[derive(Debug, Default)]
struct Passed {
    tests: Vec<Test>,
    features: Vec<BTreeSet<Feature>>,
}

/// A layout of a dialect, and an operation.
type Cell = (Arc<str>, Arc<str>, Op);

/// Layouts that have whole values within.
const CONTAINERS: [&str; 4] = ["array", "dictionary", "object", "packet"];

impl Causes {
    /// Takes a failure.
    pub fn failed(&mut self, examiner: &Examiner<'_>, failure: &Failure<'_>) {
        let symptom = examiner.symptom(failure);
        if symptom.refused && symptom.rule.is_none() {
            let cell = Self::cell(&symptom);
            if let Some(passed) = self.passed.get_mut(&cell) {
                passed.features.extend(passed.tests.drain(..).map(|test| examiner.features(&test)));
            }
            self.refused.insert(cell);
        }
        self.symptoms.push(symptom);
    }

    /// Takes a test that passed. Only authored ones of what must be accepted are looked at.
    pub fn passed(&mut self, examiner: &Examiner<'_>, test: &Test) {
        if test.rule.is_none() && matches!(test.expected.class, Class::Canonical | Class::Readable) {
            let cell = (Arc::clone(&test.dialect), Arc::clone(&test.layout), test.op);
            let refused = self.refused.contains(&cell);
            let passed = self.passed.entry(cell).or_default();
            if refused {
                passed.features.push(examiner.features(test));
            } else {
                passed.tests.push(test.clone());
            }
        }
    }

    /// The causes, those of red tests first, the most tests first.
    pub fn join(&self) -> Vec<Cause> {
        let mut keys = self.keys();
        self.follow(&mut keys);
        let mut groups: BTreeMap<Difference, Vec<&Symptom>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys) {
            groups.entry(key).or_default().push(symptom);
        }
        let mut causes: Vec<Cause> = groups.into_iter().map(|(key, symptoms)| cause(&key, &symptoms)).collect();
        causes.sort_by_cached_key(|cause| (cause.amber, std::cmp::Reverse(cause.tests.len()), cause.id.clone()));
        name_apart(&mut causes);
        causes
    }

    /// What each symptom shows, in the light of all others; containers and derived tests apart.
    fn keys(&self) -> Vec<Difference> {
        let mut keys: Vec<Difference> = self.symptoms.iter().map(|symptom| symptom.difference.clone()).collect();
        self.header_bits(&mut keys);
        self.refusals(&mut keys);
        self.counts(&mut keys);
        accepted(&mut keys);
        self.type_ids(&mut keys);
        keys
    }

    /// A count of which only some bits or bytes are read or written is one cause in each layout and operation, and explains
    /// that huge counts are accepted there, if packets that are cut are refused.
    fn counts(&self, keys: &mut [Difference]) {
        let mut narrow: BTreeMap<(String, Op), Difference> = BTreeMap::new();
        let mut cut: BTreeSet<String> = BTreeSet::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            // A width is more than bits, and few bits more than many: 65,537 of which 1 is left may have lost either.
            if let Some(width) = width(&key.lack) {
                let known = narrow.entry((key.place.clone(), symptom.op)).or_insert_with(|| key.clone());
                if Some(width) < self::width(&known.lack) {
                    *known = key.clone();
                }
            } else if matches!(key.lack, Lack::Accepts(_)) && symptom.rule == Some(Rule::TruncatedAt) {
                cut.insert(key.place.clone());
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let Some(known) = narrow.get(&(key.place.clone(), symptom.op)) else { continue };
            let huge = matches!(key.lack, Lack::Accepts(Accepted::BeyondTheEnd | Accepted::NegativeCount));
            if width(&key.lack).is_some() || huge && !cut.contains(&key.place) {
                *key = known.clone();
            }
        }
    }

    /// The authored tests that failed, by case and operation.
    fn authored(&self) -> HashMap<(&str, Op), usize> {
        let symptoms = self.symptoms.iter().enumerate().filter(|(_, symptom)| symptom.rule.is_none());
        symptoms.map(|(place, symptom)| ((symptom.case.as_str(), symptom.op), place)).collect()
    }

    /// The authored test that a derived one comes from, if both fail alike, as far as the two replies tell.
    fn parent(&self, symptom: &Symptom, authored: &HashMap<(&str, Op), usize>) -> Option<usize> {
        symptom.rule?;
        let place = authored.get(&(symptom.case.as_str(), symptom.op)).copied()?;
        let parent = &self.symptoms[place];
        let alike = parent.difference == symptom.difference
            || parent.refused && symptom.refused
            || is_wrong_value(&parent.difference.lack) && is_wrong_value(&symptom.difference.lack);
        alike.then_some(place)
    }

    /// Types that are always taken for another, or always refused: if there are several, all have the ids of another
    /// dialect.
    fn type_ids(&self, keys: &mut [Difference]) {
        let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate().filter(|(_, symptom)| symptom.rule.is_none()) {
            if !matches!(keys[place].lack, Lack::Accepts(_)) {
                cells.entry(Self::cell(symptom)).or_default().push(place);
            }
        }
        cells.retain(|cell, _| !self.passed.contains_key(cell));
        let is_other = |place: &&usize| {
            let symptom = &self.symptoms[**place];
            matches!(&symptom.difference, Difference { lack: Lack::Type(_), place } if *place == *symptom.layout)
        };
        let taken = cells.iter().filter(|(_, places)| places.iter().filter(is_other).count() * 2 > places.len());
        let taken: BTreeSet<&Arc<str>> = taken.map(|((_, layout, _), _)| layout).collect();
        let others: BTreeSet<&Lack> =
            cells.values().flatten().filter(is_other).map(|place| &keys[*place].lack).collect();
        if taken.len() < 4 || others.len() < 4 {
            return;
        }
        for place in cells.values().flatten() {
            keys[*place] = Difference::new(Lack::TypeIds, "");
        }
    }

    fn cell(symptom: &Symptom) -> Cell {
        let dialect = symptom.test.split('/').next().unwrap_or_default();
        (Arc::from(dialect), Arc::clone(&symptom.layout), symptom.op)
    }

    /// Header bits that mean nothing: which of them a layout does not ignore is one cause.
    fn header_bits(&self, keys: &mut [Difference]) {
        let authored = self.authored();
        let mut bits: BTreeMap<(Cell, bool), (BTreeSet<u32>, Vec<usize>)> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            let Some(Rule::Flag) = symptom.rule.filter(|_| !symptom.amber) else { continue };
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
        let masked = keys.iter().find(|key| key.lack == Lack::HeaderBits("8-15".to_owned())).cloned();
        for (cell, mut found, places) in others {
            if masked.is_some() {
                found.retain(|bit| *bit > 15);
            }
            let list: Vec<String> = found.iter().map(u32::to_string).collect();
            let of = if cell.1.ends_with("_array") { "packed array" } else { &cell.1 };
            for place in places {
                let low = self.symptoms[place].bit().is_some_and(|bit| bit < 16);
                let own = Difference::new(Lack::Flag(list.join(", ")), of);
                keys[place] = masked.clone().filter(|_| low).unwrap_or(own);
            }
        }
    }

    /// Refusals: of every value of a type, or of all that have something in common, or for one reason.
    fn refusals(&self, keys: &mut [Difference]) {
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

    /// Derived tests follow the case that they are derived from, where that fails too; containers follow what is in them.
    fn follow(&self, keys: &mut [Difference]) {
        let authored = self.authored();
        let tails = self.lost_places(keys, &authored);
        let mut containers: BTreeMap<(&str, Op), Difference> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            let whole = matches!(key.lack, Lack::RefusesAll(_) | Lack::TypeIds);
            if symptom.rule.is_none() && whole && matches!(symptom.layout.as_ref(), "array" | "dictionary") {
                containers.entry((symptom.layout.as_ref(), symptom.op)).or_insert_with(|| key.clone());
            }
        }
        let container = |rule, op| {
            let layout = if rule == Rule::InArray { "array" } else { "dictionary" };
            containers.get(&(layout, op)).cloned()
        };
        // Derived tests last: they follow what the authored ones have become.
        let (first, last): (Vec<usize>, Vec<usize>) =
            (0..self.symptoms.len()).partition(|place| self.symptoms[*place].rule.is_none());
        for place in first.into_iter().chain(last) {
            let symptom = &self.symptoms[place];
            let parent = authored.get(&(symptom.case.as_str(), symptom.op)).copied().filter(|parent| *parent != place);
            let Some(rule) = symptom.rule else {
                if symptom.op != Op::Encode
                    && is_vague(symptom, &keys[place])
                    && let Some(key) = self.explained(symptom, keys, &tails)
                {
                    keys[place] = key;
                }
                continue;
            };
            match (rule, parent) {
                (Rule::InArray | Rule::InDictionary, Some(parent)) if self.symptoms[parent].amber == symptom.amber => {
                    keys[place] = keys[parent].clone();
                }
                (Rule::InArray | Rule::InDictionary, _) if container(rule, symptom.op).is_some() => {
                    keys[place] = container(rule, symptom.op).unwrap_or_else(|| keys[place].clone());
                }
                (Rule::InArray | Rule::InDictionary, _)
                    if symptom.op == Op::Decode && is_vague(symptom, &keys[place]) =>
                {
                    keys[place] = tails.key(&symptom.tail);
                }
                (Rule::InArray | Rule::InDictionary, None)
                    if matches!(keys[place].lack, Lack::Type(_) | Lack::Refuses(_)) =>
                {
                    keys[place].place = "value in a container".to_owned();
                }
                (
                    Rule::FollowedByBytes | Rule::PaddingFf | Rule::Flag | Rule::AskedAgain | Rule::Weighed,
                    Some(parent),
                ) if self.parent(symptom, &authored) == Some(parent) => {
                    keys[place] = keys[parent].clone();
                }
                (Rule::FollowedByBytes, None) if symptom.refused => {
                    keys[place] = Difference::new(Lack::RefusesWhere("bytes behind it".to_owned()), "packet");
                }
                (Rule::PaddingFf, None) if symptom.refused => {
                    keys[place] = Difference::new(Lack::RefusesWhere("padding that is not zero".to_owned()), "packet");
                }
                _ => {}
            }
        }
    }

    /// After which values the place in a container is lost, and the cause of it.
    fn lost_places(&self, keys: &[Difference], authored: &HashMap<(&str, Op), usize>) -> Tails {
        let mut tails = Tails::default();
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            match (&keys[place].lack, symptom.rule) {
                (Lack::Length | Lack::PaddingLength, _) => {
                    tails.known.entry(keys[place].place.clone()).or_insert_with(|| keys[place].clone());
                }
                (_, Some(Rule::InArray | Rule::InDictionary))
                    if symptom.op == Op::Decode
                        && is_vague(symptom, &keys[place])
                        && !authored.contains_key(&(symptom.case.as_str(), symptom.op)) =>
                {
                    lost.insert(&symptom.layout);
                    tails.lacks.entry(symptom.tail.clone()).or_default().insert(keys[place].lack.clone());
                }
                _ => {}
            }
        }
        let green: BTreeSet<&str> =
            self.passed.keys().filter(|(_, _, op)| *op == Op::Decode).map(|(_, layout, _)| layout.as_ref()).collect();
        tails.anywhere = lost.len() > 4 && lost.len() * 10 >= green.len() * 6;
        tails
    }

    /// The cause of a failed container, in what it has within.
    fn explained(&self, symptom: &Symptom, keys: &[Difference], tails: &Tails) -> Option<Difference> {
        if !CONTAINERS.contains(&symptom.layout.as_ref()) {
            return None;
        }
        let within = |layout: &Arc<str>| *layout != symptom.layout && symptom.layouts.contains(layout);
        let leaves = || {
            self.symptoms
                .iter()
                .zip(keys)
                .filter(|(leaf, _)| leaf.rule.is_none() && leaf.op == symptom.op && within(&leaf.layout))
        };
        let same = leaves().find(|(leaf, _)| leaf.difference.lack == symptom.difference.lack);
        let refused = || leaves().find(|(_, key)| matches!(key.lack, Lack::RefusesAll(_)));
        let has_tail = |place: &str| {
            symptom.layouts.iter().any(|layout| {
                layout.as_ref() == place
                    || place == TEXT
                        && matches!(layout.as_ref(), "string" | "node_path" | "string_array" | "string_name")
            })
        };
        let lost = || {
            let known = tails.known.keys().find(|place| has_tail(place));
            let alike = |(place, lacks): &(&String, &BTreeSet<Lack>)| {
                has_tail(place) && lacks.contains(&symptom.difference.lack)
            };
            known.or_else(|| tails.lacks.iter().find(alike).map(|(place, _)| place)).map(|place| tails.key(place))
        };
        let has = |what: &str| symptom.features.iter().any(|(feature, _)| *feature == what);
        let featured = || leaves().find(|(_, key)| matches!(&key.lack, Lack::RefusesWhere(what) if has(what)));
        same.or_else(refused).or_else(featured).map(|(_, key)| key.clone()).or_else(lost)
    }
}

/// What ends a value after which the place is lost.
#[derive(Debug, Default)]
struct Tails {
    /// By the end of the value: the cause, where a wrong length shows it.
    known: BTreeMap<String, Difference>,
    /// By the end of the value: what the value after it lacks.
    lacks: BTreeMap<String, BTreeSet<Lack>>,
    /// Whether the place is lost after nearly everything.
    anywhere: bool,
}

impl Tails {
    fn key(&self, tail: &str) -> Difference {
        match self.known.get(tail) {
            Some(key) => key.clone(),
            None if self.anywhere => Difference::new(Lack::Place, "any value"),
            None => Difference::new(Lack::Place, tail),
        }
    }
}

/// What ends early is one cause, however it does, in each part of a value; and if it is accepted nearly everywhere, one in
/// all.
fn accepted(keys: &mut [Difference]) {
    let early = |key: &Difference| {
        let Lack::Accepts(what) = key.lack else { return false };
        matches!(what, Accepted::BeyondTheEnd | Accepted::NegativeCount | Accepted::MissingPadding)
    };
    let beyond = Lack::Accepts(Accepted::BeyondTheEnd);
    let places: BTreeSet<String> = keys.iter().filter(|key| key.lack == beyond).map(|key| key.place.clone()).collect();
    let everywhere = places.len() >= 4;
    // One counter of levels serves all containers.
    for key in keys.iter_mut().filter(|key| key.lack == Lack::Accepts(Accepted::TooDeep)) {
        key.place = "value in values".to_owned();
    }
    for key in keys.iter_mut().filter(|key| early(key)) {
        if places.contains(&key.place) {
            key.lack = beyond.clone();
        }
        if everywhere && key.lack == beyond {
            key.place = String::new();
        }
    }
}

/// How many bytes or bits of a count are left; bytes come first.
fn width(lack: &Lack) -> Option<(bool, u64)> {
    if let Lack::CountWidth(bytes) = lack {
        u64::try_from(*bytes).ok().map(|bytes| (false, bytes))
    } else if let Lack::CountBits(bits) = lack {
        Some((true, u64::from(*bits)))
    } else {
        None
    }
}

/// Whether it is a value or packet of the right type that is wrong within.
fn is_wrong_value(lack: &Lack) -> bool {
    !matches!(
        lack,
        Lack::Type(_)
            | Lack::TypeIds
            | Lack::HeaderFlags
            | Lack::Length
            | Lack::PaddingLength
            | Lack::Place
            | Lack::Prefix
            | Lack::NoValue
            | Lack::Refuses(_)
            | Lack::RefusesWhere(_)
            | Lack::RefusesAll(_)
            | Lack::HeaderBits(_)
            | Lack::Flag(_)
            | Lack::Accepts(_)
            | Lack::Crashes(_)
            | Lack::Hangs
            | Lack::Garbles(_)
            | Lack::DependsOnOrder
            | Lack::Varies
            | Lack::Resources
            | Lack::Unsupported(_)
            | Lack::Declared
            | Lack::Other(_)
    )
}

/// Whether a failed container may have failed for what is in it, or before what is in it.
fn is_vague(symptom: &Symptom, key: &Difference) -> bool {
    let within = matches!(symptom.rule, Some(Rule::InArray | Rule::InDictionary));
    let vague = matches!(
        &key.lack,
        Lack::Refuses(_) | Lack::Type(_) | Lack::Elements | Lack::Number | Lack::Zero | Lack::Field(_) | Lack::NoValue
    );
    vague || within && matches!(&key.lack, Lack::Keys | Lack::Text | Lack::TextEnd | Lack::HighBits(_))
}

fn cause(key: &Difference, symptoms: &[&Symptom]) -> Cause {
    let mut types: Vec<String> = Vec::new();
    for symptom in symptoms {
        if !types.iter().any(|layout| *layout == *symptom.layout) {
            types.push(symptom.layout.to_string());
        }
    }
    let leaves: Vec<&String> = types.iter().filter(|layout| !CONTAINERS.contains(&layout.as_str())).collect();
    let place = match (key.place.as_str(), types.as_slice()) {
        // What many types may share, and only one shows.
        (REALS | INTS, _) if leaves.len() == 1 => leaves[0].clone(),
        ("", all) if all.len() <= 4 => all.join(", "),
        ("", [one, two, three, rest @ ..]) => format!("{one}, {two}, {three} and {} more", rest.len()),
        (place, _) => place.to_owned(),
    };
    let smallest = symptoms.iter().min_by_key(|symptom| (symptom.rule.is_some(), symptom.size, &symptom.test));
    Cause {
        id: id(key),
        headline: key.lack.sentence(&place),
        tests: symptoms.iter().map(|symptom| symptom.test.clone()).collect(),
        types,
        smallest: smallest.map(|symptom| symptom.test.clone()).unwrap_or_default(),
        amber: symptoms.iter().all(|symptom| symptom.amber),
    }
}

/// `text-utf16-length`; of a long one, the beginning and a digest.
fn id(key: &Difference) -> String {
    const LONGEST: usize = 40;
    let whole = format!("{} {}", key.place, key.lack.slug());
    let parts = whole.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let slug = parts.collect::<Vec<_>>().join("-").to_lowercase();
    if slug.len() <= LONGEST {
        return slug;
    }
    let begin = slug[..LONGEST].trim_end_matches('-');
    format!("{begin}-{:04x}", hash(&whole) & 0xffff)
}

/// Two causes never have one id.
fn name_apart(causes: &mut [Cause]) {
    let mut seen = BTreeSet::new();
    for cause in causes {
        let plain = cause.id.clone();
        let mut number = 2;
        while !seen.insert(cause.id.clone()) {
            cause.id = format!("{plain}-{number}");
            number += 1;
        }
    }
}
