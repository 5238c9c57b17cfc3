//! Texts, and lists of them.

use alloc::vec::Vec;

use super::{Decoder, Result, put};
use crate::codec::TypePlan;
use crate::cursor::refused;
use crate::error::Refusal;
use crate::text::{HIGH_BITS, INSIDE, Text};
use crate::trace::{Role, Step, Trace};
use crate::utf8;
use crate::value::Value;

const BOM: &[u8] = b"\xef\xbb\xbf";

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline]
    pub(super) fn text_value(&mut self, plan: &TypePlan, place: &mut Value) -> Result<()> {
        let length = self.length("length", Role::Length, 1)?;
        let before = self.input.at();
        let (bytes, ahead) = self.text_bytes(length)?;
        match short(bytes, ahead) {
            Some((word, length)) => put(place, Value::Text(plan.layout, Text::of_word(word, length))),
            None => put(place, Value::Text(plan.layout, self.any_text(bytes, before)?)),
        }
        self.padding(length, self.codec.rules.text_padding_optional_at_end)
    }

    #[inline(never)]
    pub(super) fn packed_text(&mut self, plan: &TypePlan, place: &mut Value) -> Result<()> {
        let count = self.count("count", self.codec.rules.negative_text_count.into(), 4)?;
        let mut texts = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            texts.push(Text::default());
            let nul = self.codec.rules.string_array_nul;
            self.text_into(nul, self.codec.rules.text_padding_optional_at_end, &mut texts[index])?;
            self.trace.leave();
        }
        put(place, Value::PackedText(plan.layout, texts));
        Ok(())
    }

    pub(super) fn texts(&mut self, part: &'static str, count: usize) -> Result<Vec<Text>> {
        let mut texts = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Element(part, index));
            texts.push(Text::default());
            self.text_into(false, false, &mut texts[index])?;
            self.trace.leave();
        }
        Ok(texts)
    }

    pub(super) fn named(&mut self, part: &str) -> Result<Text> {
        self.trace.enter(Step::Name(part));
        let text = self.text()?;
        self.trace.leave();
        Ok(text)
    }

    pub(super) fn text(&mut self) -> Result<Text> {
        self.padded_text(self.codec.rules.text_padding_optional_at_end)
    }

    /// Reads a text. If `optional`, its padding may be missing at the end of the input.
    pub(super) fn padded_text(&mut self, optional: bool) -> Result<Text> {
        let mut text = Text::default();
        self.text_into(false, optional, &mut text)?;
        Ok(text)
    }

    /// Reads a text into a place that holds an empty one. With `nul`, its length may count a NUL that ends it.
    #[inline]
    fn text_into(&mut self, nul: bool, optional: bool, place: &mut Text) -> Result<()> {
        let length = self.length("length", Role::Length, 1)?;
        let mut rest = self.input;
        let has_nul = nul && rest.take(length)?.last() == Some(&0);
        let before = self.input.at();
        let (bytes, ahead) = self.text_bytes(length - usize::from(has_nul))?;
        match short(bytes, ahead) {
            Some((word, length)) => put(place, Text::of_word(word, length)),
            None => put(place, self.any_text(bytes, before)?),
        }
        if has_nul {
            let before = self.input.at();
            self.input.take(1)?;
            self.tell(before, "nul", Role::Nul);
        }
        self.padding(length, optional)
    }

    /// The bytes of a text, and 16 bytes of the input from the first of them on; `None` if fewer are left.
    #[inline]
    pub(super) fn text_bytes(&mut self, length: usize) -> Result<(&'a [u8], Option<&'a [u8; INSIDE]>)> {
        let (before, ahead) = (self.input.at(), self.input.ahead());
        let bytes = self.input.take(length)?;
        self.tell_unless_empty(before, "text", Role::Text);
        Ok((bytes, ahead))
    }

    /// The text of these bytes, which begin at offset `before`.
    #[inline(never)]
    pub(super) fn any_text(&self, mut bytes: &[u8], before: usize) -> Result<Text> {
        // Checked first, since that is quicker than looking for the position.
        if self.codec.rules.text_ends_at_nul && bytes.contains(&0) {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            bytes = &bytes[..end];
        }
        if self.codec.rules.text_drops_bom {
            bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
        }
        if core::str::from_utf8(bytes).is_ok() {
            return Ok(Text::from_bytes(bytes));
        }
        let text = utf8::read(bytes, self.codec.rules.utf8);
        text.map(|bytes| Text::from_bytes(&bytes)).ok_or_else(|| refused(before, Refusal::BadUtf8))
    }
}

/// These bytes as the word of a short text, and how many they are. `None` if a rule may apply to them: if they are more
/// than 16, have a NUL, begin with a byte order mark or are not UTF-8. `ahead` is the input from the first of them on.
#[inline]
fn short(bytes: &[u8], ahead: Option<&[u8; INSIDE]>) -> Option<(u128, u8)> {
    let (length, behind) = *BEHIND.get(bytes.len())?;
    let word = match ahead {
        Some(ahead) => u128::from_le_bytes(*ahead) & !behind,
        None => word(bytes),
    };
    // Less 1, of the bytes below 0x80 only a zero has its high bit set. The bytes after the text are made 1 first.
    let zeros = (word | behind & LOW_BITS).wrapping_sub(LOW_BITS) & HIGH_BITS;
    if (word & HIGH_BITS) | zeros == 0 { Some((word, length)) } else { short_unicode(bytes, word, length) }
}

#[inline(never)]
fn short_unicode(bytes: &[u8], word: u128, length: u8) -> Option<(u128, u8)> {
    let plain = !bytes.contains(&0) && !bytes.starts_with(BOM) && core::str::from_utf8(bytes).is_ok();
    plain.then_some((word, length))
}

/// For each length of a short text: the length as a byte, and the bits of a word that are after the text.
static BEHIND: [(u8, u128); INSIDE + 1] = {
    let mut behind = [(0, u128::MAX); INSIDE + 1];
    let mut length = 1;
    while length <= INSIDE {
        let (before, bits) = behind[length - 1];
        behind[length] = (before + 1, bits << 8);
        length += 1;
    }
    behind
};
const LOW_BITS: u128 = u128::from_le_bytes([0x01; INSIDE]);

/// At most 16 bytes, the first one lowest.
fn word(bytes: &[u8]) -> u128 {
    // Read from both ends: where the halves overlap, they are the same.
    let shift = |size| 8 * (bytes.len() - size);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << shift(8);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << shift(4);
    }
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
}
