//! Known findings on the command line: a list held against a run, blessed, as a page, and in the matrix.

use std::fs;
use std::path::PathBuf;

use rstest::rstest;
use tempfile::TempDir;
use variant_adapter::folder::sharing;
use variant_corpus::findings::{Findings, page};

use crate::support::{SPECS, command, root, scripted, text};

/// What narrow_bool.py does wrong.
const TRUE_LIST: &str = "implementation: narrow_bool.py\nintro: |\n  It is wrong.\nfindings:\n# Kept.\n
- id: only-1-is-true
  severity: low
  # This too.
  finding: 1 alone is true.
  packet: '`01000000 02000000`'
  expected: true.
  actual: false.
  consequence: Engines write 1.
  # And this.
  causes: [truth-only-one-is-true]
";

/// A cause that no failure has.
const DEAD: &str = "reads-backwards";

struct Place(TempDir);

impl Place {
    fn new(list: &str) -> Self {
        let place = Self(TempDir::new().unwrap());
        let folder = place.adapter();
        fs::create_dir_all(&folder).unwrap();
        fs::write(place.0.path().join("adapters/README.md"), "").unwrap();
        fs::write(folder.join("adapter.yaml"), format!("command: [python3, {}]\n", scripted("narrow_bool.py")))
            .unwrap();
        if !list.is_empty() {
            fs::write(place.list(), list).unwrap();
        }
        place
    }

    fn adapter(&self) -> PathBuf {
        self.0.path().join("adapters/flawed")
    }

    fn newer(&self) -> PathBuf {
        self.0.path().join("adapters/newer")
    }

    fn list(&self) -> PathBuf {
        self.adapter().join("findings.yaml")
    }

    fn conform(&self, args: &[&str]) -> (Option<i32>, String) {
        self.conform_in(".", args)
    }

    fn conform_in(&self, folder: &str, args: &[&str]) -> (Option<i32>, String) {
        let output = command(args).current_dir(self.0.path().join(folder)).output().unwrap();
        (output.status.code(), text(&output))
    }

    /// The page of the list, as `conform run --bless` writes it.
    fn write_page(&self) {
        let list = Findings::load(&self.list()).unwrap();
        fs::write(self.adapter().join("FINDINGS.md"), page(&list)).unwrap();
    }

    fn bless(&self) -> (Option<i32>, String, String) {
        let (status, text) = self.conform(&["run", "flawed", "--bless"]);
        (status, text, fs::read_to_string(self.list()).unwrap_or_default())
    }
}

/// A list with another cause in front.
fn with_cause(cause: &str) -> String {
    TRUE_LIST.replace("causes: [", &format!("causes: [{cause}, "))
}

#[rstest]
#[case::of_this_version(TRUE_LIST)]
#[case::by_tests(&TRUE_LIST.replace("causes: [truth-only-one-is-true]", "tests: ['*/bool/*-is-true:decode']"))]
#[ignore = "takes long: .ci/run runs it"]
fn a_list_that_is_true_stays_as_it_is(#[case] written: &str) {
    let place = Place::new(written);
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text, list) = place.bless();
    assert_eq!((status, list.as_str()), (Some(0), written), "{text}");
    assert!(text.contains("0 findings added, 0 to change"), "{text}");
}

#[test]
fn what_fails_besides_is_added_and_refused_until_somebody_says_why() {
    let place = Place::new("");
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(1));
    let (status, text, list) = place.bless();
    assert_eq!(status, Some(1), "{text}");
    let added = "- id: truth-only-one-is-true\n  finding: \"\"\n  causes: [truth-only-one-is-true]\n";
    assert_eq!(list, format!("findings:\n{added}"));
    for command in [["run", "flawed"].as_slice(), &["diff", "reference", "flawed"]] {
        let (status, text) = place.conform(command);
        assert_ne!(status, Some(0), "{text}");
        let why = "findings.yaml:2: `truth-only-one-is-true` has no finding; explain what is wrong and why";
        assert!(text.contains(why), "{text}");
    }
    let texts = "  finding: 1.\n  packet: x\n  expected: x\n  actual: x\n  consequence: x\n  severity: low\n";
    fs::write(place.list(), list.replace("  finding: \"\"\n", texts)).unwrap();
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(0));
}

