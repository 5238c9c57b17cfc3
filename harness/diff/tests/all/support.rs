//! What the tests share.

use variant_diff::{Campaign, CampaignPlan, CampaignResult, Participant, SeedCorpus};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::Handshake;
use variant_values::implementation::{Answer, Implementation, Outcomes, Request, Requests};
use variant_values::interrupt::Interrupt;
use variant_values::reference::Reference;

/// A campaign without seeds.
pub(crate) fn campaign<'a>(specs: &'a Specs, dialect: &'a Dialect, plan: CampaignPlan) -> Campaign<'a> {
    Campaign { specs, dialect, seeds: SeedCorpus::default(), plan, interrupt: Interrupt::default() }
}

/// Runs such a campaign.
pub(crate) fn run(specs: &Specs, dialect: &Dialect, plan: CampaignPlan, sides: Vec<Participant>) -> CampaignResult {
    campaign(specs, dialect, plan).run(sides, &mut ()).unwrap()
}

/// The reference codec with other answers.
pub(crate) struct Other {
    pub(crate) handshake: Handshake,
    reference: Reference,
    answer: fn(&Reference, &Request) -> Answer,
}

impl Other {
    pub(crate) fn new(specs: &Specs, answer: fn(&Reference, &Request) -> Answer) -> Self {
        let reference = Reference::new(specs, JudgedBy::Engines);
        Self { handshake: reference.handshake().clone(), reference, answer }
    }
}

impl Implementation for Other {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        let answer = |request: Request| (self.answer)(&self.reference, &request).into();
        Box::new(requests.enumerate().map(move |(place, request)| Ok((place, answer(request)))))
    }
}
