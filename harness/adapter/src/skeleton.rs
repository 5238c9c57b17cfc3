//! Skeletons of adapters: programs that pass `conform vet`, in which you replace only the codec.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};
use thiserror::Error;
use variant_specs::{Dialect, Specs};

/// A folder per language, each a working program with the name `my-adapter`. Cargo and git must not take their files
/// for ours, so some have another name here: `Cargo.toml.txt`, `go.mod.txt` and `gitignore`.
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
/// The adapter's name in the templates; the folder's name replaces it.
const NAME: &str = "my-adapter";
/// The engines of the dialect; beside it in the templates is the dialect's name, in quotes.
const ENGINES: &str = "ENGINES";
/// The names of the dialect's types, at the end of a line of comment.
const TYPES: &str = " TYPES";
/// Of a language that runs in an engine: the dialects that such an engine speaks, and with them those that extend them.
const SPEAKS: &str = "speaks.txt";
/// The longest line of comment, in characters.
const WIDTH: usize = 120;

/// Why a skeleton was not written.
#[derive(Debug, Error)]
pub enum SkeletonError {
    /// There is no template in this language.
    #[error(
        "there are skeletons in {}; for another language, follow the one in python: an adapter is a loop of ten lines, and \
         `\"ints\":\"strings\",\"reals\":\"bits\",\"text\":\"hex\"` in its handshake keeps JSON libraries from changing values",
        names()
    )]
    UnknownLanguage,
    /// The engine of this language does not speak this dialect.
    #[error(
        "{language} runs in an engine that speaks {speaks}, or what extends it, and not {dialect}; choose {others}, or another dialect"
    )]
    NotSpoken { language: String, speaks: String, dialect: String, others: String },
    /// The dialect has no 64-bit numbers, which every skeleton reads and writes.
    #[error(
        "{0} has no 64-bit numbers, which all skeletons write: take one for godot-3, and change its dialect, `decode` and `encode`"
    )]
    NoWideNumbers(String),
    /// The folder's name is not a valid adapter name: small letters, digits and `-`.
    #[error("{0:?} cannot be an adapter's name; use lowercase letters, digits and -, such as {NAME}", NAME = NAME)]
    BadName(String),
    /// The folder has files in it already.
    #[error("{} is not empty; choose a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// A folder or file cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
}

/// The languages that have a skeleton, as the command line names them.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TEMPLATES.dirs().filter_map(|folder| folder.path().to_str())
}

/// The same in a sentence: `c, cpp, csharp`.
pub fn names() -> String {
    languages().collect::<Vec<_>>().join(", ")
}

/// The language of a skeleton that is meant by a name, which may be another that people have for it.
pub fn language(name: &str) -> Result<&'static str, SkeletonError> {
    let name = name.to_lowercase();
    let meant = match name.as_str() {
        "c#" | "cs" | "dotnet" => "csharp",
        "c++" => "cpp",
        "gd" | "gdscript" => "gdscript4",
        "golang" => "go",
        "js" | "node" => "javascript",
        "py" => "python",
        "rs" => "rust",
        "ts" => "typescript",
        other => other,
    };
    languages().find(|language| *language == meant).ok_or(SkeletonError::UnknownLanguage)
}

/// The dialect that a skeleton speaks unless another is named: the newest Godot that can run it.
pub fn usual_dialect(language: &str) -> Option<&'static str> {
    let texts = files(TEMPLATES.get_dir(language)?).filter_map(File::contents_utf8);
    let line = texts.flat_map(str::lines).find(|line| line.contains(ENGINES))?;
    line.split('"').nth(1)
}

