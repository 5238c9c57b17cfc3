//! The gate: one line where nothing changed, and exact where something did.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{CONFORM, conform, root, sealed, stderr, stdout};

/// Records of whole runs, by the flaw: each is made once.
static RECORDS: LazyLock<Mutex<HashMap<String, Arc<OnceLock<TempDir>>>>> = LazyLock::new(Mutex::default);

/// A record of `tests/adapters/gated.py` with a flaw, in a folder of this name.
fn record(folder: &TempDir, name: &str, flaw: &str) {
    let made = Arc::clone(RECORDS.lock().unwrap().entry(flaw.to_owned()).or_default());
    let made = made.get_or_init(|| {
        let made = TempDir::new().unwrap();
        run(&made, "run", flaw, &[]);
        made
    });
    std::fs::create_dir_all(folder.path().join(name)).unwrap();
    std::fs::copy(results(made, "run"), results(folder, name)).unwrap();
}

/// Runs `tests/adapters/gated.py` with an argument; the record goes to a folder of that name.
fn run(folder: &TempDir, name: &str, flaw: &str, more: &[&str]) -> Output {
    let out = folder.path().join(name);
    let run = ["run", "--dialect", "godot-3", "--out", out.to_str().unwrap()];
    // A machine that is busy is slow, and says nothing about the gate.
    let more = [["--timeout", "20"].as_slice(), more].concat();
    conform(&[run.as_slice(), &more, &["--", "python3", "harness/cli/tests/adapters/gated.py", flaw]].concat())
}

fn results(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name).join("results.jsonl")
}

fn gate(folder: &TempDir, base: &str, head: &str, more: &[&str]) -> Output {
    let (base, head) = (results(folder, base), results(folder, head));
    conform(&[&["gate", base.to_str().unwrap(), head.to_str().unwrap()], more].concat())
}

/// Writes a record with something changed in it.
fn rewritten(folder: &TempDir, from: &str, to: &str, change: impl Fn(&mut Vec<Value>)) {
    let text = std::fs::read_to_string(results(folder, from)).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut lines);
    std::fs::create_dir_all(folder.path().join(to)).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(results(folder, to), sealed(&text)).unwrap();
}

/// What is printed where nothing changed, in a record of that folder.
fn nothing_changed(folder: &TempDir, head: &str) -> String {
    let text = std::fs::read_to_string(results(folder, head)).unwrap();
    let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert!(end["executed"].as_u64().unwrap() > 5);
    format!("gated 1: nothing changed in {} tests\n", end["executed"])
}

/// An adapter with faults: its failures are the baseline, and no list says that they are expected.
#[test]
fn nothing_changed_is_green_and_says_how_much_was_compared() {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "wrong");
    let baseline = results(&folder, "before");
    let again = run(&folder, "after", "wrong", &["--baseline", baseline.to_str().unwrap()]);
    let said = nothing_changed(&folder, "after");
    assert_eq!((again.status.code(), stdout(&again), stderr(&again)), (Some(0), said, String::new()));
    let markdown = gate(&folder, "before", "after", &["--format", "markdown"]);
    assert_eq!((markdown.status.code(), stdout(&markdown)), (Some(0), String::new()), "no comment");
}

/// A check that is recorded only where it fails, with a case that both records have.
#[test]
fn how_the_adapter_ends_is_compared() {
    let folder = TempDir::new().unwrap();
    let run = |name: &str, place: &str| {
        let out = folder.path().join(name);
        let only = ["--only", "godot-3/vector2/negative-zero-keeps-its-sign:encode", "--out", out.to_str().unwrap()];
        let adapter = ["--", "python3", "harness/cli/tests/adapters/faulty.py", "exit", place];
        conform(&[&["run", "--dialect", "godot-3"], only.as_slice(), &adapter].concat());
    };
    run("before", "never");
    run("after", "end");
    let output = gate(&folder, "before", "after", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("~exit:encode  pass → crashed"), "{}", stdout(&output));
}

