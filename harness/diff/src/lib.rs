//! Differential mode: implementations against each other, on questions that nobody wrote.
//!
//! ```text
//! Dialect ─► Grammar ─► Stream ─► Sides ─► Oracle ─► locate ─► shrink ─► Finding
//!               │          └─ values, packets, mutated packets; all from one seed
//!               └─► proptest's strategies, in tests
//! ```
//!
//! A question is put to all sides. The [`oracle`] says whether they agree, part, or nobody can tell. Where they part,
//! the innermost value that parts alone is what it is about ([`locate`]); disagreements with one [`Signature`] are one
//! [`Finding`], with a count and the smallest question that shows it ([`shrink`]).

mod blame;
mod campaign;
mod difference;
mod expected;
mod frame;
mod grammar;
mod grow;
mod legal;
mod listing;
mod locate;
mod mutate;
mod numbers;
mod oracle;
mod parts;
mod queue;
mod random;
mod record;
mod report;
mod said;
mod save;
mod seeds;
mod served;
mod shrink;
mod sides;
mod signature;
mod simpler;
#[cfg(test)]
mod strategy;
mod stream;
mod target;
mod yaml;

pub use blame::Blame;
pub use campaign::{Campaign, Finding, Outcome, Plan, Tally, Unwatched, Watch};
pub use expected::Expected;
pub use grammar::{Element, Form, Grammar, Kind as TypeKind};
pub use grow::{Extent, Grower, Swarm};
pub use legal::Legal;
pub use locate::Disagreement;
pub use oracle::{By, Oracle, Parting, Ruling};
pub use random::Random;
pub use record::{Found, Record};
pub use report::Report;
pub use said::{Failure, Said};
pub use save::{answers, save};
pub use seeds::Seeds;
pub use served::Served;
pub use sides::{Posted, Side, Sides};
pub use signature::{Kind, Signature};
pub use stream::{BATCH, Stream};
pub use target::Target;
