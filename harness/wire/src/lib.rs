//! Values and the protocol: what goes over the wire between the runner and an implementation, and the trait that both sides share.

pub mod atomic_write;
pub mod claims;
pub mod compare;
pub mod diagnostic;
pub mod echo;
pub mod explain;
pub mod fields;
pub mod glob;
pub mod handshake;
pub mod implementation;
pub mod interrupt;
pub mod malformed_reply;
pub mod protocol;
pub mod reference;
pub mod sanitize;
pub mod serve;
pub mod value_text;
pub mod version;
