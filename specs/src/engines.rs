//! Engines of a dialect, as people know them: `Godot 4.4–4.6`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{DOUBLE, Dialect, Status, Type};

impl Dialect {
    /// The dialect as it is shown to people: `Godot 4.4–4.6 (godot-4.4)`.
    pub fn title(&self) -> String {
        self.engines().map_or_else(|| self.name.clone(), |engines| alloc::format!("{engines} ({})", self.name))
    }

    /// Its engines and their precision: `Godot 3.1–3.6 in double precision`. `None` where it says no engines.
    pub fn engines(&self) -> Option<String> {
        self.engines.as_ref().map(|engines| alloc::format!("{engines}{}", self.precision_words()))
    }

    /// The engines' name of a type, which mostly heads its section: `PackedByteArray`.
    pub fn type_name<'a>(&'a self, entry: &'a Type) -> &'a str {
        let heading = entry.heading().split(" (").next().unwrap_or_default();
        let name = entry.name.as_deref().unwrap_or(heading);
        if name.is_empty() { &self.layout(entry).name } else { name }
    }

    /// The engines' name of the type with this layout; the layout's own where the dialect has no such type.
    pub fn type_name_of<'a>(&'a self, layout: &'a str) -> &'a str {
        let entry = self.types.iter().find(|entry| self.layout(entry).name == layout);
        entry.map_or(layout, |entry| self.type_name(entry))
    }

    /// The engine without its versions: `Godot`. The name of a dialect that says no engines.
    pub fn family(&self) -> &str {
        match &self.engines {
            Some(engines) => engines.split(' ').next().unwrap_or(engines),
            None => self.base(),
        }
    }

    fn precision_words(&self) -> &'static str {
        if self.name.ends_with(DOUBLE) { " in double precision" } else { "" }
    }

    /// The first and the last version of its engines.
    #[cfg(feature = "yaml")]
    pub fn versions(&self) -> Option<[Vec<u32>; 2]> {
        let (_, range) = self.engines.as_deref()?.split_once(' ')?;
        let (from, to) = range.split_once('–').unwrap_or((range, range));
        Some([version(from)?, version(to)?])
    }
}

/// The same dialects, the newest first; families in the order in which they are first met. What no engine ever spoke is last.
pub fn newest_first<'d>(dialects: impl Iterator<Item = &'d Dialect>) -> Vec<&'d Dialect> {
    let mut all: Vec<&Dialect> = dialects.collect();
    let mut families: Vec<&str> = Vec::new();
    for dialect in &all {
        if !families.contains(&dialect.family()) {
            families.push(dialect.family());
        }
    }
    all.reverse();
    let place = |dialect: &&Dialect| families.iter().position(|family| *family == dialect.family());
    all.sort_by_key(|dialect| (dialect.status == Status::Unspoken, place(dialect), dialect.name.ends_with(DOUBLE)));
    all
}

/// Several dialects as they are shown to people: `Godot 4.4–4.6, 4.3; Pandemonium 3.8–4.9`.
pub fn titles(dialects: &[&Dialect]) -> String {
    let mut shown = String::new();
    let mut family = "";
    for dialect in dialects {
        let engines = dialect.engines.as_deref().unwrap_or(&dialect.name);
        let versions = engines.strip_prefix(dialect.family()).map_or(engines, str::trim_start);
        if dialect.family() == family {
            shown += ", ";
            shown += versions;
        } else {
            shown += if shown.is_empty() { "" } else { "; " };
            shown += engines;
        }
        shown += dialect.precision_words();
        family = dialect.family();
    }
    shown
}

/// What names an engine and its version: `godot-4.6`, `godot4`, `4.6.3`. The engine is empty in the last.
#[cfg(feature = "yaml")]
pub(crate) fn engine_version(written: &str) -> Option<(String, Vec<u32>)> {
    let begin = written.find(|letter: char| letter.is_ascii_digit())?;
    let (engine, number) = written.split_at(begin);
    let engine = engine.trim_end_matches(['-', ' ', '_', 'v']).to_lowercase();
    Some((engine, version(number)?))
}

/// The newest of these dialects whose engines have this version. Without an engine, that of the first dialect is meant.
#[cfg(feature = "yaml")]
pub(crate) fn of_version<'d>(written: &str, dialects: &'d [Dialect]) -> Option<&'d Dialect> {
    let (engine, version) = engine_version(written)?;
    let family = if engine.is_empty() { dialects.first()?.family().to_lowercase() } else { engine };
    let has = |dialect: &&Dialect| {
        let cut = |bound: &[u32]| bound[..bound.len().min(version.len())].to_vec();
        let within = |[from, to]: [Vec<u32>; 2]| {
            let version = |bound: &[u32]| version[..bound.len().min(version.len())].to_vec();
            cut(&from) <= version(&from) && version(&to) <= cut(&to)
        };
        dialect.family().to_lowercase() == family && dialect.versions().is_some_and(within)
    };
    dialects.iter().filter(has).max_by_key(|dialect| dialect.versions().map(|[_, to]| to))
}

#[cfg(feature = "yaml")]
fn version(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}
