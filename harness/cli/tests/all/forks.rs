//! A fork's own dialect: a file of a few lines, read at run time, with its parent's whole corpus.

use std::collections::BTreeSet;

use rstest::rstest;
use tempfile::TempDir;
use variant_corpus::Corpus;
use variant_corpus::test::{Test, Variants, tests};
use variant_specs::{Dialect, JudgedBy, Source, Specs};

use crate::support::{command, conform, root, stderr, stdout};

fn fork(file: &str) -> (Specs, Dialect) {
    let text = std::fs::read_to_string(root().join("specs/examples").join(file)).unwrap();
    assert!(text.lines().count() < 20, "{file} is no longer a few lines");
    let mut specs = Specs::builtin().unwrap();
    specs.add_dialects(&[Source { file, text: &text }]).unwrap();
    let dialect = specs.dialects.last().unwrap().clone();
    (specs, dialect)
}

fn ids(dialect: &Dialect) -> Vec<&str> {
    dialect.types.iter().map(|entry| dialect.layout(entry).name.as_str()).collect()
}

/// The asks of a dialect, without its name.
fn asked(specs: &Specs, dialect: &Dialect) -> (Vec<Test>, BTreeSet<String>) {
    let corpus = Corpus::load(&root().join("corpus"), &[], specs).unwrap();
    let tests = tests(&corpus, specs, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let names = tests.iter().map(|test| test.id[dialect.name.len()..].to_owned()).collect();
    (tests, names)
}

fn packet(tests: &[Test], id: &str) -> String {
    let test = tests.iter().find(|test| test.id.ends_with(id)).unwrap_or_else(|| panic!("no ask {id}"));
    hex::encode(&test.expected.packet.as_ref().unwrap().bytes)
}

#[test]
fn a_type_that_comes_in_moves_all_behind_it() {
    let (specs, fork) = fork("point2i.yaml");
    assert_eq!(ids(&fork)[4..9], ["string", "vector2", "point2i", "rect2", "vector3"]);
    assert_eq!((fork.max, ids(&fork)[27]), (28, "color_array"));
    let (tests, names) = asked(&specs, &fork);
    let parent = asked(&specs, specs.dialect("godot-3").unwrap()).1;
    let differ: Vec<&String> = parent.symmetric_difference(&names).collect();
    assert!(differ.is_empty(), "{differ:?}");
    // Literal headers moved, at the top and within; those in front of 6 did not.
    assert!(packet(&tests, "vector2/x-comes-before-y:decode").starts_with("05000000"));
    assert!(packet(&tests, "color_array/red-green-blue-alpha-take-turns:decode").starts_with("1b000000"));
    let dictionary = packet(&tests, "dictionary/key-and-value-stand-in-turn:decode");
    assert!(dictionary.starts_with("13000000") && dictionary[80..].starts_with("14000000"), "{dictionary}");
    // The first number that is no type is another one now.
    assert!(packet(&tests, "packet/max-is-no-type:decode").starts_with("1c000000"));
    assert!(packet(&tests, "packet/id-255-is-no-type:decode").starts_with("ff000000"));
}

#[test]
fn without_a_type_its_cases_are_gone_and_the_rest_has_moved() {
    let (specs, fork) = fork("no-quaternion.yaml");
    assert_eq!(ids(&fork)[9..12], ["plane", "aabb", "basis"]);
    let (tests, names) = asked(&specs, &fork);
    let parent = asked(&specs, specs.dialect("godot-3").unwrap()).1;
    let gone: Vec<&String> = parent.difference(&names).collect();
    let has_it = |name: &&String| name.contains("quaternion") || name.contains("/rects-");
    let (with_it, others): (Vec<_>, Vec<_>) = gone.into_iter().partition(has_it);
    assert!(!with_it.is_empty() && others.is_empty(), "{others:?}");
    assert!(packet(&tests, "packet/max-is-no-type:decode").starts_with("1a000000"));
}

#[test]
fn a_type_of_the_family_brings_its_cases_and_a_rule_its_own() {
    let (specs, fork) = fork("string-name.yaml");
    assert_eq!(ids(&fork)[14..17], ["color", "string_name", "node_path"]);
    let (tests, names) = asked(&specs, &fork);
    assert!(names.iter().any(|name| name.starts_with("/string_name/")));
    assert!(packet(&tests, "string_name/empty-is-a-length-alone:decode").starts_with("0f000000"));
    // Strict text is what the fork says of itself, and its parent does not.
    assert!(names.contains("/string/lone-surrogate:decode"));
}

#[rstest]
#[ignore = "takes long: .ci/run runs it"]
fn the_reference_codec_passes_a_forks_corpus(
    #[values("point2i", "no-quaternion", "string-name", "struct", "every-field")] name: &str,
    #[values("engines", "documents")] judged_by: &str,
) {
    let out = TempDir::new().unwrap();
    let spec = format!("specs/examples/{name}.yaml");
    let (_, dialect) = fork(&format!("{name}.yaml"));
    let args = ["run", "--spec", &spec, "--dialect", &dialect.name, "--judged-by", judged_by, "--out"];
    let output = conform(&[&args[..], &[out.path().to_str().unwrap()]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let output = conform(&["selftest", "--spec", &spec, "--dialect", &dialect.name]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

/// `conform` with the example of a record.
fn with_structs(args: &[&str]) -> (Option<i32>, String) {
    let output = conform(&[args, &["--spec", "specs/examples/struct.yaml", "--dialect", "fork-with-structs"]].concat());
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Its own cases are in the folder beside the file; the variants follow from the fields.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_record_of_a_fork_has_cases_and_variants() {
    let lint = conform(&["lint", "--spec", "specs/examples/struct.yaml"]);
    assert_eq!(lint.status.code(), Some(0), "{}", String::from_utf8_lossy(&lint.stdout));
    let (status, listed) = with_structs(&["list", "--only", "*/struct/*"]);
    assert_eq!(status, Some(0), "{listed}");
    for variant in [
        "members-in-their-order:encode",
        "members-in-their-order~in-array:decode",
        "members-in-their-order~count-minus-1-at-20:decode",
        "members-in-their-order~count-5-at-20:decode",
        "members-in-their-order~count-2147483647-at-24:decode",
        "members-in-their-order~truncated-at-31:decode",
        "members-in-their-order~padding-ff:decode",
    ] {
        assert!(listed.contains(variant), "no {variant} in {listed}");
    }
}

#[test]
fn a_record_of_a_fork_is_explained_field_by_field() {
    let packet = "270000000100000061000000010000000100000001000000780000000200000007000000";
    let (status, listing) = with_structs(&["explain", packet]);
    assert_eq!(status, Some(0), "{listing}");
    let rows = listing.lines().filter(|line| line.trim_start().starts_with(|letter: char| letter.is_ascii_digit()));
    let names: Vec<&str> = rows.filter_map(|line| line.get(17..)?.split_whitespace().next()).collect();
    let expected = [
        "header",
        "type_name.length",
        "type_name.text",
        "type_name.padding",
        "version",
        "member-count",
        "members[0].name.length",
        "members[0].name.text",
        "members[0].name.padding",
        "members[0].value.header",
        "members[0].value.value",
    ];
    assert_eq!(names[..expected.len()], expected, "{listing}");
}

/// The same file agrees with itself. With the version behind the members, it is found, and shrunk to a struct.
#[test]
fn a_campaign_compares_records_of_a_fork() {
    let folder = TempDir::new().unwrap();
    let text = std::fs::read_to_string(root().join("specs/examples/struct.yaml")).unwrap();
    let (version, members) =
        ("      version: word\n", "      members: {repeat: member-count, of: {name: text, value: value}}\n");
    let late = text.replace(&format!("{version}{members}"), &format!("{members}{version}"));
    assert_ne!(text, late);
    let serve = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        format!("{} serve --spec {}", env!("CARGO_BIN_EXE_conform"), file.display())
    };
    let (same, late) = (serve("same.yaml", &text), serve("late.yaml", &late));
    let record = folder.path().join("diff.jsonl");
    let diff =
        |other: &str| with_structs(&["diff", "reference", other, "--cases", "1500", "--out", record.to_str().unwrap()]);
    let (status, agreed) = diff(&same);
    assert_eq!(status, Some(0), "{agreed}");
    let (status, found) = diff(&late);
    assert_eq!(status, Some(1), "{found}");
    let smallest = "fork-with-structs/struct/generated-wrong-bytes-version:encode";
    let sent = r#"{"struct":{"type_name":"","version":1,"members":[]}}"#;
    assert!(found.contains(smallest) && found.contains(sent), "{found}");
    // What is shown leads on to the file that was written, with the dialect; no document of Godot has the type.
    assert!(found.contains(" --cases 1500 --spec specs/examples/struct.yaml\n"), "{found}");
    assert!(found.contains("no document describes it") && !found.contains("documentation, struct"), "{found}");
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn lint_asks_for_cases_of_a_forks_own_types_alone() {
    let output = conform(&["lint", "--spec", "specs/examples/point2i.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    // Without the folder beside it, its type has no case.
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::copy(root().join("specs/examples/point2i.yaml"), &file).unwrap();
    let output = conform(&["lint", "--spec", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said =
        format!("{}:1: type 6 point2i has no case of this dialect: write mine/06-point2i.yaml\n", file.display());
    assert!(stdout(&output).contains(&said), "{}", stdout(&output));
}

/// A case for a type of the parent, beside those of the parent, asks for no others.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_fork_may_have_cases_for_few_of_the_types_that_it_moved() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.yaml");
    let points = "layouts: {points: {shape: packed, of: int32, fields: [x, y]}}\n";
    let text = format!("dialect: mine\nextends: godot-3\nremove: [vector2]\n{points}insert: {{26: points}}\n");
    std::fs::write(&file, text).unwrap();
    let cases = folder.path().join("mine");
    std::fs::create_dir(&cases).unwrap();
    std::fs::write(
        cases.join("19-byte_array.yaml"),
        "dialect: mine\ntype: byte_array\nbeside-parent: true\nsection: \"19: PoolByteArray\"\ncases:\n- name: mine\n  \
         class: canonical\n  value: !byte_array \"0a\"\n  bytes: |\n    0  13 00 00 00  header   type 19\n    4  01 00 00 \
         00  count    1\n    8  0a           bytes    \"0a\"\n    9  00 00 00     padding\n",
    )
    .unwrap();
    std::fs::write(
        cases.join("26-points.yaml"),
        "dialect: mine\ntype: points\nsection: \"26: points\"\ntables: |\n  8+8i  4  Integer  x\ncases: []\n",
    )
    .unwrap();
    let output = conform(&["lint", "--spec", file.to_str().unwrap()]);
    let said = stdout(&output);
    assert!(!said.contains("has another id than in"), "{said}");
    assert!(said.contains("x is a field of each element: name it `[i].x`"), "{said}");
    // A new adapter speaks the dialect that is given.
    let adapter = folder.path().join("adapter").display().to_string();
    let written = conform(&["new-adapter", "python", &adapter, "--spec", file.to_str().unwrap()]);
    assert!(stdout(&written).contains("It speaks mine."), "{}", stdout(&written));
}

/// A fork of Godot 4 that moves ids has double precision too, and its parent's cases of that.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn cases_in_double_precision_have_the_ids_of_a_fork() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, "dialect: mine\nextends: 4.4\nremove: [vector2i]\n").unwrap();
    let output = conform(&["lint", "--spec", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

/// A dialect with one type more, in the place of its parent, has the parent's cases under its own ids.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_dialect_in_the_place_of_another_may_have_one_type_more() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.yaml");
    let points = "layouts: {point2i: {shape: fields, of: int32, fields: [x, y]}}\n";
    let text = format!("dialect: godot-3\nextends: godot-3\n{points}insert: {{6: point2i}}\n");
    std::fs::write(&file, text).unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    let cases = std::fs::read_to_string(root().join("specs/examples/point2i/06-point2i.yaml")).unwrap();
    let cases = cases.replace("dialect: fork-with-point2i", "dialect: godot-3");
    std::fs::write(folder.path().join("mine/06-point2i.yaml"), cases).unwrap();
    let output = conform(&["lint", "--spec", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

/// A refusal at another byte, for another reason, or of a packet that is complete, is found by lint.
#[rstest]
#[case("truncated at 4", "")]
#[case("truncated at 80", "")]
#[case("length at 4", "")]
#[case("truncated at 8", "    8  01 00 00 00  y       1\n")]
#[ignore = "takes long: .ci/run runs it"]
fn a_wrong_refusal_is_a_problem_of_lint(#[case] rejects: &str, #[case] more: &str) {
    let folder = TempDir::new().unwrap();
    let examples = root().join("specs/examples");
    let file = folder.path().join("point2i.yaml");
    std::fs::copy(examples.join("point2i.yaml"), &file).unwrap();
    std::fs::create_dir(folder.path().join("point2i")).unwrap();
    let cases = std::fs::read_to_string(examples.join("point2i/06-point2i.yaml")).unwrap();
    let cases = cases.replace("rejects: truncated at 8", &format!("rejects: {rejects}")) + more;
    std::fs::write(folder.path().join("point2i/06-point2i.yaml"), cases).unwrap();
    let output = conform(&["lint", "--spec", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("y-is-missing"), "{}", stdout(&output));
}

/// What holds of a dialect holds of one that extends it, and a list beside the cases of a fork adds to that of the suite.
#[rstest]
#[case::without_changes("extends: godot-3\n")]
#[case::ids_that_move("extends: godot-4.4\ninsert: {6: vector2i_array}\n")]
#[case::no_floats("extends: godot-4.4\nremove: [float]\n")]
#[case::no_truth("extends: godot-3\nremove: [bool]\n")]
#[case::pairs_in_any_order("extends: godot-3\nrules: {dictionary-order: hash}\n")]
#[case::padding_is_zero("extends: godot-3\nrules: {unwritten-padding: none}\n")]
#[ignore = "takes long: .ci/run runs it"]
fn a_fork_passes_the_selftest(#[case] changes: &str) {
    let folder = TempDir::new().unwrap();
    let spec = written(&folder, "mine", changes, &[]);
    let output = conform(&["selftest", "--spec", &spec, "--dialect", "mine"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn what_no_mutant_needs_is_said_of_a_fork_that_runs_alone() {
    let folder = TempDir::new().unwrap();
    let spec = written(&folder, "mine", "extends: godot-3\n", &[]);
    let list = "- {mutants: [\"mine/x:both\"], because: No.}\n";
    std::fs::write(folder.path().join("mine/equivalent-mutants.yaml"), list).unwrap();
    let output = conform(&["selftest", "--spec", &spec, "--dialect", "mine"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"mine/x:both\" matches no mutant"), "{}", stdout(&output));
}

/// Cases that a fork could have are not excused by a type that it lacks.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_file_without_cases_leaves_survivors() {
    let folder = TempDir::new().unwrap();
    let none = ("16-object.yaml", "type: object\ncases: []\n");
    let spec = written(&folder, "mine", "extends: godot-3\nremove: [float]\n", &[none]);
    let output = conform(&["selftest", "--spec", &spec, "--dialect", "mine"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("survives: mine/object/id-of-four-bytes:encode"), "{said}");
    assert!(said.contains("no survivors: ") && !said.contains("survives: mine/behaviour/minus-zero-lost:"), "{said}");
}

/// Writes a dialect and its cases, each file with its text, and gives the path of the first.
fn written(folder: &TempDir, name: &str, text: &str, cases: &[(&str, &str)]) -> String {
    let file = folder.path().join(format!("{name}.yaml"));
    std::fs::write(&file, format!("dialect: {name}\n{text}")).unwrap();
    std::fs::create_dir(folder.path().join(name)).unwrap();
    for (file, text) in cases {
        std::fs::write(folder.path().join(name).join(file), format!("dialect: {name}\n{text}")).unwrap();
    }
    file.display().to_string()
}

/// A rule that is another than the parent's has cases that say so, of the parent or of the family: lint names each, and
/// where to write what is right.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn lint_says_which_cases_a_changed_rule_overrules() {
    let folder = TempDir::new().unwrap();
    let spec = written(&folder, "mine", "extends: godot-3\nrules: {text-padding-optional-at-end: true}\n", &[]);
    let output = conform(&["lint", "--spec", &spec]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let advice = format!(
        "; if that is meant, write what is right into a case of this name in {}/mine/04-string.yaml, with \
         `beside-parent: true`",
        folder.path().display()
    );
    assert!(said.contains("padding-is-missing: the reference codec of mine") && said.contains(&advice), "{said}");
    // What it advises is enough, for one of them.
    let case = r#"dialect: mine
type: string
beside-parent: true
cases:
- name: padding-is-missing
  class: readable
  value: !string "abc"
  used: 12
  bytes: |
    0   04 00 00 00  header  type 4, no flags
    4   03 00 00 00  length  3
    8   61 62 63     text    "abc"
  written-as: |
    0   04 00 00 00  header   type 4, no flags
    4   03 00 00 00  length   3
    8   61 62 63     text     "abc"
    11  00           padding
"#;
    std::fs::write(folder.path().join("mine/04-string.yaml"), case).unwrap();
    let said = stdout(&conform(&["lint", "--spec", &spec]));
    assert!(!said.contains("padding-is-missing:") && said.contains("padding-is-cut:"), "{said}");
}

/// A rule that no case contradicts, and none shows: lint says so, and one case is enough for the selftest too.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_changed_rule_needs_a_case() {
    let folder = TempDir::new().unwrap();
    let spec = written(&folder, "mine", "extends: godot-3\nrules: {text-drops-bom: false}\n", &[]);
    let said = stdout(&conform(&["lint", "--spec", &spec]));
    assert!(said.contains("a codec with text-drops-bom=true passes every one") && said.contains("1 problem"), "{said}");
    let case = r#"dialect: mine
type: string
beside-parent: true
cases:
- name: two-byte-order-marks-are-kept
  class: canonical
  value: !string "\ufeff\ufeffa"
  bytes: |
    0   04 00 00 00        header   type 4, no flags
    4   07 00 00 00        length   7
    8   ef bb bf ef bb bf 61  text     "\ufeff\ufeffa"
    15  00                 padding
"#;
    std::fs::write(folder.path().join("mine/04-string.yaml"), case).unwrap();
    let output = conform(&["lint", "--spec", &spec]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let output = conform(&["selftest", "--spec", &spec, "--dialect", "mine"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

/// The first id of no type is another one also where a value has it.
#[test]
fn an_id_within_a_value_moves_too() {
    let mut specs = Specs::builtin().unwrap();
    let text = "dialect: mine\nextends: pandemonium-40\nlayouts: {one: {shape: fields, of: int32, fields: [x]}}\n\
                insert: {40: one}\n";
    specs.add_dialects(&[Source { file: "mine.yaml", text }]).unwrap();
    let mine = specs.dialect("mine").unwrap();
    let (tests, _) = asked(&specs, mine);
    let test = tests.iter().find(|test| test.id.ends_with("typed_array/type-of-no-type-is-kept:decode")).unwrap();
    assert_eq!(hex::encode(&test.expected.packet.as_ref().unwrap().bytes), "1b0000002900000000000000");
    let value = test.expected.value.as_ref().unwrap();
    assert!(format!("{value:?}").contains("41"), "{value:?}");
}

const PAIR: &str = "extends: godot-3\nlayouts: {pair: {shape: record, record: {left: value, right: value}}}\n\
                    insert: {27: pair}\n";

/// A type of whole values alone has rows of its own, and the one boundary that it can have.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_type_of_values_alone_can_be_covered() {
    let folder = TempDir::new().unwrap();
    let cases = r#"type: pair
section: "27: pair"
tables: |
  4  X  Value  left
  X  X  Value  right
cases:
- name: left-comes-first
  class: canonical
  value: !pair {left: !int 1, right: !bool true}
  bytes: |
    0   1b 00 00 00  header        type 27, no flags
    4   02 00 00 00  left.header   type 2, no flags
    8   01 00 00 00  left.value    1
    12  01 00 00 00  right.header  type 1, no flags
    16  01 00 00 00  right.value   true
- name: two-texts
  class: canonical
  value: !pair {left: !string "ab", right: !string "c"}
  bytes: |
    0   1b 00 00 00  header         type 27, no flags
    4   04 00 00 00  left.header    type 4, no flags
    8   02 00 00 00  left.length    2
    12  61 62        left.text      "ab"
    14  00 00        left.padding
    16  04 00 00 00  right.header   type 4, no flags
    20  01 00 00 00  right.length   1
    24  63           right.text     "c"
    25  00 00 00     right.padding
- name: header-is-cut
  class: invalid
  rejects: truncated at 0
  bytes: |
    0  1b 00  header
"#;
    let spec = written(&folder, "mine", PAIR, &[("27-pair.yaml", cases)]);
    let output = conform(&["lint", "--spec", &spec]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

/// Of several forks, the survivors of one belong to its own folder.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_survivor_belongs_to_the_folder_of_its_dialect() {
    let folder = TempDir::new().unwrap();
    let first = written(&folder, "first", "extends: godot-3\n", &[]);
    let mine = written(&folder, "mine", PAIR, &[]);
    let output = conform(&["selftest", "--spec", &first, "--spec", &mine, "--dialect", "mine"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let of = |name: &str| format!("Add a case to {}/{name}/ that", folder.path().display());
    assert!(said.contains(&of("mine")) && !said.contains(&of("first")), "{said}");
}

/// What is advised exists in the dialect; what a fork cannot have is not advised; and a record of a fork needs its file.
#[test]
fn advice_is_about_the_dialect_at_hand() {
    let folder = TempDir::new().unwrap();
    let spec = written(&folder, "mine", "extends: godot-3\nremove: [vector2]\n", &[]);
    let out = folder.path().join("out").display().to_string();
    let run = ["run", "--spec", &spec, "--dialect", "mine", "--out", &out];
    let output = conform(&[&run[..], &["--only", "zzz"]].concat());
    assert!(stderr(&output).contains("'*/rect2/**'"), "{}", stderr(&output));
    let output = conform(&[&run[..], &["--only", "mine/bool/*"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let output = conform(&["report", &out]);
    assert!(stderr(&output).contains("give its file with --spec"), "{}", stderr(&output));
}

/// File, line, what, and what to do.
#[rstest]
#[case::gap(
    "extends: godot-3\ninsert:\n  30: string_name\n",
    "fork.yaml:4: string_name at 30, but the ids before it end at 27; ids have no gaps"
)]
#[case::gap_in_a_table(
    "extends: godot-3\ntypes:\n  0: {layout: bool, section: x}\n  2: {layout: int, section: x}\n",
    "fork.yaml:5: there is a type 2 and none with id 1; ids have no gaps"
)]
#[case::overlap(
    "extends: godot-3\ninsert:\n  5: string_name\n  5: projection\n",
    "fork.yaml:5: 5 is here twice; keep one"
)]
#[case::two_ids(
    "extends: godot-3\ninsert:\n  6: vector2\n",
    "fork.yaml:4: vector2 has the ids 5 and 6; a layout has one id"
)]
#[case::wrong_key(
    "extends: godot-3\ninsert: {6: {layout: vector2i, sektion: \"6: P\"}}\n",
    "fork.yaml:3: insert.6: unknown field `sektion`, expected one of `layout`, `section`, `name`"
)]
#[case::unknown_layout(
    "extends: godot-3\ninsert:\n  6: point2i\n",
    "fork.yaml:4: there is no layout point2i; describe it under `layouts:`, or take one of null, bool"
)]
#[case::known_layout(
    "extends: godot-3\nlayouts:\n  vector2: {shape: fields, of: int32, fields: [x, y]}\n",
    "fork.yaml:4: there is a layout vector2 already; leave this one out"
)]
#[case::unknown_shape(
    "extends: godot-3\nlayouts:\n  point2i: {shape: point, of: int32}\n",
    "fork.yaml:4: layouts.point2i.shape: unknown variant `point`, expected one of `empty`"
)]
#[case::no_field(
    "extends: godot-3\nlayouts:\n  pair: {shape: record}\n",
    "fork.yaml:4: layout pair: `record:` belongs to its own shape, which needs it"
)]
#[case::unknown_form(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {left: wrod}}\n",
    "fork.yaml:4: layouts.pair.record: a field is word, id, float32, real, text, value, size, permission, {bytes: LENGTH}"
)]
#[case::chosen_by_nothing(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {left: id, rest: {choice: left, of: {1: {id: id}}}}}\n",
    "fork.yaml:4: layout pair: rest is chosen by left, which is no word or text before it, nor `flag-1`"
)]
#[case::nothing_to_repeat(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {all: {repeat: count, of: {}}}}\n",
    "fork.yaml:4: layout pair: an element of all may be empty; give it a field of its own"
)]
#[case::two_forms(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {by: word, rest: {choice: by, of: {1: {x: id}}, otherwise: {x: text}}}}\n",
    "fork.yaml:4: layout pair: x is of two forms; call one of them something else"
)]
#[case::flag_and_real(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {rest: {choice: flag-1, of: {1: {x: real}}, otherwise: {y: real}}}}\n",
    "fork.yaml:4: layout pair: flag 1 says one thing, so a record has only one of a choice by it, a `real` and a `type`"
)]
#[case::count_without_its_name(
    "extends: godot-3\nlayouts:\n  pair: {shape: record, record: {all: {repeat: number, of: {x: word}}}}\n",
    "fork.yaml:4: layout pair: the name number must end with `count`, so that listings show what it is"
)]
#[case::nothing_to_remove(
    "extends: godot-3\nremove: [projection]\n",
    "fork.yaml:3: godot-3 has no projection to remove"
)]
#[case::order_lacks_one(
    "extends: godot-3\norder: [bool, \"null\"]\n",
    "fork.yaml:3: `order:` lacks int; name every type, or `remove:` it"
)]
#[case::beyond_the_mask(
    "extends: godot-3\nheader: {id-mask: 0x0f, document-id-mask: 0x0f, unknown-flags: ignored}\n",
    "fork.yaml:3: id 16 does not fit the id mask 0xf; take fewer types, or a wider mask"
)]
#[case::wrong_max(
    "extends: godot-3\nmax: 27\ninsert:\n  6: vector2i\n",
    "fork.yaml:3: max is 27, but there are 28 types"
)]
#[case::both_ways(
    "extends: godot-3\nremove: [rid]\ntypes:\n  0: {layout: bool, section: x}\n",
    "fork.yaml:4: `types:` is the whole table"
)]
#[case::double(
    "aliases: [fork+double]\nextends: godot-3\n",
    "fork.yaml:1: fork+double is the name of the double-precision form of fork, which a dialect has by itself"
)]
#[case::itself(
    "extends: fork\n",
    "fork.yaml:2: fork: each extends the next or another, in a circle; one must stand on its own"
)]
#[case::unknown_rule_word(
    "extends: godot-3\nrules: {utf8: latin-1}\n",
    "fork.yaml:3: rules.utf8: unknown variant `latin-1`, expected one of `strict`, `lenient`, `any`"
)]
#[case::wrong_section(
    "extends: godot-3\ninsert: {27: {layout: vector2i, section: \"28: Point\"}}\n",
    "fork.yaml:3: section \"28: Point\" has the number 28, but its type is at 27"
)]
#[case::unknown_document(
    "extends: godot-3\ndocuments: [godot-9]\n",
    "fork.yaml:3: there is no document godot-9; there are godot-3-en"
)]
fn a_fork_that_cannot_be_is_refused(#[case] text: &str, #[case] said: &str) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("fork.yaml");
    std::fs::write(&file, format!("dialect: fork\n{text}")).unwrap();
    let output = conform(&["list", "--spec", file.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(said), "{text:?} does not say {said:?}");
    assert!(text.trim_end().lines().count() <= 2, "{text}");
}

#[test]
fn a_circle_of_files_is_named() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, parent: &str| {
        let file = folder.path().join(format!("{name}.yaml"));
        std::fs::write(&file, format!("dialect: {name}\nextends: {parent}\n")).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let [a, b, c] = [("a", "b"), ("b", "c"), ("c", "a")].map(|(name, parent)| write(name, parent));
    let output = conform(&["list", "--spec", &a, "--spec", &b, "--spec", &c]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("a.yaml:2: a, b, c: each extends the next or another, in a circle"), "{text}");
    // Without the circle, the order of the files does not matter.
    std::fs::write(folder.path().join("c.yaml"), "dialect: c\nextends: godot-3\n").unwrap();
    let output = conform(&["list", "--spec", &a, "--spec", &b, "--spec", &c, "--dialect", "a", "--only", "a/int/*"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.is_empty());
}

/// What a fork changes without saying so is named; a file that cannot be read is one problem of several.
#[test]
fn lint_names_what_moves_what_is_replaced_and_every_file_that_is_wrong() {
    let folder = TempDir::new().unwrap();
    let spec = folder.path().join("mine.yaml");
    std::fs::write(&spec, "dialect: mine\nextends: godot-3\nremove: [quaternion]\n").unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    let write = |file: &str, layout: &str, offset: u32| {
        let bytes =
            format!("    0  05 00 00 00  header\n    4  00 00 80 3f  x  1.0\n    {offset}  00 00 00 40  y  2.0\n");
        let case = format!("- name: own\n  class: canonical\n  value: !vector2 [1.0, 2.0]\n  bytes: |\n{bytes}");
        let text = format!("dialect: mine\ntype: {layout}\ncases:\n{case}");
        std::fs::write(folder.path().join("mine").join(file), text).unwrap();
    };
    write("05-vector2.yaml", "vector2", 9);
    write("a.yaml", "vektor2", 8);
    write("b.yaml", "vektor3", 8);
    let output = conform(&["lint", "--spec", spec.to_str().unwrap()]);
    let said = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for line in [
        "mine.yaml:1: other ids than in godot-3 for 16 types, first aabb: 10, not 11",
        "05-vector2.yaml:1: takes the place of 2 cases of godot-3; with `beside-parent: true` they stay",
        "05-vector2.yaml:10: case own: offset 9, but the rows before it end at 8",
        "a.yaml:2: there is no layout \"vektor2\"",
        "b.yaml:2: there is no layout \"vektor3\"",
        "3 problems",
    ] {
        assert!(said.contains(line), "no {line} in {said}");
    }
}

/// Its cases are written with the ids that it has now, not with those that its parent's documents have.
#[test]
fn a_type_that_is_added_to_a_dialect_of_the_suite_keeps_the_ids_of_its_cases() {
    let read = |name: &str| std::fs::read_to_string(root().join("specs").join(name)).unwrap();
    let own = read("examples/struct.yaml");
    let text = read("godot-4.4.yaml") + &own[own.find("layouts:").unwrap()..];
    let specs = Specs::with_files(&[Source { file: "specs/godot-4.4.yaml", text: &text }]).unwrap();
    let folder = TempDir::new().unwrap();
    let cases = read("examples/struct/struct.yaml").replace("dialect: fork-with-structs", "dialect: godot-4.4");
    std::fs::write(folder.path().join("39-struct.yaml"), cases).unwrap();
    let corpus = Corpus::load(folder.path(), &[], &specs).unwrap();
    for name in ["godot-4.4", "redot-26.3"] {
        let dialect = specs.dialect(name).unwrap();
        let tests = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::None).unwrap();
        assert!(packet(&tests, "struct/members-in-their-order:decode").starts_with("27000000"), "{name}");
    }
}

/// A dialect of one's own with the name of one of the suite takes its place, and is no ground for a certificate.
#[test]
fn a_dialect_of_the_same_name_takes_the_place() {
    let folder = TempDir::new().unwrap();
    let spec = folder.path().join("mine.yaml");
    std::fs::write(&spec, "dialect: godot-3\nextends: godot-3\nremove: [rid]\n").unwrap();
    let spec = spec.display().to_string();
    let out = folder.path().join("out").display().to_string();
    let output = conform(&["certify", "--spec", &spec, "--dialect", "godot-3", "--out", &out]);
    let said = stdout(&output) + &stderr(&output);
    assert!(said.contains("takes the place"), "{said}");
    assert!(said.contains("no certificate: it would be of specs"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
}

/// The folder `specs` at hand is read, as the corpus is: a type that is added there is known at once.
#[test]
fn specs_of_the_folder_at_hand_are_read() {
    let folder = TempDir::new().unwrap();
    let specs = folder.path().join("specs");
    std::fs::create_dir(&specs).unwrap();
    for name in ["layouts.yaml", "godot-3.yaml"] {
        std::fs::copy(root().join("specs").join(name), specs.join(name)).unwrap();
    }
    let layouts = std::fs::read_to_string(specs.join("layouts.yaml")).unwrap();
    std::fs::write(specs.join("layouts.yaml"), layouts + "\npoint2i: {shape: fields, of: int32, fields: [x, y]}\n")
        .unwrap();
    std::fs::write(specs.join("mine.yaml"), "dialect: mine\nextends: godot-3\ninsert: {27: point2i}\n").unwrap();
    let explain = ["explain", "1b0000000700000008000000", "--dialect", "mine"];
    let output = command(&explain).current_dir(folder.path()).output().unwrap();
    assert!(stdout(&output).contains("point2i"), "{}{}", stdout(&output), stderr(&output));
}

/// A dialect in the place of its parent is spoken by the parent's engines, whose versions name it.
#[test]
fn a_dialect_in_the_place_of_another_keeps_its_engines() {
    let mut specs = Specs::builtin().unwrap();
    let engines = specs.dialect("godot-3").unwrap().engines.clone();
    specs.add_dialects(&[Source { file: "mine.yaml", text: "dialect: godot-3\nextends: godot-3\n" }]).unwrap();
    let mine = specs.find("3.6").unwrap();
    assert_eq!((&*mine.file, &mine.engines), ("mine.yaml", &engines));
    // Its cases are those of that, and of no other.
    let other = Source { file: "mine.yaml", text: "dialect: godot-3\nextends: godot-4.4\n" };
    let refused = specs.clone().add_dialects(&[other]).unwrap_err();
    assert!(refused.message.contains("extend godot-3 to take its place"), "{refused}");
    // One beside it has engines of its own.
    specs.add_dialects(&[Source { file: "fork.yaml", text: "dialect: fork\nextends: godot-3\n" }]).unwrap();
    assert_eq!(specs.dialect("fork").unwrap().engines, None);
}
