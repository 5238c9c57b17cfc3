//! Answers that are right and take too much memory: they are found, with the figure, and nothing else is.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

use std::process::Stdio;
use std::time::Duration;

use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;

use crate::support::{command, scripted};

/// The `resource` findings of a run, and its exit status.
fn resource(limit: &str) -> (Vec<TestResult>, Option<i32>) {
    let out = tempfile::tempdir().unwrap();
    let output = command(&["run", "--only", "godot-3/bool/*", "--max-case-memory", limit, "--out"])
        .arg(out.path().join("run"))
        .args(["--", "python3", &scripted("hungry.py")])
        .output()
        .unwrap();
    let file = std::fs::File::open(out.path().join("run/results.jsonl")).unwrap();
    let mut found = RunRecord::read(std::io::BufReader::new(file)).unwrap().verdicts;
    found.retain(|record| record.verdict == Verdict::Resource);
    (found, output.status.code())
}

#[test]
fn whoever_took_too_much_is_named_with_the_figure() {
    let (found, status) = resource("64");
    let ids: Vec<&str> = found.iter().map(|record| record.test.as_str()).collect();
    assert!(ids.contains(&"godot-3/bool/true-is-the-word-behind-type-1~weighed:decode"), "{ids:?}");
    assert!(ids.iter().any(|id| id.contains("~truncated-at-4~weighed")), "{ids:?}");
    for record in &found {
        let detail = record.detail.as_ref().unwrap();
        assert!(["0100000001000000", "01000000"].contains(&detail.sent.as_str()), "{}: {}", record.test, detail.sent);
        let mebibytes: u64 = detail.note.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
        assert!((90..200).contains(&mebibytes), "{}", detail.note);
    }
    assert_eq!(status, Some(0), "amber alone is no failure");
}

#[test]
fn below_the_limit_nothing_is_said() {
    assert_eq!(resource("256").0, Vec::new());
}

/// Whatever an adapter answers: the largest that is read, in each form, for every test. The figure is of this program, not
/// of the adapter.
#[test]
fn large_answers_take_bounded_memory() {
    let out = tempfile::tempdir().unwrap();
    let run = ["run", "--only", "godot-3/bool/true*", "--derived", "none", "--timeout", "10"];
    let mut run = command(&run);
    run.args(["--max-memory", "2048", "--max-case-memory", "2048", "--out"]).arg(out.path());
    run.args(["--", "python3", &scripted("large.py"), "4000000"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The peak is asked for until the program ends.
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM"));
        let now = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kib| kib.parse::<u64>().ok());
        peak = peak.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!((1..256 << 10).contains(&peak), "{} MiB", peak >> 10);
    let record = std::fs::read_to_string(out.path().join("results.jsonl")).unwrap();
    assert!(record.contains("\"verdict\":\"fail\"") && record.contains(" letters, #"), "answers are kept cut");
}
