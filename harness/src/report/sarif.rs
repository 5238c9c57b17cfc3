//! SARIF 2.1.0: findings beside the lines of the corpus that they break.

use serde_json::{Value, json};

use super::points::message;
use super::recorded::Recorded;
use super::repeat::repeat;
use super::summary::{Summary, colour};
use crate::results::VerdictRecord;
use crate::shown;
use crate::verdict::{Colour, Reason, Verdict, spelled};

/// The findings of a record as SARIF.
pub fn sarif(recorded: &Recorded, summary: &Summary<'_>) -> Value {
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
            "properties": {"implementation": plan.hello.name, "version": plan.hello.version, "corpus": plan.corpus, "reading": plan.reading},
            "results": summary.findings.iter().map(|found| result(found, recorded)).collect::<Vec<_>>(),
        }],
    })
}

fn result(found: &VerdictRecord, recorded: &Recorded) -> Value {
    let text = format!("{}: {}", shown::line(&found.ask), message(found));
    let level = if colour(found) == Colour::Red { "error" } else { "warning" };
    let mut result = json!({
        "ruleId": spelled(found.verdict, found.reason),
        "level": level,
        "message": {"text": text},
        "partialFingerprints": {"conformAsk/v1": found.ask},
        "properties": {"again": repeat(&recorded.plan, &found.ask)},
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
        result["suppressions"] = json!([{"kind": "external", "justification": "listed in findings.yaml"}]);
    }
    result
}
