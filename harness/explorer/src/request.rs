//! Requests of the page, and their replies.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;
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
    reply(request).unwrap_or_else(|error| json!({"error": error}).to_string()).into_bytes()
}

fn reply(request: &[u8]) -> Result<String, String> {
    let specs = SPECS.as_ref().map_err(Clone::clone)?;
    match serde_json::from_slice(request).map_err(|error| error.to_string())? {
        PageRequest::Explore { text } => Ok(pasted_json(&text, specs)),
        PageRequest::Encode { value, dialect } => {
            let dialect = specs.find(&dialect).map_err(|error| error.to_string())?;
            let bytes = encode(&value, dialect, None).map_err(|error| error.to_string())?;
            Ok(json!({"bytes": hex::encode(bytes)}).to_string())
        }
    }
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