/// Every crash has the same words: a list knows one by its type and operation, and hides no other.
#[rstest]
#[case::the_known("aabb", Some(0))]
#[case::another("packed", Some(1))]
fn a_known_crash_is_of_one_type(#[case] what: &str, #[case] exit: Option<i32>) {
    let died = "the-process-ends-exited-with-status-9/aabb";
    let list = TRUE_LIST.replace("truth-only-one-is-true", &format!("{died}:decode, {died}:encode"));
    let place = Place::new(&list);
    let command = format!("command: [python3, {}, exit, {what}]\n", scripted("faulty.py"));
    fs::write(place.adapter().join("adapter.yaml"), command).unwrap();
    let only = ["--quick", "--dialect", "godot-3", "--only", "godot-3/{aabb,byte_array}/**"];
    let (status, text) = place.conform(&[&["run", "flawed"], only.as_slice()].concat());
    assert_eq!(status, exit, "{text}");
}

/// What people wrote stays, and so does its order.
#[test]
fn what_is_added_stands_behind_the_last_finding() {
    let narrow = TRUE_LIST.replace("causes: [truth-only-one-is-true]", "tests: ['*/bool/two-is-true*']")
        + "\n# Behind.\nnotes: |\n  None.\n";
    let place = Place::new(&narrow);
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(1), "{text}");
    let (status, text, list) = place.bless();
    assert_eq!(status, Some(1), "{text}");
    let added = "- id: truth-only-one-is-true\n  finding: \"\"\n  causes: [truth-only-one-is-true]\n";
    assert!(list.contains(added), "{list}");
    assert_eq!(list.replace(added, ""), narrow);
}

#[rstest]
#[case::a_cause(&with_cause(DEAD), "`only-1-is-true` has the cause `reads-backwards`, and no failure of this run")]
#[case::tests(
    &(TRUE_LIST.to_owned() + "  tests: ['*/int/*:decode']\n"),
    "`only-1-is-true` has the tests `*/int/*:decode`, and no failure of this run"
)]
fn what_is_not_true_is_red(#[case] written: &str, #[case] said: &str) {
    let place = Place::new(written);
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(said) && text.contains("or the whole finding if it is fixed"), "{text}");
    // A person has to say what became of it.
    let (status, text, list) = place.bless();
    assert_eq!((status, list.as_str()), (Some(1), written), "{text}");
    assert!(text.contains(&format!("to do: findings.yaml: {said}")), "{text}");
}

#[rstest]
#[case(("1 alone is true.", "' '"), "7: `only-1-is-true` has no finding; explain what is wrong")]
#[case(("  severity: low\n", ""), "7: `only-1-is-true` has no severity; explain what is wrong")]
#[case(("  packet: '`01000000 02000000`'\n", ""), "7: `only-1-is-true` has no packet or value; explain what is wrong")]
#[case(("id: only-1-is-true", "id: only-1-is-true\n  title: Bool"), "7: `only-1-is-true` is not the anchor of its title; write `id: bool`")]
#[case(("findings:\n", "findings:\n- {id: only-1-is-true}\n"), "5: `only-1-is-true` has no finding")]
#[case(("  causes: [truth-only-one-is-true]\n", ""), "7: `only-1-is-true` has neither `causes` nor `tests`")]
#[case(("causes: [truth-only-one-is-true]", "tests: ['**:decode']"), "7: \"**:decode\" matches tests of any type and name")]
#[case(("causes: [truth-only-one-is-true]", "tests: ['*/bool/{two']"), "7: \"*/bool/{two\" is not a glob")]
#[case(("causes: [truth-only-one-is-true]", "tests: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]"), "7: a glob has 121 characters, but 120 is the limit")]
#[case(("causes:", "rule:"), "unknown field `rule`")]
#[case(("severity: low", "severity: none"), "8: findings[0].severity: unknown variant")]
fn what_is_wrong_with_a_list_is_said(#[case] (from, to): (&str, &str), #[case] why: &str) {
    let place = Place::new(&TRUE_LIST.replace(from, to));
    let said = Findings::load(&place.list()).unwrap_err().to_string();
    assert!(said.contains(why), "{said}");
}

#[test]
fn lint_looks_for_the_erratum() {
    let place = Place::new(&TRUE_LIST.replace("severity: low", "severity: low\n  erratum: none"));
    place.write_page();
    let problems = Findings::problems(&place.adapter(), &[], &SPECS);
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(
        text.len() == 1
            && text[0].ends_with("findings.yaml:7: documentation error \"none\" is not in specs/errata.yaml"),
        "{text:?}"
    );
}

