//! Numbers: one, those of a value, and lists of them.

use alloc::boxed::Box;

use variant_specs::{Scalar, Shape};

use super::{Encoder, Result};
use crate::codec::TypePlan;
use crate::error::EncodeError;
use crate::value::{F32, F64, Numbers};

/// How many numbers are turned into bytes at a time.
const BUFFERED: usize = 64;
/// Up to this many numbers are written one by one: a buffer for them would cost more.
const FEW: usize = 16;

impl<'a> Encoder<'a> {
    #[inline]
    pub(super) fn int(&mut self, int: i64) -> Result<()> {
        match i32::try_from(int) {
            Ok(narrow) => self.word_of(Shape::Int, narrow.cast_unsigned()),
            Err(_) if self.codec.rules.wide_numbers => self.long_of(Shape::Int, int.cast_unsigned()),
            Err(_) => Err(EncodeError::IntOutOfRange(int).into()),
        }
    }

    #[inline]
    pub(super) fn float(&mut self, float: F64) -> Result<()> {
        match float.narrow() {
            Some(narrow) => self.word_of(Shape::Float, narrow.0),
            None if self.codec.rules.wide_numbers => self.long_of(Shape::Float, float.0),
            // A dialect without wide floats narrows them.
            None => self.word_of(Shape::Float, float.nearest().0),
        }
    }

    #[inline(never)]
    pub(super) fn fields(&mut self, plan: &TypePlan, numbers: &Numbers) -> Result<()> {
        if numbers.len() != plan.arity || !has_width(numbers, plan.scalar) {
            return Err(self.wrong_numbers(plan));
        }
        self.word(plan.id | plan.own_flags);
        self.numbers(plan, numbers);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn packed(&mut self, plan: &TypePlan, numbers: &Numbers) -> Result<()> {
        if !numbers.len().is_multiple_of(plan.arity) || !has_width(numbers, plan.scalar) {
            return Err(self.wrong_numbers(plan));
        }
        self.word(plan.id | plan.own_flags);
        self.count(numbers.len() / plan.arity)?;
        let before = self.packet.len();
        self.numbers(plan, numbers);
        self.pad(self.packet.len() - before);
        Ok(())
    }

    /// Writes numbers in the order of the wire.
    fn numbers(&mut self, plan: &TypePlan, numbers: &Numbers) {
        match numbers {
            Numbers::Bytes(bytes) => self.packet.extend_from_slice(bytes),
            Numbers::Int32(numbers) => self.put(plan, numbers, i32::to_le_bytes),
            Numbers::Int64(numbers) => self.put(plan, numbers, i64::to_le_bytes),
            Numbers::Float32(numbers) => self.put(plan, numbers, |F32(bits)| bits.to_le_bytes()),
            Numbers::Float64(numbers) => self.put(plan, numbers, |F64(bits)| bits.to_le_bytes()),
        }
    }

    #[inline]
    fn put<N: Copy, const W: usize>(&mut self, plan: &TypePlan, numbers: &[N], bytes: impl Fn(N) -> [u8; W]) {
        self.packet.reserve(numbers.len() * W);
        if plan.in_order && numbers.len() <= FEW {
            return numbers.iter().for_each(|&number| self.packet.extend_from_slice(&bytes(number)));
        }
        if plan.in_order {
            // Through a buffer that stays in the cache, so that memory is written once, and at its full speed.
            for some in numbers.chunks(BUFFERED) {
                let mut buffer = [[0; W]; BUFFERED];
                let places = &mut buffer[..some.len()];
                places.iter_mut().zip(some).for_each(|(place, &number)| *place = bytes(number));
                self.packet.extend_from_slice(places.as_flattened());
            }
            return;
        }
        for element in numbers.chunks_exact(plan.arity) {
            plan.wire.iter().for_each(|&place| self.packet.extend_from_slice(&bytes(element[place])));
        }
    }

    #[cold]
    fn wrong_numbers(&self, plan: &TypePlan) -> Box<EncodeError> {
        Box::new(EncodeError::WrongNumbers(self.codec.layouts.get(plan.layout).name.clone()))
    }
}

fn has_width(numbers: &Numbers, scalar: Scalar) -> bool {
    match numbers {
        Numbers::Bytes(_) => scalar == Scalar::Byte,
        Numbers::Int32(_) => scalar == Scalar::Int32,
        Numbers::Int64(_) => scalar == Scalar::Int64,
        Numbers::Float32(_) => scalar == Scalar::Float32,
        Numbers::Float64(_) => scalar == Scalar::Float64,
    }
}
