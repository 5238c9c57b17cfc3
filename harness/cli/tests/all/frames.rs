//! The same corpus in frames and in lines.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;
use std::process::Stdio;

use rstest::rstest;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{CONFORM, command, conform, root};

/// The results of all tests in every dialect, without the time that each took.
fn results(serve: &[&str]) -> Vec<Json> {
    let out = TempDir::new().unwrap();
    let folder = out.path().to_str().unwrap();
    conform(&[&["run", "--out", folder, "--", CONFORM, "serve"], serve].concat());
    let record = std::fs::read_to_string(out.path().join("results.jsonl")).unwrap();
    let lines = record.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.filter(|line| line.get("test").is_some()).collect()
}

/// Not only where all is right: the other reading has failures, with what was answered.
#[rstest]
#[case::of_the_engine("engine", 0)]
#[case::of_the_document("document", 10)]
fn frames_and_lines_have_the_same_results(#[case] reading: &str, #[case] failures: usize) {
    let [frames, lines] = [&["--reading", reading][..], &["--reading", reading, "--lines"]].map(results);
    assert!(frames.len() > 10_000, "{}", frames.len());
    assert_eq!(frames.len(), lines.len());
    for (frame, line) in frames.iter().zip(&lines) {
        assert_eq!(frame, line);
    }
    let failed = |line: &&Json| line["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("fail"));
    assert!(frames.iter().filter(failed).count() >= failures);
}

/// The exchange that adapters/README.md shows, byte for byte.
#[test]
fn the_exchange_is_what_stands_there() {
    let readme = std::fs::read_to_string(root().join("adapters/README.md")).unwrap();
    let section = readme.split_once("\n### Frames\n").unwrap().1.split("\n### ").next().unwrap();
    let [mut requests, mut replies] = [Vec::new(), Vec::new()];
    for message in section.split("```").nth(1).unwrap().split_inclusive(['→', '←']).collect::<Vec<_>>().windows(2) {
        let hex: String = message[1].chars().filter(char::is_ascii_hexdigit).collect();
        let side = if message[0].ends_with('→') { &mut requests } else { &mut replies };
        side.extend(hex::decode(hex).unwrap());
    }
    let mut serve = command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    serve.stdin.take().unwrap().write_all(&requests).unwrap();
    assert_eq!(hex::encode(serve.wait_with_output().unwrap().stdout), hex::encode(&replies));
    assert!(!replies.is_empty());
}
