//! Bytes in the forms that people have them: hex, a printed array, a Node buffer, a string literal, base64, a dump.

mod code;
mod dump;
mod plain;
mod result;
mod search;
mod strings;

use self::plain::{base64, plain};
use self::strings::StringContent;

pub use self::result::{Pasted, PastedError};
pub(crate) use self::search::in_text;

/// So many lines may stand above a dump.
const HEAD: usize = 8;

/// Text with more bytes is read as hex, or not at all.
const MOST_PASTED: usize = 8 << 20;

/// Reads bytes in whichever form they are, also as a source file or a debugger has them.
pub fn read(text: &str) -> Result<Pasted, PastedError> {
    let text = text.trim();
    // What is longer is no paste; hex of any length is read.
    if text.len() > MOST_PASTED {
        return plain(text);
    }
    let whole = |bytes| Pasted { bytes, ..Pasted::default() };
    // Three points between quotes or behind the bytes of a dump are letters.
    if let Some(bytes) = dump::bytes(text) {
        return bytes.map(whole);
    }
    let read = read_one(text);
    // Above a dump may stand what was typed for it, or the heads of its columns.
    let below = text.match_indices('\n').take(HEAD).map(|(end, _)| text[end + 1..].trim_start_matches('\n'));
    let dump = below.filter_map(|lines| dump::bytes(lines)?.ok()).next().or_else(|| dump::explained(text));
    // Of several lists or strings, the first or last alone is not what was meant.
    let others = [dump.map(whole), unnumbered(text), joined(text, "\n"), joined(text, ";")];
    match &read {
        Ok(_) | Err(PastedError::NoForm(_)) => {
            let length = |read: &Pasted| read.bytes.len();
            let best = others.into_iter().flatten().next();
            best.filter(|best| read.as_ref().map_or(0, length) < length(best)).map_or(read, Ok)
        }
        Err(_) => read,
    }
}

fn read_one(text: &str) -> Result<Pasted, PastedError> {
    let read = read_form(text);
    match read {
        Err(PastedError::NoForm(_)) => read_form(code::plain_list(text).trim()).or(read),
        Ok(_) | Err(_) => read,
    }
}

/// The bytes of several lines or statements, each of which is bytes by itself, up to where one leaves bytes out.
fn joined(text: &str, between: &str) -> Option<Pasted> {
    text.contains(between).then_some(())?;
    let mut all = Pasted::default();
    let pieces = text.split(between).map(str::trim).filter(|piece| !piece.is_empty());
    for piece in pieces {
        let read = read_one(piece).ok()?;
        if !all.is_cut {
            all.bytes.extend(read.bytes);
            all.is_cut = read.is_cut;
        }
    }
    Some(all)
}

/// The bytes of lines that are numbered, `1: 1b 00` or `[0]: 27`, from 0 or 1 on.
fn unnumbered(text: &str) -> Option<Pasted> {
    let (mut rows, mut next, mut is_list) = (Vec::new(), None, false);
    for line in text.lines() {
        let (label, row) = line.trim().split_once([':', '|'])?;
        let (label, inside) = (label.trim(), label.trim().trim_start_matches('[').trim_end_matches(']'));
        let number = match inside.strip_prefix("0x") {
            Some(digits) => usize::from_str_radix(digits, 16).ok()?,
            None => inside.parse().ok()?,
        };
        let is_next = next.map_or(number <= 1, |next| number == next);
        (is_next && row.starts_with(char::is_whitespace)).then_some(())?;
        is_list |= label.starts_with('[');
        next = Some(number + 1);
        rows.push(row);
    }
    read_form(&if is_list { format!("[{}]", rows.join(",")) } else { rows.join("\n") }).ok()
}

/// Reads bytes in one of the forms.
fn read_form(text: &str) -> Result<Pasted, PastedError> {
    if text.contains(" <repeats ") {
        return Err(PastedError::Repeats);
    }
    let whole = |bytes| Pasted { bytes, ..Pasted::default() };
    if let Some(bytes) = dump::bytes(text) {
        return bytes.map(whole);
    }
    if let Some(json) = text.starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten() {
        let bytes = json_bytes(&json);
        if bytes.is_some() || json.is_object() || text.contains('"') {
            return bytes.map(whole).ok_or_else(|| PastedError::no_form(text));
        }
    }
    if let Some((_, url)) = text.split_once(";base64,").filter(|_| text.starts_with("data:")) {
        return base64(url).map(whole).ok_or_else(|| PastedError::no_form(text));
    }
    match strings::read(text) {
        Some(StringContent::Bytes(read)) => read,
        Some(StringContent::Text(inside)) => read(&inside),
        None => plain(text),
    }
}

/// Reads what is in a file: text in one of the forms, or bytes as they are.
pub fn of_file(content: Vec<u8>) -> Pasted {
    let text = std::str::from_utf8(&content).ok().filter(|text| !text.contains('\0'));
    match text.map(|text| read(text.trim_start_matches('\u{feff}'))) {
        Some(Ok(pasted)) => pasted,
        Some(Err(error)) if error.is_advice() => Pasted { bytes: content, refused: Some(error), ..Pasted::default() },
        Some(Err(_)) | None => Pasted { bytes: content, ..Pasted::default() },
    }
}

/// `[5,0]`, `{"type":"Buffer","data":[5,0]}` or `{"0":5,"1":0}`, as JavaScript writes bytes.
fn json_bytes(json: &serde_json::Value) -> Option<Vec<u8>> {
    let byte = |item: &serde_json::Value| u8::try_from(item.as_u64()?).ok();
    match json {
        serde_json::Value::Array(items) => items.iter().map(byte).collect(),
        serde_json::Value::Object(object) if json["type"] == "Buffer" => json_bytes(object.get("data")?),
        serde_json::Value::Object(object) if !object.is_empty() => {
            (0..object.len()).map(|place| byte(object.get(&place.to_string())?)).collect()
        }
        _ => None,
    }
}