/// The page comes from the list, and lint says where it does not.
#[test]
fn the_page_says_what_the_list_says() {
    let place = Place::new(TRUE_LIST);
    let (status, text) = place.conform(&["lint"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("FINDINGS.md: does not match findings.yaml; update it with `conform run flawed --bless`"));
    assert_eq!(place.bless().0, Some(0));
    assert_eq!(Findings::problems(&place.adapter(), &[], &SPECS), []);
    let page = fs::read_to_string(place.adapter().join("FINDINGS.md")).unwrap();
    insta::assert_snapshot!(page);
}

/// Those of this project are in step too.
#[test]
fn lists_of_this_project_can_be_read() {
    let mut lists = 0;
    for entry in fs::read_dir(root().join("adapters")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("findings.yaml").is_file() {
            assert_eq!(Findings::problems(&folder, &sharing(&folder), &SPECS), []);
            lists += 1;
        }
    }
    assert!(lists > 0);
}

#[rstest]
#[case::the_reference(&["run", "--bless"], "the reference codec has no list")]
#[case::a_part(&["run", "flawed", "--bless", "--only", "**"], "cannot be used with")]
#[case::with_a_baseline(&["run", "flawed", "--bless", "--baseline", "x"], "cannot be used with")]
#[case::a_quick_run(&["run", "flawed", "--bless", "--quick"], "cannot be used with")]
fn there_must_be_a_list_and_a_whole_run(#[case] args: &[&str], #[case] why: &str) {
    let (status, text) = Place::new("").conform(args);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains(why), "{text}");
}

/// Double precision is tested only if it is asked for: until then, nothing is known of such tests.
#[test]
fn tests_of_a_dialect_that_is_not_tested_stay() {
    let list = TRUE_LIST.to_owned() + "  tests: ['godot-3+double/int/*']\n";
    let place = Place::new(&list);
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text, after) = place.bless();
    assert_eq!((status, after), (Some(0), list), "{text}");
}

/// What is no longer true makes a run fail, and so every report of it.
#[rstest]
#[case("junit", "<failure")]
#[case("annotations", "::error title=conform::1 expectation no longer true: ")]
#[case("markdown", "no longer true")]
#[ignore = "takes long: .ci/run runs it"]
fn a_stale_cause_is_in_every_report(#[case] format: &str, #[case] shown: &str) {
    let place = Place::new(&with_cause(DEAD));
    assert_eq!(place.conform(&["run", "flawed", "--out", "here"]).0, Some(1));
    let (_, text) = place.conform(&["report", "here", "--format", format]);
    assert!(text.contains(shown) && text.contains("delete it"), "{text}");
}

/// Adapters for several versions of a library share a list: `newer` is flawed too.
fn shared(list: &str) -> Place {
    let place = Place::new(list);
    let settings = fs::read_to_string(place.adapter().join("adapter.yaml")).unwrap();
    fs::create_dir(place.newer()).unwrap();
    fs::write(place.newer().join("adapter.yaml"), settings + "findings: flawed\n").unwrap();
    place
}

