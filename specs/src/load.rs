//! Loads `specs/*.yaml`. Everything is checked here, with file and line, so that nothing later has to check it.

mod dialect;
mod document;
mod layout;
mod record;
mod types;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::engines::{self, newest_first};
use crate::notation::RawDialect;
use crate::{Concern, DOUBLE, Dialect, Divergence, Document, Erratum, Layouts, Status};

/// All that the documents say, and where engines disagree with them.
#[derive(Debug, Clone)]
pub struct Specs {
    /// The layouts of the family.
    pub layouts: Arc<Layouts>,
    /// The dialects in single precision, in the order of loading.
    pub dialects: Vec<Dialect>,
    /// Their double-precision forms, if they have one.
    pub doubles: Vec<Dialect>,
    /// The documents, in the order of their file.
    pub documents: Vec<Document>,
    /// The errata, in the order of their file.
    pub errata: Vec<Erratum>,
    /// Where implementations may disagree.
    pub divergences: Vec<Divergence>,
}

/// One YAML file: its name for messages, and its text.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name of the file in messages.
    pub file: &'a str,
    /// The text of the file.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The file of these that has the same name, or itself.
    fn replaced_by(self, files: &[Source<'a>]) -> Self {
        files.iter().find(|file| self.is_named_as(file)).copied().unwrap_or(self)
    }

    /// Whether it has the same name in whatever folder.
    fn is_named_as(&self, other: &Source<'_>) -> bool {
        let name = |path: &str| path.rsplit(['/', '\\']).next().map(str::to_owned);
        name(self.file) == name(other.file)
    }
}

/// What is wrong with a file that people write, and where: one line for a person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
#[error("{file}{}: {message}", if *line == 0 { String::new() } else { format!(":{line}") })]
pub struct Problem {
    /// The file, as messages name it.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

/// Why there is no dialect for a name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownDialect {
    /// No dialect has this name or alias.
    #[error("there is no dialect {name:?}; there are {known}")]
    Name {
        /// The name that was looked for.
        name: String,
        /// The names of all dialects.
        known: String,
    },
    /// No dialect is of this version of an engine.
    #[error(
        "there is no dialect \"{name}\"; a version of an engine, such as 4.6, names one too, and the newest is {newest}"
    )]
    Version {
        /// The version that was looked for.
        name: String,
        /// The newest dialect.
        newest: String,
    },
    /// The dialect of this name has no double precision.
    #[error("{0} has no double precision; use {0}")]
    SingleOnly(String),
}

macro_rules! sources {
    ($($name:literal),+ $(,)?) => {
        [$(Source { file: concat!("specs/", $name), text: include_str!(concat!("../", $name)) }),+]
    };
}

