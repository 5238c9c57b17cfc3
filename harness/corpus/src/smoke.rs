//! The list of `conform run --smoke`: a small set of tests that together notice every mutant.

use std::collections::BTreeSet;

/// Asks that notice every mutant, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Smoke {
    tests: BTreeSet<String>,
}

/// What stands above the list.
const HEAD: &str =
    "# The asks of `conform run --smoke`: together they notice every mutant that the corpus notices at all.
# Written by `conform selftest --write-smoke`, never by hand.
";

impl Smoke {
    /// Reads the list: an ask a line.
    pub fn parse(text: &str) -> Self {
        let tests = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { tests: tests.map(str::to_owned).collect() }
    }

    /// The list, as it is written.
    pub fn write(&self) -> String {
        self.tests.iter().fold(HEAD.to_owned(), |text, test| text + test + "\n")
    }

    /// Whether an ask is one of them.
    pub fn has(&self, test: &str) -> bool {
        self.tests.contains(test)
    }

    /// Whether any ask of a case is one of them.
    pub fn has_case(&self, case: &str) -> bool {
        let begins = |with: String| self.tests.range(with.clone()..).next().is_some_and(|test| test.starts_with(&with));
        [':', '~'].into_iter().any(|end| begins(format!("{case}{end}")))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Adds tests by their ids.
    pub fn extend(&mut self, tests: impl IntoIterator<Item = String>) {
        self.tests.extend(tests);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }
}
