//! A flag that a signal sets to end the run.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is checked wherever something waits. The default is never set.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt(&'static AtomicBool);

static NEVER: AtomicBool = AtomicBool::new(false);

/// The reason that is reported for everything that an interruption left undone.
pub const INTERRUPTED: &str = "the run was interrupted";

impl Interrupt {
    /// An interrupt that is set when `flag` is.
    pub const fn new(flag: &'static AtomicBool) -> Self {
        Self(flag)
    }

    /// Whether to end the run.
    pub fn is_set(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Self(&NEVER)
    }
}
