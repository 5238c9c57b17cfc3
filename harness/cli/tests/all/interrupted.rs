//! Runs that do not come to their end: what they leave behind, and how they go on.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use crate::support::{command, scripted};

/// A folder with the record and the adapter's logs.
struct Place {
    folder: TempDir,
    selection: &'static [&'static str],
}

impl Place {
    fn new() -> Self {
        Self::of(&["--derived", "none"])
    }

    fn of(selection: &'static [&'static str]) -> Self {
        Self { folder: TempDir::new().unwrap(), selection }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn record(&self) -> String {
        std::fs::read_to_string(self.path("results.jsonl")).unwrap()
    }

    /// `conform run` on the slow adapter; `adapter` is how slow it is, and its version.
    fn command(&self, options: &[&str], log: &str, adapter: &[&str]) -> Command {
        let mut command = command(&["run", "--dialect", "godot-3"]);
        command.args(self.selection).args(options).args(["--", "python3", &scripted("slow.py")]);
        command.env("LOG", self.path(log)).envs(["SECONDS", "VERSION"].into_iter().zip(adapter));
        command
    }

    fn run(&self, options: &[&str], log: &str, adapter: &[&str]) -> Output {
        self.command(options, log, adapter).output().unwrap()
    }

    fn out(&self) -> [String; 2] {
        ["--out".to_owned(), self.folder.path().display().to_string()]
    }

    fn resume(&self) -> [String; 2] {
        ["--resume".to_owned(), self.folder.path().display().to_string()]
    }

    /// What the adapter was asked, sorted.
    fn asked(&self, log: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(log)).unwrap();
        let mut asked: Vec<String> = text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect();
        asked.sort();
        asked
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

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// The lines of a record in an order of their own, for resumed runs have another.
fn sorted(record: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = record.lines().collect();
    lines.sort_unstable();
    lines
}

/// The record of a run that nothing disturbed, and what was asked.
fn undisturbed() -> &'static (String, Vec<String>) {
    static ONCE: LazyLock<(String, Vec<String>)> = LazyLock::new(|| {
        let place = Place::new();
        let [out, folder] = place.out();
        assert_eq!(place.run(&[&out, &folder], "log", &[]).status.code(), Some(1));
        (place.record(), place.asked("log"))
    });
    &ONCE
}

