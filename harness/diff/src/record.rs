//! The record of a campaign: that of a run, about one side. Each finding is the result of a test.

use std::collections::HashSet;
use std::sync::Arc;

use variant_corpus::test::{Test, TestId, TestParts};
use variant_corpus::{Corpus, PACKET};
use variant_runner::judge::Judge;
use variant_runner::record::RunRecord;
use variant_runner::results::{
    CampaignSettings, Detail, DialectPlan, FindingRecord, Plan, RunEnd, SCHEMA, Selection, Tally, TestResult,
};
use variant_runner::run::Run;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Input, Request, read_value};
use variant_values::value_text::{Form, value_json};

use super::campaign::{CampaignResult, Finding};
use super::failed::Failed;
use super::oracle::Oracle;

/// The record of a side that is named so on the command line, before anything was found. `known`: its list of findings.
pub fn begin_record(
    corpus: &Corpus,
    side: &str,
    handshake: &Handshake,
    settings: CampaignSettings,
    known: Vec<FindingRecord>,
) -> RunRecord {
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
    let end = RunEnd { complete: true, ..RunEnd::default() };
    RunRecord { plan, verdicts: Vec::new(), tallies: Vec::new(), causes: Vec::new(), findings: known, end, ended: true }
}

/// Adds to a record what was found of the side at this place in a dialect.
pub fn add_to_record(
    record: &mut RunRecord,
    side: usize,
    dialect: &Dialect,
    result: &CampaignResult,
    corpus: &Corpus,
    specs: &Specs,
) {
    record.plan.dialects.push(DialectPlan::of(dialect));
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    record.plan.tests += count(result.sent);
    record.end.executed += count(result.sent);
    record.end.complete &= result.complete;
    for (op, same) in &result.same {
        let of = format!("{}/{PACKET}", dialect.name);
        record.tallies.push(Tally { rule: None, of, op: *op, pass: count(*same) });
    }
    let judge = Judge::for_claims(dialect, JudgedBy::Engines, &record.plan.handshake);
    let run = Run::new(specs, corpus, Vec::new());
    for finding in result.findings.iter().filter(|finding| finding.smallest.side == side) {
        record.verdicts.push(verdict(&run, &judge, finding));
    }
}

fn verdict(run: &Run<'_>, judge: &Judge<'_>, finding: &Finding) -> TestResult {
    let Failed { test, judgement, outcome, .. } = &finding.smallest;
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

/// The tests of a campaign's record, as the reference codec expects them: what failed, and what is like it and did not.
pub fn tests(record: &RunRecord, dialect: &Dialect) -> Vec<Test> {
    let open = HashSet::new();
    let oracle = Oracle::new(dialect, &[], None, &open);
    let mut tests = Vec::new();
    for result in record.verdicts.iter().filter(|result| result.id().dialect == dialect.name) {
        let Some(detail) = &result.detail else { continue };
        let own = request(result, detail, &detail.sent, dialect);
        tests.extend(own.map(|request| Test { id: result.test.clone(), ..oracle.own_test(&request) }));
        let TestParts { layout, name, op, .. } = result.id();
        for (place, sent) in detail.near.iter().enumerate() {
            let id = TestId::new(&dialect.name, layout, &format!("{name}-near-{place}"), None, op);
            let near = request(result, detail, sent, dialect);
            tests.extend(near.map(|request| Test { id, ..oracle.own_test(&request) }));
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
fn request(result: &TestResult, detail: &Detail, sent: &str, dialect: &Dialect) -> Option<Request> {
    let TestParts { op, dialect: name, .. } = result.id();
    let input = if op == Op::Encode {
        Input::Encode(read_value(sent, dialect, &[]).ok()?)
    } else {
        let packet = hex::decode(sent).ok()?;
        if op == Op::Decode { Input::Decode(packet) } else { Input::Reencode(packet) }
    };
    let Detail { objects, framing, .. } = *detail;
    Some(Request { dialect: Arc::from(name), input, objects, framing, kind: None })
}
