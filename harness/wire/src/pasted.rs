//! Bytes in the forms that people have them: hex, a printed array, a Node buffer, a Python literal, base64.

use std::fmt;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Serialize;

/// Bytes, and the form that they were in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pasted {
    /// The bytes that were meant.
    pub bytes: Vec<u8>,
    /// What they were written as.
    pub form: PastedForm,
}

/// A form that bytes are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PastedForm {
    /// Two hex digits a byte, with or without anything between: `05 00`, `0500`, `0x05, 0x00`, `05:00`, `\x05\x00`.
    Hex,
    /// Decimal numbers: `[5, 0, 0]`, `PackedByteArray(5, 0)`, `5 0 0`.
    Decimal,
    /// What Node prints of a buffer: `<Buffer 05 00>`.
    Buffer,
    /// What Python prints of bytes: `b'\x05\x00'`.
    Python,
    /// Base64, of either alphabet, with or without its padding.
    Base64,
}

impl fmt::Display for PastedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hex => "hex",
            Self::Decimal => "decimal numbers",
            Self::Buffer => "a Node buffer",
            Self::Python => "Python bytes",
            Self::Base64 => "base64",
        })
    }
}

/// Why a text is no bytes: a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PastedError {
    /// There is nothing in it.
    #[error("there are no bytes here")]
    Empty,
    /// It says itself that bytes are left out.
    #[error("{0} shows only the first bytes (it ends in `…` or `more bytes`): print all, as hex")]
    Elided(PastedForm),
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
    #[error("{0} is neither hex (two digits a byte), [5, 0, …], <Buffer 05 00>, b'\\x05' nor base64")]
    NoForm(String),
}

/// Reads bytes in whichever form they are.
///
/// # Errors
/// [`PastedError`]: what is wrong, in a sentence.
pub fn read(text: &str) -> Result<Pasted, PastedError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(PastedError::Empty);
    }
    let pasted = |bytes, form| Pasted { bytes, form };
    if let Some(inside) = text.strip_prefix("<Buffer").map(|rest| rest.trim_end_matches('>')) {
        return whole(inside, PastedForm::Buffer)
            .and_then(|inside| hex_of(inside).ok_or_else(|| no_form(text)))
            .map(|bytes| pasted(bytes, PastedForm::Buffer));
    }
    if let Some(inside) = python_literal(text) {
        return python(inside).map(|bytes| pasted(bytes, PastedForm::Python));
    }
    if let Some(bytes) = hex_of(text) {
        return Ok(pasted(bytes, PastedForm::Hex));
    }
    if let Some(digits) = odd_hex(text) {
        return Err(PastedError::OddHex(format!("{:?}", crate::sanitize::short(text, 60)), digits));
    }
    if let Some(numbers) = list(text) {
        let numbers = whole(numbers, PastedForm::Decimal)?;
        return decimal(numbers, text).map(|bytes| pasted(bytes, PastedForm::Decimal));
    }
    base64(text).map(|bytes| pasted(bytes, PastedForm::Base64)).ok_or_else(|| no_form(text))
}

fn no_form(text: &str) -> PastedError {
    PastedError::NoForm(format!("{:?}", crate::sanitize::short(text, 60)))
}

/// The text, unless it says that bytes are left out.
fn whole(text: &str, form: PastedForm) -> Result<&str, PastedError> {
    let cut = text.contains("more byte") || text.contains("more item") || text.contains("...") || text.contains('…');
    if cut { Err(PastedError::Elided(form)) } else { Ok(text) }
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
    let mut words = text.split(separates).filter(|word| !word.is_empty()).peekable();
    words.peek()?;
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let (mut single, mut digits) = (false, String::new());
    for word in words {
        let marked = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).or_else(|| word.strip_prefix('x'));
        let word = marked.unwrap_or(word);
        single |= word.len() == 1;
        if word.len() % 2 == 0 && digits.is_empty() {
            bytes.append(&mut hex::decode(word).ok()?);
        } else {
            // Digits that a line break cut apart.
            digits.push_str(word);
            if digits.len() % 2 == 0 {
                bytes.append(&mut hex::decode(&digits).ok()?);
                digits.clear();
            }
        }
    }
    let numbers = single && text.split(separates).all(|word| word.chars().all(|letter| letter.is_ascii_digit()));
    (digits.is_empty() && !numbers).then_some(bytes)
}

