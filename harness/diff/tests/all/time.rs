//! The time of a campaign holds, with the shrinking of what it found; and findings of one cause are one.

use std::time::{Duration, Instant};

use variant_causes::{Accepted, Difference, Lack};
use variant_diff::{
    Blame, Campaign, CampaignPlan, DisagreementKind, FindingReport, FoundDifference, FoundRecord, NoopObserver,
    Observer, Oracle, Participant, Phase, SaveError, SeedCorpus, Signature, by_cause,
};
use variant_specs::{Reading, Specs};
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Answer, Implementation, Outcomes, RefusalReason, Requests};
use variant_wire::interrupt::Interrupt;
use variant_wire::reference::Reference;

/// It refuses everything: a finding for each type and operation.
struct Refuses {
    handshake: Handshake,
    /// How long it takes for each request.
    takes: Duration,
}

impl Implementation for Refuses {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, _)| {
            std::thread::sleep(self.takes);
            Ok((place, Answer::Refused(RefusalReason::default()).into()))
        }))
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

    fn found(&mut self, _: &FoundDifference, _: &Oracle) -> Result<(), SaveError> {
        self.found += 1;
        Ok(())
    }
}

#[test]
fn it_ends_in_time_and_shrinks_what_it_found() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let reference = Reference::new(&specs, Reading::Engine);
    // Shrinking alone takes longer than the campaign has.
    let refuses = Refuses { handshake: reference.handshake().clone(), takes: Duration::from_micros(100) };
    let participants = vec![
        Participant::in_process("reference", Box::new(reference)),
        Participant::in_process("refuses", Box::new(refuses)),
    ];
    let plan = CampaignPlan {
        cases: u64::MAX,
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
    assert_eq!(result.stopped.as_deref(), Some("out of time"));
    assert!(!result.complete && result.findings.len() > 20, "{}", result.findings.len());
    // Each is reported once, after its turn.
    assert_eq!(notes.found, result.findings.len());
    let of = result.findings.len();
    let turns = (1..=of).map(|number| Phase::Shrinking { number, of });
    assert_eq!(notes.phases, std::iter::once(Phase::Sending).chain(turns).collect::<Vec<_>>());
}

/// Of a batch that takes longer than the campaign has, what was answered counts.
#[test]
fn what_was_answered_in_time_counts() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let reference = Reference::new(&specs, Reading::Engine);
    let refuses = Refuses { handshake: reference.handshake().clone(), takes: Duration::from_millis(20) };
    let participants = vec![
        Participant::in_process("reference", Box::new(reference)),
        Participant::out_of_process("refuses", Box::new(refuses), dialect),
    ];
    let plan = CampaignPlan { cases: 10_000, time: Some(Duration::from_secs(4)), ..CampaignPlan::default() };
    let campaign =
        Campaign { specs: &specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() };
    let from = Instant::now();
    let result = campaign.run(participants, &mut NoopObserver).unwrap();
    assert!(from.elapsed() < Duration::from_secs(60), "{:?}", from.elapsed());
    assert_eq!(result.stopped.as_deref(), Some("out of time"));
    assert!(!result.complete && !result.findings.is_empty());
    assert!((1..512).contains(&result.tally.sent), "{}", result.tally.sent);
}

/// A header with an unknown id is one finding, whatever it is in.
#[test]
fn an_unknown_type_is_one_finding() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let lenient = variant_faults::catalogue(&specs, dialect);
    let lenient = lenient.into_iter().find(|mutant| mutant.id.contains("/unknown-type-is-null:")).unwrap();
    let participants = vec![
        Participant::in_process("reference", Box::new(Reference::new(&specs, Reading::Engine))),
        Participant::in_process("lenient", Box::new(variant_faults::Faulty::new(lenient, dialect, Reading::Engine))),
    ];
    let plan = CampaignPlan { cases: 20_000, ..CampaignPlan::default() };
    let campaign =
        Campaign { specs: &specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() };
    let result = campaign.run(participants, &mut Notes::default()).unwrap();
    let mut shown: Vec<String> = result.findings.iter().map(|finding| finding.smallest.signature.what()).collect();
    shown.sort();
    // What is decoded wrong is encoded again as other bytes: that is no other finding.
    assert_eq!(shown, ["godot-3/packet:decode accepts header (unknown-type)"]);
    let reference = Reference::new(&specs, Reading::Engine);
    let report = FindingReport {
        specs: &specs,
        dialect,
        blame: Blame::new(&specs, dialect, None),
        names: vec!["reference".to_owned(), "lenient".to_owned()],
        handshakes: vec![reference.handshake().clone(), reference.handshake().clone()],
    };
    let causes = result.findings.iter().map(|finding| report.cause(finding));
    let signatures = result.findings.iter().map(|finding| finding.smallest.signature.clone());
    let records: Vec<FoundRecord> = signatures.zip(causes).map(recorded).collect();
    let [cause] = by_cause(&records).try_into().unwrap();
    assert_eq!(cause.headline, "header: an unknown type id is accepted");
    assert_eq!(cause.extent(), "lenient, once: packet; decode  (godot-3/header-accepts-unknown-type)");
}

