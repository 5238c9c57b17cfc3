//! Mutants of the wire: what the tables say in their words for offset, length and type, read or written another way.

use variant_codec::Role;
use variant_specs::{Dialect, FLAG_1, Layout, LayoutId, ObjectRule, Reading, RidRule, Scalar, Shape};

use super::mutant::{Fault, Mutant, Scope, Twist};
use super::packet::{Field, Splice};

/// Every part of every layout, read and written in other ways.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Mutant> {
    dialect.types.iter().flat_map(|entry| of_layout(dialect, entry.layout)).collect()
}

fn of_layout(dialect: &Dialect, id: LayoutId) -> Vec<Mutant> {
    let layout = dialect.layouts.get(id);
    let mut mutants = Vec::new();
    for part in parts(dialect, layout) {
        for fault in part.faults() {
            mutants.extend(both_ways(dialect, id, &part, fault));
        }
    }
    mutants
}

fn both_ways(dialect: &Dialect, layout: LayoutId, part: &Part, fault: WireFault) -> Vec<Mutant> {
    let name = &dialect.layouts.get(layout).name;
    let mutant = |op: &str, twist| Mutant {
        id: format!("{}/{name}/{}-{}:{op}", dialect.name, part.name(), fault.name),
        says: format!("{name}: {} {}", part.name(), fault.name.replace('-', " ")),
        about: vec![name.as_str().into()],
        scope: Scope::Layouts,
        fault: Fault::Twist(Box::new(twist)),
    };
    let mut mutants = Vec::new();
    if let Some(reads) = fault.reads {
        let part = part.clone();
        let reads = move |field: &Field<'_>| part.is(layout, field).then(|| reads(field)).flatten();
        mutants.push(mutant("decode", Twist { reads: Some(Box::new(reads)), ..Twist::default() }));
    }
    if let Some(writes) = fault.writes {
        let part = part.clone();
        let writes = move |field: &Field<'_>| part.is(layout, field).then(|| writes(field)).flatten();
        mutants.push(mutant("encode", Twist { writes: Some(Box::new(writes)), ..Twist::default() }));
    }
    mutants
}

/// A part of a layout: what a row of its table is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Header,
    /// A header in which flag 1 means something.
    FlaggedHeader,
    Count,
    /// A count whose bit 31 is none of it.
    SharedCount,
    Length,
    Flags,
    Bool,
    Word,
    /// All numbers of the layout.
    Numbers,
    /// One of them.
    Number(String),
    Text,
    Bytes,
    Padding,
}

/// The parts of a layout.
fn parts(dialect: &Dialect, layout: &Layout) -> Vec<Part> {
    let numbers = || layout.fields.iter().map(|name| Part::Number(name.clone())).chain([Part::Numbers]);
    let flagged = dialect.known_flags(layout, Reading::Engine) & FLAG_1 != 0;
    let mut parts = vec![Part::Header];
    if flagged {
        parts.push(Part::FlaggedHeader);
    }
    match layout.shape {
        Shape::Empty | Shape::Callable => {}
        Shape::Rid => parts.extend((dialect.rules.rid == RidRule::Id).then_some(Part::Numbers)),
        Shape::Signal => parts.extend([Part::Length, Part::Text, Part::Padding, Part::Numbers]),
        Shape::Bool => parts.push(Part::Bool),
        Shape::Int | Shape::Float => parts.push(Part::Numbers),
        Shape::Text => parts.extend([Part::Length, Part::Text, Part::Padding]),
        Shape::Fields => parts.extend(numbers()),
        Shape::Packed if layout.of == Some(Scalar::Byte) => parts.extend([Part::Count, Part::Bytes, Part::Padding]),
        Shape::Packed => {
            parts.push(Part::Count);
            parts.extend(numbers());
        }
        Shape::PackedText => parts.extend([Part::Count, Part::Length, Part::Text, Part::Padding]),
        Shape::Array | Shape::Dictionary => parts.push(Part::SharedCount),
        Shape::NodePath => parts.extend([Part::Count, Part::Flags, Part::Length, Part::Text, Part::Padding]),
        Shape::Object if dialect.rules.object == ObjectRule::ById => parts.push(Part::Numbers),
        Shape::Object => {}
        Shape::Image => parts.extend([Part::Word, Part::Length, Part::Bytes, Part::Padding]),
        Shape::InputEvent => parts.extend([Part::Word, Part::Numbers]),
        Shape::Typed => parts.extend([Part::Word, Part::SharedCount]),
    }
    parts
}

