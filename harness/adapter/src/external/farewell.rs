//! The end of a run: input closed, then a while to exit, then signals.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::External;
use super::end::{End, ending};
use super::lines::Piece;
use super::session::{Pumped, Session};
use variant_wire::protocol::{Line, read_line};

/// How an adapter took the end of its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitReport {
    /// How it ended; `None` where it ended by itself with status 0, as it should.
    pub problem: Option<String>,
    /// Replies that came after all was answered.
    pub stray: usize,
    /// The end of its stderr and what it said beside the protocol.
    pub noise: String,
    /// The end of its stderr alone.
    pub stderr: String,
}

impl External {
    /// Ends the adapter's input, and tells how it took that. Dropping does the same and tells nobody.
    /// Without a running process, after a crash, there is nothing to tell.
    pub fn shutdown(mut self) -> Option<ExitReport> {
        Some(self.session.take()?.shutdown())
    }
}

impl Drop for External {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            session.shutdown();
        }
    }
}

impl Session {
    /// Closes the input; waits; asks the whole group to end; waits a little; ends it.
    pub(super) fn shutdown(mut self) -> ExitReport {
        self.outbox.close();
        let mut stray = 0;
        let patience = self.limits.shutdown;
        let problem = match self.wait_for_exit(patience, &mut stray) {
            Some(status) if status.success() => None,
            Some(status) => Some(ending(status)),
            None => Some(self.force(patience / 4, &mut stray)),
        };
        self.process.kill();
        let (stdout, stderr) = self.last_streams();
        ExitReport { problem, stray, noise: Self::both(&stdout, &stderr), stderr }
    }

    fn force(&mut self, patience: Duration, stray: &mut usize) -> String {
        let waited = self.limits.shutdown;
        self.process.terminate();
        match self.wait_for_exit(patience, stray) {
            Some(_) => format!("did not exit within {waited:?} of the end of its input, and was terminated"),
            None => format!("did not exit within {waited:?} of the end of its input, ignored SIGTERM, and was killed"),
        }
    }

    fn wait_for_exit(&mut self, patience: Duration, stray: &mut usize) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            match self.pump(until) {
                Pumped::Ended(End::Exited(status)) => return Some(status),
                Pumped::Lines => *stray += self.discard_lines(),
                Pumped::Quiet | Pumped::Ended(End::Memory { .. } | End::Silent(_) | End::Interrupted) => {
                    return None;
                }
                // It may well exit yet; there is nothing more to read.
                Pumped::Ended(End::ClosedOutput) => std::thread::sleep(Duration::from_millis(5)),
            }
            if Instant::now() >= until {
                return None;
            }
        }
    }

    /// Takes all lines; how many were replies.
    fn discard_lines(&mut self) -> usize {
        let mut replies = 0;
        while let Some(piece) = self.lines.next() {
            match piece {
                Piece::Line(line) => match read_line(line) {
                    Line::Reply(..) | Line::Garbled(..) => replies += 1,
                    Line::Noise => self.noise.push_line(line),
                },
                Piece::TooLong(..) => replies += 1,
            }
        }
        replies
    }
}
