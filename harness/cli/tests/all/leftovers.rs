//! Nothing of an adapter outlives the run, however either of them ends, and no adapter reaches the terminal.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, command, root, scripted, stderr, stdout};

/// Processes with this in their environment, which every process that an adapter starts inherits.
pub(crate) fn marked(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let environments = processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
    environments.filter(|all| all.windows(mark.len()).any(|part| part == mark.as_bytes())).count()
}

#[rstest]
#[case::children("pool", "end", "0 failures")]
#[case::those_of_one_that_stays("pool-hang", "end", "did not exit within")]
#[case::those_of_one_that_crashes("pool-crash", "packet", "exited with status 134")]
#[ignore = "waits for an adapter that hangs: .ci/run runs it"]
fn nothing_is_left_after_a_run(#[case] how: &str, #[case] place: &str, #[case] says: &str) {
    let out = TempDir::new().unwrap();
    // A shell is between them, as a wrapper script is. Forty that share their pages count forty times.
    let wrapper = format!("python3 '{}' {how} {place}; exit $?", scripted("faulty.py"));
    let run = ["run", "--max-memory", "4096", "--timeout", "3", "--dialect", "godot-3", "--out"];
    let mut run = command(&run);
    run.arg(out.path()).args(["--only", "godot-3/{aabb,null}/**", "--", "sh", "-c", &wrapper]);
    let output = run.env("CONFORM_TEST_MARK", out.path()).output().unwrap();
    assert_eq!(marked(&out.path().display().to_string()), 0);
    assert!(stdout(&output).contains(says), "{}{}", stdout(&output), stderr(&output));
}

/// What writes to the terminal past conform could draw over its output.
#[test]
fn an_adapter_has_no_terminal() {
    let out = TempDir::new().unwrap();
    let under_terminal = |program: &[String]| {
        let spawn = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
        let mut command = Command::new("python3");
        command.current_dir(root()).args(["-c", spawn]).args(program).stdin(Stdio::null());
        stdout(&command.output().unwrap())
    };
    let write = "exec 2>/dev/null; echo REACHED >/dev/tty";
    let direct = under_terminal(&["sh", "-c", write].map(str::to_owned));
    assert!(direct.contains("REACHED"), "a program with a terminal can write to it: {direct:?}");
    let wrapper = format!("({write}); exec python3 '{}' crash never", scripted("faulty.py"));
    let run = ["run", "--dialect", "godot-3", "--only", "godot-3/null/**", "--out"].map(str::to_owned);
    let adapter = ["--", "sh", "-c", &wrapper].map(str::to_owned);
    let all = [CONFORM.to_owned()].into_iter().chain(run).chain([out.path().display().to_string()]).chain(adapter);
    let output = under_terminal(&all.collect::<Vec<_>>());
    assert!(output.contains("0 failures") && !output.contains("REACHED"), "{output}");
}