/// Checks that a skeleton in this language can speak a dialect: that it has the same numbers, and that it, or one that it
/// extends, is among those of its engine.
pub fn check_dialect(language: &str, dialect: &Dialect, specs: &Specs) -> Result<(), SkeletonError> {
    if !dialect.rules.wide_numbers {
        return Err(SkeletonError::NoWideNumbers(dialect.title()));
    }
    if speaks(language, dialect, specs) {
        return Ok(());
    }
    let others: Vec<&str> = languages().filter(|other| speaks(other, dialect, specs)).collect();
    let (language, speaks) = (language.to_owned(), spoken_in(language).unwrap_or_default().join(" or "));
    Err(SkeletonError::NotSpoken { language, speaks, dialect: dialect.name.clone(), others: others.join(", ") })
}

/// The dialects of the engine that a language runs in; `None` where it runs in none.
fn spoken_in(language: &str) -> Option<Vec<&'static str>> {
    let listed = TEMPLATES.get_file(Path::new(language).join(SPEAKS)).and_then(File::contents_utf8)?;
    Some(listed.split_whitespace().collect())
}

fn speaks(language: &str, dialect: &Dialect, specs: &Specs) -> bool {
    let Some(spoken) = spoken_in(language) else { return true };
    let mut next = Some(dialect.base().to_owned());
    while let Some(name) = next {
        if spoken.contains(&name.as_str()) {
            return true;
        }
        next = specs.dialect(&name).and_then(|dialect| dialect.parent.clone()).filter(|parent| *parent != name);
    }
    false
}

/// Writes a skeleton into a folder that is new or empty; the adapter gets the folder's name. Returns the files.
pub fn write(language: &str, folder: &Path, dialect: &Dialect) -> Result<Vec<PathBuf>, SkeletonError> {
    let template = TEMPLATES.get_dir(language).ok_or(SkeletonError::UnknownLanguage)?;
    let usual = usual_dialect(language).ok_or(SkeletonError::UnknownLanguage)?;
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
    for file in files(template).filter(|file| !file.path().ends_with(SPEAKS)) {
        let path = folder.join(place(file.path().strip_prefix(language).unwrap_or(file.path())));
        let text = filled(file.contents_utf8().unwrap_or_default(), &name, usual, dialect);
        write_file(&path, &text).map_err(failed(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// The files of a template, and of the folders in it.
fn files(template: &'static Dir<'static>) -> impl Iterator<Item = &'static File<'static>> {
    template.files().chain(template.dirs().flat_map(Dir::files))
}

/// A template with the names that belong in it.
fn filled(template: &str, name: &str, usual: &str, dialect: &Dialect) -> String {
    let mut text = String::new();
    for line in template.lines() {
        match line.strip_suffix(TYPES) {
            Some(begin) => text += &type_names(begin, dialect),
            None => text += line,
        }
        text.push('\n');
    }
    let engines = dialect.engines.as_deref().unwrap_or(&dialect.name);
    let (usual, dialect) = (format!("\"{usual}\""), format!("\"{}\"", dialect.name));
    text.replace(NAME, name).replace(&usual, &dialect).replace(ENGINES, engines)
}

/// The names of a dialect's types, each with the engine's name where that is another, as lines of comment.
fn type_names(begin: &str, dialect: &Dialect) -> String {
    let margin: String = begin.chars().take_while(|letter| !letter.is_alphanumeric() && *letter != '"').collect();
    let margin = margin.replace("/*", " *");
    let (mut text, mut line) = (String::new(), begin.to_owned());
    for entry in &dialect.types {
        let name = &dialect.layout(entry).name;
        let theirs = dialect.type_name(entry);
        let shown = if name == theirs { format!(" {name},") } else { format!(" {name} ({theirs}),") };
        if line.chars().count() + shown.chars().count() > WIDTH {
            text += &line;
            text.push('\n');
            line = margin.trim_end().to_owned();
        }
        line += &shown;
    }
    text + line.trim_end_matches(',')
}

/// Where a template goes in the adapter's folder.
fn place(template: &Path) -> PathBuf {
    match template.to_str() {
        Some("gitignore") => ".gitignore".into(),
        _ if template.extension().is_some_and(|extension| extension == "txt") => template.with_extension(""),
        _ => template.to_owned(),
    }
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)?;
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
