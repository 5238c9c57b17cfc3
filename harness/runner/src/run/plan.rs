//! What a run is of: its tests, and the first line of its record.

use std::collections::{BTreeSet, HashSet};
use std::io;

use rayon::prelude::*;
use thiserror::Error;
use variant_corpus::test::{Rule, Test, TestId, Variants, tests};
use variant_corpus::{Class, Corpus};
use variant_specs::{Dialect, JudgedBy, Shape, Specs};
use variant_values::diagnostic::Problem;
use variant_values::glob::TestGlob;
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::ImplementationError;
use variant_values::interrupt::Interrupt;

use crate::judge::Judge;
use crate::results::{DialectPlan, FindingRecord, Plan, SCHEMA, Selection};

/// Which tests to run and how to judge them, for [`Run::run`].
#[derive(Debug)]
pub struct Run<'a> {
    pub specs: &'a Specs,
    pub corpus: &'a Corpus,
    /// The names of the dialects to test, like `godot-3`.
    pub dialects: Vec<String>,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// Run only tests whose id matches; `None` for all.
    pub only: Option<TestGlob>,
    pub variants: Variants,
    /// Answers are being recorded, so they are not compared with the recorded ones.
    pub recording: bool,
    /// The implementation as an argument of `conform run`.
    pub implementation: String,
    /// The other options of `conform run` that repeat this run.
    pub options: String,
    /// What is known of the implementation, which is recorded with its results.
    pub known: Vec<FindingRecord>,
    /// Ends the run early, with a record that is marked as incomplete.
    pub interrupt: Interrupt,
}

#[derive(Debug, Error)]
pub enum RunError {
    /// A file that a person wrote is wrong.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The implementation could not be used.
    #[error(transparent)]
    ImplementationError(#[from] ImplementationError),
    /// There is nothing to test; the sentence says where.
    #[error("{0}")]
    Nothing(String),
    /// The record could not be written.
    #[error("the record cannot be written: {0}")]
    Record(#[from] io::Error),
}

/// The tests of a run, made once, and the first line of its record.
#[derive(Debug)]
pub struct Planned<'a> {
    pub plan: Plan,
    pub(super) parts: Vec<DialectTests<'a>>,
}

#[derive(Debug)]
pub(super) struct DialectTests<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) tests: Vec<Test>,
}

impl<'a> Run<'a> {
    /// Every test of these dialects, judged by what engines do, without an interruption.
    pub fn new(specs: &'a Specs, corpus: &'a Corpus, dialects: Vec<String>) -> Self {
        Self {
            specs,
            corpus,
            dialects,
            judged_by: JudgedBy::Engines,
            only: None,
            variants: Variants::All,
            recording: false,
            implementation: String::new(),
            options: String::new(),
            known: Vec::new(),
            interrupt: Interrupt::default(),
        }
    }

    /// The run that a record is of, with the tests of this corpus.
    pub fn recorded(specs: &'a Specs, corpus: &'a Corpus, plan: &Plan) -> Self {
        let Selection { only, variants } = &plan.selection;
        Self {
            judged_by: plan.judged_by,
            only: only.as_ref().and_then(|only| TestGlob::new(only).ok()),
            variants: if *variants { Variants::All } else { Variants::None },
            ..Self::new(specs, corpus, plan.dialects.iter().map(|dialect| dialect.name.clone()).collect())
        }
    }
}