#[rstest]
#[case::ctrl_c(Signal::INT)]
#[case::terminate(Signal::TERM)]
fn a_signal_ends_it_in_good_order_and_it_goes_on(#[case] signal: Signal) {
    let place = Place::new();
    let output = place.interrupt(signal);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("--resume"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("incomplete"));
    let footer = place.record().lines().last().unwrap().to_owned();
    assert!(footer.contains("\"complete\":false"), "{footer}");
    let pid = std::fs::read_to_string(place.path("first.log")).unwrap();
    let pid = pid.lines().next().unwrap().trim_start_matches("pid ").parse().unwrap();
    assert!(test_kill_process(Pid::from_raw(pid).unwrap()).is_err(), "the adapter lives on");

    let [resume, folder] = place.resume();
    let output = place.run(&[&resume, &folder], "second.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let (whole, asked) = undisturbed();
    assert_eq!(sorted(&place.record()), sorted(whole));
    // One was under way when the signal came; it is asked again, and none besides.
    let twice = place.asked("first.log").len() + place.asked("second.log").len() - asked.len();
    assert!(twice <= 1, "{twice} were asked again");
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

/// The command that was given, and `--resume` behind it, is what is advised.
#[test]
fn the_same_command_goes_on_and_in_no_other_folder() {
    let place = Place::new();
    place.interrupt(Signal::INT);
    let ([out, folder], [resume, _]) = (place.out(), place.resume());
    let elsewhere = place.path("elsewhere").display().to_string();
    let output = place.run(&[&out, &elsewhere, &resume, &folder], "second.log", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("are different folders; a run continues in its own folder, so leave out --out"));
    let output = place.run(&[&out, &format!("{folder}/."), &resume, &folder], "second.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

/// Derived asks that passed have no line of their own: the footer's counts tell which they were.
#[test]
fn derived_asks_go_on_too() {
    let place = Place::of(&["--only", "godot-3/{int,string}/**"]);
    place.interrupt(Signal::INT);
    assert!(place.record().contains("{\"kind\":\"tally\""));
    let [resume, folder] = place.resume();
    let output = place.run(&[&resume, &folder], "second.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let whole = Place::of(&["--only", "godot-3/{int,string}/**"]);
    let [out, folder] = whole.out();
    whole.run(&[&out, &folder], "log", &[]);
    assert_eq!(sorted(&place.record()), sorted(&whole.record()));
    let twice = place.asked("first.log").len() + place.asked("second.log").len() - whole.asked("log").len();
    assert!(twice <= 1, "{twice} were asked again");
}

/// A run that was killed, or whose disk was full, has half a line at its end.
#[test]
fn a_record_that_was_cut_short_goes_on() {
    let place = Place::new();
    let [out, folder] = place.out();
    place.run(&[&out, &folder], "first.log", &[]);
    let whole = place.record();
    let half: String = whole.chars().take(whole.len() / 2).collect();
    // Behind the plan, and before the line that was being written.
    let lines: Vec<&str> = half.lines().collect();
    let known = lines[1..lines.len() - 1].iter().filter(|line| !line.contains("not-claimed")).count();
    std::fs::write(place.path("results.jsonl"), half).unwrap();
    let [resume, folder] = place.resume();
    assert_eq!(place.run(&[&resume, &folder], "second.log", &[]).status.code(), Some(1));
    assert_eq!(sorted(&place.record()), sorted(&whole));
    assert_eq!(place.asked("first.log").len() - place.asked("second.log").len(), known);
}

/// A kill leaves no time for anything: the record and the page of before stay, and what was asked need not be again.
#[test]
fn a_killed_run_replaces_nothing_and_goes_on() {
    let place = Place::new();
    let [out, folder] = place.out();
    place.run(&[&out, &folder], "whole.log", &[]);
    let before = (place.record(), std::fs::read_to_string(place.path("report.html")).unwrap());
    for log in ["first.log", "second.log"] {
        let going_on = [place.out(), place.resume()][usize::from(log == "second.log")].clone();
        // More than a runner holds back, in case a second answer comes to an ask of before.
        place.stop(&going_on, log, 300, Signal::KILL);
        assert_eq!(before, (place.record(), std::fs::read_to_string(place.path("report.html")).unwrap()));
    }
    let [resume, folder] = place.resume();
    let output = place.run(&[&resume, &folder], "third.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(sorted(&place.record()), sorted(&before.0));
    let third = place.asked("third.log").len();
    assert!(third < place.asked("whole.log").len(), "all {third} were asked again");
    let left: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains(".part")), "{left:?}");
}

#[rstest]
#[case::reading(&["--reading", "document"], &[], "in the reading engine, now document")]
#[case::selection(&["--only", "godot-3/int/*"], &[], "of everything, derived tests left out, now godot-3/int/*")]
#[case::handshake(&[], &["0", "2"], "with another handshake: version: \"1\" → \"2\"")]
fn another_run_is_not_gone_on_with(#[case] options: &[&str], #[case] adapter: &[&str], #[case] why: &str) {
    let place = Place::new();
    place.interrupt(Signal::INT);
    let before = place.record();
    let [resume, folder] = place.resume();
    let output = place.run(&[&[resume.as_str(), &folder], options].concat(), "second.log", adapter);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(why), "{text}");
    assert_eq!(place.record(), before, "the record was touched");
}

/// The steps after the last result, each as the last that was done before a kill: the record has its footer and is not
/// in its place; its page is written beside; the old page is gone; the record is in its place, and its page is not.
#[rstest]
#[case::footer(&["results.jsonl.part"])]
#[case::page_begun(&["results.jsonl.part", "report.html.new.part"])]
#[case::page_written(&["results.jsonl.part", "report.html.new"])]
#[case::resumed(&["results.jsonl.part2", "results.jsonl.part"])]
#[case::in_its_place(&["results.jsonl", "report.html.new"])]
#[case::done(&["results.jsonl", "report.html"])]
fn a_complete_record_is_finished_whatever_step_is_missing(#[case] there: &[&str]) {
    for with_an_old_one in [false, true] {
        let place = Place::of(&["--derived", "none", "--only", "godot-3/{bool,int}/*"]);
        let [out, folder] = place.out();
        assert_eq!(place.run(&[&out, &folder], "first.log", &[]).status.code(), Some(1));
        let (record, page) = (place.record(), std::fs::read_to_string(place.path("report.html")).unwrap());
        std::fs::remove_file(place.path("results.jsonl")).unwrap();
        std::fs::remove_file(place.path("report.html")).unwrap();
        if with_an_old_one {
            // Of another run, which ended.
            let old = record.replace("godot-3/bool", "godot-3/vector2");
            std::fs::write(place.path("results.jsonl"), old).unwrap();
            std::fs::write(place.path("report.html"), "old").unwrap();
        }
        for name in there {
            let text = match *name {
                // The older part of a run that was resumed.
                "results.jsonl.part" if there[0] == "results.jsonl.part2" => &record[..record.len() / 2],
                name if name.starts_with("results") => &record,
                name if name.ends_with(".part") => &page[..page.len() / 2],
                _ => &page,
            };
            std::fs::write(place.path(name), text).unwrap();
        }
        let [resume, folder] = place.resume();
        let output = place.run(&[&resume, &folder], "second.log", &[]);
        assert_eq!(output.status.code(), Some(1), "{there:?}: {}", said(&output));
        assert_eq!(place.record(), record, "{there:?}");
        assert_eq!(std::fs::read_to_string(place.path("report.html")).unwrap(), page, "{there:?}");
        assert_eq!(place.asked("second.log"), [""; 0], "{there:?}: it was asked again");
        let mut left: Vec<String> = std::fs::read_dir(place.folder.path())
            .unwrap()
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| !name.ends_with(".log"))
            .collect();
        left.sort();
        left.retain(|name| !name.starts_with("report.html.new"));
        assert_eq!(left, ["report.html", "results.jsonl"], "{there:?}");
    }
}

/// A disk may be full in the middle of a letter, or anywhere else.
#[test]
fn a_record_that_was_cut_anywhere_goes_on() {
    let place = Place::of(&["--derived", "none", "--only", "godot-3/bool/*"]);
    let [out, folder] = place.out();
    place.run(&[&out, &folder], "first.log", &[]);
    let whole = place.record();
    let ends: Vec<usize> = whole.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let letter = whole[ends[0]..].find(|letter: char| letter.len_utf8() > 1).map(|at| at + ends[0] + 1);
    let last = ends[ends.len() - 2];
    for cut in [ends[0], ends[0] + 1, ends[1] + 1, last + 1, last + 10, whole.len() - 2, whole.len() - 1]
        .into_iter()
        .chain(letter)
    {
        std::fs::remove_file(place.path("results.jsonl")).unwrap();
        std::fs::write(place.path("results.jsonl.part"), &whole.as_bytes()[..cut]).unwrap();
        let [resume, folder] = place.resume();
        let output = place.run(&[&resume, &folder], "log", &[]);
        assert_eq!(output.status.code(), Some(1), "cut at {cut}: {}", said(&output));
        assert_eq!(sorted(&place.record()), sorted(&whole), "cut at {cut}");
    }
}

/// The handshake alone does not tell one program from another.
#[test]
fn a_run_of_another_command_is_not_gone_on_with() {
    let place = Place::new();
    place.interrupt(Signal::INT);
    let before = place.record();
    let [resume, folder] = place.resume();
    let mut other = place.command(&[&resume, &folder], "second.log", &[]);
    let output = other.arg("another").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("that record belongs to another run: of conform run -- python3"),
        "{}",
        said(&output)
    );
    assert_eq!(place.record(), before, "the record was touched");
}

/// What is expected depends on the version of the engine, so results for one say nothing about another.
#[test]
fn a_run_for_another_engine_is_not_gone_on_with() {
    let place = Place::of(&["--derived", "none", "--only", "godot-3/bool/*"]);
    let [out, folder] = place.out();
    place.run(&[&out, &folder], "first.log", &[]);
    let before = place.record();
    let [resume, folder] = place.resume();
    let output = place.run(&[&resume, &folder, "--engine", "3.2"], "second.log", &[]);
    assert_eq!(output.status.code(), Some(2));
    let why = "that record belongs to another run: for the engine of the handshake, now 3.2";
    assert!(said(&output).contains(why), "{}", said(&output));
    assert_eq!(place.record(), before, "the record was touched");
}

/// The second is told at once, with the process of the first; a lock whose process was killed is none.
#[test]
fn two_programs_do_not_write_to_one_folder() {
    let place = Place::new();
    let [out, folder] = place.out();
    let mut first = place.command(&[&out, &folder], "first.log", &["0.02"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("the first is asked", || {
        std::fs::read_to_string(place.path("first.log")).is_ok_and(|log| log.lines().count() > 2)
    });
    let [resume, _] = place.resume();
    for option in [&out, &resume] {
        let output = place.run(&[option, &folder], "second.log", &[]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let process = format!("another conform (process {}) is writing here", first.id());
        assert!(said(&output).contains(&process), "{}", said(&output));
    }
    assert!(!place.path("second.log").exists(), "the adapter was started");
    first.kill().unwrap();
    first.wait().unwrap();
    let output = place.run(&[&out, &folder], "third.log", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

/// `/dev/full` is a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_in_a_sentence() {
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("results.jsonl.part")).unwrap();
    std::fs::write(place.path("results.jsonl"), "what was there before").unwrap();
    let [out, folder] = place.out();
    let output = place.run(&[&out, &folder], "log", &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("No space left on device") && text.contains("the record has no footer"), "{text}");
    let (_, asked) = undisturbed();
    assert!(place.asked("log").len() < asked.len(), "it went on asking for nothing");
    assert_eq!(place.record(), "what was there before");
}

/// The report's reader may have no room either.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_no_panic() {
    let place = Place::new();
    let [out, folder] = place.out();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&[&out, &folder], "log", &[]).stdout(full).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("the output cannot be printed"), "{text}");
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
    assert!(said(&output).contains(&format!("another conform (process {}) is writing here", first.id())));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "old");
    let output = command(&["diff", "reference", "reference", "--dialect", "godot-2", "--cases", "10", "--out", &path]);
    assert_eq!({ output }.output().unwrap().status.code(), Some(0));
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("{\"kind\":\"diff\""));
    assert!(!part.exists());
}

/// However often it is killed, a campaign that goes on has the same numbers and findings as one that was not.
#[test]
fn a_killed_campaign_goes_on() {
    let place = TempDir::new().unwrap();
    let [out, whole] = ["found.jsonl", "whole.jsonl"].map(|name| place.path().join(name));
    let part = place.path().join("found.jsonl.part");
    let null = std::fs::read_to_string(scripted("null.py")).unwrap();
    let script = place.path().join("null.py");
    std::fs::write(&script, null.replace("[\"godot-3\"]", "[\"godot-2\", \"godot-3\"]")).unwrap();
    let other = format!("python3 {}", script.display());
    let campaign = |out: &Path, resume: &[&str]| {
        let mut command = command(&["diff", "reference", &other, "--cases", "4000"]);
        command.args(["--dialect", "godot-3", "--dialect", "godot-2"]);
        command.args(["--shrink-time", "0", "--out"]).arg(out).args(resume);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let sent = || {
        let part = std::fs::read_to_string(&part).unwrap_or_default();
        let ends = part.lines().filter(|line| line.contains("\"kind\":\"end\""));
        ends.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["tally"]["sent"].as_u64().unwrap())
            .sum()
    };
    let mut before = 0;
    for kill in 0..3 {
        let mut running = campaign(&out, if kill == 0 { &[] } else { &["--resume"] }).spawn().unwrap();
        wait("some more is recorded", || running.try_wait().unwrap().is_some() || sent() > before);
        before = sent();
        running.kill().unwrap();
        running.wait().unwrap();
        assert!(!out.exists(), "it is not at its place before it is whole");
    }
    campaign(&out, &["--resume"]).status().unwrap();
    campaign(&whole, &[]).status().unwrap();
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let (resumed, whole) = (read(&out), read(&whole));
    assert!(whole.iter().any(|line| line["kind"] == "finding") && whole.len() == resumed.len());
    for (resumed, whole) in resumed.iter().zip(&whole) {
        for key in ["kind", "signature", "count", "batch", "tally", "complete"] {
            assert_eq!(resumed[key], whole[key], "{key}");
        }
    }
    let mut other = campaign(&out, &["--resume", "--seed", "7"]);
    let output = other.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("the record is of another campaign: another seed"), "{}", said(&output));
}
