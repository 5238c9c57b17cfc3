//! SARIF 2.1.0: findings beside the lines of the corpus that they break.

use serde_json::{Value, json};

use super::points::message;
use super::repeat::repeat;
use variant_corpus::verdict::spelled;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::summary::{Summary, severity};
use variant_wire::sanitize;

/// The findings of a record as SARIF.
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
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {
                "name": "conform",
                "version": plan.conform,
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            }},
            "properties": {"implementation": plan.handshake.name, "version": plan.handshake.version, "corpus": plan.corpus, "reading": plan.reading},
            "results": summary.findings.iter().map(|found| result(found, recorded)).collect::<Vec<_>>(),
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
        "partialFingerprints": {"conformAsk/v1": found.test},
        "properties": {"again": repeat(&recorded.plan, &found.test)},
    });
    let place = found.detail.as_ref().and_then(|detail| detail.place.rsplit_once(':'));
    if let Some((file, line)) = place {
        let line = line.parse::<usize>().unwrap_or(1).max(1);
        result["locations"] = json!([{"physicalLocation": {
            "artifactLocation": {"uri": file.trim_start_matches("../")},
            "region": {"startLine": line},
        }}]);
    }
    if found.expected_failure {
        result["suppressions"] = json!([{"kind": "external", "justification": "listed in expected-failures.yaml"}]);
    }
    result
}
