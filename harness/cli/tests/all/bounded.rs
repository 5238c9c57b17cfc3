//! Every file that a command reads, as a file that must not be read: refused at once, with its name and the reason.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, root};

/// The kinds of file that are refused, and what is said of them.
const KINDS: [(&str, &str); 7] = [
    ("pipe", "is a pipe or a device"),
    ("device", "is a pipe or a device"),
    ("folder", "is a folder"),
    ("long", "MiB"),
    ("65-mib", "MiB"),
    ("missing", "No such file"),
    ("not-utf-8", ""),
];

/// Puts a file of a kind at this path. A long file has no blocks.
fn make(kind: &str, path: &Path) {
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "device" => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        "folder" => std::fs::create_dir(path).unwrap(),
        "long" => File::create(path).unwrap().set_len((1 << 30) + 1).unwrap(),
        "65-mib" => File::create(path).unwrap().set_len(65 << 20).unwrap(),
        "not-utf-8" => std::fs::write(path, b"{\n\xff\xff").unwrap(),
        _ => assert_eq!(kind, "missing"),
    }
}

/// Runs a command in the root of the project; it ends by itself. Returns its exit status and what it printed.
fn run(folder: &Path, args: &[String]) -> (Option<i32>, String) {
    run_in(&root(), folder, args)
}

fn run_in(here: &Path, folder: &Path, args: &[String]) -> (Option<i32>, String) {
    let log = folder.join("output");
    let mut command = Command::new(CONFORM);
    command.current_dir(here).args(args).stdin(Stdio::null());
    command.stdout(File::create(&log).unwrap()).stderr(File::options().append(true).open(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("{args:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    (child.wait().unwrap().code(), String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned())
}

/// `AT` in a command is the folder in which the file is; the file's name is the first argument.
#[rstest]
#[case::spec("my.yaml", "--spec AT/my.yaml explain 00000000")]
#[case::corpus("corpus/cases.yaml", "list")]
#[case::version("corpus/VERSION", "list")]
#[case::adapter("adapter.yaml", "--adapters AT/.. vet NAME")]
#[case::known_findings("findings.yaml", "--adapters AT/.. run NAME")]
#[case::baseline("old.jsonl", "run --baseline AT/old.jsonl --out AT/out")]
#[case::report("results.jsonl", "report AT/results.jsonl")]
#[case::gate("old.jsonl", "gate AT/old.jsonl AT/old.jsonl")]
#[case::certificate("certificate.json", "verify AT/certificate.json")]
#[case::explain("packet.bin", "explain AT/packet.bin")]
#[case::explorer("explorer.wasm", "site AT/out --explorer AT/explorer.wasm")]
#[case::record_of_a_site("old.jsonl", "site AT/out --results AT/old.jsonl")]
#[case::flags("corpus/tags.yaml", "list")]
#[case::mutants("corpus/equivalent-mutants.yaml", "selftest")]
fn what_is_no_file_or_too_long_is_refused_at_once(#[case] file: &str, #[case] line: &str) {
    // Any bytes may be a program, and the site that it is put into takes long.
    let kinds = KINDS.into_iter().filter(|(kind, _)| (*kind, file) != ("not-utf-8", "explorer.wasm"));
    for (kind, says) in kinds {
        let place = TempDir::new().unwrap();
        let folder = place.path().join("NAME");
        std::fs::create_dir(&folder).unwrap();
        if file == "findings.yaml" {
            std::fs::write(folder.join("adapter.yaml"), "command: [\"true\"]\n").unwrap();
        }
        if file.starts_with("corpus/") {
            std::fs::create_dir(folder.join("corpus")).unwrap();
            std::fs::write(folder.join("corpus/VERSION"), "1.0.0\n").unwrap();
            let _ = std::fs::remove_file(folder.join(file));
        }
        make(kind, &folder.join(file));
        let at = folder.display().to_string();
        let args: Vec<String> = line.split(' ').map(|word| word.replace("AT", &at)).collect();
        let here = if file.starts_with("corpus/") { folder } else { root() };
        let (code, said) = run_in(&here, place.path(), &args);
        assert!(!said.contains("panicked"), "{line}: {kind}: {said}");
        match (kind, file) {
            // A corpus may have any folders, and needs no such file. Other commands say that there is none.
            ("folder" | "missing", "corpus/cases.yaml" | "corpus/tags.yaml" | "corpus/equivalent-mutants.yaml")
            | ("missing", "adapter.yaml" | "packet.bin") => {
                assert_eq!(code, Some(2), "{line}: {kind}: {said}");
            }
            // Then it is no corpus, and the program has its own.
            ("folder" | "missing" | "pipe" | "device", "corpus/VERSION") => {
                assert_eq!(code, Some(0), "{line}: {kind}: {said}");
            }
            // A list may be missing; then the adapter is started.
            ("missing", "findings.yaml") => assert_eq!(code, Some(3), "{line}: {said}"),
            // A record may be named by its folder.
            ("folder", "old.jsonl" | "results.jsonl") => {
                assert_eq!(code, Some(2), "{line}: {said}");
                assert!(said.contains("there is no results.jsonl in it"), "{line}: {said}");
            }
            // Any bytes are a packet.
            ("not-utf-8", "packet.bin") => assert_eq!(code, Some(1), "{line}: {kind}: {said}"),
            _ => {
                assert_eq!(code, Some(2), "{line}: {kind}: {said}");
                assert!(
                    said.contains(&*file.replace('/', std::path::MAIN_SEPARATOR_STR)) && said.contains(says),
                    "{line}: {kind}: {said}"
                );
            }
        }
    }
}

/// What costs more than its length is refused or takes no time; none of these ended within a minute.
#[rstest]
#[case("layouts: [[[[", 100_000, "has more than 128 brackets open here")]
#[case("layouts: {a: {a: ", 100_000, "has more than 128 brackets open here")]
#[case("kkkk", 3_000_000, "")]
fn a_spec_that_costs_much_is_refused(#[case] begin: &str, #[case] times: usize, #[case] says: &str) {
    let place = TempDir::new().unwrap();
    let path = place.path().join("spec.yaml");
    let (head, last) = begin.split_at(begin.len() - 4);
    std::fs::write(&path, format!("dialect: x\n{head}{}: 1\n", last.repeat(times / 4))).unwrap();
    let args = ["--spec", &path.display().to_string(), "explain", "00000000"];
    let (code, said) = run(place.path(), &args.map(str::to_owned));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("spec.yaml:2: ") && said.contains(says), "{said}");
    assert!(said.len() < 4096, "{} letters", said.len());
}

/// A layout that is right and long.
#[test]
fn a_layout_of_many_fields_takes_no_time() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("spec.yaml");
    let fields: Vec<String> = (0..100_000).map(|number| format!("f{number}")).collect();
    let layout = format!("layouts: {{big: {{shape: fields, of: int32, fields: [{}]}}}}", fields.join(", "));
    std::fs::write(&path, format!("dialect: x\nextends: godot-3\n{layout}\ninsert: {{6: big}}\n")).unwrap();
    let from = Instant::now();
    let args = ["--spec", &path.display().to_string(), "explain", "--dialect", "x", "0600000001000000"];
    let (code, said) = run(place.path(), &args.map(str::to_owned));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("refused: truncated") && from.elapsed() < Duration::from_secs(20), "{:?}", from.elapsed());
}

