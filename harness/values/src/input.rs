//! The files that a person names: all of them are read here, and nothing is read without a limit.

use std::fs::{File, FileType};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use crate::diagnostic::Problem;

/// A file that is read whole has at most this many bytes.
pub const MOST: u64 = 64 << 20;
/// A YAML file has at most this many bytes: its parser takes up to two hundred times as much memory.
const MOST_YAML: u64 = 4 << 20;
/// A file that is read piece by piece, like a record, has at most this many bytes.
const MOST_LONG: u64 = 256 << 20;
/// A record has at most this many lines: ten times as many as a run of everything has tests.
const MOST_LINES: usize = 1 << 20;
/// A line of a record has at most this many bytes.
const MOST_LINE: u64 = 16 << 20;
/// This many lists and maps in brackets may be open at once in a YAML file. The parser's time grows with its square.
const MOST_NESTED: usize = 128;

const BOM: &str = "\u{feff}";

/// Why a file is not read.
#[derive(Debug, Error)]
enum InputError {
    /// The operating system refuses.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is a folder, a pipe or a device, which may have no end.
    #[error("is {0}; only files are read: write its content to a file, and name that")]
    NoFile(&'static str),
    /// It is longer than the limit for its kind: its length when it was opened, or what was read before it was too much.
    #[error("has {bytes} bytes or more, and the limit is {} MiB", most >> 20)]
    Long { bytes: u64, most: u64 },
    /// This line is not UTF-8.
    #[error("is not text in UTF-8")]
    NoText(usize),
    /// On this line of YAML, more brackets are open than may be.
    #[error("has more than {MOST_NESTED} brackets open here, one in another")]
    Deep(usize),
}

impl InputError {
    fn problem_in(self, path: &Path) -> Problem {
        let line = match self {
            Self::NoText(line) | Self::Deep(line) => line,
            Self::Unreadable(_) | Self::NoFile(_) | Self::Long { .. } => 0,
        };
        Problem { file: path.display().to_string(), line, message: self.to_string() }
    }
}

pub fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    open(path, MOST).and_then(|file| whole(file, MOST)).map_err(|error| error.problem_in(path))
}

pub fn stdin() -> Result<Vec<u8>, Problem> {
    whole(io::stdin(), MOST).map_err(|error| error.problem_in(Path::new("stdin")))
}

/// A text, without the byte order mark that it may begin with.
pub fn text(path: &Path) -> Result<String, Problem> {
    text_of(bytes(path)?).map_err(|error| error.problem_in(path))
}

/// A text in YAML, as [`text`].
pub fn yaml(path: &Path) -> Result<String, Problem> {
    let read = || {
        let text = text_of(whole(open(path, MOST_YAML)?, MOST_YAML)?)?;
        too_deep(&text).map_or(Ok(text), |line| Err(InputError::Deep(line)))
    };
    read().map_err(|error: InputError| error.problem_in(path))
}

/// A long file, to be read piece by piece, like a record by [`lines`].
pub fn reader(path: &Path) -> Result<BufReader<io::Take<File>>, Problem> {
    let file = open(path, MOST_LONG).map_err(|error| error.problem_in(path))?;
    Ok(BufReader::new(file.take(MOST_LONG)))
}

/// The lines of a record, without their ends and without a byte order mark.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut number = 0;
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        number += 1;
        match input.by_ref().take(MOST_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => return Some(Err(error)),
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if length(&line) > MOST_LINE {
            return Some(Err(too_much(format!("it has more than {} MiB", MOST_LINE >> 20))));
        }
        if number > MOST_LINES {
            return Some(Err(too_much(format!("a record has at most {MOST_LINES} lines"))));
        }
        if number == 1 && line.starts_with(BOM.as_bytes()) {
            line.drain(..BOM.len());
        }
        Some(Ok(line))
    })
}

