//! One dialect: its own words, and its parent's where it is silent.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::layout::resolve_layout;
use super::{LoadError, Source, Specs, document, refuse_repeats};
use crate::notation::{Pairs, RawDialect, RawLayout, RawRules, RawType};
use crate::rules::for_each_rule;
use crate::{Dialect, Header, LayoutId, Layouts, Precision, Rules, Type};

impl Specs {
    pub(super) fn resolve(&mut self, source: Source<'_>, raw: RawDialect) -> Result<Dialect, LoadError> {
        let parent = self.parent(source, &raw)?;
        let parent = parent.as_ref();
        self.add_layouts(source, raw.layouts)?;
        let required = |key: &str| {
            source.error_at("dialect", format!("`{key}:` is missing; only a dialect with `extends:` may leave it out"))
        };
        let documents = raw.documents.or_else(|| parent.map(|parent| parent.documents.clone())).unwrap_or_default();
        for name in &documents {
            document::exists(source, "documents", name, &self.documents)?;
        }
        let header = match (&raw.header, parent) {
            (Some(header), _) => Header {
                id_mask: header.id_mask,
                document_id_mask: header.document_id_mask,
                unknown_flags: header.unknown_flags,
            },
            (None, Some(parent)) => parent.header,
            (None, None) => return Err(required("header")),
        };
        let rules = resolve_rules(&raw.rules, parent.map(|parent| &parent.rules)).map_err(required)?;
        let document_base = parent.map_or_else(|| rules.clone(), |parent| departures(&rules, parent));
        let document_rules = resolve_rules(&raw.document_rules, Some(&document_base)).map_err(required)?;
        let table = Table { source, layouts: &self.layouts, documents: &documents };
        let mut types = match (parent, raw.types.0.is_empty()) {
            (_, false) if !raw.remove.is_empty() || !raw.insert.0.is_empty() || raw.order.is_some() => {
                return Err(source.error_at(
                    "types",
                    "`types:` is the whole table; `remove:`, `insert:` and `order:` change a parent's: keep one of the two"
                        .to_owned(),
                ));
            }
            (_, false) => table.own(&raw.types)?,
            (Some(parent), true) => table.changed(parent, &raw.remove, &raw.insert, raw.order.as_deref())?,
            (None, true) => return Err(required("types")),
        };
        table.label(&mut types, &raw.labels)?;
        let max = u32::try_from(types.len()).unwrap_or(u32::MAX);
        check_ids(source, &types, &header)?;
        match raw.max {
            Some(written) if written != max => {
                return Err(source.error_at("max", format!("max is {written}, but there are {max} types")));
            }
            None if parent.is_none() => return Err(required("max")),
            Some(_) | None => {}
        }
        Ok(Dialect {
            name: raw.dialect,
            aliases: raw.aliases,
            parent: parent.map(|parent| parent.name.clone()),
            layouts: Arc::clone(&self.layouts),
            basis: raw.basis,
            double_basis: raw.double_basis.or_else(|| parent.and_then(|parent| parent.double_basis.clone())),
            documents,
            header,
            precision: raw.precision.or(parent.map(|parent| parent.precision)).unwrap_or(Precision::Single),
            double: raw.double.or(parent.map(|parent| parent.double)).unwrap_or(true),
            depth: raw.depth.or(parent.map(|parent| parent.depth)).ok_or_else(|| required("depth"))?,
            max,
            rules,
            document_rules,
            types,
        })
    }

    fn parent(&self, source: Source<'_>, raw: &RawDialect) -> Result<Option<Dialect>, LoadError> {
        let Some(name) = &raw.extends else { return Ok(None) };
        match self.dialect(name) {
            Some(parent) => Ok(Some(parent.clone())),
            None => Err(source.error_at("extends", format!("no dialect {name}; there are {}", self.dialect_names()))),
        }
    }