fn recorded((signature, cause): (Signature, Difference)) -> FoundRecord {
    FoundRecord {
        signature,
        cause,
        layouts: Vec::new(),
        legal: None,
        expected: None,
        count: 1,
        batch: 0,
        bytes: 4,
        shown: vec!["  shown".to_owned()],
        repeat: String::new(),
    }
}

fn found(lack: Lack, place: &str, layout: &str, op: Op, kind: DisagreementKind) -> (Signature, Difference) {
    let signature = Signature {
        dialect: "godot-3".to_owned(),
        layout: layout.to_owned(),
        op,
        field: String::new(),
        kind,
        why: String::new(),
        odd: vec!["it".to_owned()],
        others: vec!["reference".to_owned()],
    };
    (signature, Difference { lack, place: place.to_owned() })
}

/// What dies of a type within a container is of that type. A text whose length is counted too low is cut there.
#[test]
fn what_explains_another_finding_is_one_with_it() {
    use DisagreementKind::{Bytes, Crashes};
    let crash = || Lack::Crashes(String::new());
    let all = [
        (found(crash(), "header", "plane", Op::Decode, Crashes), &["plane"][..]),
        (found(crash(), "value", "dictionary", Op::Decode, Crashes), &["dictionary", "plane"]),
        (found(crash(), "value", "dictionary", Op::Decode, Crashes), &["dictionary", "int"]),
        (found(Lack::CharacterLength, "text", "string", Op::Encode, Bytes), &["string"]),
        (found(Lack::TextEnd, "text", "string", Op::Encode, Bytes), &["string"]),
        (found(Lack::TextEnd, "text", "string", Op::Decode, Bytes), &["string"]),
    ];
    let records: Vec<FoundRecord> = all
        .into_iter()
        .map(|(finding, layouts)| FoundRecord {
            layouts: layouts.iter().map(|layout| (*layout).to_owned()).collect(),
            ..recorded(finding)
        })
        .collect();
    let causes = by_cause(&records);
    let sizes: Vec<(&str, usize)> = causes.iter().map(|cause| (cause.id.as_str(), cause.findings.len())).collect();
    assert_eq!(sizes, [("plane-crashes", 2), ("value-crashes", 1), ("text-character-length", 2), ("text-text-end", 1)]);
}

/// Findings with one cause are one, whatever the operation and type; others stay apart.
#[test]
fn findings_of_one_cause_are_one() {
    use DisagreementKind::{Accepts, Bytes, Crashes, Refuses, Value};
    let refuses = || Lack::Refuses("buffer holds no such type …".to_owned());
    let early = || Lack::Accepts(Accepted::BeyondTheEnd);
    let all = [
        found(Lack::TextEnd, "text", "string", Op::Decode, Value),
        found(Lack::TextEnd, "text", "node_path", Op::Reencode, Bytes),
        found(early(), "header", "int", Op::Decode, Accepts),
        found(early(), "header", "float", Op::Reencode, Accepts),
        found(early(), "text", "string", Op::Decode, Accepts),
        found(Lack::Crashes(String::new()), "header", "float", Op::Reencode, Crashes),
        found(refuses(), "aabb", "aabb", Op::Decode, Refuses),
        found(refuses(), "basis", "basis", Op::Decode, Refuses),
        found(Lack::Refuses(String::new()), "rid", "rid", Op::Decode, Refuses),
        found(Lack::Refuses(String::new()), "null", "null", Op::Encode, Refuses),
    ];
    let records: Vec<FoundRecord> = all.into_iter().map(recorded).collect();
    let causes = by_cause(&records);
    let sizes: Vec<(&str, usize)> = causes.iter().map(|cause| (cause.id.as_str(), cause.findings.len())).collect();
    assert_eq!(
        sizes,
        [
            ("text-text-end", 2),
            ("header-accepts-beyond-the-end", 2),
            ("text-accepts-beyond-the-end", 1),
            ("float-crashes", 1),
            ("refuses-buffer-holds-no-such-type", 2),
            ("rid-refuses", 1),
            ("null-refuses", 1),
        ]
    );
}

/// That too much is counted as consumed is another fault than that padding is not.
#[test]
fn too_many_bytes_consumed_are_no_padding_that_is_not_counted() {
    let length = DisagreementKind::Length;
    let all = [
        found(Lack::PaddingLength, "text", "string_array", Op::Decode, length),
        found(Lack::ExtraLength, "byte_array", "byte_array", Op::Decode, length),
    ];
    let records: Vec<FoundRecord> = all.into_iter().map(recorded).collect();
    let headlines: Vec<String> = by_cause(&records).into_iter().map(|cause| cause.headline).collect();
    assert_eq!(
        headlines,
        [
            "text: the padding is not counted in the bytes consumed",
            "byte_array: the right value, but more bytes consumed than it has"
        ]
    );
}
