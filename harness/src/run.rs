//! A run: every ask of some dialects, put to one implementation, judged and recorded.

mod detail;

use std::io::{self, Write};

use variant_specs::{Reading, Specs};

use crate::ask::{Ask, Derivation, asks};
use crate::corpus::{Class, Corpus, Level};
use crate::expectations::Expectations;
use crate::glob::AskGlob;
use crate::hello::{Hello, Op};
use crate::implementation::{Answer, Implementation, Outcome, Unusable};
use crate::judge::{Finding, Judge};
use crate::observed::Observed;
use crate::problem::Problem;
use crate::results::{CorpusId, DialectPlan, End, Plan, SCHEMA, Selection, VerdictRecord, Writer};
use crate::verdict::{Colour, Verdict};

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
    /// Which derived asks are made.
    pub derivation: Derivation,
    /// Answers are being recorded, so they are not compared with those of the last time.
    pub recording: bool,
    /// How `conform run` names the implementation.
    pub implementation: String,
    /// The options beside it that ask the same again.
    pub options: String,
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
    /// The record could not be written.
    Record(io::Error),
}

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcomes {
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
}

impl Run<'_> {
    /// Runs everything, writing each verdict to `out` as it comes, and telling `progress` of each.
    ///
    /// # Errors
    /// [`RunError`]; what was recorded so far is in `out`.
    pub fn run(
        &self,
        implementation: &mut dyn Implementation,
        mut expectations: Expectations,
        out: impl Write,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Outcomes, RunError> {
        let hello = implementation.hello().clone();
        let plans = self.plan(&hello)?;
        let total: usize = plans.iter().map(|(_, asks)| asks.len()).sum();
        let mut writer = Writer::new(out, self.header(&hello, &plans)).map_err(RunError::Record)?;
        let mut outcomes = Outcomes { red: 0, amber: 0, not_run: 0, executed: 0, stale: 0 };
        let mut done = 0;
        let mut unusable = None;
        let mut departures = Vec::new();
        for (dialect, asks) in &plans {
            let Some(dialect) = self.specs.dialect(dialect) else { continue };
            let judge = Judge::new(dialect, self.reading, &hello.lossy);
            let mut recorder = Recorder {
                run: self,
                judge,
                hello: &hello,
                expectations: &mut expectations,
                writer: &mut writer,
                outcomes: &mut outcomes,
                departures: Vec::new(),
                error: None,
            };
            let claimed: Vec<&Ask> = asks.iter().filter(|ask| recorder.claimed_or_recorded(ask)).collect();
            done += asks.len() - claimed.len();
            let mut told = vec![false; claimed.len()];
            if unusable.is_none() {
                let mut requests = claimed.iter().filter_map(|ask| ask.request());
                let result = implementation.ask(&mut requests, &mut |place, outcome| {
                    done += 1;
                    progress(done, total);
                    if let Some(told) = told.get_mut(place) {
                        *told = true;
                        recorder.record(claimed[place], &outcome);
                    }
                });
                unusable = result.err();
            }
            let why = unusable.as_ref().map_or("the implementation left it unanswered", |why| why.0.as_str());
            for (ask, _) in claimed.iter().zip(&told).filter(|(_, told)| !**told) {
                recorder.record(ask, &Answer::NotRun(why.to_owned()).into());
            }
            if let Some(error) = recorder.error {
                return Err(RunError::Record(error));
            }
            departures.append(&mut recorder.departures);
        }
        let mut stale = if self.only.is_none() { expectations.stale() } else { Vec::new() };
        stale.append(&mut departures);
        outcomes.stale = stale.len();
        let end = End { executed: outcomes.executed, complete: outcomes.not_run == 0, stale };
        writer.end(end).map_err(RunError::Record)?;
        match unusable {
            Some(unusable) if outcomes.executed == 0 => Err(RunError::Unusable(unusable)),
            _ => Ok(outcomes),
        }
    }

    /// The asks of each dialect.
    fn plan(&self, hello: &Hello) -> Result<Vec<(String, Vec<Ask>)>, RunError> {
        let mut plans = Vec::new();
        for name in &self.dialects {
            let Some(dialect) = self.specs.dialect(name) else { continue };
            let mut asks =
                asks(self.corpus, self.specs, dialect, self.reading, self.derivation).map_err(RunError::Problem)?;
            reencode_where_that_is_all(&mut asks, hello);
            if let Some(only) = &self.only {
                asks.retain(|ask| only.is_match(&ask.id));
            }
            plans.push((name.clone(), asks));
        }
        if plans.iter().all(|(_, asks)| asks.is_empty()) {
            let only = self
                .only
                .as_ref()
                .map(|only| format!(" that matches {:?}; `conform list` prints every ask", only.written()));
            return Err(RunError::Nothing(format!(
                "there is nothing to ask in {}{}",
                self.dialects.join(", "),
                only.unwrap_or_default()
            )));
        }
        Ok(plans)
    }

    fn header(&self, hello: &Hello, plans: &[(String, Vec<Ask>)]) -> Plan {
        let dialect_plan = |(name, _): &(String, Vec<Ask>)| {
            let dialect = self.specs.dialect(name)?;
            let types = dialect.types.iter().map(|entry| dialect.layout(entry).name.clone()).collect();
            Some(DialectPlan { name: name.clone(), types })
        };
        let texts: std::collections::BTreeSet<(&str, &str)> =
            plans.iter().flat_map(|(_, asks)| asks).map(|ask| (ask.file.as_ref(), ask.case.name.as_str())).collect();
        Plan {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            corpus: CorpusId { version: self.corpus.version.clone(), digest: self.corpus.digest.clone() },
            reading: self.reading.name().to_owned(),
            selection: Selection {
                only: self.only.as_ref().map(|only| only.written().to_owned()),
                derived: self.derivation != Derivation::None,
            },
            dialects: plans.iter().filter_map(dialect_plan).collect(),
            hello: hello.clone(),
            implementation: self.implementation.clone(),
            options: self.options.clone(),
            asks: plans.iter().map(|(_, asks)| asks.len()).sum(),
            texts: texts.len(),
        }
    }
}

