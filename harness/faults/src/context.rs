//! A dialect by one judge, with every test of a case of it.

use std::collections::BTreeSet;

use variant_codec::Codec;
use variant_specs::{Dialect, JudgedBy, Specs};

use super::fault::{Codecs, Fault, RequestHistory, answer};
use variant_corpus::Corpus;
use variant_corpus::test::{Test, Variants, tests};
use variant_corpus::verdict::Severity;
use variant_runner::judge::Judge;
use variant_values::diagnostic::Problem;
use variant_values::implementation::Request;
use variant_values::reference;

/// A dialect by one judge, and its tests.
#[derive(Debug)]
pub struct Context<'a> {
    /// The dialect of the tests.
    pub dialect: &'a Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// The tests of cases, in the order in which they run.
    pub tests: Vec<(Test, Request)>,
    /// The ids of tests whose headers are literal bytes.
    literal: BTreeSet<String>,
    judge: Judge<'a>,
    codec: Codec,
}

/// Tests with more bytes than this run only where no other test kills a mutant: they take much longer than all others.
const HEAVY: usize = 1024;

/// A test that detects a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kill {
    /// The id of the test.
    pub test: String,
    /// [`Severity::Failure`] for a failure, [`Severity::Warning`] for a warning.
    pub severity: Severity,
}

impl<'a> Context<'a> {
    /// Loads the tests of cases of a dialect.
    ///
    /// # Errors
    /// A case does not belong in the dialect, or the reference codec does not pass it: such a case would kill every
    /// mutant of the dialect.
    pub fn new(specs: &Specs, corpus: &Corpus, dialect: &'a Dialect, judged_by: JudgedBy) -> Result<Self, Problem> {
        let shared: BTreeSet<&str> =
            corpus.files.iter().filter(|file| file.is_shared()).map(|file| file.path.as_str()).collect();
        let tests = tests(corpus, specs, dialect, judged_by, Variants::None)?;
        let literal =
            tests.iter().filter(|test| !shared.contains(test.file.as_ref())).map(|test| test.id.to_string()).collect();
        let tests: Vec<(Test, Request)> =
            tests.into_iter().filter_map(|test| test.request().map(|request| (test, request))).collect();
        let (judge, codec) = (Judge::new(dialect, judged_by), Codec::new(dialect, judged_by));
        for (test, request) in &tests {
            if judge.judge(test, &reference::answer(&codec, request).into()).severity(test) >= Severity::Warning {
                let message = format!(
                    "the reference codec does not pass {}; `conform lint` says why, with the same --spec",
                    test.id
                );
                return Err(Problem { file: test.file.to_string(), line: test.case.line, message });
            }
        }
        Ok(Self { dialect, judged_by, tests, literal, judge, codec })
    }

    /// The tests that kill a mutant. Heavy ones run only where no other does.
    pub fn kills(&self, mutant: &Fault) -> Vec<Kill> {
        let light = |test: &Test| test.expected.packet.as_ref().is_none_or(|packet| packet.bytes.len() <= HEAVY);
        let kills = self.kills_among(mutant, light);
        if kills.is_empty() { self.kills_among(mutant, |_| true) } else { kills }
    }

    /// The tests that kill a mutant where only the `selected` ones run.
    pub(crate) fn kills_among(&self, mutant: &Fault, selected: impl Fn(&Test) -> bool) -> Vec<Kill> {
        let (parts, mut history) = ([mutant.part()], RequestHistory::default());
        let codecs = Codecs::new(&parts, &self.codec, self.dialect, self.judged_by);
        let mut kills = Vec::new();
        for (test, request) in self.tests.iter().filter(|(test, _)| self.can_kill(test, mutant) && selected(test)) {
            let answer = answer(&parts, &codecs, &mut history, request);
            let severity = self.judge.judge(test, &answer.into()).severity(test);
            if severity >= Severity::Warning {
                kills.push(Kill { test: test.id.to_string(), severity });
            }
        }
        kills
    }

    /// Whether a test kills a mutant whatever was sent before: as the first request, and after itself.
    pub(crate) fn always_shows(&self, mutant: &Fault, test: &Test, request: &Request) -> bool {
        let (parts, mut history) = ([mutant.part()], RequestHistory::default());
        let codecs = Codecs::new(&parts, &self.codec, self.dialect, self.judged_by);
        let mut shows = || {
            let answer = answer(&parts, &codecs, &mut history, request);
            self.judge.judge(test, &answer.into()).severity(test) >= Severity::Warning
        };
        shows() && shows()
    }

    fn can_kill(&self, test: &Test, mutant: &Fault) -> bool {
        let is_about = mutant.about.is_empty() || mutant.about.iter().any(|layout| test.layouts.contains(layout));
        is_about && (!mutant.in_ids || self.literal.contains(test.id.as_str()))
    }
}
