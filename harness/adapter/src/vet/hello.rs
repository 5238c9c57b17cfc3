//! The hello, word by word.

use serde_json::{Map, Value};
use variant_specs::Specs;

use super::Found;
use variant_wire::hello::Hello;

/// All that a hello can say.
const KEYS: [&str; 14] = [
    "protocol",
    "name",
    "version",
    "language",
    "dialects",
    "ops",
    "types",
    "lossy",
    "max_in_flight",
    "max_line",
    "ints",
    "reals",
    "text",
    "options",
];

/// The shortest line that is any use.
const SHORTEST_LINE: usize = 1 << 10;

/// Looks into a hello.
pub(super) fn look(hello: &Hello, object: &Map<String, Value>, specs: &Specs) -> Found {
    if let Some(wrong) = wrong(hello, specs) {
        return Found::Bad(wrong);
    }
    let remarks = remarks(hello, object, specs);
    if remarks.is_empty() {
        Found::Good(format!("{} {}", hello.name, hello.version).trim_end().to_owned())
    } else {
        Found::Remark(remarks.join("; "))
    }
}

fn wrong(hello: &Hello, specs: &Specs) -> Option<String> {
    if hello.name.trim().is_empty() {
        return Some("`name` is empty; reports call it by that".to_owned());
    }
    if !hello.dialects.iter().any(|name| specs.dialect(name).is_some()) {
        let spoken = hello.dialects.join(", ");
        return Some(format!(
            "it speaks {spoken}, and conform knows {}; mend `dialects`, or describe a dialect of your own with --spec",
            specs.dialect_names()
        ));
    }
    let unknown = |name: &&str| specs.dialects.iter().all(|dialect| dialect.layouts.id_of(name).is_none());
    if let Some(name) = hello.claimed().into_iter().find(unknown) {
        return Some(format!("`types` has {name:?}, which is no layout; adapters/README.md lists them"));
    }
    if hello.types.is_some() && hello.claimed().is_empty() {
        return Some("`types` is empty, so there is nothing to ask; leave it out to claim all".to_owned());
    }
    let words = [("ints", &hello.ints, "strings"), ("reals", &hello.reals, "bits"), ("text", &hello.text, "hex")];
    for (key, said, word) in words {
        if let Some(said) = said.as_ref().filter(|said| *said != word) {
            return Some(format!("`{key}` is {said:?}; the only word there is {word:?}, or leave it out"));
        }
    }
    if hello.max_in_flight == Some(0) {
        return Some("`max_in_flight` is 0, so nothing could be asked; 1 is the least".to_owned());
    }
    hello.max_line.filter(|limit| *limit < SHORTEST_LINE).map(|limit| {
        format!("`max_line` is {limit} bytes, which most requests exceed; read lines of any length, or at least {SHORTEST_LINE}")
    })
}

fn remarks(hello: &Hello, object: &Map<String, Value>, specs: &Specs) -> Vec<String> {
    let mut remarks = Vec::new();
    for (key, said) in [("version", &hello.version), ("language", &hello.language)] {
        if said.trim().is_empty() {
            remarks.push(format!("`{key}` is missing; reports show it"));
        }
    }
    for name in hello.dialects.iter().filter(|name| specs.dialect(name).is_none()) {
        remarks.push(format!("conform knows no dialect {name:?}, and will not ask in it"));
    }
    for key in object.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        remarks.push(format!("`{key}` means nothing in a hello; known are {}", KEYS.join(", ")));
    }
    remarks
}
