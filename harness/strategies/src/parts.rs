//! Where the values in a packet are.

use std::ops::Range;

use variant_codec::{Codec, Role, Step, Trace};
use variant_specs::LayoutId;

/// The values in a packet, as far as it can be read.
#[derive(Debug, Default)]
pub struct Parts {
    /// The layouts of all headers, in the order of the packet.
    pub layouts: Vec<LayoutId>,
    /// How many steps were entered and not left.
    depth: usize,
    /// Depth and offset of the values that have not ended.
    open: Vec<(usize, usize)>,
    closed: Vec<Range<usize>>,
    /// The end of the last field.
    end: usize,
}

impl Parts {
    /// The fields of a packet, up to where it can no longer be read.
    pub fn of(packet: &[u8], codec: &Codec) -> Self {
        let mut parts = Self::default();
        let _ = codec.decode_traced(packet, &mut parts);
        // A value in which reading failed goes to the packet's end.
        if let Some((_, start)) = parts.open.get(1) {
            parts.closed.push(*start..packet.len());
        }
        parts
    }

    /// The ranges of the values directly within the outermost one, in the order of the packet.
    pub fn within(&self) -> &[Range<usize>] {
        &self.closed
    }
}

impl Trace for Parts {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, _: &str, role: Role) {
        self.end = bytes.end;
        if let Role::Header(layout) = role {
            self.layouts.push(layout);
            self.open.push((self.depth, bytes.start));
        }
    }

    fn enter(&mut self, _: Step<'_>) {
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
        while let Some((depth, start)) = self.open.last().copied()
            && depth > self.depth
        {
            self.open.pop();
            if self.open.len() == 1 {
                self.closed.push(start..self.end);
            }
        }
    }
}

/// Whether all values in a packet have one of these layouts.
pub(crate) fn is_of(packet: &[u8], codec: &Codec, only: &[LayoutId]) -> bool {
    Parts::of(packet, codec).layouts.iter().all(|layout| only.contains(layout))
}

/// The little-endian number in the four bytes at this offset of a packet.
pub(crate) fn word_at(packet: &[u8], at: usize) -> u32 {
    packet[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}
