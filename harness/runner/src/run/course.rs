//! The way of a run through its asks: who is asked, how far it has come, and what stops it.

use variant_corpus::test::{Test, send_all};
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Outcome};
use variant_wire::interrupt::{INTERRUPTED, Interrupt};

/// How far a run has come with an implementation.
pub(super) struct Course<'a> {
    pub(super) implementation: &'a mut dyn Implementation,
    interrupt: Interrupt,
    progress: &'a dyn Fn(usize, usize),
    done: usize,
    total: usize,
    /// Why nothing more is asked.
    pub(super) unusable: Option<ImplementationError>,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        implementation: &'a mut dyn Implementation,
        interrupt: Interrupt,
        progress: &'a dyn Fn(usize, usize),
        total: usize,
    ) -> Self {
        Self { implementation, interrupt, progress, done: 0, total, unusable: None }
    }

    /// So many need not be asked.
    pub(super) fn passed_over(&mut self, count: usize) {
        self.done += count;
    }

    /// Asks all of these and tells what came of each, exactly once. `tell` says whether to go on.
    pub(super) fn send(&mut self, tests: &[&Test], tell: &mut dyn FnMut(&Test, Outcome) -> bool) {
        let mut told = vec![false; tests.len()];
        let halted = std::cell::Cell::new(false);
        if self.unusable.is_none() {
            let interrupt = self.interrupt;
            let open = named(tests).take_while(|_| !halted.get() && !interrupt.is_set());
            let (done, total, progress) = (&mut self.done, self.total, self.progress);
            let result = send_all(self.implementation, open, |place, outcome| {
                *done += 1;
                progress(*done, total);
                if !halted.get() {
                    told[place] = true;
                    halted.set(!tell(tests[place], outcome));
                }
            });
            self.unusable = result.err();
        }
        if halted.get() {
            return;
        }
        self.note_interruption(told.contains(&false));
        let why = self.unusable.as_ref().map_or("the implementation left it unanswered", |why| why.0.as_str());
        for (test, _) in tests.iter().zip(&told).filter(|(_, told)| !**told) {
            if !tell(test, Answer::NotRun(why.to_owned()).into()) {
                return;
            }
        }
    }

    /// Asks all of these once more, and tells the place and what came of each as far as it came.
    pub(super) fn repeat(&mut self, tests: &[&Test], tell: &mut dyn FnMut(usize, Outcome)) {
        if self.unusable.is_some() {
            return;
        }
        let interrupt = self.interrupt;
        let open = named(tests).take_while(|_| !interrupt.is_set());
        let mut told = 0;
        let result = send_all(self.implementation, open, |place, outcome| {
            told += 1;
            tell(place, outcome);
        });
        self.unusable = result.err();
        self.note_interruption(told < tests.len());
    }

    /// An interruption that came when all was told left nothing undone.
    fn note_interruption(&mut self, undone: bool) {
        if undone && self.interrupt.is_set() && self.unusable.is_none() {
            self.unusable = Some(ImplementationError(INTERRUPTED.to_owned()));
        }
    }
}

/// Asks under their places.
fn named<'a>(tests: &'a [&Test]) -> impl Iterator<Item = (usize, &'a Test)> {
    tests.iter().copied().enumerate()
}