/// Where both listings are the same, the rows show what else changed.
#[rstest]
#[case::the_reply_beyond_its_listing(|line: &mut Value| line["reply"]["bytes"] = json!("00".repeat(80) + "ff"), "+ …000000000000000000000000000000ff")]
#[case::the_length(|line: &mut Value| { line["detail"]["note"] = json!("4 bytes consumed"); line["reply"]["bytes"] = json!("00"); }, "+ 4 bytes consumed")]
fn what_changed_has_rows(#[case] change: fn(&mut Value), #[case] shown: &str) {
    let folder = TempDir::new().unwrap();
    record(&folder, "first", "wrong");
    let failed = |line: &&mut Value| line["test"].as_str().is_some_and(|test| test.ends_with("keeps-its-sign:encode"));
    let with = |to: &str, change: fn(&mut Value)| {
        rewritten(&folder, "first", to, |lines| {
            let line = lines.iter_mut().filter(|line| line["verdict"] == "fail").find(failed).unwrap();
            line["reply"]["bytes"] = json!("00".repeat(81));
            change(line);
        });
    };
    with("before", |_| {});
    with("after", change);
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.matches("with a different reply").count(), 1, "{text}");
    assert!(text.contains(shown), "{text}");
}

#[test]
fn one_changed_byte_is_one_changed_case() {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "none");
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
#[case::another_wrong_answer("wrong", "otherwise-wrong", 1, "changed", "fail/wrong-bytes, with a different reply")]
#[case::fixed("wrong", "none", 0, "fixed", "fail/wrong-bytes → pass")]
#[case::no_longer_claimed("none", "claims-less", 1, "lost", "pass → not-supported")]
#[case::claimed_and_wrong("claims-less", "wrong", 1, "added", "not-supported → fail/wrong-bytes")]
#[case::another_way_to_die("dies", "dies-otherwise", 0, "", "")]
#[case::another_word_for_no("refuses", "refuses-in-other-words", 0, "", "")]
#[case::fails_only_after_others("none", "keeps-state", 1, "broken", "pass → order-dependent")]
#[case::fails_alone_too("keeps-state", "always-one-more", 1, "broken", "14 tests, 13 of them changed")]
#[case::no_longer_alone("always-one-more", "keeps-state", 0, "changed", "fail/wrong-bytes → order-dependent")]
#[case::keeps_no_state("keeps-state", "none", 0, "fixed", "order-dependent → pass")]
#[case::keeps_no_state_and_is_wrong(
    "wrong-and-keeps-state",
    "wrong",
    0,
    "changed",
    "fail/wrong-bytes, with a different reply"
)]
#[case::is_wrong_and_keeps_state("wrong", "wrong-and-keeps-state", 1, "broken", "pass → order-dependent")]
#[case::keeps_state_again("keeps-state", "keeps-state", 0, "", "")]
#[case::no_longer_the_same_when_asked_again("none", "unsteady", 1, "broken", "pass → fail/wrong-bytes")]
#[ignore = "takes long: .ci/run runs it"]
fn what_changed_is_called_by_its_name(
    #[case] before: &str,
    #[case] after: &str,
    #[case] status: i32,
    #[case] kind: &str,
    #[case] verdicts: &str,
) {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", before);
    record(&folder, "after", after);
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(status), "{text}{}", stderr(&output));
    if kind.is_empty() {
        assert_eq!(text, nothing_changed(&folder, "after"));
        return;
    }
    assert!(text.contains(&format!("\n{kind}  ")) && text.contains(verdicts), "{text}");
    // That a test passes alone is no second test.
    assert!(!text.contains("~alone"), "{text}");
    // And it is no command that shows a failure.
    let block = text.split("\n\n").find(|block| block.contains(verdicts)).unwrap();
    assert_eq!(block.contains("again: ") && !block.contains("--only"), verdicts.ends_with("order-dependent"), "{text}");
    let markdown = gate(&folder, "before", "after", &["--format", "markdown"]);
    assert_eq!(markdown.status.code(), Some(status));
    assert!(stdout(&markdown).contains(kind) && stdout(&markdown).starts_with("## conform: `gated 1`"));
}

