//! Restarts are counted, and a report is complete without them.

use std::time::Duration;

use crate::support::{
    Run, assert_says, echoed, guarded, hasty, layouts, limits, python, request, run, run_with, send, send_these,
};
use variant_adapter::external::{Command, External, Limits};
use variant_wire::implementation::{Answer, Kind, Request};

#[test]
fn what_cannot_be_run_is_reported() {
    let limits = Limits { restarts: 3, ..limits() };
    let run = run_with(python("for r, n in requests(): os._exit(7)"), 1000, limits);
    assert!((0..3).all(|n| run.crashed(n) == "exited with status 7"));
    assert!((3..1000).all(|n| run.not_run(n).contains("crashed or hung 3 times")));
}

#[test]
fn hangs_have_a_budget_of_their_own() {
    let limits = Limits { hangs: 2, reply_timeout: hasty().reply_timeout / 4, ..limits() };
    let run = run_with(python("for r, n in requests(): time.sleep(60)"), 10, limits);
    assert!((0..2).all(|n| run.timed_out(n).contains("did not reply in 200 ms")));
    assert!((2..10).all(|n| run.not_run(n).contains("hung 2 times")));
}

/// What authored tests are about.
const AUTHORED: [&str; 3] = ["valid", "length", "bad-utf8"];

/// Requests in this order, each of a kind: `of` says which layout and rule.
fn run_kinds(script: &str, count: usize, limits: Limits, of: fn(usize) -> (&'static str, &'static str)) -> Run {
    let command = python(script);
    guarded(limits, move || {
        let mut external = External::start(command, layouts(), limits).unwrap();
        let kind = |n| {
            let (layout, rule) = of(n);
            let (general, authored) = (!["canonical", "valid"].contains(&rule), AUTHORED.contains(&rule));
            Some(Kind { layout: layout.into(), rule, general, authored, skips: true })
        };
        send_these(&mut external, (0..count).map(|n| Request { kind: kind(n), ..request(n) }))
    })
}

/// Derived tests of one rule hang, then authored ones of one kind. The other kind of the layout is asked to the last, though
/// no time is left, and the kind that hangs until then.
#[test]
fn authored_tests_are_skipped_only_where_their_own_kind_hangs() {
    let of = |n: usize| ("string", ["count", "length", "bad-utf8"][n / 20]);
    let script = "for r, n in requests():\n  if n < 40 and n != 1: time.sleep(60)\n  say(reply(r, n))";
    let hangs: Vec<usize> = (0..40).filter(|n| *n != 1).collect();
    let hung = |run: &Run| run.odd().into_iter().filter(|n| matches!(run.answer(*n), Answer::TimedOut(_))).count();
    let patient = run_kinds(script, 60, hasty(), of);
    assert_eq!(patient.odd(), hangs);
    assert_says(patient.skipped(19), &["3 like this (count, "]);
    assert_says(patient.skipped(39), &["10 like this (length, "]);
    assert_eq!(hung(&patient), 3 + 10);
    // Both kinds have hung once the time is over; the third never did.
    let spent = run_kinds(script, 60, Limits { timeout_budget: hasty().reply_timeout * 3, ..hasty() }, of);
    assert_eq!(spent.odd(), hangs);
    assert_says(spent.skipped(39), &["tests like this (length, ", "timeouts have used up their 2.4 s"]);
}

/// Half of each kind of each layout hangs.
#[test]
fn what_authored_tests_may_cost_is_bounded_too() {
    const LAYOUTS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let limits = Limits { timeout_budget: hasty().reply_timeout * 4, ..hasty() };
    let script = "for r, n in requests():\n  if n % 2 == 1: time.sleep(60)\n  say(reply(r, n))";
    let run = run_kinds(script, 400, limits, |n| (LAYOUTS[n / 40], AUTHORED[n % 40 / 14]));
    let answered = |n: usize| *run.answer(n) == echoed(n);
    assert!((0..10).all(|layout| answered(40 * layout)));
    assert!((0..400).all(|n| answered(n) || matches!(run.answer(n), Answer::TimedOut(_) | Answer::Skipped(_))));
    let hung = (0..400).filter(|n| matches!(run.answer(*n), Answer::TimedOut(_))).count();
    assert!(hung < 40, "{hung}");
}

/// One rule on one layout costs three, and everything else is answered.
#[test]
fn the_rest_of_a_kind_is_skipped() {
    let run =
        run_kinds("for r, n in requests():\n  if n % 10 == 4: os._exit(7)\n  say(reply(r, n))", 200, limits(), |n| {
            if n % 10 == 4 { (["aabb", "rid"][n / 100], "count") } else { ("aabb", "canonical") }
        });
    assert_eq!(run.odd(), (0..200).filter(|n| n % 10 == 4).collect::<Vec<_>>());
    // The rule is known by then.
    for (n, layout, most) in [(4, "aabb", 3), (104, "rid", 1)] {
        assert!((0..most).all(|more| run.crashed(n + 10 * more) == "exited with status 7"));
        let why = format!("{most} like this (count, reencode of godot-3/{layout}) crashed");
        assert!((most..10).all(|more| run.skipped(n + 10 * more).starts_with(&why)), "{}", run.skipped(n + 30));
    }
}

