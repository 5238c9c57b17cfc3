//! One number has one meaning: every view of a record shows the counts that its lines give, counted here a second time.

use std::collections::BTreeSet;

use variant_report::text::{Extent, render};
use variant_report::{badge, html, markdown};
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::status::severity;
use variant_runner::summary::Summary;

use crate::planted::{SIGN, SORTED, TRANSPOSED, record_of};
use variant_corpus::Level;
use variant_corpus::rarity::Rarity;
use variant_corpus::verdict::{Severity, Verdict};
use variant_values::handshake::Op;

/// The types of which an everyday test of an operation is wrong, as the lines say it. These faults are in containers too.
fn wrong(record: &RunRecord, op: Op) -> BTreeSet<&str> {
    let is_wrong = |result: &&TestResult| {
        severity(result) == Severity::Failure
            && result.verdict != Verdict::NonCanonical
            && result.rarity == Rarity::Everyday
    };
    let wrong = record.verdicts.iter().filter(is_wrong).map(TestResult::id);
    let alone = wrong.filter(|id| id.op == op && id.rule.is_none());
    alone.map(|id| id.layout).filter(|layout| !["packet", "framing"].contains(layout)).collect()
}

#[test]
fn text_markdown_page_and_badge_say_what_the_record_says() {
    let record = record_of(&[SIGN, TRANSPOSED, SORTED]);
    let summary = Summary::of(&record);
    let dialect = &record.plan.dialects[0];
    let all = dialect.types.len();
    let [reads, writes] = [Op::Decode, Op::Encode].map(|op| all - wrong(&record, op).len());
    assert!(0 < reads && reads < all && 0 < writes && writes < all, "{reads}, {writes} of {all}");
    let said = format!("reads {reads} of {all} types, writes {writes}");
    let text = anstream::adapter::strip_str(&render(&summary, Extent::default())).to_string();
    let markdown = markdown::markdown(&summary);
    let page = html::page(&record, false, None).unwrap();
    let badge = badge::badge(&summary, dialect).unwrap()["message"].to_string();
    for view in [&text, &markdown, &page, &badge] {
        assert!(view.contains(&said), "{said}: {view}");
    }
    for layout in wrong(&record, Op::Decode) {
        let name = dialect.type_name(layout);
        let row = text.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
        assert!(row.contains(" no"), "{row}");
    }
    let headline = format!("{said}; {}", variant_values::sanitize::counted(record.causes.len(), "cause"));
    assert!(text.contains(&headline), "{headline}: {text}");
    let causes: usize = record.causes.iter().map(|cause| cause.tests).sum();
    // Tests of good practice join the causes of required ones.
    let explained = record.verdicts.iter().filter(|result| result.cause.is_some()).count();
    assert_eq!(causes, explained, "each test has one cause");
    let mut red = record.verdicts.iter().filter(|result| severity(result) == Severity::Failure);
    assert!(red.all(|result| result.cause.is_some()), "each red test has a cause");
}

/// What an implementation declares counts as right, and is said apart.
#[test]
fn a_declared_loss_is_no_failure() {
    let mut record = record_of(&[]);
    let before = Summary::of(&record).score_of(&record.plan.dialects[0]);
    assert_eq!(before.reads, Some(record.plan.dialects[0].types.len()));
    for result in record.verdicts.iter_mut().filter(|result| result.verdict == Verdict::Pass) {
        result.verdict = Verdict::DeclaredLoss;
    }
    assert_eq!(Summary::of(&record).score_of(&record.plan.dialects[0]), before);
}

/// Other bytes of the same value are written, but not exactly.
#[test]
fn other_bytes_of_the_same_value_count_as_written() {
    let mut record = record_of(&[]);
    let all = record.plan.dialects[0].types.len();
    for result in record.verdicts.iter_mut().filter(|result| result.id().op == Op::Encode) {
        result.verdict = if result.verdict == Verdict::Pass { Verdict::NonCanonical } else { result.verdict };
        result.level = Level::Must;
    }
    let score = Summary::of(&record).score_of(&record.plan.dialects[0]);
    assert_eq!((score.reads, score.writes, score.exact), (Some(all), Some(all), Some(0)));
}

