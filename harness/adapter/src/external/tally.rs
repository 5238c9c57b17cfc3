//! What an adapter died of so far, and what follows: shorter waits, tests that are skipped, and when it is given up.
//!
//! A death belongs to a type and an operation: to the types of the request of which nothing was answered yet, or else to
//! the type that the request is about. After a few, the rest of that type and operation is not tried; everything else is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::exit::End;
use variant_values::handshake::Op;
use variant_values::implementation::Request;

/// Deaths of a type without an answer between them after which the rest of it is skipped.
const IN_A_ROW: usize = 3;
/// Deaths of a type, with answers between them.
const OF_A_TYPE: usize = 8;
/// While there are fewer quick exits than these, a type that only exits quickly may have more of them: starting again
/// costs little, and what kills may be one thing in a type that is right in all else.
const CHEAP: usize = 100;
const EXITS_IN_A_ROW: usize = 6;
const EXITS_OF_A_TYPE: usize = 32;
/// An exit is quick within this time, with the start of the process.
const QUICK: Duration = Duration::from_millis(500);
/// After a first hang, the timeout of the same type is this part of the usual one.
const SHORT: u32 = 4;
/// It does not shrink below this multiple of the slowest reply, but always to half.
const SLOWEST: u32 = 10;
/// Deaths and hangs that no request repeats alone after which it is given up, if little is answered between them.
const UNEXPLAINED: usize = 20;
/// Timeouts in full after which every wait is short.
const PATIENT: u32 = 4;
/// Timeouts in full after which one death is enough to skip a type, and an adapter that hangs by itself is given up.
const BUDGET: u32 = 15;
/// Hangs that no request repeats after which waiting for the next is shorter.
const HANGS: usize = 3;
/// Replies for each of them that are worth to go on.
const WORTH: usize = 50;
/// Types that died if nothing was ever answered.
const MUTE: usize = 3;
/// Deaths in a row, of whatever type, after which something else has to be answered.
const DYING: usize = 30;

/// A type in one direction of a dialect.
type Place = (Arc<str>, Arc<str>, Op);

/// The deaths so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Time without any reply, at first.
    timeout: Duration,
    places: HashMap<Place, Deaths>,
    /// Types that hung, by dialect.
    hung: HashSet<(Arc<str>, Arc<str>)>,
    answered: HashSet<(Arc<str>, Op)>,
    replies: usize,
    slowest: Duration,
    in_a_row: usize,
    exits: usize,
    /// When something was answered, or died.
    since: Option<Instant>,
    unexplained: usize,
    unexplained_hangs: usize,
    /// Time that was waited in vain.
    spent: Duration,
    /// How the last process ended.
    pub(super) last: Option<String>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Deaths {
    all: usize,
    in_a_row: usize,
    exits: usize,
    what: &'static str,
}

