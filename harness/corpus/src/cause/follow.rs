//! Failures that follow from others: derived tests from their case, containers from what is in them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::difference::{Difference, TEXT};
use super::group::{CONTAINERS, Causes};
use super::lack::Lack;
use super::merge::is_wrong_value;
use super::symptom::Symptom;
use crate::test::Rule;
use variant_wire::handshake::Op;

impl Causes {
    /// Derived tests follow the case that they are derived from, where that fails too; containers follow what is in them.
    pub(super) fn follow(&self, keys: &mut [Difference]) {
        let authored = self.authored();
        let tails = self.lost_places(keys, &authored);
        let mut containers: BTreeMap<(&str, Op), Difference> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            let whole = matches!(key.lack, Lack::RefusesAll(_) | Lack::TypeIds | Lack::ExchangedIds(_));
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
                    && (is_vague(symptom, &keys[place]) || matches!(keys[place].lack, Lack::RefusesWhere(_)))
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
                    // The key of the dictionary is a text, before every value.
                    let text = tails.known.get(TEXT).filter(|_| rule == Rule::InDictionary && tails.anywhere);
                    keys[place] = text.cloned().unwrap_or_else(|| tails.key(&symptom.tail));
                }
                (Rule::InArray | Rule::InDictionary, None)
                    if matches!(keys[place].lack, Lack::Type(_) | Lack::Refuses(_)) =>
                {
                    keys[place].place = "value in a container".to_owned();
                }
                (Rule::SentOn, _) => {
                    if let Some(half) = self.half(symptom, keys, &authored) {
                        keys[place] = keys[half].clone();
                    }
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

    /// The authored test that says why a round trip fails: what reads the packet, or else what writes its value.
    fn half(&self, symptom: &Symptom, keys: &[Difference], authored: &HashMap<(&str, Op), usize>) -> Option<usize> {
        let halves = [Op::Decode, Op::Encode].into_iter().filter_map(|op| authored.get(&(symptom.case.as_str(), op)));
        // Good practice does not explain what is required, nor does what is declared.
        let explains =
            |place: &&usize| (symptom.amber || !self.symptoms[**place].amber) && keys[**place].lack != Lack::Declared;
        halves.copied().find(|place| explains(&place))
    }

    /// After which values the place in a container is lost, and the cause of it.
    fn lost_places(&self, keys: &[Difference], authored: &HashMap<(&str, Op), usize>) -> Tails {
        let mut tails = Tails::default();
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            match (&keys[place].lack, symptom.rule) {
                (Lack::Length | Lack::PaddingLength | Lack::FieldWidth(_) | Lack::WideRead, _) => {
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
            // A list of texts loses its place after a text.
            let texts = matches!(symptom.layout.as_ref(), "node_path" | "string_array");
            return tails.known.get(TEXT).filter(|_| texts && symptom.refused).cloned();
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
        // A container that is read otherwise, of which one type alone fails, for one reason.
        let only = || {
            let misread = !symptom.refused && !matches!(symptom.difference.lack, Lack::Elements | Lack::Keys);
            let mut wrong = leaves().filter(|_| misread).filter(|(_, key)| is_wrong_value(&key.lack));
            let first = wrong.next()?;
            wrong.all(|(_, key)| key == first.1).then_some(first)
        };
        let of_leaf = same.or_else(refused).or_else(featured).map(|(_, key)| key.clone());
        of_leaf.or_else(lost).or_else(|| only().map(|(_, key)| key.clone()))
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

/// Whether a failed container may have failed for what is in it, or before what is in it.
fn is_vague(symptom: &Symptom, key: &Difference) -> bool {
    let within = matches!(symptom.rule, Some(Rule::InArray | Rule::InDictionary));
    let vague = matches!(
        &key.lack,
        Lack::Refuses(_)
            | Lack::Unsupported(_)
            | Lack::Type(_)
            | Lack::Elements
            | Lack::Number
            | Lack::Zero
            | Lack::Field(_)
            | Lack::True
            | Lack::NoValue
    );
    vague || within && matches!(&key.lack, Lack::Keys | Lack::Text | Lack::TextEnd | Lack::HighBits(_))
}
