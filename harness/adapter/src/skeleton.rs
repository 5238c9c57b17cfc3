//! Skeletons of adapters: programs that pass `conform vet`, in which you replace only the codec.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};
use thiserror::Error;

/// A folder per language, each a working program with the name `my-adapter`. Cargo and git must not take their files
/// for ours, so some have another name here: `Cargo.toml.txt`, `go.mod.txt` and `gitignore`.
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
/// The adapter's name in the templates; the folder's name replaces it.
const NAME: &str = "my-adapter";

/// Why a skeleton was not written.
#[derive(Debug, Error)]
pub enum SkeletonError {
    /// There is no template in this language.
    #[error("there is no skeleton in {0}")]
    UnknownLanguage(String),
    /// The folder's name is not a valid adapter name: small letters, digits and `-`.
    #[error("{0:?} cannot be an adapter's name; use lowercase letters, digits and -, such as {NAME}", NAME = NAME)]
    BadName(String),
    /// The folder has files in it already.
    #[error("{} is not empty; choose a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// A folder or file cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

/// The languages that have a skeleton, as the command line names them.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TEMPLATES.dirs().filter_map(|folder| folder.path().to_str())
}

/// Writes a skeleton into a folder that is new or empty; the adapter gets the folder's name. Returns the files.
///
/// # Errors
/// The language is unknown, the folder's name is not valid, it is not empty, or a file cannot be written.
pub fn write(language: &str, folder: &Path) -> Result<Vec<PathBuf>, SkeletonError> {
    let template = TEMPLATES.get_dir(language).ok_or_else(|| SkeletonError::UnknownLanguage(language.to_owned()))?;
    let name = name(folder)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        |error| SkeletonError::Write { path, error }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    if std::fs::read_dir(folder).map_err(failed(folder))?.next().is_some() {
        return Err(SkeletonError::NotEmpty(folder.to_owned()));
    }
    let mut written = Vec::new();
    let sources = template.dirs().flat_map(Dir::files);
    for file in template.files().chain(sources) {
        let path = folder.join(place(file.path().strip_prefix(language).unwrap_or(file.path())));
        write_file(file, &path, &name).map_err(failed(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// Where a template goes in the adapter's folder.
fn place(template: &Path) -> PathBuf {
    match template.to_str() {
        Some("gitignore") => ".gitignore".into(),
        _ if template.extension().is_some_and(|extension| extension == "txt") => template.with_extension(""),
        _ => template.to_owned(),
    }
}

fn write_file(template: &File<'_>, path: &Path, name: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = template.contents_utf8().unwrap_or_default();
    std::fs::write(path, text.replace(NAME, name))?;
    #[cfg(unix)]
    if text.starts_with("#!") {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The folder's own name, if it is a valid name in every language.
fn name(folder: &Path) -> Result<String, SkeletonError> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-');
    if plain { Ok(name) } else { Err(SkeletonError::BadName(name)) }
}
