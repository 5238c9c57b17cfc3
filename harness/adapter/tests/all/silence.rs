//! Timeouts: which request is blamed for a silence.

use rstest::rstest;

use crate::support::{assert_says, guarded, hasty, python, run_hasty, send, specs};
use variant_adapter::external::External;
use variant_values::implementation::{Answer, Implementation};

#[rstest]
#[case::sleeps("time.sleep(60)")]
#[case::loops_for_ever("while True: pass")]
#[case::half_a_line("sys.stdout.write('{\"seq\":'); sys.stdout.flush(); time.sleep(60)")]
#[case::deaf_to_signals("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")]
#[case::stops_itself("os.kill(os.getpid(), signal.SIGSTOP)")]
#[case::talks_for_ever("while True: print('still there')")]
#[case::floods_stderr("while True: sys.stderr.write('x' * 1000 + '\\n')")]
fn one_request_hangs(#[case] how: &str) {
    let run = run_hasty(&format!("for r, n in requests():\n  if n == 9:\n    {how}\n  say(reply(r, n))"), 300);
    assert_eq!(run.odd(), [9]);
    assert_says(run.timed_out(9), &["did not reply in 800 ms"]);
}

/// One line is taken from a buffer of many, and the others wait for more input: it can only ping and pong.
#[test]
fn one_that_stalls_with_many_in_flight_gets_one_request_at_a_time() {
    let script = "
while True:
  piece = os.read(0, 65536)
  if not piece: break
  r = json.loads(piece.split(b'\\n')[0])
  if r['op'] == 'hello': hello()
  else: say(reply(r, int(r['bytes'], 16)))
";
    let run = run_hasty(script, 500);
    assert_eq!(run.odd(), [0; 0]);
}

/// Once or twice may be the machine; more is a fault.
#[test]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn one_that_loses_replies() {
    let lost = |which: &str| {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "
for r, n in requests(max_in_flight=1):
  before = os.path.join({:?}, str(n))
  if n in {which} and not os.path.exists(before): open(before, 'w')
  else: say(reply(r, n))
",
            folder.path()
        );
        guarded(hasty(), move || {
            let mut external = External::start(python(&script), &specs(), hasty()).unwrap();
            assert!(send(&mut external, 300).odd().is_empty());
            external.finish().map(|outcome| outcome.answer)
        })
    };
    assert_eq!(lost("(50, 100)"), None);
    let Some(Answer::TimedOut(why)) = lost("(50, 100, 150)") else { panic!("it is told") };
    assert_says(why, &["did not reply in time", "3 times, but did when this was sent alone", "--timeout"]);
}

/// Every eightieth request of a process, whatever it is: all is answered, and no request is blamed.
#[test]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn one_that_hangs_now_and_then_is_asked_all() {
    let script = "
count = 0
for r, n in requests():
  count += 1
  if count == 80: time.sleep(60)
  say(reply(r, n))
";
    assert_eq!(run_hasty(script, 800).odd(), [0; 0]);
}

/// It hangs after the reply to a request, and again if only that was sent.
#[test]
fn one_that_replies_and_hangs() {
    let run = run_hasty("for r, n in requests():\n  say(reply(r, n))\n  if n == 30: time.sleep(60)", 100);
    assert_eq!(run.odd(), [30]);
    assert_eq!(run.timed_out(30), "replied, and then to nothing more");
}

/// It replies to hello and reads nothing more.
#[test]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn one_that_does_not_read() {
    let run = run_hasty("sys.stdin.readline(); hello(); time.sleep(60)", 30_000);
    assert_says(run.timed_out(0), &["did not reply in 800 ms", "nor to anything before", "flushes"]);
    assert_says(run.not_run(29_999), &["it never replied to a request"]);
}

/// It looks like one that hangs, and is told apart from it.
#[test]
fn one_that_closes_its_input() {
    let script = "for r, n in requests():\n  if n == 9: os.close(0); time.sleep(60)\n  say(reply(r, n))";
    let run = run_hasty(script, 30);
    assert_eq!(run.odd(), [9]);
    assert_says(run.crashed(9), &["closed its input but kept running"]);
}

/// 60 ms a reply, and flushed only when no input waits: the window that is kept full must not time it out.
#[test]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn a_slow_one_that_replies_in_batches() {
    let script = "
import select
for r, n in requests():
  time.sleep(0.06)
  sys.stdout.write(reply(r, n) + '\\n')
  if not select.select([0], [], [], 0)[0]: sys.stdout.flush()
";
    assert_eq!(run_hasty(script, 60).odd(), [0; 0]);
}

/// As on a machine that is busy with something else for a while: the reply is late once.
#[test]
fn a_reply_that_is_late_once_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let busy = folder.path().join("busy");
    let script = format!(
        "
for r, n in requests():
  if n == 40 and not os.path.exists({busy:?}): open({busy:?}, 'w'); time.sleep(2)
  say(reply(r, n))
"
    );
    let (run, late) = guarded(hasty(), move || {
        let mut external = External::start(python(&script), &specs(), hasty()).unwrap();
        (send(&mut external, 100), external.late())
    });
    assert_eq!((run.odd(), late), (Vec::new(), 1));
}
