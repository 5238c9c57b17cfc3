//! Framing: the length that files and streams put in front of a packet.

use alloc::vec::Vec;

use crate::codec::{Codec, Decoded};
use crate::error::{DecodeError, EncodeError, Refusal};
use crate::value::Value;

/// The byte order of the length; the packet itself is always little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Framing {
    /// Little-endian, as `store_var` and `put_var` write it.
    U32Le,
    /// Big-endian, as they write it if the file or stream is set to that.
    U32Be,
}

impl Framing {
    /// How many bytes the length has.
    pub const PREFIX: usize = 4;
    /// Every framing, little-endian first.
    pub const ALL: [Self; 2] = [Self::U32Le, Self::U32Be];

    /// The word for it in the protocol: `u32le` or `u32be`.
    pub fn name(self) -> &'static str {
        match self {
            Self::U32Le => "u32le",
            Self::U32Be => "u32be",
        }
    }

    /// The framing of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|framing| framing.name() == name)
    }

    /// The length in a prefix.
    pub fn length(self, prefix: [u8; Self::PREFIX]) -> u32 {
        match self {
            Self::U32Le => u32::from_le_bytes(prefix),
            Self::U32Be => u32::from_be_bytes(prefix),
        }
    }

    /// The bytes of a prefix with this length.
    pub fn prefix(self, length: u32) -> [u8; Self::PREFIX] {
        match self {
            Self::U32Le => length.to_le_bytes(),
            Self::U32Be => length.to_be_bytes(),
        }
    }
}

impl Codec {
    /// Reads a length and the packet of that length. All of it counts as used, whatever follows the value.
    ///
    /// # Errors
    /// What is wrong; offsets count from the length's first byte.
    pub fn decode_framed(&self, input: &[u8], framing: Framing) -> Result<Decoded, DecodeError> {
        let Some((prefix, rest)) = input.split_first_chunk() else {
            return Err(DecodeError { at: 0, kind: Refusal::Truncated });
        };
        let length = framing.length(*prefix) as usize;
        let packet = rest.get(..length).ok_or(DecodeError { at: 0, kind: Refusal::Length })?;
        let decoded = self.decode(packet).map_err(|error| DecodeError { at: error.at + Framing::PREFIX, ..error })?;
        Ok(Decoded { value: decoded.value, used: Framing::PREFIX + length })
    }

    /// The packet of a value, with its length prefix.
    ///
    /// # Errors
    /// The same errors as [`Codec::encode`]; also [`EncodeError::TooLong`] if the packet's length does not fit.
    pub fn encode_framed(&self, value: &Value, framing: Framing) -> Result<Vec<u8>, EncodeError> {
        let mut packet = Vec::from([0; Framing::PREFIX]);
        self.encode_into(value, &mut packet)?;
        let length = u32::try_from(packet.len() - Framing::PREFIX).map_err(|_| EncodeError::TooLong)?;
        packet[..Framing::PREFIX].copy_from_slice(&framing.prefix(length));
        Ok(packet)
    }
}
