//! What a cover is chosen from: every fault, in each of its directions.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use bit_set::BitSet;
use variant_corpus::PACKET;
use variant_specs::{Dialect, LayoutId};
use variant_values::handshake::Op;

use super::bench::Bench;
use super::subject::Subject;
use crate::fault::{Fault, FaultFamily, Part};
use crate::place::Place;

/// One fault, in one direction or both: what a cover is chosen from.
#[derive(Clone)]
pub(super) struct Candidate<'f> {
    /// Two where reader and writer are two faults of one name.
    pub(super) faults: Vec<&'f Fault>,
    pub(super) parts: Vec<Part<'f>>,
    /// The places of the same faults in one direction each: of what they do there, this one is known to do the same.
    pub(super) twins: Vec<usize>,
    /// Whether both directions were asked for: then it is said which one it is in.
    says_way: bool,
    /// The layout of the only values that it changes.
    pub(super) only: Option<LayoutId>,
    /// Where the only values stand that it changes.
    pub(super) place: Option<Place>,
    pub(super) places: Arc<Places>,
}

/// The tests that a fault may touch: of its layouts, and of an operation in which it shows.
pub(super) struct Places {
    pub(super) fails: BitSet,
    about: Vec<Arc<str>>,
    ops: Vec<Op>,
    passes: OnceLock<Passes>,
}

/// Those of them that pass.
pub(super) struct Passes {
    pub(super) of_cases: Vec<usize>,
    /// A few variants of each rule, type and direction.
    pub(super) variants: Vec<usize>,
}

/// So many variants of a rule, type and direction may speak against a fault.
const OF_A_KIND: usize = 16;

impl<'f> Candidate<'f> {
    /// The same fault, of this type alone.
    pub(super) fn of_type(&self, only: LayoutId, layout: &str, bench: &Bench<'_>) -> Self {
        let parts: Vec<Part<'f>> = self.parts.iter().map(|part| Part { only: Some(only), ..*part }).collect();
        Self {
            faults: self.faults.clone(),
            places: Arc::new(Places::of(bench, &[Arc::from(layout)], ops_of(&parts))),
            parts,
            twins: Vec::new(),
            says_way: self.says_way,
            only: Some(only),
            place: self.place,
        }
    }

    /// The same fault, of values that stand there; of all that it changes, if there is no place.
    pub(super) fn at(&self, place: Option<Place>) -> Self {
        Self {
            faults: self.faults.clone(),
            parts: self
                .parts
                .iter()
                .zip(&self.faults)
                .map(|(part, own)| Part { place: place.or(own.place), ..*part })
                .collect(),
            twins: Vec::new(),
            place,
            places: Arc::clone(&self.places),
            ..*self
        }
    }

    /// Its name in lists.
    pub(super) fn name(&self) -> String {
        let place = self.place.map_or("", |place| place.said()[0]);
        format!("{}{place}", self.faults[0].name)
    }

    /// The only direction that it is in.
    pub(super) fn way(&self) -> Option<Op> {
        if let [part] = self.parts.as_slice() { part.op } else { None }
    }

    /// What is wrong, in a sentence: in a direction alone, where it has one.
    pub(super) fn said(&self, way: Option<Op>) -> String {
        in_one_way(&self.faults[0].description, way, self.says_way)
    }

    /// The same, with its type and where the values stand, where it is true of those; of `only` those, if others are right.
    pub(super) fn sentence(&self, way: Option<Op>, only: bool, dialect: &Dialect) -> String {
        let only = if only { "only " } else { "" };
        let place = self.place.map_or_else(String::new, |place| format!(", {only}{}", place.said()[1]));
        let said = self.said(way) + &place;
        match self.only {
            Some(only) => {
                let name = dialect.type_name_of(&dialect.layouts.get(only).name);
                // Faults of one type say so, and it is not several.
                let said = said.replace(" in a vector or packed array", "");
                if said.starts_with(name) { said } else { format!("{name}: {said}") }
            }
            None => said,
        }
    }

    /// Whether a fault of it is of this family.
    pub(super) fn is_of(&self, family: FaultFamily) -> bool {
        self.faults.iter().any(|fault| fault.family == Some(family))
    }

    /// Whether it is one of a family of limits, of which each explains a part of what others do.
    pub(super) fn is_of_limits(&self) -> bool {
        self.limits() && (self.is_of(FaultFamily::Suggested) || self.is_of(FaultFamily::Depth))
    }

    /// Whether it is a limit of how deep, long or many something may be.
    pub(super) fn limits(&self) -> bool {
        self.is_of(FaultFamily::Depth) || self.faults.iter().any(|fault| fault.mutation.refuses.is_some())
    }

    /// Whether it puts pairs in another order.
    pub(super) fn reorders(&self) -> bool {
        self.parts.iter().any(|part| part.mutation.reorders)
    }

    /// Whether it is another order of pairs than this one, in a direction of this one: a codec has one.
    pub(super) fn is_other_order(&self, other: &Self) -> bool {
        let is_other = self.faults[0].name != other.faults[0].name && self.reorders() && other.reorders();
        is_other && [Op::Decode, Op::Encode].into_iter().any(|op| self.is_in(op) && other.is_in(op))
    }