type Reads = fn(&Field<'_>) -> Option<Splice>;
type Writes = fn(&Field<'_>) -> Option<Vec<u8>>;

/// A part read or written another way.
#[derive(Clone, Copy)]
struct WireFault {
    name: &'static str,
    reads: Option<Reads>,
    writes: Option<Writes>,
}

const fn fault(name: &'static str, reads: Reads, writes: Writes) -> WireFault {
    WireFault { name, reads: Some(reads), writes: Some(writes) }
}

const fn in_writer(name: &'static str, writes: Writes) -> WireFault {
    WireFault { name, reads: None, writes: Some(writes) }
}

const fn in_reader(name: &'static str, reads: Reads) -> WireFault {
    WireFault { name, reads: Some(reads), writes: None }
}

const BIG_ENDIAN: WireFault = fault("big-endian", |field| as_(reversed(field)), |field| Some(reversed(field)));
const SIGN_LOST: WireFault =
    fault("without-its-sign", |field| as_(without_sign(field)), |field| Some(without_sign(field)));
const SIGN_TURNED: WireFault =
    fault("of-the-other-sign", |field| as_(other_sign(field)), |field| Some(other_sign(field)));
const LOW_BYTE_LOST: WireFault =
    fault("without-its-low-byte", |field| as_(without_low(field)), |field| Some(without_low(field)));
const HIGH_BYTE_LOST: WireFault =
    fault("without-its-high-byte", |field| as_(without_high(field)), |field| Some(without_high(field)));
const ONE_MORE: WireFault = fault("one-more", |field| as_(added(field, 1)), |field| Some(added(field, 1)));
const ONE_LESS: WireFault =
    fault("one-less", |field| as_(added(field, u32::MAX)), |field| Some(added(field, u32::MAX)));
const OF_TWO_BYTES: WireFault =
    fault("of-two-bytes", |_| Some(Splice::Narrow(2)), |field| Some(field.bytes[..2].to_vec()));
const BY_ITS_LOW_HALF: WireFault = in_reader("by-its-low-half", |field| as_(masked(field, 0xffff)));
const BY_ITS_LOW_BYTE: WireFault = in_reader("by-its-low-byte", |field| as_(masked(field, 0xff)));
const OF_EIGHT_BYTES: WireFault =
    fault("of-eight-bytes", |_| Some(Splice::Swallow(4)), |field| Some([field.bytes, &[0; 4]].concat()));
const ALWAYS_ZERO: WireFault =
    fault("always-zero", |field| as_(vec![0; field.bytes.len()]), |field| Some(vec![0; field.bytes.len()]));
const HIGH_BIT_TURNED: WireFault = in_writer("with-its-high-bit-turned", |field| Some(turned(field, 1 << 31)));
const NO_PADDING: WireFault =
    fault("left-out", |field| Some(Splice::Without(vec![0; field.bytes.len()])), |_| Some(Vec::new()));
const PADDED_WITH_ONES: WireFault = in_writer("of-ones", |field| Some(vec![0xff; field.bytes.len()]));
const PADDED_TO_EIGHT: WireFault = fault(
    "to-eight-bytes",
    |field| (field.at.end % 8 != 0).then_some(Splice::Swallow(4)),
    |field| (field.at.end % 8 != 0).then(|| [field.bytes, &[0; 4]].concat()),
);
const STRICT_PADDING: WireFault =
    in_reader("must-be-zero", |field| field.bytes.iter().any(|byte| *byte != 0).then_some(Splice::Refuse));
const HIGH_BIT_UNMASKED: WireFault =
    in_reader("with-its-high-bit-unmasked", |field| (word(field) >> 31 == 1).then_some(Splice::Refuse));
const PADDED_WHEN_FULL: WireFault = fault(
    "padded-by-four-when-full",
    |field| field.bytes.len().is_multiple_of(4).then_some(Splice::Swallow(4)),
    |field| field.bytes.len().is_multiple_of(4).then(|| [field.bytes, &[0; 4]].concat()),
);
const BYTES_REVERSED: WireFault =
    fault("in-reverse-order", |field| as_(reversed(field)), |field| Some(reversed(field)));
const LAST_LOST: WireFault =
    fault("without-its-last-byte", |field| as_(last_zeroed(field)), |field| Some(last_zeroed(field)));
const FLAG_SET: WireFault = in_writer("with-a-flag-set", |field| Some(with_bits(field, 1 << 17)));
const FLAG_ONE_TURNED: WireFault =
    fault("with-flag-1-turned", |field| as_(turned(field, 1 << 16)), |field| Some(turned(field, 1 << 16)));
const FLAG_ONE_IGNORED: WireFault = in_reader("with-flag-1-ignored", |field| as_(turned_off(field, 1 << 16)));
const BOOL_BY_LOW_BIT: WireFault = in_reader("by-its-low-bit", |field| as_(masked(field, 1)));
const BOOL_TURNED: WireFault = fault("turned", |field| as_(truth_turned(field)), |field| Some(truth_turned(field)));
const BOOL_OF_ONES: WireFault = in_writer("true-as-all-ones", |field| (field.bytes[0] != 0).then(|| vec![0xff; 4]));
const BOOL_OF_ONE_BYTE: WireFault =
    fault("of-one-byte", |_| Some(Splice::Narrow(1)), |field| Some(vec![field.bytes[0]]));
const FLAG_ABSOLUTE_TURNED: WireFault =
    fault("with-absolute-turned", |field| as_(turned(field, 1)), |field| Some(turned(field, 1)));
const FLAG_MORE_IGNORED: WireFault = in_reader("with-flag-2-ignored", |field| as_(turned_off(field, 2)));
const FLAGS_WHOLE: WireFault = in_reader("as-a-whole", |field| {
    // `flags == 1` in the place of `flags & 1`.
    (field.bytes[0] & 1 == 1 && field.bytes != [1, 0, 0, 0]).then(|| Splice::As(turned_off(field, 1)))
});

/// What can be wrong with any count or length.
const COUNTED: [WireFault; 9] = [
    BIG_ENDIAN,
    ONE_MORE,
    ONE_LESS,
    OF_TWO_BYTES,
    OF_EIGHT_BYTES,
    HIGH_BIT_TURNED,
    BY_ITS_LOW_HALF,
    BY_ITS_LOW_BYTE,
    ALWAYS_ZERO,
];

impl Part {
    fn name(&self) -> String {
        match self {
            Self::Header | Self::FlaggedHeader => "header".to_owned(),
            Self::Count | Self::SharedCount => "count".to_owned(),
            Self::Length => "length".to_owned(),
            Self::Flags => "flags".to_owned(),
            Self::Bool => "truth".to_owned(),
            Self::Word => "word".to_owned(),
            Self::Numbers => "numbers".to_owned(),
            Self::Number(name) => name.clone(),
            Self::Text => "text".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Padding => "padding".to_owned(),
        }
    }

    fn faults(&self) -> Vec<WireFault> {
        match self {
            Self::Header => vec![BIG_ENDIAN, FLAG_SET, OF_TWO_BYTES, OF_EIGHT_BYTES],
            Self::FlaggedHeader => vec![FLAG_ONE_TURNED, FLAG_ONE_IGNORED],
            Self::Count | Self::Length => COUNTED.to_vec(),
            Self::SharedCount => [COUNTED.as_slice(), &[HIGH_BIT_UNMASKED]].concat(),
            Self::Flags => vec![BIG_ENDIAN, ALWAYS_ZERO, FLAG_ABSOLUTE_TURNED, FLAG_MORE_IGNORED, FLAGS_WHOLE],
            Self::Bool => vec![
                BIG_ENDIAN,
                BOOL_BY_LOW_BIT,
                BY_ITS_LOW_BYTE,
                BOOL_TURNED,
                BOOL_OF_ONES,
                BOOL_OF_ONE_BYTE,
                ALWAYS_ZERO,
            ],
            Self::Word => vec![BIG_ENDIAN, ALWAYS_ZERO, ONE_MORE, OF_TWO_BYTES, OF_EIGHT_BYTES],
            Self::Number(_) => vec![BIG_ENDIAN, SIGN_TURNED, ALWAYS_ZERO],
            Self::Numbers => {
                vec![BIG_ENDIAN, SIGN_LOST, SIGN_TURNED, LOW_BYTE_LOST, HIGH_BYTE_LOST, ALWAYS_ZERO]
            }
            Self::Text | Self::Bytes => vec![BYTES_REVERSED, PADDED_WHEN_FULL, LAST_LOST],
            Self::Padding => vec![NO_PADDING, PADDED_WITH_ONES, PADDED_TO_EIGHT, STRICT_PADDING],
        }
    }

    /// Whether a field is this part of this layout.
    fn is(&self, layout: LayoutId, field: &Field<'_>) -> bool {
        let role = match self {
            Self::Header | Self::FlaggedHeader => matches!(field.role, Role::Header(_)),
            Self::Count | Self::SharedCount => field.role == Role::Count,
            Self::Length => field.role == Role::Length,
            Self::Flags => field.role == Role::Flags,
            Self::Bool => field.role == Role::Bool,
            Self::Word => field.role == Role::Word,
            Self::Numbers => matches!(field.role, Role::Id | Role::Number(_)),
            Self::Number(name) => matches!(field.role, Role::Number(_)) && ends(field.name, name),
            Self::Text => field.role == Role::Text,
            Self::Bytes => field.role == Role::Bytes,
            Self::Padding => field.role == Role::Padding,
        };
        role && field.layout == layout
    }
}

/// Whether a field has this name, within an element or not.
fn ends(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|element| element.is_empty() || element.ends_with("]."))
}

fn as_(bytes: Vec<u8>) -> Option<Splice> {
    Some(Splice::As(bytes))
}

fn reversed(field: &Field<'_>) -> Vec<u8> {
    field.bytes.iter().rev().copied().collect()
}

/// Whether a number is an integer, whose sign is not a bit of its own.
fn is_integer(field: &Field<'_>) -> bool {
    match field.role {
        Role::Number(scalar) => matches!(scalar, Scalar::Byte | Scalar::Int32 | Scalar::Int64),
        Role::Header(_)
        | Role::Count
        | Role::Length
        | Role::Flags
        | Role::Bool
        | Role::Word
        | Role::Id
        | Role::Text
        | Role::Bytes
        | Role::Nul
        | Role::Padding => true,
    }
}

fn other_sign(field: &Field<'_>) -> Vec<u8> {
    if !is_integer(field) {
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

fn without_sign(field: &Field<'_>) -> Vec<u8> {
    let negative = field.bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    if negative { other_sign(field) } else { field.bytes.to_vec() }
}

fn without_low(field: &Field<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes[0] = 0;
    bytes
}

fn without_high(field: &Field<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes.iter_mut().last().into_iter().for_each(|byte| *byte = 0);
    bytes
}

fn last_zeroed(field: &Field<'_>) -> Vec<u8> {
    without_high(field)
}

fn word(field: &Field<'_>) -> u32 {
    field.bytes.first_chunk().copied().map_or(0, u32::from_le_bytes)
}

fn added(field: &Field<'_>, number: u32) -> Vec<u8> {
    word(field).wrapping_add(number).to_le_bytes().to_vec()
}

fn with_bits(field: &Field<'_>, bits: u32) -> Vec<u8> {
    (word(field) | bits).to_le_bytes().to_vec()
}

fn turned(field: &Field<'_>, bits: u32) -> Vec<u8> {
    (word(field) ^ bits).to_le_bytes().to_vec()
}

fn turned_off(field: &Field<'_>, bits: u32) -> Vec<u8> {
    masked(field, !bits)
}

fn masked(field: &Field<'_>, bits: u32) -> Vec<u8> {
    (word(field) & bits).to_le_bytes().to_vec()
}

fn truth_turned(field: &Field<'_>) -> Vec<u8> {
    u32::from(word(field) == 0).to_le_bytes().to_vec()
}
