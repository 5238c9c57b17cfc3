//! The participants of a campaign: answered in process, or each on a thread of its own, so that programs work at the
//! same time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use variant_codec::Codec;
use variant_corpus::PACKET;
use variant_specs::{Dialect, Reading};

use super::parts;
use super::queue::{Job, Queue};
use super::response::Response;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Implementation, ImplementationError, Kind, Request, Requests};

/// Why a campaign ends at its time.
pub(super) const TIME_IS_OVER: &str = "out of time";

/// An implementation that is compared with others.
#[derive(Debug)]
pub struct Participant {
    /// The name in signatures and reports.
    pub name: String,
    handshake: Handshake,
    link: Link,
}

enum Link {
    InProcess(Box<dyn Implementation + Send>),
    OutOfProcess(Worker),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::InProcess(_)) { "InProcess" } else { "OutOfProcess" })
    }
}

/// Requests of one layout that crash or hang are sent alone after a few, so that it is clear which of them is to blame.

type Responses = Result<Vec<Response>, ImplementationError>;

struct Worker {
    to: Arc<Queue>,
    from: Receiver<(u64, Responses)>,
    /// Responses that came before they were collected.
    early: BTreeMap<u64, Responses>,
    thread: Option<JoinHandle<()>>,
}

impl Participant {
    /// A participant that answers at once, in this process.
    pub fn in_process(name: impl Into<String>, implementation: Box<dyn Implementation + Send>) -> Self {
        let handshake = implementation.handshake().clone();
        Self { name: name.into(), handshake, link: Link::InProcess(implementation) }
    }

    /// A participant that responds on a thread of its own: a program.
    pub fn out_of_process(
        name: impl Into<String>,
        implementation: Box<dyn Implementation + Send>,
        dialect: &Dialect,
    ) -> Self {
        let handshake = implementation.handshake().clone();
        Self { name: name.into(), handshake, link: Link::OutOfProcess(Worker::start(implementation, dialect.clone())) }
    }

    /// What it reported about itself, such as its dialects, operations and types.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn collect(&mut self, submission: &Submission, dialect: &Dialect, time: Time, cut: &AtomicBool) -> Responses {
        let responses = match &mut self.link {
            Link::InProcess(implementation) => respond(implementation.as_mut(), &submission.requests, dialect),
            Link::OutOfProcess(worker) => worker.collect(submission.ticket, time, cut),
        };
        responses.map_err(|ImplementationError(why)| ImplementationError(format!("{}: {why}", self.name)))
    }
}

impl Worker {
    fn start(mut implementation: Box<dyn Implementation + Send>, dialect: Dialect) -> Self {
        let to = Arc::new(Queue::default());
        let jobs = Arc::clone(&to);
        let (responses, from) = channel();
        let thread = std::thread::spawn(move || {
            let codec = Codec::new(&dialect, Reading::Engine);
            while let Some(Job { ticket, requests, cut }) = jobs.next() {
                let kind = |request: &Request| {
                    let layout = parts::layout_of(request, &codec).unwrap_or_else(|| PACKET.to_owned());
                    {
                        let layout: Arc<str> = layout.into();
                        Kind { holds: Arc::new(BTreeSet::from([Arc::clone(&layout)])), layout, skips: false }
                    }
                };
                let sent = requests.iter().take_while(|_| !cut.load(Ordering::Relaxed));
                let sent = sent.map(|request| Request { kind: Some(kind(request)), ..request.clone() });
                let mut all = not_sent(requests.len());
                let sent = send(implementation.as_mut(), Box::new(sent), &mut all, &dialect);
                if responses.send((ticket, sent.map(|()| all))).is_err() {
                    return;
                }
            }
        });
        Self { to, from, early: BTreeMap::new(), thread: Some(thread) }
    }

    fn collect(&mut self, ticket: u64, time: Time, cut: &AtomicBool) -> Responses {
        let mut until = time.sending;
        loop {
            if let Some(responses) = self.early.remove(&ticket) {
                return responses;
            }
            let received = match until {
                None => self.from.recv().map_err(RecvTimeoutError::from),
                Some(until) => self.from.recv_timeout(until.saturating_duration_since(Instant::now())),
            };
            match received {
                Ok((of, responses)) => self.early.insert(of, responses),
                // What is in flight is answered, and what batches have beyond that is not sent.
                Err(RecvTimeoutError::Timeout) if until < time.end => {
                    cut.store(true, Ordering::Relaxed);
                    until = time.end;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => return Err(ImplementationError(TIME_IS_OVER.to_owned())),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ImplementationError("the thread that runs it has ended".to_owned()));
                }
            };
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.to.end();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has been reported already.
            let _ = thread.join();
        }
    }
}

