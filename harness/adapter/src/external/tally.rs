//! What an adapter died of so far, and what follows: shorter waits, tests that are skipped, and when it is given up.
//!
//! A death belongs to a type and an operation: to the types of the request of which nothing was answered yet, or else to
//! the type that the request is about. After a few, the rest of that type and operation is not tried; everything else is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::exit::{End, HUNG};
use variant_values::handshake::Op;
use variant_values::implementation::{Kind, Request};

/// Deaths of a type without an answer between them after which the rest of it is skipped.
const IN_A_ROW: usize = 3;
/// Deaths of a type, with answers between them.
const OF_A_TYPE: usize = 8;
/// Timeouts in full after which every wait is short. A reply may be late twice: the third time has to be seen.
const PATIENT: u32 = 3;
/// A short timeout is this part of the usual one.
const SHORT: u32 = 4;
/// It does not shrink below this multiple of the slowest reply, but always to half.
const SLOWEST: u32 = 10;
/// Timeouts in full after which one death is enough to skip a type, and an adapter that hangs by itself is given up.
const BUDGET: u32 = 15;
/// Deaths and hangs that no request repeats alone after which it is given up, if little is answered between them.
const UNEXPLAINED: usize = 20;
/// The same, of those that closed a stream: nothing more comes of it.
const CLOSED: usize = 3;
/// Replies for each of them that are worth to go on.
const WORTH: usize = 50;
/// Deaths in a row, of whatever type, after which something else has to be answered.
const DYING: usize = 10;
/// So many types are enough if nothing was ever answered.
const MUTE: usize = 3;

/// A type in one direction of a dialect.
type Place = (Arc<str>, Arc<str>, Op);

#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Time without any reply, at first.
    timeout: Duration,
    places: HashMap<Place, Deaths>,
    answered: HashSet<(Arc<str>, Op)>,
    replies: usize,
    pub(super) slowest: Duration,
    pub(super) in_a_row: usize,
    unexplained: usize,
    unexplained_hangs: usize,
    closed: usize,
    /// Time that was waited in vain.
    pub(super) spent: Duration,
    /// How the last process ended.
    pub(super) last: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Deaths {
    all: usize,
    in_a_row: usize,
    what: &'static str,
}

impl Tally {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, last: "ended".to_owned(), ..Self::default() }
    }

    /// Counts a request that ended the process like this.
    pub(super) fn died(&mut self, request: &Request, end: End) {
        self.in_a_row += 1;
        for name in self.suspects(request) {
            let deaths = self.places.entry(place(request, &name)).or_default();
            deaths.all += 1;
            deaths.in_a_row += 1;
            deaths.what = end.past();
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
    pub(super) fn unexplained(&mut self, end: End) {
        self.unexplained += 1;
        self.closed += usize::from(matches!(end, End::ClosedInput | End::ClosedOutput));
    }

    /// Counts a hang that no request repeats alone. Returns how many there were.
    pub(super) fn late(&mut self) -> usize {
        self.unexplained += 1;
        self.unexplained_hangs += 1;
        self.unexplained_hangs
    }

    pub(super) fn answered(&mut self, request: &Request) {
        self.in_a_row = 0;
        self.replies += 1;
        let Some(kind) = &request.kind else { return };
        for name in types(kind) {
            self.answered.insert((Arc::clone(name), request.op()));
            if let Some(deaths) = self.places.get_mut(&place(request, name)) {
                deaths.in_a_row = 0;
            }
        }
    }

    /// Whether a type of this request died before. Then it is sent alone, so that it is clear who is to blame.
    pub(super) fn is_risky(&self, request: &Request) -> bool {
        let died = |name| self.places.contains_key(&place(request, name));
        request.kind.as_ref().is_some_and(|kind| types(kind).any(died))
    }

    pub(super) fn patience(&self) -> Duration {
        if self.spent < self.timeout * PATIENT {
            return self.timeout;
        }
        (self.timeout / SHORT).max(self.slowest * SLOWEST).min(self.timeout / 2)
    }

    fn is_over_budget(&self) -> bool {
        self.spent >= self.timeout * BUDGET
    }

    /// Why a request is skipped; `None` if it must be sent.
    pub(super) fn skips(&self, request: &Request) -> Option<String> {
        let kind = request.kind.as_ref()?;
        types(kind).find_map(|name| {
            let deaths = self.places.get(&place(request, name))?;
            // A campaign looks for all that dies, but cannot wait for all that hangs.
            let is_tried = !kind.skips && deaths.what != HUNG;
            let few = deaths.in_a_row < IN_A_ROW && deaths.all < OF_A_TYPE;
            if (few || is_tried) && !self.is_over_budget() {
                return None;
            }
            let (op, dialect) = (request.op().name(), &request.dialect);
            Some(format!("not tried: {} tests with {name} ({op}, {dialect}) {}", deaths.all, deaths.what))
        })
    }

    /// Why to give up one that ends or hangs by itself; `None` if it is worth to go on.
    pub(super) fn exhausted(&self) -> Option<String> {
        let count = self.unexplained;
        let few = count < UNEXPLAINED && self.closed < CLOSED;
        let worth = few || self.replies >= WORTH * count && !self.is_over_budget();
        (!worth).then(|| {
            format!(
                "the process ends or hangs after some requests, whatever they are: {count} times; the last time it {}",
                self.last
            )
        })
    }

    /// Whether so much died in a row that something has to be answered now.
    pub(super) fn is_dying(&self) -> bool {
        let is_mute = self.replies == 0 && self.places.len() >= MUTE;
        self.in_a_row > 0 && (is_mute || self.in_a_row.is_multiple_of(DYING))
    }
}

fn place(request: &Request, name: &Arc<str>) -> Place {
    (Arc::clone(&request.dialect), Arc::clone(name), request.op())
}

/// The types of a request: what it is about, and what its value or packet holds.
fn types(kind: &Kind) -> impl Iterator<Item = &Arc<str>> {
    let about = std::iter::once(&kind.layout).filter(|layout| !kind.holds.contains(*layout));
    about.chain(kind.holds.iter())
}