#[test]
fn what_failed_is_not_lost() {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "wrong");
    rewritten(&folder, "before", "after", |lines| {
        let failed = lines.iter_mut().find(|line| line["verdict"] == "fail").unwrap().as_object_mut().unwrap();
        failed.retain(|key, _| !["reason", "detail", "reply", "at", "field"].contains(&key.as_str()));
        failed["verdict"] = json!("not-supported");
        let end = lines.last_mut().unwrap();
        end["executed"] = json!(end["executed"].as_u64().unwrap() - 1);
    });
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("\nchanged  ") && text.contains("fail/wrong-bytes → not-supported"), "{text}");
}

/// What only a newer corpus has is shown, and does not count; what it lacks is lost.
#[test]
fn what_only_one_corpus_has_is_shown() {
    let folder = TempDir::new().unwrap();
    record(&folder, "after", "wrong");
    let of_case = |line: &Value, case: &str| line["test"].as_str().is_some_and(|test| test.contains(case));
    rewritten(&folder, "after", "before", |lines| {
        let ran = |line: &Value| !["not-supported", "not-run"].contains(&line["verdict"].as_str().unwrap());
        let gone: Vec<Value> = lines.iter().filter(|line| of_case(line, "/vector2/negative-zero-")).cloned().collect();
        let again = gone.iter().filter(|line| line["test"].as_str().unwrap().contains("~asked-again")).count();
        let executed = gone.iter().filter(|line| ran(line)).count();
        lines.retain(|line| !of_case(line, "/vector2/negative-zero-"));
        lines[0]["tests"] = json!(lines[0]["tests"].as_u64().unwrap() - (gone.len() - again) as u64);
        lines[0]["corpus"] = json!({"version": "0.0.9", "digest": "sha256:00"});
        let end = lines.last_mut().unwrap();
        end["executed"] = json!(end["executed"].as_u64().unwrap() - (executed - again) as u64);
        end["repeated"] = json!(end["repeated"].as_u64().unwrap() - again as u64);
    });
    let output = gate(&folder, "before", "after", &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("negative-zero-keeps-its-sign:encode  not tested → fail"), "{text}");
    assert!(text.contains("what only the new one has does not count"), "{text}");
    let backwards = gate(&folder, "after", "before", &[]);
    let text = stdout(&backwards);
    assert_eq!(backwards.status.code(), Some(1), "{text}{}", stderr(&backwards));
    assert!(text.contains("negative-zero-keeps-its-sign:decode  pass → not tested"), "{text}");
    assert!(text.contains("1 case lost (with all variants)"), "{text}");
    let group = text.split("\n\n").find(|block| block.starts_with("lost  pass → not tested")).unwrap();
    assert!(!group.contains("rule:") && !group.contains("case:"), "{group}");
}

