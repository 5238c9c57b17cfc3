//! The same question again, in the same process and in a fresh one: other answers are found, and nothing else is.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_codec::{F32, Numbers, Value};
use variant_corpus::Corpus;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::incomplete::incomplete;
use variant_runner::record::RunRecord;
use variant_runner::results::{DetailSide, RunEnd, TestResult};
use variant_runner::run::Run;
use variant_runner::status::severity;
use variant_specs::{JudgedBy, Specs};
use variant_values::glob::TestGlob;
use variant_values::handshake::{Handshake, Lossy};
use variant_values::implementation::{
    Answer, Ending, Implementation, ImplementationError, Input, Outcomes, RefusalReason, Request, Requests,
};
use variant_values::reference::Reference;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &SPECS).unwrap());

/// The reference codec with a flaw: what it does to an answer, by how many processes and asks there were.
struct Flawed<F> {
    reference: Reference,
    handshake: Handshake,
    flaw: F,
    process: usize,
    asked: usize,
}

impl<F: FnMut(&Request, &mut Answer, usize, usize)> Implementation for Flawed<F> {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| {
            self.asked += 1;
            let mut answer = self.reference.answer(&request);
            (self.flaw)(&request, &mut answer, self.process, self.asked);
            Ok((place, answer.into()))
        }))
    }

    fn restart(&mut self) -> bool {
        self.process += 1;
        true
    }
}

/// The reference codec, until it is restarted.
struct Gone(Reference, bool);

impl Implementation for Gone {
    fn handshake(&self) -> &Handshake {
        self.0.handshake()
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        if self.1 {
            return Box::new(std::iter::once(Err(ImplementationError("it is another one now".to_owned()))));
        }
        self.0.send(requests)
    }

    fn restart(&mut self) -> bool {
        self.1 = true;
        true
    }
}

#[test]
fn what_stops_the_repetitions_is_told() {
    let only = Some(TestGlob::new("godot-3/vector2/*").unwrap());
    let run = Run { only, ..Run::new(&SPECS, &CORPUS, vec!["godot-3".to_owned()]) };
    let mut record = Vec::new();
    run.run(&mut Gone(Reference::new(&SPECS, JudgedBy::Engines), false), &mut record, &|_, _| {}).unwrap();
    let record = RunRecord::read(record.as_slice()).unwrap();
    assert!(!record.end.complete);
    assert!(incomplete(&record).unwrap().ends_with("ran: it is another one now"));
}

struct Told {
    failures: usize,
    warnings: usize,
    end: RunEnd,
    again: Vec<TestResult>,
    /// What was sent alone.
    alone: Vec<TestResult>,
}

/// Runs a part of the corpus on the reference codec with a flaw.
fn run(only: &str, flaw: impl FnMut(&Request, &mut Answer, usize, usize)) -> Told {
    run_losing(&[], only, flaw)
}

/// The same, where it declares these losses.
fn run_losing(lossy: &[Lossy], only: &str, flaw: impl FnMut(&Request, &mut Answer, usize, usize)) -> Told {
    let only = Some(TestGlob::new(only).unwrap());
    let run = Run { only, ..Run::new(&SPECS, &CORPUS, vec!["godot-3".to_owned()]) };
    let reference = Reference::new(&SPECS, JudgedBy::Engines);
    let handshake = Handshake { lossy: lossy.to_vec(), ..reference.handshake().clone() };
    let mut flawed = Flawed { reference, handshake, flaw, process: 0, asked: 0 };
    let mut record = Vec::new();
    run.run(&mut flawed, &mut record, &|_, _| {}).unwrap();
    let RunRecord { verdicts, end, .. } = RunRecord::read(record.as_slice()).unwrap();
    let count = |wanted| verdicts.iter().filter(|result| severity(result) == wanted).count();
    let (failures, warnings) = (count(Severity::Failure), count(Severity::Warning));
    let (again, red): (Vec<_>, Vec<_>) = verdicts.into_iter().partition(|of| of.test.contains("~asked-again"));
    let alone: Vec<_> = red.into_iter().filter(|of| of.test.contains("~alone")).collect();
    Told { failures, warnings, end, again, alone }
}

fn one_more(answer: &mut Answer) {
    if let Answer::Bytes(bytes) = answer {
        bytes.push(0);
    }
}

#[test]
fn who_answers_alike_is_not_bothered() {
    let told = run("**", |_, _, _, _| {});
    assert_eq!((told.failures, told.warnings, told.again.len()), (0, 0, 0));
    // The sample, and the pair that shows how time grows.
    assert_eq!(told.end.repeated, 256 + 1);
}

#[test]
fn a_wrong_answer_is_not_wrong_twice() {
    let told = run("godot-3/vector2/*", |_, answer, _, _| one_more(answer));
    assert!(told.failures > 0);
    assert!(told.again.is_empty() && told.end.repeated > 0, "{:?}", told.again);
}

