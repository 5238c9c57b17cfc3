//! Faults with integers, and with the bytes of any number.

use variant_codec::{Numbers, Role, Value};
use variant_specs::{Dialect, LayoutId, Scalar, Shape};

use crate::builder::{CodecFault, both, decoded, encoded, fault, layouts_where, of_shape, reads, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("long-ints-refused", "integers beyond 32 bits are refused")
            .refuses(|value| matches!(value, Value::Int(int) if i32::try_from(*int).is_err()))
            .needs("wide-numbers"),
        fault("ints-beyond-53-bits-refused", "integers beyond 53 bits are refused")
            .refuses(|value| matches!(value, Value::Int(int) if int.unsigned_abs() >= 1 << 53))
            .needs("wide-numbers"),
        fault("first-beyond-refused", "2^31 is refused")
            .refuses(|value| *value == Value::Int(1 << 31))
            .needs("wide-numbers"),
        fault("great-negative-cut", "integers below -2^31 are written in 32 bits")
            .ints_narrowed(|int| int < i32::MIN.into()),
        fault("int-cut-to-32-bits", "integers are cut to 32 bits").ints(|int| i64::from(low_half(int))),
        fault("int-saturated", "integers beyond 32 bits become the last one within")
            .ints(|int| int.clamp(i32::MIN.into(), i32::MAX.into())),
        fault("int-cut-to-53-bits", "integers beyond 53 bits become the last one within")
            .ints(|int| int.clamp(-(1 << 53), 1 << 53)),
        fault("int-is-unsigned", "a narrow integer is read without a sign")
            .by(|dialect| negative_narrow(dialect, |int| int + (1 << 32))),
        fault("least-int-has-no-sign", "-2^31 is read as 2^31")
            .by(|dialect| negative_narrow(dialect, |int| if int == -1 << 31 { 1 << 31 } else { int })),
        fault("unsigned-written-narrow", "integers from 2^31 to 2^32 - 1 are written in 32 bits")
            .ints_narrowed(|int| (1 << 31..1 << 32).contains(&int)),
        fault("first-beyond-written-narrow", "2^31 is written in 32 bits").ints_narrowed(|int| int == 1 << 31),
        fault("narrow-by-bit-length", "integers between -2^32 and 2^32 are written in 32 bits")
            .ints_narrowed(|int| int.unsigned_abs() < 1 << 32),
        fault("ints-always-wide", "every integer is written in 64 bits").by(|dialect| ints_wide(dialect, |_| true)),
        fault("ints-read-wide", "every integer is read from 64 bits").by(|dialect| read_wide(dialect, Shape::Int)),
        fault("least-int-written-wide", "-2^31 is written in 64 bits")
            .by(|dialect| ints_wide(dialect, |int| int == i32::MIN)),
        fault("negative-ints-written-wide", "negative integers are written in 64 bits")
            .by(|dialect| ints_wide(dialect, |int| int < 0)),
        fault(
            "width-by-absolute-value",
            "-2^31 is written in 64 bits, and -2^63 in 32: both are their own absolute values",
        )
        .by(|dialect| {
            let least = encoded(|value| {
                if *value == Value::Int(i64::MIN) {
                    *value = Value::Int(0);
                }
            })?;
            Some(Mutation { encoded: least.encoded, ..ints_wide(dialect, |int| int == i32::MIN)? })
        }),
        fault("zero-is-null", "the integer 0 is read as null").read_as_null(|value| *value == Value::Int(0)),
        fault("bools-are-ints", "truth values are integers").both(|value| {
            if let Value::Bool(bool) = value {
                *value = Value::Int(i64::from(*bool));
            }
        }),
        fault("false-is-null", "false is read and written as null").both(|value| {
            if *value == Value::Bool(false) {
                *value = Value::Null;
            }
        }),
        fault("sign-subtracts-half", "of a negative integer of 32 bits, 2^31 is subtracted, not 2^32")
            .by(|dialect| negative_narrow(dialect, |int| int + (1 << 31))),
        fault("sign-of-long-subtracts-half", "of a negative integer of 64 bits, 2^63 is subtracted, not 2^64")
            .decoded(|value| {
                if let Value::Int(int) = value
                    && *int < i32::MIN.into()
                {
                    *int &= i64::MAX;
                }
            })
            .needs("wide-numbers"),
        fault("low-word-is-signed", "the low half of an integer of 64 bits is read with a sign")
            .by(|dialect| long_words(dialect, is_long, |[low, _]| (low < 0).then_some([low, -1]))),
        fault(
            "high-word-is-not-moved",
            "the high half of an integer of 64 bits is put onto the low one: a shift by 32 is none",
        )
        .by(|dialect| long_words(dialect, is_long, shifted_by_none)),
        fault(
            "high-word-of-any-number-is-not-moved",
            "the high half of a number of 64 bits, integer or real, is put onto the low one: a shift by 32 is none",
        )
        .by(|dialect| {
            long_words(dialect, |role| is_long(role) || role == Role::Number(Scalar::Float64), shifted_by_none)
        }),
        fault("low-word-is-added", "the low half of an integer of 64 bits is added with a sign")
            .by(|dialect| long_words(dialect, is_long, |[low, high]| (low < 0).then_some([low, high.wrapping_sub(1)]))),
        fault("greatest-int-written-wide", "2^31 - 1 is written in 64 bits")
            .by(|dialect| ints_wide(dialect, |int| int == i32::MAX)),
        fault("vector-ints-through-floats", "the integers of vectors go through floats of 32 bits").by(|dialect| {
            has_vectors_of_ints(dialect)?;
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "that is the fault")]
            both(|value| each_of_fields(value, |int| (int as f32 as i64) as i32))
        }),
        fault("vector-ints-read-as-floats", "the integers of vectors are read as floats of 32 bits").by(|dialect| {
            has_vectors_of_ints(dialect)?;
            // As in JavaScript, what is beyond 32 bits loses its high bits.
            #[expect(clippy::cast_possible_truncation, reason = "that is the fault")]
            decoded(|value| each_of_fields(value, |int| (f32::from_bits(int.cast_unsigned()) as i128) as i32))
        }),
        fault("vector-ints-written-as-floats", "the integers of vectors are written as floats of 32 bits").by(
            |dialect| {
                has_vectors_of_ints(dialect)?;
                #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
                encoded(|value| each_of_fields(value, |int| (int as f32).to_bits().cast_signed()))
            },
        ),
        fault("bytes-have-signs", "the lower bytes of a word are added with their signs").by(|_| signed_bytes(0b0111)),
        fault("first-byte-has-a-sign", "the lowest byte of a word is added with its sign").by(|_| signed_bytes(0b0001)),
        fault("second-byte-has-a-sign", "the second byte of a word is added with its sign")
            .by(|_| signed_bytes(0b0010)),
        fault("third-byte-has-a-sign", "the third byte of a word is added with its sign").by(|_| signed_bytes(0b0100)),
    ]
}

