//! The record of a campaign is one of a run, and the judge is that of runs.

use std::path::Path;
use std::time::Duration;

use variant_corpus::Corpus;
use variant_diff::{CampaignPlan, CampaignResult, Participant, add_to_record, begin_record, tests};
use variant_faults::{Faulty, catalogue};
use variant_runner::record::{RunRecord, joined};
use variant_runner::record_writer::lines;
use variant_runner::results::CampaignSettings;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::reference::Reference;

use crate::support::run;

/// A codec that loses the sign of a zero in vectors.
fn faulty(specs: &Specs, dialect: &Dialect) -> Participant {
    let mut all = catalogue(specs, dialect).into_iter();
    let fault = all.find(|mutant| mutant.id.contains("/minus-zero-lost-in-vectors:decode")).unwrap();
    Participant::in_process("faulty", Box::new(Faulty::new(fault, dialect, JudgedBy::Engines)))
}

fn right(specs: &Specs) -> Participant {
    Participant::in_process("right", Box::new(Reference::new(specs, JudgedBy::Engines)))
}

fn campaign(specs: &Specs, dialect: &Dialect, seed: u64, sides: Vec<Participant>) -> CampaignResult {
    let plan = CampaignPlan { seed, cases: 5_120, shrinking: Duration::from_secs(60), ..CampaignPlan::default() };
    run(specs, dialect, plan, sides)
}

#[test]
fn records_of_several_seeds_are_joined() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &specs).unwrap();
    let record = |seed| {
        let side = faulty(&specs, dialect);
        let settings = CampaignSettings { seed, cases: 5_120, sides: vec!["reference".into(), "faulty".into()] };
        let handshake = side.handshake().clone();
        let mut record = begin_record(&corpus, "faulty", &handshake, settings, Vec::new());
        let result = campaign(&specs, dialect, seed, vec![Participant::reference(&specs), side]);
        add_to_record(&mut record, 1, dialect, &result, &corpus, &specs);
        RunRecord::read(lines(&record).as_bytes()).unwrap()
    };
    let [one, other] = [record(1), record(2)];
    assert_eq!((one.end.executed, one.end.complete), (5_120, true));
    assert!(!one.verdicts.is_empty() && one.verdicts.iter().all(|verdict| verdict.detail.is_some()));
    let all = tests(&one, dialect);
    let found = all.iter().filter(|test| one.verdicts.iter().any(|verdict| verdict.test == test.id));
    assert_eq!(found.count(), one.verdicts.len());
    // The others are like these, and were answered right.
    assert!(all.len() > one.verdicts.len(), "{}", all.len());
    let both = joined(vec![("one".to_owned(), one.clone()), ("other".to_owned(), other)]).unwrap();
    assert_eq!(both.end.executed, 10_240);
    assert!(RunRecord::read(lines(&both).as_bytes()).is_ok());
}

/// Where the reference codec takes no part, what most sides reply is right; where there are two, the reference decides.
#[test]
fn most_sides_are_right() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let wrong = |sides| {
        let result = campaign(&specs, dialect, 1, sides);
        let mut wrong: Vec<(usize, bool)> =
            result.findings.iter().map(|one| (one.smallest.side, one.smallest.undecided)).collect();
        wrong.sort_unstable();
        wrong.dedup();
        wrong
    };
    assert_eq!(wrong(vec![faulty(&specs, dialect), right(&specs)]), [(0, false)]);
    assert_eq!(wrong(vec![right(&specs), faulty(&specs, dialect), right(&specs)]), [(1, false)]);
    // The reference codec has another opinion, so it is for a person to decide.
    assert_eq!(wrong(vec![faulty(&specs, dialect), right(&specs), faulty(&specs, dialect)]), [(1, true)]);
}
