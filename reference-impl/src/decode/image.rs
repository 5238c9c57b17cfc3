//! Images: records whose data has a length that other fields call for.

use alloc::vec::Vec;

use crate::value::Component;

/// An image as it is, or an empty one if its data does not fit.
pub(super) fn fitting(image: Vec<Component>, pixels: &[(u32, u32)]) -> Vec<Component> {
    if fits(&image, pixels) {
        return image;
    }
    [0; 4].map(Component::Word).into_iter().chain([Component::Bytes(Vec::new())]).collect()
}

/// Whether an image has as much data as its format and size call for, each mipmap half the size of the one before.
fn fits(image: &[Component], pixels: &[(u32, u32)]) -> bool {
    use Component::{Bytes, Word};
    let [Word(format), Word(mipmaps), Word(width), Word(height), Bytes(data)] = image else { return true };
    // Without data there is no image, whatever its size.
    if data.is_empty() {
        return false;
    }
    let Some((_, pixel)) = pixels.iter().find(|(known, _)| known == format) else { return true };
    if *width == 0 || *height == 0 {
        return false;
    }
    let size = |level: u32| {
        let side = |pixels: u32| u64::from(pixels.checked_shr(level).unwrap_or(0).max(1));
        side(*width).saturating_mul(side(*height)).saturating_mul(u64::from(*pixel))
    };
    // Every level takes at least one byte: more levels than bytes never fit.
    let Ok(levels) = usize::try_from(*mipmaps) else { return false };
    levels < data.len() && {
        let total = (0..=*mipmaps).map(size).fold(0, u64::saturating_add);
        u64::try_from(data.len()) == Ok(total)
    }
}
