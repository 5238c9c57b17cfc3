//! Which dialect an implementation speaks, whatever it says.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

use rstest::rstest;
use variant_adapter::identify::identify;
use variant_selftest::{Faulty, mutants};
use variant_specs::{Reading, Specs};

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
    let identify = |types: &str| {
        let claims = format!(r#"{{"dialects": ["godot-3"], "types": [{types}]}}"#);
        conform(&["identify", "--", "python3", "harness/cli/tests/adapters/flawed.py", "hello", &claims])
    };
    let output = identify(r#""int", "float", "string", "vector2""#);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "tested as godot-3: it speaks godot-3 or pandemonium-27 (4 of 27 types), judged by the types that it claims; these packets do \
         not distinguish them\n"
    );
    let output = identify(r#""int", "float", "string", "vector2", "vector3""#);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&output), @"
    tested as godot-3: it has the ids of godot-3 or pandemonium-27 (4 of 27 types), judged by the types that it reads; these packets do not distinguish them
      it claims but does not read 1 type:
      id  expected  it reads  shown by
       7  vector3   refused   07000000, then zeros
    ");
}

/// The table of ids decides. Bugs are listed, and change nothing about it.
#[rstest]
#[case("godot-3-to-19", "godot-3 or pandemonium-27 (20 of 27 types)")]
#[case("godot-4.0", "godot-4.0 (33 of 38 types)")]
#[case("godot-4.3", "godot-4.3")]
fn bugs_do_not_change_the_table(
    #[case] table: &str,
    #[case] names: &str,
    #[values("", "padding", "utf16", "narrow", "unknown-is-null", "padding,utf16,narrow,unknown-is-null")] bugs: &str,
    #[values(false, true)] claims: bool,
) {
    let adapter = ["identify", "--", "python3", "harness/cli/tests/adapters/renumbered.py", table, bugs];
    let output = conform(&[&adapter[..], if claims { &["claims"] } else { &[] }].concat());
    let text = stdout(&output);
    assert!(text.contains(" the ids of ") || text.contains("it speaks "), "{text}");
    assert!(text.contains(&format!(" {names}")), "{text}");
    assert_eq!(text.contains("int, with another value"), bugs.contains("narrow"), "{text}");
    // It claims types that are not in its table.
    assert_eq!(output.status.code(), Some(i32::from(!claims)), "{text}");
    assert!(!text.contains("another type"), "{text}");
}

/// Each fault of the selftest but those of the tables themselves, in the dialects with the most different rules.
#[rstest]
fn no_fault_makes_another_dialect(#[values("godot-2", "godot-3", "godot-4.4", "pandemonium-40")] name: &str) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(name).unwrap();
    let (mut tried, mut wrong) = (0, Vec::new());
    for mutant in mutants(&specs, dialect) {
        let id = mutant.id.clone();
        // One whose every answer is the one before shows another table at each request.
        if !id.contains("/behaviour/") || id.ends_with(":encode") || id.contains("/one-answer-late:") {
            continue;
        }
        tried += 1;
        let mut faulty = Faulty::new(mutant, dialect, Reading::Engine);
        let found = identify(&mut faulty, &specs, &[name.to_owned()]).unwrap();
        let names: Vec<&String> = found[0].nearest.iter().flat_map(|found| &found.dialects).collect();
        if !names.iter().any(|other| *other == name) || !found[0].nearest[0].ids.is_empty() {
            wrong.push(format!("{id}: {}", found[0].render(&specs)));
        }
    }
    assert!(tried > 60, "{tried}");
    assert_eq!(wrong, Vec::<String>::new(), "of {tried}");
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
    assert_eq!(stdout(&output), "tested as no-such-dialect: it does not reply\n");
}
