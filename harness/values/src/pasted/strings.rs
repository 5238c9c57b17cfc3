//! Bytes as string literals have them, of any language: `b'\x05'`, `"\005\000" "a"`, `'\u0005'`, `{'\x05', '\0'}`.

use super::plain::{base64, hex_of, plain};
use super::result::{Pasted, PastedError};

/// A literal: what stands before it, its quote, and what is between the quotes.
pub(super) struct Literal<'t> {
    pub(super) before: &'t str,
    quote: char,
    inside: &'t str,
}

/// What the literals in a text say.
pub(super) enum StringContent {
    /// Bytes, or why they are none.
    Bytes(Result<Pasted, PastedError>),
    /// Bytes in a form of their own, which is still to be read.
    Text(String),
}

/// What a second argument says of the first.
const ENCODINGS: [&str; 9] = ["hex", "base64", "base64url", "latin1", "binary", "ascii", "utf8", "utf-8", "latin-1"];

/// What the literals in a text say; `None` if it has none, or they say something else.
pub(super) fn read(text: &str) -> Option<StringContent> {
    // A shell, or a person, may have taken the quotes away.
    let (literals, behind) = match literals(text)? {
        (found, _) if found.is_empty() && text.starts_with('\\') && hex_of(text).is_none() => {
            (vec![Literal { before: "", quote: '"', inside: text }], "")
        }
        found => found,
    };
    let outside: String = literals.iter().map(|literal| literal.before).chain([behind]).collect();
    // gdb and lldb say the letter behind each number.
    let is_letter = |literal: &Literal<'_>| {
        literal.before.trim_end_matches([' ', '\t']).ends_with(|end: char| end.is_ascii_digit())
    };
    if literals.iter().all(|literal| literal.quote == '\'' && is_letter(literal)) {
        return (!literals.is_empty()).then(|| StringContent::Bytes(plain(&outside)));
    }
    // Python's list of `hex(byte)`.
    if literals.len() > 1 && literals.iter().all(|literal| literal.inside.starts_with("0x")) {
        return Some(StringContent::Bytes(plain(&text.replace(['\'', '"'], ""))));
    }
    let parts: Result<Vec<Vec<u8>>, PastedError> = literals.iter().map(bytes).collect();
    let letters = parts.as_ref().is_ok_and(|parts| parts.iter().all(|part| part.len() == 1));
    // Numbers may stand in the same list.
    if letters && behind.contains(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let first = literals.first()?;
    let joins = |literal: &&Literal<'_>| {
        let before = literal.before.trim().trim_end_matches(['b', 'B', '\\']).trim();
        matches!(before, "" | "+" | ".") || letters && before == ","
    };
    let count = 1 + literals[1..].iter().take_while(joins).count();
    let is_encoding = |literal: &Literal<'_>| ENCODINGS.contains(&literal.inside);
    let is_code =
        |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || "_.:=<>*&$()[]{},;!+…\\".contains(letter);
    if !literals[count..].iter().all(is_encoding) || !outside.chars().all(is_code) {
        return None;
    }
    let (string, rest) = literals.split_at(count);
    let inside: String = string.iter().map(|literal| literal.inside).collect();
    let said = rest.iter().map(|literal| literal.inside).collect::<String>() + &outside.to_lowercase();
    let whole = |bytes| Pasted { bytes, ..Pasted::default() };
    if ["base64", "b64", "atob", "packedbytearray"].iter().any(|name| said.contains(name)) {
        return base64(&inside).map(|bytes| StringContent::Bytes(Ok(whole(bytes))));
    }
    let is_bytes = first.before.ends_with(['b', 'B']);
    if !is_bytes && !inside.contains('\\') {
        // SQL has `X'05'`.
        let is_hex = first.before.ends_with(['x', 'X']) || said.contains("hex");
        return (is_hex || outside.trim().is_empty()).then_some(StringContent::Text(inside));
    }
    if is_hex(&inside) {
        return Some(StringContent::Bytes(plain(&inside)));
    }
    // As in base64: a text that somebody typed has no zero in it.
    let is_cut = outside.contains("...") || outside.contains('…');
    let read = parts.map(|parts| Pasted { is_cut, ..whole(parts[..count].concat()) });
    (is_bytes || read.as_ref().map_or(true, |read| read.bytes.contains(&0))).then_some(StringContent::Bytes(read))
}

