//! Ways to a green that is not deserved: each must be refused, with the reason. To try another, add a line.

use std::fs;
use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{command, root, sealed, text};

/// The words of a command; `AT` in them is the folder of the case, and `BAD` the adapter `faulty.py`. `in FOLDER` in front
/// of it says where it runs, and `+` is a space within a word.
fn words(line: &str, at: &Path) -> Vec<String> {
    let line = line.replace("BAD", "-- python3 harness/cli/tests/adapters/faulty.py");
    line.split_whitespace().map(|word| word.replace("AT", at.to_str().unwrap()).replace('+', " ")).collect()
}

fn run(line: &str, at: &Path) -> (Option<i32>, String) {
    let mut words = words(line, at);
    let here = if words[0] == "in" { words.drain(..2).nth(1).unwrap().into() } else { root() };
    let output = command(&[]).current_dir(here).args(words).output().unwrap();
    (output.status.code(), text(&output))
}

/// `conform` is run on what is made of nothing, or on an adapter that is wrong. With `;`, the last command counts.
#[rstest]
#[case::tests_that_nobody_can_judge(
    "run --dialect godot-3 --only godot-3/packet/*~id-5:decode --out AT/run",
    4,
    "nothing was decided"
)]
#[case::a_filter_that_matches_nothing("run --only nothing/* --out AT/run", 4, "there is nothing to test")]
#[case::no_command("run --out AT/run -- AT/no-such-program", 3, "no-such-program")]
#[case::nothing_claimed(
    "run --dialect godot-3 --out AT/run -- python3 harness/cli/tests/adapters/gated.py claims-less",
    4,
    "the handshake supports no type"
)]
#[case::a_baseline_of_another_dialect(
    "run --dialect godot-2 --only godot-2/null/* --out AT/old ; run --dialect godot-3 --baseline AT/old --out AT/run",
    2,
    "the baseline tests godot-2, and this run tests godot-3"
)]
#[case::a_death_at_the_end(
    "run --dialect godot-3 --only godot-3/null/** --out AT/run BAD exit end",
    1,
    "after its last reply, it exited with status 9"
)]
#[case::a_death_at_the_end_of_a_campaign(
    "diff reference --dialect godot-3 --cases 500 BAD exit end",
    1,
    "after its last reply, it exited with status 9"
)]
#[case::a_death_at_the_end_of_an_exchange(
    "interop reference python3+harness/cli/tests/adapters/faulty.py+exit+end --dialect godot-3",
    1,
    "after its last reply, it exited with status 9"
)]
#[case::an_engine_of_another_dialect("run --out AT/run BAD old-engine never", 3, "it must be one of Godot 3.1–3.6")]
#[case::a_rough_engine("run --out AT/run BAD rough-engine never", 3, "it must be a version such as")]
#[case::a_baseline_that_is_not_there("run --baseline AT/none --out AT/run", 2, "none: ")]
#[case::a_cut_corpus("in AT/cut certify --dialect godot-3 --out AT/run", 5, "no certificate: not all tests ran")]
#[case::a_run_of_a_cut_corpus(
    "in AT/cut run --dialect godot-3 --out AT/run",
    5,
    "cases that this conform has, such as godot-3/"
)]
#[case::an_engine_that_nobody_understands("run --out AT/run BAD engine never", 3, "it must be a version such as")]
#[case::a_sanitizer_before_a_long_log(
    "run --dialect godot-3 --only godot-3/null/** --out AT/run BAD sanitizer end",
    1,
    "but reported: ==7==ERROR: LeakSanitizer"
)]
#[case::its_bytes_unread(
    "run --dialect godot-3 --only godot-3/vector2/** --out AT/run BAD echo-only each",
    1,
    "reads 1 of 1 type, writes 1; 2 causes"
)]
#[case::a_large_array_that_is_null(
    "run --dialect godot-3 --only godot-3/array/empty-is-a-count-alone* --timeout 9 --out AT/run BAD null long",
    1,
    "~grown:decode"
)]
#[case::what_passed_hangs_and_is_skipped(
    "run --dialect godot-3 --quick --only godot-3/aabb/** --out AT/old BAD hang never ; \
     run --dialect godot-3 --quick --only godot-3/aabb/** --out AT/run --timeout 0.3 --baseline AT/old BAD hang aabb",
    1,
    " lost ("
)]
fn nothing_is_green_by_itself(#[case] line: &str, #[case] exit: i32, #[case] said: &str) {
    let place = TempDir::new().unwrap();
    let cut = place.path().join("cut/corpus");
    fs::create_dir_all(cut.join("godot-3")).unwrap();
    for (from, to) in
        [("VERSION", "VERSION"), ("tags.yaml", "tags.yaml"), ("godot-3/00-null.yaml", "godot-3/00-null.yaml")]
    {
        fs::copy(root().join("corpus").join(from), cut.join(to)).unwrap();
    }
    let last = line.split(" ; ").map(|line| run(line, place.path())).last();
    let (status, text) = last.unwrap();
    assert_eq!(status, Some(exit), "{text}");
    assert!(text.contains(said), "{text}");
}

/// How a record is changed.
type Change = fn(&mut Vec<Value>);

fn results(lines: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    lines.iter_mut().filter(|line| line["kind"] == "verdict")
}

fn first_pass(lines: &mut [Value]) -> &mut Value {
    results(lines).find(|line| line["verdict"] == "pass").unwrap()
}

/// The record of the reference codec is changed, sealed again or not, and compared with itself.
#[rstest]
#[case::a_verdict(|lines: &mut Vec<Value>| first_pass(lines)["verdict"] = json!("declared-loss"), false, 2, "this record was changed")]
#[case::a_verdict_that_counts_the_same(|lines: &mut Vec<Value>| first_pass(lines)["level"] = json!("should"), false, 2, "this record was changed")]
#[case::the_plan(|lines: &mut Vec<Value>| lines[0]["handshake"]["name"] = json!("other"), false, 2, "this record was changed")]
#[case::no_digest(|lines: &mut Vec<Value>| { lines.last_mut().unwrap().as_object_mut().unwrap().remove("digest"); }, false, 2, "missing field `digest`")]
#[case::what_passed_is_skipped(
    |lines: &mut Vec<Value>| {
        first_pass(lines)["verdict"] = json!("skipped");
        let end = lines.last_mut().unwrap();
        end["executed"] = json!(end["executed"].as_u64().unwrap() - 1);
    },
    true,
    1,
    "lost  pass → skipped"
)]
#[case::cut(|lines: &mut Vec<Value>| { lines.pop(); }, false, 5, "incomplete")]
fn a_changed_record_is_not_green(#[case] change: Change, #[case] seals: bool, #[case] exit: i32, #[case] said: &str) {
    let place = TempDir::new().unwrap();
    let (status, text) = run("run --only godot-3/int/* --dialect godot-3 --out AT/run", place.path());
    assert_eq!(status, Some(0), "{text}");
    let record = fs::read_to_string(place.path().join("run/results.jsonl")).unwrap();
    let mut lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut lines);
    let changed: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(place.path().join("changed.jsonl"), if seals { sealed(&changed) } else { changed }).unwrap();
    let (status, text) = run("gate AT/run/results.jsonl AT/changed.jsonl", place.path());
    assert_eq!(status, Some(exit), "{text}");
    assert!(text.contains(said), "{text}");
}
