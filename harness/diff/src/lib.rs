//! Differential mode: implementations are compared with each other, on generated requests.
//!
//! ```text
//! Dialect ─► strategies ─► Inputs ─► Sides ─► Oracle ─► locate ─► shrink ─► Finding ─► record of a run
//! ```
//!
//! Every side gets the same requests. The [`Oracle`] makes the reply of the reference codec an expectation, or where it takes
//! no part that of most sides, and the judge of runs judges the others. A wrong reply is about the innermost value that still
//! shows it when it is sent alone. Wrong replies of a side with the same test id are one [`Finding`], with a count and the
//! smallest request that shows it.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod campaign;
mod divergences;
mod failed;
mod frame;
mod fuzz_target;
mod inputs;
mod locate;
mod loopback;
mod oracle;
mod parts;
mod record;
mod save;
mod seed_corpus;
mod shrink;
mod sides;

pub use campaign::{Campaign, CampaignPlan, CampaignResult, Finding, Observer};
pub use failed::Failed;
pub use fuzz_target::FuzzTarget;
pub use inputs::BATCH;
pub use loopback::LoopbackReference;
pub use oracle::Oracle;
pub use record::{add_to_record, begin_record, tests};
pub use save::save;
pub use seed_corpus::SeedCorpus;
pub use sides::Participant;
