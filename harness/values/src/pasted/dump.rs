//! Bytes as `xxd` and `hexdump -C` print them: an offset, the bytes in hex, and letters.

/// The bytes of a dump; `None` if the text is none.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut repeats = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line == "*" {
            repeats = true;
            continue;
        }
        let (offset, rest) = line.split_once(|letter: char| letter.is_whitespace()).unwrap_or((line, ""));
        let offset = offset_of(offset)?;
        if repeats {
            repeat(&mut bytes, offset)?;
            repeats = false;
        }
        if offset != bytes.len() {
            return None;
        }
        bytes.extend(row(rest)?);
    }
    // A lone number of eight digits is four bytes in hex.
    (bytes.len() > 1 && text.contains(char::is_whitespace)).then_some(bytes)
}

/// The longest dump that is read.
const MOST: usize = 1 << 26;

fn offset_of(word: &str) -> Option<usize> {
    let digits = word.strip_suffix(':').unwrap_or(word);
    let is_offset = digits.len() >= 4 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    is_offset.then(|| usize::from_str_radix(digits, 16).ok()).flatten()
}

/// The last row again, up to an offset: a `*` stands for it.
fn repeat(bytes: &mut Vec<u8>, end: usize) -> Option<()> {
    let last = bytes.len().checked_sub(16)?;
    if end > MOST {
        return None;
    }
    while bytes.len() < end {
        bytes.extend_from_within(last..last + 16);
    }
    Some(())
}

/// The bytes of a row, without the letters behind them.
fn row(rest: &str) -> Option<Vec<u8>> {
    let rest = rest.trim_start();
    let hex = match rest.split_once('|') {
        Some((hex, _)) => hex,
        None => rest.split_once("  ").map_or(rest, |(hex, _)| hex),
    };
    hex::decode(hex.split_whitespace().collect::<String>()).ok()
}
