//! Processes of Windows: pipes as sockets, since only sockets can be waited for, and a job that takes all that a process started
//! with it, also if this program ends first.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::windows::io::AsRawHandle;
use std::process::{Child, Command, ExitStatus};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::buffer::Buffer;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use win32job::{ExtendedLimitInfo, Job};

use super::{VANISH, nonblocking};

/// How long what it wrote may take to arrive once it has ended.
const ARRIVE: Duration = Duration::from_secs(1);
/// How often it is looked whether it has ended.
const TURN: Duration = Duration::from_millis(2);

/// Reads from a socket.
pub(in crate::external) fn read<B: Buffer<u8>>(from: impl AsFd, buffer: B) -> rustix::io::Result<B::Output> {
    recv(from, buffer, RecvFlags::empty()).map(|(output, _)| output)
}

/// Writes to a socket.
pub(in crate::external) fn write(to: impl AsFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    send(to, bytes, SendFlags::empty())
}

/// A process and all that it started.
#[derive(Debug)]
pub(super) struct Tree {
    child: Child,
    /// Whatever is in it ends with it.
    job: Option<Job>,
    /// They copy what the process writes.
    copying: Vec<JoinHandle<()>>,
    ended: Option<Instant>,
}

impl Tree {
    /// Starts it in a job.
    pub(super) fn start(mut command: Command, pipes: impl FnOnce(&mut Command)) -> io::Result<Self> {
        pipes(&mut command);
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        if let Err(error) = job.assign_process(child.as_raw_handle().addr().cast_signed()) {
            // It may have ended already.
            if !child.try_wait().is_ok_and(|status| status.is_some()) {
                let _ = child.kill();
                return Err(io::Error::other(error));
            }
        }
        Ok(Self { child, job: Some(job), copying: Vec::new(), ended: None })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn take_stdin(&mut self) -> io::Result<Option<OwnedFd>> {
        let Some(mut stdin) = self.child.stdin.take() else { return Ok(None) };
        let (near, mut far) = pair()?;
        thread::spawn(move || {
            // It no longer reads, or all is written: both are seen at the other end.
            let _ = io::copy(&mut far, &mut stdin);
        });
        nonblocking(near).map(Some)
    }

    pub(super) fn take_stdout(&mut self) -> io::Result<Option<OwnedFd>> {
        let stdout = self.child.stdout.take();
        stdout.map(|stdout| self.copied(stdout)).transpose()
    }

    pub(super) fn take_stderr(&mut self) -> io::Result<Option<OwnedFd>> {
        let stderr = self.child.stderr.take();
        stderr.map(|stderr| self.copied(stderr)).transpose()
    }

    /// Its end cannot be waited for together with sockets.
    pub(super) fn exit(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Whether the process has ended, and all that it wrote has arrived.
    pub(super) fn is_over(&mut self) -> bool {
        if self.ended.is_none() && self.child.try_wait().is_ok_and(|status| status.is_some()) {
            self.ended = Some(Instant::now());
        }
        let arrived = || self.copying.iter().all(JoinHandle::is_finished);
        self.ended.is_some_and(|ended| arrived() || ended.elapsed() > ARRIVE)
    }

    /// Kills it: there is no way to ask a program without windows to exit.
    pub(super) fn terminate(&mut self) {
        // It fails if it has ended, which is fine.
        let _ = self.child.kill();
    }

    /// Kills all of it, and waits until it is gone.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        self.terminate();
        self.job = None;
        let until = Instant::now() + VANISH;
        while !self.is_over() && Instant::now() < until {
            thread::sleep(TURN);
        }
        self.child.try_wait().ok().flatten()
    }

    /// A socket from which all can be read that the process writes to a pipe.
    fn copied(&mut self, mut pipe: impl io::Read + Send + 'static) -> io::Result<OwnedFd> {
        let (near, mut far) = pair()?;
        self.copying.push(thread::spawn(move || {
            // Its reader may be gone: then the process sees a closed pipe.
            let _ = io::copy(&mut pipe, &mut far);
            let _ = far.shutdown(Shutdown::Write);
        }));
        nonblocking(near)
    }
}

/// Two connected sockets.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, from) = listener.accept()?;
    if from != near.local_addr()? {
        return Err(io::Error::new(ErrorKind::ConnectionRefused, "another program connected"));
    }
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    Ok((near, far))
}