#[test]
fn what_only_decodes_is_whole_in_what_it_claims() {
    let mut record = record_of(&[]);
    record.tallies.clear();
    for result in record.verdicts.iter_mut().filter(|result| result.id().op != Op::Decode) {
        result.verdict = Verdict::NotSupported;
    }
    let score = Summary::of(&record).score_of(&record.plan.dialects[0]);
    assert_eq!((score.writes, score.whole), (None, score.all));
    assert!(score.sentence().ends_with("(does not write)"), "{}", score.sentence());
}

#[test]
fn a_crash_makes_a_type_unsafe_whatever_was_sent() {
    let mut record = record_of(&[]);
    let safe = Summary::of(&record).score_of(&record.plan.dialects[0]).safe.unwrap();
    let rare =
        record.verdicts.iter().position(|result| result.rarity == Rarity::Rare && result.id().layout == "vector2");
    record.verdicts[rare.unwrap()].verdict = Verdict::Crashed;
    let score = Summary::of(&record).score_of(&record.plan.dialects[0]);
    assert_eq!(score.safe, Some(safe - 1));
}

#[test]
fn where_every_failure_is_listed_nothing_says_fail() {
    let mut record = record_of(&[SIGN]);
    for result in record.verdicts.iter_mut().filter(|result| severity(result) == Severity::Failure) {
        result.expected_failure = true;
    }
    let summary = Summary::of(&record);
    let text = anstream::adapter::strip_str(&render(&summary, Extent::default())).to_string();
    let row = text.lines().find(|line| line.contains(" int ")).unwrap();
    assert_eq!(row.matches("no").count(), row.matches("fails (known)").count(), "{row}");
    assert!(!text.contains("probable cause"), "{text}");
    let page = html::page(&record, false, None).unwrap();
    assert!(page.contains("class=\"cell known\"") && !page.contains("class=\"cell fail\""));
}

/// Of failures that a list expects, each view that counts verdicts says how many they are.
#[test]
fn known_failures_are_counted_as_failures_that_are_known() {
    let mut record = record_of(&[SIGN]);
    let (mut all, mut known) = ([0; 2], [0; 2]);
    for result in record.verdicts.iter_mut().filter(|result| matches!(result.verdict, Verdict::Fail(_))) {
        let place = usize::from(result.is_variant());
        all[place] += 1;
        if result.id().op == Op::Decode {
            result.expected_failure = true;
            known[place] += 1;
        }
    }
    assert!(known[0] > 0 && known[1] > 0 && known[1] < all[1], "{known:?} of {all:?}");
    let summary = Summary::of(&record);
    let text = anstream::adapter::strip_str(&render(&summary, Extent::default())).to_string();
    let page = html::page(&record, false, None).unwrap();
    for (all, known) in all.into_iter().zip(known) {
        assert!(text.contains(&format!(" {all} fail ({known} of them known)")), "{text}");
        assert!(page.contains(&format!("<td>{all} ({known} known)</td>")));
    }
    let new = summary.failures();
    assert!(
        text.ends_with(&format!("{new} failures, 0 warnings that no list has; {} known\n", summary.known())),
        "{text}"
    );
}

/// The tables fit, whatever the width: what is too long for its column is in a line of its own.
#[test]
fn tables_fit_a_narrow_terminal() {
    let record = record_of(&[SIGN, TRANSPOSED]);
    for width in [60, 79, 80] {
        let text = render(&Summary::of(&record), Extent { width, ..Extent::default() });
        let text = anstream::adapter::strip_str(&text).to_string();
        let tables = text.split("\n\n").nth(1).unwrap();
        assert!(tables.contains("  no") && tables.contains("reads") && tables.contains("exact"), "{tables}");
        let long: Vec<&str> = tables.lines().filter(|line| line.chars().count() > width).collect();
        assert!(long.is_empty(), "{width}: {long:#?}");
    }
}
