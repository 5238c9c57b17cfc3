//! Texts, and lists of them.

use super::{Encoder, Result};
use crate::codec::TypePlan;
use crate::error::EncodeError;
use crate::text::{INSIDE, Text};
use crate::utf8;

impl<'a> Encoder<'a> {
    /// Writes a text with its header. A short text has zeros after it already, so it is written as one piece of fixed
    /// size, and the surplus is cut off.
    #[inline]
    pub(super) fn text_value(&mut self, header: u32, text: &Text) -> Result<()> {
        let Some((word, length)) = text.unicode_word() else {
            self.word(header);
            return self.any_text(text, false);
        };
        let length = u32::from(length);
        let end = self.packet.len() + 8 + length.next_multiple_of(4) as usize;
        let mut piece = [0; 4 + 4 + INSIDE];
        piece[..4].copy_from_slice(&header.to_le_bytes());
        piece[4..8].copy_from_slice(&length.to_le_bytes());
        piece[8..].copy_from_slice(&word.to_le_bytes());
        self.packet.extend_from_slice(&piece);
        self.packet.truncate(end);
        Ok(())
    }

    /// Writes a text without a header in the same way, with a NUL after it if `nul`: its length counts both.
    #[inline]
    pub(super) fn text(&mut self, text: &Text, nul: bool) -> Result<()> {
        let Some((word, length)) = text.unicode_word() else { return self.any_text(text, nul) };
        let length = u32::from(length) + u32::from(nul);
        let end = self.packet.len() + 4 + length.next_multiple_of(4) as usize;
        let mut piece = [0; 4 + INSIDE + 4];
        piece[..4].copy_from_slice(&length.to_le_bytes());
        piece[4..4 + INSIDE].copy_from_slice(&word.to_le_bytes());
        self.packet.extend_from_slice(&piece);
        self.packet.truncate(end);
        Ok(())
    }

    #[inline(never)]
    fn any_text(&mut self, text: &Text, nul: bool) -> Result<()> {
        let end: &[u8] = if nul { &[0] } else { &[] };
        if !text.is_unicode() {
            let bytes = utf8::write(text.as_bytes(), self.codec.rules.utf8).ok_or(EncodeError::BadUtf8)?;
            return self.counted(&bytes, end);
        }
        self.counted(text.as_bytes(), end)
    }

    #[inline(never)]
    pub(super) fn packed_text(&mut self, plan: &TypePlan, texts: &[Text]) -> Result<()> {
        self.word(plan.id);
        self.count(texts.len())?;
        let nul = self.codec.rules.string_array_nul;
        texts.iter().try_for_each(|text| self.text(text, nul))
    }
}
