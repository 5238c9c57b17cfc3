//! What a cause is.

use std::collections::BTreeSet;

use variant_corpus::test::TestId;
use variant_values::handshake::Op;

use super::seen::Seen;
use super::subject::Subject;

/// Why some tests failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The name of the fault, or words of what is seen: `length-in-characters`.
    pub id: String,
    /// What is wrong, in a sentence.
    pub headline: String,
    /// The types of its tests.
    pub types: Vec<String>,
    /// The operations of its tests.
    pub ops: Vec<Op>,
    /// The tests that fail because of it.
    pub tests: Vec<TestId>,
    /// The tests that it explains alone, the simplest first; all, if there is none.
    pub samples: Vec<TestId>,
    /// Whether the implementation ends, or hangs: nothing matters more.
    pub deadly: bool,
    /// The fault that gives the same replies; `None` if there is no model, and the headline says what is seen.
    pub proof: Option<Proof>,
    /// What is seen, if there is no model.
    pub seen: Option<Seen>,
}

/// In how many tests a codec with a fault gives the same reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Tests in which the reply is the same.
    pub same: usize,
    /// Tests in which the fault changes the reply.
    pub of: usize,
    /// Other tests that belong to it: those that show it only beside another, or send on what was read wrongly.
    pub more: usize,
    /// What to do, where that is more than to do it right.
    pub advice: Option<String>,
}

impl Cause {
    /// The figure of its proof: `same reply in 377 of 377`, and how many others belong to it.
    pub fn figure(&self) -> Option<String> {
        let Proof { same, of, more, .. } = self.proof.as_ref()?;
        let more = match more {
            0 => String::new(),
            1 => ", and 1 more belongs to it".to_owned(),
            more => format!(", and {more} more belong to it"),
        };
        Some(format!("same reply in {same} of {of}{more}"))
    }
}

/// The id of the cause of replies that depend on what was sent before.
pub const OF_ORDER: &str = "depends-on-earlier-requests";

/// The ids of tests, the smallest first, and of those the first type. A variant, or a case with nothing in it, counts as four
/// times its size: what a case with content shows is easier to see.
pub(super) fn simplest_first<'a>(tests: impl Iterator<Item = &'a Subject<'a>>) -> Vec<TestId> {
    let mut tests: Vec<&Subject<'_>> = tests.collect();
    let is_empty = |subject: &Subject<'_>| subject.test.case.tags.iter().any(|tag| tag == "empty");
    let weight = |subject: &Subject<'_>| {
        let is_plain = subject.is_of_case() && !is_empty(subject);
        if is_plain { subject.size() } else { 4 * subject.size() }
    };
    tests.sort_by_key(|subject| (weight(subject), !subject.is_of_case(), subject.place));
    tests.into_iter().map(|subject| subject.test.id.clone()).collect()
}

impl Cause {
    /// The cause of these failures, without a proof.
    pub(super) fn of(id: String, headline: String, subjects: &[&Subject<'_>]) -> Self {
        let types: BTreeSet<&str> = subjects.iter().map(|subject| subject.layout()).collect();
        let ops: BTreeSet<Op> = subjects.iter().map(|subject| subject.test.op).collect();
        Self {
            id,
            headline,
            types: types.into_iter().map(str::to_owned).collect(),
            ops: ops.into_iter().collect(),
            tests: subjects.iter().map(|subject| subject.test.id.clone()).collect(),
            samples: simplest_first(subjects.iter().copied()),
            deadly: subjects.iter().any(|subject| subject.is_deadly()),
            proof: None,
            seen: None,
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.tests.extend(other.tests);
        self.samples.extend(other.samples);
        self.types = self.types.drain(..).chain(other.types).collect::<BTreeSet<_>>().into_iter().collect();
        self.ops = self.ops.drain(..).chain(other.ops).collect::<BTreeSet<_>>().into_iter().collect();
        self.deadly |= other.deadly;
        if let (Some(seen), Some(other)) = (&mut self.seen, other.seen) {
            seen.join(other);
            self.headline = seen.headline(&self.ops);
        }
        if let (Some(proof), Some(other)) = (&mut self.proof, other.proof) {
            proof.same += other.same;
            proof.of += other.of;
        }
    }
}