/// The response to each request, in order.
fn respond(implementation: &mut dyn Implementation, requests: &[Request], dialect: &Dialect) -> Responses {
    let lossy = implementation.handshake().lossy.clone();
    let at_once = |request| implementation.answer_at_once(request).map(|answer| Response::of(answer, dialect, &lossy));
    let mut responses: Vec<Response> = Vec::with_capacity(requests.len());
    responses.extend(requests.iter().map_while(at_once));
    if responses.len() == requests.len() {
        return Ok(responses);
    }
    let from = responses.len();
    responses.extend(not_sent(requests.len() - from));
    send(implementation, Box::new(requests[from..].iter().cloned()), &mut responses[from..], dialect)?;
    Ok(responses)
}

fn not_sent(count: usize) -> Vec<Response> {
    vec![Response::NotRun(TIME_IS_OVER.to_owned()); count]
}

/// Sends requests, and puts each response in its place.
fn send(
    implementation: &mut dyn Implementation,
    requests: Requests<'_>,
    responses: &mut [Response],
    dialect: &Dialect,
) -> Result<(), ImplementationError> {
    let lossy = implementation.handshake().lossy.clone();
    for outcome in implementation.send(requests) {
        let (index, outcome) = outcome?;
        if let Some(response) = responses.get_mut(index) {
            *response = Response::of(outcome.answer, dialect, &lossy);
        }
    }
    Ok(())
}

#[derive(Debug)]
pub(super) struct Participants {
    all: Vec<Participant>,
    dialect: Dialect,
    tickets: u64,
    time: Time,
    /// Set when no more requests of batches are to be sent.
    cut: Arc<AtomicBool>,
}

/// Until when requests are sent, and until when their responses are waited for; `None`: as long as it takes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Time {
    pub(super) sending: Option<Instant>,
    pub(super) end: Option<Instant>,
}

/// Requests that are on their way.
#[derive(Debug)]
pub(super) struct Submission {
    ticket: u64,
    pub(super) requests: Arc<Vec<Request>>,
    /// Set when no more of them are to be sent.
    cut: Arc<AtomicBool>,
}

impl Participants {
    pub(super) fn new(all: Vec<Participant>, dialect: &Dialect) -> Self {
        Self { all, dialect: dialect.clone(), tickets: 0, time: Time::default(), cut: Arc::default() }
    }

    /// From now on this is the time.
    pub(super) fn keep_to(&mut self, time: Time) {
        self.time = time;
    }

    /// Whether none of them needs a thread.
    pub(super) fn all_in_process(&self) -> bool {
        self.all.iter().all(|participant| matches!(participant.link, Link::InProcess(_)))
    }

    /// Sends requests to the programs.
    pub(super) fn submit(&mut self, requests: Vec<Request>) -> Submission {
        self.send(requests, false)
    }

    /// The same, ahead of what was submitted and not sent yet: the programs still have work while the caller waits.
    pub(super) fn submit_first(&mut self, requests: Vec<Request>) -> Submission {
        self.send(requests, true)
    }

    fn send(&mut self, requests: Vec<Request>, urgent: bool) -> Submission {
        self.tickets += 1;
        let cut = if urgent { Arc::default() } else { Arc::clone(&self.cut) };
        let submission = Submission { ticket: self.tickets, requests: Arc::new(requests), cut };
        for participant in &self.all {
            // That a worker has ended is reported when its responses are collected.
            if let Link::OutOfProcess(worker) = &participant.link {
                let Submission { ticket, requests, cut } = &submission;
                let job = Job { ticket: *ticket, requests: Arc::clone(requests), cut: Arc::clone(cut) };
                worker.to.push(job, urgent);
            }
        }
        submission
    }

    /// The responses of each participant, in the order of the requests.
    ///
    /// # Errors
    /// The first participant that cannot be used any more, or has not replied in time.
    pub(super) fn collect(&mut self, submission: &Submission) -> Result<Vec<Vec<Response>>, ImplementationError> {
        let Self { all, dialect, time, cut, .. } = self;
        all.iter_mut().map(|one| one.collect(submission, dialect, *time, cut)).collect()
    }
}