fn too_much(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Opens a file that has no more bytes than this. What it is, is looked up first: to open a pipe is to wait for its
/// writer.
#[allow(clippy::disallowed_methods, reason = "this is the place")]
fn open(path: &Path, most: u64) -> Result<File, InputError> {
    refuse(std::fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    let there = file.metadata()?;
    refuse(there.file_type())?;
    if there.len() > most {
        return Err(InputError::Long { bytes: there.len(), most });
    }
    Ok(file)
}

fn refuse(kind: FileType) -> Result<(), InputError> {
    match kind {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(InputError::NoFile("a folder")),
        _ => Err(InputError::NoFile("a pipe or a device")),
    }
}

/// Everything there is. A file may have grown, or have hidden its length, as those of `/proc` do.
fn whole(input: impl Read, most: u64) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if length(&bytes) > most { Err(InputError::Long { bytes: length(&bytes), most }) } else { Ok(bytes) }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn text_of(bytes: Vec<u8>) -> Result<String, InputError> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        InputError::NoText(1 + error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count())
    })?;
    if text.starts_with(BOM) {
        text.drain(..BOM.len());
    }
    Ok(text)
}

/// The first line on which more than [`MOST_NESTED`] brackets are open. Brackets in quotes and comments do not count.
fn too_deep(yaml: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (number, line) in (1..).zip(yaml.lines()) {
        let mut before = b' ';
        let mut bytes = line.bytes();
        while let Some(byte) = bytes.next() {
            let begins = before.is_ascii_whitespace() || b"[{,:'".contains(&before);
            match (quote, byte) {
                (Some(b'"'), b'\\') => {
                    bytes.next();
                }
                (Some(open), _) => quote = quote.filter(|_| byte != open),
                (None, b'"' | b'\'') if begins => quote = Some(byte),
                (None, b'#') if begins => break,
                (None, b'[' | b'{') if depth == MOST_NESTED => return Some(number),
                (None, b'[' | b'{') => depth += 1,
                (None, b']' | b'}') => depth = depth.saturating_sub(1),
                (None, _) => {}
            }
            before = byte;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: usize = MOST_NESTED + 1;

    #[test]
    fn brackets_that_are_open_count() {
        let nested = |open: usize| format!("a: 1\nvalue: {}{}\n", "[".repeat(open), "]".repeat(open));
        assert_eq!(too_deep(&nested(MOST_NESTED)), None);
        assert_eq!(too_deep(&nested(OPEN)), Some(2));
        for opens in ["{a: ", "[1, {b: ", "- [", "!tag [", "\"]\": [", "['\u{5d}', ", "# ]\n[", "[\n"] {
            assert!(too_deep(&opens.repeat(OPEN)).is_some(), "{opens:?}");
        }
    }

    #[test]
    fn brackets_in_text_do_not() {
        for text in ["- \"[ \\\" [\"\n", "- 'it''s ['\n", "- it's [a]\n", "- a # [\n", "- [']', [a], \"]\"]\n"] {
            assert_eq!(too_deep(&text.repeat(OPEN)), None, "{text:?}");
        }
    }

    #[test]
    fn a_record_is_read_by_lines_of_bounded_length() {
        let read = |bytes: &[u8]| lines(bytes).map(|line| line.map_err(|error| error.kind())).collect::<Vec<_>>();
        assert_eq!(read(b"\xef\xbb\xbfa\n\nb\xff"), [Ok(b"a".to_vec()), Ok(Vec::new()), Ok(b"b\xff".to_vec())]);
        let long = lines(BufReader::new(io::repeat(b' '))).next().unwrap();
        assert_eq!(long.unwrap_err().kind(), io::ErrorKind::InvalidData);
        let many = lines(BufReader::new(io::repeat(b'\n'))).find_map(Result::err).unwrap();
        assert_eq!(many.to_string(), format!("a record has at most {MOST_LINES} lines"));
    }

    #[test]
    fn a_text_has_no_mark_and_is_utf_8() {
        assert_eq!(text_of(b"\xef\xbb\xbfa".to_vec()).unwrap(), "a");
        assert_eq!(text_of(b"a\nb\n\xffc".to_vec()).unwrap_err().problem_in(Path::new("")).line, 3);
        assert!(matches!(whole(io::repeat(0), MOST), Err(InputError::Long { most: MOST, .. })));
    }
}
