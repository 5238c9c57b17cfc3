//! What one fault of numbers makes: counts, integers, floats, and rows of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::difference::{Difference, INTS};
use crate::group::{CONTAINERS, Causes};
use crate::lack::{Accepted, Lack};
use crate::symptom::{OPPOSITE, Symptom};
use variant_corpus::test::Rule;
use variant_wire::handshake::Op;

use super::{is_length, is_wrong_value};

impl Causes {
    /// A count of which only some bits or bytes are read or written is one cause in each layout and operation, and explains
    /// that huge counts are accepted there, if packets that are cut are refused.
    pub(crate) fn counts(&self, keys: &mut [Difference]) {
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

    /// Integers that are read as floats are zero where they are small, and anything where the float is no such integer.
    pub(crate) fn floats(&self, keys: &mut [Difference]) {
        let known: BTreeSet<(Difference, Op)> = self
            .symptoms
            .iter()
            .zip(keys.iter())
            .filter(|(_, key)| key.lack == Lack::AsFloat)
            .map(|(symptom, key)| (key.clone(), symptom.op))
            .collect();
        let rows: BTreeSet<&str> =
            self.symptoms.iter().filter(|symptom| symptom.integers).map(|symptom| &*symptom.layout).collect();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let place = if rows.contains(key.place.as_str()) { INTS } else { key.place.as_str() };
            let floats = Difference::new(Lack::AsFloat, place);
            let follows = matches!(key.lack, Lack::Zero | Lack::Number | Lack::HighBits(_));
            if follows && known.contains(&(floats.clone(), symptom.op)) {
                *key = floats;
            }
        }
    }

