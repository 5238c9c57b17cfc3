//! A dialect as a dissector for Wireshark, in Lua: its table, then the code that is the same for all of them.

use std::fmt::Write;

use serde::Serialize;
use serde_yaml::Value;
use variant_specs::{
    Dialect, FieldForm, JudgedBy, Layout, NegativeTextCount, NodePathProperty, RecordField, Scalar, Shape, SharedBit,
    TypedContainers, UnknownFlags, Utf8, least_bytes,
};

use crate::definitions::identifier;
use crate::definitions::notes::unchecked;

/// What every dissector does with its table.
const CODE: &str = include_str!("wireshark/dissector.lua");

/// The dissector of a dialect, for a corpus with this version and digest.
pub fn wireshark(dialect: &Dialect, corpus: &str) -> String {
    let mut lua =
        format!("-- {} for Wireshark, by `conform document --format wireshark`; corpus {corpus}\n", dialect.name);
    lua +=
        "-- Load it with `-X lua_script:FILE`, or put it into Wireshark's plugin folder. What this does not check:\n";
    for note in unchecked(dialect, true) {
        let _ = writeln!(lua, "-- - {note}");
    }
    lua + "\n" + &table(dialect) + CODE
}

fn table(dialect: &Dialect) -> String {
    let rules = &dialect.rules;
    let facts = [
        ("id", quoted(&identifier(&dialect.name))),
        ("name", quoted(&dialect.name)),
        ("title", quoted(&format!("Variant of Godot's family, {}", dialect.name))),
        ("id_mask", dialect.header.id_mask.to_string()),
        ("refuses_flags", (dialect.header.unknown_flags == UnknownFlags::Refused).to_string()),
        ("depth", dialect.depth.map_or("nil".to_owned(), |depth| depth.to_string())),
        ("wide_numbers", rules.wide_numbers.to_string()),
        ("utf8", quoted(if rules.utf8 == Utf8::Strict { "strict" } else { "any" })),
        ("text_ends_at_nul", rules.text_ends_at_nul.to_string()),
        ("text_drops_bom", rules.text_drops_bom.to_string()),
        ("text_padding_optional", rules.text_padding_optional_at_end.to_string()),
        ("byte_padding_optional", rules.byte_padding_optional_at_end.to_string()),
        ("string_array_nul", rules.string_array_nul.to_string()),
        ("negative_count_is_empty", (rules.negative_text_count == NegativeTextCount::Empty).to_string()),
        ("old_node_path", word(rules.old_node_path)),
        ("own_property", (rules.node_path_property == NodePathProperty::Own).to_string()),
        ("shared_bit", (rules.shared_bit == SharedBit::Kept).to_string()),
    ];
    let mut lua = "local dialect = {\n".to_owned();
    for (name, value) in facts {
        let _ = writeln!(lua, "    {name} = {value},");
    }
    lua += "    types = {\n";
    for entry in &dialect.types {
        let layout = dialect.layout(entry);
        let (shape, more) = shape(dialect, layout);
        let flags = dialect.known_flags(layout, JudgedBy::Engines);
        let name = quoted(&layout.name);
        let _ =
            writeln!(lua, "        [{}] = {{ name = {name}, shape = \"{shape}\", flags = {flags}{more} }},", entry.id);
    }
    lua + "    },\n}\n"
}