/// One more byte in every second answer: what was right at first and is wrong then fails, what was wrong differs.
#[test]
fn another_answer_in_the_same_process() {
    let told = run("godot-3/vector2/*", |_, answer, _, asked| {
        if asked % 2 == 0 {
            one_more(answer);
        }
    });
    let of = |verdict| told.again.iter().filter(move |again| again.verdict == verdict);
    let by_turns = || told.again.iter().filter(|again| again.detail.as_ref().unwrap().note.contains(", but right "));
    assert_eq!(of(Verdict::Nondeterministic).count() + by_turns().count(), told.again.len());
    let note = "two replies to one request: - in one process, + again in the same process";
    let mut details = of(Verdict::Nondeterministic).filter_map(|again| again.detail.as_ref());
    let detail = details.find(|detail| detail.note == note).unwrap();
    assert_ne!(detail.expected, detail.actual);
    assert!(by_turns().next().is_some() && by_turns().all(|again| matches!(again.verdict, Verdict::Fail(_))));
}

/// One more byte in one answer of eight, as pairs of a map in Go are in another order: that depends on nothing.
#[test]
fn what_is_wrong_by_chance_does_not_depend_on_order() {
    let told = run("godot-3/{vector2,dictionary}/*", |_, answer, _, asked| {
        if asked.wrapping_mul(0x9e37_79b1) >> 20 & 7 == 0 {
            one_more(answer);
        }
    });
    let all = told.again.iter().chain(&told.alone);
    assert!(told.failures > 0 && all.clone().all(|one| one.verdict != Verdict::OrderDependent), "{:?}", told.alone);
}

#[test]
fn two_wrong_answers_in_the_same_process() {
    let told = run("godot-3/vector2/*", |_, answer, _, asked| (0..=asked % 2).for_each(|_| one_more(answer)));
    assert!(told.again.iter().all(|again| again.verdict == Verdict::Nondeterministic));
    let detail = told.again.first().unwrap().detail.as_ref().unwrap();
    assert!(detail.note.starts_with("two replies to one request: - in one process, + "), "{}", detail.note);
    assert_eq!(told.warnings, told.again.len());
}

/// What is wrong each time is the same if only the bits of a NaN differ, and these are a declared loss.
#[rstest]
#[case::not_declared(&[], true)]
#[case::declared(&[Lossy::NanPayload], false)]
fn a_declared_loss_is_no_other_answer(#[case] lossy: &[Lossy], #[case] differs: bool) {
    let told = run_losing(lossy, "godot-3/vector2/*:decode", |_, answer, _, asked| {
        if let Answer::Value { value: Value::Fields(_, Numbers::Float32(numbers)), .. } = answer {
            *numbers = vec![F32(0x40e0_0000), F32(0x7fc0_0000 | u32::try_from(asked).unwrap())].into();
        }
    });
    assert!(told.failures > 0 && told.end.repeated > 0);
    assert_eq!(!told.again.is_empty(), differs, "{:?}", told.again);
}

#[test]
fn another_answer_in_a_fresh_process() {
    let told = run("godot-3/vector2/*", |_, answer, process, _| (0..process).for_each(|_| one_more(answer)));
    assert!(told.again.iter().all(|again| again.verdict == Verdict::OrderDependent), "{:?}", told.again);
    let detail = told.again.first().unwrap().detail.as_ref().unwrap();
    assert_eq!(detail.note, "in a fresh process, but right in one process");
    assert_eq!((told.failures, told.warnings), (told.again.len(), 0));
}

/// Engines leave the padding of a node_path as it was.
#[test]
fn bytes_that_nobody_writes_may_differ() {
    let mut changed = 0;
    let told = run("godot-3/node_path/*", |request, answer, _, asked| {
        let codec = variant_codec::Codec::new(SPECS.dialect("godot-3").unwrap(), JudgedBy::Engines);
        let (Input::Encode(value), Answer::Bytes(bytes)) = (&request.input, answer) else { return };
        // Whatever was zero, and a decoder does not miss, is padding.
        for at in (0..bytes.len()).filter(|at| bytes[*at] == 0).collect::<Vec<_>>() {
            let before = bytes[at];
            bytes[at] = u8::try_from(asked % 251).unwrap();
            if codec.decode(bytes).is_ok_and(|decoded| decoded.value == *value && at >= 16) {
                changed += 1;
                continue;
            }
            bytes[at] = before;
        }
    });
    assert!(told.again.is_empty(), "{:?}", told.again);
    assert!(told.end.repeated > 0 && changed > told.end.repeated);
}

#[test]
fn a_crash_of_the_second_time_is_a_crash() {
    let told = run("godot-3/vector2/*", |_, answer, process, _| {
        if process > 0 {
            *answer = Answer::Crashed(Ending::new("was killed by signal 11"));
        }
    });
    assert!(told.again.iter().all(|again| again.verdict == Verdict::Crashed));
    assert_eq!(told.failures, told.end.repeated);
}

