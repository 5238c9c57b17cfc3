//! Failures that follow from others: derived tests from their case, containers from what is in them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::difference::Difference;
use crate::group::{CONTAINERS, Causes};
use crate::lack::Lack;
use crate::merge::is_wrong_value;
use crate::symptom::Symptom;
use variant_corpus::test::Rule;
use variant_wire::handshake::Op;

impl Causes {
    /// Derived tests follow the case that they are derived from, where that fails too; containers follow what is in them.
    pub(crate) fn follow(&self, keys: &mut [Difference]) {
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
            let of_container = match symptom.rule {
                Some(rule @ (Rule::InArray | Rule::InDictionary)) => container(rule, symptom.op),
                _ => None,
            };
            let half = if symptom.rule == Some(Rule::SentOn) { self.half(symptom, keys, &authored) } else { None };
            let same = parent.filter(|parent| repeats(symptom, &self.symptoms[*parent]));
            let followed = match (symptom.rule, parent) {
                (Some(_), _) if same.is_some() => same.map(|parent| keys[parent].clone()),
                (Some(Rule::InArray | Rule::InDictionary), Some(parent))
                    if self.symptoms[parent].amber == symptom.amber =>
                {
                    Some(keys[parent].clone())
                }
                (Some(Rule::FollowedByBytes | Rule::PaddingFf | Rule::Flag | Rule::AskedAgain), Some(parent))
                    if self.parent(symptom, &authored) == Some(parent) =>
                {
                    Some(keys[parent].clone())
                }
                _ => of_container.or_else(|| half.map(|half| keys[half].clone())),
            };
            let followed = followed.or_else(|| tails.explain(symptom, &keys[place]));
            let followed = followed.or_else(|| match (symptom.rule, parent) {
                (None, _) => self.explained(symptom, &keys[place], keys),
                (Some(Rule::InArray | Rule::InDictionary), None)
                    if matches!(keys[place].lack, Lack::Type(_) | Lack::Refuses(_)) =>
                {
                    Some(Difference::new(keys[place].lack.clone(), "value in a container"))
                }
                (Some(Rule::FollowedByBytes), None) if symptom.refused => {
                    Some(Difference::new(Lack::RefusesWhere("bytes after it".to_owned()), "packet"))
                }
                (Some(Rule::PaddingFf), None) if symptom.refused => {
                    Some(Difference::new(Lack::RefusesWhere("padding that is not zero".to_owned()), "packet"))
                }
                _ => None,
            });
            if let Some(followed) = followed {
                keys[place] = followed;
            }
        }
    }

    /// What a part of a container shows, and no such part alone, is what most failures of these containers show.
    pub(crate) fn containers(&self, keys: &mut [Difference]) {
        let is_container = |symptom: &Symptom| CONTAINERS.contains(&symptom.layout.as_ref());
        let wrong = |lack: &Lack| is_wrong_value(lack) || matches!(lack, Lack::Type(_));
        let mut alone: BTreeSet<Difference> = BTreeSet::new();
        let mut own: BTreeMap<(&Arc<str>, Op), BTreeMap<Difference, usize>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if !is_container(symptom) {
                alone.insert(key.clone());
            } else if CONTAINERS.contains(&key.place.as_str()) && wrong(&key.lack) {
                *own.entry((&symptom.layout, symptom.op)).or_default().entry(key.clone()).or_default() += 1;
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(symptom, _)| is_container(symptom)) {
            let of_part = !CONTAINERS.contains(&key.place.as_str()) && !key.place.is_empty();
            if of_part && wrong(&key.lack) && !alone.contains(key) {
                let most =
                    own.get(&(&symptom.layout, symptom.op)).and_then(|own| own.iter().max_by_key(|(_, tests)| **tests));
                if let Some((most, _)) = most {
                    *key = most.clone();
                }
            }
        }
    }

    /// The authored test that says why a round trip fails: what reads the packet, or else what writes its value.
    fn half(&self, symptom: &Symptom, keys: &[Difference], authored: &HashMap<(&str, Op), usize>) -> Option<usize> {
        let halves = [Op::Decode, Op::Encode].into_iter().filter_map(|op| authored.get(&(symptom.case.as_str(), op)));
        // Good practice does not explain what is required, unless both show the same; and what is declared explains nothing.
        let explains = |place: &&usize| {
            let half = &self.symptoms[**place];
            let alike = symptom.amber || !half.amber || half.difference.lack == symptom.difference.lack;
            alike && keys[**place].lack != Lack::Declared
        };
        halves.copied().find(|place| explains(&place))
    }

    /// After which values the place in a packet is lost, and the cause of it.
    fn lost_places(&self, keys: &[Difference], authored: &HashMap<(&str, Op), usize>) -> Tails {
        let mut tails = Tails::default();
        let reads = || self.symptoms.iter().zip(keys).filter(|(symptom, _)| symptom.op == Op::Decode);
        let within = |symptom: &Symptom| matches!(symptom.rule, Some(Rule::InArray | Rule::InDictionary));
        let shown: BTreeSet<&str> =
            reads().filter(|(symptom, _)| within(symptom)).map(|(symptom, _)| symptom.tail.as_str()).collect();
        for (symptom, key) in reads() {
            let lengths = matches!(
                key.lack,
                Lack::Length
                    | Lack::ExtraLength
                    | Lack::PaddingLength
                    | Lack::FieldWidth(_)
                    | Lack::WideRead
                    | Lack::Size(..)
                    | Lack::ElementSize(..)
                    | Lack::CountWidth(_)
                    | Lack::Unflagged
            );
            let own = symptom.rule.is_none() && !CONTAINERS.contains(&symptom.layout.as_ref());
            // A length alone may be the fault of one packet.
            if lengths && own && shown.contains(key.place.as_str()) {
                tails.known.entry(key.place.clone()).or_insert_with(|| key.clone());
            }
        }
        // Where no length shows it, the container shows it, in which what is green alone fails.
        let mut lost: BTreeMap<&str, &Symptom> = BTreeMap::new();
        for (symptom, key) in reads() {
            let alone = !authored.contains_key(&(symptom.case.as_str(), symptom.op));
            if within(symptom) && alone && is_vague(symptom, key) && tails.of(symptom).is_none() {
                lost.insert(&symptom.layout, symptom);
            }
        }
        let green = self.passed.keys().filter(|(_, _, op)| *op == Op::Decode);
        let green: BTreeSet<&str> = green.map(|(_, layout, _)| layout.as_ref()).collect();
        let anywhere = lost.len() > 4 && lost.len() * 10 >= green.len() * 6;
        for tail in lost.values().map(|symptom| symptom.tail.clone()) {
            let place = if anywhere { "any value" } else { &tail };
            tails.known.insert(tail.clone(), Difference::new(Lack::Place, place));
        }
        for (symptom, key) in self.symptoms.iter().zip(keys).filter(|(symptom, _)| symptom.op != Op::Encode) {
            if tails.of(symptom).is_none() {
                tails.elsewhere.insert(key.clone());
            }
        }
        tails
    }

    /// The cause of a failed container, in what it has within.
    fn explained(&self, symptom: &Symptom, key: &Difference, keys: &[Difference]) -> Option<Difference> {
        let vague = is_vague(symptom, key) || matches!(key.lack, Lack::RefusesWhere(_));
        if !vague || !CONTAINERS.contains(&symptom.layout.as_ref()) {
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
        let has = |what: &str| symptom.features.iter().any(|(feature, _)| *feature == what);
        let featured = || leaves().find(|(_, key)| matches!(&key.lack, Lack::RefusesWhere(what) if has(what)));
        // A container that is read otherwise, of which one type alone fails, for one reason.
        let only = || {
            let misread = !symptom.refused && !matches!(symptom.difference.lack, Lack::Elements | Lack::Keys);
            let mut wrong = leaves().filter(|_| misread).filter(|(_, key)| is_wrong_value(&key.lack));
            let first = wrong.next()?;
            wrong.all(|(_, key)| key == first.1).then_some(first)
        };
        same.or_else(refused).or_else(featured).or_else(only).map(|(_, key)| key.clone())
    }
}

