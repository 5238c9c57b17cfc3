//! Bytes in the forms that people have them: hex, a printed array, a Node buffer, a string literal, base64, a dump.

mod code;
mod dump;
mod strings;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Bytes, and how they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pasted {
    /// The bytes that were meant.
    pub bytes: Vec<u8>,
    /// Whether they were written as hex.
    pub is_hex: bool,
    /// Whether the text says itself that bytes are left out; these are the first.
    pub is_cut: bool,
    /// What to do, if a file has a text that is meant as bytes, but cannot be read; its letters are the bytes then.
    pub refused: Option<PastedError>,
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
    /// An escape that there is not.
    #[error("byte {0} of the string is an escape that is not of C, Python or JavaScript, like \\x05, \\005 or \\n")]
    Escape(usize),
    /// A dump whose bytes are not known.
    #[error(
        "this is a dump, but not one that is read here: `xxd FILE`, `hexdump -C FILE` and, in gdb, `x/64xb` print those"
    )]
    Dump,
    /// What gdb prints, with bytes left out.
    #[error("gdb left bytes out: type `set print repeats 0` and `set print elements 0` first")]
    Repeats,
    /// Hex in which a digit is missing, or is one too many.
    #[error("{0} is hex, but has an odd number of digits: {1}")]
    OddHex(String, usize),
    /// None of the forms.
    #[error(
        "{0} is neither hex (two digits a byte), [5, 0, …], {{0x05, 0x00, …}}, <<5, 0>>, <Buffer 05 00>, b'\\x05', \"\\005\" nor base64"
    )]
    NoForm(String),
}

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
            return bytes.map(whole).ok_or_else(|| no_form(text));
        }
    }
    if let Some((_, url)) = text.split_once(";base64,").filter(|_| text.starts_with("data:")) {
        return base64(url).map(whole).ok_or_else(|| no_form(text));
    }
    strings::read(text).unwrap_or_else(|| plain(text))
}

