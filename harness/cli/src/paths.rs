//! Where a command finds what it needs: specs, corpus, adapters.

use std::path::{Path, PathBuf};

use clap::Args;
use variant_corpus::Corpus;
use variant_report::repeat::quoted;
use variant_specs::{Dialect, Reading, Source, Specs};
use variant_syntax::input;
use variant_wire::diagnostic::Problem;

use super::Failure;

#[derive(Debug, Clone, Args)]
pub(super) struct Paths {
    /// The corpus folder [default: the nearest `corpus`, here or above; else the one that this program carries]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
    /// The folder of adapters [default: the nearest `adapters`, here or above]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) adapters: Option<PathBuf>,
    /// A dialect of your own, in the form of specs/*.yaml; may be given several times
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) spec: Vec<PathBuf>,
}

impl Paths {
    /// The specs, with the dialects of `--spec`.
    pub(super) fn specs(&self) -> Result<Specs, Failure> {
        let mut specs = Specs::builtin().map_err(Failure::usage)?;
        let read = |path: &PathBuf| {
            let text = input::yaml(path).map_err(|error| Problem::of_input(path, &error))?;
            Ok((path.display().to_string(), text))
        };
        let files = self.spec.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
        let sources: Vec<_> = files.iter().map(|(file, text)| Source { file, text }).collect();
        specs.add_dialects(&sources).map_err(Failure::usage)?;
        Ok(specs)
    }

    /// The specs and the corpus, which most commands need.
    pub(super) fn load(&self) -> Result<(Specs, Corpus), Failure> {
        let specs = self.specs()?;
        let corpus = self.corpus(&specs)?;
        Ok((specs, corpus))
    }

    /// The corpus: the folder that is named, or the nearest, or what this program carries.
    pub(super) fn corpus(&self, specs: &Specs) -> Result<Corpus, Failure> {
        match self.corpus_folder() {
            Some(folder) => Ok(Corpus::load(&folder, specs)?),
            None => Ok(Corpus::carried(specs)?),
        }
    }

    /// The corpus folder, where there is one.
    pub(super) fn corpus_folder(&self) -> Option<PathBuf> {
        self.corpus.clone().or_else(|| nearest("corpus", "VERSION"))
    }

    /// The corpus folder, for a command that writes to it.
    pub(super) fn writable_corpus(&self) -> Result<PathBuf, Failure> {
        self.corpus_folder()
            .ok_or_else(|| Failure::usage("there is no corpus folder here or above to write to; name it with --corpus"))
    }

    /// The folder of adapters.
    pub(super) fn adapters(&self) -> Result<PathBuf, Failure> {
        let found = self.adapters.clone().or_else(|| nearest("adapters", "README.md"));
        found.ok_or_else(|| Failure::usage("there is no folder of adapters here or above; name it with --adapters"))
    }

    /// These options as a command line has them, each with a space before it.
    pub(super) fn options(&self) -> String {
        let option = |name: &str, path: &PathBuf| format!(" --{name} {}", quoted(&path.display().to_string()));
        let specs = self.spec.iter().map(|spec| option("spec", spec));
        let corpus = self.corpus.iter().map(|folder| option("corpus", folder));
        let adapters = self.adapters.iter().map(|folder| option("adapters", folder));
        specs.chain(corpus).chain(adapters).collect()
    }
}

/// The relative path of the nearest folder `name`, here or above, that has the file `witness`.
fn nearest(name: &str, witness: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let up = here.ancestors().position(|folder| folder.join(name).join(witness).is_file())?;
    Some([".."].repeat(up).into_iter().collect::<PathBuf>().join(Path::new(name)))
}

/// The names of these dialects; without any, of all in single precision. An unknown name is an error. In the reading
/// `document`, a dialect must have a document.
pub(super) fn dialects(names: &[String], specs: &Specs, reading: Reading) -> Result<Vec<String>, Failure> {
    let readable = |dialect: &&Dialect| reading == Reading::Engine || !dialect.documents.is_empty();
    if names.is_empty() {
        return Ok(specs.dialects.iter().filter(readable).map(|dialect| dialect.name.clone()).collect());
    }
    let find = |name: &String| {
        let dialect = specs.find(name).map_err(Failure::usage)?;
        let why =
            || Failure::usage(format!("{name} has no document that could be read literally: leave out --reading"));
        Some(dialect).filter(readable).map(|dialect| dialect.name.clone()).ok_or_else(why)
    };
    names.iter().map(find).collect()
}
