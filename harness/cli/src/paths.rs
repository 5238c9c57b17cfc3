//! Where a command finds what it needs: specs, corpus, adapters.

use std::path::{Path, PathBuf};

use clap::Args;
use variant_adapter::folder::{self, Adapter};
use variant_corpus::Corpus;
use variant_corpus::findings;
use variant_report::repeat::quoted;
use variant_specs::{Dialect, JudgedBy, Problem, Source, Specs, UnknownDialect, newest_first};
use variant_values::input;
use variant_values::suggest::{did_you_mean, nearest};

use crate::failure::Failure;
use crate::terminal::{GLOBAL, note};

/// The file that makes a folder an adapter.
const ADAPTER: &str = "adapter.yaml";
const NO_ADAPTER: &str =
    "no folder with an adapter.yaml; `conform new-adapter` writes one, and a command goes after `--`";

#[derive(Debug, Clone, Args)]
pub(super) struct Paths {
    /// The folder of adapters [default: the nearest `adapters`, here or above]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(super) adapters: Option<PathBuf>,
    /// A dialect of your own in YAML, its cases in a folder beside it; repeatable
    #[arg(long, global = true, value_name = "FILE", help_heading = GLOBAL)]
    pub(super) spec: Vec<PathBuf>,
}

impl Paths {
    /// The specs, with the dialects of `--spec`.
    pub(super) fn specs(&self) -> Result<Specs, Failure> {
        let here = specs_here()?;
        // Who only runs it here may have another version of it.
        let of_here = |mut problem: Problem| {
            problem.message += "; the specs here take the place of those in conform, and may be of another version";
            problem
        };
        let mut specs = Specs::with_files(&sources(&here)).map_err(of_here)?;
        let own = read(&self.spec)?;
        specs.add_dialects(&sources(&own))?;
        for Dialect { name, file, .. } in specs.dialects.iter().filter(|dialect| dialect.in_place) {
            note(format!("{file}: takes the place of the dialect {name} of this program"));
        }
        Ok(specs)
    }

    /// Whether the specs are others than those of this program.
    pub(super) fn has_own_specs(&self) -> Result<bool, Failure> {
        Ok(!self.spec.is_empty() || !Specs::are_builtin(&sources(&specs_here()?)))
    }

    /// The specs and the corpus, which most commands need.
    pub(super) fn load(&self) -> Result<(Specs, Corpus), Failure> {
        let specs = self.specs()?;
        let corpus = self.corpus(&specs)?;
        Ok((specs, corpus))
    }

    /// The corpus: the nearest folder `corpus`, here or above, or what this program carries.
    pub(super) fn corpus(&self, specs: &Specs) -> Result<Corpus, Failure> {
        Ok(self.read_corpus(specs)?.whole()?)
    }

    /// The same, without the files that cannot be read.
    pub(super) fn read_corpus(&self, specs: &Specs) -> Result<Corpus, Failure> {
        Ok(Corpus::read(corpus_folder().as_deref(), &self.own_cases(), specs)?)
    }

    pub(super) fn carried(&self, specs: &Specs) -> Result<Corpus, Failure> {
        Ok(Corpus::carried(&self.own_cases(), specs)?)
    }

    /// The folders of cases of the dialects of `--spec`: beside `my-fork.yaml`, `my-fork`.
    fn own_cases(&self) -> Vec<PathBuf> {
        self.spec.iter().map(|file| file.with_extension("")).filter(|folder| folder.is_dir()).collect()
    }

    pub(super) fn adapters(&self) -> Result<PathBuf, Failure> {
        let found = self.adapters.clone().or_else(|| above("adapters", |folder| !folder::names(folder).is_empty()));
        found.ok_or_else(|| {
            Failure::usage(
                "there is no folder `adapters` with adapters in it, here or above; name one with --adapters, or put a \
                 command after `--`",
            )
        })
    }

    /// The folders of the adapters that have a list of findings.
    pub(super) fn listed(&self) -> Result<Vec<PathBuf>, Failure> {
        let adapters = self.adapters()?;
        let folders = folder::names(&adapters).into_iter().map(|name| adapters.join(name));
        Ok(folders.filter(|folder| folder.join(findings::FILE).is_file()).collect())
    }

    /// An adapter, by the name of its folder under the adapters, or by the path of its folder.
    pub(super) fn adapter(&self, given: &str) -> Result<Adapter, Failure> {
        if let Some((parent, name)) = adapter_folder(given) {
            return Ok(Adapter::load(&parent, &name)?);
        }
        if given.contains(['/', std::path::MAIN_SEPARATOR]) {
            let path = Path::new(given);
            let folder = path.parent().filter(|folder| path.is_file() && folder.join(ADAPTER).is_file());
            let why = match folder {
                Some(folder) => format!("a file of an adapter; name its folder, {}", folder.display()),
                None if path.exists() => NO_ADAPTER.to_owned(),
                None => "there is no such folder or file".to_owned(),
            };
            return Err(Failure::usage(format!("{given}: {why}")));
        }
        let name = given.split('@').next().unwrap_or(given);
        let adapters = match self.adapters() {
            Ok(adapters) if adapters.join(name).join(ADAPTER).exists() => return Ok(Adapter::load(&adapters, given)?),
            // A folder here is meant as well as one under `adapters`.
            Ok(_) | Err(_) if Path::new(name).join(ADAPTER).is_file() => {
                return Ok(Adapter::load(Path::new("."), given)?);
            }
            other => other?,
        };
        let here = adapters.join(name);
        if here.is_dir() {
            return Err(Failure::at(&here)(NO_ADAPTER));
        }
        let names = folder::names(&adapters);
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let meant = nearest(name, names.iter().map(String::as_str));
        Err(Failure::usage(format!(
            "there is no adapter {given:?} (there are {there} in {}); a command goes after `--`, and in quotes where several \
             are named{}",
            adapters.display(),
            did_you_mean(meant)
        )))
    }