impl Run<'_> {
    /// The tests of the run. Each is made here, and only here.
    ///
    /// # Errors
    /// [`RunError::Problem`] if a case is wrong, [`RunError::Nothing`] if no test is left.
    pub fn planned<'r>(&'r self, handshake: &'r Handshake) -> Result<Planned<'r>, RunError> {
        let parts = self.parts(handshake)?;
        Ok(Planned { plan: self.header(handshake, &parts), parts })
    }

    /// The tests of the run that a record is of. They are those of this corpus, which may be another.
    ///
    /// # Errors
    /// [`RunError::Problem`] if a case is wrong.
    pub fn tests_of(&self, plan: &Plan) -> Result<Vec<Test>, RunError> {
        match self.parts(&plan.handshake) {
            Ok(parts) => Ok(parts.into_iter().flat_map(|part| part.tests).collect()),
            Err(RunError::Nothing(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Whether every test of the implementation is run: only then is it known which findings are no longer true.
    pub fn is_whole(&self, handshake: &Handshake) -> bool {
        let spoken = self.specs.dialects.iter().filter(|dialect| handshake.dialects.contains(&dialect.name));
        self.only.is_none()
            && self.variants == Variants::All
            && spoken.map(|dialect| &dialect.name).all(|name| self.dialects.contains(name))
    }

    fn parts<'r>(&'r self, handshake: &'r Handshake) -> Result<Vec<DialectTests<'r>>, RunError> {
        let dialects: Vec<&Dialect> = self.dialects.iter().filter_map(|name| self.specs.dialect(name)).collect();
        // The error of the first dialect that has one, whichever thread is first.
        let parts: Vec<_> = dialects.par_iter().map(|dialect| self.part(dialect, handshake)).collect();
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        if parts.iter().all(|part| part.tests.is_empty()) {
            let only = self.only.as_ref().map(|only| {
                let only = only.written();
                let known = dialects.iter().find_map(|dialect| dialect.an_example(Shape::Fields)).unwrap_or("packet");
                let hint =
                    format!("a test is DIALECT/TYPE/CASE:OPERATION, and only `**` goes beyond a `/`: '*/{known}/**'");
                format!(" that matches {only:?} ({hint}); `conform list` prints every test")
            });
            let (dialects, only) = (self.dialects.join(", "), only.unwrap_or_default());
            return Err(RunError::Nothing(format!("there is nothing to test in {dialects}{only}")));
        }
        Ok(parts)
    }

    fn part<'r>(&'r self, dialect: &'r Dialect, handshake: &'r Handshake) -> Result<DialectTests<'r>, Problem> {
        let mut tests = match &self.only {
            Some(only) if !only.can_match_in(&dialect.name) => Vec::new(),
            Some(_) | None => tests(self.corpus, self.specs, dialect, self.judged_by, self.variants)?,
        };
        reencode_where_that_is_all(&mut tests, handshake);
        if let Some(engine) = &handshake.engine {
            tests.iter_mut().for_each(|test| test.for_engine(engine));
        }
        if let Some(only) = &self.only {
            let checks = [Rule::AskedAgain, Rule::Grown, Rule::Alone, Rule::Exit];
            let is_checked = |test: &Test| checks.iter().any(|rule| self.selects(test, *rule));
            tests.retain(|test| only.is_match(&test.id) || is_checked(test));
        }
        Ok(DialectTests { judge: Judge::for_claims(dialect, self.judged_by, handshake), tests })
    }

    pub(super) fn selects(&self, test: &Test, check: Rule) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(&test.id.by(check)))
    }

    fn header(&self, handshake: &Handshake, parts: &[DialectTests<'_>]) -> Plan {
        let tests = parts.iter().flat_map(|part| &part.tests);
        let texts: BTreeSet<(&str, &str)> = tests.map(|test| (&*test.file, test.case.name.as_str())).collect();
        Plan {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            corpus: self.corpus.id(),
            judged_by: self.judged_by,
            campaign: None,
            selection: Selection {
                only: self.only.as_ref().map(|only| only.written().to_owned()),
                variants: self.variants == Variants::All,
            },
            dialects: parts.iter().map(|part| DialectPlan::of(part.judge.dialect)).collect(),
            handshake: handshake.clone(),
            implementation: self.implementation.clone(),
            options: self.options.clone(),
            tests: parts.iter().map(|part| part.tests.len()).sum(),
            texts: texts.len(),
        }
    }
}

/// A check of a test: the same test by another name.
pub(super) fn checking(test: &Test, check: Rule) -> Test {
    Test { id: test.id.by(check), rule: Some(check), ..test.clone() }
}

/// An implementation that can only reencode gets every canonical case as a packet, and every packet that must be
/// refused: otherwise it could pass by returning all packets unread.
pub fn reencode_where_that_is_all(tests: &mut Vec<Test>, handshake: &Handshake) {
    if handshake.ops != [Op::Reencode] {
        return;
    }
    // What only an encoder can be sent is lost on the way through a decoder. What is decoded and sent on is sent anyway.
    tests.retain(|test| !test.case.encode && (test.rule != Some(Rule::SentOn) || test.sent.is_some()));
    let refused = |test: &Test| test.op == Op::Decode && test.expected.class == Class::Invalid;
    let mut made: HashSet<TestId> =
        tests.iter().filter(|test| test.op == Op::Reencode).map(|test| test.id.clone()).collect();
    for test in tests.iter_mut().filter(|test| test.op == Op::Encode || refused(test)) {
        let id = test.id.with(Op::Reencode);
        if test.expected.packet.is_some() && made.insert(id.clone()) {
            (test.id, test.op) = (id, Op::Reencode);
        }
    }
}
