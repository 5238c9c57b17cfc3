//! One of several implementations that a command is about: the reference codec, an adapter, or a command in quotes.

use variant_adapter::folder;
use variant_values::reference::NAME as REFERENCE;

use super::Failure;
use super::paths::{Paths, adapter_folder};
use super::subject::{Program, ProgramLimits, SubjectArgs};

/// An implementation among others.
pub(super) struct ParticipantSpec {
    /// Its name in the report.
    pub(super) shown: String,
    pub(super) kind: ParticipantKind,
}

pub(super) enum ParticipantKind {
    Reference,
    /// By its name or path.
    Adapter(String),
    Command(Vec<String>),
}

impl ParticipantSpec {
    /// The reference codec, and every adapter in the folder of adapters.
    pub(super) fn all(paths: &Paths) -> Result<Vec<Self>, Failure> {
        let mut all = vec![Self::new(REFERENCE)];
        all.extend(folder::subjects(&paths.adapters()?)?.iter().map(|name| Self::new(name)));
        Ok(all)
    }

    /// A side in one word or one pair of quotes.
    pub(super) fn new(given: &str) -> Self {
        let kind = match given.split_whitespace().collect::<Vec<_>>().as_slice() {
            [REFERENCE] => ParticipantKind::Reference,
            [plain] if !plain.contains('/') || adapter_folder(plain).is_some() => {
                ParticipantKind::Adapter((*plain).to_owned())
            }
            words => ParticipantKind::Command(words.iter().map(|word| (*word).to_owned()).collect()),
        };
        Self { shown: given.to_owned(), kind }
    }

    /// Its program; `None` for the reference codec.
    pub(super) fn program(&self, limits: ProgramLimits, paths: &Paths) -> Result<Option<Program>, Failure> {
        let (name, command) = match &self.kind {
            ParticipantKind::Reference => return Ok(None),
            ParticipantKind::Adapter(name) => (Some(name.clone()), Vec::new()),
            ParticipantKind::Command(words) if words.is_empty() => {
                return Err(Failure::usage("a side is `reference`, an adapter's name, or a command in quotes"));
            }
            ParticipantKind::Command(words) => (None, words.clone()),
        };
        Program::new(&SubjectArgs { name, command, limits }, paths)
    }
}
