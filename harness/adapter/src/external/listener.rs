//! The port that an adapter connects to, and the token that identifies it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use memchr::memchr;
use rustix::event::PollFlags;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use serde::Deserialize;
use thiserror::Error;

use super::exit::End;
use super::process::{Watched, nonblocking, read, ready};
use super::session::Session;
use variant_wire::interrupt::INTERRUPTED;

/// Connections that may wait for their token. The oldest is dropped for a new one.
const PENDING: usize = 16;
/// The longest first line.
const FIRST_LINE: usize = 512;
/// How long to wait at once if nothing happens.
const TURN: Duration = Duration::from_millis(50);

/// Why there is no connection to an adapter.
#[derive(Debug, Error)]
pub(super) enum ConnectError {
    #[error("its pipes cannot be used: {0}")]
    Pipes(io::Error),
    #[error("its connection cannot be used: {0}")]
    Connection(io::Error),
    #[error("it {0}, before connecting to {1} (CONFORM_CONNECT)")]
    Ended(End, SocketAddr),
    #[error("{INTERRUPTED}", INTERRUPTED = INTERRUPTED)]
    Interrupted,
    #[error(
        "it did not connect to {address} in {allowed:?}{strangers}. It must open a TCP connection to the address in \
         CONFORM_CONNECT and send {{\"token\":\"…\"}} with the text of CONFORM_TOKEN as its first line"
    )]
    NoConnection { address: SocketAddr, allowed: Duration, strangers: String },
}

/// A port that only this machine can reach, open until the adapter has connected.
#[derive(Debug)]
pub(super) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    pending: Vec<PendingConnection>,
    rejected: usize,
}

/// A connection that has not sent its token yet.
#[derive(Debug)]
struct PendingConnection {
    stream: OwnedFd,
    received: Vec<u8>,
    closed: bool,
}

enum Identity {
    NotYet,
    Stranger,
    /// The adapter; what follows its token begins at this byte.
    Adapter(usize),
}

#[derive(Deserialize)]
struct TokenLine {
    token: String,
}

impl Listener {
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token: random_token()?, pending: Vec::new(), rejected: 0 })
    }

    /// The environment variables that tell the adapter the address and the token.
    pub(super) fn environment(&self) -> [(&'static str, String); 2] {
        [("CONFORM_CONNECT", self.address.to_string()), ("CONFORM_TOKEN", self.token.clone())]
    }

    /// Waits for the adapter, and gives its connection to the session. What it prints on standard output is noise.
    pub(super) fn accept(mut self, session: &mut Session, until: Instant) -> Result<(), ConnectError> {
        session.ignore_stdout().map_err(ConnectError::Pipes)?;
        loop {
            self.accept_pending();
            if let Some((stream, rest)) = self.take_adapter() {
                return session.connect(stream, &rest).map_err(ConnectError::Connection);
            }
            if let Some(end) = session.ended_early() {
                return Err(ConnectError::Ended(end, self.address));
            }
            if session.limits.interrupt.is_set() {
                return Err(ConnectError::Interrupted);
            }
            let now = Instant::now();
            if now >= until {
                return Err(self.no_connection(session.limits.start_up));
            }
            let pending = self.pending.iter().map(|pending| ((), pending.stream.as_fd(), PollFlags::IN));
            let mut watched: Watched<'_, ()> = pending.chain([((), self.listener.as_fd(), PollFlags::IN)]).collect();
            session.process.watch(&mut watched, (), ());
            ready(&watched, until.saturating_duration_since(now).min(TURN));
        }
    }

    fn accept_pending(&mut self) {
        while let Ok((stream, from)) = self.listener.accept() {
            let stream = stream.set_nodelay(true).and_then(|()| nonblocking(stream));
            match stream {
                Ok(stream) if from.ip().is_loopback() => {
                    self.pending.push(PendingConnection { stream, received: Vec::new(), closed: false });
                }
                Ok(_) | Err(_) => self.rejected += 1,
            }
            if self.pending.len() > PENDING {
                self.pending.remove(0);
                self.rejected += 1;
            }
        }
    }

    /// Reads from all connections, and drops strangers. Returns the adapter's, and what it sent after its token.
    fn take_adapter(&mut self) -> Option<(OwnedFd, Vec<u8>)> {
        for mut pending in std::mem::take(&mut self.pending) {
            pending.read();
            match pending.identity(&self.token) {
                Identity::NotYet => self.pending.push(pending),
                Identity::Stranger => self.rejected += 1,
                Identity::Adapter(rest) => return Some((pending.stream, pending.received.split_off(rest))),
            }
        }
        None
    }

    fn no_connection(&self, allowed: Duration) -> ConnectError {
        let strangers = match self.rejected + self.pending.len() {
            0 => String::new(),
            1 => "; one connection came without the right token".to_owned(),
            many => format!("; {many} connections came without the right token"),
        };
        ConnectError::NoConnection { address: self.address, allowed, strangers }
    }
}

impl PendingConnection {
    fn read(&mut self) {
        let mut chunk = [0; FIRST_LINE];
        while self.received.len() < FIRST_LINE && !self.closed {
            match read(&self.stream, &mut chunk) {
                Ok(0) => self.closed = true,
                Ok(count) => self.received.extend_from_slice(&chunk[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.closed = true,
            }
        }
    }

    fn identity(&self, token: &str) -> Identity {
        let Some(end) = memchr(b'\n', &self.received) else {
            let over = self.closed || self.received.len() >= FIRST_LINE;
            return if over { Identity::Stranger } else { Identity::NotYet };
        };
        let line = self.received[..end].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.received[..end]);
        match serde_json::from_slice::<TokenLine>(line) {
            Ok(first) if same(first.token.as_bytes(), token.as_bytes()) => Identity::Adapter(end + 1),
            Ok(_) | Err(_) => Identity::Stranger,
        }
    }
}

/// Compares in constant time.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

/// 128 random bits, so that no other program on this machine can guess it.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}
