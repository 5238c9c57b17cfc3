//! The gate: silent where nothing changed, and exact where something did.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

fn conform(args: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Command::cargo_bin("conform").unwrap().current_dir(root).args(args).output().unwrap()
}

/// Runs `tests/adapters/gated.py` with an argument; the record goes to a folder of that name.
fn run(folder: &TempDir, name: &str, flaw: &str, more: &[&str]) -> Output {
    let out = folder.path().join(name);
    let run = ["run", "--dialect", "godot-3", "--derived", "some", "--out", out.to_str().unwrap()];
    // A machine that is busy is slow, and says nothing about the gate.
    let more = [["--timeout", "20", "--max-case-time", "100"].as_slice(), more].concat();
    conform(&[run.as_slice(), &more, &["--", "python3", "harness/tests/adapters/gated.py", flaw]].concat())
}

fn results(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name).join("results.jsonl")
}

fn gate(folder: &TempDir, base: &str, head: &str, more: &[&str]) -> Output {
    let (base, head) = (results(folder, base), results(folder, head));
    conform(&[&["gate", base.to_str().unwrap(), head.to_str().unwrap()], more].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Writes a record with something changed in it.
fn rewritten(folder: &TempDir, from: &str, to: &str, change: impl Fn(&mut Vec<Value>)) {
    let text = std::fs::read_to_string(results(folder, from)).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut lines);
    std::fs::create_dir_all(folder.path().join(to)).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(results(folder, to), text).unwrap();
}

/// An adapter with faults: its failures are the baseline, and no list says that they are expected.
#[test]
fn nothing_changed_is_green_and_silent() {
    let folder = TempDir::new().unwrap();
    let first = run(&folder, "before", "wrong", &[]);
    assert_eq!(first.status.code(), Some(1), "it has faults: {}", stderr(&first));
    let baseline = results(&folder, "before");
    let again = run(&folder, "after", "wrong", &["--baseline", baseline.to_str().unwrap()]);
    assert_eq!((again.status.code(), stdout(&again), stderr(&again)), (Some(0), String::new(), String::new()));
    let strict = gate(&folder, "before", "after", &["--strict"]);
    assert_eq!((strict.status.code(), stdout(&strict)), (Some(0), String::new()));
}

#[test]
fn one_changed_byte_is_one_changed_case() {
    let folder = TempDir::new().unwrap();
    run(&folder, "before", "none", &[]);
    let baseline = results(&folder, "before");
    let after = run(&folder, "after", "one-byte", &["--baseline", baseline.to_str().unwrap()]);
    let text = stdout(&after);
    assert_eq!(after.status.code(), Some(1), "{text}");
    assert_eq!(text.lines().next().unwrap(), "gated 1: 1 case broken");
    assert_eq!(text.matches("broken  ").count(), 1, "{text}");
    assert!(text.contains("godot-3/vector2/negative-zero-keeps-its-sign:encode  pass → fail/wrong-bytes"), "{text}");
    let changed: Vec<&str> = text.lines().filter(|line| line.starts_with("  - ") || line.starts_with("  + ")).collect();
    assert_eq!(changed, ["  - before  + now", "  - 4  00 00 00 80  x       -0.0", "  + 4  00 00 00 00  x       0.0"]);
}

#[rstest]
#[case::a_failure_that_becomes_a_crash("wrong", "dies", 1, "changed", "fail/wrong-bytes → crashed")]
#[case::another_wrong_answer("wrong", "otherwise-wrong", 1, "changed", "fail/wrong-bytes, with another answer")]
#[case::mended("wrong", "none", 0, "mended", "fail/wrong-bytes → pass")]
#[case::no_longer_claimed("none", "claims-less", 1, "lost", "pass → not-claimed")]
#[case::claimed_and_wrong("claims-less", "wrong", 1, "added", "not-claimed → fail/wrong-bytes")]
#[case::another_way_to_die("dies", "dies-otherwise", 0, "", "")]
#[case::another_word_for_no("refuses", "refuses-in-other-words", 0, "", "")]
#[case::no_longer_the_same_when_asked_again("none", "unsteady", 0, "changed", "pass → nondeterministic")]
fn what_changed_is_called_by_its_name(
    #[case] before: &str,
    #[case] after: &str,
    #[case] status: i32,
    #[case] kind: &str,
    #[case] verdicts: &str,
) {
    let folder = TempDir::new().unwrap();
    run(&folder, "before", before, &[]);
    run(&folder, "after", after, &[]);
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(status), "{text}{}", stderr(&output));
    if kind.is_empty() {
        assert_eq!(text, "");
        return;
    }
    assert!(text.contains(&format!("{kind}  godot-3/")) && text.contains(verdicts), "{text}");
    let strict = gate(&folder, "before", "after", &["--strict"]);
    assert_eq!(strict.status.code(), Some(1), "{}", stdout(&strict));
    let markdown = gate(&folder, "before", "after", &["--format", "markdown"]);
    assert_eq!(markdown.status.code(), Some(status));
    assert!(stdout(&markdown).contains(kind) && stdout(&markdown).starts_with("## conform: `gated 1`"));
}

