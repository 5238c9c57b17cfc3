//! Asks: a case, an operation and a dialect, with what is expected.

mod derive;

use std::collections::BTreeSet;
use std::sync::Arc;

use variant_specs::{Dialect, Reading, Specs};

use crate::corpus::{Case, Class, Corpus, Expectation, File, Level};
use crate::hello::Op;
use crate::implementation::{Question, Request};
use crate::problem::Problem;

pub use derive::Rule;
use derive::{Derived, Parent};

/// One thing to ask of an implementation, and what is expected.
#[derive(Debug, Clone)]
pub struct Ask {
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
    /// The rule by which it was derived; `None` where a person wrote it.
    pub rule: Option<Rule>,
    /// What is asked and expected.
    pub expected: Expectation,
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
const DEEPEST_VALUE: usize = 48;

/// Every ask of a dialect, in the order of its type ids.
///
/// # Errors
/// The first case whose value or listing does not belong in the dialect.
pub fn asks(
    corpus: &Corpus,
    specs: &Specs,
    dialect: &Dialect,
    reading: Reading,
    derivation: Derivation,
) -> Result<Vec<Ask>, Problem> {
    let name: Arc<str> = dialect.name.as_str().into();
    let mut asks = Vec::new();
    let mut begun = BTreeSet::new();
    for (file, case) in corpus.cases_of(dialect) {
        let frame = Frame { file, case: Arc::new(case.clone()), specs, dialect, name: &name };
        let expected = frame.expectation(reading)?;
        for op in ops(&expected) {
            frame.add(&mut asks, op, None, &expected);
        }
        if derivation == Derivation::None {
            continue;
        }
        let first = expected.class == Class::Canonical && begun.insert(&file.layout);
        let parent = Parent { case, expected: &expected, dialect, reading, first };
        for derived in derive::derive(parent) {
            for op in derived.op.map_or_else(|| ops(&derived.expected), |op| vec![op]) {
                frame.add(&mut asks, op, Some(&derived), &derived.expected);
            }
        }
    }
    asks.retain(|ask| ask.rule.is_none() || derivation == Derivation::All || sampled(&ask.id));
    Ok(asks)
}

/// One in eight, by the name alone: FNV-1a.
fn sampled(id: &str) -> bool {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash.is_multiple_of(8)
}

struct Frame<'a> {
    file: &'a File,
    case: Arc<Case>,
    specs: &'a Specs,
    dialect: &'a Dialect,
    name: &'a Arc<str>,
}

impl Frame<'_> {
    fn expectation(&self, reading: Reading) -> Result<Expectation, Problem> {
        let side = self.case.side(reading);
        side.expectation(self.dialect).map_err(|message| {
            self.file.problem(self.case.line, format!("case {} in {}: {message}", self.case.name, self.dialect.name))
        })
    }

    fn add(&self, asks: &mut Vec<Ask>, op: Op, derived: Option<&Derived>, expected: &Expectation) {
        let suffix = derived.map(|derived| format!("~{}", derived.suffix)).unwrap_or_default();
        let (erratum, exempt) = self.erratum(derived);
        let mut expected = expected.clone();
        if exempt {
            expected.class = Class::Open;
        }
        asks.push(Ask {
            id: format!("{}/{}/{}{suffix}:{}", self.name, self.file.layout, self.case.name, op.name()),
            op,
            dialect: Arc::clone(self.name),
            layout: self.file.layout.as_str().into(),
            case: Arc::clone(&self.case),
            file: self.file.path.as_str().into(),
            rule: derived.map(|derived| derived.rule),
            expected,
            erratum,
        });
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

/// What is asked of a case.
fn ops(expected: &Expectation) -> Vec<Op> {
    let deep = expected.value.as_ref().is_some_and(|value| value.value.depth() > DEEPEST_VALUE);
    match expected.class {
        Class::Canonical if deep => vec![Op::Reencode],
        Class::Canonical => vec![Op::Decode, Op::Encode],
        Class::Readable => vec![Op::Decode],
        Class::Invalid | Class::Open if expected.packet.is_some() => vec![Op::Decode],
        Class::Invalid | Class::Open => vec![Op::Encode],
    }
}

impl Ask {
    /// Whether encoders may differ: decoders never may.
    pub fn level(&self) -> Level {
        if self.op == Op::Decode { Level::Must } else { self.case.level }
    }

    /// The request that asks it; `None` where the case gives nothing to ask with.
    pub fn request(&self) -> Option<Request> {
        let packet = || self.expected.packet.as_ref().map(|packet| packet.bytes.clone());
        let question = match self.op {
            Op::Decode => Question::Decode(packet()?),
            Op::Reencode => Question::Reencode(packet()?),
            Op::Encode => Question::Encode(self.expected.value.as_ref()?.value.clone()),
        };
        Some(Request { dialect: Arc::clone(&self.dialect), question, objects: false })
    }
}
