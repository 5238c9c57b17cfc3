//! Unpacking, bounded in size and so in time: what is unpacked may come from anybody.

use std::io::Read;

use super::inside::Inside;

/// At most so many bytes come out, and at most so many for each that goes in.
const MOST: usize = 64 << 20;
const RATIO: usize = 2000;
/// What is short may be packed as well as it likes.
const SHORT: usize = 1 << 20;

pub(super) fn gzip(bytes: &[u8]) -> Option<Inside> {
    whole(flate2::read::GzDecoder::new(bytes), bytes.len())
}

pub(super) fn zlib(bytes: &[u8]) -> Option<Inside> {
    whole(flate2::read::ZlibDecoder::new(bytes), bytes.len())
}

pub(super) fn zstd(bytes: &[u8]) -> Option<Inside> {
    whole(ruzstd::decoding::StreamingDecoder::new(bytes).ok()?, bytes.len())
}

/// All that a reader gives, unless it is too much.
fn whole(reader: impl Read, packed: usize) -> Option<Inside> {
    let most = room(packed);
    let Some(bytes) = bounded(reader, most + 1) else { return Some(Inside::Damaged) };
    (bytes.len() <= most).then_some(Inside::Unpacked(bytes))
}

fn room(packed: usize) -> usize {
    packed.saturating_mul(RATIO).clamp(SHORT, MOST)
}

/// A file of `open_compressed`: mode, size of a block, size of all, the packed size of each block, the blocks.
pub(super) fn compressed(file: &[u8]) -> Option<Inside> {
    let word = |at: usize| {
        let bytes = file.get(at..at.checked_add(4)?)?;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let (mode, size, all) = (word(4)?, word(8)?, word(12)?);
    if size == 0 || all > room(file.len()) {
        return None;
    }
    let blocks = all / size + 1;
    let mut at = blocks.checked_mul(4)?.checked_add(16)?;
    let mut bytes = Vec::new();
    for block in 0..blocks {
        let packed = word(16 + 4 * block)?;
        let left = size.min(all - bytes.len());
        let end = at.checked_add(packed)?;
        bytes.extend(unpacked(mode, file.get(at..end)?, left)?);
        at = end;
    }
    (bytes.len() == all).then_some(Inside::Unpacked(bytes))
}

/// One block, which has so many bytes.
fn unpacked(mode: usize, block: &[u8], size: usize) -> Option<Vec<u8>> {
    if size == 0 {
        return Some(Vec::new());
    }
    let bytes = match mode {
        0 => fastlz(block, size),
        1 => bounded(flate2::read::ZlibDecoder::new(block), size),
        2 => bounded(ruzstd::decoding::StreamingDecoder::new(block).ok()?, size),
        3 => bounded(flate2::read::GzDecoder::new(block), size),
        _ => None,
    }?;
    (bytes.len() == size).then_some(bytes)
}

/// At most so many bytes of what a reader gives.
fn bounded(reader: impl Read, size: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(size as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// FastLZ needs 16 bytes: engines pad a shorter block.
fn fastlz(block: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size.max(16)];
    let length = fastlz_rs::decompress_to_buf(block, &mut bytes).ok()?;
    bytes.truncate(length.min(size));
    Some(bytes)
}
