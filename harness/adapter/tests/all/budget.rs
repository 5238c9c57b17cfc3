//! Restarts are counted, and a report is complete without them.

use crate::support::{assert_says, guarded, hasty, layouts, limits, python, run, run_with, send};
use variant_adapter::external::{Command, External, Limits};

#[test]
fn what_cannot_be_run_is_reported() {
    let limits = Limits { restarts: 3, ..limits() };
    let run = run_with(python("for r, n in requests(): os._exit(7)"), 1000, limits);
    assert!((0..3).all(|n| run.crashed(n) == "exited with status 7"));
    assert!((3..1000).all(|n| run.not_run(n).contains("crashed or hung 4 times")));
}

#[test]
fn hangs_have_a_budget_of_their_own() {
    let limits = Limits { hangs: 2, reply_timeout: hasty().reply_timeout / 4, ..limits() };
    let run = run_with(python("for r, n in requests(): time.sleep(60)"), 10, limits);
    assert!((0..2).all(|n| run.timed_out(n).contains("did not reply in 200ms")));
    assert!((2..10).all(|n| run.not_run(n).contains("hung 3 times")));
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
