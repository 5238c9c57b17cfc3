//! The handshake reply, key by key.

use serde_json::{Map, Value};
use variant_specs::Specs;

use super::check::Found;
use variant_values::handshake::{Handshake, Op};
use variant_values::sanitize::short;

/// How much is shown of a key that is none.
const NAME: usize = 100;
/// The shortest useful `max_line`, in bytes.
const SHORTEST_LINE: usize = 1 << 10;

pub(super) fn check(handshake: &Handshake, object: &Map<String, Value>, specs: &Specs) -> Found {
    if let Some(wrong) = wrong(handshake, specs) {
        return Found::Bad(wrong);
    }
    let remarks = remarks(handshake, object, specs);
    if remarks.is_empty() {
        Found::Good(format!("{} {}", handshake.name, handshake.version).trim_end().to_owned())
    } else {
        Found::Remark(remarks.join("; "))
    }
}

fn wrong(handshake: &Handshake, specs: &Specs) -> Option<String> {
    if handshake.name.trim().is_empty() {
        return Some("`name` is empty; reports show it".to_owned());
    }
    if let Some(unknown) = handshake.unknown_dialects(specs).or_else(|| handshake.unknown_layout(specs)) {
        return Some(unknown);
    }
    if handshake.types.is_some() && handshake.claimed().is_empty() {
        return Some("`types` is empty, so there is nothing to test; leave it out if it supports all".to_owned());
    }
    let words =
        [("ints", &handshake.ints, "strings"), ("reals", &handshake.reals, "bits"), ("text", &handshake.text, "hex")];
    for (key, actual, word) in words {
        if let Some(actual) = actual.as_ref().filter(|actual| *actual != word) {
            return Some(format!("`{key}` is {actual:?}; write {word:?}, or leave it out"));
        }
    }
    if handshake.max_in_flight == Some(0) {
        return Some("`max_in_flight` is 0, so nothing can be sent; it must be at least 1".to_owned());
    }
    handshake.max_line.filter(|limit| *limit < SHORTEST_LINE).map(|limit| {
        format!("`max_line` is {limit} bytes, less than most requests; read lines of any length, or at least {SHORTEST_LINE}")
    })
}

fn remarks(handshake: &Handshake, object: &Map<String, Value>, specs: &Specs) -> Vec<String> {
    let mut remarks = Vec::new();
    for (key, text) in [("version", &handshake.version), ("language", &handshake.language)] {
        if text.trim().is_empty() {
            remarks.push(format!("`{key}` is missing; reports show it"));
        }
    }
    if handshake.ops.contains(&Op::Decode)
        && handshake.ops.contains(&Op::Encode)
        && !handshake.ops.contains(&Op::Reencode)
    {
        remarks.push(
            "`ops` has no `reencode`: decode a packet and encode the result, like a server that forwards packets; \
             many bugs show only there"
                .to_owned(),
        );
    }
    for name in handshake.dialects.iter().filter(|name| specs.dialect(name).is_none()) {
        remarks.push(format!("conform knows no dialect {name:?}, and will not test it"));
    }
    if handshake.has_option("framing") {
        remarks.push("`framing` is not an option; list its words: \"framing\":[\"u32le\",\"u32be\"]".to_owned());
    }
    for option in handshake.options.iter().filter(|option| !["objects", "framing"].contains(&option.as_str())) {
        remarks.push(format!("`options` has {option:?}, which is no option; the only one is \"objects\""));
    }
    // What was understood is written again; what is empty may be left out there.
    let understood = serde_json::to_value(handshake).unwrap_or_default();
    let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    const KEYS: &str = "protocol, name, version, language, engine, dialects, ops, types, lossy, limits, max_in_flight, \
                        max_line, ints, reals, text, options, framing";
    for (key, _) in object.iter().filter(|(key, value)| understood.get(key).is_none() && !empty(value)) {
        let key = short(key, NAME);
        remarks.push(format!("`{key}` is not a key of a handshake reply; the keys are {KEYS}"));
    }
    remarks
}