/// A whole layout that dies costs ten, whatever its rules.
#[test]
fn the_rest_of_a_layout_is_skipped_if_nothing_of_it_is_answered() {
    const RULES: [&str; 12] = ["canonical", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    let run = run_kinds("for r, n in requests():\n  if n < 48: os.abort()\n  say(reply(r, n))", 100, limits(), |n| {
        (if n < 48 { "aabb" } else { "int" }, RULES[n % 12])
    });
    assert_eq!(run.odd(), (0..48).collect::<Vec<_>>());
    assert!((0..10).all(|n| run.crashed(n).starts_with("was killed by signal 6")));
    assert!((12..22).all(|n| run.skipped(n).starts_with("1 like this (")));
    for n in [10, 11, 22, 23, 46, 47] {
        assert_says(run.skipped(n), &["all of the first 10 tests (reencode of godot-3/aabb) crashed"]);
    }
}

/// The first two cost their timeouts; the others a shrunk one, and one a layout once the rule is known to hang.
#[test]
fn timeouts_of_one_rule_shrink() {
    const LAYOUTS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let patient = Limits { reply_timeout: Duration::from_secs(4), ..limits() };
    let run =
        run_kinds("for r, n in requests():\n  if n % 10 == 4: time.sleep(60)\n  say(reply(r, n))", 500, patient, |n| {
            (LAYOUTS[n / 50], if n % 10 == 4 { "count" } else { "flag" })
        });
    assert_eq!(run.odd(), (0..500).filter(|n| n % 10 == 4).collect::<Vec<_>>());
    assert_says(run.timed_out(4), &["did not reply in 4 s, nor in 1 s when it was sent again alone"]);
    let hung = run.odd().into_iter().filter(|n| matches!(run.answer(*n), Answer::TimedOut(_))).collect::<Vec<_>>();
    assert_eq!(hung, [4, 14, 24, 54, 104, 154, 204, 254, 304, 354, 404, 454]);
    // Ten timeouts of twelve shrank, unless the machine was so busy that the slowest answer forbade it.
    let shrunk = hung.iter().filter(|n| !run.timed_out(**n).contains("4 s")).count();
    assert!(shrunk > 0 || run.time > 12 * patient.reply_timeout, "{shrunk}");
}

/// Beyond what timeouts may cost, what is like those is not tried.
#[test]
fn what_timeouts_may_cost_is_bounded() {
    let limits = Limits { timeout_budget: Duration::from_millis(1), ..hasty() };
    let run =
        run_kinds("for r, n in requests():\n  if n % 10 == 4: time.sleep(60)\n  say(reply(r, n))", 100, limits, |n| {
            if n % 10 == 4 { ("aabb", "count") } else { ("aabb", "flag") }
        });
    let odd = run.odd();
    assert_eq!(odd, (0..100).filter(|n| n % 10 == 4).collect::<Vec<_>>());
    assert_says(run.timed_out(4), &["did not reply"]);
    assert!(odd[1..].iter().all(|n| run.skipped(*n).contains("timeouts have used up their 1 ms")));
}

/// It answers for a while, and then no more: even what it answered before kills it.
#[test]
fn an_adapter_that_dies_whatever_it_is_sent_is_given_up() {
    const LAYOUTS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    let script = format!(
        "
for r, n in requests(max_in_flight=1):
  if n == 100: open({broken:?}, 'w')
  if os.path.exists({broken:?}): os._exit(3)
  say(reply(r, n))
"
    );
    let run = run_kinds(&script, 1000, limits(), |n| (LAYOUTS[n / 100], "canonical"));
    assert!((0..100).all(|n| *run.answer(n) == echoed(n)));
    assert!((100..103).all(|n| run.crashed(n) == "exited with status 3"));
    assert_says(run.skipped(110), &["3 like this"]);
    // Nine layouts cost three each.
    assert!(run.odd().iter().all(|n| !matches!(run.answer(*n), Answer::NotRun(_))));
    let run = run_kinds("for r, n in requests(): os._exit(3)", 1000, limits(), |n| {
        (LAYOUTS[n / 100], ["canonical", "count", "flag", "id"][n % 4])
    });
    assert_says(run.crashed(0), &["exited with status 3"]);
    assert_says(run.not_run(999), &["on every request"]);
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
    let results = guarded(limits(), move || {
        let mut external = External::start(python(&script), layouts(), limits()).unwrap();
        [send(&mut external, 20).result, send(&mut external, 20).result]
    });
    let [first, second] = results.map(|result| result.unwrap_err().0);
    assert_says(&first, &["it exited with status 1", "started again", "only once"]);
    assert_eq!(first, second);
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
