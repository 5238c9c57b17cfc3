//! Asks: a case, an operation and a dialect, with what is expected.

mod derive;

use std::sync::Arc;

use variant_specs::{Dialect, Reading, Specs};

use crate::corpus::{Case, Class, Corpus, Expectation, File, Level};
use crate::hello::Op;
use crate::implementation::{Question, Request};
use crate::problem::Problem;

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

/// How an ask was derived from its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The packet ends early.
    TruncatedAt,
    /// Other bytes follow the packet.
    FollowedByBytes,
    /// The value stands in an array before an int.
    InArray,
    /// The value stands in a dictionary before another entry.
    InDictionary,
}

impl Rule {
    /// Its name, as in ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruncatedAt => "truncated-at",
            Self::FollowedByBytes => "followed-by-bytes",
            Self::InArray => "in-array",
            Self::InDictionary => "in-dictionary",
        }
    }
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
    derived: bool,
) -> Result<Vec<Ask>, Problem> {
    let name: Arc<str> = dialect.name.as_str().into();
    let mut asks = Vec::new();
    for (file, case) in corpus.cases_of(dialect) {
        let frame = Frame { file, case: Arc::new(case.clone()), dialect, name: &name };
        let expected = frame.expectation(reading)?;
        let erratum = case.document.as_ref().map(|document| document.erratum.as_str());
        frame.add(&mut asks, None, "", &expected, erratum);
        if derived && expected.class == Class::Canonical {
            for derived in derive::derive(&expected, dialect, reading) {
                let by_rule = derived.departs_by.and_then(|rule| specs.erratum_of_rule(rule));
                let erratum = by_rule.map(|erratum| erratum.id.as_str()).or(erratum);
                frame.add(&mut asks, Some(derived.rule), &derived.suffix, &derived.expected, erratum);
            }
        }
    }
    Ok(asks)
}

struct Frame<'a> {
    file: &'a File,
    case: Arc<Case>,
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

    fn add(
        &self,
        asks: &mut Vec<Ask>,
        rule: Option<Rule>,
        suffix: &str,
        expected: &Expectation,
        erratum: Option<&str>,
    ) {
        for op in ops(expected) {
            asks.push(Ask {
                id: format!("{}/{}/{}{suffix}:{}", self.name, self.file.layout, self.case.name, op.name()),
                op,
                dialect: Arc::clone(self.name),
                layout: self.file.layout.as_str().into(),
                case: Arc::clone(&self.case),
                file: self.file.path.as_str().into(),
                rule,
                expected: expected.clone(),
                erratum: erratum.map(str::to_owned),
            });
        }
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
