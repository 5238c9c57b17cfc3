//! One test in two records: whether it changed, and whether that fails the gate.

use strum::{Display, VariantArray};
use variant_corpus::test::TestId;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_runner::record::TestRecord;
use variant_runner::results::{DetailSide, RecordedReply, TestResult};
use variant_runner::status::severity;

/// What happened to a test, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ChangeKind {
    /// It was no failure, and now is.
    Broken,
    /// It was no failure, and is no longer claimed or no longer tested.
    Lost,
    /// Its reply or verdict differs, and it is a failure both times or neither time; or a failure is no longer tested.
    Changed,
    /// It was not tested or not supported before.
    Added,
    /// It was a failure and no longer is, or it was a warning and now is right.
    Fixed,
}

#[derive(Debug, Clone, Copy)]
pub struct TestChange<'a> {
    /// The test's id, like `godot-3/vector2/negative-zero-keeps-its-sign:decode`.
    pub test: &'a TestId,
    /// What happened to the test.
    pub kind: ChangeKind,
    /// Whether the change fails the gate.
    pub gates: bool,
    /// Its result in the baseline.
    pub before: TestRecord<'a>,
    /// Its result in the record that is judged.
    pub now: TestRecord<'a>,
}

/// The verdict, as reports write it.
fn word(recorded: TestRecord<'_>) -> String {
    match recorded {
        TestRecord::Absent => "not tested".to_owned(),
        TestRecord::Passed => Verdict::Pass.name().to_owned(),
        // A verdict that is a failure elsewhere.
        TestRecord::Result(record) if severity(record) < record.verdict.severity() => {
            format!("warning/{}", record.verdict.word())
        }
        TestRecord::Result(record) => record.verdict.to_string(),
    }
}

/// The reply. For a test that passed, it is the expectation, if the other record has it.
pub(super) fn side<'a>(recorded: TestRecord<'a>, other: TestRecord<'a>) -> Option<&'a DetailSide> {
    let detail = |recorded| result(recorded).and_then(|result| result.detail.as_deref());
    match (detail(recorded), detail(other)) {
        (Some(detail), _) => Some(&detail.actual),
        (None, Some(other)) if weight(recorded) == Some(Severity::Right) => Some(&other.expected),
        (None, _) => None,
    }
}

pub(super) fn result(recorded: TestRecord<'_>) -> Option<&TestResult> {
    if let TestRecord::Result(result) = recorded { Some(result) } else { None }
}

/// The severity of a test; `None` if it was not tested or is not supported. An undecided test counts as a warning.
fn weight(recorded: TestRecord<'_>) -> Option<Severity> {
    match recorded {
        TestRecord::Absent => None,
        TestRecord::Passed => Some(Severity::Right),
        TestRecord::Result(record) if record.verdict == Verdict::NotSupported => None,
        TestRecord::Result(record) if severity(record) == Severity::Neutral => Some(Severity::Warning),
        TestRecord::Result(record) => Some(severity(record)),
    }
}

/// Whether there is a result that is so.
fn result_is(recorded: TestRecord<'_>, so: impl Fn(&TestResult) -> bool) -> bool {
    result(recorded).is_some_and(so)
}

impl TestChange<'_> {
    /// Whether the test is new and green: then it is counted, not shown.
    pub(super) fn is_quiet(&self) -> bool {
        self.kind == ChangeKind::Added && weight(self.now) == Some(Severity::Right)
    }

    /// The verdicts, in words: `pass → fail/wrong-bytes`.
    pub(super) fn verdicts(&self) -> String {
        let (before, now) = (word(self.before), word(self.now));
        if before == now { format!("{now}, with a different reply") } else { format!("{before} → {now}") }
    }

    /// The result that is wrong: that of now, or else of before.
    pub(super) fn wrong(&self) -> Option<&TestResult> {
        let is_wrong = |result: &&TestResult| severity(result) >= Severity::Warning;
        [self.now, self.before].into_iter().filter_map(result).find(is_wrong)
    }

    /// Whether it is a failure now that a list expects.
    pub(super) fn is_known(&self) -> bool {
        result_is(self.now, |record| record.expected_failure)
    }

    /// The bytes of what was sent, where they are recorded.
    pub(super) fn size(&self) -> Option<(bool, usize)> {
        result(self.now).map(TestResult::size)
    }

    /// Whether only the head's corpus has it, of two that differ.
    pub(super) fn waits(&self) -> bool {
        !self.gates && is_absent(self.before)
    }

    /// Whether the head does not have it.
    pub(super) fn is_gone(&self) -> bool {
        is_absent(self.now)
    }

    /// The sort key: what fails the gate comes first, then the graver kind, a crash before a wrong reply, and
    /// tests before variants.
    pub(super) fn order(&self) -> (bool, ChangeKind, bool, bool) {
        let dead = result_is(self.now, |record| record.verdict.is_deadly());
        (!self.gates, self.kind, !dead, self.test.parts().rule.is_some())
    }
}

