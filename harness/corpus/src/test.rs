//! Asks: a case, an operation and a dialect, with what is expected.

mod derive;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::Value;
use variant_specs::{Dialect, LayoutId, Reading, Specs};

use crate::{Case, CaseReading, Class, Corpus, Expectation, File, Level};
use variant_wire::diagnostic::Problem;
use variant_wire::fields::layout_id_of;
use variant_wire::handshake::Op;
use variant_wire::implementation::{Implementation, ImplementationError, Input, Outcome, Request};

pub use derive::Rule;
use derive::{Derived, Parent};

/// One thing to ask of an implementation, and what is expected.
#[derive(Debug, Clone)]
pub struct Test {
    /// `godot-3/vector2/negative-zero-keeps-its-sign:decode`; `~rule` behind the name where derived.
    pub id: String,
    /// The operation.
    pub op: Op,
    /// The dialect's name.
    pub dialect: Arc<str>,
    /// The layout of the case's file, or `packet`.
    pub layout: Arc<str>,
    /// The case that it comes from.
    pub case: Arc<Case>,
    /// The case's file.
    pub file: Arc<str>,
    /// Every layout that stands in the value or in the packet, or in those that it was derived from: an
    /// implementation must claim them all to be asked.
    pub layouts: Arc<BTreeSet<Arc<str>>>,
    /// The rule by which it was derived; `None` where a person wrote it.
    pub rule: Option<Rule>,
    /// What is asked and expected.
    pub expected: Arc<Expectation>,
    /// The erratum by which the other reading differs, where it does.
    pub erratum: Option<String>,
}

/// Which derived asks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivation {
    /// None.
    None,
    /// One in eight, always the same ones.
    Some,
    /// All.
    All,
}

/// Packets nested deeper than this are asked by `reencode` only: JSON would be the limit, not the codec.
pub(crate) const DEEPEST_VALUE: usize = 48;
/// Readers of JSON stop at 128 levels, and a reply is one more than its value.
const MOST_LEVELS: usize = 120;

/// Every ask of a dialect, in the order of its type ids.
///
/// # Errors
/// The first case whose value or listing does not belong in the dialect.
pub fn tests(
    corpus: &Corpus,
    specs: &Specs,
    dialect: &Dialect,
    reading: Reading,
    derivation: Derivation,
) -> Result<Vec<Test>, Problem> {
    tests_of(corpus, specs, dialect, reading, derivation, &|_| true)
}

/// Those of some cases: of which is told by a case's id, `godot-3/vector2/negative-zero-keeps-its-sign`.
///
/// # Errors
/// As [`asks`].
pub fn tests_of(
    corpus: &Corpus,
    specs: &Specs,
    dialect: &Dialect,
    reading: Reading,
    derivation: Derivation,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Test>, Problem> {
    let name: Arc<str> = dialect.name.as_str().into();
    let mut tests = Vec::new();
    let mut begun = BTreeSet::new();
    for (file, case) in corpus.cases_of(dialect) {
        let first = case.side(reading).class == Class::Canonical && begun.insert(&file.layout);
        if !wanted(&format!("{name}/{}/{}", file.layout, case.name)) {
            continue;
        }
        let frame = Frame::new(file, case, specs, dialect, &name, reading);
        let expected = Arc::new(frame.expectation(reading)?);
        let ops_of_case = if case.reencode { vec![Op::Reencode] } else { ops(&expected) };
        frame.add(&mut tests, &ops_of_case, None, &expected);
        if derivation == Derivation::None {
            continue;
        }
        let parent = Parent { case, expected: &expected, dialect, reading, first };
        for derived in derive::derive(parent) {
            let ops = derived.op.map_or_else(|| ops(&derived.expected), |op| vec![op]);
            frame.add(&mut tests, &ops, Some(&derived), &derived.expected);
        }
    }
    tests.retain(|test| test.rule.is_none() || derivation == Derivation::All || sampled(&test.id));
    Ok(tests)
}

/// One in eight, by the name alone.
fn sampled(id: &str) -> bool {
    hash(id).is_multiple_of(8)
}

/// The same number for the same text, everywhere and always: FNV-1a.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

struct Frame<'a> {
    file: &'a File,
    case: &'a Arc<Case>,
    specs: &'a Specs,
    dialect: &'a Dialect,
    name: &'a Arc<str>,
    layout: Arc<str>,
    path: Arc<str>,
    /// The file's layout, and those whose headers stand in the case's listing: nearly always all that there are, so
    /// that the asks of a case share them.
    layouts: Arc<BTreeSet<Arc<str>>>,
}

