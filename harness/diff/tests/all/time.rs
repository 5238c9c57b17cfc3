//! The time of a campaign holds, with the shrinking of what it found.

use std::time::{Duration, Instant};

use variant_diff::{Campaign, CampaignPlan, Finding, Observer, Oracle, Participant, Phase, SaveError, SeedCorpus};
use variant_specs::{Reading, Specs};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Outcome, RefusalReason, Request};
use variant_wire::interrupt::Interrupt;
use variant_wire::reference::Reference;

/// It refuses everything: a finding for each type and operation.
struct Refuses(Handshake);

impl Implementation for Refuses {
    fn handshake(&self) -> &Handshake {
        &self.0
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, _) in requests.enumerate() {
            // Shrinking alone takes longer than the campaign has.
            std::thread::sleep(Duration::from_micros(100));
            answered(place, Answer::Refused(RefusalReason::default()).into());
        }
        Ok(())
    }
}

#[derive(Default)]
struct Notes {
    phases: Vec<Phase>,
    found: usize,
}

impl Observer for Notes {
    fn phase(&mut self, phase: Phase) {
        self.phases.push(phase);
    }

    fn found(&mut self, _: &Finding, _: &Oracle) -> Result<(), SaveError> {
        self.found += 1;
        Ok(())
    }
}

#[test]
fn it_ends_in_time_and_shrinks_what_it_found() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let reference = Reference::new(&specs, Reading::Engine);
    let refuses = Refuses(reference.handshake().clone());
    let participants = vec![
        Participant::in_process("reference", Box::new(reference)),
        Participant::in_process("refuses", Box::new(refuses)),
    ];
    let plan = CampaignPlan {
        cases: u64::MAX,
        shard: (1_000_000_007, 1 << 40),
        time: Some(Duration::from_secs(3)),
        shrinking: Duration::from_secs(10_000),
        ..CampaignPlan::default()
    };
    let campaign =
        Campaign { specs: &specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() };
    let mut notes = Notes::default();
    let from = Instant::now();
    let result = campaign.run(participants, &mut notes).unwrap();
    assert!(from.elapsed() < Duration::from_secs(60), "{:?}", from.elapsed());
    assert_eq!(result.stopped.as_deref(), Some("the time is over"));
    assert!(!result.complete && result.findings.len() > 20, "{}", result.findings.len());
    // Each is reported once, after its turn.
    assert_eq!(notes.found, result.findings.len());
    let of = result.findings.len();
    let turns = (1..=of).map(|number| Phase::Shrinking { number, of });
    assert_eq!(notes.phases, std::iter::once(Phase::Sending).chain(turns).collect::<Vec<_>>());
}

/// A header with an unknown id is one finding, whatever it is in.
#[test]
fn an_unknown_type_is_one_finding() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let lenient = variant_selftest::mutants(dialect);
    let lenient = lenient.into_iter().find(|mutant| mutant.id.contains("/unknown-type-is-null:")).unwrap();
    let participants = vec![
        Participant::in_process("reference", Box::new(Reference::new(&specs, Reading::Engine))),
        Participant::in_process("lenient", Box::new(variant_selftest::Faulty::new(lenient, dialect, Reading::Engine))),
    ];
    let plan = CampaignPlan { cases: 20_000, ..CampaignPlan::default() };
    let campaign =
        Campaign { specs: &specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() };
    let result = campaign.run(participants, &mut Notes::default()).unwrap();
    let mut shown: Vec<String> = result.findings.iter().map(|finding| finding.smallest.signature.what()).collect();
    shown.sort();
    let of = |op: &str| format!("godot-3/packet:{op} accepts header (unknown-type)");
    assert_eq!(shown, [of("decode"), of("reencode")]);
}
