//! Each skeleton passes `conform vet`, and is right in all that it claims.
//!
//! What needs another toolchain than Rust and Python is ignored; `.ci/run` installs them all and includes it.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{SPECS, command, root, text};
use rstest::rstest;
use tempfile::TempDir;
use variant_adapter::skeleton;
use variant_specs::newest_first;

fn conform(args: &[&str], engine: Option<&Path>) -> Output {
    let mut command = command(args);
    // A skeleton in Rust builds for itself, wherever this project builds.
    command.env_remove("CARGO_TARGET_DIR");
    if let Some(engine) = engine {
        command.env("GODOT", engine);
    }
    command.output().unwrap()
}

/// Writes it, installs it, vets it and runs it.
fn passes(language: &str, dialect: Option<&str>, engine: Option<&Path>) {
    let place = TempDir::new().unwrap();
    let adapters = place.path().display().to_string();
    let folder = place.path().join("mine");
    let folder_name = folder.display().to_string();
    let chosen: Vec<&str> = dialect.iter().flat_map(|dialect| ["--dialect", dialect]).collect();
    let output = conform(&[["new-adapter", language, &folder_name].as_slice(), &chosen].concat(), None);
    assert!(output.status.success(), "{}", text(&output));
    let dialect = SPECS.find(dialect.or(skeleton::usual_dialect(language)).unwrap()).unwrap();
    assert!(text(&output).contains(&format!("It speaks {}. Next:", dialect.title())), "{}", text(&output));
    install(&folder);
    // An engine takes its time where the machine is busy with other tests.
    let options = ["mine", "--adapters", &adapters, "--timeout", "10"];
    let output = conform(&[["vet"].as_slice(), &options].concat(), engine);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let vetted = text(&output);
    // Where the machine is busy, replies take their time.
    let remarks: Vec<String> =
        text(&output).lines().filter(|line| line.starts_with("remark")).map(str::to_owned).collect();
    assert!(remarks.iter().all(|remark| remark.contains("replies in time")), "{}", text(&output));
    let out = place.path().join("out").display().to_string();
    let output = conform(&[["run", "--out", &out].as_slice(), &options].concat(), engine);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    if chosen.is_empty() {
        shown(language, &adapters, &format!("$ conform vet mine\n{vetted}\n$ conform run mine\n{text}"));
    }
    assert!(text.contains("\n0 failures, 0 warnings"), "{text}");
    assert!(text.contains(&dialect.name), "{text}");
    // Packets with their length are asked for too, and something is asked of each of the four types.
    let record = std::fs::read_to_string(place.path().join("out/results.jsonl")).unwrap();
    for layout in ["null", "bool", "int", "float", "framing"] {
        let passed = record.lines().filter(|line| line.contains(&format!("/{layout}/")) && line.contains("\"pass\""));
        assert!(passed.count() > 3, "{layout}: {text}");
    }
}

/// What a person sees first, in any language. How many tests there are changes with every case.
fn shown(language: &str, place: &str, said: &str) {
    let mut settings = insta::Settings::clone_current();
    if language.ends_with("decode-only") || language.starts_with("gdscript") {
        settings.set_snapshot_suffix(language);
    }
    let said = said.replace(place, "adapters");
    let left_out = ["remark", "conform 0.", "mine "];
    let lines = said.lines().filter(|line| left_out.iter().all(|begin| !line.starts_with(begin)));
    // In an engine, the version is that of the engine.
    let lines = lines.map(|line| line.split(" (mine ").next().unwrap_or(line));
    let lines: Vec<String> = lines.map(without_counts).collect();
    settings.bind(|| insta::assert_snapshot!("shown", lines.join("\n")));
}

/// A line with `N` for each number of two digits or more that it begins with, or of three, and for each time.
fn without_counts(line: &str) -> String {
    let first = line.split(' ').next().unwrap_or_default();
    let is_count = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits >= if std::ptr::eq(word, first) { 2 } else { 3 }
            && word.chars().all(|c| c.is_ascii_digit() || ",:".contains(c))
    };
    let is_time =
        |word: &str| word.starts_with('(') && word.ends_with("s)") && word.contains(|c: char| c.is_ascii_digit());
    let shown = |word| match word {
        word if is_count(word) => "N",
        word if is_time(word) => "(N s)",
        word => word,
    };
    line.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

/// What `install:` says, as a person does it.
fn install(folder: &Path) {
    let yaml = std::fs::read_to_string(folder.join("adapter.yaml")).unwrap();
    assert!(!yaml.contains("my-adapter"), "{yaml}");
    let Some(install) = yaml.lines().find_map(|line| line.strip_prefix("install: ")) else { return };
    let mut command = Command::new("sh");
    let output = command.arg("-c").arg(install).current_dir(folder).env_remove("CARGO_TARGET_DIR").output().unwrap();
    assert!(output.status.success(), "{install}: {}", text(&output));
}

#[rstest]
#[case("python")]
#[case("python-decode-only")]
#[case("rust")]
#[ignore = "needs node"]
#[case("javascript")]
#[ignore = "needs npm, and its registry"]
#[case("typescript")]
#[ignore = "needs go"]
#[case("go")]
#[ignore = "needs cc"]
#[case("c")]
#[ignore = "needs c++"]
#[case("cpp")]
#[ignore = "needs mcs and mono"]
#[case("csharp")]
fn a_skeleton_passes(#[case] language: &str) {
    passes(language, None, None);
}

