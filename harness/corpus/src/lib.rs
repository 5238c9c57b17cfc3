//! The corpus: cases as they were written, and what each asks of a dialect.

mod case;
pub mod citation;
pub mod coverage;
pub mod export;
mod file;
pub mod findings;
mod flags;
mod id;
mod inherit;
pub mod kind;
mod lines;
pub mod lint;
mod listing;
mod load;
pub mod observed;
pub mod released;
mod smoke;
mod source;
mod table;
pub mod test;
pub mod verdict;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use variant_specs::{Dialect, Specs};

pub use case::{Case, CaseReading, Class, DocumentOverride, Expectation, Level, OpenReason, Packet, Rejects};
pub use file::{FRAMING, File, PACKET, Scope};
pub use id::CorpusId;
pub use listing::{ByteToken, Listing, Row};
pub use smoke::Smoke;
pub(crate) use table::FieldPlace;
pub use table::{Table, TableRow};

use crate::observed::Observed;
use variant_wire::diagnostic::Problem;

use self::source::Source;

const VERSION: &str = "VERSION";
/// What a smoke run asks.
const SMOKE: &str = "smoke.txt";
/// The file that says what each flag means.
pub(crate) const FLAGS: &str = "flags.yaml";
/// The file that says which mutants are no fault.
pub const EQUIVALENTS: &str = "equivalent-mutants.yaml";

/// All files of a corpus folder.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// How messages call its folder.
    pub folder: String,
    /// The files, in the order of their paths.
    pub files: Vec<Arc<File>>,
    /// What each flag means, in the order of the file.
    pub flags: Vec<(String, String)>,
    /// What engines answered where nobody says what is right.
    pub observed: Vec<Observed>,
    /// The corpus version.
    pub version: String,
    /// The asks of a smoke run, one a line: `smoke.txt`.
    pub smoke: String,
    /// Mutants that are no fault: `equivalent-mutants.yaml`.
    pub equivalents: String,
    /// SHA-256 over paths and texts.
    pub digest: String,
}

impl Corpus {
    /// Reads every file under `folder`.
    ///
    /// # Errors
    /// The first problem, with file and line; also where the folder is missing or holds no case.
    pub fn load(folder: &Path, specs: &Specs) -> Result<Self, Problem> {
        let whole =
            |message: &str| Problem { file: folder.display().to_string(), line: 0, message: message.to_owned() };
        if !folder.is_dir() {
            return Err(whole("there is no corpus here; name its folder with --corpus"));
        }
        let corpus = Self::of(&folder.display().to_string(), &source::in_folder(folder)?, specs)?;
        if corpus.files.is_empty() {
            return Err(whole("there is no case under this folder; name the corpus folder with --corpus"));
        }
        Ok(corpus)
    }

    /// Reads one file of cases, alone.
    ///
    /// # Errors
    /// The first problem, with file and line.
    pub fn load_file(path: &Path, specs: &Specs) -> Result<File, Problem> {
        load::load(&source::file(path)?, specs)
    }

    /// The corpus that this program carries: as it stood when it was built.
    ///
    /// # Errors
    /// As [`Corpus::load`]; seen only while it is being edited.
    pub fn carried(specs: &Specs) -> Result<Self, Problem> {
        Self::of("corpus", &source::carried(), specs)
    }

    /// How messages call one of its files.
    pub fn path_of(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }

    fn of(folder: &str, sources: &[Source], specs: &Specs) -> Result<Self, Problem> {
        let mut digest = Sha256::new();
        let mut corpus = Self {
            folder: folder.to_owned(),
            files: Vec::new(),
            flags: Vec::new(),
            observed: Vec::new(),
            version: String::new(),
            smoke: String::new(),
            equivalents: String::new(),
            digest: String::new(),
        };
        // Reading is most of what a start costs, and no file needs another.
        let parts: Vec<Result<Part, Problem>> = sources.par_iter().map(|source| Part::read(source, specs)).collect();
        for (source, part) in sources.iter().zip(parts) {
            // What is asked, and nothing of what was answered or chosen from it.
            if !source.is_observed() && ![SMOKE, EQUIVALENTS].contains(&source.path.as_str()) {
                digest.update(source.path.as_bytes());
                digest.update([0]);
                digest.update(source.text.as_bytes());
            }
            match part? {
                Part::Version(version) => corpus.version = version,
                Part::Smoke(smoke) => corpus.smoke = smoke,
                Part::Equivalents(equivalents) => corpus.equivalents = equivalents,
                Part::Flags(flags) => corpus.flags = flags,
                Part::Observed(observed) => corpus.observed.push(observed),
                Part::File(file) => corpus.files.push(Arc::new(file)),
            }
        }
        corpus.digest = format!("sha256:{}", hex::encode(digest.finalize()));
        for dialect in &specs.dialects {
            inherit::inherit(&mut corpus.files, dialect, specs);
        }
        Ok(corpus)
    }

    /// The cases that hold in a dialect: its own, then the family's that fit it, in the order of its ids. In double
    /// precision, those with reals are not among them, but those that were written for it.
    pub fn cases_of<'a>(&'a self, dialect: &'a Dialect) -> Vec<(&'a File, &'a Arc<Case>)> {
        let mut cases: Vec<(u32, &File, &Arc<Case>)> = Vec::new();
        for file in &self.files {
            let Some(place) = file.place_in(dialect) else { continue };
            cases.extend(file.cases_in(dialect).map(|case| (place, file.as_ref(), case)));
        }
        cases.sort_by_key(|(place, file, _)| (*place, file.is_shared()));
        cases.into_iter().map(|(_, file, case)| (file, case)).collect()
    }
}

/// What a source holds.
enum Part {
    Version(String),
    Smoke(String),
    Equivalents(String),
    Flags(Vec<(String, String)>),
    Observed(Observed),
    File(File),
}

impl Part {
    fn read(source: &Source, specs: &Specs) -> Result<Self, Problem> {
        let Source { path, shown, text, .. } = source;
        match path.as_str() {
            VERSION => Ok(Self::Version(text.trim().to_owned())),
            SMOKE => Ok(Self::Smoke(text.clone().into_owned())),
            EQUIVALENTS => Ok(Self::Equivalents(text.clone().into_owned())),
            FLAGS => flags::load(source).map(Self::Flags),
            _ if source.is_observed() => Observed::parse(shown, text).map(Self::Observed),
            _ => load::load(source, specs).map(Self::File),
        }
    }
}
