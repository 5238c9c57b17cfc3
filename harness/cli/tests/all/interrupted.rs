//! Runs that do not come to their end, and what they leave behind.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use crate::support::{command, said, scripted};

/// A folder with the record and the adapter's logs.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn record(&self) -> String {
        std::fs::read_to_string(self.path("results.jsonl")).unwrap()
    }

    /// `conform run` on the slow adapter; `adapter` is how slow it is, and its version.
    fn command(&self, options: &[&str], log: &str, adapter: &[&str]) -> Command {
        let mut command = command(&["run", "--dialect", "godot-3", "--quick"]);
        command.args(options).args(["--", "python3", &scripted("slow.py")]);
        command.env("LOG", self.path(log)).envs(["SECONDS", "VERSION"].into_iter().zip(adapter));
        command
    }

    fn run(&self, options: &[&str], log: &str, adapter: &[&str]) -> Output {
        self.command(options, log, adapter).output().unwrap()
    }

    fn out(&self) -> [String; 2] {
        ["--out".to_owned(), self.folder.path().display().to_string()]
    }

    /// Starts a run, and sends it a signal as soon as the adapter was asked a hundred times.
    fn interrupt(&self, signal: Signal) -> Output {
        self.stop(&self.out(), "first.log", 100, signal)
    }

    /// Starts a run, and sends it a signal as soon as the adapter was asked so often.
    fn stop(&self, [option, folder]: &[String; 2], log: &str, asked: usize, signal: Signal) -> Output {
        let mut command = self.command(&[option, folder], log, &["0.001"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = self.path(log);
        wait("the adapter is asked", || std::fs::read_to_string(&log).is_ok_and(|log| log.lines().count() > asked));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let from = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(from.elapsed() < Duration::from_secs(10), "it took {:?} to end", from.elapsed());
        output
    }
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < until, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[rstest]
#[case::ctrl_c(Signal::INT)]
#[case::terminate(Signal::TERM)]
fn a_signal_ends_it_in_good_order(#[case] signal: Signal) {
    let place = Place::new();
    let output = place.interrupt(signal);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("incomplete"));
    let footer = place.record().lines().last().unwrap().to_owned();
    assert!(footer.contains("\"complete\":false"), "{footer}");
    assert!(place.path("report.html").exists() && !place.path("results.jsonl.part").exists());
    let pid = std::fs::read_to_string(place.path("first.log")).unwrap();
    let pid = pid.lines().next().unwrap().trim_start_matches("pid ").parse().unwrap();
    assert!(test_kill_process(Pid::from_raw(pid).unwrap()).is_err(), "the adapter lives on");
}

/// What is there and complete stays, with its page, whatever ends the run; and what the run recorded can be read.
#[rstest]
#[case::ctrl_c(Signal::INT)]
#[case::killed(Signal::KILL)]
#[ignore = "takes long: .ci/run runs it"]
fn a_complete_record_is_not_replaced_by_an_incomplete_one(#[case] signal: Signal) {
    let place = Place::new();
    let [out, folder] = place.out();
    place.run(&[&out, &folder], "whole.log", &[]);
    let before = (place.record(), std::fs::read_to_string(place.path("report.html")).unwrap());
    let output = place.stop(&place.out(), "first.log", 300, signal);
    assert_eq!(before, (place.record(), std::fs::read_to_string(place.path("report.html")).unwrap()));
    let part = place.path("results.jsonl.part").display().to_string();
    assert!(signal == Signal::KILL || said(&output).contains(&part), "{}", said(&output));
    let shown = command(&["report", &part]).output().unwrap();
    assert_eq!(shown.status.code(), Some(0), "{}", said(&shown));
    assert!(String::from_utf8_lossy(&shown.stdout).contains("incomplete: "), "{shown:?}");
    place.run(&[&out, &folder], "last.log", &[]);
    assert!(place.record() == before.0 && !place.path("results.jsonl.part").exists());
}

/// GNU `timeout` sends its signal to the program, and then to the group that the program is in.
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let place = Place::new();
    let [out, folder] = place.out();
    let mut command = place.command(&[&out, &folder], "log", &["0.01"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait("the adapter is asked", || {
        std::fs::read_to_string(place.path("log")).is_ok_and(|log| log.lines().count() > 10)
    });
    for _ in 0..3 {
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(place.record().ends_with("}\n") && place.record().contains("\"complete\":false"));
}

/// The second is told at once; a lock whose process was killed is none.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn two_programs_do_not_write_to_one_folder() {
    let place = Place::new();
    let [out, folder] = place.out();
    let mut first = place.command(&[&out, &folder], "first.log", &["0.02"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("the first is asked", || {
        std::fs::read_to_string(place.path("first.log")).is_ok_and(|log| log.lines().count() > 2)
    });
    let output = place.run(&[&out, &folder], "second.log", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("another conform is writing here"), "{}", said(&output));
    assert!(!place.path("second.log").exists(), "the adapter was started");
    first.kill().unwrap();
    first.wait().unwrap();
    let output = place.run(&[&out, &folder], "third.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

/// `/dev/full` is a disk without room.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_full_disk_is_said_in_a_sentence() {
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("results.jsonl.part")).unwrap();
    std::fs::write(place.path("results.jsonl"), "what was there before").unwrap();
    let [out, folder] = place.out();
    let output = place.run(&[&out, &folder], "log", &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("results.jsonl.part: cannot be written: No space left on device"), "{text}");
    let asked = std::fs::read_to_string(place.path("log")).unwrap().lines().count();
    assert!(asked < 800, "it went on asking for nothing: {asked}");
    assert_eq!(place.record(), "what was there before");
}

/// The record of campaigns is written beside the old one, which a kill leaves as it was.
#[test]
fn a_killed_campaign_replaces_nothing() {
    let place = TempDir::new().unwrap();
    let [out, part] = ["found.jsonl", "found.jsonl.part"].map(|name| place.path().join(name));
    std::fs::write(&out, "old").unwrap();
    let path = out.display().to_string();
    let campaign = ["diff", "reference", "reference", "--cases", "1000000000", "--out", &path];
    let mut first = command(&campaign).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("the campaign has begun", || part.exists());
    let output = command(&campaign).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("another conform is writing here"), "{}", said(&output));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "old");
    let output = command(&["diff", "reference", "reference", "--dialect", "godot-2", "--cases", "10", "--out", &path]);
    assert_eq!({ output }.output().unwrap().status.code(), Some(0));
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("{\"kind\":\"plan\""));
    assert!(!part.exists());
}
