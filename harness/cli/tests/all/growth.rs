//! Answers that are right and whose time grows with the square of the elements: they are found, with both figures.

use variant_corpus::verdict::Verdict;

use crate::support::{command, record_in, scripted};

/// What a run says of the growth of this adapter, where it is of this verdict.
fn notes_of(verdict: Verdict, only: &str, adapter: &[&str], timeout: &str) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let mut run = command(&["run", "--only", only, "--timeout", timeout, "--out"]);
    run.arg(out.path().join("run")).args(["--", "python3"]).arg(scripted(adapter[0])).args(&adapter[1..]);
    run.output().unwrap();
    let record = record_in(&out.path().join("run"));
    let grown = record.verdicts.iter().filter(|result| result.test.contains("~grown:"));
    grown
        .filter(|result| result.verdict == verdict)
        .map(|result| result.detail.as_ref().unwrap().note.clone())
        .collect()
}

fn notes(adapter: &[&str], timeout: &str) -> Vec<String> {
    notes_of(Verdict::Resource, "godot-3/array/empty-is-a-count-alone*", adapter, timeout)
}

/// Where everyday arrays hung already, that is a result too.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn growth_that_could_not_be_tried_is_recorded() {
    let notes = notes_of(Verdict::Skipped, "godot-3/array/*", &["square.py", "silent"], "0.5");
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.starts_with("not tried: 3 tests with array"), "{note}");
}

#[test]
#[ignore = "waits for a slow adapter: .ci/run runs it"]
fn a_time_that_grows_with_the_square_is_named_with_both_figures() {
    let notes = notes(&["square.py"], "60");
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.starts_with("20000 elements took ") && note.contains(" and 160000 took "), "{note}");
    assert!(note.ends_with(" times as long for each"), "{note}");
}

/// Whoever does not reply to the larger one is named with the time that the smaller one took.
#[test]
#[ignore = "waits for a slow adapter: .ci/run runs it"]
fn no_answer_in_time_is_named_too() {
    let notes = notes_of(Verdict::TimedOut, "godot-3/array/empty-is-a-count-alone*", &["square.py", "hang"], "0.5");
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.starts_with("did not reply in ") && note.contains("; 20000 elements took "), "{note}");
}

#[test]
fn a_time_that_grows_with_the_elements_is_none() {
    assert_eq!(notes(&["square.py", "linear"], "60"), Vec::<String>::new());
}
