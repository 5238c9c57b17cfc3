//! Seeds of batches: what was found is found again from them alone, in a campaign and in proptest's own runner.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestError, TestRunner};
use variant_diff::{
    Campaign, CampaignPlan, CampaignResult, FuzzTarget, NoopObserver, Participant, Regressions, SeedCorpus, packets_in,
};
use variant_faults::{Faulty, catalogue};
use variant_specs::{Dialect, Reading, Specs};
use variant_strategies::Packet;
use variant_values::implementation::Request;
use variant_values::interrupt::Interrupt;

/// A codec that loses the sign of a zero in vectors.
fn faulty(specs: &Specs, dialect: &Dialect) -> Faulty {
    let mut all = catalogue(specs, dialect).into_iter();
    let fault = all.find(|mutant| mutant.id.contains("/minus-zero-lost-in-vectors:decode")).unwrap();
    Faulty::new(fault, dialect, Reading::Engine)
}

fn campaign(specs: &Specs, plan: CampaignPlan) -> CampaignResult {
    let dialect = specs.dialect("godot-3").unwrap();
    let participants =
        vec![Participant::reference(specs), Participant::in_process("faulty", Box::new(faulty(specs, dialect)))];
    let campaign = Campaign { specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() };
    campaign.run(participants, &mut NoopObserver).unwrap()
}

fn found(results: &[CampaignResult]) -> BTreeSet<String> {
    let findings = results.iter().flat_map(|result| &result.findings);
    findings.map(|finding| finding.smallest.test.id.to_string()).collect()
}

#[test]
fn a_regression_is_sent_again_by_a_campaign_and_by_proptest() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("godot-3.txt");
    let plan =
        |cases, regressions| CampaignPlan { cases, regressions, shrinking: Duration::ZERO, ..Default::default() };
    // Whole batches.
    let first = campaign(&specs, plan(4_608, Vec::new()));
    let mut file = Regressions::new(&path);
    for finding in &first.findings {
        file.add(&finding.seed, &finding.smallest.test.id, &Packet(vec![7]));
        file.add(&finding.seed, &finding.smallest.test.id, &Packet(vec![7]));
    }
    let known = Regressions::new(&path).known().to_vec();
    let seeds: BTreeSet<String> = first.findings.iter().map(|finding| finding.seed.to_string()).collect();
    assert_eq!(known.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), seeds);
    assert_eq!(known.len(), seeds.len());
    assert_eq!(packets_in(&std::fs::read_to_string(&path).unwrap()), vec![vec![7]; seeds.len()]);
    let again = campaign(&specs, plan(0, known.clone()));
    assert_eq!(found(std::slice::from_ref(&again)), found(std::slice::from_ref(&first)));
    assert!(again.complete);
    // proptest's runner reads the same file, and shrinks the first batch to one request.
    let target = FuzzTarget::new(&specs, dialect, Box::new(faulty(&specs, dialect))).unwrap();
    let inputs = target.inputs();
    let target = RefCell::new(target);
    let file = FileFailurePersistence::Direct(path.to_str().unwrap().to_owned().leak());
    let config =
        Config { cases: 0, max_shrink_iters: 4096, failure_persistence: Some(Box::new(file)), ..Config::default() };
    let agree = |requests: Vec<Request>| {
        prop_assert_eq!(target.borrow_mut().check_all(requests).unwrap(), None);
        Ok(())
    };
    let TestError::Fail(_, batch) = TestRunner::new(config).run(&inputs, agree).unwrap_err() else {
        panic!("it fails")
    };
    let [request] = batch.as_slice() else { panic!("{batch:?}") };
    assert!(format!("{:?}", request.input).len() < 400, "{request:?}");
}
