//! Differences that one fault makes, and that look different from test to test.

mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::difference::{Difference, INTS, REALS, TEXT, TYPED};
use crate::feature::{BELOW_ZERO, NOT_ASCII};
use crate::form::is_leaf;
use crate::group::{CONTAINERS, Causes, TypeAndOp};
use crate::lack::{Accepted, Lack, UNREAD_PADDING};
use crate::symptom::Symptom;
use variant_corpus::FRAMING;
use variant_corpus::test::Rule;
use variant_wire::handshake::Op;

const BYTES: &str = "byte_array";

impl Causes {
    /// What is answered as the other reading has it follows the erratum of its type; and so does what is wrong where the two
    /// readings differ by that erratum, for the other reading changes it too.
    pub(crate) fn errata(&self, keys: &mut [Difference]) {
        let mut known: BTreeMap<(&Arc<str>, Op), BTreeSet<Difference>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if key.lack.erratum().is_some() {
                known.entry((&symptom.layout, symptom.op)).or_default().insert(key.clone());
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(_, key)| is_wrong_value(&key.lack)) {
            let within = || symptom.layouts.iter().find_map(|layout| known.get(&(layout, symptom.op)));
            let errata = known.get(&(&symptom.layout, symptom.op)).or_else(within);
            let own = symptom.erratum.as_deref();
            let is_own = |of: &&Difference| own.is_some() && of.lack.erratum() == own;
            let one = errata.filter(|errata| errata.len() == 1 && symptom.as_other).and_then(BTreeSet::first);
            if let Some(erratum) = one.or_else(|| errata.and_then(|errata| errata.iter().find(is_own))) {
                *key = erratum.clone();
            }
        }
    }

