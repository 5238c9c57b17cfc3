//! What engines did in undecided cases, and what they wrote for canonical values: `corpus/observed/<engine>-<version>.yaml`.
//!
//! Only `conform run NAME --record` writes these files. They are reviewed as a diff, and every run of that engine in
//! that version is compared with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::disk;
use variant_values::handshake::Handshake;

/// The recorded results of one engine in one version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The engine's name, from its handshake.
    pub engine: String,
    /// The engine's version, from its handshake.
    pub version: String,
    /// Test id → result: a value as JSON, a packet as hex, or `refused`.
    pub answers: BTreeMap<String, String>,
    /// Case id → what it wrote for the canonical value of the case, as hex. It is never changed: that is how this version
    /// writes, with what it leaves in bytes that it does not set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrote: BTreeMap<String, String>,
}

impl Observed {
    /// An empty record for the implementation with this handshake.
    pub fn of(handshake: &Handshake) -> Self {
        Self { engine: handshake.name.clone(), version: handshake.version.clone(), ..Self::default() }
    }

    /// Name and short version: `godot 3.2.3`.
    pub fn short_name(&self) -> String {
        format!("{} {}", self.engine, short(&self.version))
    }

    /// Whether this is a record of the implementation with this handshake.
    pub fn is_of(&self, handshake: &Handshake) -> bool {
        self.engine == handshake.name && self.version == handshake.version
    }

    /// Reads the text of a record; `file` is its path, for messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problem> {
        parse_yaml(file, text).map_err(|problem| Problem {
            message: problem.message + "; record it again with `conform run NAME --record`",
            ..problem
        })
    }

    /// Writes it under the corpus folder and returns its path.
    pub fn write(&self, corpus: &Path) -> Result<PathBuf, Problem> {
        let folder = corpus.join("observed");
        let path = folder.join(format!("{}-{}.yaml", plain(&self.engine), plain(short(&self.version))));
        let problem = |message: String| Problem { file: path.display().to_string(), line: 0, message };
        let yaml = serde_yaml::to_string(self).map_err(|error| problem(error.to_string()))?;
        let text = format!("# Recorded by `conform run NAME --record`; not written by hand.\n{yaml}");
        disk::write(&path, text.as_bytes()).map_err(|error| problem(format!("cannot be written: {error}")))?;
        Ok(path)
    }
}

/// The numbers at the head of a version: `3.2.3.stable.custom_build` → `3.2.3`.
fn short(version: &str) -> &str {
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(version.len());
    version[..end].trim_end_matches('.')
}

/// A name from a handshake as a safe part of a file name.
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