const SHARED: [Source<'static>; 4] = sources!["layouts.yaml", "documents.yaml", "errata.yaml", "divergences.yaml"];
const DIALECTS: [Source<'static>; 10] = sources![
    "godot-2.yaml",
    "godot-3.yaml",
    "godot-4.0.yaml",
    "godot-4.3.yaml",
    "godot-4.4.yaml",
    "redot-26.3.yaml",
    "pandemonium-27.yaml",
    "pandemonium-38.yaml",
    "pandemonium-40.yaml",
    "godot-docs-4.yaml",
];

impl Specs {
    /// The data that belongs to this crate.
    ///
    /// # Errors
    /// If a file of `specs/` is invalid, which happens only while one is being edited.
    pub fn builtin() -> Result<Self, Problem> {
        Self::with_files(&[])
    }

    /// The data that belongs to this crate, with these files in place of those of the same name and beside the others.
    ///
    /// # Errors
    /// The first thing that is wrong, with file and line.
    pub fn with_files(files: &[Source<'_>]) -> Result<Self, Problem> {
        let [layouts, documents, errata, divergences] = SHARED.map(|source| source.replaced_by(files));
        let mut dialects: Vec<Source<'_>> = DIALECTS.iter().map(|source| source.replaced_by(files)).collect();
        let is_known = |file: &&Source<'_>| SHARED.iter().chain(&DIALECTS).any(|source| source.is_named_as(file));
        dialects.extend(files.iter().filter(|file| !is_known(file)));
        let mut specs = Self::load(layouts, documents, errata, &dialects)?;
        specs.divergences = document::load_divergences(divergences, &specs)?;
        document::check_dialects(documents, &specs)?;
        Ok(specs)
    }

    /// Whether each of these files belongs to this crate, with the same text.
    pub fn are_builtin(files: &[Source<'_>]) -> bool {
        let same = |file: &Source<'_>| {
            SHARED.iter().chain(&DIALECTS).any(|source| source.is_named_as(file) && source.text == file.text)
        };
        files.iter().all(same)
    }

    /// Layouts and dialects alone, loaded already and without their doubles, as a program has them that carries no YAML.
    /// There are no documents, errata and divergences.
    pub fn of_dialects(layouts: Layouts, dialects: Vec<Dialect>) -> Self {
        let layouts = Arc::new(layouts);
        let dialects: Vec<Dialect> =
            dialects.into_iter().map(|dialect| Dialect { layouts: Arc::clone(&layouts), ..dialect }).collect();
        Self {
            doubles: dialects.iter().filter(|dialect| dialect.double).map(Dialect::doubled).collect(),
            layouts,
            dialects,
            documents: Vec::new(),
            errata: Vec::new(),
            divergences: Vec::new(),
        }
    }

    /// The data in these files.
    ///
    /// # Errors
    /// The first thing that is wrong, with file and line.
    pub fn load(
        layouts: Source<'_>,
        documents: Source<'_>,
        errata: Source<'_>,
        dialects: &[Source<'_>],
    ) -> Result<Self, Problem> {
        let mut specs = Self {
            layouts: Arc::new(layout::load_layouts(layouts)?),
            dialects: Vec::new(),
            doubles: Vec::new(),
            documents: document::load_documents(documents)?,
            errata: Vec::new(),
            divergences: Vec::new(),
        };
        specs.errata = document::load_errata(errata, &specs.documents)?;
        specs.add_dialects(dialects)?;
        Ok(specs)
    }

    /// Adds the dialects in these files, which may extend each other and those that are loaded already. One with the name
    /// of a dialect that is loaded already takes its place.
    ///
    /// # Errors
    /// The first thing that is wrong, with file and line.
    pub fn add_dialects(&mut self, sources: &[Source<'_>]) -> Result<(), Problem> {
        let mut waiting: Vec<(Source<'_>, RawDialect)> = Vec::new();
        for source in sources {
            waiting.push((*source, parse(*source)?));
        }
        // Parents first: each round takes a dialect whose parent is not waiting.
        while !waiting.is_empty() {
            let waits = |raw: &RawDialect, other: &RawDialect| {
                // Its own name is that of the dialect whose place it takes.
                raw.extends.as_ref() == Some(&other.dialect)
                    && (raw.dialect != other.dialect || self.dialect(&raw.dialect).is_none())
            };
            let ready = waiting.iter().position(|(_, raw)| !waiting.iter().any(|(_, other)| waits(raw, other)));
            let Some(ready) = ready else { return Err(circle(&waiting)) };
            let (source, raw) = waiting.remove(ready);
            self.add_dialect(source, raw)?;
        }
        Ok(())
    }

    fn add_dialect(&mut self, source: Source<'_>, raw: RawDialect) -> Result<(), Problem> {
        for name in raw.aliases.iter().chain([&raw.dialect]) {
            refuse_bad_name(source, "dialect", name)?;
            if let Some(base) = name.strip_suffix(DOUBLE) {
                let message = format!(
                    "{name} is the name of the double-precision form of {base}, which a dialect has by itself unless it \
                     says `double: false`; leave {DOUBLE} out"
                );
                return Err(source.error_at("dialect", message));
            }
            if let Some(known) = self.find(name).ok().filter(|known| known.base() != raw.dialect) {
                let message = format!("{name} is a name of the dialect {} already; take another name", known.name);
                return Err(source.error_at("dialect", message));
            }
        }
        let extended = raw.extends.as_ref().and_then(|name| self.find(name).ok());
        if let (Some(known), Some(extended)) = (self.dialect(&raw.dialect), extended)
            && known.name != extended.name
            && known.parent.as_ref() != Some(&extended.name)
        {
            let message = format!(
                "there is a dialect {0} already, which is none of {1}: extend {0} to take its place, or take another name",
                known.name, extended.name
            );
            return Err(source.error_at("extends", message));
        }
        let dialect = self.resolve(source, raw)?;
        self.doubles.retain(|known| known.base() != dialect.name);
        if dialect.double {
            self.doubles.push(dialect.doubled());
        }
        // In its place: dialects that extend it come after it.
        match self.dialects.iter_mut().find(|known| known.name == dialect.name) {
            Some(known) => *known = Dialect { in_place: true, ..dialect },
            None => self.dialects.push(dialect),
        }
        Ok(())
    }

    /// The dialect of this name or alias, which may end in `+double`.
    pub fn dialect(&self, name: &str) -> Option<&Dialect> {
        self.all().find(|dialect| dialect.name == name || dialect.aliases.iter().any(|alias| alias == name))
    }

    /// Every dialect in every precision that it has.
    pub fn all(&self) -> impl Iterator<Item = &Dialect> {
        self.dialects.iter().chain(&self.doubles)
    }

    /// The dialects that released engines speak, in single precision.
    pub fn spoken(&self) -> impl Iterator<Item = &Dialect> + Clone {
        self.dialects.iter().filter(|dialect| dialect.status == Status::Spoken)
    }

    /// The dialect of this name or alias, or of this version of an engine: `godot-4.6`, `godot4`, `4.6`.
    ///
    /// # Errors
    /// If there is no such dialect, or it has no double precision and the name asks for that.
    pub fn find(&self, name: &str) -> Result<&Dialect, UnknownDialect> {
        let (base, double) = name.strip_suffix(DOUBLE).map_or((name, ""), |base| (base, DOUBLE));
        let of_version = || self.dialect(&format!("{}{double}", engines::of_version(base, &self.dialects)?.name));
        if let Some(dialect) = self.dialect(name).or_else(of_version) {
            return Ok(dialect);
        }
        Err(match name.strip_suffix(DOUBLE).and_then(|base| self.dialect(base)) {
            Some(base) => UnknownDialect::SingleOnly(base.name.clone()),
            None if self.is_version(name) => {
                let newest = newest_first(self.dialects.iter()).first().map(|dialect| dialect.title());
                UnknownDialect::Version { name: name.to_owned(), newest: newest.unwrap_or_default() }
            }
            None => UnknownDialect::Name { name: name.to_owned(), known: self.dialect_names() },
        })
    }

    /// Whether a name is a version of an engine that is known: then another name is no slip of it.
    fn is_version(&self, name: &str) -> bool {
        let engine = engines::engine_version(name).map(|(engine, _)| engine);
        engine.is_some_and(|engine| {
            engine.is_empty() || self.dialects.iter().any(|dialect| dialect.family().to_lowercase() == engine)
        })
    }

    /// The dialects with their engines, the newest first: `Godot 4.4–4.6 (godot-4.4), Godot 4.3 (godot-4.3)`.
    pub fn dialect_titles(&self) -> String {
        newest_first(self.dialects.iter()).iter().map(|dialect| dialect.title()).collect::<Vec<_>>().join(", ")
    }

    /// All dialects, for a message.
    pub fn dialect_names(&self) -> String {
        let doubles: Vec<&str> =
            newest_first(self.doubles.iter()).iter().map(|dialect| dialect.name.as_str()).collect();
        let doubles = if doubles.is_empty() { String::new() } else { format!("; {}", doubles.join(", ")) };
        format!("{}{doubles}", self.dialect_titles())
    }

    /// The erratum of this id.
    pub fn erratum(&self, id: &str) -> Option<&Erratum> {
        self.errata.iter().find(|erratum| erratum.id == id)
    }

    /// The erratum that explains variants made by a rule about a field of a layout.
    pub fn erratum_of_variant(&self, rule: &str, layout: &str, field: &str) -> Option<(&Erratum, &Concern)> {
        self.errata.iter().find_map(|erratum| {
            Some((erratum, erratum.variants.iter().find(|concern| concern.is_about(rule, layout, field))?))
        })
    }
}

/// The error of dialects that extend each other in a circle: each of these waits for another of them.
fn circle(waiting: &[(Source<'_>, RawDialect)]) -> Problem {
    let names: Vec<&str> = waiting.iter().map(|(_, raw)| raw.dialect.as_str()).collect();
    let message =
        format!("{}: each extends the next or another, in a circle; one must stand on its own", names.join(", "));
    waiting[0].0.error_at("extends", message)
}

fn parse<T: DeserializeOwned>(source: Source<'_>) -> Result<T, Problem> {
    parse_yaml(source.file, source.text)
}

/// Reads the text of a YAML file; `file` is its name in messages.
///
/// # Errors
/// It is not the YAML that it should be: where, and why.
pub fn parse_yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Problem> {
    serde_yaml::from_str(text).map_err(|error| Problem {
        file: file.to_owned(),
        line: error.location().map_or(1, |location| location.line()),
        message: yaml_words(&error),
    })
}

/// The message of a YAML error, without its position and without names of Rust types.
fn yaml_words(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text).replace("usize", "a whole number");
    if text.contains("cannot start any token") {
        return format!(
            "{text}: a tab, `@`, `%` or a backtick; tabs cannot indent YAML, write spaces, and put text that begins with \
             another of them in quotes"
        );
    }
    let mut parts = text.split("struct ");
    let first = parts.next().unwrap_or_default().to_owned();
    // The name of a type follows.
    let text = parts.fold(first, |text, part| text + "a map" + part.trim_start_matches(char::is_alphanumeric));
    let found = text
        .replace("invalid type: sequence", "this is a list")
        .replace("invalid type: map", "this is names with values");
    cut(found.replace("expected a map", "expected names with values").replace("expected a sequence", "expected a list"))
}

/// A message quotes the file, and what is quoted may be as long as the file: of a long one, the begin and the end.
fn cut(text: String) -> String {
    let letters = text.chars().count();
    if letters <= 2 * QUOTED {
        return text;
    }
    let begin = text.chars().take(QUOTED);
    begin.chain(" … ".chars()).chain(text.chars().skip(letters - QUOTED)).collect()
}

/// This many letters of a message are kept at each end.
const QUOTED: usize = 400;

/// The longest name, in letters.
const NAME: usize = 64;

/// Refuses a name that is no plain word: names become parts of ids, paths and printed text.
fn refuse_bad_name(source: Source<'_>, key: &str, name: &str) -> Result<(), Problem> {
    let word = |letter: char| letter.is_ascii_alphanumeric() || "-.+_".contains(letter);
    if name.len() <= NAME && name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.chars().all(word) {
        return Ok(());
    }
    let cut: String = name.chars().take(NAME).collect();
    let message = format!(
        "{cut:?} is not a name: one has letters and digits, `-`, `.`, `+` and `_` between them, and at most {NAME} of them"
    );
    let near = if name.is_empty() { key } else { name };
    Err(source.error_near(&[near, key], message))
}

fn refuse_repeats<T: Ord + ToString>(source: Source<'_>, keys: impl Iterator<Item = T>) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for key in keys {
        let name = key.to_string();
        if !seen.insert(key) {
            return Err(Problem {
                file: source.file.to_owned(),
                line: source.lines_with(&name).nth(1).unwrap_or(1),
                message: format!("{name} is here twice; keep one"),
            });
        }
    }
    Ok(())
}

impl Source<'_> {
    fn error_at(&self, key: &str, message: String) -> Problem {
        self.error_near(&[key], message)
    }

    /// An error at the first of these keys that has a line of its own; else at the first line.
    fn error_near(&self, keys: &[&str], message: String) -> Problem {
        let line = keys.iter().find_map(|key| self.lines_with(key).next()).unwrap_or(1);
        Problem { file: self.file.to_owned(), line, message }
    }

    /// The lines, from 1, on which this key (or the list entry with this id) begins.
    fn lines_with<'a>(&'a self, key: &'a str) -> impl Iterator<Item = usize> + 'a {
        let begins = move |line: &str| {
            let line = line.trim_start();
            let line = line.strip_prefix("- id:").unwrap_or(line);
            let line = line.strip_prefix("- ").unwrap_or(line).trim_start().trim_start_matches('"');
            line.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '"']))
        };
        self.text.lines().enumerate().filter(move |(_, line)| begins(line)).map(|(index, _)| index + 1)
    }
}
