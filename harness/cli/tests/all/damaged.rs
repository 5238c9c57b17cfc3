//! Every kind of file that is read, as it is, damaged in many ways, and as it was found by fuzzing: it is read or refused,
//! with its name and line.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, root};
use variant_dev::readers::{READERS, Readers};

thread_local! {
    static READ: LazyLock<(TempDir, Readers)> = LazyLock::new(|| {
        let folder = TempDir::new().unwrap();
        let readers = Readers::new(folder.path());
        (folder, readers)
    });
}

fn read(letter: u8, content: &[u8]) -> Result<(), String> {
    let input: Vec<u8> = [letter].into_iter().chain(content.iter().copied()).collect();
    READ.with(|read| {
        let (path, result) = read.1.read(&input);
        result.map_err(|message| {
            assert!(has_place(&message, &path), "{}: {message}", path.display());
            message
        })
    })
}

/// Whether a message begins with the file and a line of it. A record as a whole may be wrong, and then none of its lines is.
fn has_place(message: &str, path: &Path) -> bool {
    let Some(rest) = message.strip_prefix(&path.display().to_string()) else { return false };
    let (line, _) = rest.trim_start_matches(':').split_once(':').unwrap_or_default();
    let of_all =
        ["tests, but", "tests ran", "it counts", "occurs twice", "the end is missing", "this record was changed"];
    line.parse::<usize>().is_ok_and(|line| line > 0) || of_all.iter().any(|words| rest.contains(words))
}

/// Files that are right, each with the letter of its reader: what fuzzing begins with.
static RIGHT: LazyLock<Vec<(u8, Vec<u8>)>> = LazyLock::new(|| {
    let made = TempDir::new().unwrap();
    let written = Command::new(root().join("fuzz/seeds")).arg(CONFORM).arg(made.path()).status().unwrap();
    assert!(written.success());
    inputs(made.path())
});

/// The inputs in a folder, in the order of their names.
fn inputs(folder: &Path) -> Vec<(u8, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let input = |file| -> (u8, Vec<u8>) {
        let mut input = std::fs::read(file).unwrap();
        (input.remove(0), input)
    };
    files.into_iter().map(input).collect()
}

#[test]
#[ignore = "makes files with every command: .ci/run runs it"]
fn what_is_right_is_read() {
    let letters: BTreeSet<u8> = RIGHT.iter().map(|(letter, _)| *letter).collect();
    assert_eq!(letters, BTreeSet::from(READERS.map(|(letter, _)| letter)));
    for (letter, content) in RIGHT.iter() {
        assert_eq!(read(*letter, content), Ok(()), "{}", char::from(*letter));
    }
}

/// The same damage each time, at places that are spread over the file.
#[test]
#[ignore = "takes a minute and a half: .ci/run runs it"]
fn what_is_damaged_is_read_or_refused_at_its_line() {
    for (letter, content) in RIGHT.iter() {
        let places = (0..content.len()).step_by(content.len() / 4 + 1);
        let mut refused = 0;
        for at in places {
            let (before, after) = content.split_at(at);
            let line = after.iter().position(|byte| *byte == b'\n').map_or(after.len(), |end| end + 1);
            let damaged = [
                before.to_vec(),
                [before, &after[1..]].concat(),
                [before, &after[line..]].concat(),
                [before, &after[..line], after].concat(),
                [before, b"\xff", &after[1..]].concat(),
                [before, "\u{9b}\u{0}".as_bytes(), after].concat(),
                [before, b"[[[[{{{{", after].concat(),
                [before, b"\n---\n", after].concat(),
                [before, b"99999999999999999999", after].concat(),
                [before, b": &a [*a, *a]\n", after].concat(),
            ];
            refused += damaged.iter().filter(|damaged| read(*letter, damaged).is_err()).count();
        }
        assert!(refused > 0 || matches!(letter, b'a' | b'p'), "{}", char::from(*letter));
    }
}

/// A byte order mark is left out, whatever is read.
#[test]
#[ignore = "makes files with every command: .ci/run runs it"]
fn what_begins_with_a_mark_is_read() {
    for (letter, content) in RIGHT.iter().filter(|(letter, _)| *letter != b'p') {
        let marked = [b"\xef\xbb\xbf", content.as_slice()].concat();
        assert_eq!(read(*letter, &marked), Ok(()), "{}", char::from(*letter));
    }
}

/// Depth costs no time, and no stack.
#[test]
fn what_nests_deeply_is_refused_at_once() {
    for (letter, _) in READERS {
        for begin in
            ["[", "{\"a\":", "{a: ", "- ", "? ", "(", "<", "|", "> ", "{\"kind\":\"plan\",\"handshake\":{\"types\":["]
        {
            let from = Instant::now();
            // So long that whatever grows with the square of it takes minutes.
            let deep = begin.repeat(300_000 / begin.len());
            drop(read(letter, deep.as_bytes()));
            drop(read(letter, format!("x: {deep}").as_bytes()));
            assert!(from.elapsed() < Duration::from_secs(10), "{}: {begin}: {:?}", char::from(letter), from.elapsed());
        }
    }
}

#[rstest]
#[case::empty(b's', "", 1, "missing field `dialect`")]
#[case::variant_of_settings(b'y', "command: [a]\nanswer-timeout: -1\n", 2, "must be a number of seconds")]
#[case::glob_of_mutants(b'e', "- mutants: [a]\n  because: b\n- mutants: ['[x']\n  because: b\n", 3, "is not a glob")]
#[case::flag_twice(
    b'g',
    "a: {rarity: rare, means: one}\nb: {rarity: rare, means: two}\na: {rarity: rare, means: three}\n",
    3,
    ""
)]
#[case::certificate(b'v', "{\n\"format\": 1,\n\"x\": 2}", 3, "unknown field")]
#[case::finding_without_name(b'f', "findings:\n- id: \"\"\n", 2, "")]
fn a_message_has_the_line(#[case] letter: u8, #[case] content: &str, #[case] line: usize, #[case] says: &str) {
    let message = read(letter, content.as_bytes()).unwrap_err();
    assert!(message.contains(&format!(":{line}: ")) && message.contains(says), "{message}");
}

/// What fuzzing found, from `fuzz/found`: each once made a reader panic, take long, or say less than where.
#[test]
fn what_was_found_is_read_or_refused() {
    for (letter, found) in inputs(&root().join("fuzz/found")) {
        drop(read(letter, &found));
    }
}
