//! What can be said of a type: it is read, written, exact, safe. This is the one place that decides it.

use serde::Serialize;
use strum::{EnumMessage, IntoStaticStr, VariantArray};
use variant_corpus::rarity::Rarity;
use variant_corpus::verdict::{Severity, Verdict};
use variant_values::handshake::Op;

use crate::results::TestResult;
use crate::status::{CellStatus, severity};

/// What can be said of a type. Everything that shows results shows these four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, EnumMessage, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Ability {
    /// decodes what ordinary programs send
    Reads,
    /// encodes what ordinary programs send; other bytes of the same value count
    Writes,
    /// reads and writes what is rare too, byte for byte
    Exact,
    /// refuses hostile input, and never crashes, hangs or takes too much
    Safe,
}

impl Ability {
    /// Its word in reports: `reads`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its letter where there is little room: `R`.
    pub fn letter(self) -> char {
        char::from(self.name().as_bytes()[0].to_ascii_uppercase())
    }

    /// What it means, as a legend says it: its comment here.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}

/// The word of an ability's mark: `yes`.
pub fn word(mark: CellStatus) -> &'static str {
    match mark {
        CellStatus::Ok => "yes",
        CellStatus::Fail | CellStatus::Warning => "no",
        CellStatus::Undecided => "-",
        other => other.word(),
    }
}

/// The tests that decide one ability of one type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Tests with a line of their own that are right. Declared losses are.
    pub right: usize,
    pub wrong: usize,
    /// Those of them that a list expects.
    pub known: usize,
    /// Tests that did not run, or were skipped.
    pub not_run: usize,
    /// Tests of what the implementation does not support.
    pub not_supported: usize,
}

impl Evidence {
    /// Whether the type has the ability: [`CellStatus::Ok`]. Without a test that is right nothing is said.
    pub fn mark(self) -> CellStatus {
        if self.wrong > self.known {
            CellStatus::Fail
        } else if self.wrong > 0 {
            CellStatus::Known
        } else if self.not_run > 0 {
            CellStatus::NotRun
        } else if self.right > 0 {
            CellStatus::Ok
        } else if self.not_supported > 0 {
            CellStatus::NotSupported
        } else {
            CellStatus::None
        }
    }

    /// What it counts, in words: `12 tests right, 1 wrong`.
    pub fn said(self) -> String {
        let counts = [
            (self.right, "right"),
            (self.wrong, "wrong"),
            (self.known, "of them known"),
            (self.not_run, "not run"),
            (self.not_supported, "not supported"),
        ];
        let said = |(count, what): (usize, &str)| (count > 0).then(|| format!("{count} {what}"));
        let counts: Vec<String> = counts.into_iter().filter_map(said).collect();
        if counts.is_empty() { "no test".to_owned() } else { counts.join(", ") }
    }

    fn is_judged(self) -> bool {
        self.right + self.wrong + self.not_run > 0
    }

    fn add(&mut self, record: &TestResult, wrong: bool) {
        match record.verdict {
            Verdict::NotSupported => self.not_supported += 1,
            Verdict::NotRun | Verdict::Skipped => self.not_run += 1,
            Verdict::Undecided => {}
            _ if wrong => {
                self.wrong += 1;
                self.known += usize::from(record.expected_failure);
            }
            _ => self.right += 1,
        }
    }
}

/// The evidence for the abilities of one type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypeScore {
    reads: Evidence,
    writes: Evidence,
    /// Everyday packets that are decoded and encoded again.
    sends_on: Evidence,
    exact: Evidence,
    safe: Evidence,
}

impl TypeScore {
    /// The evidence for an ability. Of what only decodes and encodes again, sending on is evidence for both.
    pub fn evidence(&self, ability: Ability) -> Evidence {
        let or_sent_on =
            |own: Evidence| if own.is_judged() || !self.sends_on.is_judged() { own } else { self.sends_on };
        match ability {
            Ability::Reads => or_sent_on(self.reads),
            Ability::Writes => or_sent_on(self.writes),
            Ability::Exact => self.exact,
            Ability::Safe => self.safe,
        }
    }

    pub fn mark(&self, ability: Ability) -> CellStatus {
        self.evidence(ability).mark()
    }

    /// The marks of all abilities, in their order.
    pub fn marks(&self) -> [CellStatus; 4] {
        [self.evidence(Ability::Reads), self.evidence(Ability::Writes), self.exact, self.safe].map(Evidence::mark)
    }

    /// Whether there is no test of it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it has values: only then can it be read or written.
    pub(crate) fn has_values(&self) -> bool {
        [self.reads, self.writes, self.sends_on, self.exact].into_iter().any(|of| of != Evidence::default())
    }

    /// Whether nothing is wrong in what the implementation claims of it: one that only decodes need not encode.
    pub fn is_fine(&self) -> bool {
        self.marks().into_iter().all(|mark| mark == CellStatus::Ok || mark.is_untested())
    }

    /// Whether it has every ability that is claimed, and at least one.
    pub fn is_whole(&self) -> bool {
        self.is_fine() && self.marks().contains(&CellStatus::Ok)
    }

    pub(crate) fn add(&mut self, record: &TestResult) {
        let is_failure = severity(record) == Severity::Failure;
        let is_wrong =
            is_failure && record.verdict != Verdict::NonCanonical || record.verdict == Verdict::Nondeterministic;
        let is_unsafe = record.verdict.is_unanswered() || record.verdict == Verdict::Resource;
        if record.rarity == Rarity::Hostile {
            return self.safe.add(record, is_failure || is_unsafe);
        }
        if is_unsafe {
            self.safe.add(record, true);
        }
        self.exact.add(record, is_failure || is_wrong || record.verdict == Verdict::NonCanonical);
        if record.rarity == Rarity::Everyday {
            let own = match record.id().op {
                Op::Decode => &mut self.reads,
                Op::Encode => &mut self.writes,
                Op::Reencode => &mut self.sends_on,
            };
            own.add(record, is_wrong);
        }
    }
}
