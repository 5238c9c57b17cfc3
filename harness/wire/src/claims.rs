//! The claims of a one-shot tool, which is started for every request and has no handshake.

use serde::Deserialize;
use thiserror::Error;

use crate::handshake::{FramingWord, Handshake, Limit, Lossy, Op, PROTOCOL, Types};

/// The keys of a handshake, all optional: `claims:` in `adapter.yaml`, or `--claims`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Claims {
    name: Option<String>,
    version: String,
    language: String,
    dialects: Vec<String>,
    ops: Option<Vec<Op>>,
    types: Option<Types>,
    lossy: Vec<Lossy>,
    limits: Vec<Limit>,
    engine: Option<String>,
    ints: Option<String>,
    reals: Option<String>,
    text: Option<String>,
    framed: Option<FramingWord>,
}

/// Neither the claims nor `--dialect` name a dialect.
#[derive(Debug, Clone, Copy, Error)]
#[error(
    "a tool that is started for every request cannot say which dialects it speaks; name them with --dialect, or as \
     `dialects` of its claims"
)]
pub struct NoDialect;

impl Claims {
    /// Reads claims from JSON.
    ///
    /// # Errors
    /// If the text is not JSON, has an unknown key, or has a value of the wrong type.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// The handshake of the tool: every type, decode and encode, unless something else is claimed. `name` and
    /// `selected` (dialects) are used where the claims have none.
    ///
    /// # Errors
    /// [`NoDialect`], if neither the claims nor `selected` name a dialect.
    pub fn handshake(&self, name: &str, selected: &[String]) -> Result<Handshake, NoDialect> {
        let dialects = if self.dialects.is_empty() { selected } else { &self.dialects };
        if dialects.is_empty() {
            return Err(NoDialect);
        }
        let claims = self.clone();
        Ok(Handshake {
            protocol: PROTOCOL,
            name: claims.name.unwrap_or_else(|| name.to_owned()),
            version: claims.version,
            language: claims.language,
            engine: claims.engine,
            dialects: dialects.to_vec(),
            ops: claims.ops.unwrap_or_else(|| vec![Op::Decode, Op::Encode]),
            types: claims.types,
            lossy: claims.lossy,
            limits: claims.limits,
            max_in_flight: None,
            max_line: None,
            ints: claims.ints,
            reals: claims.reals,
            text: claims.text,
            options: Vec::new(),
            framing: Vec::new(),
            framed: claims.framed,
            frames: None,
        })
    }
}