impl CodecFault {
    /// Such integers are written in 32 bits, where others may have 64.
    fn ints_narrowed(self, which: fn(i64) -> bool) -> Self {
        let narrowed = move |int| if which(int) { i64::from(low_half(int)) } else { int };
        self.by(move |_| {
            encoded(move |value| {
                if let Value::Int(int) = value {
                    *int = narrowed(*int);
                }
            })
        })
        .needs("wide-numbers")
    }

    /// Integers are changed where they may have 64 bits.
    fn ints(self, change: fn(i64) -> i64) -> Self {
        self.of(change, |value, change| {
            if let Value::Int(int) = value {
                *int = change(*int);
            }
        })
        .needs("wide-numbers")
    }
}

/// Changes each integer of a vector.
fn each_of_fields(value: &mut Value, change: fn(i32) -> i32) {
    if let Value::Fields(_, Numbers::Int32(ints)) = value {
        ints.iter_mut().for_each(|int| *int = change(*int));
    }
}

pub(super) fn wide(dialect: &Dialect) -> Option<()> {
    dialect.rules.wide_numbers.then_some(())
}

/// Changes negative integers that are read in 32 bits. In the wide form they are right.
fn negative_narrow(dialect: &Dialect, change: fn(i64) -> i64) -> Option<Mutation> {
    if wide(dialect).is_none() {
        return decoded(move |value| {
            if let Value::Int(int @ ..0) = value {
                *int = change(*int);
            }
        });
    }
    let layout = of_shape(dialect, Shape::Int)?;
    reads(move |field| {
        if !field.is_header() {
            return None;
        }
        let int = i64::from(i32::from_le_bytes(narrow(field, layout)?));
        let read = || Splice::Instead(8, [&with_flag(field)[..], &change(int).to_le_bytes()].concat());
        (int < 0 && change(int) != int).then(read)
    })
}

