//! Requests of the page, and their replies.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use variant_specs::Specs;
use variant_wire::explore::{encode, pasted_json};

static SPECS: LazyLock<Result<Specs, String>> = LazyLock::new(|| Specs::builtin().map_err(|error| error.to_string()));

/// What the page wants.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    /// To see what a text or bytes mean.
    Explore { text: String },
    /// To have the bytes of a value.
    Encode { value: String, dialect: String },
}

/// The reply to a request; `{"error": …}` if there is none.
pub(crate) fn answer(request: &[u8]) -> Vec<u8> {
    let specs = match SPECS.as_ref() {
        Ok(specs) => specs,
        Err(error) => return error_of(error).to_string().into_bytes(),
    };
    match serde_json::from_slice(request) {
        Ok(Request::Explore { text }) => pasted_json(&text, specs).into_bytes(),
        Ok(Request::Encode { value, dialect }) => match encode(&value, &dialect, specs) {
            Ok(bytes) => json!({"bytes": hex::encode(bytes)}),
            Err(error) => error_of(&error),
        }
        .to_string()
        .into_bytes(),
        Err(error) => error_of(&error.to_string()).to_string().into_bytes(),
    }
}

fn error_of(error: &str) -> Value {
    json!({"error": error})
}
