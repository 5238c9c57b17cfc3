//! Which bytes are a text, and how a text that is not Unicode is written.
//!
//! Texts are stored in UTF-8 as it was before 2003: surrogates in three bytes, numbers beyond U+10FFFF in up to six.

use alloc::vec::Vec;

use variant_specs::Utf8;

/// The bytes of the text that these bytes are read as; `None` if they are refused.
pub(crate) fn read(bytes: &[u8], rule: Utf8) -> Option<Vec<u8>> {
    if core::str::from_utf8(bytes).is_ok() {
        return Some(bytes.to_vec());
    }
    match rule {
        Utf8::Strict => None,
        Utf8::Lenient => points(bytes).map(|points| written(&points)),
        Utf8::Any => Some(points(bytes).map(|points| written(&points)).unwrap_or_default()),
    }
}

/// The bytes that are written for a text; `None` if it cannot be written.
pub(crate) fn write(text: &[u8], rule: Utf8) -> Option<Vec<u8>> {
    if core::str::from_utf8(text).is_ok() {
        return Some(text.to_vec());
    }
    match rule {
        Utf8::Strict => None,
        Utf8::Lenient => points(text).map(|points| written(&without_surrogates(&points))),
        Utf8::Any => points(text).map(|points| written(&points)),
    }
}

/// The code points as the lenient readers find them; `None` if they give up.
///
/// They take the number of bytes from the first byte, and each byte that follows must begin with the bits 10. They
/// detect an overlong form only if it has two bytes, or if the first two bytes of a longer form and the upper bits of
/// its third are zero.
fn points(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut points = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let size = first.leading_ones();
        if size == 0 {
            points.push(u32::from(*first));
            rest = tail;
            continue;
        }
        if !(2..=6).contains(&size) {
            return None;
        }
        let follow = size as usize - 1;
        let mut point = u32::from(*first & (0x7f >> size));
        let overlong_pair = size == 2 && point < 2;
        let (following, behind) = tail.split_at_checked(follow)?;
        for (place, byte) in following.iter().enumerate() {
            let adds_nothing = place == 1 && point == 0 && (byte & 0x7f) >> (7 - size) == 0;
            if byte & 0xc0 != 0x80 || overlong_pair || adds_nothing {
                return None;
            }
            point = point << 6 | u32::from(byte & 0x3f);
        }
        points.push(point);
        rest = behind;
    }
    Some(points)
}

fn written(points: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(points.len());
    points.iter().for_each(|point| put(&mut bytes, *point));
    bytes
}

fn put(bytes: &mut Vec<u8>, point: u32) {
    let size: u32 = match point {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0x800..0x1_0000 => 3,
        0x1_0000..0x20_0000 => 4,
        0x20_0000..0x400_0000 => 5,
        0x400_0000.. => 6,
    };
    let low = |point: u32, mask: u32| (point & mask).to_le_bytes()[0];
    if size == 1 {
        return bytes.push(low(point, 0x7f));
    }
    let mark = low(0xff00 >> size, 0xff);
    bytes.push(mark | low(point >> (6 * (size - 1)), 0xff));
    (0..size - 1).rev().for_each(|place| bytes.push(0x80 | low(point >> (6 * place), 0x3f)));
}

/// Two surrogates that make a pair become the one character that they encode; one alone becomes a space.
fn without_surrogates(points: &[u32]) -> Vec<u32> {
    let mut joined = Vec::with_capacity(points.len());
    let mut rest = points;
    while let [point, tail @ ..] = rest {
        rest = tail;
        match (point, tail) {
            (0xd800..0xdc00, [low @ 0xdc00..0xe000, behind @ ..]) => {
                joined.push(0x1_0000 + ((point - 0xd800) << 10) + (low - 0xdc00));
                rest = behind;
            }
            (0xd800..0xe000, _) => joined.push(u32::from(b' ')),
            (_, _) => joined.push(*point),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    // What Godot 2.1.3 and Pandemonium's build of 2022-03 made of these bytes.
    #[test]
    fn lenient_readers_agree_with_their_engines() {
        for (bytes, text) in [
            (&b"\xe0\x9f\xbf"[..], Some(&b"\xdf\xbf"[..])),
            (b"\xed\xa0\x80", Some(b"\xed\xa0\x80")),
            (b"\xf4\x90\x80\x80", Some(b"\xf4\x90\x80\x80")),
            (b"\xf8\x88\x80\x80\x80", Some(b"\xf8\x88\x80\x80\x80")),
            (b"a\x80z", None),
            (b"\xc3", None),
            (b"\xc0\x80", None),
            (b"\xc1\xbf", None),
            (b"\xf0\x80\x80\xaf", None),
            (b"a\xffb", None),
        ] {
            assert_eq!(read(bytes, Utf8::Lenient).as_deref(), text, "{bytes:02x?}");
            assert_eq!(read(bytes, Utf8::Any).as_deref(), Some(text.unwrap_or_default()), "{bytes:02x?}");
            assert_eq!(read(bytes, Utf8::Strict), None, "{bytes:02x?}");
        }
    }

    #[test]
    fn surrogates_go_out_as_a_character_a_space_or_themselves() {
        let pair = b"\xed\xa0\xbd\xed\xb8\x80";
        assert_eq!(write(pair, Utf8::Lenient).as_deref(), Some("😀".as_bytes()));
        assert_eq!(write(&pair[..3], Utf8::Lenient).as_deref(), Some(&b" "[..]));
        assert_eq!(write(pair, Utf8::Any).as_deref(), Some(&pair[..]));
        assert_eq!(write(pair, Utf8::Strict), None);
    }
}
