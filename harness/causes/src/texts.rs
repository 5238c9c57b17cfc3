//! What a wrong text, or its length, lacks.

use crate::lack::Lack;

/// What a length prefix of this text lacks; `None` if it is not known.
pub(crate) fn length_lack(text: &[u8], right: u32, wrong: u32) -> Option<Lack> {
    let is = |count: usize| u32::try_from(count) == Ok(wrong);
    let known = str::from_utf8(text).ok();
    // A text of a list has a NUL that is counted.
    let nul = usize::try_from(right).map_or(0, |right| right.saturating_sub(text.len()));
    if nul == 1
        && let Some(text) = known.filter(|text| !text.is_ascii())
    {
        if is(text.encode_utf16().count() + nul) && !is(text.len()) {
            return Some(Lack::Utf16Length);
        } else if is(text.chars().count() + nul) && !is(text.len()) {
            return Some(Lack::CharacterLength);
        }
    }
    if is(text.len()) && right == wrong.wrapping_add(1) {
        Some(Lack::MissingNul)
    } else if known.is_some_and(|text| is(text.encode_utf16().count())) {
        Some(Lack::Utf16Length)
    } else if known.is_some_and(|text| is(text.chars().count())) {
        Some(Lack::CharacterLength)
    } else if wrong == right.next_multiple_of(4) {
        Some(Lack::CountsPadding)
    } else if wrong == right + 1 || wrong == (right + 1).next_multiple_of(4) {
        Some(Lack::CountsNul)
    } else {
        None
    }
}

/// What a text lacks.
pub(crate) fn text_lack(right: &[u8], wrong: &[u8]) -> Lack {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    /// The bytes of the mark, each taken for a character.
    const MARK_IN_LATIN: &[u8] = "\u{ef}\u{bb}\u{bf}".as_bytes();
    let nul = right.iter().position(|byte| *byte == 0);
    if wrong.strip_suffix(b"\0") == Some(right) {
        Lack::ExtraNul
    } else if wrong.strip_prefix(MARK) == Some(right) {
        Lack::KeptByteOrderMark
    } else if wrong.len() > right.len() && wrong.starts_with(right) && wrong[right.len()] == 0 {
        Lack::PastNul
    } else if nul.is_some_and(|nul| wrong == &right[..nul]) {
        Lack::CutAtNul
    } else if right.strip_prefix(MARK) == Some(wrong) {
        Lack::ByteOrderMark
    } else if contains(wrong, "\u{fffd}".as_bytes()) && !contains(right, "\u{fffd}".as_bytes()) {
        Lack::Replaced
    } else if is_latin(right, wrong) || is_latin(wrong, right) || wrong.strip_prefix(MARK_IN_LATIN) == Some(right) {
        Lack::Encoding
    } else if right.starts_with(wrong) {
        Lack::TextEnd
    } else if !right.is_ascii() {
        Lack::Encoding
    } else {
        Lack::Text
    }
}

/// Whether the second text is the first in an encoding that has one byte for each character, and is not its beginning.
pub(crate) fn is_byte_each(text: &[u8], wrong: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(text) else { return false };
    let alike = text.chars().zip(wrong).all(|(letter, byte)| !letter.is_ascii() || letter == char::from(*byte));
    !text.is_ascii() && text.chars().count() == wrong.len() && alike && !text.as_bytes().starts_with(wrong)
}

/// Whether the second text is the bytes of the first, each taken for a character.
fn is_latin(one: &[u8], other: &[u8]) -> bool {
    !one.is_ascii() && one.iter().map(|byte| char::from(*byte)).collect::<String>().as_bytes() == other
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
