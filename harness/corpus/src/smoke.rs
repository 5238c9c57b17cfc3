//! The list of `conform run --smoke`: a small set of tests that together detect every mutant.

use std::collections::BTreeSet;

/// Tests that together detect every mutant, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Smoke {
    tests: BTreeSet<String>,
}

/// The comment above the list.
const HEAD: &str =
    "# The tests of `conform run --smoke`: together they detect every mutant that the corpus detects at all.
# Written by `conform selftest --write-smoke`, never by hand.
";

impl Smoke {
    /// Reads the list: one test id per line; empty lines and lines with `#` are skipped.
    pub fn parse(text: &str) -> Self {
        let tests = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { tests: tests.map(str::to_owned).collect() }
    }

    /// The text of the list, with its comment.
    pub fn write(&self) -> String {
        self.tests.iter().fold(HEAD.to_owned(), |text, test| text + test + "\n")
    }

    /// Whether a test is in the list.
    pub fn has(&self, test: &str) -> bool {
        self.tests.contains(test)
    }

    /// Whether any test of a case is in the list.
    pub fn has_case(&self, case: &str) -> bool {
        let begins = |with: String| self.tests.range(with.clone()..).next().is_some_and(|test| test.starts_with(&with));
        [':', '~'].into_iter().any(|end| begins(format!("{case}{end}")))
    }

    /// The number of tests.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Adds tests by their ids.
    pub fn extend(&mut self, tests: impl IntoIterator<Item = String>) {
        self.tests.extend(tests);
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }
}