impl<'a> Frame<'a> {
    fn new(
        file: &'a File,
        case: &'a Arc<Case>,
        specs: &'a Specs,
        dialect: &'a Dialect,
        name: &'a Arc<str>,
        reading: Reading,
    ) -> Self {
        let layout: Arc<str> = file.layout.as_str().into();
        let mut layouts = headers(case.side(reading), dialect);
        if file.is_of_a_type() {
            layouts.insert(Arc::clone(&layout));
        }
        let path = file.path.as_str().into();
        Self { file, case, specs, dialect, name, layout, path, layouts: Arc::new(layouts) }
    }

    fn expectation(&self, reading: Reading) -> Result<Expectation, Problem> {
        let side = self.case.side(reading);
        side.expectation(self.dialect).map_err(|message| {
            self.file.problem(self.case.line, format!("case {} in {}: {message}", self.case.name, self.dialect.name))
        })
    }

    /// One ask for each operation; they share what is expected.
    fn add(&self, tests: &mut Vec<Test>, ops: &[Op], derived: Option<&Derived>, expected: &Arc<Expectation>) {
        let suffix = derived.map(|derived| format!("~{}", derived.suffix)).unwrap_or_default();
        let (erratum, exempt) = self.erratum(derived);
        let mut expected = Arc::clone(expected);
        if exempt {
            Arc::make_mut(&mut expected).class = Class::Open;
        }
        let layouts = self.layouts(&expected);
        tests.extend(ops.iter().map(|op| Test {
            id: format!("{}/{}/{}{suffix}:{}", self.name, self.layout, self.case.name, op.name()),
            op: *op,
            dialect: Arc::clone(self.name),
            layout: Arc::clone(&self.layout),
            case: Arc::clone(self.case),
            file: Arc::clone(&self.path),
            layouts: Arc::clone(&layouts),
            rule: derived.map(|derived| derived.rule),
            expected: Arc::clone(&expected),
            erratum: erratum.clone(),
        }));
    }

    fn layouts(&self, expected: &Expectation) -> Arc<BTreeSet<Arc<str>>> {
        let mut ids: BTreeSet<LayoutId> = BTreeSet::new();
        let (mut values, mut last) = (Vec::from_iter(expected.value.iter().map(|value| &value.value)), None);
        while let Some(value) = values.pop() {
            // Neighbours are mostly alike.
            let id = layout_id_of(value, &self.dialect.layouts);
            if id != last {
                ids.extend(id);
                last = id;
            }
            values.extend(value.children());
        }
        let names = ids.into_iter().map(|id| self.dialect.layouts.get(id).name.as_str());
        let others: Vec<&str> = names.filter(|name| !self.layouts.contains(*name)).collect();
        if others.is_empty() {
            return Arc::clone(&self.layouts);
        }
        Arc::new(self.layouts.iter().cloned().chain(others.into_iter().map(Arc::from)).collect())
    }

    /// The erratum that an ask is about, and whether engines are exempt from its rule by it.
    fn erratum(&self, derived: Option<&Derived>) -> (Option<String>, bool) {
        let of_rule = derived.and_then(|derived| {
            let (layout, field) = derived.about.as_ref().map_or(("", ""), |(layout, field)| (layout, field));
            let (erratum, concern) = self.specs.erratum_of_derived(derived.rule.name(), layout, field)?;
            Some((Some(erratum.id.clone()), concern.exempts_negative && derived.negative))
        });
        let of_case = || self.case.document.as_ref().map(|document| document.erratum.clone());
        of_rule.unwrap_or_else(|| (of_case(), false))
    }
}

