//! Whether two records can be compared.

use variant_runner::record::RunRecord;
use variant_runner::results::{DialectPlan, Plan};

/// Checks, also before a run is made, that its results can be compared with the baseline.
pub fn comparable(baseline: &RunRecord, head: &Plan) -> Result<(), String> {
    let base = &baseline.plan;
    if !baseline.end.complete {
        return refuse("the baseline is incomplete, so missing tests would count as new; run it to the end");
    }
    dialects(&base.dialects, &head.dialects)?;
    if base.judged_by != head.judged_by {
        return refuse(format!(
            "the baseline is judged by {}, and this run by {}: run both with the same --judged-by",
            base.judged_by.name(),
            head.judged_by.name()
        ));
    }
    let (before, now) = (&base.selection, &head.selection);
    if before.variants != now.variants {
        let [before, now] = [before, now].map(|of| if of.variants { "included" } else { "left out" });
        return refuse(format!(
            "variants are {before} in the baseline, but {now} in this run: run both with --quick, or neither"
        ));
    }
    if let Some(only) = before.only.as_ref().filter(|only| Some(*only) != now.only.as_ref()) {
        return refuse(format!(
            "the baseline has only tests that match {only}: record a complete one, or use --only '{only}'"
        ));
    }
    let same = base.corpus == head.corpus && before == now;
    if same && base.tests != head.tests {
        return refuse(format!("the baseline has {} tests, and this run {}: run it again", base.tests, head.tests));
    }
    Ok(())
}

fn dialects(base: &[DialectPlan], head: &[DialectPlan]) -> Result<(), String> {
    let named = |dialects: &[DialectPlan]| {
        let mut names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    };
    if named(base) != named(head) {
        return refuse(format!(
            "the baseline tests {}, and this run tests {}: run both with the same --dialect",
            named(base),
            named(head)
        ));
    }
    let differs = |dialect: &&DialectPlan| {
        head.iter().find(|other| other.name == dialect.name).is_some_and(|other| other.types != dialect.types)
    };
    match base.iter().find(differs) {
        Some(dialect) => refuse(format!(
            "{} has other types in the baseline than in this run: it is a different dialect with the same name; record a new baseline",
            dialect.name
        )),
        None => Ok(()),
    }
}

fn refuse(sentence: impl AsRef<str>) -> Result<(), String> {
    Err(variant_values::sanitize::line(sentence.as_ref()))
}
