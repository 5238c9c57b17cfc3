//! The line of an adapter's program that says which dialect it speaks.

use std::fs::DirEntry;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use variant_adapter::external::Command;
use variant_values::input;
use variant_values::sanitize::short;

/// So many files are read, and this much of each.
const FILES: usize = 20;
const BYTES: u64 = 100_000;
/// At most so many letters of the line are shown.
const SHOWN: usize = 120;
/// The folders that package managers and compilers fill.
const NOT_WRITTEN: [&str; 4] = ["node_modules", "target", "build", "__pycache__"];

/// Files that are no programs.
const PROSE: [&str; 3] = ["md", "rst", "txt"];

/// The first line of a program that has one of these names in quotes, with its place: `mine/adapter.py:12: …`. The files that
/// its command names come first, then the others in its folder.
pub(super) fn of(command: &Command, names: &[&str]) -> Option<String> {
    let folder = command.cwd.as_deref();
    let named = command.argv.iter().map(|word| folder.unwrap_or(Path::new("")).join(word));
    let mut files: Vec<PathBuf> = named.filter(|path| path.is_file()).collect();
    if let Some(folder) = folder {
        add_files(folder, &mut files);
    }
    let is_prose = |path: &Path| PROSE.iter().any(|end| path.extension() == Some(end.as_ref()));
    for path in files.iter().filter(|path| !is_prose(path)) {
        let mut bytes = Vec::new();
        let Ok(file) = input::reader(path) else { continue };
        if file.take(BYTES).read_to_end(&mut bytes).is_err() {
            continue;
        }
        // A program is no text.
        if bytes.contains(&0) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        for (before, line) in text.lines().enumerate() {
            if !is_comment(line.trim_start()) && names.iter().any(|name| is_in_quotes(line, name)) {
                return Some(format!("{}:{}: {}", path.display(), before + 1, short(line.trim(), SHOWN)));
            }
        }
    }
    None
}

/// Adds the first files of a folder by their paths, and of the folders in it.
fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        // A link is neither a file nor a folder here, so that none leads elsewhere or in a circle.
        let Ok(kind) = entry.file_type() else { continue };
        if files.len() < FILES && kind.is_file() {
            files.push(entry.path());
        } else if kind.is_dir() && !name.starts_with('.') && !NOT_WRITTEN.contains(&&*name) {
            add_files(&entry.path(), files);
        }
    }
}

/// Whether a line begins as a comment does in some language; `#define` is none.
fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "--"].iter().any(|sign| line.starts_with(sign))
        || line.starts_with('#') && !line.starts_with("#define")
}

fn is_in_quotes(line: &str, name: &str) -> bool {
    let is_quoted = |at: usize| {
        line[..at].ends_with(['"', '\'', '`']) && line[at + name.len()..].starts_with(['"', '\'', '`', '\\'])
    };
    line.match_indices(name).any(|(at, _)| is_quoted(at))
}
