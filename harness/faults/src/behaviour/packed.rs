//! Faults with packed arrays.

use std::collections::HashMap;
use std::sync::Arc;

use variant_codec::{Numbers, Role, Value};
use variant_specs::{Dialect, FLAG_1, LayoutId, Precision, Scalar, Shape};

use crate::builder::{CodecFault, both, fault, layouts_where, reads, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("packed-count-of-a-byte", "of 256 elements or more of a packed array, only those beyond are kept").both(
            |value| {
                if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                    bytes.truncate(bytes.len() % 256);
                } else if let Value::Packed(_, Numbers::Int32(ints)) = value {
                    ints.truncate(ints.len() % 256);
                } else if let Value::PackedText(_, texts) = value {
                    texts.truncate(texts.len() % 256);
                }
            },
        ),
        fault("empty-packed-refused", "empty packed arrays are refused")
            .refuses(|value| matches!(value, Value::Packed(_, numbers) if numbers.is_empty())),
        fault("packed-turned-round", "packed arrays are in reverse order").by(|dialect| {
            let layouts = Arc::clone(&dialect.layouts);
            both(move |value| {
                if let Value::Packed(layout, numbers) = value {
                    let arity = layouts.get(*layout).arity();
                    match numbers {
                        Numbers::Bytes(list) => turn_round(list, arity),
                        Numbers::Int32(list) => turn_round(list, arity),
                        Numbers::Int64(list) => turn_round(list, arity),
                        Numbers::Float32(list) => turn_round(list, arity),
                        Numbers::Float64(list) => turn_round(list, arity),
                    }
                }
            })
        }),
        fault("bytes-beyond-ascii-lost", "bytes above 127 become question marks").both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
            }
        }),
        fault("trailing-zeros-lost", "zeros at the end of a byte array are lost").both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            }
        }),
        fault("bytes-end-at-a-zero", "a byte array ends at its first zero").both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
            }
        }),
        fault("last-packed-element-lost", "the last element of a packed array is lost").by(|dialect| {
            let layouts = Arc::clone(&dialect.layouts);
            both(move |value| {
                if let Value::Packed(layout, numbers) = value {
                    let layout = layouts.get(*layout);
                    shorten(numbers, layout.arity());
                }
            })
        }),
        fault(
            "last-packed-element-not-read",
            "the last element of a packed array is not read, and its bytes are taken for what follows",
        )
        .by(|dialect| {
            let sizes: Vec<_> = sizes(dialect).filter(|(_, size, _)| *size > 1).collect();
            reads(move |field| {
                let (_, size, _) = sizes.iter().find(|(id, ..)| *id == field.layout && field.role == Role::Count)?;
                let count = field.word().filter(|count| *count > 0)?;
                let is_there = usize::try_from(count).is_ok_and(|count| field.behind.len() / size >= count);
                Some(if is_there { Splice::As((count - 1).to_le_bytes().to_vec()) } else { Splice::Refuse })
            })
        }),
        fault("last-packed-element-zero", "the last element of a packed array is not read: it is zero").by(|dialect| {
            let sizes = PackedSizes::new(dialect);
            reads(move |field| {
                let (count, size) = sizes.announced(field).filter(|(count, size)| *count > 0 && *size > 1)?;
                let all = field.behind.get(4..)?;
                let kept = (count - 1).saturating_mul(size);
                if all.len() < kept.saturating_add(size) {
                    return Some(Splice::Refuse);
                }
                let read = [field.bytes, &field.behind[..4 + kept], &vec![0; size]].concat();
                Some(Splice::Instead(field.bytes.len() + 4 + kept, read))
            })
        }),
        fault("byte-count-includes-padding", "the count of a byte array includes its padding").by(|dialect| {
            let bytes =
                layouts_where(dialect, |layout| layout.shape == Shape::Packed && layout.of == Some(Scalar::Byte));
            writes(move |field| {
                let count = field.word()?;
                let is_count = field.role == Role::Count && bytes.contains(&field.layout);
                is_count.then(|| count.next_multiple_of(4).to_le_bytes().to_vec())
            })
        }),
        fault("two-numbers-an-element", "an element of a packed array of vectors takes two numbers")
            .by(|dialect| elements_of(dialect, 2)),
        fault("three-numbers-an-element", "an element of a packed array of vectors or colors takes three numbers")
            .by(|dialect| elements_of(dialect, 3)),
        fault("four-numbers-an-element", "an element of a packed array of vectors takes four numbers")
            .by(|dialect| elements_of(dialect, 4)),
        fault("packed-count-without-bit-31", "bit 31 of the count of a packed array is ignored").by(|dialect| {
            let packed = layouts_where(dialect, |layout| matches!(layout.shape, Shape::Packed | Shape::PackedText));
            reads(move |field| {
                let count = field.word().filter(|_| field.role == Role::Count && packed.contains(&field.layout))?;
                (count >> 31 == 1).then(|| Splice::As((count & 0x7fff_ffff).to_le_bytes().to_vec()))
            })
        }),
        fault("packed-bytes-wrap", "the bytes of a packed array are counted in 32 bits: count times size wraps around")
            .by(|dialect| wrapped(dialect, |size, _| size)),
        fault(
            "packed-numbers-wrap",
            "the numbers of a packed array are counted in 32 bits: count times numbers wraps around",
        )
        .by(|dialect| (dialect.precision == Precision::Single).then(|| wrapped(dialect, |_, arity| arity)).flatten()),
        fault("empty-arrays-have-no-count", "an empty packed array is written without its count").by(|dialect| {
            let packed = layouts_where(dialect, |layout| matches!(layout.shape, Shape::Packed | Shape::PackedText));
            writes(move |field| {
                let is_count = field.role == Role::Count && packed.contains(&field.layout);
                (is_count && field.word() == Some(0)).then(Vec::new)
            })
        }),
        fault("packed-count-is-of-bytes", "the count of a packed array is of bytes, not of elements")
            .by(|dialect| counted_as(dialect, |size, _| size)),
        fault("packed-count-is-of-numbers", "the count of a packed array is of numbers, not of elements")
            .by(|dialect| counted_as(dialect, |_, arity| arity)),
    ]
}