/// Reads bytes that are not in quotes.
fn plain(text: &str) -> Result<Pasted, PastedError> {
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
        && let Some(bytes) = words(inside).or(mixed).or_else(|| hex_of(inside))
    {
        return Ok(pasted(bytes, true));
    }
    if let Some(digits) = odd_hex(text) {
        return Err(PastedError::OddHex(quoted(text), digits));
    }
    let of_list = |letter: char| letter.is_ascii_digit() || letter.is_whitespace() || matches!(letter, ',' | '-');
    if listed.is_some() || text.chars().all(of_list) {
        return numbers(inside, text).map(|bytes| pasted(bytes, false));
    }
    base64(text).map(|bytes| pasted(bytes, false)).ok_or_else(|| no_form(text))
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

impl PastedError {
    /// Whether bytes were meant, and it says what to do.
    pub(crate) fn is_advice(&self) -> bool {
        matches!(self, Self::Dump | Self::Repeats | Self::OddHex(..) | Self::TooLarge(_))
    }
}

fn no_form(text: &str) -> PastedError {
    PastedError::NoForm(quoted(text))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", crate::sanitize::short(text, 60))
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

/// How deep JSON is looked into, and how many bytes are found in it.
const DEEP: usize = 16;
const FOUND: usize = 16;

/// All in a text that may be bytes, each with where it is: hex in a line of a log; in JSON, texts in one of the forms and
/// lists of numbers.
pub(crate) fn in_text(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    match serde_json::from_str(text) {
        Ok(json) => look(&json, String::new(), DEEP, &mut found),
        Err(_) => {
            let hex = runs_in(text, |word| hex::decode(word.trim_start_matches("0x")).ok());
            let hex = hex.into_iter().map(|inside| ("text; the hex".to_owned(), inside));
            let numbers = runs_in(text, |word| Some(vec![word.parse().ok()?]));
            let numbers = numbers.into_iter().map(|inside| ("text; the list".to_owned(), inside));
            let lists = lists_in(text).map(|inside| ("text; the list in brackets".to_owned(), inside));
            let strings = strings::in_text(text).map(|inside| ("text; the string".to_owned(), inside));
            let words = text.split_whitespace().filter_map(base64).filter(|inside| inside.len() >= 8);
            return hex
                .chain(lists)
                .chain(strings)
                .chain(numbers)
                .chain(words.map(|inside| ("text; the base64".to_owned(), inside)))
                .collect();
        }
    }
    found.into_iter().map(|(path, inside)| (format!("JSON; `{path}`"), inside)).collect()
}

fn look(json: &serde_json::Value, path: String, deep: usize, found: &mut Vec<(String, Vec<u8>)>) {
    if found.len() >= FOUND {
        return;
    }
    let in_text = || read(json.as_str()?).ok().map(|pasted| pasted.bytes);
    if let Some(bytes) = json_bytes(json).or_else(in_text) {
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

/// Lists of bytes in a text, as in a line of a log: of eight or more, in `[]`.
fn lists_in(text: &str) -> impl Iterator<Item = Vec<u8>> {
    let lists = text.split('[').skip(1).filter_map(|behind| behind.split_once(']'));
    lists.filter_map(|(list, _)| numbers(list, text).ok()).filter(|bytes| bytes.len() >= 8)
}

/// Bytes between the words of a text, as in a line of a log: eight or more, in one word or several.
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
    found.retain(|bytes| bytes.len() >= 8);
    found
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
fn hex_of(text: &str) -> Option<Vec<u8>> {
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
fn words(text: &str) -> Option<Vec<u8>> {
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
    #[case(r#""\005\000\000\000""#)]
    #[case(r"\005\000\000\000")]
    #[case(r"\005\0\0\0")]
    #[case(r"\x05\0\0\0")]
    #[case(r#""\x05\0" "\0\0""#)]
    #[case("'\\x05\\x00' +\n  '\\x00\\x00'")]
    #[case(r#""\u0005\u0000\u0000\u0000""#)]
    #[case(r#""\u{5}\0\0\u{0}""#)]
    #[case(r"['\x05\x00\x00\x00']")]
    #[case(r#"std::string p("\x05\0\0\0", 4);"#)]
    #[case(r#"const char *p = "\5\0\0\0";"#)]
    #[case(r#"$1 = "\005\000\000\000""#)]
    #[case(r"{'\x05', '\0', '\0', '\0'}")]
    #[case(r"std::vector of length 4, capacity 8 = {5 '\005', 0 '\000', 0 '\000', 0 '\000'}")]
    #[case("$4 = {0x5, 0x0, 0x0, 0x0}")]
    #[case("std::vector<uint8_t>{5, 0, 0, 0}")]
    #[case("std::array<unsigned char, 4>{{5, 0, 0, 0}};")]
    #[case("std::vector<unsigned char> v = {0x05, 0x00, 0x00, 0x00};")]
    #[case("unsigned char packet[] = {\n  0x05, 0x00,\n  0x00, 0x00\n};\nunsigned int packet_len = 4;\n")]
    #[case(r#"Buffer.from("05000000", "hex")"#)]
    #[case(r#"Buffer.from("BQAAAA==", 'base64')"#)]
    #[case("bytes.fromhex('05 00 00 00')")]
    #[case("base64.b64decode(b'BQAAAA==')")]
    #[case("data:application/octet-stream;base64,BQAAAA==")]
    #[case("ArrayBuffer { [Uint8Contents]: <05 00 00 00>, byteLength: 4 }")]
    #[case("ArrayBuffer {\n  [Uint8Contents]: <05 00 00 00>,\n  byteLength: 4\n}")]
    #[case(r#"{"0":5,"1":0,"2":0,"3":0}"#)]
    #[case("0000000 0005 0000\n0000004")]
    #[case("0000000    0005    0000                        \n0000004")]
    #[case("0000000 05 00 00 00\n0000004")]
    #[case("000000 05 00 00 00  >....<\n000004")]
    #[case("0000020 05 00\n0000022 00 00\n0000024")]
    #[case("00000010: 0500 0000  ....")]
    #[case("0x7ffe1000:\t0x00000005")]
    #[case("0x4052a0 <packet>:\t0x05\t0x00\n0x4052a2 <packet+2>:\t0x00\t0x00")]
    #[case("0x0005 0x0000")]
    #[case("array('B', [5, 0, 0, 0])")]
    #[case(r#""\x05 \x00 \x00 \x00""#)]
    #[case("[...]byte{5, 0, 0, 0}")]
    #[case("{ 0x05, 0x00, // header\n 0x00, 0x00 }")]
    #[case("const p = new Uint8Array([5, 0, /* flags */ 0, 0]);")]
    #[case("0x05, 0x00,  # header\n0x00, 0x00")]
    #[case(r#""\x05\x00\x00\x00" // header"#)]
    #[case("vec![5u8, 0, 0, 0]")]
    #[case("&[0x05_u8, 0, 0, 0]")]
    #[case("{(char)5, (char)0, 0, 0}")]
    #[case("{std::byte{0x05}, std::byte{0}, std::byte(0), std::byte{0}}")]
    #[case("std::array<std::uint8_t, 4> a{0x05u, 0x00u, 0x00u, 0x00u};")]
    #[case(r"{'\x05', '\0', 0, 0}")]
    #[case(r#"PackedByteArray("BQAAAA==")"#)]
    #[case("(gdb) x/xw p\n0x7ffe1000:\t0x00000005")]
    #[case("%05%00%00%00")]
    #[case("X'05000000'")]
    #[case(r"\x05000000")]
    #[case(
        "   Label: Byte[]\n\n          Offset Bytes\n                 00 01 02 03\n          ------ -----\n0000000000000000 05 00 00 00                ?"
    )]
    #[case("Godot 3: 5\n0  05 00  header  type 5, no flags\n2  00 00  x       \"a\"\n4 of 4 bytes consumed")]
    #[case("Optional(<05000000>)")]
    #[case("['0x5', '0x0', '0x0', '0x0']")]
    #[case("1: 05 00\n2: 00 00")]
    #[case("1 | 05 00\n2 | 00 00")]
    #[case("[0]: 5\n[1]: 0\n[2]: 0\n[3]: 0")]
    #[case("[0x0]: 0x05\n[0x1]: 0x00\n[0x2]: 0x00\n[0x3]: 0x00")]
    #[case("00000101 00000000 00000000 00000000")]
    #[case("[0b00000101, 0b0, 0b0, 0b0]")]
    #[case("0b00000101, 0b00000000, 0b00000000, 0b00000000")]
    #[case("Uint8Array(4) [5, 0, 0, 0, buffer: ArrayBuffer(4), byteLength: 4]")]
    #[case("&#x05;&#x00;&#x00;&#x00;")]
    #[case("00000000: 0500 0000 ....")]
    #[case("0000\t05 00 00 00\t....")]
    #[case("<Buffer 05 00>\n<Buffer 00 00>")]
    #[case("[5, 0]\n[0, 0]")]
    #[case("char peer0_0[] = { /* Packet 1 */\n0x05, 0x00 };\nchar peer1_0[] = { /* Packet 2 */\n0x00, 0x00 };")]
    fn each_form_is_read(#[case] text: &str) {
        let read = read(text).unwrap();
        assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], false));
    }

    #[rstest]
    #[case::python(r"b'\x04\x00\x00\x00\x03\x00\x00\x00a\\\'\x00'", b"\x04\0\0\0\x03\0\0\0a\\'\0")]
    #[case::bare(r"\x04\0\0\0\2\0\0\0ab\0\0", b"\x04\0\0\0\x02\0\0\0ab\0\0")]
    #[case::node("'\\x02\\x00\\x00\\x00ÿÿÿ\\x80'", b"\x02\0\0\0\xff\xff\xff\x80")]
    #[case::json("\"\\u0002\\u0000ÿ\\u0080\"", b"\x02\0\xff\x80")]
    #[case::c(r#""\4\0\0\0\002\0\0\0é\0\0""#, b"\x04\0\0\0\x02\0\0\0\xc3\xa9\0\0")]
    #[case::rust(r#""\u{4}\0\0\01\0""#, b"\x04\0\0\x001\0")]
    #[case::backslashes_before_hex(r#""\1b\00\00\00""#, b"\x1b\0\0\0")]
    #[case::odd_number_of_bytes("0000000 0005 0001\n0000003", b"\x05\0\x01")]
    #[case::base64_that_looks_like_hex("atob('CAAAAAEAAAACAAAA')", b"\x08\0\0\0\x01\0\0\0\x02\0\0\0")]
    #[case::lua(r#""\27\0\0\0\200\192a""#, b"\x1b\0\0\0\xc8\xc0a")]
    #[case::erlang(r#"<<5,0,"hp">>"#, b"\x05\0hp")]
    #[case::xxd_e("00000000: 00000004 00000002 00006968           ........hi..", b"\x04\0\0\0\x02\0\0\0hi\0\0")]
    #[case::xxd_g4("00000000: 04000000 02000000 68690000           ........hi..", b"\x04\0\0\0\x02\0\0\0hi\0\0")]
    #[case::format_hex(
        "   Label: String (System.String) <0A>\n\n          Offset Bytes                                           Ascii\n                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n          ------ ----------------------------------------------- -----\n0000000000000000 1B 00 00 00 01 00 00 00 04 00 00 00 02 00 00 00 ...   ..  ab ...\n0000000000000010 68 69 00 00                                     hi..",
        b"\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hi\0\0"
    )]
    #[case::certutil(
        "0000\t05 00 00 00 00 00 80 3f  00 00 00 40               .......?...@",
        b"\x05\0\0\0\0\0\x80\x3f\0\0\0\x40"
    )]
    #[case::base64_lines("AgAAAAEAAAA=\nAgAAAAIAAAA=", b"\x02\0\0\0\x01\0\0\0\x02\0\0\0\x02\0\0\0")]
    #[case::hex_that_is_like_binary("01000000 01000000", b"\x01\0\0\0\x01\0\0\0")]
    #[case::end_of_a_dump("00000000  05 00 00 00  |....|\n00000004", b"\x05\0\0\0")]
    fn letters_are_as_the_language_has_them(#[case] text: &str, #[case] bytes: &[u8]) {
        assert_eq!(read(text).unwrap().bytes, bytes);
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
    #[case(r#"$1 = "\005\000\000\000"..."#)]
    #[case(r"{5 '\005', 0 '\000', 0 '\000', 0 '\000'...}")]
    fn what_is_left_out_is_said(#[case] text: &str) {
        let read = read(text).unwrap();
        assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], true));
    }

    #[rstest]
    #[case("hello")]
    #[case("Vector2(1, 2)")]
    #[case("PackedInt32Array(1, 2)")]
    #[case("std::vector<int> v = {1, 2}")]
    #[case("char(27), 0")]
    #[case("[[5, 0], [6, 0]]")]
    #[case("[colors]\ndata=[1, 2]")]
    #[case("name = \"deadbeef\"")]
    #[case("PackedStringArray(\"aa\", \"bb\")")]
    #[case(r#"{"a": "\u0005\u0000"}"#)]
    #[case(r#"["a\u0000", "b"]"#)]
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
    #[case(r"b'\q'", "byte 0 of the string is an escape")]
    #[case(r#"hello, "\world""#, "byte 0 of the string is an escape")]
    #[case(r"a\b", r#""a\b" is neither hex"#)]
    #[case("0000000 000022 000000 000002\n0000006", "this is a dump, but not one that is read here: `xxd FILE`")]
    #[case("0000000 022 000 000\n0000003", "this is a dump")]
    #[case("0000000  18   0   0\n0000003", "this is a dump")]
    #[case("0x4052a0 <p>:\t27\t0\t0", "this is a dump")]
    #[case(r#"$1 = "\033", '\000' <repeats 15 times>"#, "gdb left bytes out")]
    #[case("hello, world", "\"hello, world\" is neither hex")]
    fn what_is_no_form_says_so(#[case] text: &str, #[case] says: &str) {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
}
