//! Numbers: one, those of a value, and lists of them.

use smallvec::SmallVec;
use variant_specs::{FLAG_1, Scalar};

use super::{Decoder, Result, put};
use crate::codec::TypePlan;
use crate::error::{DecodeError, Refusal};
use crate::trace::{Role, Step, Trace};
use crate::value::{F32, F64, Numbers, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline]
    pub(super) fn bool(&mut self) -> Result<bool> {
        let word = self.word("value", Role::Bool)?;
        Ok(word != 0)
    }

    #[inline]
    pub(super) fn int(&mut self, flags: u32) -> Result<i64> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Int32))?;
            return Ok(i64::from(word.cast_signed()));
        }
        self.long("value", Role::Number(Scalar::Int64)).map(u64::cast_signed)
    }

    #[inline]
    pub(super) fn float(&mut self, flags: u32) -> Result<F64> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Float32))?;
            return Ok(F32(word).widen().quiet());
        }
        self.long("value", Role::Number(Scalar::Float64)).map(F64)
    }

    #[inline(never)]
    pub(super) fn fields(&mut self, plan: &TypePlan, flags: u32, place: &mut Value) -> Result<()> {
        let scalar = on_wire(plan, flags);
        if T::ON {
            self.tell_numbers(plan, scalar, 1, false)?;
        }
        let bytes = self.number_bytes(plan, scalar, 1)?;
        if plan.in_order && scalar == plan.scalar {
            put(place, Value::Fields(plan.layout, read_numbers(scalar, bytes)));
        } else {
            put(place, Value::Fields(plan.layout, in_value(in_meaning(plan, scalar, bytes), plan, scalar)));
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn packed(&mut self, plan: &TypePlan, flags: u32, place: &mut Value) -> Result<()> {
        let scalar = on_wire(plan, flags);
        let count = self.length("count", Role::Count, width(scalar) * plan.arity)?;
        if scalar == Scalar::Byte {
            return self.bytes(plan, count, place);
        }
        if T::ON {
            self.tell_numbers(plan, scalar, count, true)?;
        }
        let bytes = self.number_bytes(plan, scalar, count)?;
        if plan.in_order && scalar == plan.scalar {
            put(place, Value::Packed(plan.layout, read_numbers(scalar, bytes)));
        } else {
            put(place, Value::Packed(plan.layout, in_value(in_meaning(plan, scalar, bytes), plan, scalar)));
        }
        Ok(())
    }

    fn bytes(&mut self, plan: &TypePlan, count: usize, place: &mut Value) -> Result<()> {
        let before = self.input.at();
        let bytes = self.input.take(count)?;
        self.tell_unless_empty(before, "bytes", Role::Bytes);
        self.padding(count, self.codec.rules.byte_padding_optional_at_end)?;
        put(place, Value::Packed(plan.layout, Numbers::Bytes(bytes.to_vec())));
        Ok(())
    }

    /// The bytes of `elements` times the numbers of `plan`.
    #[inline]
    fn number_bytes(&mut self, plan: &TypePlan, scalar: Scalar, elements: usize) -> Result<&'a [u8]> {
        self.input.take(elements * plan.arity * width(scalar)).map_err(|_| self.first_cut_number(scalar))
    }

    /// The refusal of the first number that does not fit.
    #[cold]
    fn first_cut_number(&mut self, scalar: Scalar) -> DecodeError {
        while self.input.take(width(scalar)).is_ok() {}
        self.input.refuse(Refusal::Truncated)
    }

    /// Reports the same bytes to the trace, number by number, and consumes nothing.
    fn tell_numbers(&mut self, plan: &TypePlan, scalar: Scalar, elements: usize, indexed: bool) -> Result<()> {
        let before = self.input;
        let names = &self.codec.layouts.get(plan.layout).fields;
        for index in 0..elements {
            if indexed {
                self.trace.enter(Step::Index(index));
            }
            for place in 0..plan.arity {
                // An element that is one number has no name.
                let name = plan.wire.get(place).map_or("", |place| &names[*place]);
                let at = self.input.at();
                self.input.take(width(scalar))?;
                self.tell(at, name, Role::Number(scalar));
            }
            if indexed {
                self.trace.leave();
            }
        }
        self.input = before;
        Ok(())
    }
}

/// What the numbers after a header with these flags are.
fn on_wire(plan: &TypePlan, flags: u32) -> Scalar {
    plan.on_wire[usize::from(flags & FLAG_1 != 0)]
}

/// Bytes of one number.
pub(crate) fn width(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Byte => 1,
        Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel => 4,
        Scalar::Int64 | Scalar::Float64 => 8,
    }
}

/// Numbers at the width that they have in a value, whatever their width on the wire.
fn in_value(numbers: Numbers, plan: &TypePlan, scalar: Scalar) -> Numbers {
    if scalar == plan.scalar { numbers } else { numbers.other_width() }
}

/// Reads numbers and puts them into the order of meaning.
fn in_meaning(plan: &TypePlan, scalar: Scalar, bytes: &[u8]) -> Numbers {
    let mut numbers = read_numbers(scalar, bytes);
    if !plan.in_order {
        reorder(&mut numbers, &plan.wire);
    }
    numbers
}

#[inline(always)]
fn read_numbers(scalar: Scalar, bytes: &[u8]) -> Numbers {
    match scalar {
        Scalar::Byte => Numbers::Bytes(bytes.to_vec()),
        Scalar::Int32 => Numbers::Int32(collect(words(bytes).map(i32::from_le_bytes), 0)),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => {
            Numbers::Float32(collect(words(bytes).map(|b| F32(u32::from_le_bytes(b))), F32(0)))
        }
        Scalar::Int64 => Numbers::Int64(collect(longs(bytes).map(i64::from_le_bytes), 0)),
        Scalar::Float64 => Numbers::Float64(collect(longs(bytes).map(|b| F64(u64::from_le_bytes(b))), F64(0))),
    }
}

/// Short lists are stored inline; long ones go through `Vec`, which copies at the speed of memory.
#[inline]
fn collect<N: Copy, const INSIDE: usize>(numbers: impl ExactSizeIterator<Item = N>, zero: N) -> SmallVec<[N; INSIDE]> {
    let count = numbers.len();
    if count > INSIDE {
        return SmallVec::from_vec(numbers.collect());
    }
    let mut inside = [zero; INSIDE];
    inside.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    SmallVec::from_buf_and_len(inside, count)
}

fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}

fn longs(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; 8]> {
    bytes.as_chunks().0.iter().copied()
}

/// Puts each element's numbers from the order of the wire into the order of meaning.
fn reorder(numbers: &mut Numbers, wire: &[usize]) {
    match numbers {
        Numbers::Bytes(numbers) => scatter(numbers, wire),
        Numbers::Int32(numbers) => scatter(numbers, wire),
        Numbers::Int64(numbers) => scatter(numbers, wire),
        Numbers::Float32(numbers) => scatter(numbers, wire),
        Numbers::Float64(numbers) => scatter(numbers, wire),
    }
}

fn scatter<N: Copy>(numbers: &mut [N], wire: &[usize]) {
    for element in numbers.chunks_exact_mut(wire.len()) {
        let on_wire: SmallVec<[N; 16]> = SmallVec::from_slice(element);
        for (&number, &place) in on_wire.iter().zip(wire) {
            element[place] = number;
        }
    }
}
