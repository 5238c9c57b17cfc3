//! Texts, which have no bytes of the format.

use serde::de::IgnoredAny;

/// What a text is of which nothing else is known.
pub const TEXT: &str = "text";

/// What a text is, and what to do next; `None` if it has letters that no text has.
pub(crate) fn kind_of_text(text: &str) -> Option<(String, String)> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_text = |letter: char| !letter.is_control() || letter.is_whitespace();
    if text.is_empty() || !text.chars().all(is_text) {
        return None;
    }
    let (name, next) = if ["[gd_scene", "[gd_resource"].iter().any(|begin| text.starts_with(begin)) {
        ("a text resource (.tres, .tscn)", "load it with ResourceLoader")
    } else if text.starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        ("JSON", "JSON.parse_string reads it; `conform encode` writes a value like {\"int\":5} as bytes")
    } else if is_config(text) {
        ("a ConfigFile (.cfg, project.godot)", "ConfigFile.load reads it")
    } else if is_variant(text) {
        ("a value as var_to_str writes it", "str_to_var reads it (str2var in Godot 3)")
    } else {
        (TEXT, "there is no packet in it; var_to_bytes and store_var write packets")
    };
    Some((name.to_owned(), next.to_owned()))
}

/// `[section]` and `key=value`.
fn is_config(text: &str) -> bool {
    let lines = || text.lines().map(str::trim);
    let of_key = |letter: char| letter.is_alphanumeric() || "_/.- ".contains(letter);
    let has_key = |line: &str| line.split_once('=').is_some_and(|(key, _)| !key.is_empty() && key.chars().all(of_key));
    let is_section = |line: &str| line.starts_with('[') && line.ends_with(']') && !line.contains([',', '"']);
    lines().any(is_section) && lines().any(has_key)
}

/// `{ "a": Vector2(1, 2) }` or `Vector2(1, 2)`.
fn is_variant(text: &str) -> bool {
    let is_call = text.split_once('(').is_some_and(|(name, _)| {
        name.starts_with(|letter: char| letter.is_ascii_uppercase()) && name.chars().all(char::is_alphanumeric)
    });
    is_call && text.ends_with(')')
        || text.starts_with('{') && text.ends_with('}')
        || text.starts_with("&\"")
        || text.starts_with('[') && text.ends_with(']')
}

/// A text with its length in front, as `put_string` and `store_pascal_string` write it.
pub(super) fn with_length(bytes: &[u8]) -> Option<(String, String)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let fits = [u32::from_le_bytes(*length), u32::from_be_bytes(*length)].contains(&u32::try_from(rest.len()).ok()?);
    let text = std::str::from_utf8(rest).ok().filter(|text| fits && !text.is_empty())?;
    kind_of_text(text)?;
    let name = format!("a text with its length in front: {:?}", crate::sanitize::short(text, 60));
    let next = "get_utf8_string and get_pascal_string read what put_utf8_string and store_pascal_string write";
    Some((name, next.to_owned()))
}
