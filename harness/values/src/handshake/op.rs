//! The operations of the protocol.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// An operation of the protocol.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Op {
    /// Bytes to value: `decode`.
    Decode,
    /// Value to bytes: `encode`.
    Encode,
    /// Bytes to value, and the value to bytes again: `reencode`.
    Reencode,
}

impl Op {
    /// The name in the protocol and in test ids.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
