//! Differential mode: implementations are compared with each other, on generated requests.
//!
//! ```text
//! Dialect ─► strategies ─► Inputs ─► Participants ─► Oracle ─► locate ─► shrink ─► Finding
//!                             └─ a strategy too: batches of requests, each from a seed of its own
//! ```
//!
//! Every participant gets the same requests. The [`Oracle`] decides whether the responses agree, disagree, or differ
//! only in what a host language cannot tell apart. A disagreement is about the innermost value that still shows it when
//! it is sent alone. Disagreements with the same [`Signature`] are one [`FoundDifference`], with a count and the smallest
//! request that shows it.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod blame;
mod campaign;
mod cause;
mod difference;
mod divergences;
mod expected;
mod frame;
mod fuzz_target;
mod inputs;
mod listing;
mod locate;
mod loopback;
mod oracle;
mod participants;
mod parts;
mod queue;
mod record;
mod regressions;
mod relay;
mod report;
mod response;
mod save;
mod seed_corpus;
mod shrink;
mod signature;

pub use blame::Blame;
pub use campaign::{
    Campaign, CampaignPlan, CampaignResult, CampaignTally, FoundDifference, NoopObserver, Observer, Phase,
};
pub use expected::KnownFindings;
pub use fuzz_target::FuzzTarget;
pub use inputs::{BATCH, Inputs};
pub use loopback::LoopbackReference;
pub use oracle::{Arbiter, Disagreement, Oracle, OracleVerdict};
pub use participants::Participant;
pub use record::{CampaignCause, CampaignRecord, CampaignRecordError, FoundRecord, by_cause, cause_ids};
pub use regressions::{BatchSeed, Regressions, packets_in};
pub use report::FindingReport;
pub use response::{FailureKind, Response};
pub use save::{SaveError, answers, save};
pub use seed_corpus::SeedCorpus;
pub use shrink::BatchSteps;
pub use signature::{DisagreementKind, Signature};
pub use variant_strategies::SizeLimits;
