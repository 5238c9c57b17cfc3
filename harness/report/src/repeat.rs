//! The commands that run tests again.

use variant_corpus::test::case_parts;
use variant_corpus::verdict::Verdict;
use variant_faults::OF_ORDER;
use variant_runner::results::{CampaignSettings, Plan, Selection, TestResult};
use variant_specs::JudgedBy;

/// The command line that shows a result again: what fails only after other requests needs all of the record.
pub fn again(plan: &Plan, result: &TestResult) -> String {
    let depends = result.verdict == Verdict::OrderDependent || result.cause.as_deref() == Some(OF_ORDER);
    if depends { whole(plan) } else { repeat(plan, &result.test) }
}

/// The command line, as a shell reads it, that re-runs just this test; of a campaign, all of it in the test's dialect.
pub fn repeat(plan: &Plan, test: &str) -> String {
    if let Some(campaign) = &plan.campaign {
        return campaigned(plan, campaign, &format!(" --dialect {}", quoted(case_parts(test).0)));
    }
    let [before, after] = around(plan);
    format!("{before}{}{after}", quoted(test))
}

/// The command line that re-runs the whole record.
pub fn whole(plan: &Plan) -> String {
    if let Some(campaign) = &plan.campaign {
        return campaigned(plan, campaign, "");
    }
    let [before, after] = parts(plan);
    let Selection { only, variants } = &plan.selection;
    let only = only.as_ref().map(|only| format!(" --only {}", quoted(only))).unwrap_or_default();
    let quick = if *variants { "" } else { " --quick" };
    // Without --dialect, a run tests every dialect of the handshake except double-precision ones.
    let double = |name: &str| name.contains('+');
    let left_out = |name: &String| !double(name) && plan.dialects.iter().all(|dialect| dialect.name != *name);
    let chosen = plan.handshake.dialects.iter().any(left_out) || plan.dialects.iter().any(|of| double(&of.name));
    let dialects =
        plan.dialects.iter().filter(|_| chosen).map(|dialect| format!(" --dialect {}", quoted(&dialect.name)));
    format!("{before}{}{only}{quick}{after}", dialects.collect::<String>())
}

/// The command line of a campaign.
fn campaigned(plan: &Plan, CampaignSettings { seed, cases, sides }: &CampaignSettings, dialect: &str) -> String {
    let sides: Vec<String> = sides.iter().map(|side| quoted(side)).collect();
    let options = requoted(&plan.options);
    format!("conform diff {}{dialect} --seed {seed} --cases {cases}{options}", sides.join(" "))
}

/// The command line before and after the quoted test.
pub fn around(plan: &Plan) -> [String; 2] {
    let [before, after] = parts(plan);
    [format!("{before} --only "), after]
}

/// The command with the name of the implementation, and what follows the choice of tests.
fn parts(plan: &Plan) -> [String; 2] {
    let judged_by = if plan.judged_by == JudgedBy::Engines {
        String::new()
    } else {
        format!(" --judged-by {}", plan.judged_by.name())
    };
    // Options come before a command.
    let (name, command) = match plan.implementation.strip_prefix("-- ") {
        Some(command) => (String::new(), format!(" --{}", requoted(command))),
        None if plan.implementation.is_empty() => (String::new(), String::new()),
        None => (requoted(&plan.implementation), String::new()),
    };
    [format!("conform run{name}"), format!("{judged_by}{}{command}", requoted(&plan.options))]
}

/// Words of a record, each with a space before it: read as a shell reads them, and each quoted again. The record may be
/// anybody's, and what it says must be words, and no command of its own.
fn requoted(words: &str) -> String {
    let words = shlex::split(words).unwrap_or_else(|| vec![words.to_owned()]);
    words.iter().map(|word| format!(" {}", quoted(word))).collect()
}

/// A word as a shell reads it, in quotes if it needs them.
pub fn quoted(word: &str) -> String {
    // A NUL cannot be in an argument: it is shown, not run.
    shlex::Quoter::new().allow_nul(true).quote(word).unwrap_or_default().into_owned()
}