#[rstest]
#[case::of_another_dialect(|lines: &mut Vec<Value>| lines[0]["dialects"][0]["name"] = json!("godot-2"), "the baseline tests godot-2, and this run tests godot-3")]
#[case::of_other_types(|lines: &mut Vec<Value>| { lines[0]["dialects"][0]["types"].as_array_mut().unwrap().pop(); }, "godot-3 has other types in the baseline")]
#[case::in_another_reading(|lines: &mut Vec<Value>| lines[0]["judged_by"] = json!("documents"), "is judged by documents, and this run by engines")]
#[case::of_a_selection(|lines: &mut Vec<Value>| lines[0]["selection"]["only"] = json!("**/vector2/*"), "the baseline has only tests that match **/vector2/*")]
#[case::without_variants(|lines: &mut Vec<Value>| lines[0]["selection"]["variants"] = json!(false), "variants are left out in the baseline")]
#[case::incomplete(|lines: &mut Vec<Value>| lines.last_mut().unwrap()["complete"] = json!(false), "the baseline is incomplete")]
#[case::another_file(|lines: &mut Vec<Value>| *lines = vec![json!({"some": "json"})], ":1: this is not a result")]
#[case::with_a_line_missing(|lines: &mut Vec<Value>| { lines.remove(5); }, "the record is damaged")]
fn a_baseline_that_cannot_be_compared_is_refused(#[case] change: fn(&mut Vec<Value>), #[case] said: &str) {
    let folder = TempDir::new().unwrap();
    record(&folder, "after", "none");
    rewritten(&folder, "after", "before", change);
    let output = gate(&folder, "before", "after", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
    assert!(stderr(&output).lines().count() <= 2, "{}", stderr(&output));
}

#[test]
fn a_run_does_not_write_over_its_baseline() {
    let folder = TempDir::new().unwrap();
    record(&folder, "same", "none");
    let baseline = results(&folder, "same");
    let before = std::fs::read(&baseline).unwrap();
    for given in [baseline.as_path(), baseline.parent().unwrap()] {
        let output = run(&folder, "same", "wrong", &["--baseline", given.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("would overwrite its own baseline"), "{}", stderr(&output));
        assert_eq!(std::fs::read(&baseline).unwrap(), before);
    }
}

/// A part of what the baseline has is compared with that part.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_selection_is_compared_with_as_much_of_the_baseline() {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "none");
    let baseline = results(&folder, "before");
    let only = |glob, flaw| run(&folder, "after", flaw, &["--only", glob, "--baseline", baseline.to_str().unwrap()]);
    let same = only("godot-3/vector2/*", "none");
    assert_eq!((same.status.code(), stdout(&same)), (Some(0), nothing_changed(&folder, "after")));
    assert_eq!(only("godot-3/vector2/*", "one-byte").status.code(), Some(1));
    assert_eq!(only("godot-3/vector2/*:decode", "one-byte").status.code(), Some(0));
}

/// What cannot be compared is not run for nothing, and nothing is written.
#[test]
fn a_run_that_cannot_be_compared_is_not_made() {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "none");
    let baseline = results(&folder, "before");
    let more = ["--baseline", baseline.to_str().unwrap(), "--judged-by", "documents"];
    let refused = run(&folder, "after", "none", &more);
    assert_eq!(refused.status.code(), Some(2), "{}", stdout(&refused));
    let said = "the baseline is judged by engines, and this run by documents";
    assert!(stderr(&refused).contains(said) && stderr(&refused).contains("results.jsonl"), "{}", stderr(&refused));
    assert!(!folder.path().join("after").exists());
}

#[rstest]
#[case::text(&[])]
#[case::markdown(&["--format", "markdown"])]
fn what_is_incomplete_says_why(#[case] format: &[&str]) {
    let folder = TempDir::new().unwrap();
    record(&folder, "before", "none");
    rewritten(&folder, "before", "after", |lines| {
        let passed = lines.iter_mut().find(|line| line["verdict"] == "pass").unwrap();
        passed["verdict"] = json!("not-run");
        let nothing: [&str; 0] = [];
        passed["detail"] = json!({"sent": "", "expected": nothing, "actual": nothing, "answer": "", "rule": "",
            "note": "the adapter crashed or hung 201 times", "place": ""});
        let end = lines.last_mut().unwrap();
        end["executed"] = json!(end["executed"].as_u64().unwrap() - 1);
        end["complete"] = json!(false);
    });
    let compared = gate(&folder, "before", "after", format);
    assert_eq!(compared.status.code(), Some(5), "{}", stderr(&compared));
    let said = "incomplete: 1 test did not run: the adapter crashed or hung 201 times";
    assert!(stdout(&compared).contains(said), "{}", stdout(&compared));
}

