//! Where a corpus is read from: a folder or this program.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use variant_values::diagnostic::Problem;
use variant_values::input;

/// The file of the version.
pub(super) const VERSION: &str = "VERSION";
/// The file that says what each tag means.
pub(crate) const TAGS: &str = "tags.yaml";
/// The file that lists mutants that are not faults: in the corpus folder, and in that of a fork's cases.
pub const EQUIVALENTS: &str = "equivalent-mutants.yaml";
/// What messages name a file of the program by, before its path: who has only the program has no such file.
pub const BUILT_IN: &str = "built in: ";

/// Every file of the corpus when the program was built, in the order of their paths: the path below `corpus/`, and the text.
const CARRIED: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// One file of a corpus.
pub(super) struct CorpusSource {
    /// Below the corpus folder, with `/`.
    pub(super) path: String,
    /// The path as messages name it.
    pub(super) shown: String,
    pub(super) text: Cow<'static, str>,
}

impl CorpusSource {
    /// Whether it records what engines did.
    pub(super) fn is_observed(&self) -> bool {
        self.path.starts_with("observed/")
    }

    /// Whether it lists mutants that are not faults.
    pub(super) fn is_of_equivalents(&self) -> bool {
        self.path.rsplit('/').next() == Some(EQUIVALENTS)
    }
}

/// The files that this program carries.
pub(super) fn carried() -> Vec<CorpusSource> {
    let files = CARRIED.iter().filter(|(path, _)| is_read(path));
    let source = |(path, text): &(&'static str, &'static str)| CorpusSource {
        path: (*path).to_owned(),
        shown: format!("{BUILT_IN}{path}"),
        text: Cow::Borrowed(text),
    };
    files.map(source).collect()
}

/// The files under a folder, in the order of their paths.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<CorpusSource>, Problem> {
    let problem = |file: String, message: String| Problem { file, line: 0, message };
    let mut sources = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = entry.map_err(|error| problem(folder.display().to_string(), format!("cannot be read: {error}")))?;
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let path = relative.to_string_lossy().replace('\\', "/");
        if entry.file_type().is_dir() || !is_read(&path) {
            continue;
        }
        let shown = entry.path().display().to_string();
        sources.push(CorpusSource { path, shown, text: Cow::Owned(read(entry.path())?) });
    }
    Ok(sources)
}

/// These files, and the files of cases in more folders.
pub(super) fn with_own(mut sources: Vec<CorpusSource>, own: &[PathBuf]) -> Result<Vec<CorpusSource>, Problem> {
    for folder in own {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let cases = in_folder(folder)?.into_iter().filter(|source| source.path.ends_with(".yaml"));
        sources.extend(cases.map(|source| CorpusSource { path: format!("{name}/{}", source.path), ..source }));
    }
    Ok(sources)
}

pub(super) fn file(path: &Path) -> Result<CorpusSource, Problem> {
    let shown = path.display().to_string();
    Ok(CorpusSource { path: shown.clone(), shown, text: Cow::Owned(read(path)?) })
}

fn read(path: &Path) -> Result<String, Problem> {
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml");
    if is_yaml { input::yaml(path) } else { input::text(path) }
}

fn is_read(path: &str) -> bool {
    path == VERSION || path.ends_with(".yaml")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    /// A link is what it leads to, be it a file or a folder; one that leads nowhere is refused.
    #[test]
    fn links_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (corpus, elsewhere) = (folder.path().join("corpus"), folder.path().join("elsewhere"));
        std::fs::create_dir_all(&corpus).unwrap();
        std::fs::create_dir_all(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("a.yaml"), "cases: []").unwrap();
        symlink(elsewhere.join("a.yaml"), corpus.join("b.yaml")).unwrap();
        symlink(&elsewhere, corpus.join("c")).unwrap();
        let paths: Vec<String> = super::in_folder(&corpus).unwrap().into_iter().map(|source| source.path).collect();
        symlink(folder.path().join("nowhere"), corpus.join("d.yaml")).unwrap();
        let refused = super::in_folder(&corpus).map(|sources| sources.len()).unwrap_err();
        assert_eq!(paths, ["b.yaml", "c/a.yaml"]);
        assert!(refused.message.contains("cannot be read"), "{}", refused.message);
    }
}
