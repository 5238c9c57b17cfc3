//! How many crashes and timeouts an adapter may have, and how much time they may cost.
//!
//! Requests of one kind (a rule on a layout, in one direction) that crash or hang are taken to have one cause: after a few
//! the rest of that kind is skipped, and everything else still runs. Only an adapter that dies whatever it is sent is given
//! up.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::Limits;
use super::exit::End;
use variant_wire::handshake::Op;
use variant_wire::implementation::{Kind, Request};
use variant_wire::sanitize::{counted, time};

/// Crashes and timeouts of one kind after which the rest of it is skipped.
const MOST_OF_A_KIND: usize = 3;
/// The same for authored tests: two of them have less in common than two that one rule makes.
const MOST_AUTHORED: usize = 10;
/// Crashes and timeouts in one direction of a layout, without any reply, after which the rest is skipped.
const MOST_OF_A_LAYOUT: usize = 10;
/// Crashes and timeouts of one rule, or of one layout, after which each further kind with it gets only one.
const KNOWN_TO_DIE: usize = 4;
/// Timeouts of one rule, or of one layout, after which its timeout shrinks. Once the time is spent, a rule that hung as often
/// is skipped, and of a layout of which so many kinds hung, what is derived.
const SHRINK_AFTER: usize = 2;
/// Once this multiple of the time is spent, such a layout's authored tests are skipped too.
const OVERSPENT: u32 = 2;
/// A shrunk timeout is this fraction of the usual one and at least this long, so that a busy machine is not blamed on the
/// adapter.
const SHRUNK: (u32, Duration) = (10, Duration::from_millis(500));
/// The same for a request that hung, and is sent again alone.
const ALONE: (u32, Duration) = (5, Duration::from_secs(1));
/// A timeout never shrinks below this multiple of the slowest answer.
const SLOWEST: u32 = 10;
/// Crashes and timeouts in a row, with no answer between them, after which something else has to be answered.
const IN_A_ROW: usize = 30;

/// One direction of a layout in a dialect.
type Direction = (Arc<str>, Arc<str>, Op);

