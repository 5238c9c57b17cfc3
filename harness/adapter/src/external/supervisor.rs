//! The process of an adapter, which is started again when it ended, and must then reply to hello as before.

use super::command::Command;
use super::handshake::launch;
use super::limits::Limits;
use super::session::Session;
use super::tally::Tally;
use variant_specs::Specs;
use variant_values::handshake::{Handshake, changes};
use variant_values::implementation::{Answer, Ending, ImplementationError, Outcome, Request};
use variant_values::interrupt::INTERRUPTED;

/// The most requests in flight; the handshake reply may name fewer.
pub(super) const IN_FLIGHT: usize = 128;

/// An adapter as an [`Implementation`]: started again when it ends or hangs.
#[derive(Debug)]
pub struct External {
    pub(super) command: Command,
    pub(super) specs: Specs,
    pub(super) limits: Limits,
    pub(super) handshake: Handshake,
    /// The running process; none after a crash, until there is more to send.
    pub(super) session: Option<Session>,
    /// The number of the last request; it continues over restarts.
    pub(super) seq: u64,
    /// How many requests may be in flight: one, once it hung with more.
    pub(super) in_flight: usize,
    pub(super) tally: Tally,
    /// The first request that it answered.
    pub(super) good: Option<Request>,
    /// What went wrong when it was shut down.
    pub(super) ending: Option<Outcome>,
    /// Why nothing more is sent.
    pub(super) given_up: Option<String>,
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
    pub(super) fn session(&mut self) -> Result<&mut Session, ImplementationError> {
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
    pub(super) fn kill(&mut self, had_exited: bool) -> String {
        let Some(mut session) = self.session.take() else { return String::new() };
        let printed = session.kill();
        if let Some(line) = session.report.filter(|_| !had_exited) {
            let did = "reported an error, and went on".to_owned();
            let ending = Ending { did, rest: format!(": {line}"), by_itself: true };
            self.ending.get_or_insert(Answer::Crashed(ending).into());
        }
        printed
    }
}
