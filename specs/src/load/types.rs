//! The table of a dialect's types: as it is written, or the parent's with changes.

use super::{Problem, Source, refuse_repeats};
use crate::notation::{Pairs, RawDialect, RawInsert, RawType};
use crate::{Dialect, Header, LayoutId, Layouts, Type};

/// Makes a dialect's table of types.
pub(super) struct TypesTable<'a> {
    pub(super) source: Source<'a>,
    pub(super) layouts: &'a Layouts,
}

impl TypesTable<'_> {
    /// The types in the order of their ids; `None` if neither the file nor a parent has any.
    pub(super) fn types(
        &self,
        raw: &RawDialect,
        parent: Option<&Dialect>,
        header: &Header,
    ) -> Result<Option<Vec<Type>>, Problem> {
        let changes = !raw.remove.is_empty() || !raw.insert.0.is_empty() || raw.order.is_some();
        let types = match (parent, raw.types.0.is_empty()) {
            (_, false) if changes => {
                return Err(self.source.error_at(
                    "types",
                    "`types:` is the whole table; `remove:`, `insert:` and `order:` change a parent's: keep one of the two"
                        .to_owned(),
                ));
            }
            (_, false) => self.own(&raw.types)?,
            (Some(parent), true) => self.changed(parent, raw)?,
            (None, true) => return Ok(None),
        };
        self.check_ids(&types, header)?;
        Ok(Some(types))
    }

    /// The table as it is written under `types:`.
    fn own(&self, raw: &Pairs<u32, RawType>) -> Result<Vec<Type>, Problem> {
        refuse_repeats(self.source, raw.0.iter().map(|(id, _)| id))?;
        let mut types = Vec::new();
        for (id, entry) in &raw.0 {
            self.check_section(*id, &entry.section)?;
            let layout = self.layout(&entry.layout, &[&id.to_string()])?;
            types.push(Type { id: *id, layout, section: entry.section.clone(), name: entry.name.clone() });
        }
        types.sort_by_key(|entry| entry.id);
        Ok(types)
    }

    /// The parent's table with these changes: first what is removed, then what is inserted, then the new order.
    fn changed(&self, parent: &Dialect, raw: &RawDialect) -> Result<Vec<Type>, Problem> {
        let RawDialect { remove, insert, order, .. } = raw;
        let mut types = parent.types.clone();
        for name in remove {
            let place =
                types.iter().position(|entry| self.layouts.get(entry.layout).name == *name).ok_or_else(|| {
                    self.source.error_near(&[name, "remove"], format!("{} has no {name} to remove", parent.name))
                })?;
            types.remove(place);
        }
        let mut inserted: Vec<&(u32, RawInsert)> = insert.0.iter().collect();
        refuse_repeats(self.source, insert.0.iter().map(|(id, _)| id))?;
        inserted.sort_by_key(|(id, _)| *id);
        for (id, new) in inserted {
            let (name, section, own) = match new {
                RawInsert::Layout(name) => (name, format!("{id}: {name}"), None),
                RawInsert::Type(RawType { layout, section, name }) => (layout, section.clone(), name.clone()),
            };
            self.check_section(*id, &section)?;
            let layout = self.layout(name, &[&id.to_string(), "insert"])?;
            let place = usize::try_from(*id).ok().filter(|place| *place <= types.len()).ok_or_else(|| {
                let message = format!(
                    "{name} at {id}, but the ids before it end at {}; ids have no gaps, so an engine that \
                     leaves ids unused cannot be described",
                    types.len()
                );
                self.source.error_near(&[&id.to_string(), "insert"], message)
            })?;
            types.insert(place, Type { id: *id, layout, section, name: own });
        }
        if let Some(order) = order {
            types = self.reordered(&types, order)?;
        }
        for (id, entry) in (0..).zip(&mut types) {
            entry.section = format!("{id}: {}", entry.heading());
            entry.id = id;
        }
        Ok(types)
    }

    /// The number of a section is the id of its type.
    fn check_section(&self, id: u32, section: &str) -> Result<(), Problem> {
        let number = section.split_once(": ").and_then(|(number, _)| number.parse::<u32>().ok());
        match number.filter(|number| *number != id) {
            None => Ok(()),
            Some(number) => {
                let message = format!("section {section:?} has the number {number}, but its type is at {id}");
                Err(self.source.error_near(&[&id.to_string(), "insert"], message))
            }
        }
    }

    fn reordered(&self, types: &[Type], order: &[String]) -> Result<Vec<Type>, Problem> {
        let refuse = |name: &str, message: String| self.source.error_near(&[name, "order"], message);
        let ordered: Vec<Type> = order
            .iter()
            .map(|name| {
                let layout = self.layout(name, &[name, "order"])?;
                types.iter().find(|entry| entry.layout == layout).cloned().ok_or_else(|| {
                    refuse(name, format!("`order:` has {name}, which is not a type here; add it with `insert:`"))
                })
            })
            .collect::<Result<_, _>>()?;
        if let Some(missing) = types.iter().find(|entry| !ordered.iter().any(|other| other.layout == entry.layout)) {
            let name = &self.layouts.get(missing.layout).name;
            return Err(refuse("order", format!("`order:` lacks {name}; name every type, or `remove:` it")));
        }
        Ok(ordered)
    }

    fn layout(&self, name: &str, keys: &[&str]) -> Result<LayoutId, Problem> {
        self.layouts.id_of(name).ok_or_else(|| {
            let known: Vec<&str> = self.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect();
            let message =
                format!("there is no layout {name}; describe it under `layouts:`, or take one of {}", known.join(", "));
            self.source.error_near(keys, message)
        })
    }

    fn check_ids(&self, types: &[Type], header: &Header) -> Result<(), Problem> {
        for (expected, entry) in (0..).zip(types) {
            let id = entry.id;
            let keys = [&id.to_string(), "insert", "types", "dialect"];
            if id != expected {
                let message = format!("there is a type {id} and none with id {expected}; ids have no gaps");
                return Err(self.source.error_near(&keys, message));
            }
            if let Some(first) = types.iter().find(|other| other.id < id && other.layout == entry.layout) {
                let name = &self.layouts.get(entry.layout).name;
                let message =
                    format!("{name} has the ids {} and {id}; a layout has one id, which `order:` moves", first.id);
                return Err(self.source.error_near(&keys, message));
            }
            if id & header.id_mask != id {
                let mask = header.id_mask;
                let message = format!("id {id} does not fit the id mask {mask:#x}; take fewer types, or a wider mask");
                return Err(self.source.error_near(&["header", &id.to_string(), "dialect"], message));
            }
        }
        Ok(())
    }
}
