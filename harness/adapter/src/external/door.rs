//! The port that an adapter connects to, and the token by which it is known.

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use memchr::memchr;
use rustix::event::PollFlags;
use rustix::io::Errno;
use serde::Deserialize;

use super::Limits;
use super::poll::{Watched, ready};
use super::process::nonblocking;
use super::session::Session;
use variant_wire::interrupt::INTERRUPTED;

/// The variables that tell an adapter where to connect, and what to say first.
const CONNECT: &str = "CONFORM_CONNECT";
const TOKEN: &str = "CONFORM_TOKEN";
/// Connections that may be waiting to say who they are. The one that has waited longest gives way.
const GUESTS: usize = 16;
/// The longest first line.
const FIRST_LINE: usize = 512;
/// How long a wait lasts where nothing wakes it.
const TURN: Duration = Duration::from_millis(50);

/// A port of this machine only, open until the adapter has come.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    guests: Vec<Guest>,
    /// How many were sent away.
    strangers: usize,
}

/// A connection, and the beginning of what it said.
#[derive(Debug)]
struct Guest {
    stream: File,
    said: Vec<u8>,
    closed: bool,
}

/// Who a guest is.
enum Known {
    NotYet,
    Stranger,
    /// The adapter; what follows its token begins here.
    Adapter(usize),
}

#[derive(Deserialize)]
struct FirstLine {
    token: String,
}

impl Door {
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token: random_token()?, guests: Vec::new(), strangers: 0 })
    }

    /// What the adapter finds in its environment.
    pub(super) fn environment(&self) -> [(&'static str, String); 2] {
        [(CONNECT, self.address.to_string()), (TOKEN, self.token.clone())]
    }

    /// Lets the adapter in and gives the session its connection; or why it did not come.
    pub(super) fn admit(mut self, session: &mut Session, until: Instant, limits: &Limits) -> Result<(), String> {
        loop {
            self.welcome();
            if let Some((stream, rest)) = self.adapter() {
                return session
                    .connect(stream, &rest)
                    .map_err(|error| format!("its connection could not be used: {error}"));
            }
            if let Some(end) = session.ended_early() {
                return Err(format!("it {end}, and had not connected to {} ({CONNECT})", self.address));
            }
            if limits.interrupt.is_set() {
                return Err(INTERRUPTED.to_owned());
            }
            let now = Instant::now();
            if now >= until {
                return Err(self.nobody_came(limits));
            }
            let mut watched = self.watched();
            session.process.watch(&mut watched, (), ());
            ready(&watched, until.saturating_duration_since(now).min(TURN));
        }
    }

    /// Accepts all who wait at the door.
    fn welcome(&mut self) {
        while let Ok((stream, from)) = self.listener.accept() {
            let stream = stream.set_nodelay(true).and_then(|()| nonblocking(OwnedFd::from(stream)));
            match stream {
                Ok(stream) if from.ip().is_loopback() => {
                    self.guests.push(Guest { stream, said: Vec::new(), closed: false });
                }
                Ok(_) | Err(_) => self.strangers += 1,
            }
            if self.guests.len() > GUESTS {
                self.guests.remove(0);
                self.strangers += 1;
            }
        }
    }

    /// Listens to all guests: sends strangers away, and returns the adapter and what it said behind its token.
    fn adapter(&mut self) -> Option<(File, Vec<u8>)> {
        for mut guest in std::mem::take(&mut self.guests) {
            guest.listen();
            match guest.known(&self.token) {
                Known::NotYet => self.guests.push(guest),
                Known::Stranger => self.strangers += 1,
                Known::Adapter(rest) => return Some((guest.stream, guest.said.split_off(rest))),
            }
        }
        None
    }

    fn watched(&self) -> Watched<'_, ()> {
        let guests = self.guests.iter().map(|guest| ((), guest.stream.as_fd(), PollFlags::IN));
        guests.chain([((), self.listener.as_fd(), PollFlags::IN)]).collect()
    }

    fn nobody_came(&self, limits: &Limits) -> String {
        let strangers = match self.strangers + self.guests.len() {
            0 => String::new(),
            1 => "; one connection came without the right token".to_owned(),
            many => format!("; {many} connections came without the right token"),
        };
        format!(
            "it did not connect to {} in {:?}{strangers}. It must open a TCP connection to the address in {CONNECT} and \
             send {{\"token\":\"…\"}} with the text of {TOKEN} as its first line",
            self.address, limits.start_up
        )
    }
}

impl Guest {
    fn listen(&mut self) {
        let mut chunk = [0; FIRST_LINE];
        while self.said.len() < FIRST_LINE && !self.closed {
            match rustix::io::read(&self.stream, &mut chunk) {
                Ok(0) => self.closed = true,
                Ok(count) => self.said.extend_from_slice(&chunk[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.closed = true,
            }
        }
    }

    fn known(&self, token: &str) -> Known {
        let Some(end) = memchr(b'\n', &self.said) else {
            return if self.closed || self.said.len() >= FIRST_LINE { Known::Stranger } else { Known::NotYet };
        };
        let line = self.said[..end].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.said[..end]);
        match serde_json::from_slice::<FirstLine>(line) {
            Ok(first) if same(first.token.as_bytes(), token.as_bytes()) => Known::Adapter(end + 1),
            Ok(_) | Err(_) => Known::Stranger,
        }
    }
}

/// Takes as long for a wrong token whichever of its characters is wrong.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

/// 128 bits that nobody else on this machine can guess.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex::encode(bytes))
}
