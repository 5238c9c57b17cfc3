//! What the tests share: where things are, and `conform` as a person runs it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{LazyLock, Once};

use variant_corpus::Corpus;
use variant_corpus::test::{Test, Variants, tests};
use variant_runner::record::RunRecord;
use variant_specs::{Dialect, JudgedBy, Source, Specs};

/// The program: that of this build, or the one that `CONFORM` named when the tests were built. `.ci/run` names the release,
/// which is what people get, and takes a third of the time.
pub(crate) const CONFORM: &str = match option_env!("CONFORM") {
    Some(path) => path,
    None => env!("CARGO_BIN_EXE_conform"),
};

pub(crate) static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
pub(crate) static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&root().join("corpus"), &[], &SPECS).unwrap());

/// Skips all tests of this program where there is no python3, since most of them start it: it ends, and says why.
pub(crate) fn need_python() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        if Command::new("python3").arg("--version").output().is_err() {
            // Not `eprintln!`, which tests keep to themselves.
            let _ =
                std::io::stderr().write_all(b"all these tests are skipped: most start python3, which was not found\n");
            std::process::exit(0);
        }
    });
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    need_python();
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The dialect of a file in specs/examples, and the tests of its own cases.
pub(crate) fn example_tests(name: &str) -> (Dialect, Vec<Test>) {
    let folder = root().join("specs/examples");
    let text = std::fs::read_to_string(folder.join(name).with_extension("yaml")).unwrap();
    let mut specs = Specs::builtin().unwrap();
    specs.add_dialects(&[Source { file: name, text: &text }]).unwrap();
    let dialect = specs.dialects.last().unwrap().clone();
    let corpus = Corpus::load(&root().join("corpus"), &[folder.join(name)], &specs).unwrap();
    let own = |test: &Test| SPECS.layouts.id_of(&test.layout).is_none();
    let tests = tests(&corpus, &specs, &dialect, JudgedBy::Engines, Variants::None).unwrap();
    (dialect, tests.into_iter().filter(own).collect())
}

/// A scripted adapter, by the name of its file.
pub(crate) fn scripted(file: &str) -> String {
    root().join("harness/cli/tests/adapters").join(file).display().to_string()
}

/// `conform` in the root of the project.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(CONFORM);
    command.current_dir(root()).args(args);
    command
}

/// `conform` in the root of the project, run to its end.
pub(crate) fn conform(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Copies the files of a folder into another, each with what becomes of its text.
pub(crate) fn copy(from: &Path, to: &Path, text: impl Fn(&Path, String) -> String) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::write(target, text(entry.path(), std::fs::read_to_string(entry.path()).unwrap())).unwrap();
        }
    }
}

/// The record of a run, in its folder.
pub(crate) fn record_in(folder: &Path) -> RunRecord {
    let record = std::fs::read(folder.join("results.jsonl")).unwrap();
    RunRecord::read(record.as_slice()).unwrap()
}

/// A record whose lines were changed, with the digest of what they are now.
pub(crate) fn sealed(record: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let lines: Vec<&str> = record.lines().collect();
    let Some((last, others)) = lines.split_last() else { return String::new() };
    let mut end: serde_json::Value = serde_json::from_str(last).unwrap();
    if end["kind"] != "end" {
        return record.to_owned();
    }
    let others: String = others.iter().map(|line| format!("{line}\n")).collect();
    end["digest"] = format!("sha256:{}", hex::encode(Sha256::digest(&others))).into();
    format!("{others}{end}\n")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What it printed on stderr, which is no panic.
pub(crate) fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// What it printed on stdout, then what on stderr.
pub(crate) fn text(output: &Output) -> String {
    stdout(output) + &stderr(output)
}