#[test]
fn an_unknown_key_is_quoted_in_part() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("spec.yaml");
    // Short enough for a key of a line, and for a quoted one of any length.
    std::fs::write(&path, format!("dialect: x\n? \"{}\"\n: 1\n", "k".repeat(3_000_000))).unwrap();
    let args = ["--spec", &path.display().to_string(), "explain", "00000000"];
    let (code, said) = run(place.path(), &args.map(str::to_owned));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("unknown field") && said.len() < 4096, "{} letters", said.len());
}

#[test]
fn a_record_with_long_listings_is_refused() {
    let place = TempDir::new().unwrap();
    let out = place.path().join("out");
    let args = ["run", "--dialect", "godot-3", "--only", "godot-3/vector2/*", "--quick"].map(str::to_owned);
    let adapter = ["--", "python3", &crate::support::scripted("null.py")].map(str::to_owned);
    let args: Vec<String> =
        args.into_iter().chain(["--out".to_owned(), out.display().to_string()]).chain(adapter).collect();
    let (_, said) = run(place.path(), &args);
    let record = std::fs::read_to_string(out.join("results.jsonl")).unwrap_or_else(|_| panic!("{said}"));
    let mut lines: Vec<serde_json::Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed = lines.iter_mut().find(|line| line["detail"]["expected"].is_array()).unwrap();
    let row = failed["detail"]["expected"][0].clone();
    failed["detail"]["expected"] = vec![row; 30_000].into();
    let record: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(out.join("long.jsonl"), record).unwrap();
    let (code, said) = run(place.path(), &["report".to_owned(), out.join("long.jsonl").display().to_string()]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("this listing has more than 200 rows"), "{said}");
}
