//! What a dialect changes in the one that it extends without saying so: no problem, but easily not meant.

use variant_specs::{Dialect, Specs};

use super::problem::in_dialect;
use crate::{Corpus, File};
use variant_values::diagnostic::Problem;
use variant_values::sanitize::counted;

/// Each file whose cases take the place of the parent's, and the types whose ids differ.
pub fn changes(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Vec<Problem> {
    let Some(parent) = dialect.parent.as_ref().and_then(|name| specs.dialect(name)) else { return Vec::new() };
    let replaced = |file: &File| {
        let of_parent = corpus.files.iter().filter(|other| other.is_of(parent) && other.layout == file.layout);
        let cases = counted(of_parent.map(|other| other.cases.len()).sum(), "case");
        format!("takes the place of {cases} of {}; with `beside-parent: true` they stay", parent.name)
    };
    let own = corpus.files.iter().filter(|file| file.is_of(dialect) && file.inherited.is_none());
    let in_place = own.filter(|file| {
        !file.beside_parent && corpus.files.iter().any(|other| other.is_of(parent) && other.layout == file.layout)
    });
    let mut changes: Vec<Problem> = in_place.map(|file| file.problem(1, replaced(file))).collect();
    let before = |layout| parent.id_of(layout);
    let moved = dialect.types.iter().filter_map(|entry| Some((entry, before(entry.layout)?)));
    let moved: Vec<_> = moved.filter(|(entry, before)| entry.id != *before).collect();
    if let [(entry, before), ..] = moved[..] {
        let (count, name) = (counted(moved.len(), "type"), &dialect.layout(entry).name);
        let message =
            format!("other ids than in {} for {count}, first {name}: {}, not {before}", parent.name, entry.id);
        changes.push(in_dialect(dialect, message));
    }
    changes
}
