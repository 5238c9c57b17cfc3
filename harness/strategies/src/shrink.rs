//! Shrinking: what fails is made simpler, step by step.

mod packets;
mod values;

use std::fmt;
use std::sync::Arc;

use proptest::strategy::ValueTree;
use variant_codec::Codec;
use variant_specs::LayoutId;

/// How much there is to something: less is simpler.
pub type Weight = (usize, usize, u64);

/// The packet's length, how many of its bytes are not zero, and the sum of all bytes.
pub fn packet_weight(packet: &[u8]) -> Weight {
    let set = packet.iter().filter(|byte| **byte != 0).count();
    (packet.len(), set, packet.iter().map(|byte| u64::from(*byte)).sum())
}

/// How things of a kind are made simpler.
pub trait Steps<T> {
    /// Simpler ones, the boldest first. Each is made only when it is needed: there may be many, and mostly one of the
    /// first few is taken.
    fn simpler(&self, item: &T) -> Box<dyn Iterator<Item = T>>;

    /// How much there is to it. Only what weighs less is tried, so shrinking ends.
    fn weight(&self, item: &T) -> Weight;
}

/// How values and packets are made simpler.
#[derive(Debug, Clone)]
pub struct Shrinker {
    codec: Arc<Codec>,
    /// Null and the values within are simpler too.
    children: bool,
    /// Only values of these layouts, all within them included, that come back; only packets of such values, read whole.
    only: Option<Arc<[LayoutId]>>,
}

impl Shrinker {
    /// The steps within a value, or from one packet to another, whatever is in it.
    pub fn new(codec: Arc<Codec>) -> Self {
        Self { codec, children: false, only: None }
    }

    /// First of all, null and the values within.
    #[must_use]
    pub fn from_children(mut self) -> Self {
        self.children = true;
        self
    }

    /// Only values of these layouts, all within them included, that come back; only packets of such values, read whole.
    #[must_use]
    pub(crate) fn of_layouts(mut self, only: Arc<[LayoutId]>) -> Self {
        self.only = Some(only);
        self
    }
}

/// A tree of ever simpler things. proptest goes down one step at a time, through [`ValueTree`]; a caller that can try many
/// at a time takes [`candidates`](Self::candidates) and says which one it [accepts](Self::accept).
pub struct Descent<S, T> {
    steps: S,
    /// The simplest that is known to fail.
    best: T,
    /// What it weighs, once that is needed.
    weight: Option<Weight>,
    /// Simpler ones that were not tried; `None` before the first is needed.
    rest: Option<Box<dyn Iterator<Item = T>>>,
    /// The one that is tried now.
    trial: Option<T>,
    /// Whether the end was reached: then the best is tried once more.
    at_end: bool,
}

impl<S: Steps<T>, T> Descent<S, T> {
    /// Starts at this thing.
    pub fn new(steps: S, item: T) -> Self {
        Self { steps, best: item, weight: None, rest: None, trial: None, at_end: false }
    }

    /// The next simpler ones that were not tried yet, at most so many; none at the end.
    pub fn candidates(&mut self, most: usize) -> Vec<T> {
        let weight = self.weight();
        let Self { steps, best, rest, .. } = self;
        let rest = rest.get_or_insert_with(|| steps.simpler(best));
        rest.filter(|item| steps.weight(item) < weight).take(most).collect()
    }

    /// Goes on from this thing, which fails too. Returns false, and stays, if it is not simpler.
    pub fn accept(&mut self, item: T) -> bool {
        let weight = self.steps.weight(&item);
        let simpler = weight < self.weight();
        if simpler {
            (self.best, self.weight, self.rest) = (item, Some(weight), None);
        }
        simpler
    }

    fn weight(&mut self) -> Weight {
        *self.weight.get_or_insert_with(|| self.steps.weight(&self.best))
    }

    fn next(&mut self) -> bool {
        self.trial = self.candidates(1).pop();
        self.trial.is_some()
    }
}

impl<S: Steps<T>, T: Clone + fmt::Debug> ValueTree for Descent<S, T> {
    type Value = T;

    fn current(&self) -> T {
        self.trial.as_ref().unwrap_or(&self.best).clone()
    }

    /// The current one fails: tries simpler ones.
    fn simplify(&mut self) -> bool {
        if let Some(trial) = self.trial.take() {
            self.accept(trial);
        }
        self.next()
    }

    /// It does not fail: tries the next one. After the last it goes back to the best, which fails: where several trees are
    /// shrunk together, the next one's turn comes then.
    fn complicate(&mut self) -> bool {
        self.trial.is_some() && (self.next() || !std::mem::replace(&mut self.at_end, true))
    }
}

impl<S, T: fmt::Debug> fmt::Debug for Descent<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descent").field("best", &self.best).field("trial", &self.trial).finish_non_exhaustive()
    }
}
