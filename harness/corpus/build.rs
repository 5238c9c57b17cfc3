//! Carries the corpus in the program: every file under `corpus/`, as it is, and what YAML makes of it.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use variant_syntax::file::RawFile;
use variant_syntax::input;

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("data");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("[\n");
    for (number, file) in files(&folder).into_iter().enumerate() {
        let name = file.strip_prefix(&folder).map(Path::to_string_lossy).unwrap_or_default().replace('\\', "/");
        println!("cargo::rerun-if-changed={}", file.display());
        let parsed = out.join(format!("{number}.postcard"));
        write(&parsed, &parse(&file));
        let (file, parsed) = (file.display().to_string(), parsed.display().to_string());
        let _ = writeln!(list, "({name:?}, include_str!({file:?}), include_bytes!({parsed:?})),");
    }
    list.push(']');
    write(&out.join("corpus.rs"), list.as_bytes());
}

/// A file of cases in postcard's form; nothing of another. What YAML cannot read is told when it is needed, with more
/// to say than can be said here.
fn parse(file: &Path) -> Vec<u8> {
    let text = input::yaml(file).unwrap_or_default();
    let raw = serde_yaml::from_str::<RawFile>(&text).ok();
    raw.and_then(|raw| postcard::to_allocvec(&raw).ok()).unwrap_or_default()
}

fn write(file: &Path, bytes: &[u8]) {
    if let Err(error) = fs::write(file, bytes) {
        println!("cargo::error={}: cannot be written: {error}", file.display());
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