/// Each element of a packed array takes so many numbers: without those behind, or with zeros for them; the fourth that is
/// read of a color is one.
fn elements_of(dialect: &Dialect, numbers: usize) -> Option<Mutation> {
    let packed = layouts_where(dialect, |layout| {
        let other = layout.shape == Shape::Packed && layout.arity() > 1 && layout.arity() != numbers;
        other && dialect.scalar(layout) == Scalar::Float32
    });
    (!packed.is_empty()).then_some(())?;
    let layouts = Arc::clone(&dialect.layouts);
    let (of_written, layouts_written) = (packed.clone(), Arc::clone(&layouts));
    let written = writes(move |field| {
        let layout = of_written.iter().find(|id| **id == field.layout && matches!(field.role, Role::Number(_)))?;
        let names = &layouts_written.get(*layout).fields;
        let (_, own) = field.name.rsplit_once("].")?;
        let place = names.iter().position(|name| name == own)?;
        if place >= numbers {
            return Some(Vec::new());
        }
        let more = if place + 1 == names.len() { 4 * (numbers - names.len()) } else { 0 };
        Some([field.bytes, &vec![0; more]].concat())
    })?;
    let read = reads(move |field| {
        let layout = packed.iter().find(|id| **id == field.layout && field.role == Role::Count)?;
        let layout = layouts.get(*layout);
        let (arity, color) = (layout.arity(), layout.name.starts_with("color"));
        let count = usize::try_from(field.word()?).ok()?;
        let Some(there) = field.behind.get(..count.saturating_mul(4 * numbers)) else { return Some(Splice::Refuse) };
        let mut read = field.bytes.to_vec();
        for element in there.chunks(4 * numbers) {
            let kept = &element[..element.len().min(4 * arity)];
            read.extend_from_slice(kept);
            let last = if color { 1f32 } else { 0f32 };
            (kept.len() / 4..arity).for_each(|_| read.extend(last.to_le_bytes()));
        }
        Some(Splice::Instead(field.bytes.len() + there.len(), read))
    })?;
    Some(Mutation { reads: read.reads, ..written })
}

