//! A flag that ends what is going on: a signal sets it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Looked at wherever something waits. By default nobody ever sets it.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt(&'static AtomicBool);

static NEVER: AtomicBool = AtomicBool::new(false);

/// What is said of everything that an interruption left undone.
pub const INTERRUPTED: &str = "the run was interrupted";

impl Interrupt {
    /// One that is set when `flag` is.
    pub const fn new(flag: &'static AtomicBool) -> Self {
        Self(flag)
    }

    /// Whether to end.
    pub fn is_set(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Self(&NEVER)
    }
}
