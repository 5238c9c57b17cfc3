//! Nothing that an adapter, a record or a page says is obeyed by a terminal or a CI system, or hidden from a reader,
//! wherever it is shown.

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{conform, scripted, sealed, text};

const SAYINGS: [&str; 16] = [
    "::stop-commands::x",
    "one\n::error::two",
    " \t::error::y",
    "##[error]z",
    "a ##vso[task.complete]",
    "##teamcity[x]",
    "c1 \u{9b}31m\u{85}::error::next",
    "\u{fffe}\u{ffff}\u{1fffe}",
    "so\u{ad}ft",
    "tag\u{e0001}\u{e0041}\u{e007f}",
    "zero\u{200b}\u{200d}\u{feff}\u{2060}",
    "turn\u{202e}\u{2066}",
    "back\r::error::x",
    "\u{1b}]0;title\u{7}\u{8}",
    "line\u{2028}::error::x\u{2029}",
    "fill\u{3164}\u{115f}\u{fff9}",
];

/// What is not to be in a text that is printed.
fn is_obeyed(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{3164}' | '\u{115f}' | '\u{e0000}'..='\u{e007f}')
        || u32::from(letter) & 0xfffe == 0xfffe
}

/// `own` are the beginnings of lines that are commands on purpose.
fn check(what: &str, text: &str, own: &[&str]) {
    for line in text.lines() {
        assert_eq!(line.find(is_obeyed), None, "{what}: {line:?}");
        let command = line.trim_start().starts_with("::") && !own.iter().any(|own| line.starts_with(own));
        assert!(!command && ["##[", "##vso[", "##teamcity["].iter().all(|word| !line.contains(word)), "{what}: {line}");
    }
}

/// The record of such an adapter, and the same with such words in every text of it.
static RECORDS: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let place = TempDir::new().unwrap();
    let sayings = serde_json::to_string(&SAYINGS).unwrap();
    let out = place.path().display().to_string();
    let only = ["--quick", "--only", "godot-3/{bool,int,string}/**"];
    let run = [&["run", "--dialect", "godot-3"], only.as_slice(), &["--out", &out, "--", "python3"]].concat();
    let ran = conform(&[run.as_slice(), &[&scripted("obeyed.py"), &sayings]].concat());
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran));
    let record = std::fs::read_to_string(place.path().join("results.jsonl")).unwrap();
    let mut number = 0;
    let lines = record.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        say(&mut line, &mut number);
        format!("{line}\n")
    });
    std::fs::write(place.path().join("said.jsonl"), sealed(&lines.collect::<String>())).unwrap();
    (place, text(&ran))
});

/// Adds a saying to every text whose word is free.
fn say(value: &mut Value, number: &mut usize) {
    match value {
        Value::String(text) => {
            *number += 1;
            *text = format!("{}{text}", SAYINGS[*number % SAYINGS.len()]);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| say(item, number)),
        Value::Object(map) => {
            let fixed = [
                "kind",
                "origin",
                "class",
                "level",
                "verdict",
                "reason",
                "ops",
                "lossy",
                "limits",
                "declared-loss",
                "digest",
                "judged_by",
                "op",
                "rarity",
                "severity",
            ];
            map.iter_mut().filter(|(key, _)| !fixed.contains(&key.as_str())).for_each(|(_, item)| say(item, number));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn a_run_prints_no_command() {
    check("run", &RECORDS.1, &[]);
    assert!(RECORDS.1.contains("\\u{9b}") && RECORDS.1.contains("stop-commands"), "{}", RECORDS.1);
}

#[rstest]
fn a_report_is_no_command(
    #[values("text", "markdown", "annotations", "junit", "html", "badge")] format: &str,
    #[values("results.jsonl", "said.jsonl")] record: &str,
) {
    let record = RECORDS.0.path().join(record).display().to_string();
    let more: &[&str] = if format == "text" { &["--full"] } else { &[] };
    let output = conform(&[&["report", &record, "--format", format], more].concat());
    // A record that was changed may name no dialect that has a badge.
    assert!(output.status.code() == Some(0) || format == "badge", "{}", text(&output));
    let own: &[&str] = if format == "annotations" { &["::error ", "::warning ", "::notice "] } else { &[] };
    check(format, &text(&output), own);
}

#[rstest]
#[case(&["gate", "results.jsonl", "said.jsonl"])]
#[case(&["gate", "said.jsonl", "results.jsonl", "--format", "markdown"])]
fn a_comparison_is_no_command(#[case] line: &[&str]) {
    let at = |word: &&str| {
        if word.ends_with(".jsonl") { RECORDS.0.path().join(word).display().to_string() } else { (*word).to_owned() }
    };
    let line: Vec<String> = line.iter().map(at).collect();
    let output = conform(&line.iter().map(String::as_str).collect::<Vec<_>>());
    check(&line.join(" "), &text(&output), &[]);
}

#[rstest]
#[case(&["vet"])]
#[case(&["diff", "reference", "--dialect", "godot-3", "--cases", "64"])]
fn what_else_listens_to_an_adapter_prints_no_command(#[case] line: &[&str]) {
    let (sayings, script) = (serde_json::to_string(&SAYINGS).unwrap(), scripted("obeyed.py"));
    let line: Vec<&str> = line.iter().copied().chain(["--", "python3", &script, &sayings]).collect();
    let output = conform(&line);
    // A command that was given is repeated as it was written: its own words are left out.
    let shown = text(&output).replace(&sayings, "").replace(&sanitized(&sayings), "");
    check(line[0], &shown, &[]);
}

fn sanitized(text: &str) -> String {
    variant_values::sanitize::lines(text)
}

/// Names of files, and what is in those that are refused.
#[test]
fn a_message_about_a_file_is_no_command() {
    let place = TempDir::new().unwrap();
    let shown = |line: &[&str]| {
        let output = conform(line);
        check(&line.join(" "), &text(&output), &[]);
    };
    for (number, saying) in SAYINGS.chunks(4).map(|some| some.join("\n")).enumerate() {
        let saying = saying.as_str();
        let file = |ending: &str, content: &str| -> String {
            let path = place.path().join(format!("{number}{saying}{ending}").replace('/', ""));
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        shown(&["report", &file(".jsonl", &format!("{saying}\n"))]);
        shown(&["verify", &file(".json", &format!("{{\"{saying}\": 1}}"))]);
        shown(&["--spec", &file(".yaml", &format!("dialect: x\n{saying}: 1\n")), "explain", "00000000"]);
        shown(&["explain", saying]);
        shown(&["run", "--only", saying, "--out", &place.path().join("run").display().to_string()]);
        shown(&["run", "--dialect", saying]);
        shown(&["report", &Path::new(saying).join("nowhere").display().to_string()]);
    }
}
