//! What a dialect inherits from the one that it extends: the files of types for which it has none, with its own ids.

use std::sync::Arc;

use variant_specs::{Dialect, FieldForm, Layout, Shape, Specs, Status, Type};

use super::case::Case;
use super::file::{FRAMING, File, PACKET};
use super::listing::{ByteToken, Listing, Row};
use super::owner::FieldOwners;
use super::record;

/// Adds the parent's files that `dialect` does not have. Files about all packets, and files with `beside-parent`, add
/// to the parent's: if two cases have the same name, the child's wins. Parents must come before their children.
pub(super) fn inherit(files: &mut Vec<Arc<File>>, dialect: &Dialect, specs: &Specs) {
    let Some(parent) = dialect.parent.as_ref().and_then(|name| specs.dialect(name)) else { return };
    let inheritance = Inheritance { parent, child: dialect };
    let own: Vec<&Arc<File>> = files.iter().filter(|file| file.is_of(dialect)).collect();
    let inherit = |file: &Arc<File>| {
        let mut inherited = inheritance.file(file);
        for own in own.iter().filter(|own| own.layout == file.layout) {
            if !own.beside_parent {
                return None;
            }
            inherited.cases.retain(|case| own.cases.iter().all(|other| other.name != case.name));
        }
        // With other rules than its parent's, it may have family cases that the parent does not.
        let family = files.iter().filter(|other| other.family && other.layout == file.layout);
        let taken: Vec<&str> =
            family.flat_map(|family| family.cases_in(dialect)).map(|case| case.name.as_str()).collect();
        inherited.cases.retain(|case| !taken.contains(&case.name.as_str()));
        Some(Arc::new(inherited))
    };
    let parents = files.iter().filter(|file| file.is_of(parent) && inheritance.has(&file.layout));
    let inherited: Vec<Arc<File>> = parents.filter_map(inherit).collect();
    files.extend(inherited);
}

/// Gives the files of the dialect whose place `dialect` takes the ids that it has. Its own are in the folder beside its file.
pub(super) fn renumber(files: &mut [Arc<File>], dialect: &Dialect) {
    let same = dialect.types.iter().map(|entry| entry.layout).eq(dialect.documented.iter().copied());
    if same || !dialect.in_place {
        return;
    }
    let ids = (0..).zip(&dialect.documented);
    let types: Vec<Type> =
        ids.map(|(id, layout)| Type { id, layout: *layout, section: String::new(), name: None }).collect();
    let before = Dialect { max: u32::try_from(types.len()).unwrap_or(u32::MAX), types, ..dialect.clone() };
    let inheritance = Inheritance { parent: &before, child: dialect };
    let own = dialect.file.trim_end_matches(".yaml");
    for file in files.iter_mut().filter(|file| file.is_of(dialect) && !file.path.starts_with(own)) {
        *file = Arc::new(inheritance.file(file));
    }
}

struct Inheritance<'a> {
    parent: &'a Dialect,
    child: &'a Dialect,
}

impl Inheritance<'_> {
    fn has(&self, layout: &str) -> bool {
        layout == PACKET || layout == FRAMING || self.id_of(layout).is_some()
    }

    fn id_of(&self, layout: &str) -> Option<u32> {
        self.child.layouts.id_of(layout).and_then(|layout| self.child.id_of(layout))
    }

    fn file(&self, file: &File) -> File {
        let section = file.section.as_ref().map(|section| {
            let entry = self.child.layouts.id_of(&file.layout).and_then(|layout| self.child.type_with(layout));
            entry.map_or(section, |entry| &entry.section).clone()
        });
        File {
            dialect: Some(self.child.name.clone()),
            family: false,
            double: false,
            section,
            cases: file.cases.iter().filter_map(|case| self.case(case).map(Arc::new)).collect(),
            inherited: Some(file.inherited.clone().unwrap_or_else(|| self.parent.name.clone())),
            ..file.clone()
        }
    }

    /// The case with the child's ids; `None` where it has a type that the child lacks.
    fn case(&self, case: &Case) -> Option<Case> {
        let mut case = case.clone();
        if !case.holds_in(self.child) {
            return None;
        }
        let mut document = case.document.as_mut();
        let of_document = document.as_mut().and_then(|document| document.value.as_mut());
        for value in case.value.iter_mut().chain(of_document) {
            value.replace_ids(&|id| self.new_id(id))?;
        }
        let listings = [&mut case.listing, &mut case.written].into_iter().flatten();
        for listing in listings.chain(document.and_then(|document| document.listing.as_mut())) {
            self.listing(listing)?;
        }
        Some(case)
    }

    fn listing(&self, listing: &mut Listing) -> Option<()> {
        // Which rows are ids depends on the shapes of the values around them.
        let mut values: FieldOwners<String, &Layout> = FieldOwners::default();
        // Values within `[*]` or `rest` are not listed one by one, so every id must be the same in both dialects.
        let mut any_container = false;
        for row in &mut listing.rows {
            if let Some(prefix) = row.name.strip_suffix("header") {
                if let Some(layout) = self.layout_of(row) {
                    any_container |= layout.holds_values();
                    values.enter(prefix.to_owned(), layout);
                }
                self.replace_id(row)?;
            } else if row.name.contains("[*]") && any_container {
                self.same_ids().then_some(())?;
            } else if row.name == "rest" {
                (self.same_ids() && self.child.max == self.parent.max).then_some(())?;
            } else if values.owner(&row.name).is_some_and(|(layout, name)| is_id(layout, name)) {
                self.replace_id(row)?;
            }
        }
        Some(())
    }

    fn layout_of(&self, row: &Row) -> Option<&Layout> {
        let entry = self.parent.type_of(row.word()? & self.parent.header.id_mask)?;
        Some(self.parent.layout(entry))
    }

    /// Replaces the parent's id by the child's. The first id of no type is the first here; others stay.
    fn replace_id(&self, row: &mut Row) -> Option<()> {
        if let [ByteToken::Header(name) | ByteToken::Id(name)] = row.tokens.as_slice() {
            return self.id_of(name).map(drop);
        }
        let Some(word) = row.word() else { return Some(()) };
        let (mask, id) = (self.child.header.id_mask, word & self.parent.header.id_mask);
        let new = self.new_id(id)?;
        if new != id {
            row.tokens = (word & !mask | new).to_le_bytes().map(ByteToken::Byte).to_vec();
            row.meaning = row.meaning.replacen(&format!("type {id}"), &format!("type {new}"), 1);
        }
        Some(())
    }

    fn new_id(&self, id: u32) -> Option<u32> {
        match self.parent.type_of(id) {
            Some(entry) => self.child.id_of(entry.layout),
            // It may have types that are not known.
            None if self.child.status == Status::Unverified => None,
            None => {
                let first = (id == self.parent.max || id < self.child.max).then_some(self.child.max);
                let fits = first.filter(|first| first & self.child.header.id_mask == *first);
                fits.or((id >= self.child.max).then_some(id))
            }
        }
    }

    fn same_ids(&self) -> bool {
        self.parent.types.iter().all(|entry| self.child.id_of(entry.layout) == Some(entry.id))
    }
}

/// Whether a row of this name has the id of a type, besides headers.
fn is_id(layout: &Layout, name: &str) -> bool {
    matches!((layout.shape, name), (Shape::Array, "type") | (Shape::Dictionary, "key.type" | "value.type"))
        || matches!(record::owner(&layout.record, name), Some((FieldForm::Type { .. }, _)))
}
