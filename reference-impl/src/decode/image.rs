//! Images.

use alloc::boxed::Box;

use variant_specs::{BadImage, Layout};

use super::{Decoder, Result};
use crate::codec::Plan;
use crate::trace::{Role, Trace};
use crate::value::{Image, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn image(&mut self, plan: &Plan) -> Result<Value> {
        let format = self.word("format", Role::Word)?;
        let mipmaps = self.word("mipmaps", Role::Word)?;
        let width = self.word("width", Role::Word)?;
        let height = self.word("height", Role::Word)?;
        let length = self.length("length", Role::Length, 1)?;
        let before = self.input.at();
        let data = self.input.take(length)?.to_vec();
        self.tell_unless_empty(before, "data", Role::Bytes);
        self.padding(length, self.codec.rules.byte_padding_optional_at_end)?;
        let image = Image { format, mipmaps, width, height, data };
        let kept = self.codec.rules.bad_image == BadImage::Kept || fits(&image, self.codec.layouts.get(plan.layout));
        Ok(Value::Image(Box::new(if kept { image } else { Image::default() })))
    }
}

/// Whether an image has as much data as its format and size call for, each mipmap half the size of the one before.
fn fits(image: &Image, layout: &Layout) -> bool {
    // Without data there is no image, whatever its size.
    if image.data.is_empty() {
        return false;
    }
    let Some((_, pixel)) = layout.pixels.iter().find(|(format, _)| *format == image.format) else { return true };
    if image.width == 0 || image.height == 0 {
        return false;
    }
    let size = |level: u32| {
        let side = |pixels: u32| u64::from(pixels.checked_shr(level).unwrap_or(0).max(1));
        side(image.width).saturating_mul(side(image.height)).saturating_mul(u64::from(*pixel))
    };
    // Every level takes at least one byte: more levels than bytes never fit.
    let Ok(levels) = usize::try_from(image.mipmaps) else { return false };
    levels < image.data.len() && {
        let total = (0..=image.mipmaps).map(size).fold(0, u64::saturating_add);
        u64::try_from(image.data.len()) == Ok(total)
    }
}
