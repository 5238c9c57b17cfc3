//! The id of a test.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use variant_values::handshake::Op;

use super::rule::Rule;

/// The id of a test: `godot-3/vector2/zero~truncated-at-4:decode`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestId {
    text: Arc<str>,
    op: Op,
    /// Where in it the dialect, the layout and the case end.
    ends: [usize; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestParts<'a> {
    /// The id of the case: `godot-3/vector2/zero`.
    pub case: &'a str,
    /// Dialect and layout: `godot-3/vector2`.
    pub of: &'a str,
    pub dialect: &'a str,
    /// The name of the layout, or what stands for all types.
    pub layout: &'a str,
    pub name: &'a str,
    /// The rule by which it follows from the case; `None` for the test of a case.
    pub rule: Option<&'a str>,
    pub op: Op,
}

impl<'a> TestParts<'a> {
    /// The rule by which it follows from the case, and those under which that test was sent again.
    pub fn rules(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.rule.into_iter().flat_map(|rule| rule.split('~'))
    }

    /// The last of them.
    pub fn last_rule(&self) -> Option<Rule> {
        self.rules().next_back().and_then(Rule::of)
    }

    /// The layout of the container into which its value was put: that of `~in-array` is `array`.
    pub fn container(&self) -> Option<&'a str> {
        self.rules().next()?.strip_prefix("in-")
    }
}

impl TestId {
    /// The id of a test of a case; `rule` is what follows `~` in that of a variant.
    pub fn new(dialect: &str, layout: &str, name: &str, rule: Option<&str>, op: Op) -> Self {
        let rule = rule.map(|rule| format!("~{rule}")).unwrap_or_default();
        let text = format!("{dialect}/{layout}/{name}{rule}:{}", op.name()).into();
        let layout_ends = dialect.len() + 1 + layout.len();
        Self { text, op, ends: [dialect.len(), layout_ends, layout_ends + 1 + name.len()] }
    }

    /// The id of the same test under one more rule.
    #[must_use]
    pub fn by(&self, rule: Rule) -> Self {
        let TestParts { dialect, layout, name, rule: known, .. } = self.parts();
        let known = known.map(|known| format!("{known}~")).unwrap_or_default();
        Self::new(dialect, layout, name, Some(&format!("{known}{}", rule.name())), self.op)
    }

    /// The id of the test that was sent again under this one.
    pub fn repeated(&self) -> Option<Self> {
        let TestParts { dialect, layout, name, rule, .. } = self.parts();
        let known = rule?.rsplit_once('~').map(|(known, _)| known);
        Some(Self::new(dialect, layout, name, known, self.op))
    }

    /// The id of the same test with another operation.
    #[must_use]
    pub fn with(&self, op: Op) -> Self {
        let TestParts { dialect, layout, name, rule, .. } = self.parts();
        Self::new(dialect, layout, name, rule, op)
    }

    pub fn parts(&self) -> TestParts<'_> {
        let ([dialect, layout, case], path) = (self.ends, self.path());
        TestParts {
            case: &path[..case],
            of: &path[..layout],
            dialect: &path[..dialect],
            layout: &path[dialect + 1..layout],
            name: &path[layout + 1..case],
            rule: path.get(case + 1..),
            op: self.op,
        }
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// All but the operation.
    pub fn path(&self) -> &str {
        &self.text[..self.text.len() - self.op.name().len() - 1]
    }
}

impl FromStr for TestId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (path, op) = text.rsplit_once(':')?;
            let op: Op = op.parse().ok()?;
            let case = path.find('~').unwrap_or(path.len());
            let mut slashes = path[..case].match_indices('/').map(|(at, _)| at);
            Some(Self { text: text.into(), op, ends: [slashes.next()?, slashes.next()?, case] })
        };
        parse().ok_or_else(|| format!("{text:?} is not the id of a test, DIALECT/TYPE/CASE:OPERATION"))
    }
}

impl Deref for TestId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq<str> for TestId {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}

impl PartialEq<&str> for TestId {
    fn eq(&self, other: &&str) -> bool {
        *self.text == **other
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(to)
    }
}

impl fmt::Debug for TestId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, to)
    }
}

impl Serialize for TestId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for TestId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Dialect, layout and name of a case, by its id: `godot-3/vector2/zero`. What it lacks is empty.
pub fn case_parts(id: &str) -> (&str, &str, &str) {
    let (dialect, rest) = id.split_once('/').unwrap_or((id, ""));
    let (layout, name) = rest.split_once('/').unwrap_or((rest, ""));
    (dialect, layout, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_its_parts_and_is_printed_as_it_was() {
        for (text, rule) in [
            ("godot-3/vector2/zero:encode", None),
            ("godot-3+double/vector2/zero~truncated-at-4~alone:encode", Some("truncated-at-4~alone")),
        ] {
            let id: TestId = text.parse().unwrap();
            let parts = id.parts();
            assert_eq!((parts.layout, parts.name, parts.rule, parts.op), ("vector2", "zero", rule, Op::Encode));
            assert_eq!(id.to_string(), text);
        }
        for wrong in ["nonsense", "a/b:decode", "a/b/c:read", "a/b/c"] {
            assert!(wrong.parse::<TestId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_repeated_test_is_that_without_the_last_rule() {
        let id: TestId = "a/b/c~flag-9:decode".parse().unwrap();
        assert_eq!(id.by(Rule::Alone), "a/b/c~flag-9~alone:decode");
        assert_eq!(id.by(Rule::Alone).repeated(), Some(id));
    }
}
