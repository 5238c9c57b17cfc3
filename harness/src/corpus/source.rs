//! Where a corpus is read from: a folder, or this program itself.

use std::borrow::Cow;
use std::path::Path;

use walkdir::WalkDir;

use super::{SMOKE, VERSION};
use crate::problem::Problem;

/// Every file of the corpus, as it stood when this was built: path below `corpus/`, text.
const CARRIED: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// One file of a corpus.
pub(super) struct Source {
    /// Below the corpus folder, with `/`.
    pub(super) path: String,
    /// How messages call it.
    pub(super) shown: String,
    pub(super) text: Cow<'static, str>,
}

impl Source {
    /// Whether it holds what engines answered.
    pub(super) fn is_observed(&self) -> bool {
        self.path.starts_with("observed/")
    }
}

/// The files that this program carries.
pub(super) fn carried() -> Vec<Source> {
    let files = CARRIED.iter().filter(|(path, _)| is_read(path));
    let source = |(path, text): &(&str, &'static str)| Source {
        path: (*path).to_owned(),
        shown: format!("corpus/{path}"),
        text: Cow::Borrowed(text),
    };
    files.map(source).collect()
}

/// The files under a folder, in the order of their paths.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<Source>, Problem> {
    let problem = |file: String, message: String| Problem { file, line: 0, message };
    let mut sources = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| problem(folder.display().to_string(), format!("cannot be read: {error}")))?;
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let path = relative.to_string_lossy().replace('\\', "/");
        if !entry.file_type().is_file() || !is_read(&path) {
            continue;
        }
        let shown = entry.path().display().to_string();
        let text = std::fs::read_to_string(entry.path())
            .map_err(|error| problem(shown.clone(), format!("cannot be read: {error}")))?;
        sources.push(Source { path, shown, text: Cow::Owned(text) });
    }
    Ok(sources)
}

fn is_read(path: &str) -> bool {
    path == VERSION || path == SMOKE || path.ends_with(".yaml")
}
