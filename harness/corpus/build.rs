//! Carries the corpus in the program: every file under `corpus/`, as it is.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("data");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("[\n");
    for file in files(&folder) {
        let name = file.strip_prefix(&folder).map(Path::to_string_lossy).unwrap_or_default().replace('\\', "/");
        println!("cargo::rerun-if-changed={}", file.display());
        let _ = writeln!(list, "({name:?}, include_str!({:?})),", file.display().to_string());
    }
    list.push(']');
    let list_file = out.join("corpus.rs");
    if let Err(error) = fs::write(&list_file, list) {
        println!("cargo::error={}: cannot be written: {error}", list_file.display());
    }
}

/// Every file below, in the order in which the harness walks a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => {
            println!("cargo::error={}: cannot be read: {error}", folder.display());
            Vec::new()
        }
    };
    entries.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.into_iter().flat_map(below).collect()
}
