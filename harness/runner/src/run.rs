//! A run: every ask of some dialects, put to one implementation, judged and recorded.

mod again;
mod alone;
mod course;
mod detail;
mod recorder;
mod weigh;

use std::collections::BTreeSet;
use std::io::{self, Write};

use rayon::prelude::*;
use variant_specs::{Dialect, Reading, Specs};

use crate::judge::Judge;
use crate::results::{DialectPlan, Plan, SCHEMA, Selection, Writer};
use crate::resume::ResumeState;
use variant_corpus::findings::Tracker;
use variant_corpus::test::{Derivation, Test, tests_of};
use variant_corpus::{Class, Corpus, CorpusId, Smoke};
use variant_wire::diagnostic::Problem;
use variant_wire::glob::TestGlob;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Implementation, ImplementationError};
use variant_wire::interrupt::Interrupt;

use self::alone::Garbled;
use self::course::Course;
use self::recorder::{Ledger, Recorder};

/// How a record calls the asks of `smoke.txt`.
pub const SMOKE: &str = "--smoke";

/// What to run.
#[derive(Debug)]
pub struct Run<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The corpus.
    pub corpus: &'a Corpus,
    /// The names of the dialects.
    pub dialects: Vec<String>,
    /// Whose word counts.
    pub reading: Reading,
    /// Only asks that match.
    pub only: Option<TestGlob>,
    /// Only these asks.
    pub smoke: Option<Smoke>,
    /// Which derived asks are made.
    pub derivation: Derivation,
    /// Answers are being recorded, so they are not compared with those of the last time.
    pub recording: bool,
    /// How `conform run` names the implementation.
    pub implementation: String,
    /// The options beside it that ask the same again.
    pub options: String,
    /// A record of the same run that did not come to its end: what it says is not asked again.
    pub resume: Option<ResumeState>,
    /// Ends the run early, with a record that says so.
    pub interrupt: Interrupt,
}

/// Why a run did not end as it should.
#[derive(Debug)]
pub enum RunError {
    /// A file that a person wrote is wrong.
    Problem(Problem),
    /// The implementation could not be used.
    ImplementationError(ImplementationError),
    /// There is nothing to ask.
    Nothing(String),
    /// The earlier record is of another run: in what.
    OtherRun(String),
    /// The record could not be written.
    Record(io::Error),
}

/// What came of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Asks with an unexpected red verdict.
    pub red: usize,
    /// Asks with an amber verdict.
    pub amber: usize,
    /// Asks that were not run.
    pub not_run: usize,
    /// Asks that were executed.
    pub executed: usize,
    /// Expected failures that were not true.
    pub stale: usize,
    /// Whether all of the plan was executed.
    pub complete: bool,
}

/// The tests of a run, derived once, and the first line of its record.
#[derive(Debug)]
pub struct Planned<'a> {
    /// The first line of the record.
    pub plan: Plan,
    parts: Vec<Part<'a>>,
}

/// A dialect and its tests.
#[derive(Debug)]
struct Part<'a> {
    dialect: &'a Dialect,
    tests: Vec<Test>,
}

impl<'a> Run<'a> {
    /// Every test of these dialects, judged by what engines do, without an interruption.
    pub fn new(specs: &'a Specs, corpus: &'a Corpus, dialects: Vec<String>) -> Self {
        Self {
            specs,
            corpus,
            dialects,
            reading: Reading::Engine,
            only: None,
            smoke: None,
            derivation: Derivation::All,
            recording: false,
            implementation: String::new(),
            options: String::new(),
            resume: None,
            interrupt: Interrupt::default(),
        }
    }
}

