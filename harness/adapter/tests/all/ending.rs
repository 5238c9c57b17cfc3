//! The end of a run: everything that was started is gone.

use std::time::Duration;

use rstest::rstest;

use crate::support::{assert_says, gone, guarded, limits, python, send, specs};
use variant_adapter::external::{External, Limits};
use variant_values::implementation::{Answer, Implementation};

/// What happens at the end is the answer to it.
#[rstest]
#[case::well("", "")]
#[case::status("sys.exit(5)", "crashed: after its last reply, it exited with status 5")]
#[case::signal("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by signal 11")]
#[case::sanitizer(
    "sys.stderr.write('==7==ERROR: LeakSanitizer: detected memory leaks\\n' + 'x\\n' * 9999)",
    "crashed: after its last reply, it exited with status 0, but reported: ==7==ERROR: Leak"
)]
#[case::stays("time.sleep(60)", "timed out: after its last reply, it did not exit within 800 ms")]
#[case::ignores_sigterm(
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
    "of the end of its input, ignored SIGTERM, and was killed"
)]
#[case::talks_for_ever("while True: print('and')", "and was terminated")]
#[case::another_reply("say(reply({'seq': 3}, 3))", "garbled: after its last reply")]
fn what_happens_at_the_end_is_told(#[case] then: &str, #[case] answer: &str) {
    let script = format!("for r, n in requests(): say(reply(r, n))\n{then}");
    let outcome = guarded(limits(), move || {
        let mut external = External::start(python(&script), &specs(), limits()).unwrap();
        assert!(send(&mut external, 10).odd().is_empty());
        external.finish()
    });
    assert_eq!(outcome.is_none(), answer.is_empty());
    let told = match outcome.map(|outcome| outcome.answer) {
        Some(Answer::Crashed(ending)) => format!("crashed: {ending}"),
        Some(Answer::TimedOut(ending)) => format!("timed out: {ending}"),
        Some(Answer::Garbled(why)) => format!("garbled: {why}"),
        other => format!("{other:?}"),
    };
    assert_says(told, &[answer]);
}

/// As an engine that hangs up first and then takes itself down, on a machine that is busy.
#[test]
fn an_exit_long_after_its_output_was_closed_is_seen() {
    let patient = Limits { shutdown: Duration::from_secs(4), ..limits() };
    let exit = guarded(patient, move || {
        let script = "for r, n in requests(): say(reply(r, n))\nos.close(1)\ntime.sleep(1.5)\nos._exit(0)";
        let mut external = External::start(python(script), &specs(), patient).unwrap();
        send(&mut external, 3);
        external.finish()
    });
    assert_eq!(exit, None);
}

/// Dropped without a word, with a grandchild that ignores everything but SIGKILL.
#[test]
fn dropping_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!(
        "
import subprocess
child = subprocess.Popen([sys.executable, '-S', '-c', 'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)'])
open({:?}, 'w').write(str(child.pid))
for r, n in requests(): say(reply(r, n))
",
        pid.display().to_string()
    );
    guarded(limits(), move || drop(External::start(python(&script), &specs(), limits()).unwrap()));
    assert!(gone(&pid));
}
