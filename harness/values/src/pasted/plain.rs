//! Bytes that are not in quotes: hex, numbers, words of a machine, base64.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::result::{Pasted, PastedError};

/// Reads bytes that are not in quotes.
pub(super) fn plain(text: &str) -> Result<Pasted, PastedError> {
    let (text, is_cut) = without_rest(text);
    if text.is_empty() {
        return Err(PastedError::Empty);
    }
    let pasted = |bytes, is_hex| Pasted { bytes, is_hex, is_cut, refused: None };
    if let Some(bytes) = of_url(text) {
        return Ok(pasted(bytes, false));
    }
    // Chrome lists what else an array has.
    let chrome = text.split_once(", buffer: ArrayBuffer(").map(|(list, _)| format!("{list}]"));
    let text = chrome.as_deref().unwrap_or(text);
    // In brackets, what is not marked as hex is decimal.
    let listed = in_brackets(text);
    let inside = listed.map_or(text, |(list, _)| list);
    if let Some(bytes) = binary(inside) {
        return Ok(pasted(bytes, false));
    }
    let marked = inside.contains("0x") || inside.contains("0X");
    let mixed = listed.filter(|_| marked).and_then(|_| numbers(inside, text).ok());
    if (marked || listed.is_none_or(|(_, is_hex)| is_hex))
        && let Some(bytes) = machine_words(inside).or(mixed).or_else(|| hex_of(inside))
    {
        return Ok(pasted(bytes, true));
    }
    if let Some(digits) = odd_hex(text) {
        return Err(PastedError::odd_hex(text, digits));
    }
    let of_list = |letter: char| letter.is_ascii_digit() || letter.is_whitespace() || matches!(letter, ',' | '-');
    if listed.is_some() || text.chars().all(of_list) {
        return numbers(inside, text).map(|bytes| pasted(bytes, false));
    }
    base64(text).map(|bytes| pasted(bytes, false)).ok_or_else(|| PastedError::no_form(text))
}

/// The text up to where it says that bytes are left out, and whether it does.
fn without_rest(text: &str) -> (&str, bool) {
    // `[...]byte` is Go's: as long as the list.
    let marks = ["...", "…"]
        .into_iter()
        .filter_map(|mark| text.find(mark))
        .filter(|at| !text[*at..].starts_with("...]byte"))
        .min();
    match marks {
        Some(at) => (text[..at].trim_end_matches([',', ' ', '\n']), true),
        None => (text, false),
    }
}

/// `%05%00a`, as a URL has bytes. A text that somebody typed has no zero in it.
fn of_url(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().filter(|_| text.contains("%00"))?.as_bytes().to_vec();
    for part in parts {
        let (digits, letters) = part.split_at_checked(2)?;
        bytes.extend(hex::decode(digits).ok()?);
        bytes.extend(letters.as_bytes());
    }
    Some(bytes)
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
pub(super) fn hex_of(text: &str) -> Option<Vec<u8>> {
    let separates = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ':' | ';' | '-' | '|' | '\\');
    // PostgreSQL writes one mark in front of all digits.
    let text = text.strip_prefix("\\x").unwrap_or(text);
    // `\033` is octal, and behind `\x05` may be letters: those are strings.
    let is_escape = |word: &str| match word.strip_prefix('x') {
        Some(digits) => digits.len() <= 2,
        None => word.is_empty() || word.len() == 2,
    };
    if !text.split('\\').skip(1).all(|behind| behind.split(separates).next().is_none_or(is_escape)) {
        return None;
    }
    let (mut digits, mut single) = (String::with_capacity(text.len()), false);
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        let marked = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).or_else(|| word.strip_prefix('x'));
        // HTML has `&#x05;`.
        let marked = marked.or_else(|| word.strip_prefix("&#x"));
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