/// An implementation that can only reencode is asked that of every canonical case.
fn reencode_where_that_is_all(asks: &mut [Ask], hello: &Hello) {
    if hello.ops != [Op::Reencode] {
        return;
    }
    for ask in asks.iter_mut().filter(|ask| ask.op == Op::Encode && ask.expected.packet.is_some()) {
        ask.op = Op::Reencode;
        ask.id = ask.id.replace(":encode", ":reencode");
    }
}

struct Recorder<'a, W: Write> {
    run: &'a Run<'a>,
    judge: Judge<'a>,
    hello: &'a Hello,
    expectations: &'a mut Expectations,
    writer: &'a mut Writer<W>,
    outcomes: &'a mut Outcomes,
    /// Where recorded answers were not given again.
    departures: Vec<String>,
    error: Option<io::Error>,
}

impl<W: Write> Recorder<'_, W> {
    /// Whether the ask is to be sent; records it as not claimed where it is not.
    fn claimed_or_recorded(&mut self, ask: &Ask) -> bool {
        let claimed = self.claims(ask);
        if !claimed {
            self.put(ask, Verdict::NotClaimed, None);
        }
        claimed
    }

    fn claims(&self, ask: &Ask) -> bool {
        self.hello.ops.contains(&ask.op) && ask.layouts.iter().all(|layout| self.hello.claims(layout, ask.op))
    }

    fn record(&mut self, ask: &Ask, outcome: &Outcome) {
        let finding = self.judge.judge(ask, outcome);
        if finding.verdict == Verdict::NotRun {
            self.outcomes.not_run += 1;
        } else {
            self.outcomes.executed += 1;
        }
        self.put(ask, finding.verdict, Some((&finding, outcome)));
    }

    fn put(&mut self, ask: &Ask, verdict: Verdict, found: Option<(&Finding, &Outcome)>) {
        let level = ask.level();
        let finding = found.map(|(finding, _)| finding);
        let colour = finding.map_or(verdict.colour(), |finding| finding.colour(ask));
        let covered = self.expectations.covers(&ask.id, verdict, finding.and_then(|finding| finding.reason));
        match colour {
            Colour::Red if !covered => self.outcomes.red += 1,
            Colour::Amber if !covered => self.outcomes.amber += 1,
            Colour::Red | Colour::Amber | Colour::Green | Colour::Neutral => {}
        }
        if let (Some(rule), Verdict::Pass) = (ask.rule, verdict) {
            return self.writer.tally(rule.name(), &format!("{}/{}", ask.dialect, ask.layout), ask.op.name());
        }
        let shown = verdict != Verdict::Pass && verdict != Verdict::NotClaimed;
        let detail = found
            .filter(|_| shown)
            .map(|(finding, outcome)| Box::new(detail::detail(self.run, &self.judge, ask, finding, outcome)));
        let observable = ask.rule.is_none() && matches!(ask.expected.class, Class::Open | Class::Readable);
        let answer =
            found.filter(|_| observable).and_then(|(finding, outcome)| detail::observed(&self.judge, finding, outcome));
        let record = VerdictRecord {
            ask: ask.id.clone(),
            origin: if ask.rule.is_some() { "derived" } else { "authored" }.to_owned(),
            class: ask.expected.class.name().to_owned(),
            level: if level == Level::Must { "must" } else { "should" }.to_owned(),
            verdict,
            reason: finding.and_then(|finding| finding.reason),
            at: finding.and_then(|finding| finding.at),
            field: finding.and_then(|finding| finding.field.clone()),
            erratum: finding.and_then(|finding| finding.erratum.clone()),
            expected_failure: covered && colour >= Colour::Amber,
            detail,
            length_not_told: finding.is_some_and(|finding| finding.length_not_told),
            relaxed: finding.map(|finding| finding.relaxed.clone()).unwrap_or_default(),
            like: answer
                .as_ref()
                .filter(|_| ask.expected.class == Class::Open)
                .map(|answer| self.like(&ask.id, answer)),
            answer,
        };
        self.compare_with_recorded(&record);
        if let Err(error) = self.writer.verdict(record) {
            self.error.get_or_insert(error);
        }
    }

    /// The engines that were seen to answer so.
    fn like(&self, ask: &str, answer: &str) -> Vec<String> {
        let same = |observed: &&Observed| observed.answers.get(ask).is_some_and(|recorded| recorded == answer);
        self.run.corpus.observed.iter().filter(same).map(Observed::short_name).collect()
    }

    /// An engine whose answers are recorded must give them again.
    fn compare_with_recorded(&mut self, record: &VerdictRecord) {
        let Some(answer) = &record.answer else { return };
        let mine = self.run.corpus.observed.iter().find(|observed| observed.is_of(self.hello));
        let Some(observed) = mine.filter(|_| !self.run.recording && self.judge.reading == Reading::Engine) else {
            return;
        };
        let recorded = observed.answers.get(&record.ask);
        if recorded != Some(answer) {
            let before = recorded.map_or("nothing", String::as_str);
            let sentence = format!(
                "{} answered {answer} to {}, and {before} is recorded: record it again with --record, and review the diff",
                observed.short_name(),
                record.ask
            );
            self.departures.push(sentence);
        }
    }
}
