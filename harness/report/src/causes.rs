//! Why the tests of a record failed. This is the one place that asks for it.

use std::collections::{BTreeSet, HashMap};

use variant_causes::{Cause, Causes, Examiner, Failure, Reply};
use variant_corpus::Corpus;
use variant_corpus::test::{Rule, Test, TestId};
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{CauseOfTests, DetailSide, RecordedReply, TestResult};
use variant_runner::run::{Run, RunError};
use variant_runner::status::severity;
use variant_specs::Specs;
use variant_wire::implementation::AnsweredValue;

/// The id and headline of the cause of what fails only after other requests.
const OF_ORDER: &str = "depends-on-earlier-requests";
const KEPT_STATE: &str = "fails only after other requests: state is kept between requests";

/// Finds the causes of a record, and names its cause in each result. Tests that this corpus does not have get none.
///
/// # Errors
/// If a case of the corpus is wrong.
pub fn explain(recorded: &mut RunRecord, specs: &Specs, corpus: &Corpus) -> Result<(), RunError> {
    if recorded.verdicts.iter().all(|result| severity(result) < Severity::Amber) {
        return Ok(());
    }
    let tests = match recorded.plan.campaign {
        Some(_) => variant_diff::tests(recorded, specs),
        None => Run::recorded(specs, corpus, &recorded.plan).tests_of(&recorded.plan)?,
    };
    let causes = joined(causes(recorded, specs, &tests), recorded);
    let mut of = HashMap::new();
    for cause in &causes {
        of.extend(cause.tests.iter().chain(&cause.skipped).map(|test| (test.as_str(), cause.id.as_str())));
    }
    for result in &mut recorded.verdicts {
        result.cause = of.get(result.test.as_str()).map(|id| (*id).to_owned());
    }
    let cause = |Cause { id, headline, tests, types, smallest, skipped, .. }| CauseOfTests {
        id,
        headline,
        tests: tests.len(),
        skipped: skipped.len(),
        types,
        smallest,
    };
    recorded.causes = causes.into_iter().map(cause).collect();
    Ok(())
}

/// The causes of what was sent once or repeated, in the order of the tests.
fn causes(recorded: &RunRecord, specs: &Specs, tests: &[Test]) -> Vec<Cause> {
    let results: HashMap<&TestId, &TestResult> =
        recorded.verdicts.iter().map(|result| (&result.test, result)).collect();
    let plan = &recorded.plan;
    let examiners: HashMap<&str, Examiner<'_>> = plan
        .dialects
        .iter()
        .filter_map(|dialect| specs.dialect(&dialect.name))
        .map(|dialect| (&*dialect.name, Examiner::new(dialect, plan.reading, &plan.handshake.lossy)))
        .collect();
    let mut causes = Causes::default();
    let mut take = |test: &Test| {
        let Some(examiner) = examiners.get(&*test.dialect) else { return };
        match results.get(&test.id) {
            Some(result) => examine(&mut causes, examiner, test, result, recorded, specs),
            None if recorded.ended => causes.passed(examiner, test),
            None => {}
        }
    };
    tests.iter().for_each(&mut take);
    let by_id: HashMap<&TestId, &Test> = tests.iter().map(|test| (&test.id, test)).collect();
    for result in &recorded.verdicts {
        if let Some(test) = repeated(&by_id, &result.test) {
            take(&test);
        }
    }
    causes.join()
}

/// The test that was sent again under this id: `…~asked-again:decode`. One that was sent alone shows nothing of its own.
fn repeated(tests: &HashMap<&TestId, &Test>, id: &TestId) -> Option<Test> {
    let rule = id.parts().rule?.rsplit('~').next().and_then(Rule::of)?;
    if !rule.is_repetition() || rule == Rule::Alone {
        return None;
    }
    let test = tests.get(&id.repeated()?)?;
    Some(Test { id: id.clone(), rule: Some(rule), ..(*test).clone() })
}

fn examine(
    causes: &mut Causes,
    examiner: &Examiner<'_>,
    test: &Test,
    result: &TestResult,
    recorded: &RunRecord,
    specs: &Specs,
) {
    match severity(result) {
        Severity::Amber | Severity::Red => {}
        Severity::Green => return causes.passed(examiner, test),
        Severity::Neutral if result.verdict == Verdict::Skipped => return causes.skipped(test),
        Severity::Neutral => return,
    }
    let failure = Failure {
        test,
        verdict: result.verdict,
        reason: result.reason,
        amber: severity(result) == Severity::Amber,
        erratum: result.erratum.as_deref(),
        reply: reply(result, test, recorded, specs),
    };
    causes.failed(examiner, &failure);
}

/// The reply of a result.
fn reply(result: &TestResult, test: &Test, recorded: &RunRecord, specs: &Specs) -> Reply {
    let words = || match (&result.reply, result.detail.as_deref().map(|detail| &detail.actual)) {
        (Some(reply), _) => reply.text(),
        (None, Some(DetailSide::Sentence(how))) => how.clone(),
        (None, _) => String::new(),
    };
    let read = match &result.reply {
        Some(RecordedReply::Value { json, used }) if !test.is_deep() => {
            let value = AnsweredValue::Json(json.as_str().into());
            let value = specs.dialect(&test.dialect).and_then(|dialect| {
                value.read(dialect, &recorded.plan.handshake.lossy).ok().map(std::borrow::Cow::into_owned)
            });
            value.map(|value| Reply::Value(value, *used))
        }
        Some(RecordedReply::Bytes(hex)) => hex::decode(hex).ok().map(Reply::Bytes),
        Some(RecordedReply::Value { .. } | RecordedReply::Refused(_) | RecordedReply::Unsupported(_)) | None => None,
    };
    read.unwrap_or_else(|| Reply::Words(words()))
}

fn is_alone(id: &TestId) -> bool {
    id.parts().rule.and_then(|rule| rule.rsplit('~').next()).is_some_and(|rule| rule == Rule::Alone.name())
}

/// The causes, in which those that depend on order are one: those of the tests that pass when they are sent alone.
fn joined(causes: Vec<Cause>, recorded: &RunRecord) -> Vec<Cause> {
    let sent_alone = || recorded.verdicts.iter().filter(|result| is_alone(&result.test));
    let dependent: BTreeSet<String> =
        sent_alone().filter_map(|result| Some(result.test.repeated()?.to_string())).collect();
    if dependent.is_empty() {
        return causes;
    }
    let is_of_order = |cause: &Cause| cause.tests.iter().any(|test| dependent.contains(test));
    let (of_order, mut others): (Vec<_>, Vec<_>) = causes.into_iter().partition(is_of_order);
    let size = |result: &&TestResult| result.size();
    let Some(smallest) = sent_alone().min_by_key(size).map(|result| result.test.to_string()) else { return others };
    let types: BTreeSet<String> = of_order.iter().flat_map(|cause| cause.types.iter().cloned()).collect();
    let mut one = Cause {
        id: OF_ORDER.to_owned(),
        headline: KEPT_STATE.to_owned(),
        tests: sent_alone().map(|result| result.test.to_string()).collect(),
        types: types.into_iter().collect(),
        smallest,
        amber: of_order.iter().all(|cause| cause.amber),
        skipped: Vec::new(),
    };
    for cause in of_order {
        one.tests.extend(cause.tests);
        one.skipped.extend(cause.skipped);
    }
    others.insert(0, one);
    others
}
