//! Decoding: one function for each shape, in the files of this module. What all shapes share is here.

mod containers;
mod image;
pub(crate) mod node_path;
mod numbers;
mod record;
mod texts;

use alloc::vec::Vec;
use core::ops::Range;

use variant_specs::{Bit31, Shape};

use crate::codec::{Codec, TypePlan};
use crate::cursor::{Cursor, padding, refused};
use crate::error::{DecodeError, Refusal};
use crate::trace::{Role, Trace};
use crate::value::Value;

type Result<T> = core::result::Result<T, DecodeError>;

/// Bit 31 of a count: `shared` in containers, the new form in node paths.
pub(crate) const HIGH_BIT: u32 = 1 << 31;

/// Reads one value from a packet.
pub(crate) struct Decoder<'a, T> {
    codec: &'a Codec,
    input: Cursor<'a>,
    trace: &'a mut T,
    /// How many bytes of the last padding the input lacks.
    lacking: usize,
    /// How many more elements may be allocated before they are read. A packet holds no more elements than words, so
    /// an honest one never uses this up, and nested counts that promise too much do.
    promised: usize,
}

impl<'a, T: Trace> Decoder<'a, T> {
    pub(crate) fn new(codec: &'a Codec, packet: &'a [u8], trace: &'a mut T) -> Self {
        Self { codec, input: Cursor::new(packet), trace, lacking: 0, promised: packet.len() / 4 }
    }

    /// Reads a value into this place, which holds null, and returns how many bytes it took.
    #[inline]
    pub(crate) fn run(mut self, place: &mut Value) -> Result<usize> {
        self.value(1, place)?;
        Ok(self.input.at() + self.lacking)
    }

    /// Reads a whole value, the `depth`th on its path, into a place that holds null.
    fn value(&mut self, depth: usize, place: &mut Value) -> Result<()> {
        if depth > self.codec.depth {
            return Err(self.input.refuse(Refusal::TooDeep));
        }
        let (plan, flags) = self.header()?;
        match plan.shape {
            Shape::Array => self.array(plan, flags, depth, place),
            Shape::Dictionary => self.dictionary(plan, flags, depth, place),
            Shape::Record => self.record(plan, flags, depth, place),
            Shape::Empty
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Text
            | Shape::Fields
            | Shape::Packed
            | Shape::PackedText
            | Shape::NodePath => self.leaf(plan, flags, place),
        }
    }

    /// Reads a value with no value within. The shapes of most packets are read right here, the rest in functions of
    /// their own, so that a deep path takes little stack.
    #[inline]
    fn leaf(&mut self, plan: &TypePlan, flags: u32, place: &mut Value) -> Result<()> {
        match plan.shape {
            Shape::Empty | Shape::Array | Shape::Dictionary | Shape::Record => {}
            Shape::Bool => put(place, Value::Bool(self.bool()?)),
            Shape::Int => put(place, Value::Int(self.int(flags)?)),
            Shape::Float => put(place, Value::Float(self.float(flags)?)),
            Shape::Text => return self.text_value(plan, place),
            Shape::Fields => return self.fields(plan, flags, place),
            Shape::Packed => return self.packed(plan, flags, place),
            Shape::PackedText => return self.packed_text(plan, place),
            Shape::NodePath => put(place, self.node_path()?),
        }
        Ok(())
    }

    /// An empty list with memory for `count` elements, as far as the packet can hold so many. There is always memory
    /// for the first one, so nested counts that promise too much take one element each.
    fn room_for<E>(&mut self, count: usize) -> Vec<E> {
        let believed = count.min(self.promised);
        self.promised -= believed;
        Vec::with_capacity(believed.max(count.min(1)))
    }

    #[inline]
    fn header(&mut self) -> Result<(&'a TypePlan, u32)> {
        let before = self.input.at();
        let word = self.input.word()?;
        let id = word & self.codec.id_mask;
        let plan = self.codec.plan(id).ok_or_else(|| refused(before, Refusal::UnknownType))?;
        let flags = word & !self.codec.id_mask;
        if flags & plan.refused_flags != 0 {
            return Err(refused(before, Refusal::UnknownFlag));
        }
        self.tell(before, "header", Role::Header(plan.layout));
        Ok((plan, flags & plan.known_flags))
    }

    /// Reads a count or length of things of `size` bytes each, all of which must fit.
    #[inline]
    fn length(&mut self, name: &str, role: Role, size: usize) -> Result<usize> {
        let before = self.input.at();
        let length = self.word(name, role)?;
        self.fitting(length, size, before)
    }

    /// Reads a count of elements of at least `least` bytes.
    fn count(&mut self, name: &str, bit_31: Bit31, least: usize) -> Result<usize> {
        let before = self.input.at();
        let count = match (self.word(name, Role::Count)?, bit_31) {
            (HIGH_BIT.., Bit31::Empty) => 0,
            (count, Bit31::Ignored) => count & !HIGH_BIT,
            (count, Bit31::Refused | Bit31::Empty) => count,
        };
        self.fitting(count, least, before)
    }

    #[inline]
    fn fitting(&self, length: u32, size: usize, before: usize) -> Result<usize> {
        let fits = (length as usize).checked_mul(size).is_some_and(|bytes| bytes <= self.input.left());
        // A negative length is one beyond any buffer.
        if fits && length < HIGH_BIT { Ok(length as usize) } else { Err(refused(before, Refusal::Length)) }
    }

    /// Reads the padding after `length` bytes. If `optional`, it may be missing at the end of the input.
    #[inline]
    fn padding(&mut self, length: usize, optional: bool) -> Result<()> {
        let lacking = if optional { padding(length).saturating_sub(self.input.left()) } else { 0 };
        self.lacking += lacking;
        let before = self.input.at();
        self.input.take(padding(length) - lacking)?;
        self.tell_unless_empty(before, "padding", Role::Padding);
        Ok(())
    }

    #[inline]
    fn word(&mut self, name: &str, role: Role) -> Result<u32> {
        let before = self.input.at();
        let word = self.input.word()?;
        self.tell(before, name, role);
        Ok(word)
    }

    #[inline]
    fn long(&mut self, name: &str, role: Role) -> Result<u64> {
        let before = self.input.at();
        let long = self.input.array().map(u64::from_le_bytes)?;
        self.tell(before, name, role);
        Ok(long)
    }

    /// A refusal of the header that was just read.
    fn refuse_header(&self, kind: Refusal) -> DecodeError {
        DecodeError { at: self.input.at() - 4, kind }
    }

    /// Reports the field from `from` to here to the trace.
    #[inline]
    fn tell(&mut self, from: usize, name: &str, role: Role) {
        if T::ON {
            let bytes: Range<usize> = from..self.input.at();
            self.trace.field(bytes, name, role);
        }
    }

    #[inline]
    fn tell_unless_empty(&mut self, from: usize, name: &str, role: Role) {
        if self.input.at() > from {
            self.tell(from, name, role);
        }
    }
}

/// Fills a place that holds null or an empty text. These own nothing, so the old value is forgotten, not dropped.
#[inline(always)]
fn put<P>(place: &mut P, value: P) {
    core::mem::forget(core::mem::replace(place, value));
}
