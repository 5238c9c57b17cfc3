//! The page that Godot 4's documentation has as stable: a dialect that no engine speaks.

use crate::support::{conform, stdout};

const FLOATS: &str = "18000000010000000000000000000440";

#[test]
fn it_is_tested_only_where_it_is_claimed() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    let only = ["run", "--only", "**/float/*", "--quick", "--out", out];
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
