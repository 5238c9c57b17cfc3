//! Types of which nothing is right: what is wrong there in many ways is one fault, the form of the type.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::difference::{Difference, INTS, REALS};
use crate::group::{CONTAINERS, Causes};
use crate::lack::{Accepted, Lack};
use crate::merge::is_length;
use crate::symptom::Symptom;
use variant_corpus::FRAMING;
use variant_wire::handshake::Op;

/// Bytes of a header, and of a count.
const WORD: usize = 4;

impl Causes {
    /// A type whose values take another number of bytes than they should has another form: what else is wrong with it, on
    /// the way there and back, follows from that.
    pub(crate) fn forms(&self, keys: &mut [Difference]) {
        let mut cells: BTreeMap<(Arc<str>, Op), Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate().filter(|(_, symptom)| is_alone(symptom)) {
            if symptom.rule.is_none() && !matches!(keys[place].lack, Lack::Accepts(_)) {
                cells.entry((Arc::clone(&symptom.layout), symptom.op)).or_default().push(place);
            }
        }
        let layouts: BTreeSet<Arc<str>> = cells.keys().map(|(layout, _)| Arc::clone(layout)).collect();
        for layout in layouts {
            let of = |op| cells.get(&(Arc::clone(&layout), op)).map(Vec::as_slice).unwrap_or_default();
            let (written, read) = (of(Op::Encode), of(Op::Decode));
            let mut found = [written, read].map(|places| self.form(places, keys));
            // A type of few values shows its form in both directions together.
            if found.iter().all(Option::is_none) {
                let both =
                    self.form(&[written, read].concat(), keys).filter(|_| !written.is_empty() && !read.is_empty());
                found = [both.clone(), both];
            }
            let Some(form) = found.iter().flatten().next().cloned() else { continue };
            for (op, places, own) in [(Op::Encode, written, &found[0]), (Op::Decode, read, &found[1])] {
                // The other way is the same form, if nearly nothing of the type comes through there.
                let passed = self.passed_in(&layout, op);
                let vague = places.iter().filter(|place| follows(&keys[**place], &layout)).count();
                // What is written in 64 bits without a flag is read so, and with one too.
                let none = passed * 3 <= places.len() || form.lack == Lack::Unflagged;
                if own.is_none() && (vague * 2 < places.len() || !none) {
                    continue;
                }
                let less = matches!(form.lack, Lack::Size(wrong, right) if wrong < right);
                let short = op == Op::Decode && (less || self.is_short(places));
                for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
                    let same = symptom.layout == layout && is_alone(symptom)
                        || key.place == *layout && !matches!(key.lack, Lack::Accepts(_) | Lack::Type(_));
                    let early = short && key.lack == Lack::Accepts(Accepted::BeyondTheEnd);
                    if same && symptom.op == op && (follows(key, &layout) || early) {
                        *key = form.clone();
                    }
                }
            }
        }
    }

    /// How many authored tests of a layout passed.
    fn passed_in(&self, layout: &Arc<str>, op: Op) -> usize {
        let of = |cell: &&(Arc<str>, Arc<str>, Op)| cell.1 == *layout && cell.2 == op;
        self.passed.keys().filter(of).map(|cell| self.passed[cell].len()).sum()
    }

    /// Whether fewer bytes are read than there are.
    fn is_short(&self, places: &[usize]) -> bool {
        places.iter().filter_map(|place| self.symptoms[*place].sizes).any(|(right, wrong)| wrong < right)
    }

    /// The form of a type in one direction, by the number of bytes that its values take.
    fn form(&self, places: &[usize], keys: &[Difference]) -> Option<Difference> {
        let symptoms: Vec<&Symptom> = places.iter().map(|place| &self.symptoms[*place]).collect();
        let layout = symptoms.first()?.layout.to_string();
        if let Some(known) = places.iter().map(|place| &keys[*place]).find(|key| key.lack == Lack::Unflagged) {
            return Some(known.clone()).filter(|known| known.place == layout);
        }
        // Two forms of a number are two sizes: which one is wrong says more.
        let is_wide = |key: &Difference| {
            matches!(key.lack, Lack::WideForm | Lack::WideRead | Lack::NeedlessWideForm) && key.place == layout
        };
        if places.iter().any(|place| is_wide(&keys[*place])) {
            return None;
        }
        // What is known more closely is not called another size.
        if places.iter().filter(|place| !follows(&keys[**place], &layout)).count() * 2 > places.len() {
            return None;
        }
        let sizes: Vec<(usize, usize)> = symptoms.iter().filter_map(|symptom| symptom.sizes).collect();
        let other: Vec<(usize, usize)> = sizes.iter().copied().filter(|(right, wrong)| right != wrong).collect();
        if other.len() < 2 || other.len() * 2 < sizes.len() {
            return None;
        }
        let (right, wrong) = other[0];
        let element = symptoms.iter().find_map(|symptom| symptom.element);
        let lack = match element {
            None if other.iter().all(|one| *one == (right, wrong)) => {
                Lack::Size(wrong.checked_sub(WORD)?, right.checked_sub(WORD)?)
            }
            Some(_) if other.iter().all(|(right, wrong)| *wrong == right + WORD) => Lack::CountWidth(2 * WORD),
            Some(bytes) => {
                let body = |size: usize| size.checked_sub(2 * WORD);
                let (right, wrong) = (body(right)?, body(wrong)?);
                let alike = |(one, other): &(usize, usize)| Some(body(*one)? * wrong == body(*other)? * right);
                let all = right > 0 && wrong > 0 && other.iter().all(|sizes| alike(sizes) == Some(true));
                let size = (bytes * wrong).checked_div(right).filter(|size| all && size * right == bytes * wrong)?;
                Lack::ElementSize(size, bytes)
            }
            None => return None,
        };
        Some(Difference::new(lack, layout))
    }

    /// Where whatever is sent is said to be consumed, that is one cause in all types.
    pub(crate) fn took_all(&self, keys: &mut [Difference]) {
        let lengths = || self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_length(&key.lack));
        let others: BTreeSet<Arc<str>> = lengths()
            .filter(|(symptom, _)| !symptom.took_all)
            .map(|(symptom, _)| Arc::clone(&symptom.layout))
            .collect();
        let of = |symptom: &Symptom| symptom.took_all && !others.contains(&symptom.layout);
        let types: BTreeSet<Arc<str>> =
            lengths().filter(|(symptom, _)| of(symptom)).map(|(symptom, _)| Arc::clone(&symptom.layout)).collect();
        if types.len() < 4 {
            return;
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            if is_length(&key.lack) && symptom.took_all {
                *key = Difference::new(Lack::TookAll, "");
            }
        }
    }

    /// Types that are refused whole, on the way there and back, are one cause, in whatever words; and so is a length prefix
    /// that is read as it is written.
    pub(crate) fn both_ways(&self, keys: &mut [Difference]) {
        let mut words: BTreeMap<(Op, String), BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(symptom, _)| symptom.rule.is_none()) {
            if let Lack::RefusesAll(said) = &key.lack {
                words.entry((symptom.op, said.clone())).or_default().insert(Arc::clone(&symptom.layout));
            }
        }
        let read: BTreeMap<&BTreeSet<Arc<str>>, &String> =
            words.iter().filter(|((op, _), _)| *op == Op::Decode).map(|((_, said), of)| (of, said)).collect();
        let prefix = keys.iter().any(|key| key.lack == Lack::Prefix);
        let framed = !self.passed.keys().any(|(_, layout, op)| layout.as_ref() == FRAMING && *op == Op::Decode);
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let said = if let Lack::RefusesAll(said) = &key.lack { said.clone() } else { String::new() };
            let of = words.get(&(symptom.op, said.clone()));
            if let Some(other) = of.and_then(|of| read.get(of)).filter(|other| ***other != said) {
                key.lack = Lack::RefusesAll((*other).clone());
            } else if symptom.layout.as_ref() == FRAMING && symptom.refused && prefix && framed {
                *key = Difference::new(Lack::Prefix, "");
            }
        }
    }

    /// What is wrong with nearly every type that is written, and explains that nearly nothing is read, is all that is known.
    pub(crate) fn nothing_read(&self, keys: &mut [Difference]) {
        /// Fewer types may be wrong for reasons of their own.
        const MOST_TYPES: usize = 12;
        let mut of: BTreeMap<&Lack, BTreeSet<&Arc<str>>> = BTreeMap::new();
        let mut read = 0;
        for (cell, passed) in &self.passed {
            if cell.2 == Op::Decode {
                read += passed.len();
            }
        }
        let failed = self.symptoms.iter().filter(|symptom| symptom.op == Op::Decode && symptom.rule.is_none()).count();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(symptom, _)| symptom.op == Op::Encode) {
            let of_all = matches!(key.lack, Lack::ByteOrder | Lack::NeedlessPrefix);
            if of_all && is_leaf(symptom) && symptom.rule.is_none() {
                of.entry(&key.lack).or_default().insert(&symptom.layout);
            }
        }
        let all = of.into_iter().find(|(_, types)| types.len() >= MOST_TYPES).map(|(lack, _)| lack.clone());
        let Some(all) = all.filter(|_| read * 5 < failed) else { return };
        let place = if all == Lack::ByteOrder { "numbers" } else { "" };
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let own = matches!(key.lack, Lack::Crashes(_) | Lack::Hangs | Lack::Resources | Lack::Declared);
            // A header in the other byte order looks as if its id had other bits.
            let header = all == Lack::ByteOrder && matches!(key.lack, Lack::IdBits(_));
            if symptom.op != Op::Encode && !own || header {
                *key = Difference::new(all.clone(), place);
            }
        }
    }

    /// What is wrong in several ways with the numbers of one type is one cause there: they are other numbers.
    pub(crate) fn other_numbers(&self, keys: &mut [Difference]) {
        let mut lacks: BTreeMap<(Arc<str>, Op), BTreeSet<Lack>> = BTreeMap::new();
        let mut shared: BTreeMap<Lack, BTreeSet<Arc<str>>> = BTreeMap::new();
        let is_here = |symptom: &Symptom, key: &Difference| {
            key.place == *symptom.layout || matches!(key.place.as_str(), REALS | INTS)
        };
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(symptom, _)| is_leaf(symptom)) {
            if is_number(&key.lack) && is_here(symptom, key) {
                lacks.entry((Arc::clone(&symptom.layout), symptom.op)).or_default().insert(key.lack.clone());
                shared.entry(key.lack.clone()).or_default().insert(Arc::clone(&symptom.layout));
            }
        }
        let others = |lacks: &BTreeSet<Lack>| {
            let plain = lacks.iter().filter(|lack| is_plain(lack)).count();
            lacks.contains(&Lack::Number) || plain > 1
        };
        lacks.retain(|_, lacks| others(lacks));
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let cell = (Arc::from(key.place.as_str()), symptom.op);
            let own = lacks.contains_key(&(Arc::clone(&symptom.layout), symptom.op)) && is_here(symptom, key);
            // What other types lack too has another reason.
            let only = is_plain(&key.lack) || shared.get(&key.lack).is_some_and(|layouts| layouts.len() == 1);
            if is_number(&key.lack) && only && (own && is_leaf(symptom) || lacks.contains_key(&cell)) {
                let own = own && is_leaf(symptom);
                let place = if own { symptom.layout.to_string() } else { key.place.clone() };
                let cell = if own { (Arc::clone(&symptom.layout), symptom.op) } else { cell };
                *key = Difference::new(lacks.get(&cell).map_or(Lack::Number, joint), place);
            }
        }
    }

    /// What numbers of many types lack, one reader or writer of numbers lacks.
    pub(crate) fn all_numbers(&self, keys: &mut [Difference]) {
        let mut places: BTreeMap<Lack, BTreeSet<String>> = BTreeMap::new();
        let mut layouts: BTreeMap<Lack, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_shared(&key.lack)) {
            places.entry(key.lack.clone()).or_default().insert(key.place.clone());
            if is_leaf(symptom) {
                layouts.entry(key.lack.clone()).or_default().insert(Arc::clone(&symptom.layout));
            }
        }
        // Where numbers of many types are rounded, small ones are zero.
        let is_rounded = |lack: &Lack| matches!(lack, Lack::Rounding | Lack::Zero | Lack::SinglePrecision);
        let mut rounded: BTreeSet<&Arc<str>> = BTreeSet::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if is_leaf(symptom) && is_rounded(&key.lack) {
                rounded.insert(&symptom.layout);
            }
        }
        if rounded.len() > 3 && layouts.contains_key(&Lack::Rounding) {
            for key in keys.iter_mut().filter(|key| is_rounded(&key.lack)) {
                *key = Difference::new(Lack::Rounding, "numbers");
            }
        }
        for key in keys.iter_mut().filter(|key| is_shared(&key.lack)) {
            let several = places.get(&key.lack).is_some_and(|places| places.len() > 1);
            if several && layouts.get(&key.lack).is_some_and(|layouts| layouts.len() > 2) {
                key.place = if key.lack == Lack::Sign { "integers" } else { "numbers" }.to_owned();
            }
        }
    }
}

