//! Why the tests of a record failed. This is the one place that asks for it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use variant_codec::Value;
use variant_corpus::Corpus;
use variant_corpus::test::{Rule, Test, TestId};
use variant_corpus::verdict::{Severity, Verdict};
use variant_faults::{Cause, Failure, OF_ORDER, RunTests};
use variant_runner::judge::{Judge, Judgement};
use variant_runner::record::RunRecord;
use variant_runner::results::{CauseOfTests, RecordedReply, TestResult};
use variant_runner::run::{Run, RunError, grown};
use variant_runner::status::severity;
use variant_specs::{Dialect, Specs};
use variant_values::handshake::{Handshake, Lossy};
use variant_values::implementation::{Answer, Ending};
use variant_values::protocol::Reply;

use crate::known;

/// Of so many failures that nobody need tell apart, causes are looked for: the smallest. Each costs memory and time.
const ALIKE: usize = 32;
/// The id of what the handshake declares.
const DECLARED: &str = "declared-loss";

/// Finds the causes of a record, and names its cause in each result, and its finding where the list of the implementation
/// has it. Tests that this corpus does not have get no cause. `generated` makes the tests of a campaign's record.
pub fn explain(
    recorded: &mut RunRecord,
    specs: &Specs,
    corpus: &Corpus,
    generated: fn(&RunRecord, &Dialect) -> Vec<Test>,
) -> Result<(), RunError> {
    if recorded.verdicts.iter().any(|result| severity(result) >= Severity::Warning) {
        find(recorded, specs, corpus, generated)?;
    }
    let plan = &recorded.plan;
    let whole = plan.campaign.is_none() && Run::recorded(specs, corpus, plan).is_whole(&plan.handshake);
    known::apply(recorded, whole && recorded.end.complete);
    Ok(())
}

fn find(
    recorded: &mut RunRecord,
    specs: &Specs,
    corpus: &Corpus,
    generated: fn(&RunRecord, &Dialect) -> Vec<Test>,
) -> Result<(), RunError> {
    let mut explainer = Explainer::of(recorded, specs);
    let mut of_dialects = Vec::new();
    for dialect in recorded.plan.dialects.iter().filter_map(|dialect| specs.dialect(&dialect.name)) {
        if !recorded.verdicts.iter().any(|result| *result.id().dialect == *dialect.name && is_failure(result)) {
            continue;
        }
        // Those of all dialects would take much memory.
        let tests = match recorded.plan.campaign {
            Some(_) => generated(recorded, dialect),
            None => {
                let run = Run::recorded(specs, corpus, &recorded.plan);
                Run { dialects: vec![dialect.name.clone()], ..run }.tests_of(&recorded.plan)?
            }
        };
        of_dialects.push(explainer.causes(dialect, &tests));
        explainer.keep(tests);
    }
    let mut causes = explainer.joined(variant_faults::joined(of_dialects));
    causes.extend(declared(recorded));
    let skipped = skipped(recorded, &causes);
    let mut of = HashMap::new();
    for (cause, skipped) in causes.iter().zip(&skipped) {
        of.extend(cause.tests.iter().chain(skipped).map(|test| (test, &cause.id)));
    }
    let cause = |(cause, skipped): (&Cause, &Vec<TestId>)| CauseOfTests {
        id: cause.id.clone(),
        headline: cause.headline.clone(),
        tests: cause.tests.len(),
        skipped: skipped.len(),
        types: cause.types.clone(),
        samples: cause.samples.clone(),
        proof: cause.figure(),
        advice: cause.proof.as_ref().and_then(|proof| proof.advice.clone()).or_else(|| explainer.advice(cause)),
    };
    let explained = causes.iter().zip(&skipped).map(cause).collect();
    recorded.causes = explained;
    for result in &mut recorded.verdicts {
        result.cause = of.get(&result.test).map(|id| (*id).clone());
    }
    Ok(())
}

