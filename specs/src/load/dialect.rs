//! One dialect: what its file says, and what its parent has where the file says nothing.

use std::sync::Arc;

use super::layout::{resolve_layout, table};
use super::types::TypesTable;
use super::{Problem, Source, Specs, document, refuse_repeats};
use crate::notation::{Pairs, RawDialect, RawLayout, RawRules};
use crate::rules::for_each_rule;
use crate::{Dialect, Precision, Rules};

impl Specs {
    pub(super) fn resolve(&mut self, source: Source<'_>, mut raw: RawDialect) -> Result<Dialect, Problem> {
        let parent = self.parent(source, &raw)?;
        let parent = parent.as_ref();
        self.add_layouts(source, std::mem::take(&mut raw.layouts))?;
        let required = |key: &str| {
            source.error_at("dialect", format!("`{key}:` is missing; only a dialect with `extends:` may leave it out"))
        };
        let of_parent = parent.filter(|_| raw.documents.is_none());
        let documents =
            of_parent.map_or_else(|| raw.documents.take().unwrap_or_default(), |parent| parent.documents.clone());
        for name in &documents {
            document::exists(source, "documents", name, &self.documents)?;
        }
        let header = raw.header.or(parent.map(|parent| parent.header)).ok_or_else(|| required("header"))?;
        let rules = resolve_rules(&raw.rules, parent.map(|parent| &parent.rules)).map_err(required)?;
        let document_base = parent.map_or_else(|| rules.clone(), |parent| departures(&rules, parent));
        let document_rules = resolve_rules(&raw.document_rules, Some(&document_base)).map_err(required)?;
        let table = TypesTable { source, layouts: &self.layouts };
        let types = table.types(&raw, parent, &header)?.ok_or_else(|| required("types"))?;
        let own = || types.iter().map(|entry| entry.layout).collect();
        let replaced = parent.filter(|parent| parent.name == raw.dialect);
        let documented = of_parent.or(replaced).map_or_else(own, |parent| parent.documented.clone());
        let max = u32::try_from(types.len()).unwrap_or(u32::MAX);
        if parent.is_none() && raw.max.is_none() {
            return Err(required("max"));
        }
        if let Some(written) = raw.max.filter(|written| *written != max) {
            return Err(source.error_at("max", format!("max is {written}, but there are {max} types")));
        }
        // A dialect that takes its parent's place has the parent of that.
        let ancestor = parent.and_then(|parent| match parent.name == raw.dialect {
            true => parent.parent.clone(),
            false => Some(parent.name.clone()),
        });
        Ok(Dialect {
            name: raw.dialect,
            aliases: raw.aliases,
            engines: raw.engines.or_else(|| replaced.and_then(|parent| parent.engines.clone())),
            file: source.file.to_owned(),
            in_place: false,
            parent: ancestor,
            layouts: Arc::clone(&self.layouts),
            status: raw.status,
            advice: raw.advice,
            basis: raw.basis,
            double_basis: raw.double_basis.or_else(|| parent.and_then(|parent| parent.double_basis.clone())),
            documents,
            documented,
            header,
            precision: raw.precision.or(parent.map(|parent| parent.precision)).unwrap_or(Precision::Single),
            double: raw.double.or(parent.map(|parent| parent.double)).unwrap_or(true),
            depth: raw.depth.or(parent.map(|parent| parent.depth)).ok_or_else(|| required("depth"))?,
            depth_since: raw.depth_since,
            max,
            rules,
            document_rules,
            types,
        })
    }

    fn parent(&self, source: Source<'_>, raw: &RawDialect) -> Result<Option<Dialect>, Problem> {
        let Some(name) = &raw.extends else { return Ok(None) };
        match self.find(name) {
            Ok(parent) => Ok(Some(parent.clone())),
            Err(_) => Err(source.error_at("extends", format!("no dialect {name}; there are {}", self.dialect_names()))),
        }
    }

    /// Adds a dialect's own layouts after those of the family, so that layout ids that are in use stay valid.
    fn add_layouts(&mut self, source: Source<'_>, raw: Pairs<String, RawLayout>) -> Result<(), Problem> {
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
        self.layouts = Arc::new(table(source, layouts)?);
        for dialect in self.dialects.iter_mut().chain(&mut self.doubles) {
            dialect.layouts = Arc::clone(&self.layouts);
        }
        Ok(())
    }
}

/// The file's rules, with the parent's where the file says nothing. The error is a key that neither has.
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

/// These rules, but the parent's document rules where the parent's documents disagree with its engines.
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