/// What several lacks of one type's numbers are together: small numbers that are rounded, or moved into a range, are zero.
fn joint(lacks: &BTreeSet<Lack>) -> Lack {
    let only = |lack: &Lack| lacks.iter().all(|other| other == lack || !is_plain(other) || *other == Lack::Zero);
    let of = [Lack::Clamped, Lack::Rounding];
    of.into_iter().find(|lack| lacks.contains(lack) && only(lack)).unwrap_or(Lack::Number)
}

/// Whether a test is of a value that has no whole values within.
pub(crate) fn is_leaf(symptom: &Symptom) -> bool {
    let layout = symptom.layout.as_ref();
    !CONTAINERS.contains(&layout) && layout != FRAMING
}

/// Whether nothing else is in its packet than a value of its type.
fn is_alone(symptom: &Symptom) -> bool {
    is_leaf(symptom) || symptom.layout.as_ref() == "object" && symptom.layouts.len() == 1
}

/// What all numbers may lack alike.
fn is_shared(lack: &Lack) -> bool {
    matches!(
        lack,
        Lack::NegativeZero
            | Lack::NanBits
            | Lack::Infinity
            | Lack::ByteOrder
            | Lack::Sign
            | Lack::SinglePrecision
            | Lack::Rounding
    )
}

/// What a number may be in place of the right one, whatever the reason.
fn is_plain(lack: &Lack) -> bool {
    matches!(lack, Lack::Number | Lack::Zero | Lack::Fraction | Lack::Clamped | Lack::Rounding | Lack::Negated)
}

fn is_number(lack: &Lack) -> bool {
    is_plain(lack) || matches!(lack, Lack::NegativeZero | Lack::NanBits | Lack::Infinity)
}

/// What follows from another form of the type.
fn follows(key: &Difference, layout: &str) -> bool {
    let here = key.place == *layout || matches!(key.place.as_str(), REALS | INTS | "");
    let of_values = is_number(&key.lack)
        || matches!(
            key.lack,
            Lack::HighBits(_)
                | Lack::Elements
                | Lack::End
                | Lack::MoreBytes
                | Lack::WideForm
                | Lack::NeedlessWideForm
                | Lack::WideRead
                | Lack::Unflagged
                | Lack::FlagOnly
                | Lack::Length
                | Lack::ExtraLength
                | Lack::NoValue
                | Lack::Field(_)
                | Lack::Component(_)
                | Lack::Scaled
                | Lack::Size(..)
                | Lack::ElementSize(..)
                | Lack::CountWidth(_)
        );
    let refused =
        matches!(key.lack, Lack::Refuses(_) | Lack::RefusesAll(_) | Lack::RefusesWhere(_) | Lack::Unsupported(_));
    refused || here && of_values
}
