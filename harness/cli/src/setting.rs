//! What every command needs first: specs, corpus, adapters.

use std::path::{Path, PathBuf};

use variant_corpus::Corpus;
use variant_report::repeat::quoted;
use variant_specs::{Dialect, Reading, Source, Specs};

use super::{Failure, SettingArgs};

/// The specs, with the dialects of `--spec`.
pub(super) fn specs(args: &SettingArgs) -> Result<Specs, Failure> {
    let mut specs = Specs::builtin().map_err(Failure::usage)?;
    let read = |path: &PathBuf| {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path);
        text.map_err(|error| Failure::usage(format!("{file}: cannot be read: {error}"))).map(|text| (file, text))
    };
    let files = args.spec.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> = files.iter().map(|(file, text)| Source { file, text }).collect();
    specs.add_dialects(&sources).map_err(Failure::usage)?;
    Ok(specs)
}

/// The corpus: the folder that is named, or the nearest, or what this program carries.
pub(super) fn corpus(args: &SettingArgs, specs: &Specs) -> Result<Corpus, Failure> {
    match corpus_folder(args) {
        Some(folder) => Ok(Corpus::load(&folder, specs)?),
        None => Ok(Corpus::carried(specs)?),
    }
}

/// The corpus folder, where there is one.
pub(super) fn corpus_folder(args: &SettingArgs) -> Option<PathBuf> {
    args.corpus.clone().or_else(|| nearest("corpus", "VERSION"))
}

/// Where all is taken from, as it stands in a command that repeats something.
pub(super) fn repeated(args: &SettingArgs) -> String {
    let path = |name: &str, path: &PathBuf| format!(" --{name} {}", quoted(&path.display().to_string()));
    let specs = args.spec.iter().map(|spec| path("spec", spec));
    let corpus = args.corpus.iter().map(|folder| path("corpus", folder));
    let adapters = args.adapters.iter().map(|folder| path("adapters", folder));
    specs.chain(corpus).chain(adapters).collect()
}

/// The folder of adapters.
pub(super) fn adapters(args: &SettingArgs) -> Result<PathBuf, Failure> {
    match &args.adapters {
        Some(folder) => Ok(folder.clone()),
        None => nearest("adapters", "README.md")
            .ok_or_else(|| Failure::usage("there is no folder of adapters here or above; name it with --adapters")),
    }
}

/// `name` here or in the nearest folder above that has it, as short a path as can be.
pub(super) fn nearest(name: &str, witness: &str) -> Option<PathBuf> {
    let mut up = PathBuf::new();
    for folder in std::env::current_dir().ok()?.ancestors() {
        if folder.join(name).join(witness).is_file() {
            return Some(up.join(Path::new(name)));
        }
        up.push("..");
    }
    None
}

/// The names of these dialects, or of all in single precision; refuses a name that is none. Where documents are read
/// literally, a dialect needs one.
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
