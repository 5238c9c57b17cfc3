//! Deaths are counted by type and operation, and a report is complete without what is skipped.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;

use crate::support::{
    Run, assert_says, echoed, guarded, hasty, limits, python, request, run, run_hasty, run_with, send, send_these,
    specs,
};
use variant_adapter::external::{Command, External, Limits};
use variant_values::implementation::{Answer, Input, Kind, Request};

#[test]
fn what_cannot_be_run_is_reported() {
    let run = run("for r, n in requests(): os._exit(7)", 1000);
    assert!((0..10).all(|n| run.crashed(n) == "exited with status 7"));
    assert!((10..1000).all(|n| run.not_run(n).contains("it never replied to a request; it exited with status 7")));
}

/// Requests in this order, each with the header of a type before its number: `of` says which, and what is in it.
fn run_kinds(script: &str, count: usize, limits: Limits, of: fn(usize) -> &'static [&'static str]) -> Run {
    let command = python(script);
    guarded(limits, move || {
        let mut external = External::start(command, &specs(), limits).unwrap();
        let specs = specs();
        let dialect = specs.dialect("godot-3").unwrap();
        let typed = |n: usize| {
            let layout = dialect.layouts.id_of(of(n)[0]).unwrap();
            let number = u32::try_from(n).unwrap().to_be_bytes();
            let packet = [dialect.id_of(layout).unwrap().to_le_bytes(), number].concat();
            let holds: BTreeSet<Arc<str>> = of(n).iter().map(|name| Arc::from(*name)).collect();
            let kind = Some(Kind { holds: Arc::new(holds), skips: true });
            Request { kind, input: Input::Reencode(packet), ..request(n) }
        };
        send_these(&mut external, (0..count).map(typed))
    })
}

fn skipped(run: &Run) -> Vec<usize> {
    run.odd().into_iter().filter(|n| matches!(run.answer(*n), Answer::Skipped(_))).collect()
}

/// The arrays come first, and those that hold the type hang too. Arrays without it are innocent.
#[test]
fn only_what_holds_the_type_that_hangs_is_skipped() {
    let of = |n: usize| -> &'static [&'static str] {
        match (n % 2, n / 100) {
            (_, 1) => &["vector2"],
            (0, _) => &["array", "int"],
            (_, _) => &["array", "vector2"],
        }
    };
    let script = "for r, n in requests():\n  if n < 100 and n % 2 == 1 or n >= 100: time.sleep(60)\n  say(reply(r, n))";
    let run = run_kinds(script, 200, hasty(), of);
    assert_eq!(run.odd(), (0..200).filter(|n| n % 2 == 1 || *n >= 100).collect::<Vec<_>>());
    assert_says(run.timed_out(1), &["did not reply in 800 ms"]);
    assert_says(run.skipped(99), &["not tried: 3 tests with array and vector2 inside (reencode, godot-3) hung"]);
    assert_says(run.skipped(199), &["not tried: 1 test with vector2 (reencode, godot-3) hung"]);
    assert_eq!(skipped(&run).len(), run.odd().len() - 4);
}

/// It hangs on the type alone: what has it inside is innocent.
#[test]
fn what_holds_a_type_that_hangs_alone_is_tried() {
    let of = |n: usize| -> &'static [&'static str] { if n < 50 { &["vector2"] } else { &["array", "vector2"] } };
    let run = run_kinds("for r, n in requests():\n  if n < 50: time.sleep(60)\n  say(reply(r, n))", 100, hasty(), of);
    assert_eq!(run.odd(), (0..50).collect::<Vec<_>>());
    // Nothing was answered before: one that hangs is enough.
    assert_eq!(skipped(&run).len(), 49);
}

/// It dies of dictionaries, of which nothing is answered yet: what is in them is innocent, and is tried elsewhere.
#[test]
fn a_container_that_dies_is_blamed_before_what_is_in_it() {
    let of =
        |n: usize| -> &'static [&'static str] { if n < 10 { &["dictionary", "string"] } else { &["array", "string"] } };
    let run = run_kinds("for r, n in requests():\n  if n < 10: os._exit(7)\n  say(reply(r, n))", 30, limits(), of);
    assert_eq!(run.odd(), (0..10).collect::<Vec<_>>());
    assert_says(run.skipped(9), &["not tried: 3 tests with dictionary and string inside (reencode, godot-3) crashed"]);
}

