//! What a row of a listing is, by its name and the headers before it.

use variant_specs::{Bit31, Dialect, FieldForm, Layout, Scalar, Shape, least_bytes};

use super::listing::Row;
use super::owner::FieldOwners;
use super::record;

/// What a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Header,
    /// A word of flags or an id of a type.
    Word,
    /// A count or length.
    Count(Count),
    Bool,
    Int,
    Real,
    Id,
    Text,
    Bytes,
    /// The NUL after a text.
    Nul,
    Padding,
    /// The length prefix of a packet.
    Prefix,
    /// Bytes after the packet, or what is left of a refused one: bytes that are not read.
    Unread,
    /// Several fields at once (`[*]`), or fields after a header of an unknown type.
    Repeat,
}

/// A count or length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    /// The fewest bytes that one counted thing takes.
    pub(crate) least: usize,
    pub(crate) bit_31: CountBit,
}

/// What bit 31 is in a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountBit {
    /// The sign: a negative count cannot be right.
    Sign,
    /// A flag that may be set or not.
    Flag,
    /// A flag that is always set.
    Set,
}

/// A row as a field of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedField<'a> {
    pub(crate) kind: FieldKind,
    /// How many bytes it must have, where that is fixed.
    pub(crate) width: Option<usize>,
    pub(crate) layout: Option<&'a Layout>,
}

/// Reads the rows of a listing in order and finds out what each is.
#[derive(Debug)]
pub(crate) struct FieldKinds<'a> {
    dialect: &'a Dialect,
    /// The layout and the header of each value.
    values: FieldOwners<&'a str, (&'a Layout, u32)>,
}

impl<'a> FieldKinds<'a> {
    pub(crate) fn new(dialect: &'a Dialect) -> Self {
        Self { dialect, values: FieldOwners::default() }
    }

