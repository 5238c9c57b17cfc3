//! Each skeleton passes `conform vet`, and is right in all that it claims, where its language is installed.
//!
//! `.ci/run` installs them all, and sets `CONFORM_ALL_LANGUAGES`: then a language that is missing is a failure.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and says what it leaves out")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;
use variant_adapter::skeleton::languages;
use variant_specs::Specs;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn conform(args: &[&str], engine: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    // A skeleton in Rust builds for itself, wherever this project builds.
    command.current_dir(root()).args(args).env_remove("CARGO_TARGET_DIR");
    if let Some(engine) = engine {
        command.env("GODOT", engine);
    }
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

fn installed(program: &Path) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        assert!(std::env::var_os("CONFORM_ALL_LANGUAGES").is_none(), "{} is not installed", program.display());
        eprintln!("left out: {} is not installed", program.display());
    }
    found
}

/// A dialect that this conform may not know yet: the four types are the same in it.
fn spec(folder: &Path, dialect: &str) -> Option<String> {
    if Specs::builtin().unwrap().dialect(dialect).is_some() {
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
    assert!(output.status.success(), "{}", said(&output));
    install(&folder);
    let spec = spec(place.path(), dialect);
    // An engine takes its time where the machine is busy with other tests.
    let mut options = vec!["mine", "--adapters", &adapters, "--timeout", "10"];
    options.extend(spec.iter().flat_map(|file| ["--spec", file.as_str()]));
    let output = conform(&[["vet"].as_slice(), &options].concat(), engine);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains(" 0 with a remark, 0 bad"), "{text}");
    let (out, only) = (place.path().join("out").display().to_string(), format!("{dialect}/{{null,bool,int,float}}/**"));
    let output = conform(&[["run", "--out", &out, "--only", &only].as_slice(), &options].concat(), engine);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("4 of 4 tested types pass both ways"), "{text}");
    assert!(text.contains("\n0 red, 0 amber"), "{text}");
}

/// What `install:` says, as a person does it.
fn install(folder: &Path) {
    let yaml = std::fs::read_to_string(folder.join("adapter.yaml")).unwrap();
    assert!(!yaml.contains("my-adapter"), "{yaml}");
    let Some(install) = yaml.lines().find_map(|line| line.strip_prefix("install: ")) else { return };
    let mut command = Command::new("sh");
    let output = command.arg("-c").arg(install).current_dir(folder).env_remove("CARGO_TARGET_DIR").output().unwrap();
    assert!(output.status.success(), "{install}: {}", said(&output));
}

#[rstest]
#[case("python", "python3")]
#[case("javascript", "node")]
#[case("rust", "cargo")]
#[case("go", "go")]
#[case("c", "cc")]
#[case("csharp", "mcs")]
fn a_skeleton_passes(#[case] language: &str, #[case] toolchain: &str) {
    if installed(Path::new(toolchain)) {
        passes(language, "godot-3", None);
    }
}

#[rstest]
#[case("gdscript3", "3.2.3", "godot-3")]
#[case("gdscript3", "3.6", "godot-3")]
#[case("gdscript4", "4", "godot-4.4")]
fn a_skeleton_passes_in_an_engine(#[case] language: &str, #[case] version: &str, #[case] dialect: &str) {
    let engine = root().canonicalize().unwrap().join(format!("adapters/engines/.installed/{version}/godot"));
    if installed(&engine) {
        passes(language, dialect, Some(&engine));
    }
}

#[test]
fn every_language_is_tried() {
    let tried = ["c", "csharp", "gdscript3", "gdscript4", "go", "javascript", "python", "rust"];
    assert_eq!(languages().collect::<Vec<_>>(), tried);
}

#[rstest]
#[case::no_language(&["new-adapter", "cobol", "mine"], "invalid value 'cobol'")]
#[case::no_name(&["new-adapter", "python", "target/My Adapter"], "cannot be an adapter's name")]
#[case::not_empty(&["new-adapter", "python", "adapters"], "adapters is not empty; name a new folder")]
fn what_cannot_be_written_is_said_in_a_sentence(#[case] args: &[&str], #[case] why: &str) {
    let output = conform(args, None);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains(why), "{}", said(&output));
}
