//! `conform diff` and `conform merge` as a person uses them.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const CONFORM: &str = env!("CARGO_BIN_EXE_conform");

/// The documents, read literally, are an implementation that parts from the engines in what the errata say.
fn literal() -> String {
    format!("{CONFORM} serve --reading document")
}

fn conform(args: &[&str]) -> Command {
    let mut command = Command::new(CONFORM);
    command.args(args).env("NO_COLOR", "1").current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

fn diff(args: &[&str]) -> Output {
    let literal = literal();
    // Nothing is shrunk, so that nothing depends on how slow the machine is.
    let always = ["--dialect", "godot-3", "--shrink-time", "0"];
    conform(&["diff", "reference", &literal]).args(always).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_same_seed_finds_the_same() {
    let once = diff(&["--cases", "300", "--seed", "5"]);
    assert_eq!(once.status.code(), Some(1));
    let again = diff(&["--cases", "300", "--seed", "5"]);
    assert_eq!(stdout(&once), stdout(&again));
    let other = diff(&["--cases", "300", "--seed", "6"]);
    assert_ne!(stdout(&once), stdout(&other));
}

/// What is saved is a corpus of its own, on which the one that was blamed fails, and the reference does not.
#[test]
fn a_saved_finding_is_a_case_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("found").display().to_string();
    let output = diff(&["--cases", "512", "--save", &saved, "--adapters", "adapters"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let said = stdout(&output);
    let repeat = said.lines().find(|line| line.trim_start().starts_with("repeat: conform run")).unwrap();
    let only = repeat.split("--only '").nth(1).unwrap().split('\'').next().unwrap();
    assert!(repeat.ends_with(&format!("--adapters adapters -- {}", literal())), "{repeat}");
    let out = folder.path().join("out").display().to_string();
    let run = |rest: &[&str]| {
        let args = ["run", "--corpus", &saved, "--dialect", "godot-3", "--derived", "none", "--out", &out];
        conform(&args).args(rest).output().unwrap()
    };
    let failing = run(&["--only", only, "--", CONFORM, "serve", "--reading", "document"]);
    assert_eq!(failing.status.code(), Some(1), "{only}: {}", stdout(&failing));
    let passing = run(&[]);
    assert_eq!(passing.status.code(), Some(0), "{}", stdout(&passing));
}

/// Four processes at once ask what one asks alone, and what they found adds up.
#[test]
fn shards_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let shard = |shard: usize, seed: &str| -> Child {
        let (literal, part) = (literal(), format!("{shard}/4"));
        let out = file(&format!("{seed}-{shard}.jsonl"));
        let args = [
            "diff",
            "reference",
            &literal,
            "--dialect",
            "godot-3",
            "--cases",
            "2048",
            "--seed",
            seed,
            "--shrink-time",
            "0.1",
        ];
        let mut command = conform(&args);
        command.args(["--shard", &part, "--out", &out]).stdout(Stdio::null()).spawn().unwrap()
    };
    let mut shards: Vec<Child> = (1..=4).map(|part| shard(part, "5")).collect();
    shards.push(shard(1, "6"));
    for mut shard in shards {
        shard.wait().unwrap();
    }
    let parts: Vec<String> = (1..=4).map(|part| file(&format!("5-{part}.jsonl"))).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = file("merged.jsonl");
    let joined = conform(&["merge", "--out", &merged]).args(&parts).output().unwrap();
    assert_eq!(joined.status.code(), Some(1), "{}", String::from_utf8_lossy(&joined.stderr));

    let whole = file("whole.jsonl");
    diff(&["--cases", "2048", "--seed", "5", "--out", &whole]);
    let counts = |path: &str| -> Vec<(String, u64)> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let findings = lines.filter(|line| line["kind"] == "finding");
        let mut counts: Vec<_> =
            findings.map(|found| (found["signature"].to_string(), found["count"].as_u64().unwrap())).collect();
        counts.sort();
        counts
    };
    assert_eq!(counts(&merged), counts(&whole));

    let refused = |files: &[&str], why: &str| {
        let output = conform(&["merge"]).args(files).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    };
    refused(&parts[..3], "missing: shard 4/4");
    refused(&[parts[0], parts[1], parts[1], parts[2]], "is in");
    refused(&[&file("6-1.jsonl"), parts[1], parts[2], parts[3]], "another seed");
    let half = std::fs::read_to_string(parts[3]).unwrap();
    let cut = file("cut.jsonl");
    std::fs::write(&cut, &half[..half.rfind("{\"kind\":\"end\"").unwrap()]).unwrap();
    refused(&[parts[0], parts[1], parts[2], &cut], "it has no end");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let said = |args: &[&str], code: i32, why: &str| {
        let output = conform(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
    };
    said(&["diff", "reference"], 2, "2 values required");
    said(&["diff", "reference", "nobody"], 2, "there is no adapter");
    said(&["diff", "reference", "reference", "--shard", "3/2"], 2, "K goes from 1 to N");
    said(&["diff", "reference", "reference", "--out", "x.jsonl"], 2, "--out records one dialect");
    said(&["diff", "reference", "/bin/false arguments", "--dialect", "godot-3"], 3, "/bin/false");
}