/// What a record says of its tests.
struct Explainer<'a> {
    recorded: &'a RunRecord,
    specs: &'a Specs,
    results: HashMap<&'a TestId, &'a TestResult>,
    /// Tests that fail only after others.
    dependent: BTreeSet<TestId>,
    /// Failures that go with another.
    alike: HashMap<&'a TestId, &'a TestId>,
    /// The tests that failed, of the dialects whose causes were found.
    failed: HashMap<TestId, Test>,
}

impl<'a> Explainer<'a> {
    fn of(recorded: &'a RunRecord, specs: &'a Specs) -> Self {
        let results = recorded.verdicts.iter().map(|result| (&result.test, result)).collect();
        let dependent = dependent(recorded);
        Self { recorded, specs, results, alike: alike(recorded, &dependent), dependent, failed: HashMap::new() }
    }

    /// Keeps those that failed.
    fn keep(&mut self, tests: Vec<Test>) {
        let is_failed = |test: &Test| {
            self.dependent.contains(&test.id) || self.results.get(&test.id).is_some_and(|result| is_failure(result))
        };
        self.failed.extend(tests.into_iter().filter(is_failed).map(|test| (test.id.clone(), test)));
    }

    /// What to declare, where every reply of a cause is right but for one distinction that a language may lack; or how to wait
    /// longer.
    fn advice(&self, cause: &Cause) -> Option<String> {
        if cause.tests.iter().all(|id| self.results.get(id).is_some_and(|one| one.verdict == Verdict::TimedOut)) {
            // How long it may take to exit, `answer-timeout:` does not say. What hangs by itself is told at the exit too.
            let reply = |id| self.results.get(id).and_then(|result| result.reply.as_ref());
            let is_late = |id| !matches!(reply(id), Some(RecordedReply::TimedOut(Ending { by_itself: true, .. })));
            if cause.tests.iter().all(|id| is_of(id, Rule::Exit) && is_late(id)) {
                return Some("if it exits late, as with a sanitizer: `--timeout 10`".to_owned());
            }
            return Some("if it is only slow: `--timeout 30`, or `answer-timeout: 30` in adapter.yaml".to_owned());
        }
        let tests = cause.tests.iter().filter(|id| !is_alone(id)).map(|id| self.failed.get(id));
        let word = if cause.id == DECLARED { None } else { self.word(&tests.collect::<Option<Vec<_>>>()?) }?;
        Some(format!("declare `{}` only if your language cannot tell apart {}", word.name(), word.means()))
    }

    /// The word that makes the replies to all these tests right.
    fn word(&self, tests: &[&Test]) -> Option<Lossy> {
        let is_right = |word: Lossy| {
            let mut handshake = self.recorded.plan.handshake.clone();
            handshake.lossy.push(word);
            let judged = |test: &&Test| self.judged(test, &handshake).map(|judged| judged.verdict);
            !tests.is_empty() && tests.iter().all(|test| judged(test) == Some(Verdict::DeclaredLoss))
        };
        let undeclared = |word: &Lossy| !self.recorded.plan.handshake.lossy.contains(word);
        Lossy::ALL.iter().copied().filter(undeclared).find(|word| is_right(*word))
    }

    /// The recorded reply to a test, judged for another handshake.
    fn judged(&self, test: &Test, handshake: &Handshake) -> Option<Judgement> {
        let (result, dialect) = (self.results.get(&test.id)?, self.specs.dialect(&test.dialect)?);
        let answer = answer(test, result, dialect, &handshake.lossy);
        Some(Judge::for_claims(dialect, self.recorded.plan.judged_by, handshake).judge(test, &answer.into()))
    }

