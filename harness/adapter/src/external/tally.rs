//! What an adapter died of so far, and what follows: shorter waits, tests that are skipped, and when it is given up.
//!
//! A death belongs to places: to the type that the packet or value is of, and to the types of what is in it, each in this
//! operation. It counts for those within it of which nothing was answered yet and that died elsewhere; else for its own type, if
//! nothing of that was answered yet; else for those of which nothing was; else for those that died elsewhere; else for its own.
//! After a few, the rest of that place is not tried, as far as it has all that those that died have in common; everything else is.

use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use super::exit::{End, NO_REPLY};
use variant_codec::Framing;
use variant_specs::{Dialect, Specs};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Ending, Input, Request};
use variant_values::sanitize::{counted, time};

/// Deaths of a type without an answer between them after which the rest of it is skipped.
const IN_A_ROW: usize = 3;
/// Deaths of a type, with answers between them.
const OF_A_TYPE: usize = 8;
/// Timeouts in full after which every wait is short. A reply may be late twice: the third time has to be seen.
const PATIENT: u32 = 3;
/// A short timeout is this part of the usual one, or twice the longest that was waited for a reply to short lines; at the least
/// so long as a busy machine lets a process wait.
const SHORT: u32 = 16;
const LEAST: Duration = Duration::from_millis(100);
/// Timeouts in full after which one death is enough to skip a type of which nothing was answered, and two in a row any other.
const HASTY: u32 = 4;
/// Timeouts in full after which an adapter that hangs by itself is given up.
const BUDGET: u32 = 20;
/// Deaths and hangs that no request repeats alone after which it is given up, if little is answered between them.
const UNEXPLAINED: usize = 20;
/// The same, once it was waited long.
const FEW: usize = 3;
/// The same, of those that closed a stream: nothing more comes of it.
const CLOSED: usize = 2;
/// Replies for each of them that are worth to go on.
const WORTH: usize = 50;
/// Replies for each death after a reply: with fewer, it ends whatever it is asked.
const OFTEN: usize = 5;
/// Deaths, of whatever type, after which something that was answered before has to be answered again, alone.
const DYING: usize = 10;
/// For each of so many bytes of a line, a timeout in full is waited.
const LONG: usize = 1 << 20;
/// A line of at most so many bytes is answered about as fast as any other.
const USUAL: usize = 64 << 10;
/// So many replies may be late, as on a busy machine, if they come when the request is sent again alone.
const LATE: usize = 2;
/// So many types are enough if nothing was ever answered.
const MUTE: usize = 3;
/// What the name of a place begins with that is a size.
const SIZE: &str = "at least ";
/// Lines of so many bytes are a place, and those of twice as many, and so on.
const LARGE: usize = 1 << 10;

/// A type in one direction of a dialect, by itself or within something else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    dialect: Arc<str>,
    op: Op,
    name: Arc<str>,
    within: bool,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Time without any reply, at first.
    timeout: Duration,
    places: HashMap<Place, Fate>,
    /// Types of which a request died, and whether one hung until it was skipped: wherever nothing of that was answered, one
    /// death is enough.
    risky: HashMap<Arc<str>, bool>,
    pub(super) replies: usize,
    /// The longest time until a reply to a short line came.
    slowest: Duration,
    /// Deaths since it was seen to be alive.
    pub(super) unproven: usize,
    unexplained: usize,
    after_replies: usize,
    closed: usize,
    /// Hangs that no request repeats alone.
    pub(super) late: usize,
    /// A reply to another request, likewise.
    pub(super) stray: Option<End>,
    /// Time that was waited in vain.
    pub(super) spent: Duration,
    /// How the last process ended.
    pub(super) last: String,
}

/// What became of the requests of a place.
#[derive(Debug, Default)]
struct Fate {
    answers: usize,
    deaths: usize,
    /// Deaths without an answer between them, and the answers before those.
    in_a_row: usize,
    after: usize,
    /// The last death.
    last: Option<End>,
    /// The places that all of those belong to that died.
    common: Vec<Place>,
}

impl Fate {
    /// Deaths since the last answer.
    fn in_a_row(&self) -> usize {
        if self.after == self.answers { self.in_a_row } else { 0 }
    }
}