/// `\x05 \x00` and `\1b\00`: bytes in hex with a backslash in front, no text.
fn is_hex(inside: &str) -> bool {
    let octal = |letter: char| letter == '\\' || letter.is_digit(8);
    let mut words = inside.split_whitespace();
    let lone = inside.contains(' ') && words.all(|word| word.matches('\\').count() == 1);
    hex_of(inside).is_some() && (lone || !inside.contains('x') && !inside.chars().all(octal))
}

/// The literals of a text, and what stands behind the last; `None` if one has no end.
pub(super) fn literals(text: &str) -> Option<(Vec<Literal<'_>>, &str)> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((begin, quote)) = rest.char_indices().find(|(_, letter)| matches!(letter, '"' | '\'' | '`')) {
        let inside = &rest[begin + 1..];
        let mut is_escaped = false;
        let (end, _) = inside.char_indices().find(|(_, letter)| {
            let is_end = !is_escaped && *letter == quote;
            is_escaped = !is_escaped && *letter == '\\';
            is_end
        })?;
        found.push(Literal { before: &rest[..begin], quote, inside: &inside[..end] });
        rest = &inside[end + 1..];
    }
    Some((found, rest))
}

/// The strings in a text that say that they are bytes, as in a line of a log.
pub(super) fn in_text(text: &str) -> Vec<Vec<u8>> {
    let found = literals(text).map(|(found, _)| found).unwrap_or_default();
    found.iter().filter(|literal| literal.before.ends_with('b')).filter_map(|literal| bytes(literal).ok()).collect()
}

/// The bytes of a literal, with the escapes of C, Python, JavaScript and Rust.
pub(super) fn bytes(literal: &Literal<'_>) -> Result<Vec<u8>, PastedError> {
    let source = literal.inside;
    // JavaScript has a byte in each letter, other languages have UTF-8.
    let is_script = literal.quote != '"' || source.contains("\\u0");
    let is_latin = is_script && source.chars().all(|letter| u8::try_from(letter).is_ok());
    // In Rust, `\01` is two letters. In Lua, escapes are decimal, which an 8 or 9 in one proves.
    let number = |behind: &str| behind.chars().take(3).take_while(char::is_ascii_digit).collect::<String>();
    let is_decimal = source.split('\\').skip(1).any(|behind| number(behind).contains(['8', '9']));
    let digits = if source.contains("\\u{") { 1 } else { 3 };
    let radix = if is_decimal { 10 } else { 8 };
    let (mut bytes, mut rest) = (Vec::with_capacity(source.len()), source);
    while let Some(next) = rest.chars().next() {
        let (letter, is_byte, length) = match rest.strip_prefix('\\') {
            Some(escaped) => escape(escaped, digits, radix).ok_or(PastedError::Escape(source.len() - rest.len()))?,
            None => (next, false, next.len_utf8()),
        };
        rest = &rest[length..];
        match u8::try_from(letter) {
            Ok(byte) if is_byte || is_latin || byte.is_ascii() => bytes.push(byte),
            _ => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(bytes)
}

/// What is escaped, whether it is a byte and no letter, and how long it is with its backslash.
fn escape(escaped: &str, most: usize, radix: u32) -> Option<(char, bool, usize)> {
    let number = |from: usize, radix: u32, most: usize| {
        let digits: String = escaped.chars().skip(from).take(most).take_while(|digit| digit.is_digit(radix)).collect();
        Some((u32::from_str_radix(&digits, radix).ok()?, 1 + from + digits.len()))
    };
    let byte = |(code, length)| Some((char::from(u8::try_from(code).ok()?), true, length));
    let letter = |(code, length)| Some((char::from_u32(code)?, false, length));
    match escaped.chars().next()? {
        digit if digit.is_digit(radix) => byte(number(0, radix, most)?),
        'x' => byte(number(1, 16, 2)?),
        'u' if escaped.starts_with("u{") => {
            let (code, length) = number(2, 16, 6)?;
            escaped[length - 1..].starts_with('}').then(|| letter((code, length + 1)))?
        }
        'u' => letter(number(1, 16, 4)?),
        mark if mark.is_ascii_punctuation() => Some((mark, false, 2)),
        name => "nrtabvfe".find(name).map(|at| (char::from(b"\n\r\t\x07\x08\x0b\x0c\x1b"[at]), false, 2)),
    }
}