/// The crashes and timeouts so far.
#[derive(Debug, Default)]
pub(super) struct Budget {
    kinds: HashMap<(Direction, &'static str), KindTally>,
    directions: HashMap<Direction, KindTally>,
    /// Crashes and timeouts of each rule that may be one cause on many layouts, on all of them together.
    rules: HashMap<(&'static str, Op), Failures>,
    /// Requests without a kind, and timeouts of requests that are never skipped.
    others: Failures,
    /// What timeouts have cost.
    spent: Duration,
    /// The slowest good answer.
    slowest: Duration,
    in_a_row: usize,
    /// How the last process ended.
    pub(super) last: Option<String>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    crashes: usize,
    hangs: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct KindTally {
    failures: Failures,
    /// How many of its kinds hung.
    kinds_hung: usize,
    answered: bool,
}

impl Failures {
    fn sum(self) -> usize {
        self.crashes + self.hangs
    }

    fn add(&mut self, hung: bool) {
        *(if hung { &mut self.hangs } else { &mut self.crashes }) += 1;
    }

    /// `crashed`, `timed out`, or both.
    fn word(self) -> &'static str {
        match (self.crashes, self.hangs) {
            (_, 0) => "crashed",
            (0, _) => "timed out",
            (_, _) => "crashed or timed out",
        }
    }
}

impl Budget {
    /// Counts a request that crashed or hung alone.
    pub(super) fn count(&mut self, request: &Request, hung: bool) {
        self.in_a_row += 1;
        let Some(kind) = &request.kind else {
            self.others.add(hung);
            return;
        };
        let direction = direction(request, kind);
        let tally = self.directions.entry(direction.clone()).or_default();
        let of_kind = &mut self.kinds.entry((direction, kind.rule)).or_default().failures;
        tally.kinds_hung += usize::from(hung && of_kind.hangs == 0);
        tally.failures.add(hung);
        of_kind.add(hung);
        if hung && !kind.skips {
            self.others.add(hung);
        }
        if kind.general {
            self.rules.entry((kind.rule, request.op())).or_default().add(hung);
        }
    }

    /// Counts a crash or hang that no request causes alone. A crash costs little: only the kind-less count.
    pub(super) fn count_unexplained(&mut self, end: End, oldest: Option<&Request>) {
        self.in_a_row += 1;
        let hung = matches!(end, End::Silent(_));
        if hung || oldest.is_none_or(|oldest| oldest.kind.is_none()) {
            self.others.add(hung);
        }
    }

    /// Notes how long a reply took.
    pub(super) fn took(&mut self, time: Duration) {
        self.slowest = self.slowest.max(time);
    }

    /// Something is answered, so it does not die whatever it is sent.
    pub(super) fn is_alive(&mut self) {
        self.in_a_row = 0;
    }

    /// Notes that this request has a reply, so that the process is not taken for dead.
    pub(super) fn answered(&mut self, request: &Request) {
        self.in_a_row = 0;
        if let Some(kind) = request.kind.as_ref().filter(|_| !self.directions.is_empty()) {
            let direction = direction(request, kind);
            if let Some(tally) = self.directions.get_mut(&direction) {
                tally.answered = true;
            }
            self.kinds.entry((direction, kind.rule)).or_default().answered = true;
        }
    }

    /// Counts time that was waited in vain.
    pub(super) fn spend(&mut self, time: Duration) {
        self.spent += time;
    }

    /// Whether nothing was answered for so long that it is worth a look whether anything still is.
    pub(super) fn is_dying(&self) -> bool {
        self.in_a_row > 0 && self.in_a_row.is_multiple_of(IN_A_ROW)
    }

    /// Whether timeouts have cost as much as they may.
    pub(super) fn is_spent(&self, limits: &Limits) -> bool {
        self.spent >= limits.timeout_budget
    }

    /// Whether requests like this one crashed or hung before. It is sent alone: then it is clear who is to blame, and its
    /// timeout can shrink.
    pub(super) fn is_risky(&self, request: &Request) -> bool {
        self.failures_like(request).sum() >= SHRINK_AFTER
    }

    /// How long to wait for the reply to this request, which alone is in flight.
    pub(super) fn timeout(&self, request: &Request, limits: &Limits) -> Duration {
        if self.failures_like(request).hangs >= SHRINK_AFTER { self.part(SHRUNK, limits) } else { limits.reply_timeout }
    }

    /// How long to wait for a request that is sent again alone. `hung`: it is the one that was waited for before.
    pub(super) fn timeout_alone(&self, request: &Request, hung: bool, limits: &Limits) -> Duration {
        let usual = self.timeout(request, limits);
        if hung && self.slowest > Duration::ZERO { usual.min(self.part(ALONE, limits)) } else { usual }
    }

    fn part(&self, (part, least): (u32, Duration), limits: &Limits) -> Duration {
        (limits.reply_timeout / part).max(least).max(self.slowest * SLOWEST).min(limits.reply_timeout)
    }

    /// How often requests of its rule, or of its layout, crashed and hung: whichever is more.
    fn failures_like(&self, request: &Request) -> Failures {
        let Some(kind) = request.kind.as_ref().filter(|_| !self.directions.is_empty()) else {
            return Failures::default();
        };
        let layout = self.directions.get(&direction(request, kind)).map(|tally| tally.failures).unwrap_or_default();
        let rule = self.of_rule(kind, request.op());
        Failures { crashes: layout.crashes.max(rule.crashes), hangs: layout.hangs.max(rule.hangs) }
    }

    fn of_rule(&self, kind: &Kind, op: Op) -> Failures {
        self.rules.get(&(kind.rule, op)).copied().unwrap_or_default()
    }

    /// Why a request is skipped; `None` if it must be sent.
    pub(super) fn skips(&self, request: &Request, limits: &Limits) -> Option<String> {
        let kind = request.kind.as_ref().filter(|kind| kind.skips && !self.directions.is_empty())?;
        let direction = direction(request, kind);
        let tally = self.directions.get(&direction).copied().unwrap_or_default();
        let of_kind = self.kinds.get(&(direction, kind.rule)).map(|tally| tally.failures).unwrap_or_default();
        let of_what = format!("{} of {}/{}", request.op().name(), request.dialect, kind.layout);
        let known = of_kind.sum() > 0 && self.failures_like(request).sum() >= KNOWN_TO_DIE;
        let most = match (kind.authored, known) {
            (true, _) => MOST_AUTHORED,
            (false, true) => 1,
            (false, false) => MOST_OF_A_KIND,
        };
        if of_kind.sum() >= most {
            let (count, word) = (of_kind.sum(), of_kind.word());
            return Some(format!("{count} like this ({}, {of_what}) {word}, and the rest is not sent", kind.rule));
        }
        if tally.failures.sum() >= MOST_OF_A_LAYOUT && !tally.answered {
            let (count, word) = (tally.failures.sum(), tally.failures.word());
            return Some(format!("all of the first {count} tests ({of_what}) {word}, and the rest is not sent"));
        }
        let is_overspent = self.spent >= limits.timeout_budget * OVERSPENT;
        let would_hang = of_kind.hangs > 0
            || tally.kinds_hung >= SHRINK_AFTER && (!kind.authored || is_overspent)
            || self.of_rule(kind, request.op()).hangs >= SHRINK_AFTER && self.mostly_hangs(kind, request.op());
        (self.is_spent(limits) && would_hang).then(|| {
            let budget = time(limits.timeout_budget);
            format!(
                "tests like this ({}, {of_what}) timed out, and timeouts have used up their {budget} \
                 (--timeout-budget)",
                kind.rule
            )
        })
    }

    /// Whether a rule hung on more layouts than it was answered on.
    fn mostly_hangs(&self, kind: &Kind, op: Op) -> bool {
        let tallies = || self.kinds.iter().filter(|((direction, rule), _)| *rule == kind.rule && direction.2 == op);
        let hung = tallies().filter(|(_, tally)| tally.failures.hangs > 0).count();
        kind.general && hung > tallies().filter(|(_, tally)| tally.failures.hangs == 0 && tally.answered).count()
    }

    /// Why to give up, if requests without a kind crashed or hung too often.
    pub(super) fn exceeded(&self, limits: &Limits) -> Option<String> {
        let (hangs, all) = (self.others.hangs, self.others.sum());
        if hangs > 0 && hangs >= limits.hangs {
            return Some(format!("the adapter hung {}, and is not restarted again", counted(hangs, "time")));
        }
        (all > 0 && all >= limits.restarts)
            .then(|| format!("the adapter crashed or hung {}, and is not restarted again", counted(all, "time")))
    }
}

fn direction(request: &Request, kind: &Kind) -> Direction {
    (Arc::clone(&request.dialect), Arc::clone(&kind.layout), request.op())
}
