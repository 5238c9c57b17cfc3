//! A program under test: a process at the end of a pipe or a socket.
//!
//! Adapters print banners, buffer, crash, loop for ever, leak and reply twice. Each of these has one result:
//!
//! | it | result |
//! |---|---|
//! | ends or hangs, and again with the same request alone in a fresh process | `Crashed`, `TimedOut` for that request |
//! | ends right after a reply, and again with the same request alone | `Crashed` for that request |
//! | ends, but no unanswered request does it alone | `Crashed` for the oldest unanswered |
//! | hangs, but no unanswered request does it alone | the reply that came alone, twice; then `TimedOut` for the oldest unanswered |
//! | replies to a `seq` twice | `Garbled` for that request, while its reply is still held (128 outcomes) |
//! | replies to a `seq` never sent | `Garbled` for the oldest unanswered, else the last answered |
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
mod held;
mod limits;
mod listener;
mod memory;
mod pipeline;
mod places;
mod process;
mod replies;
mod session;
mod streams;
mod tail_buffer;
mod tally;
mod wire_event;

use variant_specs::Specs;

use self::pipeline::Pipeline;
use self::tally::Tally;
use variant_values::handshake::{Handshake, changes};
use variant_values::implementation::{
    Answer, Implementation, ImplementationError, Outcome, Outcomes, Request, Requests,
};
use variant_values::interrupt::INTERRUPTED;

pub(crate) use self::exit::ExitReport;
pub(crate) use self::handshake::{handshake, launch, start};
pub(crate) use self::session::{IoEvent, Session};
pub(crate) use self::wire_event::{Line, SHOWN, WireEvent};

pub use self::command::{Command, Transport};
pub use self::limits::Limits;

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
    /// How many requests may be in flight.
    in_flight: usize,
    has_replied: bool,
    tally: Tally,
    /// A request that it answered before it crashed or hung.
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
        let in_flight = handshake.max_in_flight.unwrap_or(usize::MAX).min(limits.max_in_flight).max(1);
        Ok(Self {
            command,
            specs: specs.clone(),
            limits,
            handshake,
            session: Some(session),
            seq: 0,
            in_flight,
            has_replied: false,
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
        let before = &self.tally.last;
        let (session, handshake) = launch(&self.command, &self.specs, &self.limits).map_err(|error| {
            // One that was told to end is not to blame for that.
            let interrupted = self.limits.interrupt.is_set().then(|| INTERRUPTED.to_owned());
            ImplementationError(
                interrupted.unwrap_or_else(|| format!("it {before}, and when it was started again: {error}")),
            )
        })?;
        if handshake == self.handshake {
            return Ok(session);
        }
        Err(ImplementationError(format!(
            "it {before}, and when it was started again its handshake reply had changed ({}); the reply must not depend \
             on time or on earlier requests",
            changes(&self.handshake, &handshake)
        )))
    }
}

impl External {
    /// Keeps what a sanitizer said of a process that was killed.
    fn note_report(&mut self, report: Option<String>) {
        let report = report.map(|line| Answer::Crashed(format!("it went on, but reported: {line}")).into());
        self.ending = self.ending.take().or(report);
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
            let ending = session.shutdown().outcome();
            self.ending = self.ending.take().or(ending);
        }
        true
    }

    fn finish(&mut self) -> Option<Outcome> {
        self.restart();
        self.ending.take()
    }
}

impl Drop for External {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            session.shutdown();
        }
    }
}
