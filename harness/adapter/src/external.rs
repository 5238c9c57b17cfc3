//! A program under test: a process at the end of a pipe or a socket.
//!
//! Adapters are the worst programs in the world: they print banners, buffer, crash, loop for ever, leak and answer
//! twice. What may happen has one answer each, here:
//!
//! | it does | verdict |
//! |---|---|
//! | ends or hangs, and does so again when asked the same alone in a fresh process | `Crashed`, `TimedOut` for that one |
//! | ends or hangs, and no unanswered request does it alone | `OrderDependent` for the oldest unanswered |
//! | answers a `seq` twice | `Garbled` for the request answered twice, while its answer is held (128 answers) |
//! | answers a `seq` that was never asked | `Garbled` for the oldest unanswered, whose own reply is then ignored; else for the last answered, else for the next |
//! | a line longer than the limit | `Garbled` for the `seq` at its head, else for the oldest unanswered |
//! | anything else on stdout | noise of what is answered next |
//! | answers only when its input ends | `TimedOut`, and the rest `NotRun`: it does not flush |
//! | too many crashes or hangs | the rest `NotRun` |
//! | another hello after a restart | unusable |

mod blame;
mod command;
mod door;
mod end;
mod farewell;
mod greeting;
mod held;
mod launch;
mod limits;
mod lines;
mod malformed;
mod memory;
mod one_shot;
mod outbox;
mod pipeline;
mod poll;
mod process;
mod replies;
mod session;
mod tail;
mod untrusted;
mod window;
mod wire;

use std::sync::Arc;

use variant_specs::Layouts;

use self::launch::launch;
use self::malformed::MalformedReplies;
use self::pipeline::Pipeline;
use self::session::Session;
use self::tail::Tail;
use variant_wire::handshake::{Handshake, changes};
use variant_wire::implementation::{Implementation, ImplementationError, Outcome, Request};

pub use self::command::{Command, Transport};
pub use self::farewell::ExitReport;
pub use self::limits::Limits;
pub use self::memory::resident;
pub use self::one_shot::OneShot;
pub use self::wire::{Heard, Parting, Wire};

/// An adapter: started, asked, and started again when it ends or hangs.
#[derive(Debug)]
pub struct External {
    command: Command,
    layouts: Arc<Layouts>,
    limits: Limits,
    handshake: Handshake,
    /// The running process; none after a crash, until there is more to ask.
    session: Option<Session>,
    /// The number of the last request; it goes on over restarts.
    seq: u64,
    /// How many requests may be in flight.
    in_flight: usize,
    /// It has answered something.
    answers: bool,
    /// An answer once left nothing unanswered, so answers are not kept back in a buffer.
    flushes: bool,
    incidents: Incidents,
    /// By how much a process that is gone had grown.
    growth: u64,
    /// What was meant for answers.
    malformed: MalformedReplies,
    /// A reply that nobody asked for, to be held against whoever is answered next.
    debt: Option<String>,
    /// Why nothing more is asked.
    given_up: Option<String>,
    unusable: Option<ImplementationError>,
}

/// What went wrong so far.
#[derive(Debug, Default)]
struct Incidents {
    crashes: usize,
    hangs: usize,
    last: Option<String>,
}

impl External {
    /// Starts the program and asks for its hello.
    ///
    /// # Errors
    /// What is wrong with the program, its start or its hello, and what to do.
    pub fn start(command: Command, layouts: Arc<Layouts>, limits: Limits) -> Result<Self, ImplementationError> {
        let (mut session, handshake) = launch(&command, &limits)?;
        session.growth();
        let in_flight = handshake.max_in_flight.unwrap_or(usize::MAX).min(limits.max_in_flight).max(1);
        Ok(Self {
            command,
            layouts,
            limits,
            handshake,
            session: Some(session),
            seq: 0,
            in_flight,
            answers: false,
            flushes: false,
            incidents: Incidents::default(),
            growth: 0,
            malformed: MalformedReplies::default(),
            debt: None,
            given_up: None,
            unusable: None,
        })
    }

    /// The id of the running process, where there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.session.as_ref().map(|session| session.process.id())
    }

    /// The running process, started again where it ended.
    fn session(&mut self) -> Result<&mut Session, ImplementationError> {
        if self.session.is_none() {
            self.session = Some(self.restart()?);
        }
        self.session.as_mut().ok_or_else(|| ImplementationError("it is not running".to_owned()))
    }

    fn restart(&self) -> Result<Session, ImplementationError> {
        let before = self.incidents.last.as_deref().unwrap_or("ended");
        let (mut session, handshake) = launch(&self.command, &self.limits)
            .map_err(|error| ImplementationError(format!("it {before}, and when it was started again: {error}")))?;
        if handshake == self.handshake {
            session.growth();
            return Ok(session);
        }
        Err(ImplementationError(format!(
            "it {before}, and when it was started again its hello had changed ({}); a hello may not depend on time or \
             on what was asked before",
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
        if let Some(unusable) = &self.unusable {
            return Err(unusable.clone());
        }
        Pipeline::new(self, requests, answered).run().inspect_err(|unusable| {
            self.unusable = Some(unusable.clone());
            self.session = None;
        })
    }

    fn overgrowth(&mut self) -> Option<u64> {
        let growth = self.session.as_mut().map_or(0, Session::growth).max(std::mem::take(&mut self.growth));
        Some(growth).filter(|growth| *growth > self.limits.memory_per_request)
    }

    fn refresh(&mut self) -> bool {
        if let Some(mut session) = self.session.take() {
            self.growth = self.growth.max(session.growth());
            session.shutdown();
        }
        true
    }
}
