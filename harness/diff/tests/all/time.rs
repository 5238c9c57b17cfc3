//! The time of a campaign holds, with the shrinking of what it found.

use std::time::{Duration, Instant};

use variant_diff::{CampaignPlan, Finding, Observer, Oracle, Participant};
use variant_specs::{JudgedBy, Specs};
use variant_values::diagnostic::Problem;
use variant_values::handshake::Handshake;
use variant_values::implementation::{Answer, Implementation, ImplementationError, Outcomes, RefusalReason, Requests};
use variant_values::interrupt::INTERRUPTED;
use variant_values::reference::Reference;

use crate::support::{campaign, run};

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

/// How many findings were reported.
struct Reported(usize);

impl Observer for Reported {
    fn found(&mut self, _: &Finding, _: &Oracle<'_>) -> Result<(), Problem> {
        self.0 += 1;
        Ok(())
    }
}

#[test]
fn it_ends_in_time_and_shrinks_what_it_found() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let reference = Reference::new(&specs, JudgedBy::Engines);
    // Shrinking alone takes longer than the campaign has.
    let refuses = Refuses { handshake: reference.handshake().clone(), takes: Duration::from_micros(100) };
    let participants = vec![Participant::reference(&specs), Participant::in_process("refuses", Box::new(refuses))];
    let plan = CampaignPlan {
        cases: u64::MAX,
        time: Some(Duration::from_secs(3)),
        shrinking: Duration::from_secs(10_000),
        ..CampaignPlan::default()
    };
    let mut reported = Reported(0);
    let from = Instant::now();
    let result = campaign(&specs, dialect, plan).run(participants, &mut reported).unwrap();
    assert!(from.elapsed() < Duration::from_secs(60), "{:?}", from.elapsed());
    assert_eq!(result.stopped.as_deref(), Some("out of time"));
    assert!(!result.complete && result.findings.len() > 20, "{}", result.findings.len());
    assert_eq!(reported.0, result.findings.len());
}

/// Of a batch that takes longer than the campaign has, what was answered counts.
#[test]
fn what_was_answered_in_time_counts() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let reference = Reference::new(&specs, JudgedBy::Engines);
    let refuses = Refuses { handshake: reference.handshake().clone(), takes: Duration::from_millis(20) };
    let participants = vec![Participant::reference(&specs), Participant::out_of_process("refuses", Box::new(refuses))];
    let plan = CampaignPlan { cases: 10_000, time: Some(Duration::from_secs(4)), ..CampaignPlan::default() };
    let from = Instant::now();
    let result = run(&specs, dialect, plan, participants);
    assert!(from.elapsed() < Duration::from_secs(60), "{:?}", from.elapsed());
    assert_eq!(result.stopped.as_deref(), Some("out of time"));
    assert!(!result.complete && !result.findings.is_empty());
    assert!((1..512).contains(&result.sent), "{}", result.sent);
}

/// A header with an unknown id is one finding, whatever it is in.
#[test]
fn an_unknown_type_is_one_finding() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let lenient = variant_faults::catalogue(&specs, dialect);
    let lenient = lenient.into_iter().find(|mutant| mutant.id.contains("/unknown-type-is-null:")).unwrap();
    let participants = vec![
        Participant::reference(&specs),
        Participant::in_process("lenient", Box::new(variant_faults::Faulty::new(lenient, dialect, JudgedBy::Engines))),
    ];
    let plan = CampaignPlan { cases: 20_000, ..CampaignPlan::default() };
    let result = run(&specs, dialect, plan, participants);
    let mut shown: Vec<&str> = result.findings.iter().map(|finding| finding.smallest.test.id.as_str()).collect();
    shown.sort_unstable();
    // What is decoded wrong is encoded again as other bytes: that is no other finding.
    assert_eq!(shown, ["godot-3/packet/generated-accepted-invalid-unknown-type-header:decode"]);
}

/// It never replies, until the time is over.
struct Hangs(Handshake);

impl Implementation for Hangs {
    fn handshake(&self) -> &Handshake {
        &self.0
    }

    fn send<'a>(&'a mut self, _: Requests<'a>) -> Outcomes<'a> {
        std::thread::sleep(Duration::from_secs(3));
        Box::new(std::iter::once(Err(ImplementationError(INTERRUPTED.to_owned()))))
    }
}

#[test]
fn whoever_has_not_replied_when_the_time_is_over_is_named() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let hangs = Hangs(Reference::new(&specs, JudgedBy::Engines).handshake().clone());
    let participants = vec![Participant::reference(&specs), Participant::out_of_process("hangs", Box::new(hangs))];
    let plan = CampaignPlan { cases: 512, time: Some(Duration::from_secs(2)), ..CampaignPlan::default() };
    let result = campaign(&specs, dialect, plan).run(participants, &mut Reported(0)).unwrap();
    let stopped = result.stopped.unwrap();
    assert!(stopped.starts_with("out of time; hangs had not replied for "), "{stopped}");
}
