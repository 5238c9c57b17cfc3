//! Data of a page, made safe: no text in it ends a block or moves what is around it.

use serde::Serialize;
use variant_values::sanitize;

/// A block of JSON that no text in it can end: `<` and the line ends of old scripts are escaped.
pub(super) fn json(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    sanitize::json(&text).replace('<', "\\u003c")
}

/// Data in which no text hides, reorders or moves what is around it.
pub(super) fn clean(data: &impl Serialize) -> serde_json::Value {
    let mut cleaned = serde_json::to_value(data).unwrap_or_default();
    clean_texts(&mut cleaned);
    cleaned
}

fn clean_texts(data: &mut serde_json::Value) {
    match data {
        serde_json::Value::String(text) => *text = sanitize::lines(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(clean_texts),
        serde_json::Value::Object(entries) => entries.values_mut().for_each(clean_texts),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_block_of_json() {
        let hostile = "</script><script>alert(1)</script><!--\u{2028}\u{2029}";
        let block = json(&hostile);
        assert!(!block.contains('<') && !block.contains('\u{2028}') && !block.contains('\u{2029}'), "{block}");
        assert_eq!(serde_json::from_str::<String>(&block).unwrap(), hostile);
    }
}