/// What the baseline's corpus does not have is shown, and counts where its version is named.
#[test]
fn newer_cases_wait() {
    let folder = TempDir::new().unwrap();
    run(&folder, "after", "wrong", &[]);
    let of_case = |line: &Value, case: &str| line["ask"].as_str().is_some_and(|ask| ask.contains(case));
    rewritten(&folder, "after", "before", |lines| {
        let ran = |line: &Value| !["not-claimed", "not-run"].contains(&line["verdict"].as_str().unwrap());
        let gone: Vec<Value> = lines.iter().filter(|line| of_case(line, "/vector2/negative-zero-")).cloned().collect();
        let again = gone.iter().filter(|line| line["ask"].as_str().unwrap().contains("~asked-again")).count();
        let executed = gone.iter().filter(|line| ran(line)).count();
        lines.retain(|line| !of_case(line, "/vector2/negative-zero-"));
        lines[0]["asks"] = json!(lines[0]["asks"].as_u64().unwrap() - (gone.len() - again) as u64);
        lines[0]["corpus"] = json!({"version": "0.0.9", "digest": "sha256:00"});
        let end = lines.last_mut().unwrap();
        end["executed"] = json!(end["executed"].as_u64().unwrap() - (executed - again) as u64);
        end["repeated"] = json!(end["repeated"].as_u64().unwrap() - again as u64);
    });
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("added  godot-3/vector2/negative-zero-keeps-its-sign:encode  not asked → fail"), "{text}");
    assert!(text.contains("they do with --corpus-version 0.1.0"), "{text}");
    assert_eq!(gate(&folder, "before", "after", &["--corpus-version", "0.0.9"]).status.code(), Some(0));
    assert_eq!(gate(&folder, "before", "after", &["--strict"]).status.code(), Some(0), "what waits is not counted");
    assert_eq!(gate(&folder, "before", "after", &["--corpus-version", "0.1.0"]).status.code(), Some(1));
    let backwards = gate(&folder, "after", "before", &[]);
    assert_eq!(backwards.status.code(), Some(2));
    assert!(stderr(&backwards).contains("the baseline is of corpus 0.1.0, newer than this run's 0.0.9"));
}

