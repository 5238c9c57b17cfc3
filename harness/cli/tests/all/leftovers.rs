//! Nothing of an adapter outlives the run, however either of them ends, and no adapter reaches the terminal.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, command, root, scripted, stderr, stdout};

/// Processes with this in their environment, which every process that an adapter starts inherits.
fn marked(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let environments = processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
    environments.filter(|all| all.windows(mark.len()).any(|part| part == mark.as_bytes())).count()
}

/// The arguments of a run of `faulty.py` behind a shell, as a wrapper script is.
fn arguments(out: &TempDir, how: &str, place: &str) -> Vec<String> {
    let run = ["run", "--dialect", "godot-3", "--only", "godot-3/{aabb,null}/**", "--out"].map(str::to_owned);
    let wrapper = format!("python3 '{}' {how} {place}; exit $?", scripted("faulty.py"));
    let adapter = ["--", "sh", "-c", &wrapper].map(str::to_owned);
    run.into_iter().chain([out.path().display().to_string()]).chain(adapter).collect()
}

fn start(out: &TempDir, how: &str, place: &str) -> Command {
    let mut command = command(&[]);
    command.args(arguments(out, how, place)).env("CONFORM_TEST_MARK", out.path());
    command
}

#[rstest]
#[case::children("pool", "end", "0 red")]
#[case::children_in_sessions("sessions", "end", "0 red")]
#[case::those_of_one_that_stays("sessions-hang", "end", "did not exit within")]
#[case::those_of_one_that_crashes("sessions-crash", "packet", "exited with status 134")]
#[case::those_of_one_that_kills_its_group("kill-group", "packet", "was killed by signal 9 (SIGKILL")]
fn nothing_is_left_after_a_run(#[case] how: &str, #[case] place: &str, #[case] says: &str) {
    let out = TempDir::new().unwrap();
    let output = start(&out, how, place).output().unwrap();
    assert_eq!(marked(&out.path().display().to_string()), 0);
    assert!(stdout(&output).contains(says), "{}{}", stdout(&output), stderr(&output));
}

/// A program that is killed can do nothing more. The guard does it.
#[test]
fn nothing_is_left_after_conform_was_killed() {
    let out = TempDir::new().unwrap();
    let mark = out.path().display().to_string();
    let run = start(&out, "sessions-hang", "packet").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut run = run.unwrap();
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(120);
        while !done() {
            assert!(Instant::now() < until, "waited too long until {what}; {} are left", marked(&mark));
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    // conform, its guard, the shell, the adapter and its forty children.
    wait("all run", &|| marked(&mark) >= 44);
    run.kill().unwrap();
    run.wait().unwrap();
    wait("all are gone", &|| marked(&mark) == 0);
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
    assert!(output.contains("0 red") && !output.contains("REACHED"), "{output}");
}

/// `resource` is a fact: those that took too much processor time, each measured alone, and no other, each time.
#[test]
fn exactly_the_slow_are_found() {
    let found = |_| {
        let out = TempDir::new().unwrap();
        let folder = out.path().display().to_string();
        let run = ["run", "--dialect", "godot-3", "--only", "godot-3/{plane,aabb,basis}/*", "--derived", "none"];
        let mut run = command(&run);
        run.args(["--max-case-time=0.2", "--out", &folder, "--", "python3", &scripted("faulty.py"), "slow", "aabb"]);
        let output = run.output().unwrap();
        let record = std::fs::read_to_string(out.path().join("results.jsonl"));
        let record = record.unwrap_or_else(|_| panic!("{}", stderr(&output)));
        let lines = record.lines().filter(|line| line.contains("\"verdict\":\"resource\""));
        let mut tests: Vec<String> = lines
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["test"].as_str().unwrap().to_owned())
            .collect();
        tests.sort();
        tests
    };
    let first = found(1);
    assert!(first.len() >= 4 && first.iter().all(|test| test.starts_with("godot-3/aabb/")), "{first:?}");
    assert_eq!(found(2), first);
}
