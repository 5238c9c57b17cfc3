//! What a dialect takes over from the one that it extends: the files of types for which it has none, re-headed.

use std::collections::BTreeMap;
use std::sync::Arc;

use variant_specs::{Dialect, Layout, Shape, Specs};

use super::case::{Case, CaseReading};
use super::file::{FRAMING, File, PACKET, Scope};
use super::listing::{ByteToken, Listing, Row};

/// Adds the parent's files that `dialect` has not itself. What holds of all packets, and what the child's file says
/// stands beside the parent's, it has beside its own: of two cases with one name, the child's. Parents come before
/// their children.
pub(super) fn inherit(files: &mut Vec<Arc<File>>, dialect: &Dialect, specs: &Specs) {
    let Some(parent) = dialect.parent.as_ref().and_then(|name| specs.dialect(name)) else { return };
    let heir = Inheritance { parent, child: dialect };
    let own: Vec<&Arc<File>> = files.iter().filter(|file| file.is_of(dialect)).collect();
    let inherit = |file: &Arc<File>| {
        let mut inherited = heir.file(file);
        for own in own.iter().filter(|own| own.layout == file.layout) {
            if !own.beside_parent {
                return None;
            }
            inherited.cases.retain(|case| own.cases.iter().all(|other| other.name != case.name));
        }
        // With other rules than its parent's it may have family cases that the parent has not.
        let family = files.iter().filter(|other| other.home == Scope::Family && other.layout == file.layout);
        let taken: Vec<&str> =
            family.flat_map(|family| family.cases_in(dialect)).map(|case| case.name.as_str()).collect();
        inherited.cases.retain(|case| !taken.contains(&case.name.as_str()));
        Some(Arc::new(inherited))
    };
    let parents = files.iter().filter(|file| file.is_of(parent) && heir.has(&file.layout));
    let inherited: Vec<Arc<File>> = parents.filter_map(inherit).collect();
    files.extend(inherited);
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
            let entry = self.child.types.iter().find(|entry| self.child.layout(entry).name == file.layout);
            entry.map_or_else(|| section.clone(), |entry| entry.section.clone())
        });
        File {
            home: Scope::Dialect(self.child.name.clone()),
            section,
            cases: file.cases.iter().filter_map(|case| self.case(case).map(Arc::new)).collect(),
            inherited: Some(file.inherited.clone().unwrap_or_else(|| self.parent.name.clone())),
            ..file.clone()
        }
    }

    /// The case with the child's ids; `None` where it has a type that the child lacks.
    fn case(&self, case: &Case) -> Option<Case> {
        let mut case = case.clone();
        self.side(&mut case.engine)?;
        if let Some(document) = &mut case.document {
            self.side(&mut document.side)?;
        }
        Some(case)
    }

    fn side(&self, side: &mut CaseReading) -> Option<()> {
        let lacking = |tag: &str| self.child.layouts.id_of(tag).is_some() && self.id_of(tag).is_none();
        if side.value.as_ref().is_some_and(|value| value.any_tag(&lacking)) {
            return None;
        }
        if let Some(listing) = &mut side.listing {
            self.listing(listing)?;
        }
        Some(())
    }

    fn listing(&self, listing: &mut Listing) -> Option<()> {
        // The layout of each value by the prefix of its names: which rows are ids depends on it.
        let mut values: BTreeMap<String, &Layout> = BTreeMap::new();
        for row in &mut listing.rows {
            let value = values.iter().filter(|(prefix, _)| row.name.starts_with(prefix.as_str()));
            let value = value.max_by_key(|(prefix, _)| prefix.len());
            let field = value.map(|(prefix, layout)| (layout.shape, &row.name[prefix.len()..]));
            if let Some(prefix) = row.name.strip_suffix("header") {
                if let Some(layout) = self.layout_of(row) {
                    values.insert(prefix.to_owned(), layout);
                }
                self.rehead(row)?;
            } else if let Some((Shape::Typed | Shape::Array, "type") | (Shape::Dictionary, "key.type" | "value.type")) =
                field
            {
                self.rehead(row)?;
            } else if row.name.contains("[*]") && values.values().any(|layout| holds_values(layout.shape)) {
                // Which of these bytes are headers is not told.
                self.same_ids().then_some(())?;
            } else if row.name == "rest" {
                // Nor here, nor which of them is no type.
                (self.same_ids() && self.child.max == self.parent.max).then_some(())?;
            }
        }
        Some(())
    }

    fn layout_of(&self, row: &Row) -> Option<&Layout> {
        let entry = self.parent.type_of(row.word()? & self.parent.header.id_mask)?;
        Some(self.parent.layout(entry))
    }

    /// Puts the child's id where the parent's stands. Ids that are no types stay as far behind the last one.
    fn rehead(&self, row: &mut Row) -> Option<()> {
        if let [ByteToken::Header(name)] = row.pieces.as_slice() {
            return self.id_of(name).map(drop);
        }
        let Some(word) = row.word() else { return Some(()) };
        let (mask, id) = (self.child.header.id_mask, word & self.parent.header.id_mask);
        let new = match self.parent.type_of(id) {
            Some(entry) => self.child.id_of(entry.layout)?,
            None => {
                let moved = u64::from(id) - u64::from(self.parent.max) + u64::from(self.child.max);
                let moved = u32::try_from(moved).ok().filter(|moved| moved & mask == *moved);
                moved.or((id >= self.child.max).then_some(id))?
            }
        };
        if new != id {
            row.pieces = (word & !mask | new).to_le_bytes().map(ByteToken::Byte).to_vec();
            row.meaning = row.meaning.replacen(&format!("type {id}"), &format!("type {new}"), 1);
        }
        Some(())
    }

    fn same_ids(&self) -> bool {
        self.parent.types.iter().all(|entry| self.child.id_of(entry.layout) == Some(entry.id))
    }
}

fn holds_values(shape: Shape) -> bool {
    match shape {
        Shape::Array | Shape::Dictionary | Shape::Typed | Shape::Object => true,
        Shape::Empty
        | Shape::Bool
        | Shape::Int
        | Shape::Float
        | Shape::Text
        | Shape::Fields
        | Shape::Packed
        | Shape::PackedText
        | Shape::NodePath
        | Shape::Rid
        | Shape::Image
        | Shape::InputEvent
        | Shape::Callable
        | Shape::Signal => false,
    }
}
