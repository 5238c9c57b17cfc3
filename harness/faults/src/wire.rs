//! Mutants of the wire: what documents state about offsets, lengths and types, read or written another way.

use variant_codec::Role;
use variant_specs::{
    Bit31, Dialect, FLAG_1, FieldForm, JudgedBy, Layout, LayoutId, Precision, RecordField, Scalar, Shape,
};
use variant_values::handshake::Op;

use super::fault::{Fault, Mutation};
use super::packet::{MutatedField, Splice};

/// Every part of every layout, read and written in other ways.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    dialect.types.iter().flat_map(|entry| of_layout(dialect, entry.layout)).collect()
}

fn of_layout(dialect: &Dialect, id: LayoutId) -> Vec<Fault> {
    let layout = dialect.layouts.get(id);
    let mutant = |part: &str, fault: FieldFault, op, mutation| {
        let name = format!("{part}-{}", fault.name);
        let said = match fault.said {
            "" => format!("{part} {}", fault.name.replace('-', " ")),
            said => said.replace("{part}", part),
        };
        Fault::new(dialect, &layout.name, &name, Some(op), mutation)
            .about([layout.name.as_str()])
            .described(format!("{}: {said}", dialect.type_name_of(&layout.name)))
    };
    let mut mutants = Vec::new();
    for (part, number) in parts(dialect, layout) {
        let name = number.as_deref().unwrap_or(part.name);
        let is = {
            let number = number.clone();
            move |field: &MutatedField<'_>| {
                let named = number.as_ref().is_none_or(|number| ends(field.name, number));
                field.layout == id && (part.is)(field.role) && named
            }
        };
        for fault in part.faults.iter().copied() {
            let FieldFault { becomes, reads, writes, .. } = fault;
            if becomes.is_some() || reads.is_some() {
                let is = is.clone();
                let read = move |field: &MutatedField<'_>| match becomes {
                    _ if !is(field) => None,
                    Some(becomes) => as_(becomes(field)),
                    None => reads?(field),
                };
                let mutation = Mutation { reads: Some(Box::new(read)), ..Mutation::default() };
                mutants.push(mutant(name, fault, Op::Decode, mutation));
            }
            if becomes.is_some() || writes.is_some() {
                let is = is.clone();
                let write = move |field: &MutatedField<'_>| match becomes {
                    _ if !is(field) => None,
                    Some(becomes) => Some(becomes(field)),
                    None => writes?(field),
                };
                let mutation = Mutation { writes: Some(Box::new(write)), ..Mutation::default() };
                mutants.push(mutant(name, fault, Op::Encode, mutation));
            }
        }
    }
    mutants
}

/// A part of a layout, which is a row of its table: its name, which fields belong to it, and its faults.
#[derive(Clone, Copy)]
struct FieldClass {
    name: &'static str,
    is: fn(Role) -> bool,
    faults: &'static [FieldFault],
}

impl FieldClass {
    /// What tells it from others.
    fn first_fault(&self) -> (&'static str, Option<&'static str>) {
        (self.name, self.faults.first().map(|fault| fault.name))
    }
}

const fn part(name: &'static str, is: fn(Role) -> bool, faults: &'static [FieldFault]) -> FieldClass {
    FieldClass { name, is, faults }
}

const HEADER: FieldClass =
    part("header", |role| matches!(role, Role::Header(_)), &[WRITTEN_BIG_ENDIAN, FLAG_SET, OF_TWO_BYTES, WORD_BEHIND]);
