//! Timed passes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use variant_specs::{Dialect, Reading, Specs};

use super::{clock, limits};
use variant_adapter::external::{Command, External};
use variant_corpus::test::{Test, send_all};
use variant_runner::judge::Judge;
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Input, Request};

/// Answers between two measurements of memory.
const GLANCE: usize = 1000;
/// The first byte of a packet at which the echo aborts.
const DEADLY: u8 = 0xff;

/// A dialect and its tests.
pub(super) struct DialectCorpus<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) tests: Vec<Test>,
}

impl DialectCorpus<'_> {
    /// Those of its tests whose packet has at most so many bytes: the one that is sent, or the one that is expected.
    pub(super) fn up_to(&self, bytes: usize) -> Self {
        let packet = |test: &Test| {
            let packet = test.sent.as_deref().or(test.expected.packet.as_ref());
            packet.map_or(0, |packet| packet.bytes.len())
        };
        let tests = self.tests.iter().filter(|test| packet(test) <= bytes).cloned().collect();
        Self { dialect: self.dialect, tests }
    }
}

/// What a pass costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub(super) wall: Duration,
    /// CPU time of this process.
    pub(super) cpu: Duration,
    /// Peak resident bytes of this process.
    pub(super) memory: u64,
}

/// The best of several passes: the shortest times, and the most memory.
pub(super) fn best(
    times: usize,
    mut pass: impl FnMut() -> Result<Pass, ImplementationError>,
) -> Result<Pass, ImplementationError> {
    let mut best = pass()?;
    for _ in 1..times {
        let next = pass()?;
        best =
            Pass { wall: best.wall.min(next.wall), cpu: best.cpu.min(next.cpu), memory: best.memory.max(next.memory) };
    }
    Ok(best)
}

/// Starts an adapter, with limits that no measurement comes near.
pub(super) fn start(command: Command, specs: &Specs) -> Result<External, ImplementationError> {
    External::start(command, Arc::clone(&specs.layouts), limits())
}

/// Runs and judges the whole corpus.
pub(super) fn corpus(
    implementation: &mut dyn Implementation,
    parts: &[DialectCorpus<'_>],
) -> Result<Pass, ImplementationError> {
    let handshake = implementation.handshake().clone();
    timed(|_| {
        for part in parts.iter().filter(|part| handshake.dialects.contains(&part.dialect.name)) {
            let judge = Judge::for_claims(part.dialect, Reading::Engine, &handshake);
            let tests: Vec<&Test> = part.tests.iter().collect();
            for outcome in send_all(implementation, &tests, || true) {
                let (place, outcome) = outcome?;
                std::hint::black_box(judge.judge(tests[place], &outcome));
            }
        }
        Ok(())
    })
}

/// Sends `count` small packets to an adapter that echoes them.
pub(super) fn echo(command: &Command, specs: &Specs, count: usize) -> Result<Pass, ImplementationError> {
    let mut external = start(command.clone(), specs)?;
    let dialect: Arc<str> = external.handshake().dialects.first().map_or("", String::as_str).into();
    timed(|most| {
        let requests = (0..count).map(|number| reencode(&dialect, 4, number));
        let mut received = 0;
        for outcome in external.send(Box::new(requests)) {
            std::hint::black_box(outcome?);
            received += 1;
            if received % GLANCE == 0 {
                *most = (*most).max(clock::resident());
            }
        }
        Ok(())
    })
}

/// The same, with `crashes` packets among them that end the adapter; and the number of wrong answers.
pub(super) fn crashing(
    command: &Command,
    specs: &Specs,
    count: usize,
    crashes: usize,
) -> Result<(Pass, usize), ImplementationError> {
    let mut external = start(command.clone(), specs)?;
    let dialect: Arc<str> = external.handshake().dialects.first().map_or("", String::as_str).into();
    let every = count / crashes;
    let deadly = |place: usize| place % every == every / 2;
    let mut right = 0;
    let pass = timed(|_| {
        let requests = (0..count).map(|place| reencode(&dialect, if deadly(place) { DEADLY } else { 4 }, place));
        for outcome in external.send(Box::new(requests)) {
            let (place, outcome) = outcome?;
            let (crashed, sent_back) =
                (matches!(outcome.answer, Answer::Crashed(_)), matches!(outcome.answer, Answer::Bytes(_)));
            right += usize::from(if deadly(place) { crashed } else { sent_back });
        }
        Ok(())
    })?;
    Ok((pass, count - right))
}

/// A packet that begins with this byte and contains its number.
fn reencode(dialect: &Arc<str>, first: u8, number: usize) -> Request {
    let bytes = [u64::from(first), number as u64].map(u64::to_le_bytes).concat();
    Request { dialect: Arc::clone(dialect), input: Input::Reencode(bytes), objects: false, framing: None, kind: None }
}

fn timed(pass: impl FnOnce(&mut u64) -> Result<(), ImplementationError>) -> Result<Pass, ImplementationError> {
    let (from, cpu) = (Instant::now(), clock::own());
    let mut memory = 0;
    pass(&mut memory)?;
    Ok(Pass { wall: from.elapsed(), cpu: clock::own().saturating_sub(cpu), memory })
}
