//! The corpus: cases as written, and the tests that they make in each dialect.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// A new shape, form of a field or verdict must be thought about wherever it is matched.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod case;
pub mod citation;
pub mod coverage;
pub mod export;
pub mod facts;
mod file;
pub mod findings;
mod inherit;
mod kind;
mod lines;
pub mod lint;
mod listing;
mod load;
pub mod observed;
mod owner;
mod packet;
pub mod rarity;
mod record;
mod source;
mod table;
pub mod test;
pub mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use variant_specs::{Dialect, Specs};

pub use case::{Case, CaseSide, Class, DocumentOverride, Expectation, Level, Rejects, UndecidedReason};
pub use file::{FRAMING, File, PACKET};
pub use listing::{ByteToken, Listing, Row, is_unwritten};
#[cfg(feature = "schema")]
pub use load::schemas;
pub use owner::FieldOwners;
pub use packet::MaskedPacket;
pub(crate) use source::TAGS;
pub use source::{BUILT_IN, EQUIVALENTS};
pub use table::{Table, TableRow};

use crate::observed::Observed;
use crate::rarity::Tag;
use variant_values::diagnostic::Problem;

use self::source::{CorpusSource, VERSION};

/// All files of a corpus folder.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// The folder, as messages name it.
    pub folder: String,
    /// The files, in the order of their paths.
    pub files: Vec<Arc<File>>,
    pub tags: BTreeMap<String, Tag>,
    /// What engines did in undecided cases, one record for each file in `observed/`.
    pub observed: Vec<Observed>,
    /// The text of `VERSION`; empty if there is no such file.
    pub version: String,
    /// Each `equivalent-mutants.yaml`, as messages name it, and its text: mutants that are not faults.
    pub equivalents: Vec<(String, String)>,
    /// Why files could not be read. Only lint goes on without them.
    pub unreadable: Vec<Problem>,
    /// SHA-256 over the paths and texts of all files that tests depend on.
    pub digest: String,
}

impl Corpus {
    /// How many files and cases are written by hand: what several dialects share is loaded once for each of them.
    pub fn written(&self) -> (usize, usize) {
        let of_file = |file: &Arc<File>| -> Vec<(String, usize)> {
            file.cases.iter().map(|case| (file.path.clone(), case.line)).collect()
        };
        let cases: BTreeSet<(String, usize)> = self.files.iter().flat_map(of_file).collect();
        let files: BTreeSet<&str> = cases.iter().map(|(path, _)| path.as_str()).collect();
        (files.len(), cases.len())
    }