/// The inside of a list of numbers: in any brackets, after any name, or bare.
fn list(text: &str) -> Option<&str> {
    let inside = match text.find(['[', '(', '{']) {
        Some(begin) => {
            let name = &text[..begin];
            // `Uint8Array(3) [5, 0, 0]`: the length is no byte.
            let rest = &text[begin..];
            let begin = if rest.starts_with('(') { rest.find('[').unwrap_or(0) } else { 0 };
            let named = name.trim().chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ' '));
            named.then(|| rest[begin..].trim_matches(['[', ']', '(', ')', '{', '}', ' ', '\n', '\t', '\r', ';']))?
        }
        None => text,
    };
    let number =
        |letter: char| letter.is_ascii_digit() || letter.is_whitespace() || matches!(letter, ',' | '-' | '.' | '…');
    let elided = whole(inside, PastedForm::Decimal).is_err();
    (elided || inside.chars().all(number)).then_some(inside)
}

fn decimal(numbers: &str, text: &str) -> Result<Vec<u8>, PastedError> {
    let words = numbers.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty());
    words
        .map(|word| match word.parse::<i64>() {
            // Java and C print bytes as signed.
            Ok(number) if (-128..0).contains(&number) => Ok(number.to_le_bytes()[0]),
            Ok(number) => u8::try_from(number).map_err(|_| PastedError::TooLarge(word.to_owned())),
            Err(_) => Err(no_form(text)),
        })
        .collect()
}

/// What is between the quotes of `b'…'`, `b"…"` or `bytearray(b'…')`.
fn python_literal(text: &str) -> Option<&str> {
    let text = text.strip_prefix("bytearray(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let text = text.strip_prefix(['b', 'B'])?;
    ["'", "\""].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

fn python(text: &str) -> Result<Vec<u8>, PastedError> {
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

fn base64(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.split_whitespace().collect();
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    // One or two letters are a word that somebody typed.
    let long = joined.len() >= 4;
    let decode = |alphabet| GeneralPurpose::new(alphabet, config).decode(&joined).ok();
    long.then(|| decode(&STANDARD).or_else(|| decode(&URL_SAFE))).flatten()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("05000000", PastedForm::Hex)]
    #[case("05 00 00 00", PastedForm::Hex)]
    #[case("05 00\n00 00\n", PastedForm::Hex)]
    #[case("0500 0000", PastedForm::Hex)]
    #[case("0x05, 0x00, 0x00, 0x00", PastedForm::Hex)]
    #[case("05:00:00:00", PastedForm::Hex)]
    #[case(r"\x05\x00\x00\x00", PastedForm::Hex)]
    #[case("[5, 0, 0, 0]", PastedForm::Decimal)]
    #[case("5 0 0 0", PastedForm::Decimal)]
    #[case("5,0,0,0", PastedForm::Decimal)]
    #[case("PoolByteArray( 5, 0, 0, 0 )", PastedForm::Decimal)]
    #[case("Uint8Array(4) [ 5, 0, 0, 0 ]", PastedForm::Decimal)]
    #[case("<Buffer 05 00 00 00>", PastedForm::Buffer)]
    #[case(r"b'\x05\x00\x00\x00'", PastedForm::Python)]
    #[case(r#"bytearray(b"\x05\x00\x00\x00")"#, PastedForm::Python)]
    #[case("BQAAAA==", PastedForm::Base64)]
    #[case("BQAAAA", PastedForm::Base64)]
    fn each_form_is_read(#[case] text: &str, #[case] form: PastedForm) {
        assert_eq!(read(text), Ok(Pasted { bytes: vec![5, 0, 0, 0], form }));
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

    #[test]
    fn signed_bytes_are_bytes() {
        assert_eq!(read("[-1, -128, 127]").unwrap().bytes, [255, 128, 127]);
    }

    #[rstest]
    #[case("", "there are no bytes here")]
    #[case("[5, 256]", "256 is not a byte: bytes go from 0 to 255")]
    #[case("<Buffer 05 00 ... 12 more bytes>", "a Node buffer shows only the first bytes")]
    #[case(r"b'\q'", "byte 0 of the Python literal is an escape")]
    #[case("hello, world", "\"hello, world\" is neither hex")]
    fn what_is_no_form_says_so(#[case] text: &str, #[case] says: &str) {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
}