/// Puts asks to an implementation, each under a name of the caller's, and tells what came of each, in any order. An ask
/// that gives nothing to ask with is passed over.
///
/// # Errors
/// As [`Implementation::ask`].
pub fn send_all<'a, N: Copy>(
    implementation: &mut (impl Implementation + ?Sized),
    tests: impl Iterator<Item = (N, &'a Test)>,
    mut tell: impl FnMut(N, Outcome),
) -> Result<(), ImplementationError> {
    // What was asked at each place: an implementation answers by that.
    let places = RefCell::new(Vec::new());
    let mut requests = tests.filter_map(|(name, test)| {
        let request = test.request()?;
        places.borrow_mut().push(name);
        Some(request)
    });
    implementation.send(&mut requests, &mut |place, outcome| {
        let name = places.borrow().get(place).copied();
        if let Some(name) = name {
            tell(name, outcome);
        }
    })
}

/// The layouts whose headers stand in a listing.
fn headers(side: &CaseReading, dialect: &Dialect) -> BTreeSet<Arc<str>> {
    let Some(listing) = &side.listing else { return BTreeSet::new() };
    let Ok(packet) = listing.packet(dialect) else { return BTreeSet::new() };
    let headers = listing.rows.iter().filter(|row| row.field() == "header");
    let words = headers.filter_map(|row| packet.bytes.get(row.bytes())?.try_into().map(u32::from_le_bytes).ok());
    let types = words.filter_map(|word| dialect.type_of(word & dialect.header.id_mask));
    types.map(|entry| Arc::from(dialect.layout(entry).name.as_str())).collect()
}

/// What is asked of a case.
fn ops(expected: &Expectation) -> Vec<Op> {
    let deep = expected.value.as_ref().is_some_and(|value| is_deep(&value.value));
    match expected.class {
        Class::Canonical if deep => vec![Op::Reencode],
        Class::Canonical => vec![Op::Decode, Op::Encode],
        Class::Readable => vec![Op::Decode],
        Class::Invalid | Class::Open if expected.packet.is_some() => vec![Op::Decode],
        Class::Invalid | Class::Open => vec![Op::Encode],
    }
}

/// Whether a value is asked by `reencode` only: arrays are two levels of JSON each, dictionaries and arrays
/// of a type three, objects four.
pub fn is_deep(value: &Value) -> bool {
    fn levels(value: &Value) -> usize {
        let untyped = matches!(value, Value::Array(array) if array.of.is_none());
        let own = if untyped { 2 } else { 3 + usize::from(matches!(value, Value::Object(_))) };
        own + value.children().into_iter().map(levels).max().unwrap_or(0)
    }
    value.depth() > DEEPEST_VALUE || levels(value) > MOST_LEVELS
}

impl Test {
    /// Whether implementations must follow it. The one form that a case gives a value may be good practice for
    /// encoders; decoders must read it all the same.
    pub fn level(&self) -> Level {
        let decoded = self.op == Op::Decode && self.expected.class == Class::Canonical;
        if decoded || self.rule.is_some() && self.op == Op::Decode { Level::Must } else { self.case.level }
    }

    /// The request that asks it; `None` where the case gives nothing to ask with.
    pub fn request(&self) -> Option<Request> {
        let packet = || self.expected.packet.as_ref().map(|packet| packet.bytes.clone());
        let input = match self.op {
            Op::Decode => Input::Decode(packet()?),
            Op::Reencode => Input::Reencode(packet()?),
            Op::Encode => Input::Encode(self.expected.value.as_ref()?.value.clone()),
        };
        Some(Request {
            dialect: Arc::clone(&self.dialect),
            input,
            objects: self.case.objects,
            framing: self.case.framing,
        })
    }
}
