//! A dialect under a reading, with everything that a person wrote about it.

use std::collections::BTreeSet;

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::mutant::{Mutant, Scope};
use variant_corpus::Corpus;
use variant_corpus::test::{Derivation, Test, tests};
use variant_corpus::verdict::Severity;
use variant_runner::judge::Judge;
use variant_wire::diagnostic::Problem;
use variant_wire::implementation::Request;
use variant_wire::reference;

/// A dialect under a reading, and what is asked in it.
#[derive(Debug)]
pub struct World<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Whose word counts.
    pub reading: Reading,
    /// What is asked, in order.
    pub tests: Vec<(Test, Request)>,
    /// The ids of asks whose headers are bytes that a person wrote.
    literal: BTreeSet<String>,
    /// The ids of asks that take much longer than all others.
    heavy: BTreeSet<String>,
    judge: Judge<'a>,
    codec: Codec,
}

/// A packet of more bytes is a heavy one.
const HEAVY: usize = 1024;

/// A case that notices a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bite {
    /// The ask.
    pub test: String,
    /// It is no more than a warning: the case is good practice only.
    pub amber: bool,
}

impl<'a> World<'a> {
    /// What is asked in this dialect.
    ///
    /// # Errors
    /// A case that does not belong in the dialect, or that the reference codec itself does not pass.
    pub fn new(specs: &Specs, corpus: &Corpus, dialect: &'a Dialect, reading: Reading) -> Result<Self, Problem> {
        let shared: BTreeSet<&str> =
            corpus.files.iter().filter(|file| file.is_shared()).map(|file| file.path.as_str()).collect();
        let tests = tests(corpus, specs, dialect, reading, Derivation::None)?;
        let literal =
            tests.iter().filter(|test| !shared.contains(test.file.as_ref())).map(|test| test.id.clone()).collect();
        let length = |test: &Test| test.expected.packet.as_ref().map_or(0, |packet| packet.bytes.len());
        let heavy = tests.iter().filter(|test| length(test) > HEAVY).map(|test| test.id.clone()).collect();
        let tests = tests.into_iter().filter_map(|test| test.request().map(|request| (test, request))).collect();
        let (judge, codec) = (Judge::new(dialect, reading, &[]), Codec::new(dialect, reading));
        let world = Self { dialect, reading, tests, literal, heavy, judge, codec };
        world.check()?;
        Ok(world)
    }

    /// What the reference codec itself does not pass would notice every mutant.
    fn check(&self) -> Result<(), Problem> {
        for (test, request) in &self.tests {
            let finding = self.judge.judge(test, &reference::answer(&self.codec, request).into());
            if finding.severity(test) >= Severity::Amber {
                let message = format!(
                    "the reference codec does not pass {}; `conform run --only '{}'` says why",
                    test.id, test.id
                );
                return Err(Problem { file: test.file.to_string(), line: test.case.line, message });
            }
        }
        Ok(())
    }

    /// The asks that notice a mutant. The heavy ones are only asked where no other does.
    pub fn bites(&self, mutant: &Mutant) -> Vec<Bite> {
        let bites = self.bites_of(mutant, |test| !self.heavy.contains(&test.id));
        if bites.is_empty() { self.bites_of(mutant, |_| true) } else { bites }
    }

    /// The asks that notice a mutant, of those that are `asked`, and no others.
    pub fn bites_of(&self, mutant: &Mutant, asked: impl Fn(&Test) -> bool) -> Vec<Bite> {
        let mut subject = mutant.subject(&self.codec, self.reading);
        let mut bites = Vec::new();
        for (test, request) in &self.tests {
            if !self.concerns(mutant, test) || !asked(test) {
                continue;
            }
            let finding = self.judge.judge(test, &subject.answer(request).into());
            let severity = finding.severity(test);
            if severity >= Severity::Amber {
                bites.push(Bite { test: test.id.clone(), amber: severity == Severity::Amber });
            }
        }
        bites
    }

    /// Whether an ask could notice a mutant at all.
    fn concerns(&self, mutant: &Mutant, test: &Test) -> bool {
        let about = || mutant.about.iter().any(|layout| test.layouts.contains(layout));
        match mutant.scope {
            Scope::Anything => true,
            Scope::Layouts => about(),
            Scope::LiteralHeaders => self.literal.contains(&test.id) && about(),
        }
    }
}
