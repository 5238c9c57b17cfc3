//! What causes are found from: the tests of a run, and what was replied to those that failed.

use std::collections::HashSet;

use variant_corpus::test::{Test, TestId};
use variant_corpus::verdict::Verdict;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::Handshake;
use variant_values::implementation::Answer;

/// A test that failed, and what the implementation replied.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The id of the test.
    pub test: TestId,
    /// How it ended.
    pub verdict: Verdict,
    /// The path of the first field that is not as expected.
    pub field: Option<String>,
    /// The erratum by which the reply is that that the other judge expects.
    pub erratum: Option<String>,
    /// The reply.
    pub answer: Answer,
    /// The line in which a process said what ended it.
    pub said: Option<String>,
    /// The digest of a reply that is too long to be recorded. It is compared by that.
    pub whole: Option<String>,
    /// Whether the reply depends on what was sent before: no fault explains it.
    pub depends: bool,
}

/// The tests of a run, and what the implementation claims.
#[derive(Debug, Clone, Copy)]
pub struct RunTests<'a> {
    /// The dialects.
    pub specs: &'a Specs,
    /// The dialect of the tests.
    pub dialect: &'a Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// What the implementation claims, and declares as lossy.
    pub handshake: &'a Handshake,
    /// The tests of this dialect that failed or passed.
    pub tests: &'a [&'a Test],
    /// Those that pass only by a loss that is declared.
    pub lossy: &'a HashSet<TestId>,
}
