//! The isolated retry of garbled and of slow answers. If the answers are right when the test is sent alone, the test is not
//! to blame, as with crashes and hangs. Slow tests are measured alone, because several in flight cannot be told apart.

use variant_corpus::test::Test;
use variant_wire::implementation::{Answer, Outcome};

use super::executor::Executor;

/// How many tests of a dialect are retried at most. Each costs a start, and more garbled answers are no accident.
const MOST: usize = 8;

/// Garbled answers that are not recorded yet.
#[derive(Default)]
pub(super) struct Garbled(Vec<(Test, Outcome)>);

impl Garbled {
    /// Keeps an answer for a retry, or returns it if it needs none.
    pub(super) fn keep(&mut self, test: &Test, outcome: Outcome) -> Option<Outcome> {
        if !matches!(outcome.answer, Answer::Garbled(_)) || self.0.len() == MOST {
            return Some(outcome);
        }
        self.0.push((test.clone(), outcome));
        None
    }

    /// Sends each alone to a fresh process, and reports the outcome to record.
    pub(super) fn retry(self, executor: &mut Executor<'_>, report: &mut dyn FnMut(&Test, Outcome)) {
        for (test, mut outcome) in self.0 {
            executor.implementation.refresh();
            // Twice: a second reply to the first is only seen while another is waited for.
            let mut alone = Vec::new();
            executor.repeat(&[&test, &test], &mut |_, outcome| alone.push(outcome.answer));
            if let Answer::Garbled(why) = &outcome.answer
                && alone.len() == 2
                && alone.iter().all(is_answered)
            {
                outcome.answer = Answer::OrderDependent(format!("{why}; but not when this test was sent alone"));
            }
            report(&test, outcome);
        }
    }
}

/// Answers that came too late, alone or with others, and are not recorded yet.
#[derive(Default)]
pub(super) struct Slow(Vec<(Test, Outcome)>);

impl Slow {
    /// Keeps an answer to measure its time, or returns it if it needs no measuring.
    pub(super) fn keep(&mut self, test: &Test, outcome: Outcome) -> Option<Outcome> {
        if outcome.slow.is_none() {
            return Some(outcome);
        }
        self.0.push((test.clone(), outcome));
        None
    }

    /// Sends each alone, and reports the outcome to record: the first answer, and the time alone. It takes about as long
    /// as the first time did.
    pub(super) fn retry(self, executor: &mut Executor<'_>, report: &mut dyn FnMut(&Test, Outcome)) {
        for (test, mut outcome) in self.0 {
            let mut alone = None;
            executor.repeat(&[&test], &mut |_, outcome| alone = Some(outcome));
            match alone {
                Some(alone) if is_answered(&alone.answer) => outcome.slow = alone.slow,
                Some(alone) => outcome = alone,
                None => outcome = Answer::NotRun("it was not measured alone".to_owned()).into(),
            }
            report(&test, outcome);
        }
    }
}

fn is_answered(answer: &Answer) -> bool {
    matches!(answer, Answer::Value { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_))
}