/// What may stand before a list of bytes: a name of bytes in some language, an assignment, or nothing.
fn names_bytes(before: &str, is_braced: bool) -> bool {
    let name = before.to_lowercase().replace("std::vector", "").replace("new ", "").replace("vec!", "vec");
    let name = name.trim_matches(|letter: char| "[](){}<>&".contains(letter) || letter.is_whitespace());
    let is_code = |letter: char| letter.is_alphanumeric() || "_.: =<>[](){}$,*&'\r\n\t".contains(letter);
    // Of several lists, or lines, nobody knows which is meant.
    let mut lines = before.lines().map(str::trim_end).rev().skip(1);
    let digit = |letter: char| letter.is_ascii_digit();
    let parts: Vec<&str> = before.split(',').map(str::trim).collect();
    let is_list =
        |pair: &[&str]| pair[0].ends_with([']', '}', ')']) || pair[0].ends_with(digit) && pair[1].starts_with(digit);
    let is_one = !parts.windows(2).any(is_list)
        && lines.all(|line| line.is_empty() || line.ends_with(['{', '[', '(', '=', ',']));
    let bytes = ["byte", "buffer", "uint8", "u8", "char", "vec", "data", "array", "slice", "list", "optional"];
    let others = ["int32", "int64", "float", "real", "vector", "color", "string", "intarray"];
    let numbers = ["int", "short", "long", "double"];
    let is_named = name.is_empty()
        || bytes.iter().any(|word| name.contains(word))
        || is_braced
            && name.ends_with('=')
            && !name.split(|letter: char| !letter.is_alphanumeric()).any(|word| numbers.contains(&word));
    is_one && is_named && name.chars().all(is_code) && !others.iter().any(|word| name.contains(word))
}

/// The last list of numbers in brackets, after any name of bytes; and whether it is hex without a mark, like
/// `<Buffer 05 00>`.
fn in_brackets(text: &str) -> Option<(&str, bool)> {
    let brackets = ['[', ']', '(', ')', '{', '}', '<', '>'];
    let lists = text.rmatch_indices(['[', '(', '{', '<']).map(|(at, bracket)| {
        let inside = text[at + 1..].split(brackets).next().unwrap_or_default();
        (&text[..at], bracket, inside, &text[at + 1 + inside.len()..])
    });
    let number = |letter: char| letter.is_ascii_hexdigit() || letter.is_whitespace() || "xX,-".contains(letter);
    let numbers = |inside: &str| inside.trim_start_matches("Buffer").chars().all(number);
    let (before, bracket, inside, behind) = lists.into_iter().find(|(_, _, inside, _)| numbers(inside))?;
    let ends = |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || "_=;:,])}>".contains(letter);
    let is_hex = bracket == "<" && !before.ends_with('<') && !inside.contains(',');
    let goes_on = behind.split(',').skip(1).any(|part| part.trim().starts_with(|letter: char| letter.is_ascii_digit()));
    (names_bytes(before, bracket == "{") && behind.chars().all(ends) && !goes_on)
        .then(|| (inside.trim_start_matches("Buffer").trim(), is_hex))
}

/// Words of a machine, as gdb's `x/2xw` prints them: `0x0000001b 0x00000000`. The least byte comes first.
fn machine_words(text: &str) -> Option<Vec<u8>> {
    let words: Vec<&str> =
        text.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let length = words.first()?.len();
    if words.len() < 2 || !matches!(length, 6 | 10 | 18) || words.iter().any(|word| word.len() != length) {
        return None;
    }
    let word = |word: &&str| Some(hex::decode(word.strip_prefix("0x")?).ok()?.into_iter().rev());
    Some(words.iter().map(word).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Bytes in binary: marked, or of eight digits each. Hex in words of four bytes may look alike, but begins with a type.
fn binary(text: &str) -> Option<Vec<u8>> {
    let separates = |letter: char| letter == ',' || letter.is_whitespace();
    let words: Vec<&str> = text.split(separates).filter(|word| !word.is_empty()).collect();
    let is_plain = words.len() >= 4 && words[0].starts_with("00") && words[0] != "00000000";
    let byte = |word: &&str| match word.strip_prefix("0b") {
        Some(digits) if digits.len() <= 8 => u8::from_str_radix(digits, 2).ok(),
        None if is_plain && word.len() == 8 => u8::from_str_radix(word, 2).ok(),
        Some(_) | None => None,
    };
    words.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| bytes.len() > 1)
}

/// The bytes of a list: each is marked as hex, or decimal.
pub(super) fn numbers(list: &str, text: &str) -> Result<Vec<u8>, PastedError> {
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
            Err(_) => Err(PastedError::no_form(text)),
        })
        .collect()
}

/// Base64. A word that somebody typed may be base64 too, but what it says has no zero in it, which every packet has.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.split(['\r', '\n']).map(str::trim).collect();
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decode = |alphabet| GeneralPurpose::new(alphabet, config).decode(&joined).ok();
    let is_likely =
        |bytes: &Vec<u8>| bytes.len() >= 3 && (joined.ends_with('=') || bytes.iter().take(12).any(|byte| *byte == 0));
    decode(&STANDARD).or_else(|| decode(&URL_SAFE)).filter(is_likely)
}
