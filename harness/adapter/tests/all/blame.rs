//! After a crash: who is blamed.

use std::time::{Duration, Instant};

use rstest::rstest;

use crate::support::{alive, assert_says, gone, run};

#[rstest]
#[case::aborts("os.abort()", "signal 6 (SIGABRT")]
#[case::segfaults("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11 (SIGSEGV")]
#[case::exits("os._exit(3)", "exited with status 3")]
#[case::ends_in_peace("os._exit(0)", "status 0 before the end of its input")]
#[case::raises("1 / 0", "exited with status 1")]
#[case::closes_stdout("os.close(1); time.sleep(60)", "closed its output but kept running")]
#[case::leaks("hog = 'x' * 300_000_000; time.sleep(60)", "MiB resident, limit 200 MiB")]
fn one_request_ends_the_process(#[case] how: &str, #[case] text: &str) {
    let script = format!(
        "for r, n in requests():\n  if n == 9: sys.stderr.write('at nine\\n'); sys.stderr.flush(); {how}\n  say(reply(r, n))"
    );
    let run = run(&script, 300);
    assert_eq!(run.odd(), [9]);
    assert_says(run.crashed(9), &[text]);
    assert_says(run.noise(9), &["at nine"]);
}

/// It dies in the middle of a reply, before the newline, or right after: each time with the same request, alone or not.
#[rstest]
#[case::in_the_middle("sys.stdout.write(reply(r, n)[:9])", "exited with status 3")]
#[case::at_the_first_digits_of_seq("sys.stdout.write('{\"seq\":1')", "exited with status 3")]
#[case::before_the_newline("sys.stdout.write(reply(r, n))", "exited with status 3")]
#[case::behind_the_newline("say(reply(r, n))", "exited with status 3, after it had replied")]
fn death_in_a_reply(#[case] how: &str, #[case] text: &str) {
    let script = format!(
        "for r, n in requests():\n  if n % 100 == 30: {how}; sys.stdout.flush(); os._exit(3)\n  say(reply(r, n))"
    );
    let run = run(&script, 300);
    assert_eq!(run.odd(), [30, 130, 230]);
    assert!(run.odd().iter().all(|n| run.crashed(*n) == text), "{}", run.crashed(30));
}

/// The reply is right, but the next request would never arrive.
#[rstest]
#[case::input("os.close(0)", "closed its input but kept running, after it had replied")]
#[case::output("os.close(1)", "closed its output but kept running, after it had replied")]
fn a_stream_closed_after_a_reply(#[case] how: &str, #[case] text: &str) {
    let run = run(&format!("for r, n in requests():\n  say(reply(r, n))\n  if n == 30: {how}; time.sleep(60)"), 100);
    assert_eq!(run.odd(), [30]);
    assert_eq!(run.crashed(30), text);
}

/// It flushes when no input waits, as it may, and so loses good answers in a crash.
#[test]
fn replies_lost_in_a_buffer_are_sent_again() {
    let script = "
import select
for r, n in requests():
  if n == 15: os._exit(1)
  sys.stdout.write(reply(r, n) + '\\n')
  if n % 30 == 29 or not select.select([0], [], [], 0.05)[0]: sys.stdout.flush()
";
    let run = run(script, 40);
    assert_eq!(run.odd(), [15]);
    assert_eq!(run.crashed(15), "exited with status 1");
}

#[test]
fn answers_in_any_order_do_not_confuse() {
    let script = "
for batch in batches(8, max_in_flight=16):
  if any(n == 21 for r, n in batch): os._exit(9)
  say('\\n'.join(reply(r, n) for r, n in reversed(batch)))
";
    let run = run(script, 64);
    assert_eq!(run.odd(), [21]);
    assert_eq!(run.crashed(21), "exited with status 9");
}

#[test]
fn one_that_needs_another_before_it_dies_but_not_alone() {
    let script = "
seen = False
for r, n in requests():
  if n == 7 and seen: sys.stderr.write('after three'); sys.stderr.flush(); os._exit(4)
  seen = seen or n == 3
  say(reply(r, n))
";
    let run = run(script, 300);
    assert_eq!(run.odd(), [7]);
    assert_says(run.crashed(7), &["exited with status 4", "not when this was sent alone"]);
    assert_says(run.noise(7), &["after three"]);
}

#[test]
fn a_process_that_lives_for_a_hundred_requests() {
    let script = "
count = 0
for r, n in requests(max_in_flight=1):
  say(reply(r, n)); count += 1
  if count == 100: os._exit(0)
";
    let run = run(script, 150);
    assert_eq!(run.odd(), [100]);
    assert_says(run.crashed(100), &["status 0", "not when this was sent alone"]);
}

/// What it started holds its pipes; neither may keep us waiting, and it ends with the group.
#[test]
fn a_grandchild_that_holds_the_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!(
        "
import subprocess
for r, n in requests():
  if n == 5:
    child = subprocess.Popen(['sleep', '60'])
    open({:?}, 'w').write(str(child.pid)); os._exit(2)
  say(reply(r, n))
",
        pid.display().to_string()
    );
    let run = run(&script, 20);
    assert_eq!(run.odd(), [5]);
    assert_eq!(run.crashed(5), "exited with status 2");
    assert!(gone(&pid) && !alive(&pid));
}

/// It left the group, so it is not ended; all that it costs is a moment for each death.
#[test]
fn a_daemon_that_prints_for_ever() {
    let script = "
for r, n in requests():
  if n == 5:
    if os.fork() == 0:
      os.setsid(); signal.alarm(50)
      while True: os.write(1, b'and on it goes\\n' * 100)
    time.sleep(0.2); os._exit(2)
  say(reply(r, n))
";
    let from = Instant::now();
    let run = run(script, 20);
    assert_eq!(run.odd(), [5]);
    assert_eq!(run.crashed(5), "exited with status 2");
    assert!(from.elapsed() < Duration::from_secs(20), "{:?}", from.elapsed());
}

/// What is resident in a wrapper's child counts.
#[test]
fn a_hog_behind_a_wrapper() {
    let script = "
import subprocess
for r, n in requests():
  if n == 5: subprocess.run([sys.executable, '-S', '-c', 'hog = bytearray(300000000); import time; time.sleep(60)'])
  say(reply(r, n))
";
    let run = run(script, 10);
    assert_eq!(run.odd(), [5]);
    assert_says(run.crashed(5), &["was killed for using too much memory"]);
}