#[rstest]
#[case::of_another_dialect(|lines: &mut Vec<Value>| lines[0]["dialects"][0]["name"] = json!("godot-2"), "the baseline is about godot-2, and this run about godot-3")]
#[case::of_other_types(|lines: &mut Vec<Value>| { lines[0]["dialects"][0]["types"].as_array_mut().unwrap().pop(); }, "godot-3 has other types in the baseline")]
#[case::of_another_corpus(|lines: &mut Vec<Value>| lines[0]["corpus"]["digest"] = json!("sha256:ff"), "both call their corpus 0.1.0, and it is not the same")]
#[case::in_another_reading(|lines: &mut Vec<Value>| lines[0]["reading"] = json!("document"), "judged in the reading document, and this run in engine")]
#[case::of_a_selection(|lines: &mut Vec<Value>| lines[0]["selection"]["only"] = json!("**/vector2/*"), "the baseline has nothing but **/vector2/*")]
#[case::without_derived_asks(|lines: &mut Vec<Value>| lines[0]["selection"]["derived"] = json!(false), "in the baseline derived asks were left out")]
#[case::incomplete(|lines: &mut Vec<Value>| lines.last_mut().unwrap()["complete"] = json!(false), "the baseline is incomplete")]
#[case::cut_short(|lines: &mut Vec<Value>| { lines.pop(); }, "the footer is missing")]
#[case::another_file(|lines: &mut Vec<Value>| *lines = vec![json!({"some": "json"})], "line 1 is no result")]
#[case::with_a_line_missing(|lines: &mut Vec<Value>| { lines.remove(5); }, "the record is damaged")]
fn a_baseline_that_cannot_be_compared_is_refused(#[case] change: fn(&mut Vec<Value>), #[case] said: &str) {
    let folder = TempDir::new().unwrap();
    run(&folder, "after", "none", &[]);
    rewritten(&folder, "after", "before", change);
    let output = gate(&folder, "before", "after", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
    assert!(stderr(&output).lines().count() <= 2, "{}", stderr(&output));
}

#[test]
fn a_run_does_not_write_over_its_baseline() {
    let folder = TempDir::new().unwrap();
    run(&folder, "same", "none", &[]);
    let baseline = results(&folder, "same");
    let before = std::fs::read(&baseline).unwrap();
    let output = run(&folder, "same", "wrong", &["--baseline", baseline.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("would write over its own baseline"), "{}", stderr(&output));
    assert_eq!(std::fs::read(&baseline).unwrap(), before);
}

/// A part of what the baseline has is compared with that part.
#[test]
fn a_selection_is_compared_with_as_much_of_the_baseline() {
    let folder = TempDir::new().unwrap();
    run(&folder, "before", "none", &[]);
    let baseline = results(&folder, "before");
    let only = |glob, flaw| run(&folder, "after", flaw, &["--only", glob, "--baseline", baseline.to_str().unwrap()]);
    let same = only("godot-3/vector2/*", "none");
    assert_eq!((same.status.code(), stdout(&same)), (Some(0), String::new()));
    assert_eq!(only("godot-3/vector2/*", "one-byte").status.code(), Some(1));
    assert_eq!(only("godot-3/vector2/*:decode", "one-byte").status.code(), Some(0));
}

/// The scripts of the ready workflows, run as a fork's CI runs them, on a fork that is a folder.
#[rstest]
#[case::github("engine-fork.yml")]
#[case::gitlab("engine-fork.gitlab-ci.yml")]
fn a_fork_gates_with_the_ready_workflow(#[case] workflow: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let folder = TempDir::new().unwrap();
    let fork = folder.path();
    let script = script(&std::fs::read_to_string(root.join("adapters/examples").join(workflow)).unwrap());
    std::fs::create_dir_all(fork.join("bin")).unwrap();
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin("conform"), fork.join("bin/conform")).unwrap();
    std::os::unix::fs::symlink(root.join("corpus"), fork.join("corpus")).unwrap();
    std::fs::create_dir_all(fork.join("ci/conform")).unwrap();
    std::fs::copy(root.join("harness/tests/adapters/gated.py"), fork.join("ci/conform/gated.py")).unwrap();
    let engine = |flaw: &str| {
        std::fs::write(
            fork.join("ci/conform/adapter.yaml"),
            format!("command: [python3, gated.py, {flaw}]\nstart-timeout: 90\nanswer-timeout: 90\n"),
        )
        .unwrap();
    };
    let path = format!("{}:{}", fork.join("bin").display(), std::env::var("PATH").unwrap());
    let shell = |script: &str| {
        let mut command = Command::new("bash");
        command.current_dir(fork).args(["-e", "-c", script]).env("PATH", &path).env("CORPUS_VERSION", "0.1.0");
        command.env("GITHUB_STEP_SUMMARY", fork.join("summary.md")).output().unwrap()
    };
    engine("wrong");
    assert_eq!(shell("conform run --adapters ci conform --out ci/conform-baseline").status.code(), Some(1));
    let same = shell(&script);
    assert_eq!((same.status.code(), stdout(&same), stderr(&same)), (Some(0), String::new(), String::new()));
    assert_eq!(std::fs::read_to_string(fork.join("conform-report/changes.md")).unwrap(), "");
    assert!(fork.join("conform-report/report.html").is_file());
    engine("dies");
    let worse = shell(&script);
    assert_eq!(worse.status.code(), Some(1), "{}", stderr(&worse));
    assert!(stdout(&worse).contains("fail/wrong-bytes → crashed"), "{}", stdout(&worse));
    let changes = std::fs::read_to_string(fork.join("conform-report/changes.md")).unwrap();
    assert!(changes.contains("**1 case changed**"), "{changes}");
}

/// The step of a workflow that runs the gate.
fn script(workflow: &str) -> String {
    let workflow: serde_yaml::Value = serde_yaml::from_str(workflow).unwrap();
    let steps = workflow["jobs"]["gate"]["steps"].as_sequence();
    let script = match steps {
        Some(steps) => &steps.iter().find(|step| step["name"] == "gate").unwrap()["run"],
        None => &workflow["conform"]["script"][0],
    };
    script.as_str().unwrap().to_owned()
}