    /// Whether a fault that is true of some types only may be looked for.
    pub(super) fn may_be_narrowed(&self) -> bool {
        let wide = self.faults.iter().all(|fault| fault.about.is_empty()) && self.only.is_none();
        wide && self.parts.iter().all(|part| part.mutation.is_of_values())
    }

    /// Whether a fault that is true only of values that stand somewhere may be looked for.
    pub(super) fn may_be_of_a_place(&self) -> bool {
        let of_values = |Part { mutation, .. }: &Part<'_>| {
            mutation.is_of_values() && mutation.refuses.is_none() && mutation.answers.is_none()
        };
        self.place.is_none() && self.parts.iter().all(|part| part.place.is_none() && of_values(part))
    }

    /// Whether it is about what a test asks for at all: to read or to write.
    fn is_in(&self, op: Op) -> bool {
        self.places.ops.contains(&op)
    }
}

/// The operations in which one of these shows.
fn ops_of(parts: &[Part<'_>]) -> Vec<Op> {
    [Op::Decode, Op::Encode, Op::Reencode]
        .into_iter()
        .filter(|op| parts.iter().any(|part| part.shows_in(*op)))
        .collect()
}

impl Places {
    fn of(bench: &Bench<'_>, about: &[Arc<str>], ops: Vec<Op>) -> Self {
        let fails = bench.fails_about(about).into_iter();
        let fails = fails.filter(|place| ops.contains(&bench.fails[*place].test.op)).collect();
        Self { fails, about: about.to_vec(), ops, passes: OnceLock::new() }
    }

    /// Those that pass: most faults explain so little that nobody asks.
    pub(super) fn passes(&self, bench: &Bench<'_>) -> &Passes {
        self.passes.get_or_init(|| {
            let mut seen: HashMap<_, usize> = HashMap::new();
            let (mut of_cases, mut variants) = (Vec::new(), Vec::new());
            for place in bench.passes_about(&self.about) {
                let Subject { test, .. } = &bench.passes[place];
                if !self.ops.contains(&test.op) {
                    continue;
                }
                let Some(rule) = test.rule else {
                    of_cases.push(place);
                    continue;
                };
                let count = seen.entry((&*test.layout, test.op, rule.name())).or_default();
                *count += 1;
                // Those of no type have nothing in common.
                if *count <= OF_A_KIND || *test.layout == *PACKET {
                    variants.push(place);
                }
            }
            Passes { of_cases, variants }
        })
    }
}

/// Every fault in each of its directions, and in both.
pub(super) fn candidates<'f>(faults: &'f [Fault], bench: &Bench<'_>) -> Vec<Candidate<'f>> {
    let asks_both = bench.asks_both();
    let mut known = HashMap::new();
    let mut places = |about: &'f [Arc<str>], parts: &[Part<'_>]| {
        let ops = ops_of(parts);
        let places = || Arc::new(Places::of(bench, about, ops.clone()));
        Arc::clone(known.entry((about, ops.clone())).or_insert_with(places))
    };
    let mut of_id: BTreeMap<&str, Vec<&Fault>> = BTreeMap::new();
    let mut ids: Vec<&str> = Vec::new();
    for fault in faults {
        let id = fault.id.rsplit_once(':').map_or(fault.id.as_str(), |(id, _)| id);
        let same = of_id.entry(id).or_default();
        if same.is_empty() {
            ids.push(id);
        }
        same.push(fault);
    }
    let mut candidates = Vec::new();
    for id in ids {
        let same = of_id.remove(id).unwrap_or_default();
        let mut candidate = |faults: Vec<&'f Fault>, parts: Vec<Part<'f>>| {
            let places = places(&faults[0].about, &parts);
            Candidate { faults, parts, twins: Vec::new(), says_way: asks_both, only: None, place: None, places }
        };
        if same.len() > 1 && asks_both {
            candidates.push(candidate(same.clone(), same.iter().map(|fault| fault.part()).collect()));
        }
        for fault in same {
            let mut both = candidate(vec![fault], vec![fault.part()]);
            // What changes nothing but answers looks at the request itself.
            let is_of_codec = fault.mutation.answers.is_none() || fault.mutation.changes_written();
            if fault.op.is_none() && fault.mutation.directions() == (true, true) && is_of_codec {
                both.twins = vec![candidates.len() + 1, candidates.len() + 2];
                let of = |op| candidate(vec![fault], vec![Part { op: Some(op), ..fault.part() }]);
                let [reader, writer] = [Op::Decode, Op::Encode].map(of);
                candidates.extend([both, reader, writer]);
            } else {
                candidates.push(both);
            }
        }
    }
    candidates
}

/// What is true of reading or of writing alone.
fn in_one_way(sentence: &str, way: Option<Op>, says_way: bool) -> String {
    let way = match way {
        Some(Op::Decode) => "read",
        Some(Op::Encode) => "written",
        Some(Op::Reencode) | None => return sentence.to_owned(),
    };
    // A reader refuses and accepts; of a writer that is said.
    let of_readers: &[&str] = if way == "read" { &["refused", "accepted"] } else { &[] };
    let mut words = ["read", "written", "write", "filled"].iter().chain(of_readers);
    if let Some(both) = ["read and written", "read or written"].into_iter().find(|both| sentence.contains(both)) {
        sentence.replace(both, way)
    } else if !says_way || words.any(|word| sentence.contains(word)) {
        sentence.to_owned()
    } else {
        format!("{sentence}, when {way}")
    }
}