/// A finding that only the other one shows.
fn of_newer() -> String {
    let block = &TRUE_LIST[TRUE_LIST.find("- id").unwrap()..TRUE_LIST.find("\n  # And").unwrap()];
    let block = block.replace("only-1-is-true", "another").replace("low\n", "low\n  adapters: [newer]\n");
    format!("{TRUE_LIST}{block}\n  causes: [{DEAD}]\n")
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn adapters_may_share_a_list() {
    let place = shared(&of_newer());
    assert_eq!(place.conform(&["run", "flawed"]).0, Some(0));
    let (status, text) = place.conform(&["run", "newer"]);
    assert_eq!(status, Some(1), "{text}");
    let said = "findings.yaml: `another` has the cause `reads-backwards`, and no failure of this run";
    assert!(text.contains(said) && text.contains("or name in `adapters` those that still show it"), "{text}");
    place.conform(&["matrix", "newer"]);
    let matrix = fs::read_to_string(place.0.path().join("reports/matrix.md")).unwrap();
    assert!(matrix.contains("(../adapters/flawed/FINDINGS.md#only-1-is-true)"), "{matrix}");
}

/// A cause that one of them does not show may be one of another.
#[test]
fn what_may_be_true_of_another_adapter_is_no_longer_asked_for() {
    let place = shared(&with_cause(DEAD));
    let (status, text) = place.conform(&["run", "flawed"]);
    assert_eq!(status, Some(0), "{text}");
    fs::write(place.list(), TRUE_LIST.replace("causes: [truth-only-one-is-true]", "tests: ['*/bool/two-is-true*']"))
        .unwrap();
    let (status, text, after) = place.bless();
    assert_eq!(status, Some(1), "{text}");
    assert!(
        after.ends_with(
            "- id: truth-only-one-is-true\n  adapters: [flawed]\n  finding: \"\"\n  causes: [truth-only-one-is-true]\n"
        ),
        "{after}"
    );
}

/// Whatever the path, it is the same adapter and the same list.
#[rstest]
#[case::in_the_folder_of_adapters("adapters", &["run", "flawed/"])]
#[case::in_its_own_folder("adapters/flawed", &["run", "."])]
fn a_list_is_shared_by_whatever_path(#[case] folder: &str, #[case] args: &[&str]) {
    let place = shared(&of_newer());
    let (status, text) = place.conform_in(folder, &[args, &["--bless"]].concat());
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn a_list_that_is_shared_is_not_that_of_a_third() {
    let place = shared(TRUE_LIST);
    fs::create_dir(place.0.path().join("adapters/newest")).unwrap();
    let settings = "command: [python3]\nfindings: newer\n";
    fs::write(place.0.path().join("adapters/newest/adapter.yaml"), settings).unwrap();
    let (status, text) = place.conform(&["run", "newest"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("`findings: newer`: that adapter shares the list of flawed; name flawed"), "{text}");
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn nothing_leads_to_a_finding_that_the_site_does_not_have() {
    let place = shared(&TRUE_LIST.replace("  severity: low\n", "  severity: low\n  adapters: [flawed]\n"));
    assert_eq!(place.conform(&["run", "flawed", "--out", "here"]).0, Some(0));
    fs::remove_file(place.list()).unwrap();
    assert_eq!(place.conform(&["site", "site", "--results", "here/results.jsonl"]).0, Some(0));
    for page in fs::read_dir(place.0.path().join("site/implementations")).unwrap() {
        let page = fs::read_to_string(page.unwrap().path()).unwrap();
        assert!(!page.contains("href=\"#only-1-is-true\"") || page.contains("id=\"only-1-is-true\""), "{page}");
    }
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn lint_knows_who_shares_a_list() {
    let place = shared(&TRUE_LIST.replace("  severity: low\n", "  severity: low\n  adapters: [flawed, older]\n"));
    place.write_page();
    let (status, text) = place.conform(&["lint"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("findings.yaml:7: \"older\" does not use this list (flawed, newer do)"), "{text}");
    let settings = fs::read_to_string(place.newer().join("adapter.yaml")).unwrap();
    for (name, why) in [("older", "there is no folder "), ("../flawed", "is the name of an adapter beside this one")] {
        let settings = settings.replace("findings: flawed", &format!("findings: {name}"));
        fs::write(place.newer().join("adapter.yaml"), settings).unwrap();
        let (status, text) = place.conform(&["run", "newer"]);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains("newer/adapter.yaml:2: `findings:") && text.contains(why), "{text}");
    }
}

/// Nothing was learned of an adapter that claims nothing: its list stays.
#[test]
fn nothing_claimed_is_nothing_blessed() {
    let place = Place::new(&with_cause(DEAD));
    let yaml = format!("command: [python3, {}, claims-less]\n", scripted("gated.py"));
    fs::write(place.adapter().join("adapter.yaml"), yaml).unwrap();
    let (status, text, list) = place.bless();
    assert_eq!((status, list), (Some(4), with_cause(DEAD)), "{text}");
    // Neither a run nor the matrix calls that a success.
    fs::remove_file(place.list()).unwrap();
    assert_eq!(place.conform(&["run", "flawed", "--out", "here"]).0, Some(4));
    let (status, text) = place.conform(&["matrix", "flawed"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(", no type supported"), "{text}");
}

#[test]
fn of_a_part_it_is_not_said_what_is_no_longer_true() {
    let place = Place::new(&with_cause(DEAD));
    assert_eq!(place.conform(&["run", "flawed", "--quick"]).0, Some(0));
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
    let page = fs::read_to_string(place.0.path().join("reports/matrix.md")).unwrap();
    assert!(!page.contains(&place.0.path().display().to_string()), "{page}");
    assert!(page.contains("| absent | | | | **not run**"), "{page}");
    assert!(page.contains("is not supported"), "{page}");
    insta::assert_snapshot!(page.split_once("## Implementations").unwrap().1);
    assert_eq!(place.conform(&["matrix", "flawed"]).0, Some(0));
    assert_eq!(place.conform(&["matrix", "nobody"]).0, Some(2));
}
