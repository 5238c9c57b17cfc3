//! The record of a campaign: that of a run, about one side. Each finding is the result of a test.

use std::collections::HashSet;
use std::sync::Arc;

use variant_codec::Framing;
use variant_corpus::test::{Test, TestId, TestParts};
use variant_corpus::{Corpus, PACKET};
use variant_runner::judge::Judge;
use variant_runner::record::RunRecord;
use variant_runner::results::{
    CampaignSettings, DialectPlan, FindingRecord, Plan, RunEnd, SCHEMA, Selection, Tally, TestResult,
};
use variant_runner::run::Run;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Input, Request, read_value};
use variant_values::value_text::{Form, value_json};

use super::campaign::{CampaignResult, Finding};
use super::failed::Failed;
use super::oracle::Oracle;

/// Makes the record of one side, dialect by dialect.
#[derive(Debug)]
pub struct CampaignRecorder<'a> {
    specs: &'a Specs,
    corpus: &'a Corpus,
    record: RunRecord,
}

impl<'a> CampaignRecorder<'a> {
    /// The record of a side that is named so on the command line. `known`: its list of findings.
    pub fn new(
        specs: &'a Specs,
        corpus: &'a Corpus,
        side: &str,
        handshake: &Handshake,
        settings: CampaignSettings,
        known: Vec<FindingRecord>,
    ) -> Self {
        let plan = Plan {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            corpus: corpus.id(),
            judged_by: JudgedBy::Engines,
            selection: Selection { only: None, variants: false },
            dialects: Vec::new(),
            handshake: handshake.clone(),
            implementation: side.to_owned(),
            options: String::new(),
            tests: 0,
            texts: 0,
            campaign: Some(settings),
        };
        let end = RunEnd { executed: 0, complete: true, repeated: 0, stale: Vec::new(), digest: String::new() };
        let record = RunRecord {
            plan,
            verdicts: Vec::new(),
            tallies: Vec::new(),
            causes: Vec::new(),
            findings: known,
            end,
            ended: true,
        };
        Self { specs, corpus, record }
    }

    /// Adds what was found of the side at this place in a dialect.
    pub fn add(&mut self, side: usize, dialect: &Dialect, result: &CampaignResult) {
        self.record.plan.dialects.push(DialectPlan::of(dialect));
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        self.record.plan.tests += count(result.sent);
        self.record.end.executed += count(result.sent);
        self.record.end.complete &= result.complete;
        let of = format!("{}/{PACKET}", dialect.name);
        self.record.tallies.extend(result.same.iter().map(|(op, same)| Tally {
            rule: "generated".to_owned(),
            of: of.clone(),
            op: *op,
            pass: count(*same),
        }));
        let handshake = self.record.plan.handshake.clone();
        let judge = Judge::for_claims(dialect, JudgedBy::Engines, &handshake);
        for finding in result.findings.iter().filter(|finding| finding.smallest.side == side) {
            let verdict = self.verdict(&judge, finding);
            self.record.verdicts.push(verdict);
        }
    }

    fn verdict(&self, judge: &Judge<'_>, finding: &Finding) -> TestResult {
        let Failed { test, judgement, outcome, .. } = &finding.smallest;
        let run = Run::new(self.specs, self.corpus, Vec::new());
        let mut result = run.generated(judge, test, judgement, outcome);
        if let Some(detail) = &mut result.detail {
            let times = if finding.count == 1 { "once".to_owned() } else { format!("{} times", finding.count) };
            let before = if detail.note.is_empty() { String::new() } else { format!("{}; ", detail.note) };
            detail.note = format!("{before}seen {times}");
            detail.place = String::new();
            detail.near = finding.near.iter().map(|request| text(&request.input, judge.dialect)).collect();
        }
        result
    }

    pub fn record(&self) -> RunRecord {
        self.record.clone()
    }
}

/// The tests of a campaign's record, as the reference codec expects them: what failed, and what is like it and did not.
pub fn tests(record: &RunRecord, specs: &Specs) -> Vec<Test> {
    let open = HashSet::new();
    let mut tests = Vec::new();
    for dialect in record.plan.dialects.iter().filter_map(|dialect| specs.dialect(&dialect.name)) {
        let oracle = Oracle::new(dialect, &[], None, &open);
        for result in record.verdicts.iter().filter(|result| result.id().dialect == dialect.name) {
            let Some(detail) = &result.detail else { continue };
            let own = request(result, &detail.sent, dialect);
            tests.extend(own.map(|request| Test { id: result.test.clone(), ..oracle.own_test(&request) }));
            let TestParts { layout, name, op, .. } = result.id();
            for (place, sent) in detail.near.iter().enumerate() {
                let id = TestId::new(&dialect.name, layout, &format!("{name}-near-{place}"), None, op);
                let near = request(result, sent, dialect);
                tests.extend(near.map(|request| Test { id, ..oracle.own_test(&request) }));
            }
        }
    }
    tests
}

/// What is sent, as hex or JSON.
fn text(input: &Input, dialect: &Dialect) -> String {
    match input {
        Input::Decode(packet) | Input::Reencode(packet) => hex::encode(packet),
        Input::Encode(value) => value_json(value, &dialect.layouts, Form::default()),
    }
}

/// A request of a generated test; `None` if it was too long to be recorded.
fn request(result: &TestResult, sent: &str, dialect: &Dialect) -> Option<Request> {
    let TestParts { op, dialect: name, .. } = result.id();
    let input = if op == Op::Encode {
        Input::Encode(read_value(sent, dialect, &[]).ok()?)
    } else {
        let packet = hex::decode(sent).ok()?;
        if op == Op::Decode { Input::Decode(packet) } else { Input::Reencode(packet) }
    };
    let has = |option: &str| result.options.iter().any(|known| known == option);
    let framing = Framing::ALL.into_iter().find(|framing| has(framing.name()));
    Some(Request { dialect: Arc::from(name), input, objects: has("objects"), framing, kind: None })
}
