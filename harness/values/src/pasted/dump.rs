//! Bytes as `xxd`, `hexdump`, `od` and gdb's `x` print them: an address, the bytes in hex, and letters.

use super::result::PastedError;

/// The bytes of a dump; `None` if the text is none.
pub(super) fn bytes(text: &str) -> Option<Result<Vec<u8>, PastedError>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<Option<Line<'_>>> =
        lines.map(|line| if line == "*" { Some(None) } else { Line::new(line).map(Some) }).collect::<Option<_>>()?;
    let first = lines.first()?.as_ref()?;
    // `od` counts in octal.
    let radixes: &[u32] = if first.is_short() { &[16, 10, 8] } else { &[16] };
    // A lone number of eight digits is four bytes in hex.
    let is_dump = |bytes: &Vec<u8>| bytes.len() > 1 && text.contains(char::is_whitespace);
    match radixes.iter().find_map(|radix| rows(&lines, *radix).filter(is_dump)) {
        Some(bytes) => Some(Ok(bytes)),
        None if !text.contains(char::is_whitespace) => None,
        None if first.is_marked || first.is_short() && first.offset(16) == Some(0) => Some(Err(PastedError::Dump)),
        None => None,
    }
}

/// The bytes of a table as `conform explain` prints it: an offset, bytes in hex and a name; lines above and below have none.
pub(super) fn explained(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
        let [offset, hex, _, ..] = columns.as_slice() else { continue };
        if offset.parse() == Ok(bytes.len()) && *hex != "?" {
            // Where the middle of a row is left out, so is what is behind it.
            bytes.extend(hex::decode(hex.replace(' ', "")).ok()?);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// The longest dump that is read.
const MOST: usize = 1 << 26;

struct Line<'t> {
    /// The digits of its address.
    address: &'t str,
    /// Whether the address can be nothing else.
    is_marked: bool,
    /// What is behind the address.
    row: &'t str,
}

impl<'t> Line<'t> {
    fn new(line: &'t str) -> Option<Self> {
        let (word, mut row) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut colon = word.ends_with(':');
        // gdb: `0x4052a0 <packet+8>:`.
        if row.trim_start().starts_with('<') {
            (_, row) = row.split_once(">:")?;
            colon = true;
        }
        let word = word.trim_end_matches(':');
        let address = if colon { word.trim_start_matches("0x") } else { word };
        let is_address = address.len() >= 4 && address.chars().all(|digit| digit.is_ascii_hexdigit());
        is_address.then(|| Self { address, is_marked: colon || address.len() == 7, row: row.trim() })
    }

    /// `hexdump` and `od` have short addresses, and words as the machine has them.
    fn is_short(&self) -> bool {
        matches!(self.address.len(), 6 | 7)
    }

    fn offset(&self, radix: u32) -> Option<usize> {
        usize::from_str_radix(self.address, radix).ok()
    }

    /// The bytes of a row, at most so many, without the letters behind them, of which each byte has one.
    fn bytes(&self, most: usize) -> Option<Vec<u8>> {
        let (mut bytes, mut swapped, mut rest) = (Vec::new(), Vec::new(), self.row);
        while !rest.is_empty() && bytes.len() < most {
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let digits = word.trim_start_matches("0x");
            let is_marked = self.is_short() || digits.len() < word.len();
            let number = rest.trim_matches(['|', '<', '>']).chars().count();
            let is_apart = !is_marked && self.row[..self.row.len() - rest.len()].ends_with("  ");
            let mut word_bytes = match hex::decode(digits) {
                Ok(word_bytes) if !(is_apart && number == bytes.len()) => word_bytes,
                Ok(_) | Err(_) if !bytes.is_empty() && number <= bytes.len() => break,
                Ok(_) | Err(_) => return None,
            };
            if is_marked {
                word_bytes.len().is_power_of_two().then(|| word_bytes.reverse())?;
            }
            swapped.extend(word_bytes.iter().rev());
            bytes.append(&mut word_bytes);
            rest = behind.trim_start();
        }
        // `xxd -e` looks like `xxd -g4`, but for the letters.
        let shown = |bytes: &[u8]| {
            let letter = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
            bytes.iter().map(letter).collect::<String>().trim_end() == rest
        };
        Some(if shown(&swapped) && !shown(&bytes) { swapped } else { bytes })
    }
}

/// The bytes of all rows, if the addresses fit: what is not marked as an address is one only if it begins with 0.
fn rows(lines: &[Option<Line<'_>>], radix: u32) -> Option<Vec<u8>> {
    let first = lines.first()?.as_ref()?;
    let base = if first.is_marked { first.offset(radix)? } else { 0 };
    let offsets: Vec<usize> = lines.iter().flatten().filter_map(|line| line.offset(radix)).collect();
    let width = offsets.windows(2).filter_map(|pair| pair[1].checked_sub(pair[0])).max();
    let has_repeats = lines.iter().any(Option::is_none);
    let width = if has_repeats { 16 } else { width.filter(|_| offsets.len() > 2).unwrap_or(usize::MAX) };
    let (mut bytes, mut repeats) = (Vec::new(), false);
    for (place, line) in lines.iter().enumerate() {
        let Some(line) = line else {
            repeats = true;
            continue;
        };
        let offset = line.offset(radix)?.checked_sub(base)?;
        if repeats {
            // The last row again, up to this offset.
            let last = bytes.len().checked_sub(16).filter(|_| offset <= MOST)?;
            while bytes.len() < offset {
                bytes.extend_from_within(last..last + 16);
            }
            repeats = false;
        }
        // The last word of an odd number of bytes is filled up.
        if line.is_short() && line.row.is_empty() && bytes.len().checked_sub(1) == Some(offset) {
            bytes.pop();
        }
        if offset != bytes.len() {
            return None;
        }
        let next = lines.get(place + 1).and_then(|next| next.as_ref()?.offset(radix)?.checked_sub(line.offset(radix)?));
        bytes.extend(line.bytes(next.unwrap_or(width))?);
    }
    Some(bytes)
}
