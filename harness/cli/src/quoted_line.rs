//! The line of an adapter's files that says which dialect it speaks.

use std::fs::DirEntry;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use variant_values::input;
use variant_values::sanitize::short;

/// So many files are read, and this much of each.
const FILES: usize = 20;
const BYTES: u64 = 100_000;
/// At most so many letters of the line are shown.
const SHOWN: usize = 120;
/// The folders that package managers and compilers fill.
const NOT_WRITTEN: [&str; 4] = ["node_modules", "target", "build", "__pycache__"];

/// The first line in the files of a folder that has one of these names in quotes, with its place: `mine/adapter.py:12: …`.
pub(super) fn of(folder: &Path, names: &[&str]) -> Option<String> {
    let mut files = Vec::new();
    add_files(folder, &mut files);
    for path in files {
        let mut bytes = Vec::new();
        let Ok(file) = input::reader(&path) else { continue };
        if file.take(BYTES).read_to_end(&mut bytes).is_err() {
            continue;
        }
        // A program is no text.
        if bytes.contains(&0) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        for (before, line) in text.lines().enumerate() {
            if names.iter().any(|name| is_in_quotes(line, name)) {
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

fn is_in_quotes(line: &str, name: &str) -> bool {
    let is_quoted = |at: usize| {
        line[..at].ends_with(['"', '\'', '`']) && line[at + name.len()..].starts_with(['"', '\'', '`', '\\'])
    };
    line.match_indices(name).any(|(at, _)| is_quoted(at))
}
