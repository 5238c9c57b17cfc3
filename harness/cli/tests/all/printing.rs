//! Output that nobody reads, or that there is no room for: no command panics, and all say so in one way.

use std::io::Write;
use std::process::Stdio;
use std::sync::LazyLock;

use rayon::prelude::*;
use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, command, conform, root, said, scripted, stderr, stdout};

/// A folder with a record, and what else commands read. `AT` in a command is this folder.
static PLACE: LazyLock<TempDir> = LazyLock::new(|| {
    let place = TempDir::new().unwrap();
    let out = place.path().display().to_string();
    conform(&["certify", "--dialect", "godot-2", "--out", &out]);
    let page = place.path().join("page.md").display().to_string();
    conform(&["document", "godot-2", "--format", "markdown", "--out", &page]);
    let only = ["run", "--only", "godot-3/bool/*", "--out"];
    let folder = place.path().join("bool");
    conform(&[only.as_slice(), &[&folder.display().to_string()]].concat());
    std::fs::rename(folder.join("results.jsonl"), place.path().join("bool.jsonl")).unwrap();
    // A corpus of one file, which lint has something to say about.
    std::fs::create_dir(place.path().join("corpus")).unwrap();
    let case = "family: true\ntype: bool\ncases:\n  - {name: a, class: undecided, why: silent, value: !bool true}\n";
    std::fs::write(place.path().join("corpus/bool.yaml"), case).unwrap();
    std::fs::write(place.path().join("corpus/VERSION"), "1.0.0\n").unwrap();
    place
});

/// Every command, but for `serve`, which has a test of its own. `in AT` in front of one says where it runs.
const LINES: &[&str] = &[
    "interop reference reference --dialect godot-2",
    "explain 00000000",
    "list --dialect godot-2",
    "list --only godot-3/bool/*",
    "vet -- python3 NULL",
    "new-adapter python NEW",
    "in AT lint",
    "verify AT/certificate.json",
    "report AT/results.jsonl",
    "gate AT/results.jsonl AT/results.jsonl",
    "export --format schema",
    "run --only godot-3/bool/* --out NEW",
    "diff reference reference --dialect godot-2 --cases 10",
    "document godot-2",
    "coverage --dialect godot-2",
    "coverage --dialect godot-2 --format json",
    "in AT certify --dialect godot-2 --out NEW",
    "completions bash",
    "man NEW",
    "export --dialect godot-2",
    "in AT site NEW",
    "matrix reference --out NEW",
    "in AT selftest --dialect godot-2",
    "gate --format markdown AT/results.jsonl AT/results.jsonl",
    "report --format html AT/results.jsonl",
    "run --only godot-3/bool/* --baseline AT/bool.jsonl --out NEW",
    "explain 05",
    "demo",
    "explain --dialect godot-3 05000000",
    "decode 00000000",
    "encode {\"int\":5} --dialect godot-3",
];

#[test]
fn every_command_is_here() {
    let help = stdout(&conform(&["help"]));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for command in listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()))
    {
        let is_of = |line: &&str| line.trim_start_matches("in AT ").split(' ').next() == Some(command);
        assert!(["serve", "help"].contains(&command) || LINES.iter().any(is_of), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_full_or_closed_stdout_is_no_panic() {
    LINES.par_iter().for_each(|line| check(line));
}

#[cfg(target_os = "linux")]
fn check(line: &str) {
    let new = TempDir::new().unwrap();
    let at = PLACE.path().display().to_string();
    // `new-adapter` writes only once into a folder.
    let (here, line) = line.strip_prefix("in AT ").map_or((root(), line), |line| (PLACE.path().to_owned(), line));
    let command = || {
        let mut conform = command(&[]);
        conform.current_dir(&here);
        conform
    };
    let args = |turn: &str| -> Vec<String> {
        let new = new.path().join(turn).display().to_string();
        let line = line.replace("AT", &at).replace("NEW", &new).replace("NULL", &scripted("null.py"));
        line.split(' ').map(str::to_owned).collect()
    };
    let usual = command().args(args("usual")).output().unwrap();
    let printed = !usual.stdout.is_empty();

    let mut closed = command();
    let mut child = closed.args(args("closed")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let closed = child.wait_with_output().unwrap();
    assert_eq!(closed.status.code(), usual.status.code(), "{line}: {}", said(&closed));

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let full = command().args(args("full")).stdout(full).output().unwrap();
    let text = said(&full);
    // A gate without changes, or what writes files alone, has nothing to print.
    if printed {
        assert_eq!(full.status.code(), Some(5), "{line}: {text}");
        assert!(text.contains("the output cannot be printed"), "{line}: {text}");
    }
}

/// A service whose replies cannot be written has not served; one whose reader goes away has.
#[cfg(target_os = "linux")]
#[test]
fn a_service_without_room_fails() {
    let serve = |output: Stdio| {
        let mut serve =
            command(&["serve"]).stdin(Stdio::piped()).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
        serve.stdin.take().unwrap().write_all(b"{\"op\":\"hello\"}\n").unwrap();
        drop(serve.stdout.take());
        serve.wait_with_output().unwrap()
    };
    let full = serve(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into());
    assert_eq!(full.status.code(), Some(5), "{}", said(&full));
    assert!(said(&full).contains("the output cannot be printed"), "{}", said(&full));
    let closed = serve(Stdio::piped());
    assert_eq!(closed.status.code(), Some(0), "{}", said(&closed));
}

/// Nobody can be told, and that is all.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stderr_is_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["report", "missing.jsonl"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Remarks are as wide as the terminal; one that does not say how wide it is has the usual width.
#[cfg(unix)]
#[rstest]
#[case::narrow(40, 40)]
#[case::unknown(0, 80)]
fn remarks_fit_the_terminal(#[case] columns: u16, #[case] most: usize) {
    const TERMINAL: &str = "\
import fcntl, os, pty, struct, sys, termios
pid, end = pty.fork()
if pid == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
try:
    while part := os.read(end, 4096): os.write(1, part)
except OSError: pass
";
    let folder = TempDir::new().unwrap();
    let args = ["-c", TERMINAL, &columns.to_string(), CONFORM, "run", "no-such-adapter"];
    let output = std::process::Command::new("python3").args(args).current_dir(&folder).output().unwrap();
    let text = stdout(&output);
    assert!(text.starts_with("conform: there is no folder"), "{text}{}", stderr(&output));
    assert!(text.lines().all(|line| line.chars().count() <= most), "{text}");
}
