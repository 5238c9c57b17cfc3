//! How long an adapter may take, and how much memory.

use std::time::Duration;

use variant_values::interrupt::Interrupt;

/// The limits of time and memory of one adapter. They do not grow with the number of requests; the defaults suit most adapters.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time from start to the handshake reply; 10 s by default.
    pub start_up: Duration,
    /// Time without any reply while requests are open; 2 s by default.
    pub reply_timeout: Duration,
    /// Time from the end of input to exit, before signals are sent; 2 s by default.
    pub shutdown: Duration,
    /// Resident bytes of the process and its descendants together; 512 MiB by default.
    pub memory: u64,
    /// Once it is set, everything ends at once.
    pub interrupt: Interrupt,
}

impl Limits {
    /// Multiplies every timeout: `--timeout`. A factor that is not positive changes nothing.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        if factor <= 0.0 || factor.is_nan() {
            return self;
        }
        let scale = |time: Duration| Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(time);
        Self {
            start_up: scale(self.start_up),
            reply_timeout: scale(self.reply_timeout),
            shutdown: scale(self.shutdown),
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start_up: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(2),
            shutdown: Duration::from_secs(2),
            memory: 512 << 20,
            interrupt: Interrupt::default(),
        }
    }
}
