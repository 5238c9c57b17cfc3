//! The page that Godot 4's documentation has as stable: a dialect that no engine speaks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;

use crate::support::{CONFORM, conform, stdout};

const PAGE: &str = "dialect: of-the-page\nextends: godot-3\ninsert: {22: int64_array, 24: float64_array}\n";
const FLOATS: &str = "18000000010000000000000000000440";

#[test]
fn who_followed_the_page_is_told_so() {
    let mut spec = tempfile::NamedTempFile::with_suffix(".yaml").unwrap();
    spec.write_all(PAGE.as_bytes()).unwrap();
    let spec = spec.path().to_str().unwrap();
    let output = conform(&["identify", "--dialect", "of-the-page", "--", CONFORM, "serve", "--spec", spec]);
    let text = stdout(&output);
    assert!(text.contains("it speaks godot-docs-4, all 29 types"), "{text}");
    let advice = "you followed the outdated page: ids above 5 are wrong for every Godot 4, above 21 for Godot 3";
    assert!(text.contains(advice), "{text}");
}

#[test]
fn whose_dialect_engines_speak_gets_no_advice() {
    let text = stdout(&conform(&["identify", "python"]));
    assert!(text.contains("it speaks godot-3") && !text.contains("outdated") && !text.contains("redot"), "{text}");
}

#[test]
fn it_is_tested_only_where_it_is_claimed() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    let only = ["run", "--only", "**/float/*", "--derived", "none", "--out", out];
    assert!(stdout(&conform(&only)).contains("godot-docs-4"));
    let output = conform(&[&only[..], &["python"]].concat());
    let text = stdout(&output);
    assert!(text.contains("godot-3") && !text.contains("godot-docs-4") && !text.contains("redot"), "{text}");
}

#[test]
fn a_packet_is_explained_by_it_only_if_asked() {
    let text = stdout(&conform(&["explain", FLOATS]));
    assert!(text.contains("vector2_array") && !text.contains("godot-docs-4") && !text.contains("redot"), "{text}");
    let text = stdout(&conform(&["explain", FLOATS, "--dialect", "godot-docs-4"]));
    assert!(text.contains("float64_array") && text.contains("2.5"), "{text}");
}

/// Neither is what follows a STRUCT known nor that its id is refused.
#[test]
fn no_case_of_redot_has_an_id_that_is_not_known() {
    let text = stdout(&conform(&["list", "--dialect", "redot-26.3"]));
    assert!(text.contains("redot-26.3/vector4_array/"), "{text}");
    assert!(!text.contains("max-is-no-type") && !text.contains("first-free-id"), "{text}");
}