fn is_absent(recorded: TestRecord<'_>) -> bool {
    matches!(recorded, TestRecord::Absent)
}

/// What of two records matters to each test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compared {
    pub(super) other_corpus: bool,
    pub(super) same_selection: bool,
    /// Whether replies of the first depend on earlier requests.
    pub(super) kept_state: bool,
}

/// What happened to a test from one record to the next; `None` if nothing did.
pub(super) fn between<'a>(
    test: &'a TestId,
    before: TestRecord<'a>,
    now: TestRecord<'a>,
    of: Compared,
) -> Option<TestChange<'a>> {
    // A test that did not run is reported elsewhere: the run says that it is incomplete, and so does its exit status.
    // And one that was skipped is reported with those of its kind that died, unless it passed before.
    let not_run = |recorded| result_is(recorded, |record| record.verdict.did_not_run());
    let skipped = result_is(now, |record| record.verdict == Verdict::Skipped);
    if skipped && weight(before) == Some(Severity::Right) {
        return Some(TestChange { test, kind: ChangeKind::Lost, gates: true, before, now });
    }
    if not_run(before) || not_run(now) {
        return None;
    }
    let unexpected = !result_is(now, |record| record.expected_failure);
    let failure = Some(Severity::Failure);
    let (kind, gates) = match (weight(before), weight(now)) {
        (None, None) => return None,
        (None, now) if now == failure => (ChangeKind::Added, unexpected && !(is_absent(before) && of.other_corpus)),
        (None, Some(_)) => (ChangeKind::Added, false),
        (was, None) if was == failure => (ChangeKind::Changed, false),
        // What was asked for in both records and is in one is lost, also where a corpus lacks it.
        (Some(_), None) => (ChangeKind::Lost, of.same_selection || !(is_absent(now) && of.other_corpus)),
        (Some(Severity::Right), Some(Severity::Right)) => return None,
        (Some(Severity::Warning | Severity::Failure), Some(Severity::Right)) => (ChangeKind::Fixed, false),
        (was, is) if was == is && is_same_result(before, now) => return None,
        (was, is) if was == failure && is != failure => (ChangeKind::Fixed, false),
        (was, is) if was != failure && is == failure => (ChangeKind::Broken, unexpected),
        // What passes in another order now is not worse than it was. Where state was kept, what is wrong in each order may
        // have had another reply in each.
        (_, severity) => {
            let is_wrong = |recorded| {
                result_is(recorded, |record| matches!(record.verdict, Verdict::Fail(_) | Verdict::NonCanonical))
            };
            let depends = result_is(now, |record| record.verdict == Verdict::OrderDependent);
            let excused = depends || of.kept_state && is_wrong(before) && is_wrong(now);
            (ChangeKind::Changed, severity == failure && unexpected && !excused)
        }
    };
    Some(TestChange { test, kind, gates, before, now })
}

/// Whether two results are the same, so far as runs can be compared.
fn is_same_result(before: TestRecord<'_>, now: TestRecord<'_>) -> bool {
    let (TestRecord::Result(before), TestRecord::Result(now)) = (before, now) else { return false };
    // Details of crashes, timeouts and nondeterministic replies differ in each run, so they are not compared.
    let compared =
        matches!(now.verdict, Verdict::Fail(_) | Verdict::NonCanonical | Verdict::DeclaredLoss | Verdict::Undecided);
    before.verdict == now.verdict && before.losses == now.losses && (!compared || same_answer(before, now))
}

fn same_answer(before: &TestResult, now: &TestResult) -> bool {
    let (Some(old), Some(new)) = (&before.detail, &now.detail) else { return before.answer == now.answer };
    let length = now.verdict != Verdict::Fail(Reason::WrongLength) || old.note == new.note;
    length
        && match (&before.reply, &now.reply) {
            // The wording of a refusal may change.
            (Some(RecordedReply::Refused(_)), Some(RecordedReply::Refused(_)))
            | (Some(RecordedReply::Unsupported(_)), Some(RecordedReply::Unsupported(_))) => true,
            // The length is in the note.
            (Some(RecordedReply::Value { json: old, .. }), Some(RecordedReply::Value { json: new, .. })) => old == new,
            (old, new) => old == new,
        }
}
