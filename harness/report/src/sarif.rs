//! SARIF 2.1.0: each finding at the line of the corpus case that it fails.

use serde_json::{Value, json};

use super::points::message;
use super::repeat::again;
use variant_corpus::verdict::{Reason, Severity, Verdict, spelled};
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::status::severity;
use variant_runner::summary::Summary;
use variant_wire::sanitize;

/// The rule of claims that are no longer true.
const STALE: &str = "stale";

/// The red and amber results of a record as SARIF, and the claims that are no longer true.
pub fn sarif(recorded: &RunRecord, summary: &Summary<'_>) -> Value {
    let plan = &recorded.plan;
    let mut rules: Vec<(String, Verdict, Option<Reason>)> = summary
        .findings
        .iter()
        .map(|found| (spelled(found.verdict, found.reason), found.verdict, found.reason))
        .collect();
    rules.sort();
    rules.dedup();
    let rule = |(id, verdict, _): &(String, Verdict, Option<Reason>)| json!({"id": id, "shortDescription": {"text": verdict.means()}});
    let stale = &recorded.end.stale;
    let no_longer_true = json!({"id": STALE, "shortDescription": {"text": "an expectation is no longer true"}});
    let claim = |claim: &String| json!({"ruleId": STALE, "level": "error", "message": {"text": sanitize::line(claim)}});
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {
                "name": "conform",
                "version": plan.conform,
                "rules": rules.iter().map(rule).chain(stale.first().map(|_| no_longer_true)).collect::<Vec<_>>(),
            }},
            "properties": {"implementation": plan.handshake.name, "version": plan.handshake.version, "corpus": plan.corpus, "reading": plan.reading.name()},
            "results": summary.findings.iter().map(|found| result(found, recorded)).chain(stale.iter().map(claim)).collect::<Vec<_>>(),
        }],
    })
}

fn result(found: &TestResult, recorded: &RunRecord) -> Value {
    let text = format!("{}: {}", sanitize::line(&found.test), message(found));
    let level = if severity(found) == Severity::Red { "error" } else { "warning" };
    let mut result = json!({
        "ruleId": spelled(found.verdict, found.reason),
        "level": level,
        "message": {"text": text},
        "partialFingerprints": {"conformTest/v1": found.test},
        "properties": {"again": again(&recorded.plan, found)},
    });
    if let Some((file, line)) = found.place() {
        result["locations"] = json!([{"physicalLocation": {
            "artifactLocation": {"uri": file},
            "region": {"startLine": line},
        }}]);
    }
    if found.expected_failure {
        result["suppressions"] = json!([{"kind": "external", "justification": "listed in findings.yaml"}]);
    }
    result
}
