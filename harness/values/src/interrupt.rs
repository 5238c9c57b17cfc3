//! What ends a run early: a flag that a signal sets, and a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// It is checked wherever something waits. The default is never set.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt {
    flag: &'static AtomicBool,
    until: Option<Instant>,
}

static NEVER: AtomicBool = AtomicBool::new(false);

/// The reason that is reported for everything that an interruption left undone.
pub const INTERRUPTED: &str = "the run was interrupted";

impl Interrupt {
    /// An interrupt that is set when `flag` is.
    pub const fn new(flag: &'static AtomicBool) -> Self {
        Self { flag, until: None }
    }

    /// The same, which is also set from this time on.
    #[must_use]
    pub const fn or_at(self, until: Option<Instant>) -> Self {
        Self { until, ..self }
    }

    /// Whether to end the run.
    pub fn is_set(self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Self::new(&NEVER)
    }
}
