//! What engines answered where nobody says what is right: `corpus/observed/<engine>-<version>.yaml`.
//!
//! Written by `conform run NAME --record` alone, reviewed as a diff, and asked again by every run of that
//! engine in that version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use variant_wire::atomic_write;
use variant_wire::diagnostic::Problem;
use variant_wire::handshake::Handshake;

/// The answers of one engine in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Its name, as its hello says.
    pub engine: String,
    /// Its version, as its hello says.
    pub version: String,
    /// Ask and answer: a value as JSON, a packet as hex, or `refused`.
    pub answers: BTreeMap<String, String>,
}

impl Observed {
    /// Nothing yet of the implementation that said this hello.
    pub fn of(handshake: &Handshake) -> Self {
        Self { engine: handshake.name.clone(), version: handshake.version.clone(), answers: BTreeMap::new() }
    }

    /// Records the answer to a test.
    pub fn add(&mut self, test: &str, answer: &str) {
        self.answers.insert(test.to_owned(), answer.to_owned());
    }

    /// Name and short version, as people say it: `godot 3.2.3`.
    pub fn short_name(&self) -> String {
        format!("{} {}", self.engine, short(&self.version))
    }

    /// Whether these are answers of the implementation that said this hello.
    pub fn is_of(&self, handshake: &Handshake) -> bool {
        self.engine == handshake.name && self.version == handshake.version
    }

    /// Reads a file.
    ///
    /// # Errors
    /// File and line where it is not well formed.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problem> {
        serde_yaml::from_str(text).map_err(|error| {
            let problem = Problem::of_yaml(file, &error);
            Problem { message: problem.message + "; record it again with `conform run NAME --record`", ..problem }
        })
    }

    /// Writes it under the corpus folder; its path.
    ///
    /// # Errors
    /// What could not be written.
    pub fn write(&self, corpus: &Path) -> Result<PathBuf, Problem> {
        let folder = corpus.join("observed");
        let path = folder.join(format!("{}-{}.yaml", plain(&self.engine), plain(short(&self.version))));
        let problem = |message: String| Problem { file: path.display().to_string(), line: 0, message };
        let yaml = serde_yaml::to_string(self).map_err(|error| problem(error.to_string()))?;
        let text = format!("# Recorded by `conform run NAME --record`; not written by hand.\n{yaml}");
        atomic_write::write(&path, text.as_bytes()).map_err(|error| problem(format!("cannot be written: {error}")))?;
        Ok(path)
    }
}

/// The numbers at the head of a version: `3.2.3.stable.custom_build` → `3.2.3`.
fn short(version: &str) -> &str {
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(version.len());
    version[..end].trim_end_matches('.')
}

/// What an implementation says of itself is no path.
fn plain(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '_' };
    let plain: String = name.chars().map(letter).take(60).collect();
    plain.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{plain, short};

    #[test]
    fn a_version_is_its_leading_numbers() {
        assert_eq!(short("3.2.3.stable.custom_build"), "3.2.3");
        assert_eq!(short("3.6.stable.debian3.6+ds-2"), "3.6");
        assert_eq!(short("unknown"), "");
    }

    #[test]
    fn a_name_cannot_leave_the_folder() {
        assert_eq!(plain("../../etc/passwd"), "_.._etc_passwd");
    }
}
