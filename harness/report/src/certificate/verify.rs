//! Whether the claims of a certificate hold.

use std::collections::HashSet;

use serde_json::Value;
use variant_specs::Specs;

use super::Certificate;
use variant_corpus::Corpus;
use variant_corpus::test::Variants;
use variant_runner::record::RunRecord;
use variant_runner::run::{Run, RunError};

/// Claims of the certificate that do not follow from these results, a sentence each; empty if all do. The caller has
/// already checked, by the digest, that these are the results that were certified.
pub fn verify(certificate: &Certificate, recorded: &RunRecord, results: &[u8]) -> Vec<String> {
    let again = match Certificate::of(recorded, certificate.profile, results) {
        Ok(again) => again,
        Err(why) => return vec![format!("these results are not certified: {why}")],
    };
    let (said, is) = (serde_json::to_value(certificate), serde_json::to_value(&again));
    let (Ok(Value::Object(said)), Ok(Value::Object(is))) = (said, is) else { return Vec::new() };
    let mut broken = Vec::new();
    for (key, said) in said.iter().filter(|(key, _)| *key != "results") {
        match (said, is.get(key)) {
            (said, Some(is)) if said == is => {}
            // A type each.
            (Value::Array(said), Some(Value::Array(is))) => {
                let unsaid = said.iter().filter(|said| !is.contains(said));
                broken.extend(unsaid.map(|said| format!("{key}: the certificate says {said}, these results do not")));
                let missing = is.iter().filter(|is| !said.contains(is));
                broken.extend(missing.map(|is| format!("{key}: these results say {is}, the certificate does not")));
            }
            (said, is) => {
                let is = is.map_or_else(|| "nothing".to_owned(), Value::to_string);
                broken.push(format!("{key}: the certificate says {said}, but these results say {is}"));
            }
        }
    }
    broken
}

/// Tests of cases of the corpus that these results lack, a sentence each: a record can be complete by its own plan and
/// still leave tests out.
pub fn missing(recorded: &RunRecord, corpus: &Corpus, specs: &Specs) -> Result<Vec<String>, RunError> {
    let plan = &recorded.plan;
    let recorded_tests: HashSet<&str> = recorded.verdicts.iter().map(|verdict| verdict.test.as_str()).collect();
    let unknown = plan.dialects.iter().filter(|dialect| specs.dialect(&dialect.name).is_none());
    let unknown = unknown.map(|of| format!("{}: there is no such dialect here; name its file with --spec", of.name));
    let of_cases = Run { only: None, variants: Variants::None, ..Run::recorded(specs, corpus, plan) };
    let tests = of_cases.tests_of(plan)?;
    let never = tests.iter().filter(|test| !recorded_tests.contains(test.id.as_str()));
    Ok(unknown.chain(never.map(|test| format!("{} never ran", test.id))).collect())
}