/// Who ends after the replies of one type ends by itself only there: eight, and the rest of that type is skipped.
#[test]
fn one_that_ends_after_replies_of_a_type() {
    let script = "for r, n in requests():\n  say(reply(r, n))\n  if n % 10 == 0: os._exit(7)";
    let run = run_kinds(script, 300, limits(), |n| if n % 10 == 0 { &["dictionary"] } else { &["int"] });
    assert_eq!(run.odd(), (0..300).step_by(10).collect::<Vec<_>>());
    assert_says(run.crashed(0), &["exited with status 7, after it had replied"]);
    assert_says(run.skipped(290), &["tests with dictionary (reencode, godot-3) crashed"]);
}

/// A reply without end is a death of its type.
#[test]
fn what_floods_is_skipped() {
    let script = "for r, n in requests():\n  while n % 2 == 0: sys.stdout.write('x' * 100000)\n  say(reply(r, n))";
    let run = run_kinds(script, 100, limits(), |n| if n % 2 == 0 { &["aabb"] } else { &["int"] });
    assert_eq!(run.odd(), (0..100).step_by(2).collect::<Vec<_>>());
    assert_says(run.garbled(0), &["a line of more than 8 MiB"]);
    assert_says(run.skipped(98), &["3 tests with aabb (reencode, godot-3) got a reply that was too long"]);
}

/// Some of a type crash, with answers between them: eight, and the rest is skipped.
#[test]
fn a_type_that_crashes_now_and_then() {
    let of = |n: usize| -> &'static [&'static str] { if n % 10 < 5 { &["aabb"] } else { &["int"] } };
    let script = "for r, n in requests():\n  if n % 10 == 4: os._exit(7)\n  say(reply(r, n))";
    let run = run_kinds(script, 100, limits(), of);
    let crashed: Vec<usize> = run.odd().into_iter().filter(|n| matches!(run.answer(*n), Answer::Crashed(_))).collect();
    assert_eq!(crashed, (0..8).map(|nth| 10 * nth + 4).collect::<Vec<_>>());
    assert_eq!(skipped(&run), (75..100).filter(|n| n % 10 < 5).collect::<Vec<_>>());
}

/// Whatever it is sent, and however much it answered before: no request does it alone, and nobody waits again and again.
#[rstest]
#[case::dies(
    "if count == 10: sys.stderr.write('out of luck\\n'); sys.stderr.flush(); os._exit(3)\n  say(reply(r, n))",
    2000,
    limits(),
    &[": 20 times; the last time it exited with status 3", "out of luck"],
    |run: &Run| {
        let crashed = run.odd().into_iter().filter(|n| matches!(run.answer(*n), Answer::Crashed(_))).count();
        assert!((10..=20).contains(&crashed), "{crashed}");
    }
)]
#[case::closes_its_output(
    "say(reply(r, n))\n  if n % 300 == 299: os.close(1); time.sleep(60)",
    2000,
    limits(),
    &[": 2 times; the last time it closed its output but kept running"],
    |run: &Run| assert!(run.odd()[0] < 302, "{:?}", run.odd()[0])
)]
#[case::hangs(
    "if count == 60: time.sleep(60)\n  say(reply(r, n))",
    20_000,
    Limits { reply_timeout: Duration::from_millis(400), ..limits() },
    &[],
    |_: &Run| ()
)]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn one_that_fails_by_itself_is_given_up(
    #[case] does: &str,
    #[case] count: usize,
    #[case] limits: Limits,
    #[case] why: &[&str],
    #[case] check: fn(&Run),
) {
    let script = format!("count = 0\nfor r, n in requests():\n  count += 1\n  {does}");
    let run = run_with(python(&script), count, limits);
    assert_says(run.not_run(count - 1), &["the process ends or hangs after some requests, whatever they are"]);
    assert_says(run.not_run(count - 1), why);
    check(&run);
}

