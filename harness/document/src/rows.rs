//! The tables of a dialect's types, as engines read and write them.

mod record;

use std::fmt;

use serde::{Serialize, Serializer};
use strum::IntoStaticStr;
use variant_specs::{Dialect, Layout, NodePathProperty, OldNodePath, Scalar, Shape, Type, TypedContainers};

/// The rows of one form of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// When the form is used, or what it is repeated for; empty if it is the only one.
    pub when: String,
    pub rows: Vec<DocumentRow>,
}

/// One row of a table: a field of the packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    /// Where it begins, counted from the start of the header.
    pub offset: Offset,
    /// Its length in bytes; `None`: as many as the length before it says.
    pub length: Option<usize>,
    /// What its bytes are: an integer, a float, text or data.
    pub kind: FieldType,
    /// Its name, as listings have it.
    pub name: String,
}

/// As a page has it: offset, length, type and name.
impl Serialize for DocumentRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let length = self.length.map_or_else(|| "N".to_owned(), |length| length.to_string());
        [self.offset.to_string().as_str(), length.as_str(), self.kind.name(), self.name.as_str()].serialize(to)
    }
}

/// Where a field begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    /// At this byte of the packet.
    At(usize),
    /// Once for each element: the first at `base`, the next `step` bytes later.
    Each { base: usize, step: usize },
    /// So many bytes after the place where its part begins: what is repeated, or follows something else.
    In(usize),
    /// So many bytes after the beginning, and after a text with its padding.
    AfterText(usize),
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "{at}"),
            Self::Each { base, step: 1 } => write!(f, "{base}+i"),
            Self::Each { base, step } => write!(f, "{base}+{step}i"),
            Self::In(at) => write!(f, "X+{at}"),
            Self::AfterText(at) => write!(f, "{at}+P"),
        }
    }
}

/// What a field is: the word in the column of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
pub enum FieldType {
    Integer,
    Float,
    /// Text or data, as long as a length before it says.
    Bytes,
    Byte,
    Value,
}