#[test]
fn what_died_is_not_asked_again() {
    let told =
        run("godot-3/vector2/*", |_, answer, _, _| *answer = Answer::TimedOut(Ending::new("gave no answer in 5s")));
    assert_eq!(told.end.repeated, 0);
}

#[test]
fn one_ask_alone_is_repeated_by_its_own_name() {
    let told = run("godot-3/vector2/negative-zero-keeps-its-sign~asked-again:encode", |_, _, _, _| {});
    assert_eq!((told.end.executed, told.end.repeated), (1, 1));
    let told = run("godot-3/vector2/negative-zero-keeps-its-sign:encode", |_, _, _, _| {});
    assert_eq!((told.end.executed, told.end.repeated), (1, 0));
}

/// A counter that every refusal raises and nothing lowers, like that of a depth: after this many, all is refused.
fn leaks(most: usize) -> impl FnMut(&Request, &mut Answer, usize, usize) {
    let (mut of, mut refusals) = (0, 0);
    move |_, answer, process, _| {
        if process != of {
            (of, refusals) = (process, 0);
        }
        if refusals >= most {
            *answer = Answer::Refused(RefusalReason { text: "too deep".to_owned(), ..RefusalReason::default() });
        }
        refusals += usize::from(matches!(answer, Answer::Refused(_)));
    }
}

#[test]
fn what_fails_only_after_other_requests_depends_on_order() {
    let told = run("**", leaks(1025));
    assert!(told.failures > 1000 && !told.alone.is_empty(), "{:?}", told.end);
    assert!(told.alone.iter().all(|alone| alone.verdict == Verdict::OrderDependent), "{:?}", told.alone);
    let details = told.alone.iter().map(|alone| alone.detail.as_ref().unwrap());
    let refused = DetailSide::Sentence("refused: too deep".into());
    assert!(details.clone().all(|detail| detail.actual == refused && !detail.expected.rows().is_empty()));
    let note = "fail/refused-valid in this run, after other requests; right in another order";
    assert!(details.into_iter().all(|detail| detail.note == note), "{:?}", told.alone);
}

/// One more byte behind each packet that follows a packet: each failure depends on what was sent before.
#[test]
fn all_that_depends_on_order_is_found() {
    let (mut of, mut has_read) = (0, false);
    let told = run("godot-3/vector2/*", move |request, answer, process, _| {
        let follows = process == of && has_read;
        (of, has_read) = (process, matches!(request.input, Input::Decode(_)));
        if follows {
            one_more(answer);
        }
    });
    assert!(!told.alone.is_empty());
    let later = told.again.iter().filter(|again| again.verdict == Verdict::OrderDependent).count();
    assert_eq!(told.failures, 2 * told.alone.len() + later);
}

/// One request is enough, so that only the first test passes in a process that several share.
#[test]
fn the_tests_that_are_sent_alone_do_not_disturb_each_other() {
    let mut of = None;
    let told = run("godot-3/vector2/*", |_, answer, process, _| {
        if of.replace(process) == Some(process) {
            one_more(answer);
        }
    });
    assert!(told.failures > 0 && !told.alone.is_empty(), "{:?}", told.end);
    assert!(told.alone.iter().all(|alone| alone.verdict == Verdict::OrderDependent));
}

#[test]
fn what_fails_alone_too_does_not_depend_on_order() {
    let told = run("godot-3/vector2/*", |_, answer, _, _| one_more(answer));
    assert!(told.failures > 0 && told.alone.is_empty(), "{:?}", told.alone);
}

#[test]
fn what_fails_now_and_then_does_not_depend_on_order() {
    let told = run("godot-3/vector2/*", |_, answer, _, asked| {
        if asked % 2 == 0 {
            one_more(answer);
        }
    });
    assert!(told.failures > 0 && told.alone.is_empty(), "{:?}", told.alone);
}

/// A byte of the packet before it follows each packet. In a container the first byte is wrong too.
#[test]
fn what_is_wrong_in_each_order_does_not_depend_on_order() {
    let (mut of, mut last) = (0, None);
    let told = run("godot-3/vector2/*", move |_, answer, process, _| {
        let Answer::Bytes(bytes) = answer else { return };
        if of != process {
            (of, last) = (process, None);
        }
        let before = last.replace(bytes[4]);
        bytes[0] |= if bytes[0] == 5 { 0 } else { 0x40 };
        bytes.extend(before);
    });
    let alone = || told.alone.iter().map(|alone| alone.test.as_str());
    assert!(alone().next().is_some() && told.failures > 2 * told.alone.len());
    assert!(alone().all(|test| !test.contains("~in-")), "{:?}", alone().collect::<Vec<_>>());
}
