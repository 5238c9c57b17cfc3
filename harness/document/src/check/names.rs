//! What pages call types and fields.

use std::collections::{BTreeMap, BTreeSet};

use variant_specs::Specs;

use crate::page::name_of;

/// Names of types that no dialect's sections have, and their layouts.
const OTHERS: [(&str, &str); 13] = [
    ("nil", "null"),
    ("boolean", "bool"),
    ("integer", "int"),
    ("real", "float"),
    ("quat", "quaternion"),
    ("matrix32", "transform2d"),
    ("matrix3", "basis"),
    ("transform3d", "transform"),
    ("rawarray", "byte_array"),
    ("intarray", "int32_array"),
    ("realarray", "float32_array"),
    ("packedrealarray", "float32_array"),
    ("packedintarray", "int32_array"),
];

/// The layouts, by what pages call them.
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    pub(super) fn new(specs: &Specs) -> Self {
        let mut names = BTreeMap::new();
        for dialect in &specs.dialects {
            for entry in &dialect.types {
                let layout = &dialect.layout(entry).name;
                names.insert(plain(name_of(entry)), layout.clone());
                names.insert(plain(layout), layout.clone());
            }
        }
        names.extend(OTHERS.map(|(name, layout)| (name.to_owned(), layout.to_owned())));
        Self(names)
    }

    /// The layout that a heading or a cell names: `5: Vector2`, `raw array`.
    pub(super) fn layout_of(&self, text: &str) -> Option<&str> {
        let name = match text.split_once(':') {
            Some((id, name)) if id.trim().parse::<u32>().is_ok() => name,
            _ => text,
        };
        self.0.get(&plain(name)).map(String::as_str)
    }
}

/// Only letters and digits, in lower case, up to the first bracket.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name);
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The fields that a description names: by their names, in brackets or alone, several with `|` between them; else the one
/// that has most words in common with it. None if two have as many.
pub(super) fn fields_named<'n>(description: &str, names: impl Iterator<Item = &'n str> + Clone) -> Vec<&'n str> {
    let bracketed = description.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    let written: Vec<&str> = description.split('|').map(str::trim).chain(bracketed).collect();
    let exact: BTreeSet<&str> = names.clone().filter(|name| written.contains(name)).collect();
    if !exact.is_empty() {
        return exact.into_iter().collect();
    }
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let said = words(description);
    let common = |name: &&str| words(name).intersection(&said).count();
    let most = names.clone().map(|name| common(&name)).max().filter(|most| *most > 0);
    let best: BTreeSet<&str> = names.filter(|name| Some(common(name)) == most).collect();
    if best.len() == 1 { best.into_iter().collect() } else { Vec::new() }
}
