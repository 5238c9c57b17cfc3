//! The sides of a campaign: asked here, or each on a thread of its own, so that programs work at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use variant_specs::Dialect;

use super::queue::Queue;
use super::said::Said;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Implementation, ImplementationError, Request};

/// Something that takes part.
#[derive(Debug)]
pub struct Side {
    /// What it is called in reports.
    pub name: String,
    handshake: Handshake,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Here(Here),
    Apart(Worker),
}

struct Here(Box<dyn Implementation + Send>);

impl std::fmt::Debug for Here {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Here")
    }
}

type Answers = Result<Vec<Said>, ImplementationError>;

#[derive(Debug)]
struct Worker {
    to: Arc<Queue>,
    from: Receiver<(u64, Answers)>,
    /// What came before it was wanted.
    early: BTreeMap<u64, Answers>,
    thread: Option<JoinHandle<()>>,
}

impl Side {
    /// One that answers at once, in process.
    pub fn here(name: impl Into<String>, implementation: Box<dyn Implementation + Send>) -> Self {
        let handshake = implementation.handshake().clone();
        Self { name: name.into(), handshake, way: Way::Here(Here(implementation)) }
    }

    /// One that takes its time: a program.
    pub fn apart(name: impl Into<String>, implementation: Box<dyn Implementation + Send>, dialect: &Dialect) -> Self {
        let handshake = implementation.handshake().clone();
        Self { name: name.into(), handshake, way: Way::Apart(Worker::start(implementation, dialect.clone())) }
    }

    /// What it said of itself.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// Whether it answers in process.
    pub fn is_here(&self) -> bool {
        matches!(self.way, Way::Here(_))
    }

    fn post(&self, ticket: u64, requests: &Arc<Vec<Request>>, urgent: bool) {
        // A worker that is gone is told when its answers are wanted.
        if let Way::Apart(worker) = &self.way {
            worker.to.push((ticket, Arc::clone(requests)), urgent);
        }
    }

    fn collect(&mut self, ticket: u64, requests: &[Request], dialect: &Dialect) -> Answers {
        match &mut self.way {
            Way::Here(Here(implementation)) => answer_all(implementation.as_mut(), requests, dialect),
            Way::Apart(worker) => worker.collect(ticket),
        }
    }
}

impl Worker {
    fn start(mut implementation: Box<dyn Implementation + Send>, dialect: Dialect) -> Self {
        let to = Arc::new(Queue::default());
        let inputs = Arc::clone(&to);
        let (answers, from) = channel();
        let thread = std::thread::spawn(move || {
            while let Some((ticket, requests)) = inputs.next() {
                if answers.send((ticket, answer_all(implementation.as_mut(), &requests, &dialect))).is_err() {
                    return;
                }
            }
        });
        Self { to, from, early: BTreeMap::new(), thread: Some(thread) }
    }

    fn collect(&mut self, ticket: u64) -> Answers {
        loop {
            if let Some(answers) = self.early.remove(&ticket) {
                return answers;
            }
            let Ok((of, answers)) = self.from.recv() else {
                return Err(ImplementationError("the thread that asks it has ended".to_owned()));
            };
            self.early.insert(of, answers);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.to.end();
        if let Some(thread) = self.thread.take() {
            // A panic in it was reported by itself.
            let _ = thread.join();
        }
    }
}

/// Asks all, in order.
fn answer_all(implementation: &mut dyn Implementation, requests: &[Request], dialect: &Dialect) -> Answers {
    let mut said = Vec::with_capacity(requests.len());
    for request in requests {
        let Some(answer) = implementation.answer_at_once(request) else { break };
        said.push(Said::of(answer, dialect));
    }
    if said.len() == requests.len() {
        return Ok(said);
    }
    let from = said.len();
    said.resize_with(requests.len(), || Said::NotRun("it was not asked".to_owned()));
    implementation.send(&mut requests[from..].iter().cloned(), &mut |place, outcome| {
        if let Some(said) = said.get_mut(from + place) {
            *said = Said::of(outcome.answer, dialect);
        }
    })?;
    Ok(said)
}

/// All sides together.
#[derive(Debug)]
pub struct Sides {
    sides: Vec<Side>,
    dialect: Dialect,
    tickets: u64,
}

/// Questions that are on their way.
#[derive(Debug)]
pub struct Posted {
    ticket: u64,
    /// They.
    pub requests: Arc<Vec<Request>>,
}

impl Sides {
    /// These, asked in this dialect.
    pub fn new(sides: Vec<Side>, dialect: &Dialect) -> Self {
        Self { sides, dialect: dialect.clone(), tickets: 0 }
    }

    /// They.
    pub fn all(&self) -> &[Side] {
        &self.sides
    }

    /// Whether none of them needs a thread.
    pub fn are_here(&self) -> bool {
        self.sides.iter().all(Side::is_here)
    }

    /// Sends questions to those that work on their own.
    pub fn post(&mut self, requests: Vec<Request>) -> Posted {
        self.send(requests, false)
    }

    /// The same, before what was posted and is not asked yet: while somebody waits for this, there is work left.
    pub fn post_first(&mut self, requests: Vec<Request>) -> Posted {
        self.send(requests, true)
    }

    fn send(&mut self, requests: Vec<Request>, urgent: bool) -> Posted {
        self.tickets += 1;
        let posted = Posted { ticket: self.tickets, requests: Arc::new(requests) };
        self.sides.iter().for_each(|side| side.post(posted.ticket, &posted.requests, urgent));
        posted
    }

    /// What each side said to each question, side by side.
    ///
    /// # Errors
    /// The first side that cannot be used any more.
    pub fn collect(&mut self, posted: &Posted) -> Result<Vec<Vec<Said>>, ImplementationError> {
        let dialect = &self.dialect;
        let collect = |side: &mut Side| {
            side.collect(posted.ticket, &posted.requests, dialect)
                .map_err(|ImplementationError(why)| ImplementationError(format!("{}: {why}", side.name)))
        };
        self.sides.iter_mut().map(collect).collect()
    }

    /// Both at once.
    ///
    /// # Errors
    /// As [`Sides::collect`].
    pub fn answers(&mut self, requests: Vec<Request>) -> Result<Vec<Vec<Said>>, ImplementationError> {
        let posted = self.post_first(requests);
        self.collect(&posted)
    }
}