#[test]
fn one_that_answers_once_and_exits_is_given_up() {
    let starts = tempfile::NamedTempFile::new().unwrap();
    let count = format!("open('{}', 'a').write('x')", starts.path().display());
    let run = run(&format!("{count}\nfor r, n in requests():\n  say(reply(r, n)); os._exit(0)"), 2000);
    // Each of twenty deaths costs a start for the request, one for the next, and those that look for who did it.
    let starts = starts.as_file().metadata().unwrap().len();
    assert!(starts < 120, "{starts}");
    assert_says(run.not_run(1999), &["the process ends or hangs after some requests, whatever they are"]);
    assert!(run.odd().iter().all(|n| matches!(run.answer(*n), Answer::Crashed(_) | Answer::NotRun(_))));
}

/// One in a hundred, by chance: what is answered in between is worth to go on.
#[test]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn random_hangs_do_not_end_the_rest() {
    let script = "
count = 0
for r, n in requests():
  count += 1
  if count == 150: time.sleep(60)
  say(reply(r, n))
";
    assert!(run_hasty(script, 3300).odd().is_empty());
}

const TYPES: [&[&str]; 6] = [&["null"], &["bool"], &["int"], &["float"], &["string"], &["vector2"]];

/// After a hundred replies, it ends as soon as it is sent what has such a number, even what it answered before.
fn broken(which: &str, kind: fn(usize) -> &'static [&'static str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    let script = format!(
        "
for r, n in requests(max_in_flight=1):
  if n == 100: open({broken:?}, 'w')
  if os.path.exists({broken:?}) and {which}: os._exit(3)
  say(reply(r, n))
"
    );
    let run = run_kinds(&script, 300, limits(), kind);
    assert!((0..100).all(|n| *run.answer(n) == echoed(n)));
    assert_eq!(run.crashed(100), "exited with status 3");
    assert_says(run.not_run(299), &["even on one that it answered before"]);
    run
}

#[test]
fn an_adapter_that_dies_whatever_it_is_sent_is_given_up() {
    let run = broken("True", |n| TYPES[n / 50]);
    assert!((100..103).all(|n| run.crashed(n) == "exited with status 3"));
    assert_says(run.skipped(110), &["3 tests with int (reencode, godot-3) crashed"]);
}

/// What it answers in between does not help.
#[test]
fn one_that_dies_of_its_first_request_too_is_given_up() {
    let run = broken("n % 2 == 0", |n| TYPES[n / 2 % 6]);
    assert!((101..119).step_by(2).all(|n| *run.answer(n) == echoed(n)));
}

/// Its handshake reply has the id of the process.
#[test]
fn a_handshake_reply_that_changes_is_an_error() {
    let run = run("for r, n in requests(version=str(os.getpid())):\n  if n == 5: os._exit(1)\n  say(reply(r, n))", 20);
    let error = run.result.unwrap_err().0;
    assert_says(&error, &["exited with status 1", "its handshake reply had changed (version: \"", "→"]);
    assert_eq!(run.outcomes.iter().flatten().count(), 5);
}

#[test]
fn a_program_that_does_not_start_again_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    let script = format!(
        "
if os.path.exists({once:?}): sys.exit('only once')
open({once:?}, 'w')
for r, n in requests():
  if n == 5: os._exit(1)
  say(reply(r, n))
"
    );
    let [first, second] = guarded(limits(), move || {
        let mut external = External::start(python(&script), &specs(), limits()).unwrap();
        [send(&mut external, 20), send(&mut external, 20)]
    });
    let error = first.result.unwrap_err().0;
    assert_says(&error, &["it exited with status 1", "started again", "only once"]);
    assert!((0..20).all(|n| second.not_run(n) == error));
}

/// In a shell, which starts faster than anything else.
#[test]
fn many_crashes_are_each_blamed_exactly() {
    let script = r#"
while read -r line; do
  seq=${line#*\"seq\":} bytes=${line#*\"bytes\":\"}
  case $line in
    *hello*) echo '{"protocol":1,"name":"shell","dialects":["godot-3"],"ops":["reencode"]}' ;;
    *64\"}) kill -ABRT $$ ;;
    *) echo "{\"seq\":${seq%%,*},\"bytes\":\"${bytes%%\"*}\"}" ;;
  esac
done"#;
    let run = run_with(Command::new(["sh", "-c", script]), 10_000, limits());
    let odd = run.odd();
    assert_eq!(odd, (0..10_000).filter(|n| n % 256 == 0x64).collect::<Vec<_>>());
    assert!(odd.iter().all(|n| run.crashed(*n).starts_with("was killed by signal 6")));
}