/// A header of numbers of which some are written without flag 1.
const NARROW_HEADER: FieldClass = part("header", HEADER.is, &[FLAG_ONE_SET]);
/// A header in which flag 1 has a meaning.
const FLAGGED_HEADER: FieldClass = part("header", HEADER.is, &[FLAG_ONE_TURNED, FLAG_ONE_IGNORED]);
/// A header that is written with flag 1.
const WIDE_HEADER: FieldClass = part("header", HEADER.is, &[FLAG_ONE_UNSET]);
/// A header whose flags say that types follow.
const TYPED_HEADER: FieldClass = part("header", HEADER.is, &[FLAGS_IGNORED]);
const COUNT: FieldClass = part("count", |role| role == Role::Count, &COUNTED);
/// A count whose bit 31 is a flag.
const SHARED_COUNT: FieldClass = part("count", COUNT.is, &[HIGH_BIT_UNMASKED]);
const LENGTH: FieldClass = part("length", |role| role == Role::Length, &COUNTED);
const FLAGS: FieldClass = part(
    "flags",
    |role| role == Role::Flags,
    &[BIG_ENDIAN, ALWAYS_ZERO, FLAG_ABSOLUTE_TURNED, FLAG_ABSOLUTE_OTHER, FLAG_MORE_IGNORED, FLAGS_WHOLE, FLAGS_ANY],
);
const BOOL: FieldClass = part(
    "truth",
    |role| role == Role::Bool,
    &[
        BIG_ENDIAN,
        BOOL_BY_LOW_BIT,
        BOOL_BY_LOW_BITS,
        BOOL_WITH_A_SIGN,
        BOOL_ONE_ALONE,
        BOOL_STRICT,
        BY_ITS_LOW_BYTE,
        BOOL_TURNED,
        BOOL_OF_ONES,
        BOOL_IN_ONE_BYTE,
        OF_EIGHT_BYTES,
        ALWAYS_ZERO,
    ],
);
const WORD: FieldClass =
    part("word", |role| role == Role::Word, &[BIG_ENDIAN, ALWAYS_ZERO, ONE_MORE, OF_TWO_BYTES, OF_EIGHT_BYTES]);
/// All numbers of the layout.
const NUMBERS: FieldClass = part(
    "numbers",
    |role| matches!(role, Role::Id | Role::Number(_)),
    &[BIG_ENDIAN, SIGN_LOST, SIGN_TURNED, LOW_BYTE_LOST, HIGH_BYTE_LOST, ALWAYS_ZERO],
);
const ID: FieldClass = part("id", |role| role == Role::Id, &[OF_FOUR_BYTES]);
/// Numbers that have 64 bits behind flag 1.
const LONG: FieldClass = part("numbers", NUMBERS.is, &[LONG_BIG_ENDIAN, NARROW_BIG_ENDIAN]);
/// Real numbers that have 32 bits, or 64 with flag 1.
const REALS: FieldClass = part("numbers", NUMBERS.is, &[NARROW_READ_BIG_ENDIAN]);
const HALVES: FieldClass = part("numbers", NUMBERS.is, &[HALVES_SWAPPED]);
/// One number of the layout, under its own name.
const NUMBER: FieldClass =
    part("number", |role| matches!(role, Role::Number(_)), &[BIG_ENDIAN, SIGN_TURNED, ALWAYS_ZERO]);
const TEXT: FieldClass = part("text", |role| role == Role::Text, &[BYTES_REVERSED, LAST_LOST]);
const BYTES: FieldClass = part("bytes", |role| role == Role::Bytes, &[BYTES_REVERSED, LAST_LOST]);
const PADDING: FieldClass = part(
    "padding",
    |role| role == Role::Padding,
    &[NO_PADDING, PADDED_WITH_ONES, PADDED_TO_TWO, PADDED_TO_EIGHT, STRICT_PADDING],
);
/// The padding behind the class or script of a typed container.
const CLASS_PADDING: FieldClass = part("padding", PADDING.is, PADDING.faults);

const TYPED: &[FieldClass] = &[COUNT, SHARED_COUNT, TEXT, CLASS_PADDING];

