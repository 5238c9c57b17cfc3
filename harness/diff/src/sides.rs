//! The sides of a campaign: one in this process answers at once, and programs work at the same time, each on a thread.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use variant_codec::Codec;
use variant_specs::{Dialect, JudgedBy, Specs};

use super::parts;
use variant_values::handshake::Handshake;
use variant_values::implementation::{Answer, Implementation, ImplementationError, Kind, Outcome, Request};
use variant_values::interrupt::INTERRUPTED;
use variant_values::reference::{NAME, Reference};

/// Why a campaign ends at its time.
pub(super) const TIME_IS_OVER: &str = "out of time";

/// Whoever has not replied for this long when the time is over is named.
const SILENT: Duration = Duration::from_secs(1);

/// An implementation that is compared with others.
pub struct Participant {
    pub name: String,
    implementation: Box<dyn Implementation + Send>,
    handshake: Handshake,
    is_program: bool,
    is_reference: bool,
    /// For how long it had not replied when the time was over.
    silent: Option<Duration>,
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Participant {
    /// The reference codec, whose replies are taken to be right.
    pub fn reference(specs: &Specs) -> Self {
        let reference = Box::new(Reference::new(specs, JudgedBy::Engines));
        Self { is_reference: true, ..Self::in_process(NAME, reference) }
    }

    /// A participant that answers at once, in this process.
    pub fn in_process(name: impl Into<String>, implementation: Box<dyn Implementation + Send>) -> Self {
        let handshake = implementation.handshake().clone();
        Self { name: name.into(), implementation, handshake, is_program: false, is_reference: false, silent: None }
    }

    /// A participant that is asked on a thread of its own: a program.
    pub fn out_of_process(name: impl Into<String>, implementation: Box<dyn Implementation + Send>) -> Self {
        Self { is_program: true, ..Self::in_process(name, implementation) }
    }

    /// What it reported about itself, such as its dialects, operations and types.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    pub fn is_reference(&self) -> bool {
        self.is_reference
    }

    /// The reply to each request, in order; of those that were not sent in time, that they were not.
    fn ask(
        &mut self,
        requests: &[Request],
        dialect: &Dialect,
        time: Time,
    ) -> Result<Vec<Outcome>, ImplementationError> {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let unsent = Outcome::from(Answer::NotRun(TIME_IS_OVER.to_owned()));
        let mut replies = vec![unsent; requests.len()];
        let in_time = requests.iter().take_while(|_| time.sending.is_none_or(|until| Instant::now() < until));
        let is_program = self.is_program;
        let sending =
            in_time.map(|request| Request { kind: is_program.then(|| kind(request, &codec)), ..request.clone() });
        let mut last = Instant::now();
        for outcome in self.implementation.send(Box::new(sending)) {
            match outcome {
                Ok((place, outcome)) => {
                    last = Instant::now();
                    if let Some(reply) = replies.get_mut(place) {
                        *reply = outcome;
                    }
                }
                // What was answered in time counts.
                Err(_) if is_over(time, None) => {
                    self.silent = Some(last.elapsed()).filter(|silent| *silent >= SILENT);
                    break;
                }
                Err(ImplementationError(why)) => return Err(ImplementationError(format!("{}: {why}", self.name))),
            }
        }
        Ok(replies)
    }
}

/// Whether the time is over. Programs end themselves at that time, maybe a little before it.
pub(super) fn is_over(time: Time, error: Option<&ImplementationError>) -> bool {
    time.end.is_some_and(|end| Instant::now() >= end || error.is_some_and(|error| error.0.ends_with(INTERRUPTED)))
}

/// Requests of one layout that crash are sent alone after a few, so that it is clear which of them is to blame; if they hang,
/// the rest is skipped.
fn kind(request: &Request, codec: &Codec) -> Kind {
    Kind { holds: Arc::new(parts::names(&parts::unframed(request, codec), codec)), skips: false }
}

/// Until when requests are sent, and until when their replies are waited for; `None`: as long as it takes. The programs
/// themselves end what they wait for at the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Time {
    pub(super) sending: Option<Instant>,
    pub(super) end: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct Sides<'a> {
    all: Vec<Participant>,
    dialect: &'a Dialect,
    /// From now on this is the time.
    pub(super) time: Time,
}

/// The replies of each side, in the order of the requests.
pub(super) type Replies = Result<Vec<Vec<Outcome>>, ImplementationError>;

impl<'a> Sides<'a> {
    pub(super) fn new(all: Vec<Participant>, dialect: &'a Dialect) -> Self {
        Self { all, dialect, time: Time::default() }
    }

    /// Ends all sides. What went wrong then, with the place and the handshake of the side.
    pub(super) fn finish(&mut self) -> Vec<(usize, Handshake, Outcome)> {
        let sides = self.all.iter_mut().enumerate();
        sides.filter_map(|(place, side)| Some((place, side.handshake.clone(), side.implementation.finish()?))).collect()
    }

    /// That the time is over, and who had not replied then.
    pub(super) fn time_is_over(&self) -> String {
        let silent = self.all.iter().find_map(|side| Some((&side.name, side.silent?)));
        silent.map_or(TIME_IS_OVER.to_owned(), |(name, silent)| {
            let silent = silent.as_secs_f64();
            format!("{TIME_IS_OVER}; {name} had not replied for {silent:.1} s: it hangs, or it is slow")
        })
    }

    /// Sends requests to all sides.
    pub(super) fn ask(&mut self, requests: &[Request]) -> Replies {
        self.ask_while(requests, || ()).0
    }

    /// The same, and does something else while programs work.
    pub(super) fn ask_while<T>(&mut self, requests: &[Request], meanwhile: impl FnOnce() -> T) -> (Replies, T) {
        let (dialect, time) = (self.dialect, self.time);
        let (asked, done) = thread::scope(|scope| {
            let mut asked: Vec<_> = Vec::new();
            let mut running = Vec::new();
            for (place, side) in self.all.iter_mut().enumerate() {
                if side.is_program {
                    running.push((place, scope.spawn(move || side.ask(requests, dialect, time))));
                } else {
                    asked.push((place, side.ask(requests, dialect, time)));
                }
            }
            let done = meanwhile();
            let ended = || Err(ImplementationError("the thread that asks it has ended".to_owned()));
            asked.extend(running.into_iter().map(|(place, side)| (place, side.join().unwrap_or_else(|_| ended()))));
            asked.sort_by_key(|(place, _)| *place);
            (asked, done)
        });
        (asked.into_iter().map(|(_, replies)| replies).collect(), done)
    }
}