impl Tally {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, last: "ended".to_owned(), ..Self::default() }
    }

    /// Counts a request that ended the process like this.
    pub(super) fn died(&mut self, places: &[Place], end: End) {
        self.unproven += 1;
        let is_hasty = self.has_waited(HASTY);
        let is_unknown = |place: &Place| self.places.get(place).is_none_or(|fate| fate.answers == 0);
        let is_risky = |place: &Place| self.risky.contains_key(&place.name);
        let own = places.first();
        let is_own = |place: &Place| Some(place) == own;
        let suspicions: [&dyn Fn(&&Place) -> bool; 5] = [
            &|place| is_unknown(place) && place.within && is_risky(place),
            &|place| is_unknown(place) && is_own(place),
            &|place| is_unknown(place),
            &|place| is_risky(place),
            &|place| is_own(place),
        ];
        // The first suspicion that falls on any is the one that counts.
        let suspects = suspicions.map(|is_suspect| places.iter().filter(is_suspect).collect::<Vec<_>>());
        for place in suspects.into_iter().find(|suspects| !suspects.is_empty()).unwrap_or_default() {
            let fate = self.places.entry(place.clone()).or_default();
            if fate.deaths == 0 {
                fate.common = places.to_vec();
            }
            fate.common.retain(|common| places.contains(common));
            fate.deaths += 1;
            (fate.in_a_row, fate.after) = (fate.in_a_row() + 1, fate.answers);
            fate.last = Some(end);
            *self.risky.entry(Arc::clone(&place.name)).or_default() |=
                end.is_hang() && fate.answers == 0 && (fate.in_a_row >= IN_A_ROW || is_hasty);
        }
    }

    /// Counts a death after the reply to a request that repeats it alone. That reply is none.
    pub(super) fn died_after_reply(&mut self, places: &[Place], end: End) {
        for place in places {
            self.places.entry(place.clone()).and_modify(|fate| fate.answers = fate.answers.saturating_sub(1));
        }
        self.died(places, end);
        self.after_replies += 1;
        // One type alone is skipped soon.
        let is_often = self.replies < OFTEN * self.after_replies && self.risky.len() != 1;
        if end.closed_a_stream() || is_often {
            self.unexplained(end);
        }
    }

    /// Counts a death or hang that no request repeats alone.
    pub(super) fn unexplained(&mut self, end: End) {
        self.unexplained += 1;
        self.closed += usize::from(end.closed_a_stream());
    }

    pub(super) fn answered(&mut self, places: &[Place]) {
        self.replies += 1;
        for place in places {
            self.places.entry(place.clone()).or_default().answers += 1;
        }
    }

    /// Whether a type of these died before. Then the request is sent alone, so that it is clear who is to blame.
    pub(super) fn is_risky(&self, places: &[Place]) -> bool {
        places.iter().any(|place| self.risky.contains_key(&place.name))
    }

    /// How long a reply may take to requests of which the longest line has so many bytes. What is long takes its time, and so
    /// does the first of a type before any reply came.
    pub(super) fn patience<'p>(&self, bytes: usize, mut requests: impl Iterator<Item = &'p [Place]>) -> Duration {
        let is_patient = !self.is_mute() && !self.has_waited(PATIENT);
        let is_first = self.replies == 0 && requests.any(|places| !self.is_risky(places));
        if is_patient || is_first || bytes > USUAL {
            return self.timeout * (1 + u32::try_from(bytes / LONG).unwrap_or(0));
        }
        (self.timeout / SHORT).max(LEAST).max(self.slowest * 2).min(self.timeout)
    }

    /// Counts the time until a reply came, while the longest line without one had so many bytes.
    pub(super) fn replied_after(&mut self, time: Duration, bytes: usize) {
        if bytes <= USUAL {
            self.slowest = self.slowest.max(time);
        }
    }

    /// Whether nothing was ever answered, in two timeouts: it need not be asked much more.
    fn is_mute(&self) -> bool {
        self.replies == 0 && self.has_waited(2)
    }

    fn has_waited(&self, timeouts: u32) -> bool {
        self.spent >= self.timeout * timeouts
    }

    /// Why a request is skipped; `None` if it must be sent.
    pub(super) fn skips(&self, request: &Request, places: &[Place]) -> Option<String> {
        let skips = request.kind.as_ref()?.skips;
        places.iter().find_map(|place| {
            let fate = self.places.get(place)?;
            let last = fate.last?;
            // One late reply on a busy machine says nothing of a type that was answered.
            let most = match (self.has_waited(HASTY), fate.answers > 0) {
                (true, false) => 1,
                (false, false) if self.is_mute() => 1,
                (false, false) if self.risky.get(&place.name) == Some(&true) => 1,
                (true, true) => 2,
                (false, _) => IN_A_ROW,
            };
            let of_a_type = if last.is_hang() && self.has_waited(HASTY) { IN_A_ROW } else { OF_A_TYPE };
            let few = fate.in_a_row() < most && fate.deaths < of_a_type;
            // A campaign looks for all that dies, but cannot wait for all that hangs.
            let is_tried = !skips && !last.is_hang() && !self.has_waited(HASTY);
            if few || is_tried || !fate.common.iter().all(|common| places.contains(common)) {
                return None;
            }
            let named = |place: &Place| format!("{}{}", place.name, if place.within { " inside" } else { "" });
            // The sizes come last, the largest first.
            let others = fate.common.iter().filter(|place| !place.name.starts_with(SIZE));
            let size = fate.common.iter().find(|place| place.name.starts_with(SIZE));
            let names: Vec<String> = others.chain(size).map(named).collect();
            let (op, dialect, tests) = (place.op.name(), &place.dialect, counted(fate.deaths, "test"));
            Some(format!("not tried: {tests} with {} ({op}, {dialect}) {}", names.join(" and "), last.past()))
        })
    }

    /// Why to give up one that ends or hangs by itself, so often more than was counted; `None` if it is worth to go on.
    pub(super) fn exhausted(&self, more: usize) -> Option<String> {
        let count = self.unexplained + more;
        let is_worth_it = if self.replies >= WORTH * count {
            count < UNEXPLAINED || !self.has_waited(BUDGET)
        } else {
            count < if self.has_waited(HASTY) { FEW } else { UNEXPLAINED }
        };
        (!is_worth_it || self.closed >= CLOSED).then(|| {
            format!(
                "the process ends or hangs after some requests, whatever they are: {count} times; the last time it {}",
                self.last
            )
        })
    }

    /// What it does that no request repeats alone, and that is no fault of one: hangs more than on a busy machine, replies to
    /// other requests.
    pub(super) fn by_itself(&self) -> Option<Answer> {
        let (late, limit) = (self.late, time(self.timeout));
        if let Some(stray) = self.stray {
            return Some(Answer::Garbled(format!("{stray}, but not when this was sent alone")));
        }
        (late > LATE).then(|| {
            let rest = format!(
                " in time ({limit}, then less), {late} times, but did when this was sent alone: earlier requests make it \
                 hang, or the machine was busy (--timeout allows more time)"
            );
            Answer::TimedOut(Ending { did: NO_REPLY.to_owned(), rest, by_itself: true })
        })
    }

    /// Whether so much died that something has to be answered now.
    pub(super) fn is_dying(&self) -> bool {
        // What holds a type that died says nothing of its own.
        let is_own = |(place, fate): &(&Place, &Fate)| {
            !place.within && !fate.common.iter().any(|other| other.within && self.risky.contains_key(&other.name))
        };
        let types: HashSet<&str> = self.places.iter().filter(is_own).map(|(place, _)| &*place.name).collect();
        let is_mute = self.replies == 0 && (types.len() >= MUTE || self.has_waited(PATIENT));
        self.unproven > 0 && is_mute || self.unproven >= DYING
    }
}

