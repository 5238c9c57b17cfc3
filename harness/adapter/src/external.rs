//! A program under test: a process at the end of a pipe or a socket.
//!
//! Adapters print banners, buffer, crash, loop for ever, leak and reply twice. Each of these has one result:
//!
//! | it | result |
//! |---|---|
//! | ends or hangs, and again with the same request alone in a fresh process | `Crashed`, `TimedOut` for that request |
//! | ends or hangs after a reply, and again with the same request alone | `Crashed`, `TimedOut` for that request |
//! | ends, but no unanswered request does it alone | `Crashed` for the oldest unanswered |
//! | hangs, but no request does it alone | the replies that came alone; one request at a time from then on; after two, a fault of the process |
//! | replies to a `seq` twice, or to one never sent | ended; `Garbled` for the request that does it alone, else a fault of the process |
//! | sends a malformed reply | `Garbled` for the `seq` in it, else for the oldest unanswered |
//! | sends a line longer than the limit | ended; `Garbled` for the request that does it alone |
//! | sends anything else on stdout | noise in the result of the request that it answers next |
//! | crashes or hangs a few times with one type and operation | the rest of that type and operation `Skipped` |
//! | crashes or hangs whatever it is sent | the rest `NotRun` |
//! | replies to hello differently after a restart | an error |

mod blame;
mod command;
mod exit;
mod handshake;
mod listener;
mod memory;
mod output;
mod pipeline;
mod process;
mod replies;
mod session;
mod streams;
mod tally;

use std::time::Duration;

use variant_specs::Specs;

use self::pipeline::Pipeline;
use self::tally::Tally;
use variant_values::handshake::{Handshake, changes};
use variant_values::implementation::{
    Answer, Implementation, ImplementationError, Outcome, Outcomes, Request, Requests,
};
use variant_values::interrupt::{INTERRUPTED, Interrupt};

pub(crate) use self::handshake::{handshake, launch, start};
pub(crate) use self::output::without_folders;
pub(crate) use self::session::Session;
pub(crate) use self::streams::{Line, SHOWN, WireEvent};

pub use self::command::{Command, Transport};

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

/// The most requests in flight; the handshake reply may name fewer.
const IN_FLIGHT: usize = 128;

/// An adapter as an [`Implementation`]: started again when it ends or hangs.
#[derive(Debug)]
pub struct External {
    command: Command,
    specs: Specs,
    limits: Limits,
    handshake: Handshake,
    /// The running process; none after a crash, until there is more to send.
    session: Option<Session>,
    /// The number of the last request; it continues over restarts.
    seq: u64,
    /// How many requests may be in flight: one, once it hung with more.
    in_flight: usize,
    tally: Tally,
    /// The first request that it answered.
    good: Option<Request>,
    /// What went wrong when it was shut down.
    ending: Option<Outcome>,
    /// Why nothing more is sent.
    given_up: Option<String>,
}

impl External {
    /// Starts the program and does the handshake.
    ///
    /// # Errors
    /// The program does not start, or its handshake reply is missing or invalid. The message says what to do.
    pub fn start(command: Command, specs: &Specs, limits: Limits) -> Result<Self, ImplementationError> {
        let (session, handshake) = launch(&command, specs, &limits)?;
        let in_flight = handshake.max_in_flight.unwrap_or(IN_FLIGHT).clamp(1, IN_FLIGHT);
        Ok(Self {
            command,
            specs: specs.clone(),
            limits,
            handshake,
            session: Some(session),
            seq: 0,
            in_flight,
            tally: Tally::new(limits.reply_timeout),
            good: None,
            ending: None,
            given_up: None,
        })
    }

    /// The running process, started again if it ended.
    fn session(&mut self) -> Result<&mut Session, ImplementationError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.start_again()?,
        };
        Ok(self.session.insert(session))
    }

    fn start_again(&self) -> Result<Session, ImplementationError> {
        let again = format!("it {}, and when it was started again", self.tally.last);
        match launch(&self.command, &self.specs, &self.limits) {
            Ok((session, handshake)) if handshake == self.handshake => Ok(session),
            Ok((_, handshake)) => Err(ImplementationError(format!(
                "{again} its handshake reply had changed ({}); the reply must not depend on time or on earlier requests",
                changes(&self.handshake, &handshake)
            ))),
            // One that was told to end is not to blame for that.
            Err(_) if self.limits.interrupt.is_set() => Err(ImplementationError(INTERRUPTED.to_owned())),
            Err(error) => Err(ImplementationError(format!("{again}: {error}"))),
        }
    }

    /// Kills the process. Returns the end of what it printed outside the protocol. What a sanitizer said of it is kept, unless it
    /// had exited: then there is a request that gets that.
    fn kill(&mut self, had_exited: bool) -> String {
        let Some(mut session) = self.session.take() else { return String::new() };
        let printed = session.kill();
        if let Some(line) = session.report.filter(|_| !had_exited) {
            self.ending.get_or_insert(Answer::Crashed(format!("it went on, but reported: {line}")).into());
        }
        printed
    }
}

impl Implementation for External {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(Pipeline::new(self, requests))
    }

    fn restart(&mut self) -> bool {
        if let Some(session) = self.session.take() {
            let (answer, stderr) = session.shutdown();
            let ending = answer.map(|answer| Outcome { answer, noise: stderr });
            self.ending = self.ending.take().or(ending);
        }
        // What comes may be of another kind. What was waited for in vain is known.
        self.given_up = None;
        true
    }

    fn late(&self) -> usize {
        self.tally.late
    }

    fn finish(&mut self) -> Option<Outcome> {
        self.restart();
        self.ending.take().or_else(|| self.tally.by_itself().map(Outcome::from))
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.restart();
    }
}
