//! Each skeleton passes `conform vet`, and is right in all that it claims.
//!
//! What needs another toolchain than Rust and Python is ignored; `.ci/run` installs them all and includes it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{SPECS, command, root, text};
use rstest::rstest;
use tempfile::TempDir;

fn conform(args: &[&str], engine: Option<&Path>) -> Output {
    let mut command = command(args);
    // A skeleton in Rust builds for itself, wherever this project builds.
    command.env_remove("CARGO_TARGET_DIR");
    if let Some(engine) = engine {
        command.env("GODOT", engine);
    }
    command.output().unwrap()
}

/// A dialect that this conform may not know yet: the four types are the same in it.
fn spec(folder: &Path, dialect: &str) -> Option<String> {
    if SPECS.dialect(dialect).is_some() {
        return None;
    }
    let file = folder.join("spec.yaml");
    std::fs::write(&file, format!("dialect: {dialect}\nextends: godot-3\n")).unwrap();
    Some(file.display().to_string())
}

/// Writes it, installs it, vets it and runs it.
fn passes(language: &str, dialect: &str, engine: Option<&Path>) {
    let place = TempDir::new().unwrap();
    let adapters = place.path().display().to_string();
    let folder = place.path().join("mine");
    let output = conform(&["new-adapter", language, &folder.display().to_string()], None);
    assert!(output.status.success(), "{}", text(&output));
    install(&folder);
    let spec = spec(place.path(), dialect);
    // An engine takes its time where the machine is busy with other tests.
    let mut options = vec!["mine", "--adapters", &adapters, "--timeout", "10"];
    options.extend(spec.iter().flat_map(|file| ["--spec", file.as_str()]));
    let output = conform(&[["vet"].as_slice(), &options].concat(), engine);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains(" 0 with a remark, 0 bad"), "{}", text(&output));
    let (out, only) = (place.path().join("out").display().to_string(), format!("{dialect}/{{null,bool,int,float}}/**"));
    let output = conform(&[["run", "--out", &out, "--only", &only].as_slice(), &options].concat(), engine);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let four = text.lines().any(|line| line.trim().starts_with("reads 4 of ") && line.contains(" types, writes 4"));
    assert!(four, "{text}");
    assert!(text.contains("\n0 red, 0 amber"), "{text}");
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
#[case("rust")]
#[ignore = "needs node"]
#[case("javascript")]
#[ignore = "needs go"]
#[case("go")]
#[ignore = "needs cc"]
#[case("c")]
#[ignore = "needs mcs and mono"]
#[case("csharp")]
fn a_skeleton_passes(#[case] language: &str) {
    passes(language, "godot-3", None);
}

#[rstest]
#[ignore = "needs adapters/engines/install 3.2.3"]
#[case("gdscript3", "3.2.3", "godot-3")]
#[ignore = "needs adapters/engines/install 3.6"]
#[case("gdscript3", "3.6", "godot-3")]
#[ignore = "needs adapters/engines/install 4"]
#[case("gdscript4", "4", "godot-4.4")]
fn a_skeleton_passes_in_an_engine(#[case] language: &str, #[case] version: &str, #[case] dialect: &str) {
    passes(language, dialect, Some(&root().join(format!("adapters/engines/.installed/{version}/godot"))));
}

#[rstest]
#[case::no_language(&["new-adapter", "cobol", "mine"], "invalid value 'cobol'")]
#[case::no_name(&["new-adapter", "python", "target/My Adapter"], "cannot be an adapter's name")]
#[case::not_empty(&["new-adapter", "python", "adapters"], "adapters is not empty; choose a new folder")]
fn what_cannot_be_written_is_said_in_a_sentence(#[case] args: &[&str], #[case] why: &str) {
    let output = conform(args, None);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains(why), "{}", text(&output));
}
