//! What a program claims that has no hello to say it with: a tool that is started for every request.

use serde::Deserialize;

use crate::handshake::{Handshake, Lossy, Op, PROTOCOL, Types};

/// The keys of a hello, all of them optional: `claims:` in `adapter.yaml`, or `--claims`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Claims {
    name: Option<String>,
    version: String,
    language: String,
    dialects: Vec<String>,
    ops: Option<Vec<Op>>,
    types: Option<Types>,
    lossy: Vec<Lossy>,
    ints: Option<String>,
    reals: Option<String>,
    text: Option<String>,
}

impl Claims {
    /// Reads them as JSON.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    /// The hello that the tool cannot say: every operation and every type, where nothing else is claimed.
    ///
    /// # Errors
    /// Where it is not known which dialects it speaks: neither from the claims nor from what was `asked` for.
    pub fn handshake(&self, name: &str, asked: &[String]) -> Result<Handshake, String> {
        let dialects = if self.dialects.is_empty() { asked } else { &self.dialects };
        if dialects.is_empty() {
            return Err(
                "a tool that is started for every request cannot say which dialects it speaks; name them with \
                        --dialect, or as `dialects` of its claims"
                    .to_owned(),
            );
        }
        let claims = self.clone();
        Ok(Handshake {
            protocol: PROTOCOL,
            name: claims.name.unwrap_or_else(|| name.to_owned()),
            version: claims.version,
            language: claims.language,
            dialects: dialects.to_vec(),
            ops: claims.ops.unwrap_or_else(|| vec![Op::Decode, Op::Encode]),
            types: claims.types,
            lossy: claims.lossy,
            max_in_flight: None,
            max_line: None,
            ints: claims.ints,
            reals: claims.reals,
            text: claims.text,
            options: Vec::new(),
        })
    }
}
