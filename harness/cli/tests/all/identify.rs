//! Which dialect an implementation speaks, whatever it says.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

use rstest::rstest;

use crate::support::{conform, stdout};

#[rstest]
#[case::reference(&["identify"])]
#[case::python(&["identify", "python"])]
fn a_right_implementation_speaks_what_it_says(#[case] args: &[&str]) {
    let output = conform(args);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for name in ["godot-2", "godot-3", "pandemonium-38", "pandemonium-40", "pandemonium-38+double"] {
        assert!(text.contains(&format!("tested as {name}: it speaks {name}")), "{text}");
    }
}

#[test]
fn another_table_is_named() {
    let output = conform(&["identify", "--", "python3", "harness/cli/tests/adapters/renumbered.py", "mislabelled"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "tested as godot-3: it speaks pandemonium-40, all 40 types\n");
}

#[test]
fn a_table_that_nobody_has_is_named_by_what_it_leaves() {
    let output = conform(&["identify", "--", "python3", "harness/cli/tests/adapters/renumbered.py", "swapped"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&output));
}

/// What it does not claim it may refuse.
#[test]
fn one_that_claims_a_part_speaks_a_dialect_as_far_as_that_goes() {
    let adapter = ["identify", "--", "python3", "harness/cli/tests/adapters/flawed.py"];
    let output = conform(&adapter);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "tested as godot-3: it speaks godot-3 or pandemonium-27 (4 of 27 types), as far as it claims types; these packets do \
         not tell them apart\n"
    );
    let claims = r#"{"types": ["int", "float", "string", "vector2", "vector3"]}"#;
    let output = conform(&[&adapter[..], &["hello", claims]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("from which it differs at 1 of 27 ids, and it claims 5 of its types\n"), "{text}");
    assert!(text.contains("   7  vector3               refused  "), "{text}");
}

#[test]
fn a_fork_is_identified_too() {
    let args = ["identify", "--spec", "specs/examples/point2i.yaml", "--dialect", "fork-with-point2i"];
    assert_eq!(stdout(&conform(&args)), "tested as fork-with-point2i: it speaks fork-with-point2i, all 28 types\n");
}

#[test]
fn what_answers_nothing_is_nothing() {
    let output = conform(&["identify", "python", "--dialect", "no-such-dialect"]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(stdout(&output), "tested as no-such-dialect: it replies to nothing\n");
}