/// Where a request belongs: its own type first, then the length prefix if there is one, then the types within it, then the sizes that
/// its line has at least. Nowhere, if it has no kind.
pub(super) fn places(request: &Request, line: usize, specs: &Specs) -> Vec<Place> {
    let Some(kind) = &request.kind else { return Vec::new() };
    let own = specs.dialect(&request.dialect).and_then(|dialect| own_type(request, dialect));
    let own: Arc<str> = own.unwrap_or("packet").into();
    let place = |name, within| Place { dialect: Arc::clone(&request.dialect), op: request.op(), name, within };
    let mut places = vec![place(Arc::clone(&own), false)];
    places.extend(request.framing.map(|_| place("framing".into(), false)));
    places.extend(kind.holds.iter().filter(|name| **name != own).map(|name| place(Arc::clone(name), true)));
    let powers = iter::successors(Some(LARGE), |size| Some(2 * size)).take_while(|size| *size <= line);
    let sizes = powers.collect::<Vec<usize>>().into_iter().rev();
    places.extend(sizes.map(|size| place(format!("{SIZE}{size} bytes").into(), false)));
    places
}

/// The type of a value, or of a packet by its header; `None` if that is unknown.
fn own_type<'a>(request: &Request, dialect: &'a Dialect) -> Option<&'a str> {
    let layout = match &request.input {
        Input::Encode(value) => layout_id_of(value, &dialect.layouts)?,
        Input::Decode(packet) | Input::Reencode(packet) => {
            let packet = packet.get(if request.framing.is_some() { Framing::PREFIX } else { 0 }..)?;
            // Whoever looks at the first byte alone reads the type of what is cut.
            let sent = packet.get(..packet.len().min(4)).filter(|sent| !sent.is_empty())?;
            let mut header = [0; 4];
            header[..sent.len()].copy_from_slice(sent);
            dialect.type_of(u32::from_le_bytes(header) & dialect.header.id_mask)?.layout
        }
    };
    Some(&dialect.layouts.get(layout).name)
}
