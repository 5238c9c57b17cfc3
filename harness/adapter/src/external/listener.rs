//! The port that an adapter connects to, and the token that identifies it.

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use thiserror::Error;

use super::exit::End;
use super::session::Session;
use variant_values::interrupt::INTERRUPTED;

/// Connections whose first line may be waited for. Further ones are refused.
const PENDING: usize = 64;
/// The longest first line.
const FIRST_LINE: usize = 512;
/// How long to wait at once if nothing happens.
const TURN: Duration = Duration::from_millis(5);

/// Why there is no connection to an adapter.
#[derive(Debug, Error)]
pub(super) enum ConnectError {
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
    /// Connections that have not sent the right token.
    strangers: Arc<AtomicUsize>,
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
        Ok(Self { listener, address, token: random_token()?, strangers: Arc::default() })
    }

    /// The environment variables that tell the adapter the address and the token.
    pub(super) fn environment(&self) -> [(&'static str, String); 2] {
        [("CONFORM_CONNECT", self.address.to_string()), ("CONFORM_TOKEN", self.token.clone())]
    }

    /// Waits for the adapter, and gives its connection to the session. What it prints on standard output is noise.
    pub(super) fn accept(self, session: &mut Session, until: Instant) -> Result<(), ConnectError> {
        session.ignore_stdout();
        let (found, adapter) = channel();
        loop {
            while let Ok((stream, from)) = self.listener.accept() {
                if from.ip().is_loopback() && self.strangers.load(Ordering::Relaxed) < PENDING {
                    self.strangers.fetch_add(1, Ordering::Relaxed);
                    self.identify(stream, until, found.clone());
                }
            }
            if let Ok(stream) = adapter.recv_timeout(TURN) {
                return session.connect(stream).map_err(ConnectError::Connection);
            }
            if let Some(end) = session.ended_early() {
                return Err(ConnectError::Ended(end, self.address));
            }
            if session.limits.interrupt.is_set() {
                return Err(ConnectError::Interrupted);
            }
            if Instant::now() >= until {
                return Err(self.no_connection(session.limits.start_up));
            }
        }
    }

    /// Reads the first line of a connection in a thread of its own.
    fn identify(&self, mut stream: TcpStream, until: Instant, found: Sender<TcpStream>) {
        let token = self.token.clone();
        thread::spawn(move || {
            let line = first_line(&mut stream, until).unwrap_or_default();
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            let said = serde_json::from_slice::<TokenLine>(line);
            if said.is_ok_and(|first| same(first.token.as_bytes(), token.as_bytes())) {
                let _ = found.send(stream);
            }
        });
    }

    fn no_connection(&self, allowed: Duration) -> ConnectError {
        let strangers = match self.strangers.load(Ordering::Relaxed) {
            0 => String::new(),
            1 => "; one connection came without the right token".to_owned(),
            many => format!("; {many} connections came without the right token"),
        };
        ConnectError::NoConnection { address: self.address, allowed, strangers }
    }
}

/// The first line, byte by byte, so that what follows is left for the session.
fn first_line(stream: &mut TcpStream, until: Instant) -> io::Result<Vec<u8>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(until.saturating_duration_since(Instant::now()).max(TURN)))?;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < FIRST_LINE {
        stream.read_exact(&mut byte)?;
        if byte == [b'\n'] {
            stream.set_read_timeout(None)?;
            return Ok(line);
        }
        line.push(byte[0]);
    }
    Ok(Vec::new())
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