    /// What changes in the replies to one request, where that is a loss that could be declared.
    fn changing<'t>(&self, tests: impl Iterator<Item = &'t Test>) -> Option<Lossy> {
        self.word(&tests.filter(|test| self.dependent.contains(&test.id)).collect::<Vec<_>>())
    }

    /// The causes in one dialect. `all` has its tests.
    fn causes(&self, dialect: &Dialect, all: &[Test]) -> Vec<Cause> {
        let (recorded, plan, specs) = (self.recorded, &self.recorded.plan, self.specs);
        let of_id: HashMap<&TestId, &Test> = all.iter().map(|test| (&test.id, test)).collect();
        let again = recorded.verdicts.iter().filter_map(|result| repeated(&result.test, &of_id, dialect));
        let again: Vec<Test> = again.collect();
        // What is lost now and then is lost in other tests too.
        let mut handshake = plan.handshake.clone();
        handshake.lossy.extend(self.changing(all.iter()));
        let is_changing = handshake.lossy.len() > plan.handshake.lossy.len();
        // Of variants that pass there is no line: they ran if their case did, which an older corpus may not have.
        let cases: HashSet<&str> = recorded.verdicts.iter().map(|result| result.test.parts().case).collect();
        let (mut tried, mut failures, mut lossy) = (Vec::new(), Vec::new(), HashSet::new());
        for test in all.iter().chain(&again) {
            match self.results.get(&test.id) {
                Some(_) if self.alike.contains_key(&test.id) => {}
                Some(result) if is_failure(result) => {
                    tried.push(test);
                    let judged = self.judged(test, &handshake).filter(|_| is_changing);
                    let is_lost = judged.as_ref().is_some_and(|judged| judged.verdict == Verdict::DeclaredLoss);
                    let failure = failure(test, result, dialect, &handshake.lossy);
                    failures.push(Failure {
                        depends: is_lost || self.dependent.contains(&test.id),
                        field: judged.map_or(failure.field, |judged| judged.field),
                        ..failure
                    });
                }
                Some(result) if result.verdict == Verdict::Pass => tried.push(test),
                // A refusal that a limit excuses shows nothing of the codec.
                Some(TestResult {
                    verdict: Verdict::DeclaredLoss,
                    reply: Some(RecordedReply::Value { .. } | RecordedReply::Bytes(_)),
                    ..
                }) => {
                    tried.push(test);
                    lossy.insert(test.id.clone());
                }
                None if recorded.ended && cases.contains(test.id.parts().case) => tried.push(test),
                Some(_) | None => {}
            }
        }
        let (judged_by, handshake, tests) = (plan.judged_by, &handshake, &tried[..]);
        let tried = RunTests { specs, dialect, judged_by, handshake, tests, lossy: &lossy };
        // Without causes, what was recorded is still worth to be shown.
        let causes = catch_unwind(AssertUnwindSafe(|| variant_faults::causes(tried, &failures)));
        let mut causes = causes.unwrap_or_default();
        for cause in &mut causes {
            let own: HashSet<TestId> = cause.tests.iter().cloned().collect();
            let goes = |result: &&TestResult| self.alike.get(&result.test).is_some_and(|first| own.contains(*first));
            cause.tests.extend(recorded.verdicts.iter().filter(goes).map(|result| result.test.clone()));
        }
        causes
    }

    /// The causes, what depends on order first: with the tests that showed it, and named where it is a declared loss.
    fn joined(&self, mut causes: Vec<Cause>) -> Vec<Cause> {
        let Some(place) = causes.iter().position(|cause| cause.id == OF_ORDER) else { return causes };
        let mut one = causes.remove(place);
        if let Some(word) = self.changing(self.failed.values()) {
            one.headline = format!("replies to one request change from one time to the next: {}", word.means());
        }
        one.tests.extend(sent_alone(self.recorded).map(|result| result.test.clone()));
        one.samples = samples(sent_alone(self.recorded));
        causes.insert(0, one);
        causes
    }
}

/// The test that was sent again under this id: `…~asked-again:decode`. One that was sent alone shows nothing of its own.
fn repeated(id: &TestId, tests: &HashMap<&TestId, &Test>, dialect: &Dialect) -> Option<Test> {
    let rule = id.parts().last_rule()?;
    if !rule.is_repetition() || rule == Rule::Alone {
        return None;
    }
    let test = *tests.get(&id.repeated()?)?;
    let test = if rule == Rule::Grown { grown(dialect, test)? } else { test.clone() };
    Some(Test { id: id.clone(), rule: Some(rule), ..test })
}