    /// These options as a command line has them, each with a space before it.
    pub(super) fn options(&self) -> String {
        let option = |name: &str, path: &PathBuf| format!(" --{name} {}", quoted(&path.display().to_string()));
        let specs = self.spec.iter().map(|spec| option("spec", spec));
        let adapters = self.adapters.iter().map(|folder| option("adapters", folder));
        specs.chain(adapters).collect()
    }
}

/// The nearest corpus folder, where there is one.
pub(super) fn corpus_folder() -> Option<PathBuf> {
    above("corpus", |folder| folder.join("VERSION").is_file())
}

/// The relative path of the nearest folder `name`, here or above, that is the one meant.
fn above(name: &str, is_meant: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let up = here.ancestors().position(|folder| is_meant(&folder.join(name)))?;
    Some([".."].repeat(up).into_iter().collect::<PathBuf>().join(Path::new(name)))
}

/// The specs folder, here or above, as the corpus is found: who edits a file there need not build the program again.
fn specs_here() -> Result<Vec<(String, String)>, Failure> {
    let Some(folder) = above("specs", |folder| folder.join("layouts.yaml").is_file()) else { return Ok(Vec::new()) };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension() == Some("yaml".as_ref())).collect();
    files.sort();
    read(&files)
}

fn read(paths: &[PathBuf]) -> Result<Vec<(String, String)>, Failure> {
    let file = |path: &PathBuf| Ok((path.display().to_string(), input::yaml(path)?));
    paths.iter().map(file).collect()
}

fn sources(files: &[(String, String)]) -> Vec<Source<'_>> {
    files.iter().map(|(file, text)| Source { file, text }).collect()
}

/// The parent and the name of an adapter's folder that is given as a path, with its variant: `adapters/godot3@3.6`. A
/// name alone is no path.
pub(super) fn adapter_folder(given: &str) -> Option<(PathBuf, String)> {
    let (folder, variant) = match given.rsplit_once('@') {
        Some((folder, variant)) if !Path::new(given).exists() => (folder, format!("@{variant}")),
        Some(_) | None => (given, String::new()),
    };
    let path = Path::new(folder);
    let is_name = !folder.contains(['/', std::path::MAIN_SEPARATOR]) && folder != "." && folder != "..";
    if is_name || !path.join(ADAPTER).exists() {
        return None;
    }
    let named = if path.file_name().is_some() { path.to_owned() } else { path.canonicalize().ok()? };
    let name = named.file_name()?.to_string_lossy().into_owned();
    Some((named.parent()?.to_owned(), name + &variant))
}

/// The dialect of this name. If there is none, the error says which one may have been meant.
pub(super) fn dialect<'a>(name: &str, specs: &'a Specs) -> Result<&'a Dialect, Failure> {
    specs.find(name).map_err(|unknown| {
        let names = specs.all().map(|dialect| dialect.name.as_str());
        let meant = match &unknown {
            UnknownDialect::Name { name, .. } => nearest(name, names),
            // Another version is no slip of this one.
            UnknownDialect::Version { .. } | UnknownDialect::SingleOnly(_) => None,
        };
        Failure::usage(format!("{unknown}{}", did_you_mean(meant)))
    })
}

/// The dialects of these names, the newest first; without any, all in single precision. Where documents judge, a dialect
/// that has none is left out, and is an error if it is named.
pub(super) fn dialects<'s>(
    names: &[String],
    specs: &'s Specs,
    judged_by: JudgedBy,
) -> Result<Vec<&'s Dialect>, Failure> {
    let readable = |dialect: &&Dialect| judged_by == JudgedBy::Engines || !dialect.documents.is_empty();
    if names.is_empty() {
        return Ok(newest_first(specs.dialects.iter().filter(readable)));
    }
    let find = |name: &String| {
        let dialect = dialect(name, specs)?;
        let why = || Failure::usage(format!("{name} has no document to read literally: leave out --judged-by"));
        Some(dialect).filter(readable).ok_or_else(why)
    };
    let chosen: Vec<&Dialect> = names.iter().map(find).collect::<Result<_, _>>()?;
    Ok(newest_first(specs.all().filter(|dialect| chosen.iter().any(|chosen| chosen.name == dialect.name))))
}
