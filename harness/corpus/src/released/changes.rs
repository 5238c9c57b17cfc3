//! The differences between two corpora.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Aliases, Released};
use crate::test::case_parts;

/// The cases that differ between two corpora.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    versions: [String; 2],
    /// The ids of new cases.
    pub added: Vec<String>,
    /// The ids of cases that test something else.
    pub changed: Vec<String>,
    /// Old id, new id, and whether both test the same.
    pub renamed: Vec<(String, String, bool)>,
    /// The ids of cases that are gone.
    pub removed: Vec<String>,
}

impl Changes {
    /// Compares two corpora. A case is renamed if the aliases say so, or if it tests the same under another name.
    pub fn between(old: &Released, new: &Released, aliases: &Aliases) -> Self {
        let mut changes = Self { versions: [old.version.clone(), new.version.clone()], ..Self::default() };
        let mut added: BTreeSet<&String> = new.cases.keys().filter(|id| !old.cases.contains_key(*id)).collect();
        let mut same: BTreeMap<(&str, &String), Vec<&String>> = BTreeMap::new();
        // A case is not renamed across types.
        for id in &added {
            same.entry((of_type(id), &new.cases[*id])).or_default().push(id);
        }
        for (id, digest) in &old.cases {
            if let Some(now) = new.cases.get(id) {
                if now != digest {
                    changes.changed.push(id.clone());
                }
                continue;
            }
            let alias = aliases.now(id);
            let same_test = || same.get_mut(&(of_type(id), digest)).and_then(Vec::pop).map(String::as_str);
            let Some(name) = Some(alias).filter(|alias| new.cases.contains_key(*alias)).or_else(same_test) else {
                changes.removed.push(id.clone());
                continue;
            };
            added.remove(&name.to_owned());
            changes.renamed.push((id.clone(), name.to_owned(), new.cases.get(name) == Some(digest)));
        }
        changes.added = added.into_iter().cloned().collect();
        changes
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { versions: [old, new], added, changed, renamed, removed } = self;
        writeln!(
            out,
            "corpus {old} → {new}: {} added, {} changed, {} renamed, {} removed",
            added.len(),
            changed.len(),
            renamed.len(),
            removed.len()
        )?;
        added.iter().try_for_each(|id| writeln!(out, "added    {id}"))?;
        changed.iter().try_for_each(|id| writeln!(out, "changed  {id}"))?;
        for (id, now, same) in renamed {
            writeln!(out, "renamed  {id} → {now}{}", if *same { "" } else { ", and changed" })?;
        }
        removed.iter().try_for_each(|id| writeln!(out, "removed  {id}"))
    }
}

/// Dialect and layout of a released id.
fn of_type(id: &str) -> &str {
    let (dialect, layout, _) = case_parts(id);
    &id[..(dialect.len() + 1 + layout.len()).min(id.len())]
}