/// The parts of a layout; for a single number, also its name.
fn parts(dialect: &Dialect, layout: &Layout) -> Vec<(FieldClass, Option<String>)> {
    let flagged = dialect.known_flags(layout, JudgedBy::Engines) & FLAG_1 != 0;
    let mut parts = vec![(HEADER, None)];
    if flagged {
        // Engines of single precision read wide reals, and write none.
        let is_written = dialect.precision == Precision::Double || !dialect.says_width(layout);
        parts.extend(is_written.then_some((WIDE_HEADER, None)));
        parts.push((FLAGGED_HEADER, None));
    }
    let is_byte_array = layout.shape == Shape::Packed && layout.of == Some(Scalar::Byte);
    if layout.shape == Shape::Packed && !is_byte_array {
        parts.push((COUNT, None));
    }
    if matches!(layout.shape, Shape::Fields | Shape::Packed) && !is_byte_array {
        parts.extend(layout.fields.iter().map(|name| (NUMBER, Some(name.clone()))));
    }
    if layout.shape == Shape::Record {
        parts.extend(of_record(dialect.rules.record(layout).unwrap_or_default()).into_iter().map(|part| (part, None)));
    }
    let others: &[FieldClass] = match layout.shape {
        Shape::Empty | Shape::Record => &[],
        Shape::Bool => &[BOOL],
        Shape::Packed if is_byte_array => &[COUNT, BYTES, PADDING],
        Shape::Int | Shape::Float if dialect.rules.wide_numbers => &[NARROW_HEADER, NUMBERS, LONG, HALVES],
        Shape::Fields | Shape::Packed if dialect.precision == Precision::Single && dialect.says_width(layout) => {
            &[NUMBERS, REALS]
        }
        Shape::Int | Shape::Float | Shape::Fields | Shape::Packed => &[NUMBERS],
        Shape::Text => &[LENGTH, TEXT, PADDING],
        Shape::PackedText => &[COUNT, LENGTH, TEXT, PADDING],
        // In other dialects, and for dictionaries, the rule itself is a fault.
        Shape::Array if dialect.has("typed-containers=all") => {
            &[TYPED_HEADER, COUNT, SHARED_COUNT, TEXT, CLASS_PADDING]
        }
        Shape::Array if dialect.has("typed-containers=arrays") => TYPED,
        Shape::Dictionary if dialect.has("typed-containers=all") => TYPED,
        Shape::Array | Shape::Dictionary => &[COUNT, SHARED_COUNT],
        Shape::NodePath => &[COUNT, FLAGS, LENGTH, TEXT, PADDING],
    };
    parts.extend(others.iter().map(|part| (*part, None)));
    parts
}

/// The parts of a record's fields, each once.
fn of_record(fields: &[RecordField]) -> Vec<FieldClass> {
    let mut parts: Vec<FieldClass> = Vec::new();
    for field in fields {
        let own: &[FieldClass] = match &field.form {
            FieldForm::Word => &[WORD],
            FieldForm::Id => &[NUMBERS, ID, HALVES],
            FieldForm::Float32 | FieldForm::Real => &[NUMBERS],
            FieldForm::Text => &[LENGTH, TEXT, PADDING],
            FieldForm::Bytes { .. } => &[LENGTH, BYTES, PADDING],
            FieldForm::Type { .. } => &[WORD],
            FieldForm::Values { bit_31: Bit31::Ignored, .. } => &[COUNT, SHARED_COUNT],
            FieldForm::Values { .. } | FieldForm::Repeat { .. } => &[COUNT],
            FieldForm::Flag
            | FieldForm::Permission
            | FieldForm::Value
            | FieldForm::Size
            | FieldForm::Padding { .. }
            | FieldForm::Choice { .. } => &[],
        };
        // Nobody asks with a permission for each of these.
        let permitted = |list: &&[RecordField]| list.iter().all(|field| field.form != FieldForm::Permission);
        let within = field.form.lists().into_iter().filter(permitted).flat_map(of_record);
        for part in own.iter().copied().chain(within) {
            if parts.iter().all(|other| other.first_fault() != part.first_fault()) {
                parts.push(part);
            }
        }
    }
    parts
}

