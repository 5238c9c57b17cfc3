//! How long, how much and how often.

use std::time::Duration;

use variant_wire::interrupt::Interrupt;

/// What an adapter may take. Nothing here depends on how much is asked.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From its start to its hello.
    pub start_up: Duration,
    /// Without any answer while something is asked.
    pub reply_timeout: Duration,
    /// An answer that took longer is `resource`.
    pub slow_after: Duration,
    /// From the end of its input to its exit.
    pub shutdown: Duration,
    /// Resident bytes, of the process and its descendants together.
    pub memory: u64,
    /// Bytes by which it may grow for one request; beyond that the answer is `resource`.
    pub memory_per_request: u64,
    /// Requests in flight; its hello may ask for fewer.
    pub max_in_flight: usize,
    /// Bytes of requests in flight. One request alone may be longer.
    pub unanswered_bytes: usize,
    /// The longest line that is kept; what is longer is read and dropped.
    pub line: usize,
    /// Crashes and hangs after which it is started again.
    pub restarts: usize,
    /// How many of these may be hangs: each costs the time of two deadlines.
    pub hangs: usize,
    /// Ends everything at once.
    pub interrupt: Interrupt,
}

impl Limits {
    /// The same with every time multiplied: `--timeout`. A factor that is no positive number changes nothing.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let scale = |time: Duration| Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(time);
        if factor > 0.0 {
            Self {
                start_up: scale(self.start_up),
                reply_timeout: scale(self.reply_timeout),
                slow_after: scale(self.slow_after),
                shutdown: scale(self.shutdown),
                ..self
            }
        } else {
            self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start_up: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(5),
            slow_after: Duration::from_secs(2),
            shutdown: Duration::from_secs(2),
            memory: 512 << 20,
            memory_per_request: 256 << 20,
            max_in_flight: 128,
            unanswered_bytes: 1 << 20,
            line: 16 << 20,
            restarts: 200,
            hangs: 20,
            interrupt: Interrupt::default(),
        }
    }
}