/// The scripts of the ready workflows, run as a fork's CI runs them, on a fork that is a folder.
#[rstest]
#[case::github("engine-fork.yml")]
#[case::gitlab("engine-fork.gitlab-ci.yml")]
#[ignore = "takes long: .ci/run runs it"]
fn a_fork_gates_with_the_ready_workflow(#[case] workflow: &str) {
    let root = root();
    let folder = TempDir::new().unwrap();
    let fork = folder.path();
    let (script, inputs) = job(&std::fs::read_to_string(root.join("adapters/examples").join(workflow)).unwrap());
    std::fs::create_dir_all(fork.join("bin")).unwrap();
    std::os::unix::fs::symlink(CONFORM, fork.join("bin/conform")).unwrap();
    std::os::unix::fs::symlink(root.join("corpus"), fork.join("corpus")).unwrap();
    std::fs::create_dir_all(fork.join("ci/conform")).unwrap();
    std::fs::copy(root.join("harness/cli/tests/adapters/gated.py"), fork.join("ci/conform/gated.py")).unwrap();
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
        command.current_dir(fork).args(["-e", "-c", script]).env("PATH", &path).envs(inputs.clone());
        for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            command.env(file, fork.join("written.md"));
        }
        command.output().unwrap()
    };
    engine("wrong");
    assert_eq!(shell("conform run ci/conform --out ci/conform-baseline").status.code(), Some(1));
    let same = shell(&script);
    assert_eq!((same.status.code(), stderr(&same)), (Some(0), String::new()));
    assert!(stdout(&same).starts_with("gated 1: nothing changed in "), "{}", stdout(&same));
    assert_eq!(std::fs::read_to_string(fork.join("conform-report/changes.md")).unwrap(), "");
    assert!(fork.join("conform-report/report.html").is_file());
    engine("dies");
    let worse = shell(&script);
    assert_eq!(worse.status.code(), Some(1), "{}", stderr(&worse));
    assert!(stdout(&worse).contains("fail/wrong-bytes → crashed"), "{}", stdout(&worse));
    let changes = std::fs::read_to_string(fork.join("conform-report/changes.md")).unwrap();
    assert!(changes.contains("**1 case changed**"), "{changes}");
    // Each cause is a line that opens.
    assert_eq!(changes.lines().filter(|line| line.starts_with("<details><summary>")).count(), 1, "{changes}");
}

/// The comment is made where something changed, and kept up to date where it is there, also when all is well again.
#[rstest]
#[case::github_silent("engine-fork.yml", "", "", &[])]
#[case::github_news("engine-fork.yml", "broken", "", &["--method POST"])]
#[case::github_more_news("engine-fork.yml", "broken", "7", &["--method PATCH", "comments/7"])]
#[case::github_well_again("engine-fork.yml", "", "7", &["--method PATCH", "comments/7"])]
#[case::gitlab_silent("engine-fork.gitlab-ci.yml", "", "", &[])]
#[case::gitlab_news("engine-fork.gitlab-ci.yml", "broken", "", &["-o /dev/null", "/notes"])]
#[case::gitlab_more_news("engine-fork.gitlab-ci.yml", "broken", "7", &["--request PUT", "/notes/7"])]
#[case::gitlab_well_again("engine-fork.gitlab-ci.yml", "", "7", &["--request PUT", "/notes/7"])]
fn one_comment_is_kept_up_to_date(
    #[case] workflow: &str,
    #[case] changes: &str,
    #[case] there: &str,
    #[case] sent: &[&str],
) {
    let root = root();
    let workflow = std::fs::read_to_string(root.join("adapters/examples").join(workflow)).unwrap();
    let workflow: serde_yaml::Value = serde_yaml::from_str(&workflow).unwrap();
    let comment = match workflow["jobs"]["gate"]["steps"].as_sequence() {
        Some(steps) => &steps.iter().find(|step| step["name"] == "comment what changed").unwrap()["run"],
        None => &workflow["conform"]["after_script"][0],
    };
    let folder = TempDir::new().unwrap();
    let fork = folder.path();
    std::fs::create_dir_all(fork.join("conform-report")).unwrap();
    std::fs::write(fork.join("conform-report/changes.md"), changes).unwrap();
    // What asks is answered, what writes is written down.
    let notes = if there.is_empty() {
        "[]".to_owned()
    } else {
        json!([{"id": 3, "body": "?"}, {"id": 7, "body": "<!-- conform gate -->\n"}]).to_string()
    };
    let fake = |name: &str, writes: &str, answer: &str| {
        let path = fork.join(name);
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *'{writes}'*) echo \"$*\" >> sent;; *) printf '%s\\n' '{answer}';; esac\n"
        );
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    fake("gh", "--method", there);
    fake("curl", "/dev/null", &notes);
    let path = format!("{}:{}", fork.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.current_dir(fork).args(["-e", "-c", comment.as_str().unwrap()]).env("PATH", path);
    command.envs([("GITHUB_REPOSITORY", "a/b"), ("PULL_REQUEST", "5"), ("CONFORM_TOKEN", "t")]);
    command.envs([("CI_API_V4_URL", "http://x"), ("CI_PROJECT_ID", "1"), ("CI_MERGE_REQUEST_IID", "5")]);
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let said = std::fs::read_to_string(fork.join("sent")).unwrap_or_default();
    assert_eq!(said.lines().count(), usize::from(!sent.is_empty()), "{said}");
    assert!(sent.iter().all(|part| said.contains(part)), "{said}");
    if let Some(body) = ["comment.md", "note.md"].iter().find_map(|name| std::fs::read_to_string(fork.join(name)).ok())
    {
        let text = if changes.is_empty() { "conform: nothing differs from the baseline any more.\n" } else { changes };
        assert_eq!(body, format!("<!-- conform gate -->\n{text}"));
    }
}

