//! Images.

use variant_specs::Shape;

use super::{Encoder, Result};
use crate::value::Image;

impl<'a> Encoder<'a> {
    #[inline(never)]
    pub(super) fn image(&mut self, image: &Image) -> Result<()> {
        self.header_of(Shape::Image, 0)?;
        for word in [image.format, image.mipmaps, image.width, image.height] {
            self.word(word);
        }
        self.counted(&image.data, &[])
    }
}