impl FieldType {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn row(offset: Offset, length: Option<usize>, kind: FieldType, name: impl Into<String>) -> DocumentRow {
    DocumentRow { offset, length, kind, name: name.into() }
}

fn word(at: usize, name: &str) -> DocumentRow {
    row(Offset::At(at), Some(4), FieldType::Integer, name)
}

fn part(when: &str, rows: Vec<DocumentRow>) -> Part {
    Part { when: when.to_owned(), rows }
}

/// A length and a text from this place on.
fn text(at: fn(usize) -> Offset, base: usize, name: &str) -> [DocumentRow; 2] {
    let dotted = if name.is_empty() { String::new() } else { format!("{name}.") };
    [
        row(at(base), Some(4), FieldType::Integer, format!("{dotted}length")),
        row(at(base + 4), None, FieldType::Bytes, format!("{dotted}text")),
    ]
}

/// The tables of a type, as engines have them. A type that is only a header has none.
pub fn rows(dialect: &Dialect, entry: &Type) -> Vec<Part> {
    let layout = dialect.layout(entry);
    let single = |rows| vec![part("", rows)];
    match layout.shape {
        Shape::Empty => Vec::new(),
        Shape::Bool => single(vec![word(4, "value")]),
        Shape::Int => numbers(dialect, FieldType::Integer),
        Shape::Float => numbers(dialect, FieldType::Float),
        Shape::Text => single(text(Offset::At, 4, "").to_vec()),
        Shape::Fields => single(fields(dialect, layout)),
        Shape::Packed => single(packed(dialect, layout)),
        Shape::PackedText => {
            vec![part("", vec![word(4, "count")]), part("for each string", text(Offset::In, 0, "[i]").to_vec())]
        }
        Shape::Array => array(dialect),
        Shape::Dictionary => dictionary(dialect),
        Shape::NodePath => node_path(dialect),
        Shape::Record => record::record(dialect, layout),
    }
}

/// How many bytes a number takes in this dialect's precision, and what it is.
fn scalar(dialect: &Dialect, layout: &Layout) -> (usize, FieldType) {
    match dialect.scalar(layout) {
        Scalar::Byte => (1, FieldType::Byte),
        Scalar::Int32 => (4, FieldType::Integer),
        Scalar::Int64 => (8, FieldType::Integer),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => (4, FieldType::Float),
        Scalar::Float64 => (8, FieldType::Float),
    }
}

fn numbers(dialect: &Dialect, kind: FieldType) -> Vec<Part> {
    let of = |width| vec![row(Offset::At(4), Some(width), kind, "value")];
    if dialect.rules.wide_numbers {
        vec![part("without flag 1", of(4)), part("with flag 1", of(8))]
    } else {
        vec![part("", of(4))]
    }
}

fn fields(dialect: &Dialect, layout: &Layout) -> Vec<DocumentRow> {
    let (width, kind) = scalar(dialect, layout);
    let field = |(place, index): (usize, &usize)| {
        row(Offset::At(4 + width * place), Some(width), kind, layout.fields[*index].clone())
    };
    layout.wire.iter().enumerate().map(field).collect()
}

fn packed(dialect: &Dialect, layout: &Layout) -> Vec<DocumentRow> {
    let (width, kind) = scalar(dialect, layout);
    let step = width * layout.arity();
    let mut rows = vec![word(4, "count")];
    if layout.fields.is_empty() {
        let name = if kind == FieldType::Byte { "bytes" } else { "[i]" };
        rows.push(row(Offset::Each { base: 8, step }, Some(width), kind, name));
    }
    rows.extend(layout.wire.iter().enumerate().map(|(place, index)| {
        let name = format!("[i].{}", layout.fields[*index]);
        row(Offset::Each { base: 8 + width * place, step }, Some(width), kind, name)
    }));
    rows
}

fn array(dialect: &Dialect) -> Vec<Part> {
    if dialect.rules.typed_containers == TypedContainers::None {
        return vec![part("", vec![word(4, "count")])];
    }
    vec![
        part("flags & 3 is 1: built-in type", vec![word(4, "type")]),
        part("flags & 3 is 2: class", text(Offset::At, 4, "class").to_vec()),
        part("flags & 3 is 3: script", text(Offset::At, 4, "script").to_vec()),
        part("always, after that", vec![row(Offset::In(0), Some(4), FieldType::Integer, "count")]),
    ]
}

fn dictionary(dialect: &Dialect) -> Vec<Part> {
    if dialect.rules.typed_containers != TypedContainers::All {
        return vec![part("", vec![word(4, "count")])];
    }
    let of = |name: &str| row(Offset::In(0), Some(4), FieldType::Integer, name);
    let named = |side: &str, what: &str| text(Offset::In, 0, &format!("{side}.{what}")).to_vec();
    vec![
        part("flags & 3 is 1: built-in type of the keys", vec![of("key.type")]),
        part("flags & 3 is 2: class of the keys", named("key", "class")),
        part("flags & 3 is 3: script of the keys", named("key", "script")),
        part("flags & 12 is 4: built-in type of the values", vec![of("value.type")]),
        part("flags & 12 is 8: class of the values", named("value", "class")),
        part("flags & 12 is 12: script of the values", named("value", "script")),
        part("always, after that", vec![of("count")]),
    ]
}

fn node_path(dialect: &Dialect) -> Vec<Part> {
    let each = match dialect.rules.node_path_property {
        NodePathProperty::LastSubname => "for each name, then each sub-name",
        NodePathProperty::Own => "for each name, then each sub-name, then the property if there is one",
    };
    let mut parts = vec![
        part("", vec![word(4, "name-count"), word(8, "subname-count"), word(12, "flags")]),
        part(each, text(Offset::In, 0, "names[i]").to_vec()),
    ];
    if dialect.rules.old_node_path != OldNodePath::Refused {
        parts.push(part("if bit 31 of the word at 4 is not set: the whole path", text(Offset::At, 4, "").to_vec()));
    }
    parts
}