/// Whether its cause is looked for. A declared loss is known already.
fn is_failure(result: &TestResult) -> bool {
    severity(result) >= Severity::Warning && result.verdict != Verdict::DeclaredLoss
}

/// The ids of results, the smallest first.
fn samples<'a>(results: impl Iterator<Item = &'a TestResult>) -> Vec<TestId> {
    let mut results: Vec<&TestResult> = results.collect();
    results.sort_by_key(|result| result.size());
    results.into_iter().map(|result| result.test.clone()).collect()
}

/// The tests that differ only as the handshake declares.
fn declared(recorded: &RunRecord) -> Option<Cause> {
    let losses = || recorded.verdicts.iter().filter(|result| result.verdict == Verdict::DeclaredLoss);
    losses().next()?;
    let samples = samples(losses());
    let types: BTreeSet<&str> = losses().map(|result| result.id().layout).collect();
    Some(Cause {
        id: DECLARED.to_owned(),
        headline: "declared loss: right but for what the handshake says is lost".to_owned(),
        tests: losses().map(|result| result.test.clone()).collect(),
        types: types.into_iter().map(str::to_owned).collect(),
        ops: Vec::new(),
        samples,
        deadly: false,
        proof: None,
        seen: None,
    })
}

/// Failures that go with another of the same type, operation and words: no codec with a fault gives such a reply.
fn alike<'a>(recorded: &'a RunRecord, dependent: &BTreeSet<TestId>) -> HashMap<&'a TestId, &'a TestId> {
    let mut of: HashMap<_, Vec<&TestResult>> = HashMap::new();
    for result in recorded.verdicts.iter().filter(|result| is_failure(result) && !dependent.contains(&result.test)) {
        let words = match (&result.reply, &result.detail) {
            (Some(RecordedReply::Unsupported(text)), _) => text,
            (_, Some(detail)) if result.verdict == Verdict::Garbled => &detail.note,
            _ => continue,
        };
        let parts = result.test.parts();
        of.entry((parts.of, parts.op, result.verdict, words)).or_default().push(result);
    }
    let mut alike = HashMap::new();
    for mut results in of.into_values() {
        results.sort_by_key(|result| result.size());
        alike.extend(results.iter().skip(ALIKE).map(|other| (&other.test, &results[0].test)));
    }
    alike
}

fn failure(test: &Test, result: &TestResult, dialect: &Dialect, lossy: &[Lossy]) -> Failure {
    let TestResult { verdict, ref field, ref erratum, .. } = *result;
    let (field, erratum) = (field.clone(), erratum.clone());
    let whole = match &result.reply {
        // What is no reply is compared by what is wrong with it, and refusals not by their words.
        Some(RecordedReply::Value { .. } | RecordedReply::Bytes(_)) if verdict != Verdict::Garbled => {
            result.whole.clone()
        }
        _ => None,
    };
    let answer = answer(test, result, dialect, lossy);
    let said = result.detail.as_deref().and_then(|detail| error_in(&detail.noise)).map(str::to_owned);
    Failure { test: test.id.clone(), verdict, field, erratum, answer, said, whole, depends: false }
}

/// The reply of a result.
fn answer(test: &Test, result: &TestResult, dialect: &Dialect, lossy: &[Lossy]) -> Answer {
    let note = || result.detail.as_deref().map_or_else(String::new, |detail| detail.note.clone());
    match &result.reply {
        _ if result.verdict == Verdict::Garbled => Answer::Garbled(note()),
        // Whatever it is, it nests too deep to be read.
        Some(RecordedReply::Value { used, .. }) if test.is_deep() => Answer::Value { value: Value::Null, used: *used },
        Some(RecordedReply::Value { .. } | RecordedReply::Bytes(_)) if result.whole.is_some() => {
            Answer::Garbled("a reply that is too long to be recorded".to_owned())
        }
        Some(RecordedReply::Value { json, used }) => {
            Reply::Value { json: json.as_str().into(), used: *used }.answer(dialect, lossy)
        }
        Some(RecordedReply::Bytes(hex)) => hex::decode(hex).map_or_else(|_| Answer::Garbled(note()), Answer::Bytes),
        Some(RecordedReply::Refused(text)) => Answer::Refused(text.clone().into()),
        Some(RecordedReply::Unsupported(text)) => Answer::Unsupported(text.clone()),
        Some(RecordedReply::Crashed(ending)) => Answer::Crashed(ending.clone()),
        Some(RecordedReply::TimedOut(ending)) => Answer::TimedOut(ending.clone()),
        None => Answer::Garbled(note()),
    }
}

