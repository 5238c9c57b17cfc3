//! Bytes within a longer text: a log, or JSON.

use super::plain::{base64, numbers};
use super::{json_bytes, read, strings};
use crate::sanitize::short;

/// How deep JSON is looked into, and how many bytes are found in it.
const DEEP: usize = 16;
const FOUND: usize = 16;
/// Fewer bytes in a text are nothing.
const LEAST: usize = 8;

/// All in a text that may be bytes, each with where it is: hex in a line of a log; in JSON, texts in one of the forms and
/// lists of numbers.
pub(crate) fn in_text(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    if let Ok(json) = serde_json::from_str(text) {
        look(&json, "", DEEP, &mut found);
        return found;
    }
    let forms = [
        ("hex", runs_in(text, |word| hex::decode(word.trim_start_matches("0x")).ok())),
        ("list in brackets", lists_in(text)),
        ("string", strings::in_text(text)),
        ("list", runs_in(text, |word| Some(vec![word.parse().ok()?]))),
        ("base64", text.split_whitespace().filter_map(base64).collect()),
    ];
    for (form, all) in forms {
        let long = all.into_iter().filter(|bytes| bytes.len() >= LEAST);
        found.extend(long.map(|bytes| (format!("text; the {form}"), bytes)));
    }
    found
}

fn look(json: &serde_json::Value, path: &str, deep: usize, found: &mut Vec<(String, Vec<u8>)>) {
    if found.len() >= FOUND {
        return;
    }
    let in_text = || read(json.as_str()?).ok().map(|pasted| pasted.bytes);
    if let Some(bytes) = json_bytes(json).or_else(in_text) {
        found.push((format!("JSON; `{path}`"), bytes));
        return;
    }
    let Some(deep) = deep.checked_sub(1) else { return };
    if let serde_json::Value::Object(object) = json {
        for (key, value) in object {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            look(value, &short(&path, 60), deep, found);
        }
    } else if let serde_json::Value::Array(items) = json {
        for (place, value) in items.iter().enumerate() {
            look(value, &format!("{path}[{place}]"), deep, found);
        }
    }
}

/// Lists of bytes in `[]`.
fn lists_in(text: &str) -> Vec<Vec<u8>> {
    let lists = text.split('[').skip(1).filter_map(|behind| behind.split_once(']'));
    lists.filter_map(|(list, _)| numbers(list, text).ok()).collect()
}

/// Bytes in one word or several, one after the other.
fn runs_in(text: &str, bytes_of: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let marks = |letter: char| !letter.is_ascii_alphanumeric();
    // `pkt=1b00`, but not `12:05:33`.
    let is_name = |name: &str| name.contains(|letter: char| !letter.is_ascii_hexdigit());
    let value = |word| match str::split_once(word, ['=', ':']) {
        Some((name, value)) if !value.is_empty() && is_name(name) => value,
        Some(_) | None => word,
    };
    let words = text.split_whitespace().map(|word| bytes_of(value(word).trim_matches(marks)));
    let (mut found, mut run) = (Vec::new(), Vec::new());
    for word in words.chain([None]) {
        match word {
            Some(bytes) => run.extend(bytes),
            None => found.push(std::mem::take(&mut run)),
        }
    }
    found
}