/// A merge request has a pipeline of its own, and the gate has the engine that was built.
#[test]
fn the_gate_of_gitlab_runs_in_merge_requests_behind_the_build() {
    let file = root().join("adapters/examples/engine-fork.gitlab-ci.yml");
    let jobs: serde_yaml::Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let gate = &jobs["conform"];
    assert_eq!(gate["rules"][0]["if"], "$CI_PIPELINE_SOURCE == \"merge_request_event\"");
    assert_eq!(gate["rules"], jobs["build"]["rules"]);
    assert_eq!(gate["needs"][0]["job"], "build");
    let engine = jobs["build"]["artifacts"]["paths"][0].as_str().unwrap();
    assert_eq!(gate["variables"]["GODOT"].as_str().unwrap(), format!("$CI_PROJECT_DIR/{engine}"));
}

/// What a workflow runs as its gate, and what it passes: the action's step with its inputs, or the template's job with its variables.
fn job(workflow: &str) -> (String, Vec<(String, String)>) {
    let workflow: serde_yaml::Value = serde_yaml::from_str(workflow).unwrap();
    let pairs = |given: &serde_yaml::Value| -> Vec<(String, String)> {
        let text = |value: &serde_yaml::Value| value.as_str().unwrap().to_owned();
        given.as_mapping().unwrap().iter().map(|(name, value)| (text(name), text(value))).collect()
    };
    match workflow["jobs"]["gate"]["steps"].as_sequence() {
        Some(steps) => {
            let gate = steps.iter().find(|step| step["name"] == "gate").unwrap();
            assert_eq!(gate["uses"], "./.conform");
            let silent = ["COMMAND", "DIALECT", "ARGUMENTS"].map(|name| (name.to_owned(), String::new()));
            let usual = [("FAIL", "true"), ("OUT", "conform-report")].map(|(name, value)| (name.into(), value.into()));
            let given = pairs(&gate["with"]);
            let given = given.into_iter().map(|(name, value)| (name.to_uppercase().replace('-', "_"), value));
            (crate::supply::step("run"), silent.into_iter().chain(usual).chain(given).collect())
        }
        None => {
            assert_eq!(workflow["conform"]["extends"], ".conform");
            let given = pairs(&workflow["conform"]["variables"]);
            let usual = ("CONFORM_FAIL".to_owned(), "true".to_owned());
            (crate::supply::template("script"), std::iter::once(usual).chain(given).collect())
        }
    }
}
