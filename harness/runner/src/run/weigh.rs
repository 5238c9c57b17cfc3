//! Who took so much memory: looked for only after a run in which somebody did.
//!
//! The system keeps the peak of a process, so the run itself costs nothing. Where the peak was too high, everything is
//! asked once more in a fresh process, in rows and then one by one, with the peak forgotten in between.

use std::io::Write;

use super::again::id_by;
use super::course::Course;
use super::recorder::{Ledger, Recorder, is_deadly};
use super::{Part, Run, RunError, detail};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::Verdict;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::Outcome;

/// So many are asked in a row before each is asked alone.
const ROW: usize = 256;

/// The id of an ask whose answer was weighed.
pub(super) fn id(test: &Test) -> String {
    id_by(test, Rule::Weighed)
}

/// Finds and records the asks whose answers take too much memory.
pub(super) fn weigh<W: Write>(
    run: &Run<'_>,
    parts: &[Part<'_>],
    handshake: &Handshake,
    course: &mut Course<'_>,
    ledger: &mut Ledger<'_, W>,
) -> Result<(), RunError> {
    if course.implementation.overgrowth().is_none() {
        return Ok(());
    }
    course.implementation.refresh();
    course.implementation.overgrowth();
    for part in parts {
        let mut recorder = run.recorder(part.dialect, handshake, ledger);
        let survived = |test: &&Test| recorder.claims(test) && !recorder.ledger.has_died(&test.id);
        let tests: Vec<&Test> = part.tests.iter().filter(survived).collect();
        for row in tests.chunks(ROW) {
            if grows(course, row, &mut |_| {}).is_some() {
                one_by_one(&mut recorder, course, row);
            }
        }
        recorder.check()?;
    }
    Ok(())
}

fn one_by_one<W: Write>(recorder: &mut Recorder<'_, '_, W>, course: &mut Course<'_>, row: &[&Test]) {
    for test in row {
        let mut came = None;
        if let (Some(bytes), Some(outcome)) = (grows(course, &[*test], &mut |outcome| came = Some(outcome)), came) {
            record(recorder, test, &outcome, bytes);
        }
    }
}

/// By how much it grew for these, where that was too much.
fn grows(course: &mut Course<'_>, tests: &[&Test], tell: &mut dyn FnMut(Outcome)) -> Option<u64> {
    course.repeat(tests, &mut |_, outcome| tell(outcome));
    course.implementation.overgrowth()
}

fn record<W: Write>(recorder: &mut Recorder<'_, '_, W>, test: &Test, outcome: &Outcome, bytes: u64) {
    let weighed = Test { id: id(test), rule: Some(Rule::Weighed), ..test.clone() };
    recorder.ledger.repeated += 1;
    let mut finding = recorder.judge.judge(&weighed, outcome);
    // What is wrong besides was said the first time.
    if !is_deadly(finding.verdict) {
        finding.verdict = Verdict::Resource;
        (finding.reason, finding.erratum, finding.at, finding.field) = (None, None, None, None);
        let asked = weighed.expected.packet.as_ref().map(|packet| format!(" for {} bytes", packet.bytes.len()));
        finding.note = format!("it took {} MiB of memory{}", bytes >> 20, asked.unwrap_or_default());
    }
    let detail = detail::detail(recorder.run, &recorder.judge, &weighed, &finding, outcome);
    recorder.file(&weighed, &finding, outcome, Some(detail));
}