impl Tally {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, ..Self::default() }
    }

    /// Counts a request that ended the process like this.
    pub(super) fn died(&mut self, request: &Request, end: End) {
        self.in_a_row += 1;
        let quick = self.since.is_none_or(|since| since.elapsed() < QUICK);
        self.since = Some(Instant::now());
        let exited = usize::from(matches!(end, End::Exited(_)) && quick);
        self.exits += exited;
        for name in self.suspects(request) {
            let deaths = self.places.entry(place(request, &name)).or_default();
            deaths.all += 1;
            deaths.in_a_row += 1;
            deaths.exits += exited;
            deaths.what = end.past();
            if end.is_slow() {
                self.hung.insert((Arc::clone(&request.dialect), name));
            }
        }
    }

    /// The types that may be the reason: those of which nothing was answered; if there is none, its own.
    fn suspects(&self, request: &Request) -> Vec<Arc<str>> {
        let Some(kind) = &request.kind else { return vec![Arc::from("")] };
        let unknown = |name: &&Arc<str>| !self.answered.contains(&(Arc::clone(name), request.op()));
        let suspects: Vec<Arc<str>> = kind.holds.iter().filter(unknown).cloned().collect();
        if suspects.is_empty() { vec![Arc::clone(&kind.layout)] } else { suspects }
    }

    /// Counts a death that no request repeats alone, or one after the reply.
    pub(super) fn unexplained(&mut self) {
        self.unexplained += 1;
    }

    /// Counts a hang that no request repeats alone. Returns how many there were.
    pub(super) fn late(&mut self) -> usize {
        self.unexplained += 1;
        self.unexplained_hangs += 1;
        self.unexplained_hangs
    }

    /// Notes a reply.
    pub(super) fn answered(&mut self, request: &Request) {
        self.in_a_row = 0;
        self.replies += 1;
        self.since = Some(Instant::now());
        let Some(kind) = &request.kind else { return };
        for name in types(kind) {
            if !self.answered.contains(&(Arc::clone(name), request.op())) {
                self.answered.insert((Arc::clone(name), request.op()));
            }
            if let Some(deaths) = self.deaths(request, name) {
                deaths.in_a_row = 0;
            }
        }
    }

    fn deaths(&mut self, request: &Request, name: &Arc<str>) -> Option<&mut Deaths> {
        if self.places.is_empty() { None } else { self.places.get_mut(&place(request, name)) }
    }

    /// Counts time that was waited in vain.
    pub(super) fn spend(&mut self, time: Duration) {
        self.spent += time;
    }

    /// Notes how long a reply took.
    pub(super) fn took(&mut self, time: Duration) {
        self.slowest = self.slowest.max(time);
    }

    /// Something is answered, so it does not die whatever it is sent.
    pub(super) fn is_alive(&mut self) {
        self.in_a_row = 0;
    }

    /// Whether a type of this request died before. Then it is sent alone, so that it is clear who is to blame.
    pub(super) fn is_risky(&self, request: &Request) -> bool {
        let died = |name| self.places.contains_key(&place(request, name));
        !self.places.is_empty() && request.kind.as_ref().is_some_and(|kind| types(kind).any(died))
    }

    /// How long to wait for the reply to this request, which is sent alone. A type that hung once, whatever was done with
    /// it, gets less time.
    pub(super) fn patience_alone(&self, request: &Request) -> Duration {
        let hung = |name: &Arc<str>| self.hung.contains(&(Arc::clone(&request.dialect), Arc::clone(name)));
        let known = !self.hung.is_empty() && request.kind.as_ref().is_none_or(|kind| types(kind).any(hung));
        if known || self.spent >= self.timeout * PATIENT { self.short() } else { self.timeout }
    }

    /// How long to wait for any reply. `only`: the request that alone is in flight.
    pub(super) fn patience(&self, only: Option<&Request>) -> Duration {
        if self.unexplained_hangs >= HANGS || self.spent >= self.timeout * PATIENT {
            return self.short();
        }
        only.map_or(self.timeout, |only| self.patience_alone(only))
    }

    fn short(&self) -> Duration {
        (self.timeout / SHORT).max(self.slowest * SLOWEST).min(self.timeout / 2)
    }

    /// Whether so much time was waited in vain that no more of it is worth to be waited.
    fn is_over_budget(&self) -> bool {
        self.spent >= self.timeout * BUDGET
    }

    /// Why a request is skipped; `None` if it must be sent.
    pub(super) fn skips(&self, request: &Request) -> Option<String> {
        let kind = request.kind.as_ref().filter(|kind| kind.skips || self.is_over_budget())?;
        types(kind).find_map(|name| {
            let deaths = self.places.get(&place(request, name))?;
            let cheap = deaths.exits == deaths.all && self.exits < CHEAP;
            let (in_a_row, of_a_type) = if cheap { (EXITS_IN_A_ROW, EXITS_OF_A_TYPE) } else { (IN_A_ROW, OF_A_TYPE) };
            if deaths.in_a_row < in_a_row && deaths.all < of_a_type && !self.is_over_budget() {
                return None;
            }
            let Deaths { all: count, what, .. } = deaths;
            let op = request.op().name();
            Some(format!("not tried: {count} tests with {name} ({op}, {}) {what}", request.dialect))
        })
    }

    /// Why to give up; `None` if it is worth to go on.
    pub(super) fn exhausted(&self) -> Option<String> {
        let (count, last) = (self.unexplained, self.last.as_deref().unwrap_or("ended"));
        if count >= UNEXPLAINED && (self.replies < WORTH * count || self.is_over_budget()) {
            return Some(format!(
                "the process ends or hangs after some requests, whatever they are: {count} times; the last time it \
                 {last}"
            ));
        }
        let mute =
            self.replies == 0 && self.places.values().map(|deaths| deaths.in_a_row.min(1)).sum::<usize>() >= MUTE;
        let kindless =
            self.replies == 0 && self.in_a_row >= MUTE && self.places.keys().all(|(_, name, _)| name.is_empty());
        (mute || kindless).then(|| match self.last.as_deref() {
            Some(last) => format!("it never replied to a request; it {last}"),
            None => "it never replied to a request".to_owned(),
        })
    }

    /// Whether so much died in a row that something has to be answered now.
    pub(super) fn is_dying(&self) -> bool {
        self.in_a_row > 0 && self.in_a_row.is_multiple_of(DYING)
    }
}

fn place(request: &Request, name: &Arc<str>) -> Place {
    (Arc::clone(&request.dialect), Arc::clone(name), request.op())
}

/// The types of a request: what it is about, and what its value or packet holds.
fn types(kind: &variant_values::implementation::Kind) -> impl Iterator<Item = &Arc<str>> {
    let about = std::iter::once(&kind.layout).filter(|layout| !kind.holds.contains(*layout));
    about.chain(kind.holds.iter())
}
