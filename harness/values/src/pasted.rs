//! Bytes in the forms that people have them: hex, a printed array, a Node buffer, a Python literal, base64, a dump.

mod dump;
mod python;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Bytes, and how they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pasted {
    /// The bytes that were meant.
    pub bytes: Vec<u8>,
    /// Whether they were written as hex.
    pub is_hex: bool,
    /// Whether the text says itself that bytes are left out; these are the first.
    pub is_cut: bool,
}

/// Why a text is no bytes: a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PastedError {
    /// There is nothing in it.
    #[error("there are no bytes here")]
    Empty,
    /// A number that is no byte.
    #[error("{0} is not a byte: bytes go from 0 to 255")]
    TooLarge(String),
    /// An escape of a Python literal that there is not.
    #[error(
        "byte {0} of the Python literal is an escape that is not \\x and two digits, \\n, \\r, \\t, \\\\ or a quote"
    )]
    Escape(usize),
    /// Hex in which a digit is missing, or is one too many.
    #[error("{0} is hex, but has an odd number of digits: {1}")]
    OddHex(String, usize),
    /// None of the forms.
    #[error(
        "{0} is neither hex (two digits a byte), [5, 0, …], {{0x05, 0x00, …}}, <<5, 0>>, <Buffer 05 00>, b'\\x05' nor base64"
    )]
    NoForm(String),
}

/// Reads bytes in whichever form they are.
///
/// # Errors
/// [`PastedError`]: what is wrong, in a sentence.
pub fn read(text: &str) -> Result<Pasted, PastedError> {
    let text = unquoted(text.trim());
    // Three points between quotes or behind the bytes of a dump are letters.
    let whole = |bytes| Pasted { bytes, is_hex: false, is_cut: false };
    if let Some(inside) = python::literal(text) {
        return python::bytes(inside).map(whole);
    }
    if let Some(bytes) = dump::bytes(text) {
        return Ok(whole(bytes));
    }
    let (text, is_cut) = without_rest(text);
    if text.is_empty() {
        return Err(PastedError::Empty);
    }
    let pasted = |bytes| Pasted { bytes, is_hex: false, is_cut };
    if let Some(bytes) = node_json(text) {
        return Ok(pasted(bytes));
    }
    if let Some(inside) = text.strip_prefix("<Buffer").map(|rest| rest.trim_end_matches('>')) {
        return hex_of(inside).ok_or_else(|| no_form(text)).map(pasted);
    }
    // In brackets, what is not marked as hex is decimal.
    let marked = inside_of(text).filter(|inside| inside.contains("0x") || inside.contains("0X"));
    let mixed = marked.and_then(|list| numbers(list, text).ok());
    if let Some(bytes) = mixed.or_else(|| hex_of(marked.unwrap_or(text))) {
        return Ok(Pasted { bytes, is_hex: true, is_cut });
    }
    if let Some(digits) = odd_hex(text) {
        return Err(PastedError::OddHex(format!("{:?}", crate::sanitize::short(text, 60)), digits));
    }
    if let Some(list) = list(text) {
        return numbers(list, text).map(pasted);
    }
    base64(text).map(pasted).ok_or_else(|| no_form(text))
}

/// Reads what is in a file: text in one of the forms, or bytes as they are.
pub fn of_file(content: Vec<u8>) -> Pasted {
    let text = std::str::from_utf8(&content).ok().filter(|text| !text.contains('\0'));
    match text.and_then(|text| read(text.trim_start_matches('\u{feff}')).ok()) {
        Some(pasted) => pasted,
        None => Pasted { bytes: content, is_hex: false, is_cut: false },
    }
}

fn no_form(text: &str) -> PastedError {
    PastedError::NoForm(format!("{:?}", crate::sanitize::short(text, 60)))
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(inside).unwrap_or(text)
}

/// The text up to where it says that bytes are left out, and whether it does.
fn without_rest(text: &str) -> (&str, bool) {
    let marks = ["...", "…"].into_iter().filter_map(|mark| text.find(mark)).min();
    match marks {
        Some(at) => (text[..at].trim_end_matches([',', ' ', '\n']), true),
        None => (text, false),
    }
}

/// `{"type":"Buffer","data":[5,0]}`, as Node's JSON has a buffer.
fn node_json(text: &str) -> Option<Vec<u8>> {
    let json: serde_json::Value = text.starts_with('{').then(|| serde_json::from_str(text).ok())??;
    byte_list(&json["data"]).filter(|_| json["type"] == "Buffer")
}

fn byte_list(json: &serde_json::Value) -> Option<Vec<u8>> {
    json.as_array()?.iter().map(|item| u8::try_from(item.as_u64()?).ok()).collect()
}

/// How deep JSON is looked into, and how many bytes are found in it.
const DEEP: usize = 16;
const FOUND: usize = 16;

