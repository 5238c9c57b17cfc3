//! Garbled answers, asked for once more: what comes right when it is asked alone was not this ask's fault, as with
//! crashes and hangs.

use super::course::Course;
use variant_corpus::test::Test;
use variant_wire::implementation::{Answer, Outcome};

/// So many of a dialect are asked again: who garbles more is no victim of chance, and each costs a start.
const MOST: usize = 8;

/// Garbled answers that are not recorded yet.
#[derive(Default)]
pub(super) struct Garbled(Vec<(Test, Outcome)>);

impl Garbled {
    /// Keeps an answer that is to be looked at again, and gives back any other.
    pub(super) fn keep(&mut self, test: &Test, outcome: Outcome) -> Option<Outcome> {
        if !matches!(outcome.answer, Answer::Garbled(_)) || self.0.len() == MOST {
            return Some(outcome);
        }
        self.0.push((test.clone(), outcome));
        None
    }

    /// Asks each alone in a fresh process, and tells what is to be recorded of it.
    pub(super) fn settle(self, course: &mut Course<'_>, tell: &mut dyn FnMut(&Test, Outcome)) {
        for (test, outcome) in self.0 {
            course.implementation.refresh();
            // Twice: a second reply to the first is seen only while another is waited for.
            let mut alone = Vec::new();
            course.repeat(&[&test, &test], &mut |_, outcome| alone.push(outcome.answer));
            tell(&test, judged(outcome, &alone));
        }
    }
}

fn judged(outcome: Outcome, alone: &[Answer]) -> Outcome {
    let answer = match (outcome.answer, alone.len() == 2 && alone.iter().all(is_answered)) {
        (Answer::Garbled(why), true) => Answer::OrderDependent(format!("{why}; and not when this was asked alone")),
        (answer, _) => answer,
    };
    Outcome { answer, ..outcome }
}

fn is_answered(answer: &Answer) -> bool {
    match answer {
        Answer::Value { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_) => true,
        Answer::Garbled(_)
        | Answer::Crashed(_)
        | Answer::TimedOut(_)
        | Answer::OrderDependent(_)
        | Answer::NotRun(_) => false,
    }
}
