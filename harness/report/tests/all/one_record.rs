//! One number has one meaning: every view of a record shows the counts that its lines give, counted here a second time.

use std::collections::{BTreeMap, BTreeSet};

use variant_report::text::{ReportLength, render};
use variant_report::{badge, html, markdown};
use variant_runner::record::RunRecord;
use variant_runner::results::Origin;
use variant_runner::status::severity;
use variant_runner::summary::{Summary, label};

use crate::planted::{SIGN, SORTED, TRANSPOSED, record_of};
use variant_corpus::Level;
use variant_corpus::test::TestParts;
use variant_corpus::verdict::{Severity, Verdict};
use variant_values::handshake::Op;

/// How many passed, of how many that were judged.
type Counts = (usize, usize);

/// Of each layout: authored tests that decode, those that encode, and derived tests.
fn counted(record: &RunRecord) -> BTreeMap<String, [Counts; 3]> {
    let mut counts: BTreeMap<String, [Counts; 3]> = BTreeMap::new();
    for result in &record.verdicts {
        if matches!(result.verdict, Verdict::Open | Verdict::NotClaimed | Verdict::NotRun | Verdict::Skipped) {
            continue;
        }
        let TestParts { layout, op, .. } = result.id();
        let place = if result.is_derived() { 2 } else { usize::from(op != Op::Decode) };
        let (passed, judged) = &mut counts.entry(layout.to_owned()).or_default()[place];
        *passed += usize::from(result.verdict == Verdict::Pass);
        *judged += 1;
    }
    for tally in &record.tallies {
        let layout = tally.of.split_once('/').unwrap().1;
        let (passed, judged) = &mut counts.entry(layout.to_owned()).or_default()[2];
        *passed += tally.pass;
        *judged += tally.pass;
    }
    counts
}

#[test]
fn text_markdown_page_and_badge_show_the_counts_of_the_record() {
    let record = record_of(&[SIGN, TRANSPOSED, SORTED]);
    let summary = Summary::of(&record);
    let text = anstream::adapter::strip_str(&render(&summary, ReportLength::default())).to_string();
    let markdown = markdown::markdown(&record, &summary, markdown::STEP);
    let page = html::page(&record, &summary, false, None).unwrap().replace("<wbr>", "").replace("&#x2f;", "/");
    let of_all = counted(&record);
    for (layout, counts) in &of_all {
        let shown = counts.map(|(passed, judged)| format!("{passed}/{judged}"));
        let shown = shown.iter().filter(|counts| *counts != "0/0");
        let name = label(layout);
        let line = text.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
        let cells = markdown.lines().find(|line| line.contains(&format!("| `{name}` |")));
        // Markdown leaves out types of which everything passed.
        let green = counts.iter().all(|(passed, judged)| passed == judged);
        assert!(cells.is_some() || green, "{layout} is not in the table");
        let begin = page.find(&format!("data-type=\"godot-3/{layout}\"")).unwrap();
        let row = page[begin..].split("</tr>").next().unwrap();
        for counts in shown {
            for view in [Some(line), cells, Some(row)].into_iter().flatten() {
                let number = |at: usize| view[..at].ends_with(|letter: char| letter.is_ascii_digit());
                let found = view.match_indices(counts.as_str()).any(|(at, _)| !number(at));
                assert!(found, "{layout}: no {counts} in {view}");
            }
        }
    }
    let red: Vec<_> = record.verdicts.iter().filter(|result| severity(result) == Severity::Red).collect();
    let types = record.plan.dialects[0].types.len();
    let failed: BTreeSet<&str> = red.iter().map(|result| result.id().layout).collect();
    let both = record.plan.dialects[0].types.iter().filter(|layout| !failed.contains(layout.as_str())).count();
    let headline = format!("{} failures; {both} of {types} types pass both ways", red.len());
    for view in [&markdown, &page] {
        assert!(view.contains(&headline), "{headline}");
    }
    assert!(text.contains(&format!("{both} of {types}")), "{text}");
    let badge = badge::badge(&record, &summary, &record.plan.dialects[0]).unwrap();
    let message = badge["message"].as_str().unwrap();
    assert!(message.ends_with(&format!(" {both}/{types} types")), "{message}");
    let causes: usize = record.causes.iter().map(|cause| cause.tests).sum();
    // Tests of good practice join the causes of required ones.
    let explained = record.verdicts.iter().filter(|result| result.cause.is_some()).count();
    assert_eq!(causes, explained, "each test has one cause");
    assert!(red.iter().all(|result| result.cause.is_some()), "each red test has a cause");
}

/// What an implementation declares is amber, whatever test needs it: required, good practice or derived.
#[test]
fn a_relaxed_test_leaves_no_badge_at_100() {
    let message = |record: &RunRecord| {
        let badge = badge::badge(record, &Summary::of(record), &record.plan.dialects[0]).unwrap();
        badge["message"].as_str().unwrap().to_owned()
    };
    let mut record = record_of(&[]);
    assert!(message(&record).starts_with("100 %, "), "{}", message(&record));
    let wanted = |authored: bool, level: Level| {
        record.verdicts.iter().position(|result| result.is_derived() != authored && result.level == level)
    };
    let (must, should) = (wanted(true, Level::Must).unwrap(), wanted(true, Level::Should).unwrap());
    let mut derived = record.verdicts[must].clone();
    derived.origin = Origin::Derived;
    record.verdicts.push(derived);
    for place in [must, should, record.verdicts.len() - 1] {
        let before = std::mem::replace(&mut record.verdicts[place].verdict, Verdict::Relaxed);
        assert_eq!(severity(&record.verdicts[place]), Severity::Amber);
        assert!(message(&record).starts_with("99 %, "), "{}", message(&record));
        record.verdicts[place].verdict = before;
    }
}

#[test]
fn where_every_failure_is_listed_nothing_says_fail() {
    let mut record = record_of(&[SIGN]);
    for result in record.verdicts.iter_mut().filter(|result| severity(result) == Severity::Red) {
        result.expected_failure = true;
    }
    let summary = Summary::of(&record);
    let text = anstream::adapter::strip_str(&render(&summary, ReportLength::default())).to_string();
    let row = text.lines().find(|line| line.contains(" int ")).unwrap();
    assert_eq!(row.matches("known ").count(), row.matches('/').count(), "{row}");
    assert!(!text.contains("FAIL"), "{text}");
    assert!(!text.contains("probable cause"), "{text}");
    let page = html::page(&record, &summary, false, None).unwrap();
    assert!(page.contains("class=\"derived known\"") && !page.contains("class=\"derived fail\""));
}