    /// Types that are always taken for another, or always refused: if there are several, all have the ids of another
    /// dialect.
    pub(crate) fn type_ids(&self, keys: &mut [Difference]) {
        let mut cells: BTreeMap<TypeAndOp, Vec<usize>> = BTreeMap::new();
        for (place, symptom) in self.symptoms.iter().enumerate().filter(|(_, symptom)| symptom.rule.is_none()) {
            // Of packets that are framed or in another byte order, the header has the id of another type.
            if !matches!(keys[place].lack, Lack::Accepts(_) | Lack::NeedlessPrefix | Lack::ByteOrder) {
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
        let ids = Difference::new(Lack::TypeIds, several(&taken.into_iter().cloned().collect()));
        for place in cells.values().flatten() {
            keys[*place] = ids.clone();
        }
        for key in keys.iter_mut().filter(|key| matches!(key.lack, Lack::ExchangedIds(_))) {
            *key = ids.clone();
        }
    }

    /// Two types that are taken for each other have each other's ids: one cause in all that they are in.
    pub(crate) fn exchanged_ids(&self, keys: &mut [Difference]) {
        let other = |key: &Difference| if let Lack::Type(other) = &key.lack { Some(other.clone()) } else { None };
        // In containers another type may come from a place that is lost.
        let whole = |symptom: &Symptom, key: &Difference| {
            *symptom.layout == *key.place && !self.passed.contains_key(&Self::cell(symptom))
        };
        let own = self.symptoms.iter().zip(keys.iter()).filter(|(symptom, key)| whole(symptom, key));
        let taken: BTreeSet<(String, String)> =
            own.filter_map(|(_, key)| Some((key.place.clone(), other(key)?))).collect();
        let mutual = |(one, other): &&(String, String)| one < other && taken.contains(&(other.clone(), one.clone()));
        for (one, two) in taken.iter().filter(mutual) {
            let is_one = |layout: &str| layout == one || layout == two;
            for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
                let taken = other(key).is_some_and(|other| is_one(&other)) && is_one(&key.place);
                let follows = matches!(
                    key.lack,
                    Lack::Refuses(_)
                        | Lack::RefusesWhere(_)
                        | Lack::RefusesAll(_)
                        | Lack::Accepts(Accepted::BeyondTheEnd | Accepted::NegativeCount)
                );
                let none = || is_one(&symptom.layout) && !self.passed.contains_key(&Self::cell(symptom));
                if taken || follows && none() {
                    *key = Difference::new(Lack::ExchangedIds(two.clone()), one.as_str());
                }
            }
        }
    }

    /// What ends the process, or keeps it busy, in every test of some types is one cause, wherever these types are.
    pub(crate) fn deaths(&self, keys: &mut [Difference]) {
        let is_death = |lack: &Lack| matches!(lack, Lack::Crashes(_) | Lack::Hangs);
        let mut dead: BTreeMap<(Lack, bool), BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_death(&key.lack)) {
            let own = !CONTAINERS.contains(&symptom.layout.as_ref()) && symptom.layout.as_ref() != FRAMING;
            let whole = own && !self.passed.contains_key(&Self::cell(symptom));
            if symptom.rule.is_none() && whole {
                let layouts = dead.entry((key.lack.clone(), symptom.op == Op::Encode)).or_default();
                layouts.insert(Arc::clone(&symptom.layout));
            }
        }
        let leaf = |symptom: &Symptom| !CONTAINERS.contains(&symptom.layout.as_ref());
        let mut leaves: BTreeMap<Lack, BTreeSet<String>> = BTreeMap::new();
        for (_, key) in self.symptoms.iter().zip(keys.iter()).filter(|(symptom, _)| leaf(symptom)) {
            leaves.entry(key.lack.clone()).or_default().insert(key.place.clone());
        }
        // A packet of zeros with the id of a type dies as the values of that type do.
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(_, key)| is_death(&key.lack)) {
            let one = leaves.get(&key.lack).filter(|places| places.len() == 1 && symptom.rule == Some(Rule::Id));
            if let Some(place) = one.and_then(BTreeSet::first) {
                key.place.clone_from(place);
            }
        }
        // A count that is believed may do so in every type that has one.
        let beyond =
            |symptom: &Symptom| matches!(symptom.invalid, Some(Accepted::BeyondTheEnd | Accepted::NegativeCount));
        let mut counts: BTreeMap<Lack, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if is_death(&key.lack) && beyond(symptom) {
                counts.entry(key.lack.clone()).or_default().insert(Arc::from(key.place.as_str()));
            }
        }
        // A negative count of texts is valid: none.
        let below = |symptom: &Symptom| {
            symptom.invalid == Some(Accepted::NegativeCount)
                || symptom.features.iter().any(|(feature, _)| *feature == BELOW_ZERO)
        };
        let all_below: BTreeMap<Lack, bool> = counts
            .keys()
            .map(|lack| {
                let mut of = self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| key.lack == *lack);
                (lack.clone(), of.all(|(symptom, _)| below(symptom)))
            })
            .collect();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let layouts = dead.get(&(key.lack.clone(), symptom.op == Op::Encode));
            let of_them = layouts.filter(|layouts| {
                layouts.contains(&symptom.layout)
                    || !symptom.layouts.is_disjoint(layouts)
                    || symptom.rule == Some(Rule::Id)
            });
            if let Some(layouts) = of_them {
                key.place = several(layouts);
            } else if all_below.get(&key.lack) == Some(&true) {
                key.place = "a count or length below zero".to_owned();
            } else if let Some(places) = counts
                .get(&key.lack)
                .filter(|places| places.len() > 1 && (beyond(symptom) || places.contains(key.place.as_str())))
            {
                key.place = format!("a count beyond the end of {}", several(places));
            }
        }
        self.deaths_within(keys);
    }

    /// What dies of a type alone dies of it within others: where all that dies there so has that type in it.
    fn deaths_within(&self, keys: &mut [Difference]) {
        let mut alone: BTreeMap<Lack, BTreeSet<Arc<str>>> = BTreeMap::new();
        let mut needed: BTreeMap<Difference, BTreeSet<Arc<str>>> = BTreeMap::new();
        let authored = self.symptoms.iter().zip(keys.iter()).filter(|(symptom, _)| symptom.rule.is_none());
        for (symptom, key) in authored.filter(|(_, key)| matches!(key.lack, Lack::Crashes(_) | Lack::Hangs)) {
            if symptom.layouts.len() == 1 && symptom.layouts.contains(key.place.as_str()) {
                alone.entry(key.lack.clone()).or_default().insert(Arc::from(key.place.as_str()));
            }
            let all = || symptom.layouts.as_ref().clone();
            needed.entry(key.clone()).or_insert_with(all).retain(|layout| symptom.layouts.contains(layout));
        }
        for key in keys {
            let Some(needed) = needed.get(key).filter(|needed| !needed.is_empty()) else { continue };
            let Some(alone) = alone.get(&key.lack).filter(|alone| !alone.contains(key.place.as_str())) else {
                continue;
            };
            if let Some(inner) = alone.intersection(needed).next() {
                key.place = inner.to_string();
            }
        }
    }

    /// What is answered to malformed packets with something else than a refusal is answered so for what is accepted there
    /// elsewhere; and one kind of malformed reply is one cause.
    pub(crate) fn not_refused(&self, keys: &mut [Difference]) {
        let is_other = |lack: &Lack| matches!(lack, Lack::Garbles(_) | Lack::NotRefused(_));
        let mut kinds: BTreeMap<Lack, BTreeSet<Option<Accepted>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_other(&key.lack)) {
            kinds.entry(key.lack.clone()).or_default().insert(symptom.invalid);
        }
        let mut places: BTreeMap<Lack, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()).filter(|(_, key)| is_other(&key.lack)) {
            places.entry(key.lack.clone()).or_default().insert(Arc::clone(&symptom.layout));
        }
        let accepted: BTreeMap<Accepted, Difference> = keys
            .iter()
            .filter_map(|key| if let Lack::Accepts(what) = key.lack { Some((what, key.clone())) } else { None })
            .collect();
        // What values are answered with in these words, malformed packets of the same types are.
        let mut said: BTreeMap<String, BTreeSet<Difference>> = BTreeMap::new();
        let mut of: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if let Lack::Unsupported(words) = &symptom.difference.lack {
                said.entry(words.clone()).or_default().insert(key.clone());
                of.entry(words.clone()).or_default().insert(Arc::clone(&symptom.layout));
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let Lack::NotRefused(words) = &key.lack else { continue };
            let within = of.get(words).is_some_and(|of| of.contains(&symptom.layout));
            let known = said.get(words).filter(|known| within && known.len() == 1).and_then(BTreeSet::first);
            if let Some(known) = known {
                *key = known.clone();
            }
        }
        for key in keys.iter_mut().filter(|key| is_other(&key.lack)) {
            let what =
                kinds.get(&key.lack).filter(|kinds| kinds.len() == 1).and_then(BTreeSet::first).copied().flatten();
            match what.and_then(|what| accepted.get(&what)) {
                Some(known) => *key = known.clone(),
                None if places.get(&key.lack).is_some_and(|places| places.len() > 1) => key.place = String::new(),
                None => {}
            }
        }
    }

    /// What refuses nothing at all accepts every malformed packet for one reason.
    pub(crate) fn never_refuses(&self, keys: &mut [Difference]) {
        let what = |key: &Difference| if let Lack::Accepts(what) = key.lack { Some(what) } else { None };
        let kinds: BTreeSet<Accepted> = keys.iter().filter_map(what).collect();
        if self.rejected > 0 || kinds.len() < 4 {
            return;
        }
        for key in keys.iter_mut().filter(|key| what(key).is_some_and(|what| what != Accepted::NoPacket)) {
            *key = Difference::new(Lack::NeverRefuses, "");
        }
    }

    /// A field that takes too few bytes, or has changed places with another, is the cause of all else that is wrong there.
    pub(crate) fn fields(&self, keys: &mut [Difference]) {
        let is_known = |key: &&Difference| matches!(key.lack, Lack::FieldWidth(_) | Lack::Exchanged(_));
        let known: BTreeMap<String, Difference> =
            keys.iter().filter(is_known).map(|key| (key.place.clone(), key.clone())).collect();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let of_layout = known.get(symptom.layout.as_ref());
            let accepts = |known: &&Difference| {
                key.lack == Lack::Accepts(Accepted::BeyondTheEnd)
                    || key.lack == Lack::Accepts(Accepted::NegativeCount) && matches!(known.lack, Lack::Exchanged(_))
            };
            if let Some(known) = of_layout.filter(accepts) {
                *key = known.clone();
            } else if let Some(narrow) = known.get(&key.place).filter(|known| matches!(known.lack, Lack::FieldWidth(_)))
            {
                let follows = matches!(
                    key.lack,
                    Lack::Length | Lack::ExtraLength | Lack::Place | Lack::End | Lack::OtherTrue | Lack::Field(_)
                );
                if follows {
                    *key = narrow.clone();
                }
            } else if let Some(exchanged) = of_layout {
                let refuses = matches!(key.lack, Lack::Refuses(_) | Lack::RefusesWhere(_) | Lack::RefusesAll(_));
                let within = key.place == exchanged.place || key.place == TEXT;
                let follows = refuses || within && is_wrong_value(&key.lack) || is_length(&key.lack);
                if matches!(exchanged.lack, Lack::Exchanged(_)) && follows {
                    *key = exchanged.clone();
                }
            }
        }
    }

    /// What has elements without headers is read from the wrong places, unless the elements' own types fail so too.
    pub(crate) fn headerless(&self, keys: &mut [Difference]) {
        let known = Difference::new(Lack::Headerless, TYPED);
        let mut layouts: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut own: BTreeSet<Difference> = BTreeSet::new();
        for (symptom, key) in self.symptoms.iter().zip(keys.iter()) {
            if *key == known {
                layouts.insert(Arc::clone(&symptom.layout));
            }
            if is_leaf(symptom) {
                own.insert(key.clone());
            }
        }
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()).filter(|(_, key)| !own.contains(key)) {
            let wrong = is_wrong_value(&key.lack) && key.place != *symptom.layout && key.place != TYPED;
            let read = matches!(
                key.lack,
                Lack::Type(_)
                    | Lack::Refuses(_)
                    | Lack::RefusesWhere(_)
                    | Lack::RefusesAll(_)
                    | Lack::Accepts(Accepted::BeyondTheEnd)
                    | Lack::Length
                    | Lack::NoValue
            );
            if layouts.contains(&symptom.layout) && (wrong || read) {
                *key = known.clone();
            }
        }
    }

    /// Padding that is not read may be missing, or there in part.
    pub(crate) fn unread_padding(&self, keys: &mut [Difference]) {
        let unread: BTreeSet<String> =
            keys.iter().filter(|key| key.lack == Lack::PaddingLength).map(|key| key.place.clone()).collect();
        let of_padding = |lack: &Lack| matches!(lack, Lack::Accepts(Accepted::MissingPadding) | Lack::Length);
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            let refuses = matches!(&key.lack, Lack::RefusesWhere(what) if what == UNREAD_PADDING);
            // The smallest packet of a campaign is one whose last padding is missing.
            let generated = symptom.test.is_empty() && key.lack == Lack::Length && key.place == BYTES;
            let here = of_padding(&key.lack) && unread.contains(&key.place);
            if here || (refuses || generated) && unread.contains(TEXT) {
                key.lack = Lack::PaddingLength;
            }
        }
    }

    /// What texts and bytes lack alike is one cause, and so is what one type shows in its own tests and in containers.
    pub(crate) fn alike(&self, keys: &mut [Difference]) {
        let all: BTreeSet<Difference> = keys.iter().cloned().collect();
        let writes = |symptom: &Symptom| symptom.op != Op::Decode;
        let padded = Difference::new(Lack::NeedlessPadding, TEXT);
        let mut leaves: BTreeMap<Difference, BTreeSet<&str>> = BTreeMap::new();
        // What all rows of reals share.
        let is_row = |key: &Difference| key.lack == Lack::WideRead && !matches!(key.place.as_str(), "int" | "float");
        let rows: BTreeSet<Arc<str>> =
            all.iter().filter(|key| is_row(key)).map(|key| Arc::from(key.place.as_str())).collect();
        // Whether a NUL is missing only where a character of two bytes may be counted as one.
        let is_missing = |key: &Difference| key.lack == Lack::MissingNul;
        let ascii = |symptom: &Symptom| symptom.features.iter().all(|(feature, _)| *feature != NOT_ASCII);
        let counted_alike =
            !self.symptoms.iter().zip(keys.iter()).any(|(symptom, key)| is_missing(key) && ascii(symptom));
        for (symptom, key) in self.symptoms.iter().zip(keys.iter_mut()) {
            if is_missing(key) && counted_alike && !symptom.test.is_empty() {
                let of = [Lack::Utf16Length, Lack::CharacterLength, Lack::Encoding];
                let known = of.into_iter().map(|lack| Difference::new(lack, TEXT)).find(|known| all.contains(known));
                if let Some(known) = known {
                    *key = known;
                }
            }
            // Engines drop a byte order mark, so one in another encoding leaves a text that looks like ASCII.
            let encoding = Difference::new(Lack::Encoding, TEXT);
            if key.lack == Lack::Text && all.contains(&encoding) {
                *key = encoding;
            }
            if is_row(key) {
                key.place = several(&rows);
            }
            let added = matches!(key.lack, Lack::CountWidth(8)) || key.lack == Lack::MoreBytes && key.place == BYTES;
            if added && writes(symptom) && all.contains(&padded) {
                *key = padded.clone();
            }
            // A text that goes on behind a NUL keeps the NUL, and what is there.
            let here = |lack| Difference::new(lack, key.place.as_str());
            let refused = matches!(&key.lack, Lack::RefusesWhere(what) if what == "bytes after a NUL");
            let of_nul = [here(Lack::PastNul), here(Lack::ExtraNul)].into_iter().find(|known| all.contains(known));
            // Of a text without characters beyond U+FFFF, either may be counted; and what is counted too low is cut there.
            let counted = [here(Lack::CharacterLength), here(Lack::Utf16Length)].into_iter();
            let counted = counted.filter(|_| writes(symptom)).find(|known| all.contains(known));
            match (of_nul, counted) {
                (Some(known), _) if refused || key.lack == Lack::ExtraNul => *key = known,
                (_, Some(known)) if matches!(key.lack, Lack::Utf16Length | Lack::TextEnd) => *key = known,
                _ => {}
            }
            // Where one byte is missing to a multiple of four, a NUL may be padding.
            if key.lack == Lack::CountsPadding && all.contains(&Difference::new(Lack::CountsNul, key.place.as_str())) {
                key.lack = Lack::CountsNul;
            }
            if key.lack == Lack::NanBits && all.contains(&Difference::new(Lack::SinglePrecision, key.place.as_str())) {
                key.lack = Lack::SinglePrecision;
            }
            let unread = Difference::new(Lack::PaddingLength, TEXT);
            let cut = symptom.rule == Some(Rule::TruncatedAt) && key.lack == Lack::Accepts(Accepted::BeyondTheEnd);
            if cut && matches!(key.place.as_str(), "array" | "dictionary" | "node_path") && all.contains(&unread) {
                *key = unread;
            }
            let of = |place: &str| all.contains(&Difference::new(key.lack.clone(), place));
            let counted = matches!(
                key.lack,
                Lack::Padding | Lack::PaddingLength | Lack::NeedlessPadding | Lack::CountBits(_) | Lack::CountWidth(_)
            );
            if counted && of(TEXT) && of(BYTES) {
                key.place = format!("{TEXT}, {BYTES}");
            }
            if matches!(key.place.as_str(), REALS | INTS) && !CONTAINERS.contains(&symptom.layout.as_ref()) {
                leaves.entry(key.clone()).or_default().insert(&symptom.layout);
            }
        }
        for key in keys {
            let one = leaves.get(key).filter(|layouts| layouts.len() == 1);
            let Some(layout) = one.and_then(|layouts| layouts.first().copied()) else { continue };
            let own = Difference::new(key.lack.clone(), layout);
            if all.contains(&own) {
                *key = own;
            }
        }
    }
}

/// Whether the right value came with a wrong number of bytes consumed.
pub(crate) fn is_length(lack: &Lack) -> bool {
    matches!(lack, Lack::Length | Lack::ExtraLength)
}

/// Whether it is a value or packet of the right type that is wrong within.
pub(crate) fn is_wrong_value(lack: &Lack) -> bool {
    !matches!(
        lack,
        Lack::Type(_)
            | Lack::TypeIds
            | Lack::HeaderFlags
            | Lack::Length
            | Lack::ExtraLength
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

/// `packed array`, where all are; else the names, the first three of many.
fn several(layouts: &BTreeSet<Arc<str>>) -> String {
    if layouts.len() > 1 && layouts.iter().all(|layout| layout.ends_with("_array")) {
        return "packed array".to_owned();
    }
    let names: Vec<&str> = layouts.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [one, two, three, rest @ ..] if rest.len() > 1 => format!("{one}, {two}, {three} and {} more", rest.len()),
        all => all.join(", "),
    }
}
