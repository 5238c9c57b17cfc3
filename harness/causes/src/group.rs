//! Joins the symptoms that explain each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::difference::{BASIS, Difference, INTS, REALS};
use crate::examiner::Examiner;
use crate::feature::{BEHIND, Feature, NONZERO};
use crate::keys::{accepted, ids_first, reasons, typeless, words_of_all};
use crate::lack::Lack;
use crate::merge::is_wrong_value;
use crate::symptom::{Failure, Generated, Symptom};
use variant_corpus::Class;
use variant_corpus::test::{Rule, Test, hash};
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
    /// The test with the fewest bytes: of those that are required; an authored one of a valid packet, if there is any.
    pub smallest: String,
    /// Whether all of its tests are amber.
    pub amber: bool,
    /// The tests that were not tried, because others like them crashed or did not end for this cause.
    pub skipped: Vec<String>,
}

/// Collects the failures of a run, and joins them.
#[derive(Debug, Default)]
pub struct Causes {
    pub(crate) symptoms: Vec<Symptom>,
    /// The authored tests that passed. What is special about them is looked for only where others are refused.
    pub(crate) passed: HashMap<TypeAndOp, Passed>,
    pub(crate) refused: BTreeSet<TypeAndOp>,
    /// Where bytes behind a value are passed over, and where padding that is not zero is.
    pub(crate) ignored: BTreeSet<(TypeAndOp, &'static str)>,
    /// How many malformed packets were refused.
    pub(crate) rejected: usize,
    /// The tests that were not tried: id, cell and rule.
    skipped: Vec<(String, TypeAndOp, Option<Rule>)>,
}

/// The authored tests of a cell that passed.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    tests: Vec<Test>,
    pub(crate) features: Vec<BTreeSet<Feature>>,
}

impl Passed {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.tests.len() + self.features.len()
    }
}

/// A layout of a dialect, and an operation.
pub(crate) type TypeAndOp = (Arc<str>, Arc<str>, Op);

/// What tests have in common that were not tried because others of them died.
#[derive(PartialEq, Eq, Hash)]
enum Like {
    Both(TypeAndOp, Option<Rule>),
    Cell(TypeAndOp),
    Rule(Option<Rule>),
}

/// Layouts that have whole values within.
pub(crate) const CONTAINERS: [&str; 4] = ["array", "dictionary", "object", "packet"];

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

    /// Takes a test that passed. Authored ones of what must be accepted are looked at, and what is behind a value or pads it.
    pub fn passed(&mut self, examiner: &Examiner<'_>, test: &Test) {
        let invalid = test.rule.is_none() && test.expected.class == Class::Invalid && test.op != Op::Encode;
        self.rejected += usize::from(invalid);
        let cell = || (Arc::clone(&test.dialect), Arc::clone(&test.layout), test.op);
        match test.rule {
            Some(Rule::FollowedByBytes) => self.ignored.extend([(cell(), BEHIND)]),
            Some(Rule::PaddingFf) => self.ignored.extend([(cell(), NONZERO)]),
            _ => {}
        }
        if test.rule.is_none() && matches!(test.expected.class, Class::Canonical | Class::Readable) {
            let cell = cell();
            let refused = self.refused.contains(&cell);
            let passed = self.passed.entry(cell).or_default();
            if refused {
                passed.features.push(examiner.features(test));
            } else {
                passed.tests.push(test.clone());
            }
        }
    }

    /// Takes a test that was not tried, because others like it crashed or did not end.
    pub fn skipped(&mut self, test: &Test) {
        let cell = (Arc::clone(&test.dialect), Arc::clone(&test.layout), test.op);
        self.skipped.push((test.id.to_string(), cell, test.rule));
    }

    /// The causes, those of red tests first, the most tests first.
    pub fn join(&self) -> Vec<Cause> {
        let mut keys = self.keys();
        self.follow(&mut keys);
        self.containers(&mut keys);
        self.featured(&mut keys);
        accepted(&mut keys);
        self.not_refused(&mut keys);
        ids_first(&mut keys);
        typeless(&mut keys);
        words_of_all(&mut keys);
        reasons(&mut keys);
        self.alike(&mut keys);
        self.flags(&mut keys);
        self.nothing_read(&mut keys);
        let mut skipped = self.skipped_by(&keys);
        let mut groups: BTreeMap<Difference, Vec<&Symptom>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys) {
            groups.entry(key).or_default().push(symptom);
        }
        let mut causes: Vec<Cause> = groups
            .into_iter()
            .map(|(key, symptoms)| Cause {
                skipped: skipped.remove(&key).unwrap_or_default(),
                ..cause(&key, &symptoms)
            })
            .collect();
        causes.sort_by_cached_key(|cause| (cause.amber, std::cmp::Reverse(cause.tests.len()), cause.id.clone()));
        name_apart(&mut causes);
        causes
    }

    /// The tests that were not tried, by the cause of those like them that were: of the same rule in the same cell, or else
    /// in that cell, or else of that rule.
    fn skipped_by(&self, keys: &[Difference]) -> BTreeMap<Difference, Vec<String>> {
        let mut skipped: BTreeMap<Difference, Vec<String>> = BTreeMap::new();
        if self.skipped.is_empty() {
            return skipped;
        }
        let likes = |cell: TypeAndOp, rule| [Like::Both(cell.clone(), rule), Like::Cell(cell), Like::Rule(rule)];
        let mut deaths: HashMap<Like, &Difference> = HashMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys) {
            if matches!(symptom.difference.lack, Lack::Crashes(_) | Lack::Hangs | Lack::Garbles(_)) {
                for like in likes(Self::cell(symptom), symptom.rule) {
                    deaths.entry(like).or_insert(key);
                }
            }
        }
        for (test, cell, rule) in &self.skipped {
            if let Some(key) = likes(cell.clone(), *rule).iter().find_map(|like| deaths.get(like)) {
                skipped.entry((*key).clone()).or_default().push(test.clone());
            }
        }
        skipped
    }

    /// What each symptom shows, in the light of all others; containers and derived tests apart.
    fn keys(&self) -> Vec<Difference> {
        let mut keys: Vec<Difference> = self.symptoms.iter().map(|symptom| symptom.difference.clone()).collect();
        self.errata(&mut keys);
        self.floats(&mut keys);
        self.numbers(&mut keys);
        self.both(&mut keys);
        self.header_bits(&mut keys);
        self.refusals(&mut keys);
        self.refused_for_bytes_behind(&mut keys);
        self.never_refuses(&mut keys);
        self.exchanged_ids(&mut keys);
        self.deaths(&mut keys);
        self.fields(&mut keys);
        self.headerless(&mut keys);
        self.counts(&mut keys);
        self.narrowed(&mut keys);
        self.unread_padding(&mut keys);
        self.type_ids(&mut keys);
        self.took_all(&mut keys);
        self.both_ways(&mut keys);
        self.forms(&mut keys);
        self.all_numbers(&mut keys);
        self.other_numbers(&mut keys);
        self.deep(&mut keys);
        keys
    }

    /// The authored tests that failed, by case and operation.
    pub(crate) fn authored(&self) -> HashMap<(&str, Op), usize> {
        let symptoms = self.symptoms.iter().enumerate().filter(|(_, symptom)| symptom.rule.is_none());
        symptoms.map(|(place, symptom)| ((symptom.case.as_str(), symptom.op), place)).collect()
    }

    /// The authored test that a derived one comes from, if both fail alike, as far as the two replies tell.
    pub(crate) fn parent(&self, symptom: &Symptom, authored: &HashMap<(&str, Op), usize>) -> Option<usize> {
        symptom.rule?;
        let place = authored.get(&(symptom.case.as_str(), symptom.op)).copied()?;
        let parent = &self.symptoms[place];
        let alike = parent.difference == symptom.difference
            || parent.refused && symptom.refused
            || is_wrong_value(&parent.difference.lack) && is_wrong_value(&symptom.difference.lack);
        alike.then_some(place)
    }

    pub(crate) fn cell(symptom: &Symptom) -> TypeAndOp {
        let dialect = symptom.test.split('/').next().unwrap_or_default();
        (Arc::from(dialect), Arc::clone(&symptom.layout), symptom.op)
    }
}

