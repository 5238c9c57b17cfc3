//! Digests of an implementation's files: of the program that is run, and of the adapter's folder.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use variant_values::input;
use walkdir::{DirEntry, WalkDir};

use super::digest;

/// Folders of what is installed or built: they are not the adapter, and neither are names that start with a dot.
const LEFT_OUT: [&str; 4] = ["node_modules", "target", "vendor", "__pycache__"];
/// A folder with more files than this, or with more bytes in them, has no digest.
const MOST_FILES: usize = 2_000;
const MOST_BYTES: u64 = 64 << 20;

/// The digest of a file of the implementation, or of its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// The name without the folders above it, like `codec.mjs`. The name of a folder ends in `/`.
    pub name: String,
    /// SHA-256 of the file's content, or of the folder's listing, as `sha256:` and hex.
    pub digest: String,
}

/// The digest of a file that a command names; `None` if it is not a file that can be read.
pub fn file_digest(path: &Path) -> Option<FileDigest> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let mut digest = Sha256::new();
    std::io::copy(&mut input::reader(path).ok()?, &mut digest).ok()?;
    Some(FileDigest { name, digest: format!("sha256:{}", hex::encode(digest.finalize())) })
}

/// The digest of the regular files below an adapter's folder: that of the lines that `sha256sum` prints of their paths
/// (`./codec.mjs`), sorted by their bytes. Links are not followed.
///
/// # Errors
/// If the folder cannot be listed, a file cannot be read, or the files or bytes are too many, in a sentence.
pub fn folder_digest(folder: &Path, name: &str) -> Result<FileDigest, String> {
    let ours = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !name.starts_with('.') && !LEFT_OUT.contains(&name.as_ref())
    };
    let (mut files, mut bytes) = (Vec::new(), 0);
    for entry in WalkDir::new(folder).follow_links(false).follow_root_links(true).into_iter().filter_entry(ours) {
        let entry = entry.map_err(|error| error.to_string())?;
        if !entry.file_type().is_file() {
            continue;
        }
        bytes += entry.metadata().map_err(|error| error.to_string())?.len();
        files.push(entry.into_path());
        if files.len() > MOST_FILES || bytes > MOST_BYTES {
            return Err(format!("it has more than {MOST_FILES} files, or {} MiB", MOST_BYTES >> 20));
        }
    }
    let mut lines = Vec::with_capacity(files.len());
    for file in &files {
        let content = input::bytes(file).map_err(|problem| problem.to_string())?;
        let path = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        lines.push((path, digest(&content)));
    }
    lines.sort();
    let line = |(path, digest): &(String, String)| format!("{}  ./{path}\n", digest.trim_start_matches("sha256:"));
    let listing: String = lines.iter().map(line).collect();
    Ok(FileDigest { name: format!("{name}/"), digest: digest(listing.as_bytes()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().unwrap();
        for (path, content) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_has_the_digest_of_what_sha256sum_prints() {
        let of =
            folder(&[("b", "two"), ("a/c.mjs", "one"), ("node_modules/x.js", "left out"), (".hidden", "left out")]);
        let sum = std::process::Command::new("sh")
            .args([
                "-c",
                "find . -type f ! -path './node_modules/*' ! -name '.*' | LC_ALL=C sort | xargs sha256sum | sha256sum",
            ])
            .current_dir(of.path())
            .output()
            .unwrap();
        let sum = String::from_utf8(sum.stdout).unwrap();
        let digest = folder_digest(of.path(), "mine").unwrap();
        assert_eq!((digest.name.as_str(), digest.digest), ("mine/", format!("sha256:{}", &sum[..64])));
    }

    #[test]
    fn a_changed_or_renamed_file_changes_it() {
        let digest = |files| folder_digest(folder(files).path(), "mine").unwrap().digest;
        let before = digest(&[("codec.mjs", "1")]);
        assert_eq!(before, digest(&[("codec.mjs", "1"), ("target/built", "2")]));
        assert_ne!(before, digest(&[("codec.mjs", "2")]));
        assert_ne!(before, digest(&[("other.mjs", "1")]));
    }

    #[test]
    fn no_link_is_followed_out() {
        let outside = folder(&[("secret", "1")]);
        let of = folder(&[("codec.mjs", "1")]);
        let before = folder_digest(of.path(), "mine").unwrap();
        std::os::unix::fs::symlink(outside.path(), of.path().join("out")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", of.path().join("endless")).unwrap();
        assert_eq!(folder_digest(of.path(), "mine").unwrap(), before);
    }
}
