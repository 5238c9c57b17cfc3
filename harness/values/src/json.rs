//! What JSON of the protocol has in several places: whole numbers, and bytes in hex.

use serde::{Deserialize, Deserializer};

/// Decodes hex digits. A `0x` in front, which the library would skip, is an error: it leaves the buffer too long.
pub(crate) fn decode_hex(hex: &str) -> Result<Vec<u8>, hex::FromHexError> {
    let mut bytes = vec![0; hex.len() / 2];
    hex::decode_to_slice(hex, &mut bytes)?;
    Ok(bytes)
}

/// Reads a whole number that may be absent.
pub(crate) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
}

/// A whole number, also written `1.0`, as Godot's JSON prints every number.
#[derive(Deserialize)]
#[serde(try_from = "serde_json::Number")]
pub(crate) struct Whole(pub(crate) u64);

impl TryFrom<serde_json::Number> for Whole {
    type Error = String;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and small")]
    fn try_from(number: serde_json::Number) -> Result<Self, String> {
        match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => Ok(Self(whole)),
            (None, Some(float)) if float.fract() == 0.0 && (0.0..9.0e15).contains(&float) => Ok(Self(float as u64)),
            _ => Err(format!("`seq` and `used` must be whole numbers from 0 on, not {number}")),
        }
    }
}