fn cause(key: &Difference, symptoms: &[&Symptom]) -> Cause {
    let mut types: Vec<String> = Vec::new();
    for symptom in symptoms {
        if !types.iter().any(|layout| *layout == *symptom.layout) {
            types.push(symptom.layout.to_string());
        }
    }
    let smallest = symptoms.iter().min_by_key(|symptom| {
        (symptom.amber, symptom.rule.is_some(), symptom.invalid.is_some(), symptom.size, &symptom.test)
    });
    Cause {
        id: id(key),
        headline: headline(key, &types),
        tests: symptoms.iter().map(|symptom| symptom.test.clone()).collect(),
        types,
        smallest: smallest.map(|symptom| symptom.test.clone()).unwrap_or_default(),
        amber: symptoms.iter().all(|symptom| symptom.amber),
        skipped: Vec::new(),
    }
}

/// What is wrong with values of these layouts.
fn headline(key: &Difference, types: &[String]) -> String {
    let leaves: Vec<&String> = types.iter().filter(|layout| !CONTAINERS.contains(&layout.as_str())).collect();
    let place = match (key.place.as_str(), types) {
        // What many types may share, and only one shows.
        (REALS | INTS | BASIS, _) if leaves.len() == 1 => leaves[0].clone(),
        ("", all) if all.len() <= 4 => all.join(", "),
        ("", [one, two, three, rest @ ..]) => format!("{one}, {two}, {three} and {} more", rest.len()),
        (place, _) => place.to_owned(),
    };
    key.lack.sentence(&place)
}

/// What replies in a campaign lack, joined where one fault explains several: of each the id and the headline of its cause.
/// What needs the tests that passed is left out: a campaign knows only the smallest request of each finding.
pub fn joined(found: &[Generated<'_>]) -> Vec<(String, String)> {
    let causes = Causes { symptoms: found.iter().map(Symptom::generated).collect(), ..Causes::default() };
    let mut keys: Vec<Difference> = found.iter().map(|found| found.difference.clone()).collect();
    causes.floats(&mut keys);
    causes.numbers(&mut keys);
    causes.both(&mut keys);
    causes.deaths(&mut keys);
    causes.fields(&mut keys);
    causes.headerless(&mut keys);
    causes.counts(&mut keys);
    causes.narrowed(&mut keys);
    causes.unread_padding(&mut keys);
    causes.all_numbers(&mut keys);
    causes.other_numbers(&mut keys);
    accepted(&mut keys);
    causes.not_refused(&mut keys);
    typeless(&mut keys);
    reasons(&mut keys);
    causes.alike(&mut keys);
    let mut types: BTreeMap<&Difference, Vec<String>> = BTreeMap::new();
    for (key, found) in keys.iter().zip(found) {
        let types = types.entry(key).or_default();
        if !types.iter().any(|known| known == found.layout) {
            types.push(found.layout.to_owned());
        }
    }
    keys.iter().map(|key| (id(key), headline(key, &types[key]))).collect()
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
