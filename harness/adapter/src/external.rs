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
mod limits;
mod listener;
mod memory;
mod outcomes;
mod output;
mod pipeline;
mod process;
mod replies;
mod session;
mod streams;
mod supervisor;
mod tally;

use self::pipeline::Pipeline;
use variant_values::handshake::Handshake;
use variant_values::implementation::{Implementation, Outcome, Outcomes, Requests};

pub(crate) use self::handshake::{handshake, launch, start};
pub(crate) use self::output::without_folders;
pub(crate) use self::session::Session;
pub(crate) use self::streams::{Line, SHOWN, WireEvent};

pub use self::command::{Command, Transport};
pub use self::limits::Limits;
pub use self::supervisor::External;

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
