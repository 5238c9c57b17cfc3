//! The isolated retry of garbled and of slow answers. If the answers are right when the test is sent alone, the test is not
//! to blame, as with crashes and hangs. Slow tests are measured alone, because several in flight cannot be told apart.

use variant_corpus::test::Test;
use variant_wire::implementation::{Answer, Outcome};

use super::executor::Executor;

/// How many tests of a dialect are retried at most. Each costs a start, and more garbled answers are no accident.
const MOST: usize = 8;

/// Outcomes that are not recorded yet: each of these tests is sent once more, alone.
#[derive(Default)]
pub(super) struct Retries {
    garbled: Vec<(Test, Outcome)>,
    /// Answers that came too late, alone or with others.
    slow: Vec<(Test, Outcome)>,
}

impl Retries {
    /// Keeps an outcome that is to be retried, or whose time is to be measured, and gives back any other.
    pub(super) fn keep(&mut self, test: &Test, outcome: Outcome) -> Option<Outcome> {
        let kept = if matches!(outcome.answer, Answer::Garbled(_)) && self.garbled.len() < MOST {
            &mut self.garbled
        } else if outcome.slow.is_some() {
            &mut self.slow
        } else {
            return Some(outcome);
        };
        kept.push((test.clone(), outcome));
        None
    }

    /// Sends each alone, the garbled ones to a fresh process each, and reports the outcomes to record. Of a slow one they
    /// are the first answer, and the time alone: it takes about as long as the first time did.
    pub(super) fn retry(self, executor: &mut Executor<'_>, report: &mut dyn FnMut(&Test, Outcome)) {
        for (test, mut outcome) in self.garbled {
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
        for (test, mut outcome) in self.slow {
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
