//! What a row of a listing is, by its name and the headers before it.

use variant_specs::{Dialect, Layout, Scalar, Shape};

use super::listing::Row;

/// What a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// The header of a value.
    Header,
    /// A count, length or flags word.
    Word,
    /// A truth value.
    Bool,
    /// A signed integer.
    Int,
    /// A real.
    Real,
    /// An id.
    Id,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// The NUL behind a text.
    Nul,
    /// Padding.
    Padding,
    /// The length in front of a packet.
    Prefix,
    /// Bytes behind the packet.
    Trailing,
    /// Bytes that nobody could read: what is left of a packet that is refused.
    Rest,
    /// Several fields at once: `[*]`.
    Repeat,
}

/// A row's place in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// What it holds.
    pub(crate) kind: FieldKind,
    /// How many bytes it should have, where that is fixed.
    pub(crate) width: Option<usize>,
    /// The layout that it is a field of.
    pub(crate) layout: Option<&'a Layout>,
    /// The header of that value.
    pub(crate) header: u32,
    /// Its name within that layout.
    pub(crate) name: String,
}

impl Field<'_> {
    fn outside(kind: FieldKind, width: Option<usize>) -> Self {
        Field { kind, width, layout: None, header: 0, name: String::new() }
    }
}

/// Follows the rows of a listing and tells what each is.
#[derive(Debug)]
pub(crate) struct Kinds<'a> {
    dialect: &'a Dialect,
    /// Prefix of a value's names, its layout, and its header.
    values: Vec<(String, &'a Layout, u32)>,
}

impl<'a> Kinds<'a> {
    pub(crate) fn new(dialect: &'a Dialect) -> Self {
        Self { dialect, values: Vec::new() }
    }

    /// What the next row is; or why its name is none.
    pub(crate) fn next(&mut self, row: &Row, bytes: &[u8]) -> Result<Field<'a>, String> {
        if row.name.contains("[*]") {
            return Ok(Field::outside(FieldKind::Repeat, None));
        }
        if row.name == "prefix" {
            return Ok(Field::outside(FieldKind::Prefix, Some(4)));
        }
        if row.name == "trailing" {
            return Ok(Field::outside(FieldKind::Trailing, None));
        }
        if row.name == "rest" {
            return Ok(Field::outside(FieldKind::Rest, None));
        }
        if let Some(prefix) = row.name.strip_suffix("header") {
            self.header(prefix, bytes);
            return Ok(Field::outside(FieldKind::Header, Some(4)));
        }
        let value = self
            .values
            .iter()
            .filter(|(prefix, _, _)| row.name.starts_with(prefix.as_str()))
            .max_by_key(|(prefix, _, _)| prefix.len());
        // Behind a header that names no type, nobody knows what a row is.
        let Some((prefix, layout, header)) = value else { return Ok(Field::outside(FieldKind::Repeat, None)) };
        let rest = &row.name[prefix.len()..];
        let (kind, width) =
            self.field(layout, *header, rest).ok_or_else(|| format!("{rest:?} is no field of {}", layout.name))?;
        Ok(Field { kind, width, layout: Some(layout), header: *header, name: rest.to_owned() })
    }

    fn header(&mut self, prefix: &str, bytes: &[u8]) {
        let Ok(word) = bytes.try_into().map(u32::from_le_bytes) else { return };
        if let Some(entry) = self.dialect.type_of(word & self.dialect.header.id_mask) {
            self.values.push((prefix.to_owned(), self.dialect.layout(entry), word));
        }
    }

    fn field(&self, layout: &Layout, header: u32, name: &str) -> Option<(FieldKind, Option<usize>)> {
        let text = |name: &str| match name {
            "length" => Some((FieldKind::Word, Some(4))),
            "text" => Some((FieldKind::Text, None)),
            "padding" => Some((FieldKind::Padding, None)),
            _ => None,
        };
        let word = Some((FieldKind::Word, Some(4)));
        match layout.shape {
            Shape::Empty | Shape::Callable => None,
            Shape::Rid => (name == "id").then_some((FieldKind::Id, Some(8))),
            Shape::Signal if name == "object" => Some((FieldKind::Id, Some(8))),
            Shape::Signal => text(name.strip_prefix("name.")?),
            Shape::Bool => (name == "value").then_some((FieldKind::Bool, Some(4))),
            Shape::Int => (name == "value").then_some((FieldKind::Int, None)),
            Shape::Float => (name == "value").then_some((FieldKind::Real, None)),
            Shape::Text => text(name),
            Shape::Fields => layout.fields.iter().any(|field| field == name).then(|| self.number(layout, header)),
            Shape::Packed => match name {
                "count" => word,
                "padding" => Some((FieldKind::Padding, None)),
                "bytes" => Some((FieldKind::Bytes, None)),
                _ => self.element(layout, header, name),
            },
            Shape::PackedText => match (name, name.split_once("].")) {
                ("count", _) => word,
                (_, Some((_, "nul"))) => Some((FieldKind::Nul, Some(1))),
                (_, Some((_, rest))) => text(rest),
                (_, None) => None,
            },
            Shape::Array | Shape::Dictionary => match (name, name.rsplit_once('.')) {
                ("count" | "type" | "key.type" | "value.type", _) => word,
                (_, Some((of, rest))) if of.ends_with("class") || of.ends_with("script") => text(rest),
                _ => None,
            },
            Shape::NodePath => match (name, name.split_once("].")) {
                ("name-count" | "subname-count" | "flags", _) => word,
                (_, Some((_, rest))) if name.starts_with("names[") || name.starts_with("subnames[") => text(rest),
                _ => text(name.strip_prefix("property.").unwrap_or(name)),
            },
            Shape::Image => match name {
                "format" | "mipmaps" | "width" | "height" | "length" => word,
                "data" => Some((FieldKind::Bytes, None)),
                "padding" => Some((FieldKind::Padding, None)),
                _ => None,
            },
            Shape::InputEvent => {
                match (name, layout.events.iter().flat_map(|event| &event.fields).find(|f| f.0 == name)) {
                    ("type" | "device" | "size", _) | (_, Some((_, false))) => word,
                    (_, Some((_, true))) => Some((FieldKind::Real, Some(4))),
                    (_, None) => None,
                }
            }
            Shape::Typed => matches!(name, "type" | "count").then_some((FieldKind::Word, Some(4))),
            Shape::Object => match (name, name.rsplit_once('.')) {
                ("id", _) => Some((FieldKind::Id, Some(8))),
                ("property-count", _) => word,
                (_, Some(("class", rest))) => text(rest),
                (_, Some((property, rest))) if property.starts_with("properties[") => text(rest),
                _ => None,
            },
        }
    }

    fn element(&self, layout: &Layout, header: u32, name: &str) -> Option<(FieldKind, Option<usize>)> {
        let (index, rest) = name.strip_prefix('[')?.split_once(']')?;
        index.parse::<usize>().ok()?;
        let field = rest.strip_prefix('.').unwrap_or(rest);
        let known =
            if layout.fields.is_empty() { field.is_empty() } else { layout.fields.iter().any(|other| other == field) };
        known.then(|| self.number(layout, header))
    }

    fn number(&self, layout: &Layout, header: u32) -> (FieldKind, Option<usize>) {
        match self.dialect.wire_scalar(layout, header) {
            Scalar::Byte => (FieldKind::Int, Some(1)),
            Scalar::Int32 => (FieldKind::Int, Some(4)),
            Scalar::Int64 => (FieldKind::Int, Some(8)),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => (FieldKind::Real, Some(4)),
            Scalar::Float64 => (FieldKind::Real, Some(8)),
        }
    }
}
