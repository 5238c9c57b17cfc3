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
            look(value, &crate::sanitize::short(&path, 60), deep, found);
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