type Reads = fn(&MutatedField<'_>) -> Option<Splice>;
type Writes = fn(&MutatedField<'_>) -> Option<Vec<u8>>;

/// A field read or written another way.
#[derive(Clone, Copy)]
struct FieldFault {
    name: &'static str,
    /// What is wrong, in a sentence about the `{part}`; empty: the part and the fault's name are one.
    said: &'static str,
    /// The field's bytes, for reader and writer alike; of the same length.
    becomes: Option<fn(&MutatedField<'_>) -> Vec<u8>>,
    reads: Option<Reads>,
    writes: Option<Writes>,
}

impl FieldFault {
    const fn says(self, said: &'static str) -> Self {
        Self { said, ..self }
    }
}

const fn becomes(name: &'static str, how: fn(&MutatedField<'_>) -> Vec<u8>) -> FieldFault {
    FieldFault { name, said: "", becomes: Some(how), reads: None, writes: None }
}

const fn fault(name: &'static str, reads: Reads, writes: Writes) -> FieldFault {
    FieldFault { name, said: "", becomes: None, reads: Some(reads), writes: Some(writes) }
}

const fn in_writer(name: &'static str, writes: Writes) -> FieldFault {
    FieldFault { name, said: "", becomes: None, reads: None, writes: Some(writes) }
}

const fn in_reader(name: &'static str, reads: Reads) -> FieldFault {
    FieldFault { name, said: "", becomes: None, reads: Some(reads), writes: None }
}

const BIG_ENDIAN: FieldFault = becomes("big-endian", reversed).says("{part} in big-endian order");
const SIGN_LOST: FieldFault = becomes("without-its-sign", without_sign).says("{part} without the sign");
const SIGN_TURNED: FieldFault = becomes("of-the-other-sign", other_sign);
const LOW_BYTE_LOST: FieldFault = becomes("without-its-low-byte", without_low);
const HIGH_BYTE_LOST: FieldFault = becomes("without-its-high-byte", without_high);
const HALVES_SWAPPED: FieldFault = becomes("of-swapped-halves", |field| {
    // Narrow numbers have no halves that anybody handles.
    let (low, high) = field.bytes.split_at(if field.bytes.len() == 8 { 4 } else { 0 });
    [high, low].concat()
})
.says("the halves of a number of 64 bits change places");
const LONG_BIG_ENDIAN: FieldFault = becomes("of-64-bits-big-endian", |field| reversed_if_of(8, field))
    .says("numbers of 64 bits are in big-endian order");
const NARROW_BIG_ENDIAN: FieldFault = becomes("of-32-bits-big-endian", |field| reversed_if_of(4, field))
    .says("numbers of 32 bits are in big-endian order");
const NARROW_READ_BIG_ENDIAN: FieldFault =
    in_reader("of-32-bits-big-endian", |field| (field.bytes.len() == 4).then(|| Splice::As(reversed(field))))
        .says("numbers of 32 bits are in big-endian order");
const ONE_MORE: FieldFault = becomes("one-more", |field| with(field, |word| word.wrapping_add(1)));
const ONE_LESS: FieldFault = becomes("one-less", |field| with(field, |word| word.saturating_sub(1)));
const OF_TWO_BYTES: FieldFault =
    fault("of-two-bytes", |field| Some(field.narrowed(2)), |field| Some(field.bytes[..2].to_vec()))
        .says("{part} of two bytes, not four");
const BY_ITS_LOW_HALF: FieldFault = in_reader("by-its-low-half", |field| read_with(field, |word| word & 0xffff))
    .says("{part} is read from its low two bytes");
const BY_ITS_LOW_BYTE: FieldFault =
    in_reader("by-its-low-byte", |field| read_with(field, |word| word & 0xff)).says("{part} is read from its low byte");
const OF_EIGHT_BYTES: FieldFault =
    fault("of-eight-bytes", |field| Some(field.widened(4)), |field| Some([field.bytes, &[0; 4]].concat()))
        .says("{part} of eight bytes, not four");
const WORD_BEHIND: FieldFault = OF_EIGHT_BYTES.says("four bytes too many are read and written behind the header");
const OF_FOUR_BYTES: FieldFault =
    fault("of-four-bytes", |field| Some(field.narrowed(4)), |field| Some(field.bytes[..4].to_vec()))
        .says("{part} of four bytes, not eight");
const ALWAYS_ZERO: FieldFault = becomes("always-zero", |field| vec![0; field.bytes.len()]);
const HIGH_BIT_TURNED: FieldFault =
    in_writer("with-its-high-bit-turned", |field| Some(with(field, |word| word ^ 1 << 31)))
        .says("{part} is written with bit 31 turned");
const NO_PADDING: FieldFault =
    fault("left-out", |field| Some(Splice::Instead(0, vec![0; padding_at(field.at.start)])), |_| Some(Vec::new()))
        .says("{part} is left out");
const PADDED_WITH_ONES: FieldFault =
    in_writer("of-ones", |field| Some(vec![0xff; field.bytes.len()])).says("{part} is not of zeros");
const PADDED_TO_TWO: FieldFault = fault(
    "to-two-bytes",
    |field| (field.bytes.len() > 1).then(|| Splice::Instead(field.bytes.len() % 2, field.bytes.to_vec())),
    |field| (field.bytes.len() > 1).then(|| field.bytes[..field.bytes.len() % 2].to_vec()),
)
.says("{part} to a multiple of two bytes, not four");
const PADDED_TO_EIGHT: FieldFault = fault(
    "to-eight-bytes",
    |field| (field.at.end % 8 != 0).then(|| field.widened(4)),
    |field| (field.at.end % 8 != 0).then(|| [field.bytes, &[0; 4]].concat()),
)
.says("{part} to a multiple of eight bytes, not four");
const STRICT_PADDING: FieldFault =
    in_reader("must-be-zero", |field| field.bytes.iter().any(|byte| *byte != 0).then_some(Splice::Refuse))
        .says("{part} is refused where it is not of zeros");
const HIGH_BIT_UNMASKED: FieldFault =
    in_reader("with-its-high-bit-unmasked", |field| refused_if(field, |word| word >> 31 == 1))
        .says("{part} with bit 31 set is refused");
/// Nobody knows the type of a header before its byte order.
const WRITTEN_BIG_ENDIAN: FieldFault =
    in_writer("big-endian", |field| Some(reversed(field))).says("{part} in big-endian order");
const BYTES_REVERSED: FieldFault = FieldFault { name: "in-reverse-order", said: "", ..BIG_ENDIAN };
const LAST_LOST: FieldFault = FieldFault { name: "without-its-last-byte", ..HIGH_BYTE_LOST };
const FLAG_SET: FieldFault = in_writer("with-a-flag-set", |field| Some(with(field, |word| word | 1 << 17)))
    .says("{part} is written with a flag that means nothing");
const FLAG_ONE_UNSET: FieldFault = in_writer("without-flag-1", |field| Some(with(field, |word| word & !(1 << 16))))
    .says("flag 1 of the {part} is not set");
const FLAG_ONE_TURNED: FieldFault = becomes("with-flag-1-turned", |field| with(field, |word| word ^ 1 << 16))
    .says("flag 1 of the {part} is set where its numbers have 32 bits, and not where they have 64");
const FLAG_ONE_SET: FieldFault = in_writer("with-flag-1-always", |field| Some(with(field, |word| word | 1 << 16)))
    .says("flag 1 of the {part} is set, however wide its numbers are");
const FLAG_ONE_IGNORED: FieldFault =
    in_reader("with-flag-1-ignored", |field| read_with(field, |word| word & !(1 << 16)));
const FLAGS_IGNORED: FieldFault = in_reader("with-its-flags-ignored", |field| read_with(field, |word| word & 0xffff))
    .says("its flags are ignored: the types are read as what follows these");
const BOOL_BY_LOW_BIT: FieldFault =
    in_reader("by-its-low-bit", |field| read_with(field, |word| word & 1)).says("{part} is read from its low bit");
const BOOL_BY_LOW_BITS: FieldFault =
    in_reader("without-its-high-bit", |field| read_with(field, |word| word & 0x7fff_ffff))
        .says("0x80000000 counts as false");
const BOOL_WITH_A_SIGN: FieldFault =
    in_reader("negative-is-false", |field| read_with(field, |word| if word >> 31 == 1 { 0 } else { word }))
        .says("any word from 0x80000000 on counts as false");
const BOOL_ONE_ALONE: FieldFault = in_reader("only-one-is-true", |field| read_with(field, |word| u32::from(word == 1)))
    .says("any word but 1 counts as false");
const BOOL_STRICT: FieldFault = in_reader("must-be-one-or-zero", |field| refused_if(field, |word| word > 1))
    .says("any word but 0 and 1 is refused");
const BOOL_TURNED: FieldFault = becomes("turned", |field| with(field, |word| u32::from(word == 0)));
const BOOL_OF_ONES: FieldFault = in_writer("true-as-all-ones", |field| (field.bytes[0] != 0).then(|| vec![0xff; 4]))
    .says("true is written as all ones");
const OF_ONE_BYTE: FieldFault =
    fault("of-one-byte", |field| Some(field.narrowed(1)), |field| Some(vec![field.bytes[0]]))
        .says("{part} of one byte, not four");
const BOOL_IN_ONE_BYTE: FieldFault =
    FieldFault { name: "in-one-byte", said: "takes one byte, not four", ..OF_ONE_BYTE };
const FLAG_ABSOLUTE_TURNED: FieldFault =
    becomes("with-absolute-turned", |field| with(field, |word| word ^ 1)).says("absolute and relative are confused");
const FLAG_MORE_IGNORED: FieldFault = in_reader("with-flag-2-ignored", |field| read_with(field, |word| word & !2))
    .says("flag 2 brings no further sub-name");
/// The flag of a further sub-name is read as that of an absolute path, and the other is not read.
const FLAG_ABSOLUTE_OTHER: FieldFault = fault(
    "with-flag-2-for-absolute",
    |field| read_with(field, |word| word >> 1 & 1),
    |field| Some(with(field, |word| (word & 1) << 1)),
)
.says("flag 2 is taken for that of an absolute path, which is flag 1");
const FLAGS_ANY: FieldFault =
    in_reader("with-any-flag-absolute", |field| read_with(field, |word| if word == 0 { word } else { word | 1 }))
        .says("flags that mean nothing count as that of an absolute path");
/// `flags == 1` in the place of `flags & 1`, whatever is made of other flags.
const FLAGS_WHOLE: FieldFault =
    in_reader("as-a-whole", |field| read_with(field, |word| word & !1).filter(|_| field.right != [1, 0, 0, 0]))
        .says("{part} are compared as a whole, not bit by bit");

/// What can be wrong with any count or length.
const COUNTED: [FieldFault; 10] = [
    BIG_ENDIAN,
    OF_ONE_BYTE,
    ONE_MORE,
    ONE_LESS,
    OF_TWO_BYTES,
    OF_EIGHT_BYTES,
    HIGH_BIT_TURNED,
    BY_ITS_LOW_HALF,
    BY_ITS_LOW_BYTE,
    ALWAYS_ZERO,
];

/// Whether a field has this name, within an element or not.
pub(super) fn ends(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|element| element.is_empty() || element.ends_with("]."))
}

fn as_(bytes: Vec<u8>) -> Option<Splice> {
    Some(Splice::As(bytes))
}

fn reversed(field: &MutatedField<'_>) -> Vec<u8> {
    field.bytes.iter().rev().copied().collect()
}

/// The field in big-endian order, where it has so many bytes.
fn reversed_if_of(length: usize, field: &MutatedField<'_>) -> Vec<u8> {
    if field.bytes.len() == length { reversed(field) } else { field.bytes.to_vec() }
}

/// Whether the sign of a field is a bit of its own.
fn is_real(field: &MutatedField<'_>) -> bool {
    matches!(field.role, Role::Number(Scalar::Float32 | Scalar::Float64 | Scalar::Real | Scalar::Channel))
}

fn other_sign(field: &MutatedField<'_>) -> Vec<u8> {
    if is_real(field) {
        let mut bytes = field.bytes.to_vec();
        bytes.iter_mut().last().into_iter().for_each(|byte| *byte ^= 0x80);
        return bytes;
    }
    // Two's complement, byte by byte.
    let mut carry = true;
    let negated = field.bytes.iter().map(|byte| {
        let (sum, overflow) = (!byte).overflowing_add(u8::from(carry));
        carry = overflow;
        sum
    });
    negated.collect()
}

/// How many bytes of padding stand at an offset: of the last, fewer may be there.
fn padding_at(offset: usize) -> usize {
    offset.next_multiple_of(4) - offset
}

fn without_sign(field: &MutatedField<'_>) -> Vec<u8> {
    let negative = field.bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    if negative { other_sign(field) } else { field.bytes.to_vec() }
}

fn without_low(field: &MutatedField<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes[0] = 0;
    bytes
}

fn without_high(field: &MutatedField<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes.iter_mut().last().into_iter().for_each(|byte| *byte = 0);
    bytes
}

/// The field as another word.
fn with(field: &MutatedField<'_>, change: fn(u32) -> u32) -> Vec<u8> {
    change(field.word().unwrap_or(0)).to_le_bytes().to_vec()
}

fn refused_if(field: &MutatedField<'_>, is_refused: fn(u32) -> bool) -> Option<Splice> {
    field.word().is_some_and(is_refused).then_some(Splice::Refuse)
}

fn read_with(field: &MutatedField<'_>, change: fn(u32) -> u32) -> Option<Splice> {
    as_(with(field, change))
}