/// Which function reads a layout, and what else it has to know.
fn shape(dialect: &Dialect, layout: &Layout) -> (&'static str, String) {
    let plain = |name| (name, String::new());
    let rules = &dialect.rules;
    match layout.shape {
        Shape::Empty => plain("empty"),
        Shape::Bool => plain("bool"),
        Shape::Int => plain("int"),
        Shape::Float => plain("float"),
        Shape::Text => plain("text"),
        Shape::Fields => ("fields", numbers(dialect, layout)),
        Shape::Packed if layout.of == Some(Scalar::Byte) => plain("bytes"),
        Shape::Packed => ("packed", numbers(dialect, layout)),
        Shape::PackedText => plain("packed_text"),
        Shape::Array => ("array", format!(", typed = {}", rules.typed_containers != TypedContainers::None)),
        Shape::Dictionary => ("dictionary", format!(", typed = {}", rules.typed_containers == TypedContainers::All)),
        Shape::NodePath => plain("node_path"),
        Shape::Record => match rules.record(layout) {
            None => plain("unsupported"),
            Some([]) => plain("empty"),
            Some(fields) => ("record", format!(", record = {}", record(dialect, layout, fields))),
        },
    }
}

/// The numbers of a value or an element, in the order of the wire.
fn numbers(dialect: &Dialect, layout: &Layout) -> String {
    let of = kind(dialect, layout);
    let names = layout.wire.iter().filter_map(|&place| layout.fields.get(place)).map(String::as_str);
    let names: Vec<_> = if layout.fields.is_empty() { vec!["value"] } else { names.collect() };
    format!(", of = \"{of}\", numbers = {}", list(names))
}

/// What its numbers are.
fn kind(dialect: &Dialect, layout: &Layout) -> &'static str {
    match dialect.scalar(layout) {
        _ if dialect.known_flags(layout, JudgedBy::Engines) != 0 => "by_flag_1",
        Scalar::Byte => "byte",
        Scalar::Int32 => "int32",
        Scalar::Int64 => "int64",
        Scalar::Float32 | Scalar::Real | Scalar::Channel => "float32",
        Scalar::Float64 => "float64",
    }
}

fn record(dialect: &Dialect, layout: &Layout, fields: &[RecordField]) -> String {
    let field = |RecordField { name, form }: &RecordField| {
        let list = |fields| record(dialect, layout, fields);
        let (form, more) = match form {
            FieldForm::Word | FieldForm::Size => ("word", String::new()),
            FieldForm::Flag => ("flag", String::new()),
            FieldForm::Id => ("id", String::new()),
            FieldForm::Float32 => ("float32", String::new()),
            FieldForm::Real => (kind(dialect, layout), String::new()),
            FieldForm::Text => ("text", String::new()),
            FieldForm::Value => ("value", String::new()),
            FieldForm::Bytes { .. } => ("bytes", String::new()),
            FieldForm::Padding { bytes } => ("padding", format!(", bytes = {bytes}")),
            FieldForm::Type { class, .. } => ("type", objects(dialect, class)),
            FieldForm::Values { bit_31, .. } => ("values", format!(", bit_31 = {}", word(bit_31))),
            FieldForm::Repeat { bit_31, of, .. } => {
                let least = least_bytes(of);
                ("repeat", format!(", bit_31 = {}, least = {least}, of = {}", word(bit_31), list(of)))
            }
            FieldForm::Permission => ("permission", String::new()),
            FieldForm::Choice { by, of, otherwise } => {
                let of: Vec<_> = of.iter().map(|(number, fields)| format!("[{number}] = {}", list(fields))).collect();
                let by = quoted(&identifier(by));
                ("choice", format!(", by = {by}, of = {{ {} }}, otherwise = {}", of.join(", "), list(otherwise)))
            }
        };
        format!("{{ name = {}, form = \"{form}\"{more} }}", quoted(&identifier(name)))
    };
    format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

/// For the type of elements: the id of objects, and the layout that names a class of them.
fn objects(dialect: &Dialect, class: &str) -> String {
    let objects = dialect.objects();
    objects.map_or_else(String::new, |objects| format!(", object = {}, class = {}", objects.id, quoted(class)))
}

/// The word of a rule, as `specs/` has it.
fn word(rule: impl Serialize) -> String {
    serde_yaml::to_value(rule).ok().as_ref().and_then(Value::as_str).map(quoted).unwrap_or_default()
}

fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    format!("{{ {} }}", names.into_iter().map(|name| quoted(&identifier(name))).collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