/// The low and the high half of an integer of 64 bits are read as others.
fn long_words(
    dialect: &Dialect,
    which: fn(Role) -> bool,
    change: fn([i32; 2]) -> Option<[i32; 2]>,
) -> Option<Mutation> {
    wide(dialect)?;
    reads(move |field| {
        let [low, high] = field.bytes.as_chunks::<4>().0 else { return None };
        let other = change([*low, *high].map(i32::from_le_bytes)).filter(|_| which(field.role))?;
        Some(Splice::As(other.map(i32::to_le_bytes).concat()))
    })
}

fn is_long(role: Role) -> bool {
    matches!(role, Role::Id | Role::Number(Scalar::Int64))
}

/// The two halves of a number of 64 bits, put together as integers of 32 bits.
fn shifted_by_none([low, high]: [i32; 2]) -> Option<[i32; 2]> {
    let both = low | high;
    let read = [both, if both < 0 { -1 } else { 0 }];
    (read != [low, high]).then_some(read)
}

fn low_half(int: i64) -> i32 {
    let [a, b, c, d, ..] = int.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// Integers that could be narrow are written in 64 bits.
fn ints_wide(dialect: &Dialect, which: fn(i32) -> bool) -> Option<Mutation> {
    written_wide(dialect, Shape::Int, move |bytes| {
        let int = i32::from_le_bytes(bytes);
        which(int).then(|| i64::from(int).to_le_bytes())
    })
}

/// Narrow numbers of this shape are written as the wide ones that `wide_form` finds.
pub(super) fn written_wide(
    dialect: &Dialect,
    of: Shape,
    wide_form: impl Fn([u8; 4]) -> Option<[u8; 8]> + Send + Sync + 'static,
) -> Option<Mutation> {
    wide(dialect)?;
    let layout = of_shape(dialect, of)?;
    writes(move |field| {
        let number = wide_form(narrow(field, layout)?)?;
        Some(if field.is_header() { with_flag(field) } else { number.to_vec() })
    })
}

/// The bytes of a narrow number of this layout, if the field is its header or the number itself.
pub(crate) fn narrow(field: &MutatedField<'_>, layout: LayoutId) -> Option<[u8; 4]> {
    if field.layout != layout {
        None
    } else if field.is_header() {
        field.behind.first_chunk().copied().filter(|_| field.bytes[2] & 1 == 0)
    } else {
        field.bytes.try_into().ok()
    }
}

/// Numbers are read as wide, whatever their header says.
pub(super) fn read_wide(dialect: &Dialect, shape: Shape) -> Option<Mutation> {
    dialect.rules.wide_numbers.then_some(())?;
    let layout = of_shape(dialect, shape)?;
    reads(move |field| {
        let is_narrow = field.role == Role::Header(layout) && field.bytes.get(2).is_some_and(|flags| flags & 1 == 0);
        is_narrow.then(|| Splice::As(with_flag(field)))
    })
}

pub(crate) fn with_flag(field: &MutatedField<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes[2] ^= 1;
    bytes
}

pub(super) fn has_vectors_of_ints(dialect: &Dialect) -> Option<()> {
    let vectors = layouts_where(dialect, |layout| layout.shape == Shape::Fields && layout.of == Some(Scalar::Int32));
    (!vectors.is_empty()).then_some(())
}

/// Words of four bytes are put together by "or"; these bytes have a sign, which fills all above them.
fn signed_bytes(which: u8) -> Option<Mutation> {
    let word = move |bytes: &[u8; 4]| {
        let mut word = 0;
        for (place, byte) in bytes.iter().enumerate() {
            let byte = if which >> place & 1 == 1 { i32::from(byte.cast_signed()) } else { i32::from(*byte) };
            word |= byte << (8 * place);
        }
        word.to_le_bytes()
    };
    reads(move |field| {
        let (words, []) = field.bytes.as_chunks() else { return None };
        let read: Vec<u8> = words.iter().flat_map(word).collect();
        let is_number = !matches!(field.role, Role::Text | Role::Bytes | Role::Nul | Role::Padding);
        (is_number && read != field.bytes).then_some(Splice::As(read))
    })
}
