//! What changed from one corpus to another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Aliases, Released};

/// The cases that are not as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    versions: [String; 2],
    /// New ids.
    pub added: Vec<String>,
    /// Ids that ask something else.
    pub changed: Vec<String>,
    /// Old and new ids, and whether they ask the same.
    pub renamed: Vec<(String, String, bool)>,
    /// Ids that are no more.
    pub removed: Vec<String>,
}

impl Changes {
    /// Compares two corpora. Renamed is what the list of aliases says, and what asks the same under another name.
    pub fn between(old: &Released, new: &Released, aliases: &Aliases) -> Self {
        let mut changes = Self { versions: [old.version.clone(), new.version.clone()], ..Self::default() };
        let mut added: BTreeSet<&String> = new.cases.keys().filter(|id| !old.cases.contains_key(*id)).collect();
        let mut same: BTreeMap<(&str, &String), Vec<&String>> = BTreeMap::new();
        for id in &added {
            same.entry((home(id), &new.cases[*id])).or_default().push(id);
        }
        for (id, digest) in &old.cases {
            if let Some(now) = new.cases.get(id) {
                if now != digest {
                    changes.changed.push(id.clone());
                }
                continue;
            }
            let alias = aliases.now(id);
            let alike = || same.get_mut(&(home(id), digest)).and_then(Vec::pop).map(String::as_str);
            let Some(name) = Some(alias).filter(|alias| new.cases.contains_key(*alias)).or_else(alike) else {
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

/// Dialect and layout: a case is not found again in another.
fn home(id: &str) -> &str {
    id.match_indices('/').nth(1).map_or(id, |(at, _)| &id[..at])
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