/// Whether the reply is the wrong one to the packet from which this one is derived: what is different here was not looked
/// at, for the reason that the reply is wrong there.
fn repeats(symptom: &Symptom, parent: &Symptom) -> bool {
    let within = matches!(symptom.rule, Some(Rule::InArray | Rule::InDictionary));
    !within && symptom.read.is_some() && symptom.read == parent.read
}

/// What ends a value after which the place is lost.
#[derive(Debug, Default)]
struct Tails {
    /// By the end of the value: the cause.
    known: BTreeMap<String, Difference>,
    /// What fails where no place is lost.
    elsewhere: BTreeSet<Difference>,
}

impl Tails {
    /// The cause for which the place is lost in the packet of a test.
    fn of(&self, symptom: &Symptom) -> Option<&Difference> {
        let at = |(end, long): &(String, bool)| {
            let known = self.known.get(end)?;
            (!matches!(known.lack, Lack::PaddingLength | Lack::WideRead) || *long).then_some(known)
        };
        symptom.ends.iter().find_map(at)
    }

    /// The cause of a failure in a packet in which the place is lost, unless it fails so elsewhere too.
    fn explain(&self, symptom: &Symptom, key: &Difference) -> Option<Difference> {
        let known = self.of(symptom).filter(|_| symptom.op != Op::Encode)?;
        let container = CONTAINERS.contains(&symptom.layout.as_ref())
            || matches!(symptom.rule, Some(Rule::InArray | Rule::InDictionary));
        // A list of texts loses its place after a text.
        let texts = matches!(symptom.layout.as_ref(), "node_path" | "string_array") && symptom.refused;
        let own = matches!(
            key.lack,
            Lack::Crashes(_)
                | Lack::Erratum(_)
                | Lack::EngineErratum(_)
                | Lack::Declared
                | Lack::DependsOnOrder
                | Lack::Varies
                | Lack::Resources
        );
        let follows = (container || texts) && !own && (is_vague(symptom, key) || !self.elsewhere.contains(key));
        follows.then(|| known.clone())
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
    vague
        || within && matches!(&key.lack, Lack::Keys | Lack::SplitKeys | Lack::Text | Lack::TextEnd | Lack::HighBits(_))
}
