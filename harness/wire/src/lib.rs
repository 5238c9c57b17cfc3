//! Values and the protocol: what goes over the wire between the runner and an implementation, and the trait that both sides share.

pub mod claims;
pub mod compare;
pub mod echo;
pub mod explain;
pub mod glob;
pub mod hello;
pub mod implementation;
pub mod interrupt;
pub mod leaves;
pub mod notation;
pub mod problem;
pub mod protocol;
pub mod reference;
pub mod serve;
pub mod shown;
pub mod slip;
pub mod version;
pub mod whole;
