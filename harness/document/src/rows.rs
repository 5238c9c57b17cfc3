//! The tables of a dialect's types, as engines read and write them.

mod record;
mod row;

use variant_specs::{Dialect, Layout, NodePathProperty, OldNodePath, Shape, Type, TypedContainers};

use self::row::{part, row, scalar, text, word};

pub use self::row::{DocumentRow, FieldType, Offset, Part};

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
