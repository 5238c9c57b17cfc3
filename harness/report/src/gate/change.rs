//! One ask in two records: whether it changed, and how much that weighs.

use variant_corpus::verdict::spelled;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_runner::results::{Detail, TestResult};
use variant_runner::summary::severity;

/// What one record says of an ask.
#[derive(Debug, Clone, Copy)]
pub enum State<'a> {
    /// Nothing: it was not among those asked.
    Absent,
    /// It passed, and was only counted.
    Passed,
    /// This.
    RunRecord(&'a TestResult),
}

/// What happened to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It was not red, and is.
    Broken,
    /// It was answered, and is no longer claimed, or no longer asked.
    Lost,
    /// It answers otherwise, neither of them right, or both.
    Changed,
    /// It was not asked before.
    Added,
    /// It was red, and is not.
    Mended,
}

/// An ask that changed.
#[derive(Debug, Clone, Copy)]
pub struct TestChange<'a> {
    /// The ask.
    pub test: &'a str,
    /// What happened.
    pub kind: ChangeKind,
    /// Whether that fails the gate.
    pub gates: bool,
    /// What it was.
    pub before: State<'a>,
    /// What it is.
    pub now: State<'a>,
}

/// What weighs how much.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The head was run on a newer corpus.
    pub(super) newer: bool,
    /// What the baseline does not have gates where it is red.
    pub(super) added_gate: bool,
    /// Any change gates.
    pub(super) strict: bool,
}

impl ChangeKind {
    /// Every kind, the gravest first.
    pub const ALL: [Self; 5] = [Self::Broken, Self::Lost, Self::Changed, Self::Added, Self::Mended];

    /// The word of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Lost => "lost",
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Mended => "mended",
        }
    }
}

impl State<'_> {
    /// The verdict, as reports write it.
    pub fn word(&self) -> String {
        match self {
            Self::Absent => "not asked".to_owned(),
            Self::Passed => Verdict::Pass.name().to_owned(),
            Self::RunRecord(record) => spelled(record.verdict, record.reason),
        }
    }

    /// The lines of the reply; those that were expected where it passed and the other side knows them.
    pub fn lines(&self, other: &Self) -> Vec<String> {
        match (self.detail(), other.detail()) {
            (Some(detail), _) => detail.actual.lines(),
            (None, Some(other)) if self.weight() == Weight::Well => other.expected.lines(),
            (None, _) => Vec::new(),
        }
    }

    fn detail(&self) -> Option<&Detail> {
        match self {
            Self::RunRecord(record) => record.detail.as_deref(),
            Self::Absent | Self::Passed => None,
        }
    }

    fn weight(&self) -> Weight {
        let record = match self {
            Self::Absent => return Weight::Nothing,
            Self::Passed => return Weight::Well,
            Self::RunRecord(record) => record,
        };
        match (record.verdict, severity(record)) {
            (Verdict::NotClaimed, _) => Weight::Nothing,
            (Verdict::NotRun, _) => Weight::NotRun,
            (_, Severity::Green) => Weight::Well,
            (_, Severity::Neutral | Severity::Amber) => Weight::Doubtful,
            (_, Severity::Red) => Weight::Red { expected: record.expected_failure },
        }
    }
}

/// How a verdict weighs for the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Not asked, or not claimed.
    Nothing,
    /// It was to be asked. The run says that it is incomplete, and so does its exit status.
    NotRun,
    Well,
    Doubtful,
    Red {
        expected: bool,
    },
}

impl TestChange<'_> {
    /// New and as it should be: counted, not shown.
    pub(super) fn is_quiet(&self) -> bool {
        self.kind == ChangeKind::Added && self.now.weight() == Weight::Well
    }

    /// What gates first, then the gravest; authored before derived; a death before a wrong answer.
    pub(super) fn order(&self) -> (bool, ChangeKind, bool, bool) {
        let dead = match self.now {
            State::RunRecord(record) => matches!(record.verdict, Verdict::Crashed | Verdict::TimedOut),
            State::Absent | State::Passed => false,
        };
        (!self.gates, self.kind, !dead, self.test.contains('~'))
    }
}

/// What happened to an ask from one record to the next; `None` where nothing did.
pub(super) fn between<'a>(test: &'a str, before: State<'a>, now: State<'a>, rules: Rules) -> Option<TestChange<'a>> {
    use Weight::{Doubtful, NotRun, Nothing, Red, Well};
    let is_gone = matches!(now, State::Absent);
    let (kind, gates) = match (before.weight(), now.weight()) {
        (_, NotRun) | (NotRun, _) | (Nothing, Nothing) => return None,
        (Nothing, Red { expected }) => {
            let asked = matches!(before, State::RunRecord(_));
            (ChangeKind::Added, !expected && (asked || rules.added_gate))
        }
        (Nothing, Well | Doubtful) => (ChangeKind::Added, false),
        // What a newer corpus no longer asks is not lost by the implementation.
        (Well | Doubtful | Red { .. }, Nothing) => (ChangeKind::Lost, !(is_gone && rules.newer)),
        (Red { .. }, Well | Doubtful) => (ChangeKind::Mended, false),
        (Well | Doubtful, Red { expected }) => (ChangeKind::Broken, !expected),
        (Well, Well) => return None,
        (Doubtful, Well) => (ChangeKind::Mended, false),
        (Red { .. }, Red { .. }) if alike(before, now) => return None,
        (Red { .. }, Red { expected }) => (ChangeKind::Changed, !expected),
        (Well | Doubtful, Doubtful) if alike(before, now) => return None,
        (Well | Doubtful, Doubtful) => (ChangeKind::Changed, false),
    };
    // New cases are not held against anybody until their corpus is.
    let strict = rules.strict && (kind != ChangeKind::Added || rules.added_gate && !matches!(now.weight(), Well));
    Some(TestChange { test, kind, gates: gates || strict, before, now })
}

/// Whether two findings say the same.
fn alike(before: State<'_>, now: State<'_>) -> bool {
    let (State::RunRecord(before), State::RunRecord(now)) = (before, now) else { return false };
    if (before.verdict, before.reason) != (now.verdict, now.reason) || before.relaxed != now.relaxed {
        return false;
    }
    match now.verdict {
        // How a process dies, how late an answer comes and what two unlike answers are is not the same twice.
        Verdict::Crashed
        | Verdict::TimedOut
        | Verdict::Garbled
        | Verdict::OrderDependent
        | Verdict::Nondeterministic
        | Verdict::Resource
        | Verdict::NotClaimed
        | Verdict::NotRun
        | Verdict::Pass => true,
        Verdict::Fail | Verdict::NonCanonical | Verdict::Relaxed | Verdict::Open => same_answer(before, now),
    }
}

fn same_answer(before: &TestResult, now: &TestResult) -> bool {
    let (Some(old), Some(new)) = (&before.detail, &now.detail) else { return before.answer == now.answer };
    // The words of a refusal are its own business.
    let word = |answer: &str| ["refused:", "unsupported:"].into_iter().find(|word| answer.starts_with(word));
    let length = now.reason != Some(Reason::WrongLength) || old.note == new.note;
    length && (old.answer == new.answer || word(&old.answer).is_some() && word(&old.answer) == word(&new.answer))
}
