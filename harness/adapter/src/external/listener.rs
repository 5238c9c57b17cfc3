//! The port that an adapter connects to, and the token that identifies it.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::exit::End;
use super::session::Session;
use variant_values::interrupt::INTERRUPTED;

/// The longest first line.
const FIRST_LINE: u64 = 512;
/// How long to wait for a byte of it.
const PROMPT: Duration = Duration::from_secs(1);
/// How long to wait at once if nothing happens.
const TURN: Duration = Duration::from_millis(5);

/// A port that only this machine can reach, open until the adapter has connected.
#[derive(Debug)]
pub(super) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl Listener {
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token: random_token()? })
    }

    /// The environment variables that tell the adapter the address and the token.
    pub(super) fn environment(&self) -> [(&'static str, String); 2] {
        [("CONFORM_CONNECT", self.address.to_string()), ("CONFORM_TOKEN", self.token.clone())]
    }

    /// Waits for the adapter, and gives its connection to the session. What it prints on standard output is noise.
    ///
    /// # Errors
    /// It does not connect in time. The message says why, and what to do.
    pub(super) fn accept(self, session: &mut Session, until: Instant) -> Result<(), String> {
        let address = self.address;
        let mut stranger = "";
        loop {
            if let Ok((mut stream, _)) = self.listener.accept() {
                if self.knows_token(&mut stream) {
                    let sink = stream.try_clone().map_err(|error| format!("its connection cannot be used: {error}"))?;
                    // It stays open in the other direction when writing ends.
                    session.connect(sink, stream, |sink| drop(sink.shutdown(Shutdown::Write)));
                    return Ok(());
                }
                stranger = "; a connection came without the right token";
            }
            let now = Instant::now();
            match session.exit_by(now + TURN) {
                Some(End::Interrupted) => return Err(INTERRUPTED.to_owned()),
                Some(end) => return Err(format!("it {end}, before connecting to {address} (CONFORM_CONNECT)")),
                None => {}
            }
            if now >= until {
                let allowed = session.limits.start_up;
                return Err(format!(
                    "it did not connect to {address} in {allowed:?}{stranger}. It must open a TCP connection to the \
                     address in CONFORM_CONNECT and send {{\"token\":\"…\"}} with the text of CONFORM_TOKEN as its first \
                     line"
                ));
            }
        }
    }

    /// Whether the first line of a connection has the token.
    fn knows_token(&self, stream: &mut TcpStream) -> bool {
        let line = first_line(stream).unwrap_or_default();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        serde_json::from_slice::<Value>(line).is_ok_and(|first| first["token"] == self.token)
    }
}

/// The first line. The buffer holds one byte, so that what follows is left for the session.
fn first_line(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PROMPT))?;
    let mut line = Vec::new();
    BufReader::with_capacity(1, &mut *stream).take(FIRST_LINE).read_until(b'\n', &mut line)?;
    stream.set_read_timeout(None)?;
    Ok(line)
}

/// 128 random bits, so that no other program on this machine can guess it.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}
