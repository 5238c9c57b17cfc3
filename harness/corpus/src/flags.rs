//! `flags.yaml`: what each flag means.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::source::Source;
use variant_wire::diagnostic::Problem;

/// Reads `flags.yaml`.
pub(super) fn load(source: &Source) -> Result<Vec<(String, String)>, Problem> {
    let Words(flags) = serde_yaml::from_str(&source.text).map_err(|error| Problem::of_yaml(&source.shown, &error))?;
    let mut seen = BTreeSet::new();
    for (flag, _) in &flags {
        if !seen.insert(flag) {
            let message = format!("flag {flag} is described twice");
            return Err(Problem { file: source.shown.clone(), line: 0, message });
        }
    }
    Ok(flags)
}

/// A map of words, in order.
struct Words(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordsVisitor;
        impl<'de> Visitor<'de> for WordsVisitor {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of flags and what they mean")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Words, A::Error> {
                let mut words = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    words.push(pair);
                }
                Ok(Words(words))
            }
        }
        deserializer.deserialize_map(WordsVisitor)
    }
}