/// In any dialect with wide numbers, under its name or under that of an engine.
#[rstest]
#[case("3.6")]
#[case("godot-4.6")]
#[case("godot-4.0+double")]
#[case("pandemonium-40")]
fn a_skeleton_speaks_the_dialect_that_is_asked_for(#[case] dialect: &str) {
    passes("python", Some(dialect), None);
}

#[rstest]
#[ignore = "needs adapters/engines/install 3.2.3"]
#[case("gdscript3", "3.2.3")]
#[ignore = "needs adapters/engines/install 3.6"]
#[case("gdscript3", "3.6")]
#[ignore = "needs adapters/engines/install 4"]
#[case("gdscript4", "4")]
fn a_skeleton_passes_in_an_engine(#[case] language: &str, #[case] version: &str) {
    passes(language, None, Some(&root().join(format!("adapters/engines/.installed/{version}/godot"))));
}

/// Without `--dialect`, a new adapter is for the newest Godot: a template that names an older one is out of date.
#[test]
fn the_usual_dialect_is_the_newest_godot() {
    let newest = newest_first(SPECS.spoken().filter(|dialect| dialect.family() == "Godot"))[0];
    for language in skeleton::languages() {
        let newest = if language == "gdscript3" { "godot-3" } else { &newest.name };
        assert_eq!(skeleton::usual_dialect(language), Some(newest), "{language}");
    }
}

/// The first lines name the dialect and its engines; below, the names of all its types stand beside the engine's.
#[test]
fn a_skeleton_says_what_it_speaks() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("mine").display().to_string();
    assert!(conform(&["new-adapter", "python", &folder, "--dialect", "3.6"], None).status.success());
    let source = std::fs::read_to_string(place.path().join("mine/adapter.py")).unwrap();
    let top: Vec<&str> = source.lines().take(20).collect();
    let line = top.iter().find(|line| line.starts_with("DIALECT")).unwrap();
    assert!(line.starts_with("DIALECT = \"godot-3\"  # Godot 3.1–3.6; "), "{line}");
    for types in [" null (Nil), bool, int, float, string (String),", " rid (RID),", " byte_array (PoolByteArray),"] {
        assert!(source.contains(types), "{types}: {source}");
    }
    let long = source.lines().filter(|line| line.chars().count() > 120);
    assert_eq!(long.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// A test of one's own can import it: nothing is read or printed before `main`. It may be started through a symbolic link.
#[rstest]
#[case("python", &["python3", "-c", "import adapter; print(adapter.decode(adapter.encode(5)))"], "(5, 8)\n", "adapter.py")]
#[ignore = "needs node"]
#[case("javascript", &["node", "-e", "import('./adapter.mjs').then(a => console.log(a.decode(a.encode(5n)).used))"], "8\n", "adapter.mjs")]
fn a_skeleton_can_be_imported(
    #[case] language: &str,
    #[case] script: &[&str],
    #[case] shown: &str,
    #[case] file: &str,
) {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("mine");
    assert!(conform(&["new-adapter", language, &folder.display().to_string()], None).status.success());
    let output = Command::new(script[0]).args(&script[1..]).current_dir(&folder).output().unwrap();
    assert_eq!(text(&output), shown);
    #[cfg(unix)]
    {
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let output = conform(&["vet", "--", script[0], &link.join(file).display().to_string()], None);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

#[rstest]
#[case::no_language(&["new-adapter", "cobol", "mine"], "invalid value 'cobol'")]
#[case::no_name(&["new-adapter", "python", "target/My Adapter"], "cannot be an adapter's name")]
#[case::no_dialect(&["new-adapter", "python", "target/tmp/x", "--dialect", "godot-9"], "there is no dialect \"godot-9\"")]
#[case::not_in_this_engine(&["new-adapter", "gdscript3", "target/tmp/x", "--dialect", "4.6"], "an engine that speaks godot-3 or pandemonium-38, or what extends it, and not godot-4.4; choose c, cpp, csharp, gdscript4, go,")]
#[case::not_in_that_engine(&["new-adapter", "gdscript4", "target/tmp/x", "--dialect", "3.6"], "and not godot-3; choose c, cpp, csharp, gdscript3, go,")]
#[case::no_wide_numbers(&["new-adapter", "python-decode-only", "target/tmp/x", "--dialect", "2.1"], "Godot 1.0–2.1.3 (godot-2) has no 64-bit numbers")]
#[case::not_empty(&["new-adapter", "python", "adapters"], "adapters is not empty; choose a new folder")]
fn what_cannot_be_written_is_said_in_a_sentence(#[case] args: &[&str], #[case] why: &str) {
    let output = conform(args, None);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains(why), "{}", text(&output));
}

#[rstest]
#[case("Node", "javascript")]
#[case("c#", "csharp")]
#[case("gdscript", "gdscript4")]
fn a_language_has_the_names_that_people_have_for_it(#[case] name: &str, #[case] language: &str) {
    assert_eq!(skeleton::language(name).unwrap(), language);
}