fn turn_round<T: Copy>(list: &mut [T], arity: usize) {
    let turned: Vec<T> = list.chunks(arity).rev().flatten().copied().collect();
    list.copy_from_slice(&turned);
}

fn shorten(numbers: &mut Numbers, by: usize) {
    let left = numbers.len().saturating_sub(by.max(1));
    match numbers {
        Numbers::Bytes(bytes) => bytes.truncate(left),
        Numbers::Int32(ints) => ints.truncate(left),
        Numbers::Int64(ints) => ints.truncate(left),
        Numbers::Float32(floats) => floats.truncate(left),
        Numbers::Float64(floats) => floats.truncate(left),
    }
}

/// The sizes of the elements of packed arrays.
pub(super) struct PackedSizes {
    of: HashMap<LayoutId, usize>,
    /// Those that flag 1 makes twice as wide.
    wide: Vec<LayoutId>,
}

impl PackedSizes {
    pub(super) fn new(dialect: &Dialect) -> Self {
        Self {
            of: sizes(dialect).map(|(layout, size, _)| (layout, size)).collect(),
            wide: layouts_where(dialect, |layout| dialect.says_width(layout)),
        }
    }

    /// Behind the header of a packed array: the count of elements, and the bytes of each.
    pub(super) fn announced(&self, field: &MutatedField<'_>) -> Option<(usize, usize)> {
        let size = self.of.get(&field.layout).filter(|_| field.is_header())?;
        let is_wide = field.word()? & FLAG_1 != 0 && self.wide.contains(&field.layout);
        let count = usize::try_from(u32::from_le_bytes(*field.behind.first_chunk()?)).ok()?;
        Some((count, size << u32::from(is_wide)))
    }
}

/// Each packed array, how many bytes an element takes, and how many numbers.
fn sizes(dialect: &Dialect) -> impl Iterator<Item = (LayoutId, usize, usize)> {
    layouts_where(dialect, |layout| layout.shape == Shape::Packed).into_iter().map(|id| {
        let layout = dialect.layouts.get(id);
        let (arity, size) = (
            layout.arity().max(1),
            match dialect.scalar(layout) {
                Scalar::Byte => 1,
                Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel => 4,
                Scalar::Int64 | Scalar::Float64 => 8,
            },
        );
        (id, size * arity, arity)
    })
}

/// What an element of each packed array has several of, given its size and its numbers.
fn several_of(dialect: &Dialect, several: fn(usize, usize) -> usize) -> Option<Vec<(LayoutId, u32)>> {
    let several = sizes(dialect).filter_map(|(id, size, arity)| {
        let several = u32::try_from(several(size, arity)).ok()?;
        (several > 1).then_some((id, several))
    });
    let several: Vec<(LayoutId, u32)> = several.collect();
    (!several.is_empty()).then_some(several)
}

/// The factor of a count, and the count.
fn factor_of(several: &[(LayoutId, u32)], field: &MutatedField<'_>) -> Option<(u32, u32)> {
    let (_, factor) = several.iter().find(|(layout, _)| *layout == field.layout && field.role == Role::Count)?;
    Some((*factor, field.word()?))
}

/// The count of a packed array, times this, is kept in 32 bits.
fn wrapped(dialect: &Dialect, several: fn(usize, usize) -> usize) -> Option<Mutation> {
    let several = several_of(dialect, several)?;
    reads(move |field| {
        let (factor, count) = factor_of(&several, field)?;
        Some(Splice::As((count.wrapping_mul(factor) / factor).to_le_bytes().to_vec()))
    })
}

/// The count of a packed array is of something smaller, of which an element has several.
fn counted_as(dialect: &Dialect, several: fn(usize, usize) -> usize) -> Option<Mutation> {
    let factors = several_of(dialect, several)?;
    let written = factors.clone();
    let read = reads(move |field| {
        let (factor, count) = factor_of(&factors, field)?;
        Some(Splice::As((count / factor).to_le_bytes().to_vec()))
    })?;
    let write = writes(move |field| {
        let (factor, count) = factor_of(&written, field)?;
        Some(count.wrapping_mul(factor).to_le_bytes().to_vec())
    })?;
    Some(Mutation { reads: read.reads, ..write })
}
