//! The time of a campaign holds, with the shrinking of what it found; and findings of one cause are one.

use std::time::{Duration, Instant};

use variant_diff::{
    Campaign, CampaignPlan, DisagreementKind, Finding, FindingRecord, Observer, Oracle, Participant, Phase, SaveError,
    SeedCorpus, Signature, by_cause,
};
use variant_specs::{Reading, Specs};
use variant_wire::handshake::{Handshake, Op};
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
    let records: Vec<FindingRecord> = result.findings.iter().map(recorded).collect();
    let text = by_cause(&records);
    assert_eq!(text.lines().filter(|line| line.starts_with("godot-3/")).count(), 1, "{text}");
    assert_eq!(text.matches("\n  the same cause: godot-3/packet:").count(), 1, "{text}");
}

fn recorded(finding: &Finding) -> FindingRecord {
    FindingRecord {
        signature: finding.smallest.signature.clone(),
        legal: None,
        expected: None,
        count: finding.count,
        batch: finding.batch.unwrap_or(0),
        bytes: 4,
        shown: vec!["  shown".to_owned()],
        repeat: String::new(),
    }
}

/// Findings with one cause are one, whatever the operation and type: no more than these follow from one fault. Others stay
/// apart, and each signature is named.
#[test]
fn findings_of_one_cause_are_one() {
    let signature = |layout: &str, op, field: &str, kind, why: &str| Signature {
        dialect: "godot-3".to_owned(),
        layout: layout.to_owned(),
        op,
        field: field.to_owned(),
        kind,
        why: why.to_owned(),
        odd: vec!["it".to_owned()],
        others: vec!["reference".to_owned()],
    };
    let all = [
        signature("string", Op::Decode, "text", DisagreementKind::Value, ""),
        signature("string", Op::Reencode, "text", DisagreementKind::Bytes, ""),
        signature("string", Op::Decode, "", DisagreementKind::Length, ""),
        signature("int", Op::Decode, "behind header", DisagreementKind::Accepts, "truncated"),
        signature("float", Op::Reencode, "behind header", DisagreementKind::Accepts, "truncated"),
        signature("float", Op::Reencode, "behind header", DisagreementKind::Crashes, ""),
        signature("vector2", Op::Decode, "x", DisagreementKind::Value, ""),
        signature("vector3", Op::Decode, "x", DisagreementKind::Value, ""),
    ];
    let record = |(place, signature): (usize, Signature)| FindingRecord {
        signature,
        legal: None,
        expected: None,
        count: 1,
        batch: 0,
        bytes: 100 - place,
        shown: vec!["  shown".to_owned()],
        repeat: String::new(),
    };
    let records: Vec<FindingRecord> = all.iter().cloned().enumerate().map(record).collect();
    let text = by_cause(&records);
    let titles: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    assert_eq!(titles.len(), 6, "{text}");
    // The smallest is the one in full.
    assert!(
        titles[0].starts_with("godot-3/string:reencode bytes text") && titles[2].starts_with("godot-3/float:"),
        "{text}"
    );
    assert!(all.iter().all(|signature| text.contains(&signature.to_string())), "{text}");
}