    /// Reads every file under `folder`, and the cases in the `own` folders: those beside the files of a caller's own dialects.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn load(folder: &Path, own: &[PathBuf], specs: &Specs) -> Result<Self, Problem> {
        Self::read(Some(folder), own, specs)?.whole()
    }

    /// [`Corpus::load`], or [`Corpus::carried`] without a folder, but files with something wrong are left out: they are
    /// in `unreadable`.
    pub fn read(folder: Option<&Path>, own: &[PathBuf], specs: &Specs) -> Result<Self, Problem> {
        let Some(folder) = folder else {
            return Ok(Self::of("corpus", &source::with_own(source::carried(), own)?, specs));
        };
        let problem =
            |message: &str| Problem { file: folder.display().to_string(), line: 0, message: message.to_owned() };
        if !folder.is_dir() {
            return Err(problem("there is no corpus here"));
        }
        let sources = source::with_own(source::in_folder(folder)?, own)?;
        let corpus = Self::of(&folder.display().to_string(), &sources, specs);
        if corpus.files.is_empty() && corpus.unreadable.is_empty() {
            return Err(problem(
                "there is no case under this folder, which is used in the place of the cases in the program: remove it, or run conform elsewhere",
            ));
        }
        Ok(corpus)
    }

    /// Reads one file of cases, alone.
    pub fn load_file(path: &Path, specs: &Specs) -> Result<File, Problem> {
        load::load(&source::file(path)?, specs)
    }

    /// The corpus that this program carries, as it was when the program was built, with the cases in the `own` folders.
    pub fn carried(own: &[PathBuf], specs: &Specs) -> Result<Self, Problem> {
        Self::read(None, own, specs)?.whole()
    }

    /// This, if every file could be read.
    ///
    /// # Errors
    /// Why the first one could not.
    pub fn whole(self) -> Result<Self, Problem> {
        self.unreadable.first().cloned().map_or(Ok(self), Err)
    }

    /// Its version and digest, as records and exports have them.
    pub fn id(&self) -> CorpusId {
        CorpusId { version: self.version.clone(), digest: self.digest.clone() }
    }

    fn of(folder: &str, sources: &[CorpusSource], specs: &Specs) -> Self {
        let mut digest = Sha256::new();
        let mut corpus = Self { folder: folder.to_owned(), ..Self::default() };
        // Reading is most of the cost of a start, and no file needs another.
        let parts: Vec<_> = sources.par_iter().map(|source| Self::of_source(source, specs)).collect();
        for (source, part) in sources.iter().zip(parts) {
            // The digest is about what is tested, not about results.
            if !source.is_observed() && !source.is_of_equivalents() {
                digest.update(source.path.as_bytes());
                digest.update([0]);
                digest.update(source.text.as_bytes());
            }
            let part = part.unwrap_or_else(|problem| Self { unreadable: vec![problem], ..Self::default() });
            corpus.unreadable.extend(part.unreadable);
            corpus.version += &part.version;
            corpus.equivalents.extend(part.equivalents);
            corpus.tags.extend(part.tags);
            corpus.observed.extend(part.observed);
            corpus.files.extend(part.files);
        }
        corpus.digest = format!("sha256:{}", hex::encode(digest.finalize()));
        for dialect in &specs.dialects {
            inherit::renumber(&mut corpus.files, dialect);
            inherit::inherit(&mut corpus.files, dialect, specs);
        }
        corpus
    }

    fn of_source(source: &CorpusSource, specs: &Specs) -> Result<Self, Problem> {
        let CorpusSource { path, shown, text } = source;
        let mut part = Self::default();
        match path.as_str() {
            VERSION => text.trim().clone_into(&mut part.version),
            TAGS => part.tags = load::tags(source)?,
            _ if source.is_of_equivalents() => part.equivalents.push((shown.clone(), text.clone().into_owned())),
            _ if source.is_observed() => part.observed.push(Observed::parse(shown, text)?),
            _ => part.files.push(Arc::new(load::load(source, specs)?)),
        }
        Ok(part)
    }

    /// The cases that hold in a dialect, in the order of its type ids. Each type's own cases come before shared ones.
    /// In double precision, cases with reals are only those that were written for it.
    pub fn cases_of<'a>(&'a self, dialect: &'a Dialect) -> Vec<(&'a File, &'a Arc<Case>)> {
        let mut cases: Vec<(u32, &File, &Arc<Case>)> = Vec::new();
        for file in &self.files {
            let Some(place) = file.place_in(dialect) else { continue };
            cases.extend(file.cases_in(dialect).map(|case| (place, file.as_ref(), case)));
        }
        // In a dialect that extends another, its own case of a name is the one.
        let overrules = |file: &File| dialect.parent.is_some() && !file.is_shared();
        let own: BTreeSet<(&str, &str)> = cases
            .iter()
            .filter(|(_, file, _)| overrules(file))
            .map(|(_, file, case)| (file.layout.as_str(), case.name.as_str()))
            .collect();
        cases.retain(|(_, file, case)| overrules(file) || !own.contains(&(file.layout.as_str(), case.name.as_str())));
        cases.sort_by_key(|(place, file, _)| (*place, file.is_shared()));
        cases.into_iter().map(|(_, file, case)| (file, case)).collect()
    }

    /// Whether a file of this dialect takes the place of the one that it would inherit.
    pub fn takes_place(&self, dialect: &Dialect, layout: &str) -> bool {
        let is_own = |file: &Arc<File>| file.is_of(dialect) && file.inherited.is_none() && file.layout == layout;
        self.files.iter().any(|file| is_own(file) && !file.beside_parent)
    }

    /// The cases of a dialect that another corpus has and this one lacks, as messages name them.
    pub fn lacks(&self, other: &Self, dialect: &Dialect) -> Vec<String> {
        let named = |(file, case): (&File, &Arc<Case>)| (file.layout.clone(), case.name.clone());
        let here: BTreeSet<(String, String)> = self.cases_of(dialect).into_iter().map(named).collect();
        let mut missing = Vec::new();
        for (file, case) in other.cases_of(dialect) {
            if !here.contains(&named((file, case))) {
                let path = file.path.strip_prefix(BUILT_IN).unwrap_or(&file.path);
                missing.push(format!("{}/{}/{} of {path}", dialect.name, file.layout, case.name));
            }
        }
        missing
    }
}

/// Identifies the corpus of a record or an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusId {
    /// The version; may be empty for a corpus of one's own.
    pub version: String,
    /// The digest of its files: `sha256:` and 64 hex digits.
    pub digest: String,
}

impl CorpusId {
    /// Version and digest, with a space between them; only the digest if the version is empty.
    pub fn named(&self) -> String {
        format!("{} {}", self.version, self.digest).trim_start().to_owned()
    }

    /// The version after a space, or nothing.
    pub fn spaced_version(&self) -> String {
        if self.version.is_empty() { String::new() } else { format!(" {}", self.version) }
    }
}
