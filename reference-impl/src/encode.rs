//! Encoding: the narrowest form that keeps the value, padding zero.

mod containers;
mod node_path;
mod numbers;
mod record;
mod texts;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use variant_specs::{FLAG_1, Shape};

use crate::codec::Codec;
use crate::cursor::padding;
use crate::decode::HIGH_BIT;
use crate::error::EncodeError;
use crate::value::Value;

/// The error is boxed, so that a success fits in a register.
type Result<T> = core::result::Result<T, Box<EncodeError>>;

/// Appends one value to a packet.
pub(crate) struct Encoder<'a> {
    codec: &'a Codec,
    packet: &'a mut Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(codec: &'a Codec, packet: &'a mut Vec<u8>) -> Self {
        Self { codec, packet }
    }

    /// Writes a whole value, the `depth`th on its path.
    pub(crate) fn value(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth > self.codec.depth {
            return Err(EncodeError::TooDeep.into());
        }
        match value {
            Value::Null => self.header_of(Shape::Empty, 0),
            Value::Bool(bool) => self.word_of(Shape::Bool, u32::from(*bool)),
            Value::Int(int) => self.int(*int),
            Value::Float(float) => self.float(*float),
            Value::Text(layout, text) => {
                let header = self.codec.plan_of(*layout)?.id;
                self.text_value(header, text)
            }
            Value::Fields(layout, numbers) => self.fields(self.codec.plan_of(*layout)?, numbers),
            Value::Array(array) => {
                match &array.of {
                    None => self.header_of(Shape::Array, 0)?,
                    Some(of) => self.array_type(of)?,
                }
                self.container_count(array.items.len(), array.shared)?;
                self.values(&array.items, depth + 1)
            }
            Value::Dictionary(dictionary) => {
                self.dictionary_header(dictionary)?;
                self.container_count(dictionary.entries.len(), dictionary.shared)?;
                // No value takes less than its header.
                self.packet.reserve(8 * dictionary.entries.len());
                for (key, value) in &dictionary.entries {
                    self.value(key, depth + 1)?;
                    self.value(value, depth + 1)?;
                }
                Ok(())
            }
            Value::Packed(layout, numbers) => self.packed(self.codec.plan_of(*layout)?, numbers),
            Value::PackedText(layout, texts) => self.packed_text(self.codec.plan_of(*layout)?, texts),
            Value::NodePath(path) => self.node_path(path),
            Value::Record(layout, components) => self.record(self.codec.plan_of(*layout)?, components, depth),
        }
    }

    /// Writes values in a plain loop, so that a deep path takes little stack.
    fn values(&mut self, values: &[Value], depth: usize) -> Result<()> {
        for value in values {
            self.value(value, depth)?;
        }
        Ok(())
    }

    /// Writes a length, the bytes, the bytes that end them, and padding. The length counts both.
    fn counted(&mut self, bytes: &[u8], end: &[u8]) -> Result<()> {
        let length = bytes.len() + end.len();
        self.count(length)?;
        self.packet.extend_from_slice(bytes);
        self.packet.extend_from_slice(end);
        self.pad(length);
        Ok(())
    }

    /// Writes a value of one word.
    #[inline]
    fn word_of(&mut self, shape: Shape, word: u32) -> Result<()> {
        let id = self.codec.plan_of_shape(shape)?.id;
        self.packet.extend_from_slice(&(u64::from(word) << 32 | u64::from(id)).to_le_bytes());
        Ok(())
    }

    /// Writes a number of two words, with flag 1 in its header.
    fn long_of(&mut self, shape: Shape, long: u64) -> Result<()> {
        self.header_of(shape, FLAG_1)?;
        self.packet.extend_from_slice(&long.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn header_of(&mut self, shape: Shape, flags: u32) -> Result<()> {
        let plan = self.codec.plan_of_shape(shape)?;
        self.word(plan.id | flags);
        Ok(())
    }

    #[inline]
    fn count(&mut self, count: usize) -> Result<()> {
        let count = length(count)?;
        self.word(count);
        Ok(())
    }

    #[inline]
    fn word(&mut self, word: u32) {
        self.packet.extend_from_slice(&word.to_le_bytes());
    }

    #[inline]
    fn pad(&mut self, length: usize) {
        if length.is_multiple_of(4) {
            return;
        }
        self.packet.extend_from_slice(&[0; 3][..padding(length)]);
    }

    #[cold]
    fn unsupported(&self, shape: Shape) -> Box<EncodeError> {
        let layout = self.codec.layouts.id_of_shape(shape);
        Box::new(EncodeError::UnsupportedForm(
            layout.map_or_else(|| "this type".to_string(), |id| self.codec.layouts.get(id).name.clone()),
        ))
    }
}

/// A count that fits in 31 bits.
fn length(count: usize) -> Result<u32> {
    let count = u32::try_from(count).ok().filter(|count| count & HIGH_BIT == 0);
    count.ok_or_else(|| EncodeError::TooLong.into())
}
