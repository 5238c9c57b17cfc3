//! Lists of expected failures on the command line, and the matrix that shows them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

/// What narrow_bool.py does wrong.
const TRUE_LIST: &str = "# Kept.\n
- cases: \"godot-3/bool/{second-byte-alone-is-true,sign-bit-alone-is-true,two-is-true}:decode\"
  verdict: fail/wrong-value
  # This too.
  reason: 1 alone is true
  evidence: FINDINGS.md#true
";

struct Place(TempDir);

impl Place {
    fn new(list: &str) -> Self {
        let place = Self(TempDir::new().unwrap());
        let folder = place.adapter();
        fs::create_dir_all(&folder).unwrap();
        fs::write(place.0.path().join("adapters/README.md"), "").unwrap();
        let program = root().join("harness/cli/tests/adapters/narrow_bool.py");
        fs::write(folder.join("adapter.yaml"), format!("command: [python3, {}]\n", program.display())).unwrap();
        fs::write(folder.join("FINDINGS.md"), "## True\n").unwrap();
        if !list.is_empty() {
            fs::write(place.list(), list).unwrap();
        }
        place
    }

    fn adapter(&self) -> PathBuf {
        self.0.path().join("adapters/flawed")
    }

    fn list(&self) -> PathBuf {
        self.adapter().join("expected-failures.yaml")
    }

    fn conform(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut conform = Command::new(env!("CARGO_BIN_EXE_conform"));
        let corpus = fs::canonicalize(root().join("corpus")).unwrap();
        conform.current_dir(self.0.path()).arg("--corpus").arg(corpus).args(args);
        let Output { status, stdout, stderr } = conform.output().unwrap();
        (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
    }

    fn bless(&self) -> (Option<i32>, String, String) {
        let (status, text) = self.conform(&["run", "flawed", "--bless"]);
        (status, text, fs::read_to_string(self.list()).unwrap_or_default())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_list_that_is_true_stays_as_it_is() {
    let place = Place::new(TRUE_LIST);
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(0));
    let (status, text, list) = place.bless();
    assert_eq!((status, list.as_str()), (Some(0), TRUE_LIST), "{text}");
    assert!(text.contains("1 entries stay, 0 are narrower, 0 are gone, 0 are new"), "{text}");
}

#[test]
fn what_fails_besides_is_added_and_refused_until_somebody_says_why() {
    let place = Place::new("");
    let (status, text, list) = place.bless();
    assert_eq!(status, Some(1), "{text}");
    assert_eq!(
        list,
        "- cases: \"godot-3/bool/{second-byte-alone-is-true,sign-bit-alone-is-true,two-is-true}:decode\"\n  \
         verdict: fail/wrong-value\n  reason: \"\"\n  evidence: \"\"\n"
    );
    for command in [["run", "flawed"].as_slice(), &["lint"]] {
        let (status, text) = place.conform(command);
        assert_ne!(status, Some(0), "{text}");
        assert!(text.contains("has no reason; say why, and where it can be seen"), "{text}");
    }
    let told = list.replacen("\"\"", "1 alone is true", 1).replacen("\"\"", "FINDINGS.md#true", 1);
    fs::write(place.list(), told).unwrap();
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(0));
}

#[rstest]
#[case::too_wide(
    "- cases: \"godot-3/bool/*:decode\"\n  verdict: fail/wrong-value\n  reason: why\n  evidence: seen\n",
    "narrow the glob",
    "- cases: \"godot-3/bool/{second-byte-alone-is-true,sign-bit-alone-is-true,two-is-true}:decode\"\n  \
     verdict: fail/wrong-value\n  reason: why\n  evidence: seen\n"
)]
#[case::of_nothing(
    &format!("{TRUE_LIST}- cases: \"godot-3/int/*\"\n  verdict: crashed\n  reason: why\n  evidence: seen\n"),
    "delete the entry, or mend its",
    TRUE_LIST
)]
#[case::another_version_is_left_alone(
    &format!("{TRUE_LIST}- cases: \"godot-3/int/*\"\n  verdict: crashed\n  reason: why\n  evidence: seen\n  versions: \">=2\"\n"),
    "",
    &format!("{TRUE_LIST}- cases: \"godot-3/int/*\"\n  verdict: crashed\n  reason: why\n  evidence: seen\n  versions: \">=2\"\n")
)]
fn what_is_not_true_is_mended(#[case] before: &str, #[case] said: &str, #[case] after: &str) {
    let place = Place::new(before);
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(if said.is_empty() { 0 } else { 1 }), "{text}");
    assert!(text.contains(said), "{text}");
    let (status, text, list) = place.bless();
    assert_eq!((status, list.as_str()), (Some(0), after), "{text}");
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(0));
}