    /// A dialect's own layouts become the family's: ids that were given out stay what they were.
    fn add_layouts(&mut self, source: Source<'_>, raw: Pairs<String, RawLayout>) -> Result<(), LoadError> {
        if raw.0.is_empty() {
            return Ok(());
        }
        let mut layouts: Vec<_> = self.layouts.iter().map(|(_, layout)| layout.clone()).collect();
        refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
        for (name, raw) in raw.0 {
            if self.layouts.id_of(&name).is_some() {
                return Err(source.error_at(
                    &name,
                    format!("there is a layout {name} already; leave this one out, or give it another name"),
                ));
            }
            layouts.push(resolve_layout(source, name, raw)?);
        }
        self.layouts = Arc::new(Layouts::new(layouts));
        for dialect in self.dialects.iter_mut().chain(&mut self.doubles) {
            dialect.layouts = Arc::clone(&self.layouts);
        }
        Ok(())
    }
}

/// A table of types in the making.
struct Table<'a> {
    source: Source<'a>,
    layouts: &'a Layouts,
    documents: &'a [String],
}

impl Table<'_> {
    /// The table as it is written, whole.
    fn own(&self, raw: &Pairs<u32, RawType>) -> Result<Vec<Type>, LoadError> {
        refuse_repeats(self.source, raw.0.iter().map(|(id, _)| id))?;
        let mut types = Vec::new();
        for (id, entry) in &raw.0 {
            let layout = self.layout(&entry.layout, &[&id.to_string()])?;
            for (document, _) in &entry.labels.0 {
                self.is_described_by(document, &id.to_string())?;
            }
            types.push(Type {
                id: *id,
                layout,
                section: entry.section.clone(),
                labels: entry.labels.0.iter().map(|(d, l)| (d.clone(), l.clone())).collect(),
            });
        }
        types.sort_by_key(|entry| entry.id);
        Ok(types)
    }

    /// The parent's table with its changes: first what goes, then what comes, or all in another order.
    fn changed(
        &self,
        parent: &Dialect,
        remove: &[String],
        insert: &Pairs<u32, String>,
        order: Option<&[String]>,
    ) -> Result<Vec<Type>, LoadError> {
        let mut types = parent.types.clone();
        for name in remove {
            let layout = self.layout(name, &[name, "remove"])?;
            let place = types.iter().position(|entry| entry.layout == layout).ok_or_else(|| {
                self.source.error_near(&[name, "remove"], format!("{} has no {name} to remove", parent.name))
            })?;
            types.remove(place);
        }
        let mut inserted: Vec<&(u32, String)> = insert.0.iter().collect();
        refuse_repeats(self.source, insert.0.iter().map(|(id, _)| id))?;
        inserted.sort_by_key(|(id, _)| *id);
        for (id, name) in inserted {
            let layout = self.layout(name, &[&id.to_string(), "insert"])?;
            let place = usize::try_from(*id).ok().filter(|place| *place <= types.len()).ok_or_else(|| {
                let message = format!("{name} at {id}, but the ids before it end at {}; ids have no gaps", types.len());
                self.source.error_near(&[&id.to_string(), "insert"], message)
            })?;
            types.insert(place, Type { id: *id, layout, section: format!("{id}: {name}"), labels: Vec::new() });
        }
        if let Some(order) = order {
            types = self.reordered(&types, order)?;
        }
        for (id, entry) in (0..).zip(&mut types) {
            let heading = entry.section.split_once(": ").map_or(entry.section.as_str(), |(_, heading)| heading);
            entry.section = format!("{id}: {heading}");
            entry.id = id;
            entry.labels.retain(|(document, _)| self.documents.contains(document));
        }
        Ok(types)
    }

    fn reordered(&self, types: &[Type], order: &[String]) -> Result<Vec<Type>, LoadError> {
        let refuse = |name: &str, message: String| self.source.error_near(&[name, "order"], message);
        let ordered: Vec<Type> = order
            .iter()
            .map(|name| {
                let layout = self.layout(name, &[name, "order"])?;
                types.iter().find(|entry| entry.layout == layout).cloned().ok_or_else(|| {
                    refuse(name, format!("`order:` has {name}, which is no type here; add it with `insert:`"))
                })
            })
            .collect::<Result<_, _>>()?;
        if let Some(missing) = types.iter().find(|entry| !ordered.iter().any(|other| other.layout == entry.layout)) {
            let name = &self.layouts.get(missing.layout).name;
            return Err(refuse("order", format!("`order:` lacks {name}; name every type, or `remove:` it")));
        }
        Ok(ordered)
    }

    /// Labels by document, in the order of the ids.
    fn label(&self, types: &mut [Type], labels: &Pairs<String, Vec<String>>) -> Result<(), LoadError> {
        refuse_repeats(self.source, labels.0.iter().map(|(document, _)| document))?;
        for (document, names) in &labels.0 {
            self.is_described_by(document, document)?;
            if names.len() != types.len() {
                let message = format!("{} labels of {document} for {} types", names.len(), types.len());
                return Err(self.source.error_near(&[document, "labels"], message));
            }
            for (entry, name) in types.iter_mut().zip(names) {
                entry.labels.push((document.clone(), name.clone()));
            }
        }
        Ok(())
    }

    fn layout(&self, name: &str, keys: &[&str]) -> Result<LayoutId, LoadError> {
        self.layouts.id_of(name).ok_or_else(|| {
            let known: Vec<&str> = self.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect();
            let message = format!(
                "no layout is called {name}; describe it under `layouts:`, or take one of {}",
                known.join(", ")
            );
            self.source.error_near(keys, message)
        })
    }

    fn is_described_by(&self, document: &str, key: &str) -> Result<(), LoadError> {
        if self.documents.iter().any(|name| name == document) {
            return Ok(());
        }
        Err(self.source.error_at(key, format!("a label of {document}, which is not in `documents:`")))
    }
}