    /// What the next row is. The error is a name that is not a field of the value around it.
    pub(crate) fn next(&mut self, row: &'a Row, bytes: &[u8]) -> Result<ListedField<'a>, String> {
        let outside = |kind, width| Ok(ListedField { kind, width, layout: None });
        match row.name.as_str() {
            name if name.contains("[*]") => return outside(FieldKind::Repeat, None),
            "prefix" => return outside(FieldKind::Prefix, Some(4)),
            "trailing" | "rest" => return outside(FieldKind::Unread, None),
            _ => {}
        }
        if let Some(prefix) = row.name.strip_suffix("header") {
            self.header(prefix, bytes);
            return outside(FieldKind::Header, Some(4));
        }
        let Some((&(layout, header), name)) = self.values.owner(&row.name) else {
            return outside(FieldKind::Repeat, None);
        };
        match self.field(layout, header, name) {
            Some((kind, width)) => Ok(ListedField { kind, width, layout: Some(layout) }),
            None => Err(format!("{name:?} is not a field of {}", layout.name)),
        }
    }

    fn header(&mut self, prefix: &'a str, bytes: &[u8]) {
        let Ok(word) = bytes.try_into().map(u32::from_le_bytes) else { return };
        if let Some(entry) = self.dialect.type_of(word & self.dialect.header.id_mask) {
            self.values.enter(prefix, (self.dialect.layout(entry), word));
        }
    }

    fn field(&self, layout: &Layout, header: u32, name: &str) -> Option<(FieldKind, Option<usize>)> {
        let (number, width) = self.number(layout, header);
        let number = Some((number, Some(width)));
        let word = Some((FieldKind::Word, Some(4)));
        match layout.shape {
            Shape::Empty => None,
            Shape::Bool => (name == "value").then_some((FieldKind::Bool, Some(4))),
            Shape::Int => (name == "value").then_some((FieldKind::Int, None)),
            Shape::Float => (name == "value").then_some((FieldKind::Real, None)),
            Shape::Text => text(name),
            Shape::Fields => number.filter(|_| layout.fields.iter().any(|field| field == name)),
            Shape::Packed => match name {
                "count" => count(layout.arity() * width, CountBit::Sign),
                "padding" => Some((FieldKind::Padding, None)),
                "bytes" => Some((FieldKind::Bytes, None)),
                _ => number.filter(|_| is_element(layout, name)),
            },
            Shape::PackedText => match (name, name.split_once("].")) {
                ("count", _) => count(4, CountBit::Sign),
                (_, Some((_, "nul"))) => Some((FieldKind::Nul, Some(1))),
                (_, Some((_, rest))) => text(rest),
                (_, None) => None,
            },
            Shape::Array | Shape::Dictionary => match (name, name.rsplit_once('.')) {
                ("count", _) => count(if layout.shape == Shape::Array { 4 } else { 8 }, CountBit::Flag),
                ("type" | "key.type" | "value.type", _) => word,
                (_, Some((of, rest))) if of.ends_with("class") || of.ends_with("script") => text(rest),
                _ => None,
            },
            Shape::NodePath => match (name, name.split_once("].")) {
                ("name-count", _) => count(4, CountBit::Set),
                ("subname-count", _) => count(4, CountBit::Sign),
                ("flags", _) => word,
                // The old form's length is the first word, where bit 31 would mean the new one.
                ("length", _) => count(1, CountBit::Flag),
                (_, Some((_, rest))) if name.starts_with("names[") || name.starts_with("subnames[") => text(rest),
                _ => text(name.strip_prefix("property.").unwrap_or(name)),
            },
            Shape::Record => match record::owner(&layout.record, name)? {
                (FieldForm::Text, part) => text(part),
                (FieldForm::Padding { bytes }, "padding") => Some((FieldKind::Padding, usize::try_from(*bytes).ok())),
                (FieldForm::Bytes { .. }, "padding") => Some((FieldKind::Padding, None)),
                (FieldForm::Bytes { .. }, "") => Some((FieldKind::Bytes, None)),
                (FieldForm::Bytes { .. }, _) => count(1, CountBit::Sign),
                (FieldForm::Repeat { of, .. }, _) => count(least_bytes(of), CountBit::Sign),
                (FieldForm::Values { bit_31: Bit31::Ignored, .. }, _) => count(4, CountBit::Flag),
                (FieldForm::Values { .. }, _) => count(4, CountBit::Sign),
                (FieldForm::Word | FieldForm::Size | FieldForm::Type { .. }, _) => word,
                (FieldForm::Id, _) => Some((FieldKind::Id, Some(8))),
                (FieldForm::Float32, _) => Some((FieldKind::Real, Some(4))),
                (FieldForm::Real, _) => number,
                (
                    FieldForm::Flag
                    | FieldForm::Permission
                    | FieldForm::Value
                    | FieldForm::Padding { .. }
                    | FieldForm::Choice { .. },
                    _,
                ) => None,
            },
        }
    }

    /// What each number of a layout is after a header with these flags, and how many bytes it has.
    fn number(&self, layout: &Layout, header: u32) -> (FieldKind, usize) {
        match self.dialect.wire_scalar(layout, header) {
            Scalar::Byte => (FieldKind::Int, 1),
            Scalar::Int32 => (FieldKind::Int, 4),
            Scalar::Int64 => (FieldKind::Int, 8),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => (FieldKind::Real, 4),
            Scalar::Float64 => (FieldKind::Real, 8),
        }
    }
}

fn count(least: usize, bit_31: CountBit) -> Option<(FieldKind, Option<usize>)> {
    Some((FieldKind::Count(Count { least, bit_31 }), Some(4)))
}

/// A field of a text.
fn text(name: &str) -> Option<(FieldKind, Option<usize>)> {
    match name {
        "length" => count(1, CountBit::Sign),
        "text" => Some((FieldKind::Text, None)),
        "padding" => Some((FieldKind::Padding, None)),
        _ => None,
    }
}

/// Whether a name is that of a number in a packed array: `[3]`, `[3].x`.
fn is_element(layout: &Layout, name: &str) -> bool {
    let Some((index, field)) = name.strip_prefix('[').and_then(|name| name.split_once(']')) else { return false };
    let field = field.strip_prefix('.').unwrap_or(field);
    let is_known =
        if layout.fields.is_empty() { field.is_empty() } else { layout.fields.iter().any(|other| other == field) };
    is_known && index.parse::<usize>().is_ok()
}