impl Run<'_> {
    /// Plans the run and runs it, writing each verdict to `out` as it comes, and calling `progress` after each.
    ///
    /// # Errors
    /// [`RunError`]; what was recorded so far is in `out`.
    pub fn run(
        &self,
        implementation: &mut dyn Implementation,
        findings: &mut Tracker,
        out: impl Write,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Totals, RunError> {
        let planned = self.planned(implementation.handshake())?;
        self.run_planned(planned, implementation, findings, out, progress)
    }

    /// [`Run::run`], with the tests that [`Run::planned`] made for this implementation.
    ///
    /// # Errors
    /// [`RunError`]; what was recorded so far is in `out`.
    pub fn run_planned(
        &self,
        Planned { plan, parts }: Planned<'_>,
        implementation: &mut dyn Implementation,
        findings: &mut Tracker,
        out: impl Write,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Totals, RunError> {
        let handshake = implementation.handshake().clone();
        if let Some(resume) = &self.resume {
            resume.check(&plan, parts.iter().flat_map(|part| &part.tests)).map_err(RunError::OtherRun)?;
        }
        let mut course = Course::new(implementation, self.interrupt, progress, plan.tests);
        let mut ledger = Ledger::new(Writer::new(out, plan).map_err(RunError::Record)?, findings);
        for part in &parts {
            self.run_part(part, &handshake, &mut course, &mut ledger)?;
        }
        // A repetition says nothing while the first time is not over.
        if ledger.totals.not_run == 0 {
            weigh::weigh(self, &parts, &handshake, &mut course, &mut ledger)?;
            again::ask_again(self, &parts, &handshake, &mut course, &mut ledger)?;
        }
        let complete = ledger.totals.not_run == 0 && course.unusable.is_none();
        let totals = ledger.close(complete, self.is_whole(&handshake))?;
        match course.unusable {
            Some(unusable) if totals.executed == 0 && !self.interrupt.is_set() => {
                Err(RunError::ImplementationError(unusable))
            }
            Some(_) | None => Ok(totals),
        }
    }

    /// The tests of the run. Each is derived here, and only here.
    ///
    /// # Errors
    /// [`RunError::Problem`] in a case, [`RunError::Nothing`] where no test is left.
    pub fn planned(&self, handshake: &Handshake) -> Result<Planned<'_>, RunError> {
        let parts = self.parts(handshake)?;
        Ok(Planned { plan: self.header(handshake, &parts), parts })
    }

    fn run_part<W: Write>(
        &self,
        part: &Part<'_>,
        handshake: &Handshake,
        course: &mut Course<'_>,
        ledger: &mut Ledger<'_, W>,
    ) -> Result<(), RunError> {
        let mut recorder = self.recorder(part.dialect, handshake, ledger);
        let left: Vec<&Test> = part.tests.iter().filter(|test| !recorder.is_settled(test)).collect();
        course.passed_over(part.tests.len() - left.len());
        let mut garbled = Garbled::default();
        course.send(&left, &mut |test, outcome| match garbled.keep(test, outcome) {
            Some(outcome) => recorder.record(test, &outcome),
            None => true,
        });
        garbled.settle(course, &mut |test, outcome| {
            recorder.record(test, &outcome);
        });
        recorder.check()
    }

    fn recorder<'r, 'e, W: Write>(
        &'r self,
        dialect: &'r Dialect,
        handshake: &'r Handshake,
        ledger: &'r mut Ledger<'e, W>,
    ) -> Recorder<'r, 'e, W> {
        Recorder { run: self, judge: Judge::new(dialect, self.reading, &handshake.lossy), handshake, ledger }
    }

    /// Whether all is asked that there is to ask: of a part it is not known whether a list of failures is true.
    fn is_whole(&self, handshake: &Handshake) -> bool {
        let spoken = self.specs.dialects.iter().filter(|dialect| handshake.dialects.contains(&dialect.name));
        self.selected().is_none()
            && self.derivation == Derivation::All
            && spoken.map(|dialect| &dialect.name).all(|name| self.dialects.contains(name))
    }

    /// The asks of each dialect.
    fn parts(&self, handshake: &Handshake) -> Result<Vec<Part<'_>>, RunError> {
        let dialects: Vec<&Dialect> = self.dialects.iter().filter_map(|name| self.specs.dialect(name)).collect();
        let parts: Vec<Result<Part<'_>, Problem>> =
            dialects.into_par_iter().map(|dialect| self.part(dialect, handshake)).collect();
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>().map_err(RunError::Problem)?;
        if parts.iter().all(|part| part.tests.is_empty()) {
            let only = self.selected().map(|only| format!(" that matches {only:?}; `conform list` prints every ask"));
            return Err(RunError::Nothing(format!(
                "there is nothing to ask in {}{}",
                self.dialects.join(", "),
                only.unwrap_or_default()
            )));
        }
        Ok(parts)
    }

    /// What is asked where that is not everything.
    fn selected(&self) -> Option<&str> {
        let smoke = self.smoke.as_ref().map(|_| SMOKE);
        self.only.as_ref().map(TestGlob::written).or(smoke)
    }

    fn part<'r>(&'r self, dialect: &'r Dialect, handshake: &Handshake) -> Result<Part<'r>, Problem> {
        let wanted = |case: &str| {
            self.smoke.as_ref().is_none_or(|smoke| smoke.has_case(case))
                && self.only.as_ref().is_none_or(|only| only.can_match(case))
        };
        let mut tests = tests_of(self.corpus, self.specs, dialect, self.reading, self.derivation, &wanted)?;
        reencode_where_that_is_all(&mut tests, handshake);
        if let Some(only) = &self.only {
            tests.retain(|test| {
                only.is_match(&test.id) || only.is_match(&again::id(test)) || only.is_match(&weigh::id(test))
            });
        }
        if let Some(smoke) = &self.smoke {
            tests.retain(|test| smoke.has(&test.id));
        }
        Ok(Part { dialect, tests })
    }

    fn header(&self, handshake: &Handshake, parts: &[Part<'_>]) -> Plan {
        let dialect_plan = |part: &Part<'_>| {
            let Part { dialect, .. } = part;
            let types = dialect.types.iter().map(|entry| dialect.layout(entry).name.clone()).collect();
            DialectPlan { name: dialect.name.clone(), types }
        };
        let texts: BTreeSet<(&str, &str)> = parts
            .iter()
            .flat_map(|part| &part.tests)
            .map(|test| (test.file.as_ref(), test.case.name.as_str()))
            .collect();
        Plan {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            corpus: CorpusId { version: self.corpus.version.clone(), digest: self.corpus.digest.clone() },
            reading: self.reading.name().to_owned(),
            selection: Selection {
                only: self.selected().map(str::to_owned),
                derived: self.derivation != Derivation::None,
            },
            dialects: parts.iter().map(dialect_plan).collect(),
            handshake: handshake.clone(),
            implementation: self.implementation.clone(),
            options: self.options.clone(),
            tests: parts.iter().map(|part| part.tests.len()).sum(),
            texts: texts.len(),
        }
    }
}

/// An implementation that can only reencode is asked that of every canonical case, and of every packet that must be
/// refused: what comes back whole from everything has looked at nothing.
fn reencode_where_that_is_all(tests: &mut [Test], handshake: &Handshake) {
    if handshake.ops != [Op::Reencode] {
        return;
    }
    let refused = |test: &Test| test.op == Op::Decode && test.expected.class == Class::Invalid;
    for test in tests.iter_mut().filter(|test| test.op == Op::Encode || refused(test)) {
        if test.expected.packet.is_none() {
            continue;
        }
        test.id = test.id.replace(&format!(":{}", test.op.name()), ":reencode");
        test.op = Op::Reencode;
    }
}