/// The line in which a process says what ended it, in the words of most languages: the last, since log lines and source come before it.
/// Frames of a stack come after it.
fn error_in(noise: &str) -> Option<&str> {
    const WORDS: [&str; 8] = ["panicked", "panic: ", "Error", "Exception", "what():", "fatal", "abort", "Sanitizer: "];
    let mut lines = noise.lines().rev().map(str::trim).filter(|line| !line.starts_with("at "));
    lines.find(|line| WORDS.iter().any(|word| line.contains(word)))
}

/// For each cause, the tests that were not sent because tests like them crashed or hung.
fn skipped(recorded: &RunRecord, causes: &[Cause]) -> Vec<Vec<TestId>> {
    let mut of: Vec<Vec<TestId>> = vec![Vec::new(); causes.len()];
    for result in recorded.verdicts.iter().filter(|result| result.verdict == Verdict::Skipped) {
        let layout = result.test.parts().layout;
        let own = |cause: &Cause| cause.deadly && cause.types.iter().any(|of| of == layout);
        let place = causes.iter().position(own).or_else(|| causes.iter().position(|cause| cause.deadly));
        if let Some(place) = place {
            of[place].push(result.test.clone());
        }
    }
    of
}

fn is_of(id: &TestId, wanted: Rule) -> bool {
    id.parts().last_rule() == Some(wanted)
}

pub(crate) fn is_alone(id: &TestId) -> bool {
    is_of(id, Rule::Alone)
}

/// The tests that fail only after others, where there are such tests: those that pass in another order, and those that
/// got two replies.
fn dependent(recorded: &RunRecord) -> BTreeSet<TestId> {
    let mut dependent: BTreeSet<TestId> = sent_alone(recorded).filter_map(|result| result.test.repeated()).collect();
    let later = recorded.verdicts.iter().filter(|result| result.verdict == Verdict::OrderDependent);
    dependent.extend(later.map(|result| &result.test).filter(|test| !is_alone(test)).cloned());
    if !dependent.is_empty() {
        let twice = recorded.verdicts.iter().filter(|result| result.verdict == Verdict::Nondeterministic);
        dependent.extend(twice.map(|result| result.test.clone()));
    }
    dependent
}

fn sent_alone(recorded: &RunRecord) -> impl Iterator<Item = &TestResult> {
    recorded.verdicts.iter().filter(|result| is_alone(&result.test))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::error_in;

    #[rstest]
    #[case::python(
        "Error table loaded\nTraceback:\n  File \"…/x.py\"\n    raise ValueError(7)\nValueError: 7",
        "ValueError: 7"
    )]
    #[case::node("x.js:1\nthrow new Error(7)\nError: why\n    at new NodeError (x.js:1)", "Error: why")]
    #[case::csharp(
        "Unhandled exception. System.Exception: why\n   at ThrowException()",
        "Unhandled exception. System.Exception: why"
    )]
    #[case::rust(
        "thread 'main' panicked at src/x.rs:1:2:\nwhy\nnote: run with `RUST_BACKTRACE=1`",
        "thread 'main' panicked at src/x.rs:1:2:"
    )]
    #[case::go("panic: why\n\ngoroutine 1 [running]:\npanic({0x1})\n\t…/panic.go:770", "panic: why")]
    #[case::sanitizer(
        "==7==ERROR: AddressSanitizer: heap-use-after-free on 0x1\n    #0 0x1",
        "==7==ERROR: AddressSanitizer: heap-use-after-free on 0x1"
    )]
    fn the_line_of_the_error(#[case] noise: &str, #[case] line: &str) {
        assert_eq!(error_in(noise), Some(line));
    }
}
