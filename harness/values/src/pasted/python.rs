//! Bytes as Python prints them.

use super::PastedError;

/// What is between the quotes of `b'…'`, `b"…"` or `bytearray(b'…')`.
pub(super) fn literal(text: &str) -> Option<&str> {
    let text = text.strip_prefix("bytearray(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let text = text.strip_prefix(['b', 'B'])?;
    ["'", "\""].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

pub(super) fn bytes(text: &str) -> Result<Vec<u8>, PastedError> {
    let source = text.as_bytes();
    let (mut bytes, mut at) = (Vec::with_capacity(source.len()), 0);
    while let Some(&byte) = source.get(at) {
        if byte != b'\\' {
            bytes.push(byte);
            at += 1;
            continue;
        }
        let (escaped, length) = match source.get(at + 1) {
            Some(b'x') => {
                let digits = source.get(at + 2..at + 4).and_then(|digits| hex::decode(digits).ok());
                (digits.and_then(|digits| digits.first().copied()), 4)
            }
            Some(b'n') => (Some(b'\n'), 2),
            Some(b'r') => (Some(b'\r'), 2),
            Some(b't') => (Some(b'\t'), 2),
            Some(b'0') => (Some(0), 2),
            Some(quoted @ (b'\\' | b'\'' | b'"')) => (Some(*quoted), 2),
            Some(_) | None => (None, 2),
        };
        bytes.push(escaped.ok_or(PastedError::Escape(at))?);
        at += length;
    }
    Ok(bytes)
}