/// All in JSON that may be bytes: texts in one of the forms, and lists of numbers; each with the path to it.
pub(crate) fn in_json(json: &serde_json::Value) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    look(json, String::new(), DEEP, &mut found);
    found
}

fn look(json: &serde_json::Value, path: String, deep: usize, found: &mut Vec<(String, Vec<u8>)>) {
    if found.len() >= FOUND {
        return;
    }
    let in_text = || read(json.as_str()?).ok().map(|pasted| pasted.bytes);
    if let Some(bytes) = byte_list(json).or_else(in_text) {
        found.push((path, bytes));
        return;
    }
    let Some(deep) = deep.checked_sub(1) else { return };
    if let serde_json::Value::Object(object) = json {
        for (key, value) in object {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            look(value, crate::sanitize::short(&path, 60), deep, found);
        }
    } else if let serde_json::Value::Array(items) = json {
        for (place, value) in items.iter().enumerate() {
            look(value, format!("{path}[{place}]"), deep, found);
        }
    }
}

/// How many hex digits a text has, if it has nothing else but spaces, and a byte lacks one. As base64 it would be other bytes,
/// or none. What may be decimal numbers is not hex.
fn odd_hex(text: &str) -> Option<usize> {
    let digits: String = text.strip_prefix("0x").unwrap_or(text).split_whitespace().collect();
    let is_hex = digits.chars().all(|letter| letter.is_ascii_hexdigit());
    let numbers =
        text.split_whitespace().all(|word| word.len() <= 3 && word.bytes().all(|digit| digit.is_ascii_digit()));
    (is_hex && !numbers && digits.len() % 2 == 1).then_some(digits.len())
}

/// Hex, whatever is between the bytes. Single digits with spaces between are numbers, not hex.
fn hex_of(text: &str) -> Option<Vec<u8>> {
    let separates = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ':' | ';' | '-' | '|' | '\\');
    let (mut digits, mut single) = (String::with_capacity(text.len()), false);
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        let marked = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).or_else(|| word.strip_prefix('x'));
        let word = marked.unwrap_or(word);
        if word.len() == 1 {
            single |= marked.is_none();
            digits.extend(marked.map(|_| '0'));
        }
        digits.push_str(word);
    }
    let numbers = single && digits.chars().all(|letter| letter.is_ascii_digit());
    hex::decode(&digits).ok().filter(|bytes| !bytes.is_empty() && !numbers)
}

/// What may stand before a list of bytes: a name of bytes in some language, or nothing.
fn names_bytes(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ' ' | ':' | '='));
    let bytes = ["byte", "buffer", "uint8", "u8", "char", "vec", "data", "array", "slice", "list"];
    let others = ["int32", "int64", "float", "real", "vector", "color", "string", "intarray"];
    is_name
        && (name.is_empty() || bytes.iter().any(|word| name.contains(word)))
        && !others.iter().any(|word| name.contains(word))
}

/// The inside of a list in brackets, after any name of bytes.
fn inside_of(text: &str) -> Option<&str> {
    let mut begin = text.find(['[', '(', '{', '<'])?;
    if !names_bytes(text[..begin].trim_end_matches("new ")) {
        return None;
    }
    // `Uint8Array(3) [5, 0, 0]` and `new byte[] { 5, 0 }`: the length is no byte.
    let rest = &text[begin..];
    let is_length = |length: &str| length.chars().all(|letter| letter.is_ascii_digit() || letter == '_');
    let sized = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let sized = sized.is_some_and(|(length, rest)| is_length(length) && rest.contains(['{', '[']));
    let count = rest.starts_with('(') || sized;
    begin += if count { rest.get(1..)?.find(['[', '{']).map_or(0, |at| at + 1) } else { 0 };
    let brackets = |letter: char| "[](){}<>;".contains(letter) || letter.is_whitespace();
    Some(text[begin..].trim_matches(brackets))
}

/// A list of numbers: in any brackets, after any name of bytes, or bare.
fn list(text: &str) -> Option<&str> {
    let inside = if text.contains(['[', '(', '{', '<']) { inside_of(text)? } else { text };
    let number = |letter: char| letter.is_ascii_digit() || letter.is_whitespace() || matches!(letter, ',' | '-');
    inside.chars().all(number).then_some(inside)
}

/// The bytes of a list: each is marked as hex, or decimal.
fn numbers(list: &str, text: &str) -> Result<Vec<u8>, PastedError> {
    let words = list.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty());
    let number = |word: &str| match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    words
        .map(|word| match number(word) {
            // Java and C print bytes as signed.
            Ok(number) if (-128..0).contains(&number) => Ok(number.to_le_bytes()[0]),
            Ok(number) => u8::try_from(number).map_err(|_| PastedError::TooLarge(word.to_owned())),
            Err(_) => Err(no_form(text)),
        })
        .collect()
}