/// The rules with the parent's where the file is silent; or the key that neither has.
fn resolve_rules(raw: &RawRules, parent: Option<&Rules>) -> Result<Rules, &'static str> {
    macro_rules! resolve {
        ($($(#[$doc:meta])* $name:literal $field:ident: $type:ty $(= $default:expr)?,)+) => {
            Rules {
                $($field: raw
                    .$field
                    .or(parent.map(|parent| parent.$field))
                    $(.or(Some($default)))?
                    .ok_or(concat!("rules: ", $name))?,)+
            }
        };
    }
    Ok(for_each_rule!(resolve))
}

/// These rules, but where the parent's documents part from its engines as the documents have them.
fn departures(rules: &Rules, parent: &Dialect) -> Rules {
    macro_rules! depart {
        ($($(#[$doc:meta])* $name:literal $field:ident: $type:ty $(= $default:expr)?,)+) => {
            Rules {
                $($field: if parent.rules.$field == parent.document_rules.$field {
                    rules.$field
                } else {
                    parent.document_rules.$field
                },)+
            }
        };
    }
    for_each_rule!(depart)
}

fn check_ids(source: Source<'_>, types: &[Type], header: &Header) -> Result<(), LoadError> {
    let mut layouts = BTreeSet::new();
    for (expected, entry) in (0..).zip(types) {
        let id = entry.id;
        let refuse =
            |message: String| Err(source.error_near(&[&id.to_string(), "insert", "types", "dialect"], message));
        if id != expected {
            return refuse(format!("there is a type {id} and none with id {expected}; ids have no gaps"));
        }
        if !layouts.insert(entry.layout) {
            return refuse(format!("type {id} ({}) has an id already; a layout has one id", entry.section));
        }
        if id & header.id_mask != id {
            let message =
                format!("id {id} does not fit the id mask {:#x}; take fewer types, or a wider mask", header.id_mask);
            return Err(source.error_near(&["header", &id.to_string(), "dialect"], message));
        }
    }
    Ok(())
}
