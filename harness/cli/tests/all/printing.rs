//! Output that nobody reads, or that there is no room for: no command panics, and all say so in one way.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::{Output, Stdio};
use std::sync::LazyLock;

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{command, conform, scripted};

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// A folder with a record, and what else commands read. `AT` in a command is this folder.
static PLACE: LazyLock<TempDir> = LazyLock::new(|| {
    let place = TempDir::new().unwrap();
    let out = place.path().display().to_string();
    conform(&["certify", "--dialect", "godot-2", "--out", &out]);
    let shard = place.path().join("shard.jsonl").display().to_string();
    conform(&["diff", "reference", "reference", "--dialect", "godot-2", "--cases", "10", "--out", &shard]);
    // A corpus of one file, which lint has something to say about.
    std::fs::create_dir(place.path().join("corpus")).unwrap();
    let case = "family: true\ntype: bool\ncases:\n  - {name: a, class: open, why: silent, value: !bool true}\n";
    std::fs::write(place.path().join("corpus/bool.yaml"), case).unwrap();
    place
});

#[cfg(target_os = "linux")]
#[rstest]
#[case("explain 00000000")]
#[case("list --dialect godot-2")]
#[case("list --only godot-3/bool/*")]
#[case("vet -- python3 NULL")]
#[case("identify --dialect godot-3 -- python3 NULL")]
#[case("new-adapter python NEW")]
#[case("lint --corpus AT/corpus")]
#[case("verify AT/certificate.json")]
#[case("report AT/results.jsonl")]
#[case("report --format tap AT/results.jsonl")]
#[case("gate AT/results.jsonl AT/results.jsonl")]
#[case("merge AT/shard.jsonl")]
#[case("changes corpus/released.txt corpus/released.txt")]
#[case("findings gd-com")]
#[case("export --schema")]
#[case("run --only godot-3/bool/* --out NEW")]
#[case("diff reference reference --dialect godot-2 --cases 10")]
fn a_full_or_closed_stdout_is_no_panic(#[case] line: &str) {
    let new = TempDir::new().unwrap();
    let at = PLACE.path().display().to_string();
    // `new-adapter` writes only once into a folder.
    let args = |turn: &str| -> Vec<String> {
        let new = new.path().join(turn).display().to_string();
        let line = line.replace("AT", &at).replace("NEW", &new).replace("NULL", &scripted("null.py"));
        line.split(' ').map(str::to_owned).collect()
    };
    let usual = command(&[]).args(args("usual")).output().unwrap();
    let printed = !usual.stdout.is_empty();

    let mut closed = command(&[]);
    let mut child = closed.args(args("closed")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let closed = child.wait_with_output().unwrap();
    assert_eq!(closed.status.code(), usual.status.code(), "{line}: {}", said(&closed));

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let full = command(&[]).args(args("full")).stdout(full).output().unwrap();
    let text = said(&full);
    // A gate without changes has nothing to print.
    if printed {
        assert_eq!(full.status.code(), Some(5), "{line}: {text}");
        assert!(text.contains("the output cannot be printed"), "{line}: {text}");
    }
}

/// Nobody can be told, and that is all.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stderr_is_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["report", "missing.jsonl"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
