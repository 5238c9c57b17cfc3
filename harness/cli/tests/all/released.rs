//! Ids that people pin: what was released is not changed, dropped or renamed without a word.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;

use rstest::rstest;
use tempfile::TempDir;
use variant_corpus::Corpus;
use variant_corpus::released::{LIST, Released, check};

use crate::support::{SPECS, conform, root, text};

/// A part of the corpus of this repository in a folder of its own, as if it were released now.
struct Copy(TempDir);

impl Copy {
    fn new() -> Self {
        let copy = Self(TempDir::new().unwrap());
        let from = root().join("corpus");
        for file in ["VERSION", "flags.yaml", "family/vector2.yaml", "godot-3/05-vector2.yaml"] {
            let to = copy.corpus().join(file);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(from.join(file), to).unwrap();
        }
        copy.release();
        copy
    }

    fn corpus(&self) -> PathBuf {
        self.0.path().join("corpus")
    }

    fn path(&self, name: &str) -> String {
        self.corpus().join(name).display().to_string()
    }

    fn release(&self) {
        let resume = Released::load(&self.corpus().join(LIST)).unwrap().unwrap_or_default();
        let now = Released::of(&self.load(), &SPECS).unwrap().after(&resume);
        std::fs::write(self.path(LIST), now.to_string()).unwrap();
        let changelog = "# Changelog\n\n## Unreleased\n\n- Nothing yet.\n\n## 0.1.0\n\n- `godot-3/*/*`\n";
        std::fs::write(self.0.path().join("CHANGELOG.md"), changelog).unwrap();
    }

    fn edit(&self, file: &str, change: impl Fn(&str) -> String) {
        let path = self.corpus().join(file);
        let before = std::fs::read_to_string(&path).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "nothing was edited");
        std::fs::write(path, after).unwrap();
    }

    fn load(&self) -> Corpus {
        Corpus::load(&self.corpus(), &SPECS).unwrap()
    }

    /// What lint says of it, beside what it says of any corpus.
    fn lint(&self) -> String {
        let problems = check(&self.corpus(), &self.load(), &SPECS).unwrap();
        problems.iter().map(|problem| format!("{problem}\n")).collect()
    }
}

const CASE: &str = "godot-3/vector2/negative-zero-keeps-its-sign";

fn other_zero(text: &str) -> String {
    text.replacen("value: !vector2 [-0.0, 1.0]", "value: !vector2 [-0.0, 2.0]", 1).replacen(
        "00 00 80 3f  y         1.0",
        "00 00 00 40  y         2.0",
        1,
    )
}

fn renamed(text: &str) -> String {
    text.replacen("name: negative-zero-keeps-its-sign", "name: minus-zero-keeps-its-sign", 1)
}

#[test]
fn what_is_as_it_was_released_is_well() {
    let copy = Copy::new();
    assert_eq!(copy.lint(), "");
    // A new case, and other words about an old one.
    copy.edit("family/vector2.yaml", |text| {
        let second = text.find("\n- name: ").unwrap() + 1;
        let case = &text[second..][..text[second + 3..].find("\n- name: ").unwrap() + 4];
        format!("{text}\n{}", case.replacen("- name: ", "- name: one-more-", 1))
    });
    assert_eq!(copy.lint(), "");
    let output = conform(&["changes", &copy.path("released.txt"), &copy.path("")]);
    assert!(text(&output).lines().skip(1).all(|line| line.starts_with("added    ") && line.contains("/one-more-")));
    assert!(text(&output).lines().count() > 2, "{}", text(&output));
}

#[rstest]
#[case::changed(other_zero, "now tests something else")]
#[case::renamed(renamed, "is now godot-3/vector2/minus-zero-keeps-its-sign; add it to aliases.txt")]
fn what_changed_without_a_word_is_red(#[case] change: fn(&str) -> String, #[case] said: &str) {
    let copy = Copy::new();
    copy.edit("family/vector2.yaml", change);
    let told = copy.lint();
    assert!(told.lines().any(|line| line.contains(CASE) && line.contains(said)), "{told}");
    // An older section of the log names it too: that was another change.
    let changelog =
        "# Changelog\n\n## Unreleased\n\n- Of `*/vector2/negative-zero-keeps-its-sign`, a word.\n\n## 0.1.0\n";
    std::fs::write(copy.0.path().join("CHANGELOG.md"), changelog).unwrap();
    assert_eq!(copy.lint(), "");
}

#[test]
fn what_vanished_is_red_and_its_name_is_not_given_to_another() {
    let copy = Copy::new();
    let whole = std::fs::read_to_string(copy.corpus().join("family/vector2.yaml")).unwrap();
    copy.edit("family/vector2.yaml", |text| {
        let at = text.find("- name: negative-zero-keeps-its-sign").unwrap();
        let end = text[at..].find("\n- name: ").map_or(text.len(), |end| at + end + 1);
        format!("{}{}", &text[..at], &text[end..])
    });
    let told = copy.lint();
    assert!(told.contains(&format!("{CASE} was released with 0.1.0 and is gone")), "{told}");
    // The next release is without it, and the one after has its name for something else.
    copy.release();
    assert!(!copy.lint().contains(CASE), "{}", copy.lint());
    assert!(std::fs::read_to_string(copy.path("released.txt")).unwrap().contains(&format!("{CASE} ")));
    std::fs::write(copy.corpus().join("family/vector2.yaml"), other_zero(&whole)).unwrap();
    let told = copy.lint();
    assert!(told.contains(&format!("{CASE} was the name of another case in an earlier release")), "{told}");
}

#[test]
fn a_renamed_case_has_an_alias() {
    let copy = Copy::new();
    copy.edit("family/vector2.yaml", renamed);
    let list = std::fs::read_to_string(copy.path("released.txt")).unwrap();
    let ids = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|id| id.ends_with("/vector2/negative-zero-keeps-its-sign"));
    let aliases: String = ids.map(|id| format!("{id} {}\n", id.replace("/negative-", "/minus-"))).collect();
    std::fs::write(copy.path("aliases.txt"), &aliases).unwrap();
    assert_eq!(copy.lint(), "");
    let output = conform(&["changes", &copy.path("released.txt"), &copy.path("")]);
    assert!(text(&output).contains(&format!("renamed  {CASE} → godot-3/vector2/minus-zero-keeps-its-sign\n")));
    assert!(text(&output).starts_with("corpus 0.1.0 → 0.1.0: 0 added, 0 changed, "), "{}", text(&output));
    std::fs::write(copy.path("aliases.txt"), format!("{aliases}godot-3/vector2/x godot-3/vector2/y\n")).unwrap();
    assert!(copy.lint().contains("godot-3/vector2/x was renamed to godot-3/vector2/y, but there is no such case"));
}

#[rstest]
#[case::no_list("# nothing\n", "the line `corpus VERSION` is missing")]
#[case::twice("corpus 1\na/b/c 00\na/b/c 00\n", "released.txt:3: this id is listed twice")]
#[case::nonsense("corpus 1\na b c d\n", "released.txt:2: a line is the id of a case and its digest")]
fn a_list_that_is_wrong_is_refused_with_its_line(#[case] list: &str, #[case] said: &str) {
    let copy = Copy::new();
    std::fs::write(copy.path("released.txt"), list).unwrap();
    let problem = check(&copy.corpus(), &copy.load(), &SPECS).unwrap_err().to_string();
    assert!(problem.contains(said), "{problem}");
    let output = conform(&["changes", &copy.path(LIST), &copy.path("")]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains(said), "{}", text(&output));
}
