//! What this program takes, whatever it is answered.
#![cfg(target_os = "linux")]

use std::process::Stdio;
use std::time::Duration;

use crate::support::{command, scripted};

/// Whatever an adapter answers: the largest that is read, in each form, for every test. The figure is of this program, not
/// of the adapter.
#[test]
fn large_answers_take_bounded_memory() {
    let out = tempfile::tempdir().unwrap();
    let run = ["run", "--only", "godot-3/bool/true*", "--quick", "--timeout", "10"];
    let mut run = command(&run);
    run.args(["--max-memory", "2048", "--out"]).arg(out.path());
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
