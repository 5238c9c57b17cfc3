//! Requests of the page, and their replies.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use variant_specs::Specs;
use variant_values::convert::encode;
use variant_values::explore::pasted_json;

/// Layouts and dialects, as the build script resolved them.
static CARRIED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/dialects.postcard"));

static SPECS: LazyLock<Result<Specs, String>> = LazyLock::new(|| {
    let (layouts, dialects) = postcard::from_bytes(CARRIED).map_err(|error| error.to_string())?;
    Ok(Specs::of_dialects(layouts, dialects))
});

/// What the page wants.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum PageRequest {
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
        Ok(PageRequest::Explore { text }) => pasted_json(&text, specs).into_bytes(),
        Ok(PageRequest::Encode { value, dialect }) => encoded(&value, &dialect, specs).to_string().into_bytes(),
        Err(error) => error_of(&error.to_string()).to_string().into_bytes(),
    }
}

fn encoded(value: &str, dialect: &str, specs: &Specs) -> Value {
    let dialect = match specs.find(dialect) {
        Ok(dialect) => dialect,
        Err(unknown) => return error_of(&unknown.to_string()),
    };
    match encode(value, dialect, None) {
        Ok(bytes) => json!({"bytes": hex::encode(bytes)}),
        Err(error) => error_of(&error.to_string()),
    }
}

fn error_of(error: &str) -> Value {
    json!({"error": error})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialects_are_carried_whole() -> Result<(), String> {
        let mut specs = Specs::builtin().map_err(|error| error.to_string())?;
        // There are no files in a page.
        specs.dialects.iter_mut().chain(&mut specs.doubles).for_each(|dialect| dialect.file.clear());
        let carried = SPECS.as_ref().map_err(Clone::clone)?;
        assert_eq!(carried.dialects, specs.dialects);
        assert_eq!(carried.doubles, specs.doubles);
        Ok(())
    }
}