#[test]
fn another_verdict_is_another_failure() {
    let place = Place::new(&TRUE_LIST.replace("fail/wrong-value", "crashed"));
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(1));
    let (status, text, list) = place.bless();
    assert_eq!(status, Some(1), "{text}");
    assert!(list.contains("fail/wrong-value\n  reason: \"\"") && !list.contains("crashed"), "{list}");
}

#[rstest]
#[case::the_reference(&["run", "--bless"], "the reference codec has no list")]
#[case::a_part(&["run", "flawed", "--bless", "--only", "**"], "cannot be used with")]
fn there_must_be_a_list_and_a_whole_run(#[case] args: &[&str], #[case] why: &str) {
    let (status, text) = Place::new("").conform(args);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains(why), "{text}");
}

#[test]
fn lint_looks_for_the_evidence() {
    let place = Place::new(&TRUE_LIST.replace("#true", "#false"));
    let (status, text) = place.conform(&["lint"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("expected-failures.yaml:3: evidence \"FINDINGS.md#false\": no heading"), "{text}");
}

#[test]
fn of_a_part_it_is_not_said_what_is_no_longer_true() {
    let list = format!("{TRUE_LIST}- cases: \"godot-3/int/*\"\n  verdict: crashed\n  reason: why\n  evidence: seen\n");
    let place = Place::new(&list);
    assert_eq!(place.conform(&["run", "flawed", "--derived", "none"]).0, Some(0));
}

#[test]
fn the_matrix_shows_who_does_what() {
    let place = Place::new(TRUE_LIST);
    fs::create_dir(place.0.path().join("adapters/absent")).unwrap();
    let yaml = "command: [./no-such-program]\ninstall: ./install\n";
    fs::write(place.0.path().join("adapters/absent/adapter.yaml"), yaml).unwrap();
    let (status, text) = place.conform(&["matrix", "flawed", "absent"]);
    // One of them is not there.
    assert_eq!(status, Some(5), "{text}");
    assert!(text.contains("absent: NOT RUN, it could not be started; adapters/absent/install installs it"), "{text}");
    let read = |name: &str| fs::read_to_string(place.0.path().join("reports").join(name)).unwrap();
    let (page, json) = (read("matrix.md"), read("matrix.json"));
    for text in [&page, &json] {
        assert!(!text.contains(&place.0.path().display().to_string()), "{text}");
    }
    assert!(page.contains("| absent | | | | **not run**"), "{page}");
    assert!(page.contains("not claimed"), "{page}");
    let matrix: Value = serde_json::from_str(&json).unwrap();
    let names: Vec<&str> =
        matrix["implementations"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["absent", "flawed"]);
    let flawed = &matrix["implementations"][1]["dialects"][0];
    let (null, bool, int) = (&flawed["types"][0], &flawed["types"][1], &flawed["types"][2]);
    assert_eq!((&null["layout"], &null["decode"]["mark"]), (&"null".into(), &"ok".into()));
    assert_eq!(bool["decode"]["mark"], "known");
    assert_eq!(bool["decode"]["verdicts"]["authored"]["fail/wrong-value"], 3);
    assert_eq!(bool["decode"]["findings"][0], "adapters/flawed/FINDINGS.md#true");
    assert_eq!((&int["decode"]["mark"], &int["decode"]["passed"]), (&"unclaimed".into(), &0.into()));
    assert_eq!(place.conform(&["matrix", "flawed"]).0, Some(0));
    assert_eq!(place.conform(&["matrix", "nobody"]).0, Some(2));
}
