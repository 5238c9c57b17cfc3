//! A tool without a loop, on the command line and as an adapter with a name.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Output;

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{command, scripted, stderr, stdout};

const CLAIMS: &str = r#"{"dialects":["godot-3"],"types":["null","bool"]}"#;

fn conform(args: &[&str], adapter: &[&str]) -> Output {
    command(args).args(adapter).output().unwrap()
}

#[test]
fn it_is_asked_what_it_claims() {
    let out = TempDir::new().unwrap();
    let folder = out.path().display().to_string();
    let only = ["--only", "godot-3/bool/{true,false}-*", "--out", &folder, "--derived", "none"];
    let output = conform(
        &[["run", "--one-shot", "--claims", CLAIMS].as_slice(), &only].concat(),
        &["--", "python3", &scripted("tool.py")],
    );
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains(" 0 red, 0 amber") || text.contains("\n0 red, 0 amber"), "{text}");
    assert!(text.contains("bool"), "{text}");
}

#[test]
fn a_failure_is_repeated_with_the_same_options() {
    let out = TempDir::new().unwrap();
    let folder = out.path().display().to_string();
    // Any non-zero word is true; the tool knows 1 alone.
    let args =
        ["run", "--one-shot", "--claims", CLAIMS, "--only", "godot-3/bool/*", "--derived", "none", "--out", &folder];
    let output = conform(&args, &["--", "python3", &scripted("tool.py")]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("fail/refused-valid"), "{text}");
    assert!(text.contains(&format!(" --one-shot --claims '{CLAIMS}' -- python3 ")), "{text}");
}

#[rstest]
#[case::no_dialect(&["--one-shot"], "cannot say which dialects it speaks; name them with --dialect")]
#[case::claims_of_a_loop(&["--claims", "{}"], "--claims is for --one-shot")]
#[case::no_json(&["--one-shot", "--claims", "{types}"], "--claims: key must be a string")]
#[case::unknown_key(&["--one-shot", "--claims", "{\"type\":[]}"], "unknown field `type`")]
#[case::no_file(&["--one-shot", "--claims", "no-such.json"], "no-such.json: cannot be read")]
#[case::two_ways(&["--one-shot", "--transport", "tcp"], "cannot be used with")]
fn what_cannot_be_done_is_said_in_a_sentence(#[case] args: &[&str], #[case] why: &str) {
    let output = conform(&[["run"].as_slice(), args].concat(), &["--", "true"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(why), "{text}");
}

#[rstest]
#[case::right("transport: one-shot\nclaims: {dialects: [godot-3], types: [null, bool]}\n", 0, "")]
#[case::no_dialect("transport: one-shot\n", 2, "cannot say which dialects it speaks")]
#[case::a_loop_claims("claims: {dialects: [godot-3]}\n", 2, "`claims:` is for `transport: one-shot`")]
fn it_has_a_name(#[case] yaml: &str, #[case] status: i32, #[case] why: &str) {
    let adapters = TempDir::new().unwrap();
    std::fs::create_dir(adapters.path().join("tool")).unwrap();
    let yaml = format!("command: [python3, {:?}]\n{yaml}", scripted("tool.py"));
    std::fs::write(adapters.path().join("tool/adapter.yaml"), yaml.replace("null,", "\"null\",")).unwrap();
    let (folder, out) = (adapters.path().display().to_string(), adapters.path().join("out").display().to_string());
    let args =
        ["run", "tool", "--adapters", &folder, "--only", "godot-3/null/null-*:*", "--derived", "none", "--out", &out];
    let output = conform(&args, &[]);
    assert_eq!(output.status.code(), Some(status), "{}{}", stdout(&output), stderr(&output));
    assert!(stderr(&output).contains(why), "{}", stderr(&output));
}
