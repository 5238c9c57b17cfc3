//! A program under test: a process at the end of a pipe or a socket.
//!
//! Adapters print banners, buffer, crash, loop for ever, leak and reply twice. Each of these has one result:
//!
//! | it | result |
//! |---|---|
//! | ends or hangs, and again with the same request alone in a fresh process | `Crashed`, `TimedOut` for that request |
//! | ends, but no unanswered request does it alone | `OrderDependent` for the oldest unanswered |
//! | hangs, but no unanswered request does it alone | `TimedOut` for the oldest unanswered: on a busy machine it may be late |
//! | replies to a `seq` twice | `Garbled` for that request, while its reply is still held (128 replies) |
//! | replies to a `seq` never sent | `Garbled` for the oldest unanswered, else the last answered, else the next |
//! | sends a line longer than the limit | `Garbled` for the `seq` in its head, else for the oldest unanswered |
//! | sends anything else on stdout | noise in the result of the request that it answers next |
//! | replies only when its input ends | `TimedOut`, and the rest `NotRun`: it does not flush |
//! | crashes or hangs a few times with one kind of request | the rest of that kind `Skipped` |
//! | crashes or hangs whatever it is sent | the rest `NotRun` |
//! | replies to hello differently after a restart | an error |

mod blame;
mod budget;
mod command;
mod exit;
mod handshake;
mod limits;
mod line_reader;
mod listener;
mod malformed;
mod memory;
mod pipeline;
mod process;
mod replies;
mod reply_buffer;
mod session;
mod tail_buffer;
mod window;
mod wire_event;
mod write_buffer;

use std::sync::Arc;
use std::time::Duration;

use variant_specs::Layouts;

use self::budget::Budget;
use self::handshake::launch;
use self::pipeline::Pipeline;
use variant_wire::handshake::{Handshake, changes};
use variant_wire::implementation::{Implementation, ImplementationError, Outcome, Request};
use variant_wire::interrupt::INTERRUPTED;

pub(crate) use self::handshake::{HandshakeReply, handshake, start};
pub(crate) use self::malformed::MalformedReplies;
pub(crate) use self::session::{IoEvent, Session};
pub(crate) use self::wire_event::{SHOWN, WireEvent};

pub use self::command::{Command, Transport};
pub use self::exit::ExitReport;
pub use self::limits::Limits;

/// An adapter as an [`Implementation`]: started again when it ends or hangs.
#[derive(Debug)]
pub struct External {
    command: Command,
    layouts: Arc<Layouts>,
    limits: Limits,
    handshake: Handshake,
    /// The running process; none after a crash, until there is more to send.
    session: Option<Session>,
    /// The number of the last request; it continues over restarts.
    seq: u64,
    /// How many requests may be in flight.
    in_flight: usize,
    has_replied: bool,
    /// A reply once left nothing unanswered, so it does not keep replies in a buffer.
    flushes: bool,
    budget: Budget,
    /// A request that it answered before it crashed or hung.
    good: Option<Request>,
    malformed: MalformedReplies,
    /// A fault that is reported with the next reply.
    pending_fault: Option<String>,
    /// What went wrong when it was shut down.
    ending: Option<Outcome>,
    /// Why nothing more is sent.
    given_up: Option<String>,
    error: Option<ImplementationError>,
}

impl External {
    /// Starts the program and does the handshake.
    ///
    /// # Errors
    /// The program does not start, or its handshake reply is missing or invalid. The message says what to do.
    pub fn start(command: Command, layouts: Arc<Layouts>, limits: Limits) -> Result<Self, ImplementationError> {
        let (session, handshake) = launch(&command, &limits)?;
        let in_flight = handshake.max_in_flight.unwrap_or(usize::MAX).min(limits.max_in_flight).max(1);
        Ok(Self {
            command,
            layouts,
            limits,
            handshake,
            session: Some(session),
            seq: 0,
            in_flight,
            has_replied: false,
            flushes: false,
            budget: Budget::default(),
            good: None,
            malformed: MalformedReplies::default(),
            pending_fault: None,
            ending: None,
            given_up: None,
            error: None,
        })
    }

    /// The id of the running process, if there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.session.as_ref().map(|session| session.process.id())
    }

    /// The running process, started again if it ended.
    fn session(&mut self) -> Result<&mut Session, ImplementationError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.restart()?,
        };
        Ok(self.session.insert(session))
    }

    fn restart(&self) -> Result<Session, ImplementationError> {
        let before = self.budget.last.as_deref().unwrap_or("ended");
        let (session, handshake) = launch(&self.command, &self.limits).map_err(|error| {
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

impl Implementation for External {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        Pipeline::new(self, requests, answered).run().inspect_err(|error| {
            self.error = Some(error.clone());
            self.session = None;
        })
    }

    fn processor_time(&self) -> Option<Duration> {
        self.session.as_ref().and_then(Session::processor_time)
    }

    fn refresh(&mut self) -> bool {
        if let Some(session) = self.session.take() {
            let ending = session.shutdown().outcome();
            self.ending = self.ending.take().or(ending);
        }
        true
    }

    fn finish(&mut self) -> Option<Outcome> {
        self.refresh();
        self.ending.take()
    }
}
