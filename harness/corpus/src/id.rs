//! Which corpus it is: version and digest.

use serde::{Deserialize, Serialize};

/// Which corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusId {
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
}

impl CorpusId {
    /// Version and digest; a corpus of one's own need not have a version.
    pub fn named(&self) -> String {
        format!("{} {}", self.version, self.digest).trim_start().to_owned()
    }

    /// The version behind a space, where there is one.
    pub fn spaced_version(&self) -> String {
        if self.version.is_empty() { String::new() } else { format!(" {}", self.version) }
    }
}
