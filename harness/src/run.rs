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

use crate::ask::{Ask, Derivation, asks_of};
use crate::corpus::{Class, Corpus};
use crate::earlier::Earlier;
use crate::findings::Tracker;
use crate::glob::AskGlob;
use crate::hello::{Hello, Op};
use crate::implementation::{Implementation, Unusable};
use crate::interrupt::Interrupt;
use crate::judge::Judge;
use crate::problem::Problem;
use crate::results::{CorpusId, DialectPlan, Plan, SCHEMA, Selection, Writer};
use crate::selftest::Smoke;

use self::alone::Garbled;
use self::course::Course;
use self::recorder::{Ledger, Recorder};

/// How a record calls the asks of `smoke.txt`.
pub(crate) const SMOKE: &str = "--smoke";

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
    pub only: Option<AskGlob>,
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
    pub earlier: Option<Earlier>,
    /// Ends the run early, with a record that says so.
    pub interrupt: Interrupt,
}

/// Why a run did not end as it should.
#[derive(Debug)]
pub enum RunError {
    /// A file that a person wrote is wrong.
    Problem(Problem),
    /// The implementation could not be used.
    Unusable(Unusable),
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
    /// Rows of findings that were not true, and recorded answers that were not given again.
    pub stale: usize,
    /// Whether all of the plan was executed.
    pub complete: bool,
}

/// A dialect and all that is to be asked in it.
struct Part<'a> {
    dialect: &'a Dialect,
    asks: Vec<Ask>,
}

impl Run<'_> {
    /// Runs everything, writing each verdict to `out` as it comes, and telling `progress` of each.
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
        let hello = implementation.hello().clone();
        let parts = self.plan(&hello)?;
        let plan = self.header(&hello, &parts);
        if let Some(earlier) = &self.earlier {
            earlier.check(&plan, parts.iter().flat_map(|part| &part.asks)).map_err(RunError::OtherRun)?;
        }
        let mut course = Course::new(implementation, self.interrupt, progress, plan.asks);
        let mut ledger = Ledger::new(Writer::new(out, plan).map_err(RunError::Record)?, findings);
        for part in &parts {
            self.run_part(part, &hello, &mut course, &mut ledger)?;
        }
        // A repetition says nothing while the first time is not over.
        if ledger.totals.not_run == 0 {
            weigh::weigh(self, &parts, &hello, &mut course, &mut ledger)?;
            again::ask_again(self, &parts, &hello, &mut course, &mut ledger)?;
        }
        let complete = ledger.totals.not_run == 0 && course.unusable.is_none();
        let totals = ledger.close(complete, self.is_whole(&hello))?;
        match course.unusable {
            Some(unusable) if totals.executed == 0 && !self.interrupt.is_set() => Err(RunError::Unusable(unusable)),
            Some(_) | None => Ok(totals),
        }
    }

    /// What would be asked, as its record's first line says it.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn planned(&self, hello: &Hello) -> Result<Plan, RunError> {
        Ok(self.header(hello, &self.plan(hello)?))
    }

    fn run_part<W: Write>(
        &self,
        part: &Part<'_>,
        hello: &Hello,
        course: &mut Course<'_>,
        ledger: &mut Ledger<'_, W>,
    ) -> Result<(), RunError> {
        let mut recorder = self.recorder(part.dialect, hello, ledger);
        let left: Vec<&Ask> = part.asks.iter().filter(|ask| !recorder.is_settled(ask)).collect();
        course.passed_over(part.asks.len() - left.len());
        let mut garbled = Garbled::default();
        course.ask(&left, &mut |ask, outcome| match garbled.keep(ask, outcome) {
            Some(outcome) => recorder.record(ask, &outcome),
            None => true,
        });
        garbled.settle(course, &mut |ask, outcome| {
            recorder.record(ask, &outcome);
        });
        recorder.check()
    }

    fn recorder<'r, 'e, W: Write>(
        &'r self,
        dialect: &'r Dialect,
        hello: &'r Hello,
        ledger: &'r mut Ledger<'e, W>,
    ) -> Recorder<'r, 'e, W> {
        Recorder { run: self, judge: Judge::new(dialect, self.reading, &hello.lossy), hello, ledger }
    }

    /// Whether all is asked that there is to ask: of a part it is not known whether a list of failures is true.
    fn is_whole(&self, hello: &Hello) -> bool {
        let spoken = self.specs.dialects.iter().filter(|dialect| hello.dialects.contains(&dialect.name));
        self.selected().is_none()
            && self.derivation == Derivation::All
            && spoken.map(|dialect| &dialect.name).all(|name| self.dialects.contains(name))
    }

    /// The asks of each dialect.
    fn plan(&self, hello: &Hello) -> Result<Vec<Part<'_>>, RunError> {
        let dialects: Vec<&Dialect> = self.dialects.iter().filter_map(|name| self.specs.dialect(name)).collect();
        let parts: Vec<Result<Part<'_>, Problem>> =
            dialects.into_par_iter().map(|dialect| self.part(dialect, hello)).collect();
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>().map_err(RunError::Problem)?;
        if parts.iter().all(|part| part.asks.is_empty()) {
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
        self.only.as_ref().map(AskGlob::written).or(smoke)
    }

    fn part<'r>(&'r self, dialect: &'r Dialect, hello: &Hello) -> Result<Part<'r>, Problem> {
        let wanted = |case: &str| {
            self.smoke.as_ref().is_none_or(|smoke| smoke.has_case(case))
                && self.only.as_ref().is_none_or(|only| only.can_match(case))
        };
        let mut asks = asks_of(self.corpus, self.specs, dialect, self.reading, self.derivation, &wanted)?;
        reencode_where_that_is_all(&mut asks, hello);
        if let Some(only) = &self.only {
            asks.retain(|ask| {
                only.is_match(&ask.id) || only.is_match(&again::id(ask)) || only.is_match(&weigh::id(ask))
            });
        }
        if let Some(smoke) = &self.smoke {
            asks.retain(|ask| smoke.has(&ask.id));
        }
        Ok(Part { dialect, asks })
    }

    fn header(&self, hello: &Hello, parts: &[Part<'_>]) -> Plan {
        let dialect_plan = |part: &Part<'_>| {
            let Part { dialect, .. } = part;
            let types = dialect.types.iter().map(|entry| dialect.layout(entry).name.clone()).collect();
            DialectPlan { name: dialect.name.clone(), types }
        };
        let texts: BTreeSet<(&str, &str)> =
            parts.iter().flat_map(|part| &part.asks).map(|ask| (ask.file.as_ref(), ask.case.name.as_str())).collect();
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
            hello: hello.clone(),
            implementation: self.implementation.clone(),
            options: self.options.clone(),
            asks: parts.iter().map(|part| part.asks.len()).sum(),
            texts: texts.len(),
        }
    }
}

/// An implementation that can only reencode is asked that of every canonical case, and of every packet that must be
/// refused: what comes back whole from everything has looked at nothing.
fn reencode_where_that_is_all(asks: &mut [Ask], hello: &Hello) {
    if hello.ops != [Op::Reencode] {
        return;
    }
    let refused = |ask: &Ask| ask.op == Op::Decode && ask.expected.class == Class::Invalid;
    for ask in asks.iter_mut().filter(|ask| ask.op == Op::Encode || refused(ask)) {
        if ask.expected.packet.is_none() {
            continue;
        }
        ask.id = ask.id.replace(&format!(":{}", ask.op.name()), ":reencode");
        ask.op = Op::Reencode;
    }
}