    /// Numbers of a row that are wrong, where others never are, are one cause, however they are wrong from test to test; and
    /// so are low bits alone, with or without a sign.
    pub(crate) fn numbers(&self, keys: &mut [Difference]) {
        let mut rows: BTreeMap<(&Arc<str>, Op), Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate() {
            if symptom.rule.is_none() && !symptom.components.is_empty() && is_wrong_value(&keys[place].lack) {
                rows.entry((&symptom.layout, symptom.op)).or_default().push(place);
            }
        }
        let mut known: BTreeMap<(&Arc<str>, Op), Lack> = BTreeMap::new();
        for (row, places) in rows {
            let lacks: BTreeSet<&Lack> = places.iter().map(|place| &keys[*place].lack).collect();
            let of = || places.iter().map(|place| &self.symptoms[*place]);
            let names: BTreeSet<&str> =
                of().flat_map(|symptom| &symptom.components).map(|component| component.name.as_str()).collect();
            let arity = of().map(|symptom| symptom.arity).max().unwrap_or(1);
            // Few numbers of a row may be small enough to become zero.
            let rounded = lacks.iter().all(|lack| matches!(lack, Lack::Rounding | Lack::Zero));
            let whole = lacks.iter().any(|lack| is_order(lack) || **lack == Lack::AsFloat);
            let other = lacks.len() > 1 && !rounded && !whole;
            if places.len() > 1 && names.len() < arity && other {
                known.insert(row, Lack::Component(instead(&names, of())));
            }
        }
        let low = Lack::HighBits(32);
        let cut: BTreeSet<(String, Op)> = self
            .symptoms
            .iter()
            .zip(keys.iter())
            .filter(|(_, key)| key.lack == low && key.place != "int")
            .map(|(symptom, key)| (key.place.clone(), symptom.op))
            .collect();
        let narrow = |place: &str| cut.iter().any(|(of, _)| of == place);
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let row = (&symptom.layout, symptom.op);
            let component = known.get(&row).filter(|_| !symptom.components.is_empty() && is_wrong_value(&key.lack));
            if let Some(component) = component {
                *key = Difference::new(component.clone(), symptom.layout.as_ref());
            } else if key.lack == Lack::Sign && cut.contains(&(key.place.clone(), symptom.op)) {
                key.lack = low.clone();
            } else if matches!(key.lack, Lack::Length | Lack::End) && symptom.element.is_none() && narrow(&key.place) {
                // A record whose id has half its bytes.
                key.lack = low.clone();
            }
        }
    }

    /// Where each of two kinds becomes the other, that is one cause; and so is what changes all numbers of a type, whatever
    /// special numbers become.
    pub(crate) fn both(&self, keys: &mut [Difference]) {
        let all: BTreeSet<(Difference, Op)> =
            self.symptoms.iter().zip(keys.iter()).map(|(symptom, key)| (key.clone(), symptom.op)).collect();
        let mut of_all: BTreeMap<(&Arc<str>, Op), BTreeSet<Difference>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            let every =
                matches!(key.lack, Lack::Scaled | Lack::Order | Lack::Transposed | Lack::ByteOrder | Lack::Negated)
                    || key.lack.erratum().is_some();
            if every && symptom.rule.is_none() {
                of_all.entry((&symptom.layout, symptom.op)).or_default().insert(key.clone());
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let kinds = [(Lack::Absolute, Lack::Relative), (Lack::True, Lack::False)];
            let is_other = |lack: Lack| all.contains(&(Difference::new(lack, key.place.as_str()), symptom.op));
            if kinds
                .into_iter()
                .any(|(one, other)| (key.lack == one || key.lack == other) && is_other(one) && is_other(other))
            {
                key.lack = Lack::Inverted;
            }
            // What is changed in any way may become zero.
            if key.lack == Lack::Zero && is_other(Lack::Number) {
                key.lack = Lack::Number;
            }
            let special = matches!(
                key.lack,
                Lack::Number | Lack::Zero | Lack::Infinity | Lack::NanBits | Lack::NegativeZero | Lack::Clamped
            );
            let known = of_all.get(&(&symptom.layout, symptom.op)).filter(|known| special && known.len() == 1);
            if let Some(known) = known.and_then(BTreeSet::first) {
                *key = known.clone();
            }
        }
    }

    /// A number whose wide form is not read is the cause of all else that is wrong with the same type: it is too short.
    pub(crate) fn narrowed(&self, keys: &mut [Difference]) {
        let known: BTreeSet<String> =
            keys.iter().filter(|key| key.lack == Lack::WideRead).map(|key| key.place.clone()).collect();
        let is_early = |key: &Difference| key.lack == Lack::Accepts(Accepted::BeyondTheEnd);
        // Where other types that end early are accepted too, that is a fault of its own.
        let only = self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_early(key)).all(|(symptom, _)| {
            known.contains(symptom.layout.as_ref()) || CONTAINERS.contains(&symptom.layout.as_ref())
        });
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(symptom, _)| symptom.op == Op::Decode)
        {
            let early = only && is_early(key);
            let follows = early || is_length(&key.lack) || is_wrong_value(&key.lack);
            let place = [key.place.as_str(), &symptom.layout].into_iter().find(|place| known.contains(*place));
            if let Some(place) = place.filter(|place| follows && (early || *place == key.place)) {
                *key = Difference::new(Lack::WideRead, place);
            }
        }
    }
}

/// Whether all numbers are the right ones, in other places.
fn is_order(lack: &Lack) -> bool {
    matches!(lack, Lack::Order | Lack::Transposed)
}

/// What the wrong numbers of a row are instead, in words: `a is always 1`.
fn instead<'a>(names: &BTreeSet<&str>, symptoms: impl Iterator<Item = &'a Symptom>) -> String {
    /// Names that are listed.
    const MOST: usize = 4;
    let mut of: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for component in symptoms.flat_map(|symptom| &symptom.components) {
        let instead = || component.instead.clone();
        of.entry(&component.name).or_insert_with(instead).retain(|other| component.instead.contains(other));
    }
    let all: Vec<&str> = names.iter().copied().collect();
    let (is, list) = match all.as_slice() {
        [one] => ("is", (*one).to_owned()),
        all if all.len() <= MOST => ("are", all.join(", ")),
        [one, two, rest @ ..] => ("are", format!("{one}, {two} and {} more", rest.len())),
        [] => ("is", String::new()),
    };
    let common = of.values().cloned().reduce(|one, other| one.intersection(&other).cloned().collect());
    match common.as_ref().and_then(BTreeSet::first).map(String::as_str) {
        Some(OPPOSITE) if all.len() == 1 => format!("{list} has the opposite sign"),
        Some(OPPOSITE) => format!("{list} have the opposite sign"),
        Some(other) if other.parse::<f64>().is_ok() => format!("{list} {is} always {other}"),
        Some(other) => format!("{list} {is} what {other} should be"),
        None => format!("only {list} {is} wrong"),
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