/// Base64. A word that somebody typed may be base64 too, but what it says has no zero in it, which every packet has.
fn base64(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.split(['\r', '\n']).map(str::trim).collect();
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decode = |alphabet| GeneralPurpose::new(alphabet, config).decode(&joined).ok();
    let is_likely =
        |bytes: &Vec<u8>| bytes.len() >= 3 && (joined.ends_with('=') || bytes.iter().take(12).any(|byte| *byte == 0));
    decode(&STANDARD).or_else(|| decode(&URL_SAFE)).filter(is_likely)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("05000000")]
    #[case("05 00 00 00")]
    #[case("05 00\n00 00\n")]
    #[case("0500 0000")]
    #[case("0x05, 0x00, 0x00, 0x00")]
    #[case("05:00:00:00")]
    #[case(r"\x05\x00\x00\x00")]
    #[case("[5, 0, 0, 0]")]
    #[case("5 0 0 0")]
    #[case("5,0,0,0")]
    #[case("PoolByteArray( 5, 0, 0, 0 )")]
    #[case("Uint8Array(4) [ 5, 0, 0, 0 ]")]
    #[case("<Buffer 05 00 00 00>")]
    #[case(r"b'\x05\x00\x00\x00'")]
    #[case(r#"bytearray(b"\x05\x00\x00\x00")"#)]
    #[case("BQAAAA==")]
    #[case("BQAAAA")]
    #[case("\"BQAAAA==\"")]
    #[case("'05 00 00 00'")]
    #[case("{0x05, 0x00, 0x00, 0x00};")]
    #[case("new byte[] { 5, 0, 0, 0 };")]
    #[case("[]byte{0x5, 0x0, 0x0, 0x0}")]
    #[case("[4]byte{0x5, 0x0, 0x0, 0x0}")]
    #[case("{0x05, 0, 0, 0}")]
    #[case("unsigned char p[] = {0x05, 0x00, 0x00, 0x00};")]
    #[case("static const unsigned char p[4] = { 5, 0, 0, 0 };")]
    #[case("<<5,0,0,0>>")]
    #[case(r#"{"type":"Buffer","data":[5,0,0,0]}"#)]
    #[case("00000000: 0500 0000                                ....")]
    #[case("00000000  05 00 00 00                                       |....|\n00000004")]
    fn each_form_is_read(#[case] text: &str) {
        let read = read(text).unwrap();
        assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], false));
    }

    #[test]
    fn python_prints_letters_as_they_are() {
        let read = read(r"b'\x04\x00\x00\x00\x03\x00\x00\x00a\\\'\x00'").unwrap();
        assert_eq!(read.bytes, b"\x04\0\0\0\x03\0\0\0a\\'\0");
    }

    #[rstest]
    #[case("050000000", 9)]
    #[case("1c00000003000000040000000", 25)]
    #[case("0x050000000", 9)]
    #[case("1c 00 00 000", 9)]
    fn hex_that_lacks_a_digit_is_not_taken_for_base64(#[case] text: &str, #[case] digits: usize) {
        let error = read(text).unwrap_err();
        assert!(matches!(&error, PastedError::OddHex(_, found) if *found == digits), "{error:?}");
        assert!(error.to_string().ends_with(&format!("odd number of digits: {digits}")), "{error}");
    }

    #[rstest]
    #[case("05 00 00 00 … 07")]
    #[case("<Buffer 05 00 00 00 ... 12 more bytes>")]
    #[case("[5, 0, 0, 0, ...]")]
    fn what_is_left_out_is_said(#[case] text: &str) {
        let read = read(text).unwrap();
        assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], true));
    }

    #[rstest]
    #[case("hello")]
    #[case("Vector2(1, 2)")]
    #[case("PackedInt32Array(1, 2)")]
    fn a_word_or_a_value_is_no_bytes(#[case] text: &str) {
        assert!(matches!(read(text), Err(PastedError::NoForm(_))), "{:?}", read(text));
    }

    #[test]
    fn a_file_holds_bytes_or_a_text_of_them() {
        assert_eq!(of_file(b"05 00 00 00\n".to_vec()).bytes, [5, 0, 0, 0]);
        assert_eq!(of_file(b"\x05\0\0\0".to_vec()).bytes, [5, 0, 0, 0]);
    }

    #[test]
    fn signed_bytes_are_bytes() {
        assert_eq!(read("[-1, -128, 127]").unwrap().bytes, [255, 128, 127]);
    }

    #[rstest]
    #[case("", "there are no bytes here")]
    #[case("[5, 256]", "256 is not a byte: bytes go from 0 to 255")]
    #[case(r"b'\q'", "byte 0 of the Python literal is an escape")]
    #[case("hello, world", "\"hello, world\" is neither hex")]
    fn what_is_no_form_says_so(#[case] text: &str, #[case] says: &str) {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
}
