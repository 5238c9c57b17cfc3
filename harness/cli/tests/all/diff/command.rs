//! `conform diff` as a person uses them.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{CONFORM, command, stdout};

/// The documents, read literally, are an implementation that differs from the engines where the errata say so.
fn literal() -> String {
    format!("{CONFORM} serve --judged-by documents")
}

fn diff(args: &[&str]) -> Output {
    let literal = literal();
    command(&["diff", "reference", &literal, "--dialect", "godot-3"]).args(args).output().unwrap()
}

/// Saved findings are a corpus of their own: the implementation that is wrong fails it, and the reference passes.
#[test]
fn a_saved_finding_is_a_case_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("corpus").display().to_string();
    let output = diff(&["--cases", "300", "--save", &saved, "--adapters", "adapters"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains(" cases saved"), "{}", stdout(&output));
    std::fs::write(folder.path().join("corpus/VERSION"), "found\n").unwrap();
    let run = |rest: &[&str]| {
        let args = ["run", "--dialect", "godot-3", "--quick", "--out", "out"];
        command(&args).current_dir(folder.path()).args(rest).output().unwrap()
    };
    let failing = run(&["--", CONFORM, "serve", "--judged-by", "documents"]);
    assert_eq!(failing.status.code(), Some(1), "{}", stdout(&failing));
    let passing = run(&[]);
    assert_eq!(passing.status.code(), Some(0), "{}", stdout(&passing));
}

/// `--time` ends the command, whatever the number of cases, and whatever the program is doing.
#[rstest]
// It never replies within the time.
#[case::slow("slow.py", false)]
// It is started again and again. A crash that is found in time counts more than the time that is over.
#[case::dies("faulty.py crash packed", true)]
#[ignore = "takes long: .ci/run runs it"]
fn the_time_of_a_campaign_holds(#[case] adapter: &str, #[case] may_be_found: bool) {
    let folder = tempfile::tempdir().unwrap();
    let adapter = format!("python3 harness/cli/tests/adapters/{adapter}");
    let many = ["--cases", "18446744073709551615"];
    let from = Instant::now();
    let output = command(&["diff", "reference", &adapter, "--dialect", "godot-3", "--time", "3"])
        .args(many)
        .env("LOG", folder.path().join("log"))
        .env("SECONDS", "5")
        .output()
        .unwrap();
    assert!(from.elapsed() < Duration::from_secs(120), "{:?}", from.elapsed());
    let text = stdout(&output);
    let found = may_be_found && text.contains("  again: conform diff ");
    assert_eq!(output.status.code(), Some(if found { 1 } else { 5 }), "{text}");
    // On a busy machine, it is over before anything is sent.
    assert!(text.contains(": out of time"), "{text}");
}

/// It replies wrongly, in two dialects of many, and never starts a third time.
const SLOW_TO_START_AGAIN: &str = r#"
import json, os, sys, time
with open(os.environ["LOG"], "a") as log: log.write("started\n")
if len(open(os.environ["LOG"]).readlines()) > int(os.environ["STARTS"]): time.sleep(60)
for line in sys.stdin:
    request = json.loads(line)
    reply = {"seq": request.get("seq"), "refused": "no"}
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "no", "version": "1", "language": "python", "dialects": ["godot-2", "godot-3"],
                 "ops": ["decode", "encode", "reencode"]}
    print(json.dumps(reply), flush=True)
"#;

/// The time is over while a participant starts for the second dialect. What was found in the first one counts, and nothing is
/// said of dialects that it does not speak.
#[test]
#[ignore = "waits until the time is over: .ci/run runs it"]
fn a_finding_counts_more_than_what_did_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("no.py");
    std::fs::write(&script, SLOW_TO_START_AGAIN).unwrap();
    let run = |starts: &str| {
        let log = folder.path().join(starts);
        let no = format!("python3 {}", script.display());
        let args = ["diff", "reference", &no, "--time", "12", "--cases", "18446744073709551615"];
        command(&args).env("LOG", log).env("STARTS", starts).output().unwrap()
    };
    for (starts, left_out) in [("1", &["godot-2: not run: out of time"][..]), ("2", &[])] {
        let output = run(starts);
        let shown = stdout(&output);
        let not_run: Vec<&str> = shown.lines().filter(|line| line.contains(": not run: ")).collect();
        assert_eq!(not_run, left_out, "{shown}");
        assert!(shown.contains("ended early: out of time"), "{shown}");
        assert_eq!(output.status.code(), Some(1), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A finding that is not saved is shown again by sending its batch alone.
#[test]
fn each_finding_has_a_command_that_shows_it_again() {
    let output = diff(&["--cases", "300", "--seed", "8"]);
    let said = stdout(&output);
    let again = said.split("again: conform ").nth(1).unwrap_or_else(|| panic!("{said}")).lines().next().unwrap();
    assert!(again.contains(" --dialect godot-3 --seed 8 --cases 300"), "{again}");
    let again = Command::new("sh").arg("-c").arg(format!("{CONFORM} {again}")).output().unwrap();
    assert_eq!(stdout(&again), said);
}

/// Reports, the gate and joined records read the record of a campaign as that of a run.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_record_is_that_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = |seed: &str| {
        let out = folder.path().join(format!("{seed}.jsonl")).display().to_string();
        let output = diff(&["--cases", "256", "--seed", seed, "--out", &out]);
        assert_eq!(output.status.code(), Some(1));
        (out, stdout(&output))
    };
    let ((one, shown), (other, _)) = (campaign("1"), campaign("2"));
    assert!(!folder.path().join("1.jsonl.part").exists());
    let conform = |args: &[&str]| command(args).output().unwrap();
    let report = conform(&["report", &one]);
    assert!(!shown.contains("results.jsonl"), "{shown}");
    assert!(shown.starts_with(&stdout(&report)), "{}\n{shown}", stdout(&report));
    assert_eq!(conform(&["gate", &one, &one]).status.code(), Some(0));
    let joined = conform(&["report", &one, &other]);
    assert!(stdout(&joined).contains("512 requests from seed 1"), "{}", stdout(&joined));
    assert_eq!(conform(&["report", "--format", "junit", &one]).status.code(), Some(0));
    let run = folder.path().join("run").display().to_string();
    conform(&["run", "--only", "godot-3/bool/*", "--out", &run]);
    let mixed = conform(&["report", &one, &run]);
    let said = String::from_utf8_lossy(&mixed.stderr).into_owned();
    assert!(mixed.status.code() == Some(2) && said.contains("only records of `conform diff` are joined"), "{said}");
}

/// An interruption is not a fault of any participant, whether its reply is missing or its process ends too. Findings are
/// kept.
#[test]
fn an_interruption_blames_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("found.jsonl").display().to_string();
    let literal = literal();
    let args = ["diff", "reference", &literal, "--dialect", "godot-3", "--cases", "100000000"];
    let mut child = command(&args);
    let mut child = child.args(["--out", &out, "--save"]).arg(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while !folder.path().join("godot-3").exists() {
        assert!(Instant::now() < until, "nothing was found");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("ended early: the run was interrupted\n"), "{said}");
    let recorded = std::fs::read_to_string(&out).unwrap();
    assert!(recorded.contains("\"complete\":false") && recorded.contains("\"kind\":\"verdict\""), "{recorded}");
}
