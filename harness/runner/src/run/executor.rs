//! Sends the tests of a run to an implementation, counts them, and keeps what stopped it.

use variant_corpus::test::{Test, send_all};
use variant_values::implementation::{Answer, Implementation, ImplementationError, Outcome};
use variant_values::interrupt::{INTERRUPTED, Interrupt};

pub(super) struct Executor<'a> {
    pub(super) implementation: &'a mut dyn Implementation,
    interrupt: Interrupt,
    progress: &'a dyn Fn(usize, usize),
    done: usize,
    total: usize,
    /// Why nothing more is sent.
    pub(super) stopped: Option<ImplementationError>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(
        implementation: &'a mut dyn Implementation,
        interrupt: Interrupt,
        progress: &'a dyn Fn(usize, usize),
        total: usize,
    ) -> Self {
        Self { implementation, interrupt, progress, done: 0, total, stopped: None }
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.done += count;
    }

    /// Sends all of these and reports the outcome of each exactly once, until `report` says to stop.
    pub(super) fn send(&mut self, tests: &[&Test], report: &mut dyn FnMut(&Test, Outcome) -> bool) {
        let mut reported = vec![false; tests.len()];
        let (progress, total, mut done, mut goes_on) = (self.progress, self.total, self.done, true);
        self.repeat(tests, &mut |place, outcome| {
            done += 1;
            progress(done, total);
            reported[place] = true;
            goes_on = report(tests[place], outcome);
            goes_on
        });
        self.done = done;
        let why = self.stopped.as_ref().map_or("the implementation did not reply", |why| why.0.as_str());
        for (test, _) in tests.iter().zip(&reported).filter(|(_, reported)| !**reported) {
            if !goes_on || !report(test, Answer::NotRun(why.to_owned()).into()) {
                return;
            }
        }
    }

    /// Sends all of these again, and reports the place and outcome of each that got one, until `report` says to stop.
    pub(super) fn repeat(&mut self, tests: &[&Test], report: &mut dyn FnMut(usize, Outcome) -> bool) {
        if self.stopped.is_some() {
            return;
        }
        let interrupt = self.interrupt;
        let mut reported = 0;
        for outcome in send_all(self.implementation, tests, move || !interrupt.is_set()) {
            match outcome {
                Ok((place, outcome)) => {
                    reported += 1;
                    if !report(place, outcome) {
                        return;
                    }
                }
                Err(error) => self.stopped = Some(error),
            }
        }
        // An interruption after the last answer left nothing undone.
        if self.stopped.is_none() && reported < tests.len() && interrupt.is_set() {
            self.stopped = Some(ImplementationError(INTERRUPTED.to_owned()));
        }
    }

    pub(super) fn once(&mut self, test: &Test) -> Option<Outcome> {
        let mut last = None;
        self.repeat(&[test], &mut |_, outcome| {
            last = Some(outcome);
            true
        });
        last
    }
}
