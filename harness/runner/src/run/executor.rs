//! Sends the tests of a run to an implementation, counts them, and keeps what stopped it.

use variant_corpus::test::{Test, send_all};
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Outcome};
use variant_wire::interrupt::{INTERRUPTED, Interrupt};

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

    /// Counts tests that need not be sent.
    pub(super) fn skip(&mut self, count: usize) {
        self.done += count;
    }

    /// Sends all of these and reports the outcome of each exactly once. `report` returns whether to continue.
    pub(super) fn send(&mut self, tests: &[&Test], report: &mut dyn FnMut(&Test, Outcome) -> bool) {
        let mut reported = vec![false; tests.len()];
        let halted = std::cell::Cell::new(false);
        let (progress, total, mut done) = (self.progress, self.total, self.done);
        self.send_while(tests, &|| !halted.get(), &mut |place, outcome| {
            done += 1;
            progress(done, total);
            if !halted.get() {
                reported[place] = true;
                halted.set(!report(tests[place], outcome));
            }
        });
        self.done = done;
        let why = self.stopped.as_ref().map_or("the implementation did not reply", |why| why.0.as_str());
        for (test, _) in tests.iter().zip(&reported).filter(|(_, reported)| !**reported) {
            if halted.get() || !report(test, Answer::NotRun(why.to_owned()).into()) {
                return;
            }
        }
    }

    /// Sends all of these again, and reports the place and outcome of each that got a reply.
    pub(super) fn repeat(&mut self, tests: &[&Test], report: &mut dyn FnMut(usize, Outcome)) {
        self.send_while(tests, &|| true, report);
    }

    fn send_while(&mut self, tests: &[&Test], go_on: &dyn Fn() -> bool, report: &mut dyn FnMut(usize, Outcome)) {
        if self.stopped.is_some() {
            return;
        }
        let interrupt = self.interrupt;
        let open = tests.iter().copied().enumerate().take_while(|_| go_on() && !interrupt.is_set());
        let mut reported = 0;
        let result = send_all(self.implementation, open, |place, outcome| {
            reported += 1;
            report(place, outcome);
        });
        // An interruption after the last answer left nothing undone.
        let interrupted = reported < tests.len() && go_on() && interrupt.is_set();
        let interrupted = interrupted.then(|| ImplementationError(INTERRUPTED.to_owned()));
        self.stopped = result.err().or(interrupted);
    }
}
