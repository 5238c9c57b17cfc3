//! What one failure shows: what is lacking, and where.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use variant_codec::Value;

use crate::difference::Difference;
use crate::feature::Feature;
use crate::lack::{Accepted, Lack};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::{Reason, Verdict};
use variant_wire::handshake::Op;

/// What a number is instead that has the opposite sign.
pub(crate) const OPPOSITE: &str = "-";

/// A test that did not pass, and the reply.
#[derive(Debug)]
pub struct Failure<'a> {
    /// The test.
    pub test: &'a Test,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why it failed, if the verdict is `fail`.
    pub reason: Option<Reason>,
    /// Whether it is amber only.
    pub amber: bool,
    /// The erratum by which the reply follows the other reading.
    pub erratum: Option<&'a str>,
    /// The reply.
    pub reply: Reply,
}

/// A reply, as far as it can be told.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A value, and the bytes consumed.
    Value(Value, Option<u64>),
    /// A packet.
    Bytes(Vec<u8>),
    /// A refusal, how the process ended, or anything else in words.
    Words(String),
}

/// A reply that is wrong, and how it is judged.
#[derive(Debug)]
pub struct Wrong<'a> {
    /// Its verdict.
    pub verdict: Verdict,
    /// Why it failed, if the verdict is `fail`.
    pub reason: Option<Reason>,
    /// The reply.
    pub reply: &'a Reply,
}

/// What a reply in a campaign lacks.
#[derive(Debug, Clone, Copy)]
pub struct Generated<'a> {
    /// What is lacking, and where.
    pub difference: &'a Difference,
    /// The layout that it is about.
    pub layout: &'a str,
    /// The operation that was requested.
    pub op: Op,
    /// The layouts in the packet.
    pub layouts: &'a [String],
}

/// What one failure shows.
#[derive(Debug, Clone)]
pub struct Symptom {
    /// The id of the test.
    pub(crate) test: String,
    /// The id without rule and operation.
    pub(crate) case: String,
    pub(crate) layout: Arc<str>,
    pub(crate) layouts: Arc<BTreeSet<Arc<str>>>,
    pub(crate) op: Op,
    pub(crate) rule: Option<Rule>,
    pub(crate) amber: bool,
    /// Whether it refuses what is valid.
    pub(crate) refused: bool,
    /// What is wrong with a packet that must be refused.
    pub(crate) invalid: Option<Accepted>,
    /// How many bytes its packet has.
    pub(crate) size: usize,
    pub(crate) difference: Difference,
    pub(crate) features: BTreeSet<Feature>,
    /// What the value of its packet ends with: after it, the place may be lost.
    pub(crate) tail: String,
    /// What ends before something else in the packet that is read: the place may be lost there. `true`: with padding,
    /// or a wide number.
    pub(crate) ends: Vec<(String, bool)>,
    /// Whether the reply is right under the other reading.
    pub(crate) as_other: bool,
    /// The erratum by which the two readings differ here.
    pub(crate) erratum: Option<String>,
    /// The numbers of a row, or of the elements of an array, that are wrong, if nothing else is.
    pub(crate) components: Vec<WrongComponent>,
    /// How many numbers the row has, or an element.
    pub(crate) arity: usize,
    /// Whether it is a row of integers.
    pub(crate) integers: bool,
    /// How many bytes an element takes, of an array of numbers.
    pub(crate) element: Option<usize>,
    /// A value that was read, and how many bytes it took.
    pub(crate) read: Option<ReadHash>,
    /// How many bytes the value takes, and how many it took in the reply, each with its header.
    pub(crate) sizes: Option<(usize, usize)>,
    /// Whether the bytes consumed are all that was sent, with what is behind the value.
    pub(crate) took_all: bool,
    /// How many levels of values within values its packet has.
    pub(crate) levels: usize,
}

/// A number of a row, or of an element, that is wrong.
#[derive(Debug, Clone)]
pub(crate) struct WrongComponent {
    /// Its name: `origin.x`.
    pub(crate) name: String,
    /// What it is instead: another number of the row, or always the same.
    pub(crate) instead: BTreeSet<String>,
}

/// A value that was read, to be compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadHash {
    value: u64,
    used: u64,
}

impl ReadHash {
    pub(crate) fn of(reply: &Reply) -> Option<Self> {
        let Reply::Value(value, Some(used)) = reply else { return None };
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        Some(Self { value: hasher.finish(), used: *used })
    }
}

impl Symptom {
    /// What a reply in a campaign shows: there is no test.
    pub(crate) fn generated(found: &Generated<'_>) -> Self {
        let layout: Arc<str> = Arc::from(found.layout);
        Self {
            test: String::new(),
            case: String::new(),
            layouts: Arc::new(found.layouts.iter().map(|layout| Arc::from(layout.as_str())).collect()),
            op: found.op,
            rule: None,
            amber: false,
            refused: matches!(found.difference.lack, Lack::Refuses(_) | Lack::RefusesWhere(_) | Lack::Unsupported(_)),
            invalid: if let Lack::Accepts(what) = found.difference.lack { Some(what) } else { None },
            size: 0,
            difference: found.difference.clone(),
            features: BTreeSet::new(),
            tail: layout.to_string(),
            ends: Vec::new(),
            as_other: false,
            erratum: None,
            components: Vec::new(),
            arity: 1,
            integers: false,
            element: None,
            read: None,
            sizes: None,
            took_all: false,
            levels: 0,
            layout,
        }
    }

    /// The bit that a test of header flags sets.
    pub(crate) fn bit(&self) -> Option<u32> {
        self.test.split_once("~flag-").and_then(|(_, rest)| rest.split(':').next()?.parse().ok())
    }
}
