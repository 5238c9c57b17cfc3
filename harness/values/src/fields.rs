//! A value as a flat list of fields, with the paths that listings use. Judge and lint compare these lists.

mod value;

use variant_codec::{Array, Component, Dictionary, ElementType, NodePath, Numbers, Text, Value};
use variant_specs::{FieldForm, Layout, LayoutId, Layouts, RecordField, Shape};

pub use value::FieldValue;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its path, as in a listing: `header`, `x`, `[1].key.text`.
    pub path: String,
    pub value: FieldValue,
}

/// The fields of a value, in the order of a listing.
pub fn fields_of(value: &Value, layouts: &Layouts) -> Vec<Field> {
    first_fields(value, layouts, usize::MAX).0
}

/// The first fields of a value, at most so many, and how many more there are.
pub fn first_fields(value: &Value, layouts: &Layouts, most: usize) -> (Vec<Field>, usize) {
    let mut flattener = Flattener { layouts, prefix: String::new(), fields: Vec::new(), most, more: 0 };
    flattener.value(value);
    (flattener.fields, flattener.more)
}

/// The little-endian number in the four bytes of a field; 0 if it has not four.
pub fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}

/// The little-endian number in the eight bytes of a field; 0 if it has not eight.
pub fn long_word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

struct Flattener<'a> {
    layouts: &'a Layouts,
    prefix: String,
    fields: Vec<Field>,
    most: usize,
    more: usize,
}

impl Flattener<'_> {
    fn value(&mut self, value: &Value) {
        // Every value has one.
        let Some(layout) = layout_of(value, self.layouts) else { return };
        self.field("header", FieldValue::Header(layout.name.clone()));
        match value {
            Value::Null => {}
            Value::Bool(bool) => self.field("value", FieldValue::Bool(*bool)),
            Value::Int(int) => self.field("value", FieldValue::Int(*int)),
            Value::Float(float) => self.field("value", FieldValue::Double(*float)),
            Value::Text(_, text) => self.field("text", FieldValue::Text(text.clone())),
            Value::Fields(_, numbers) => self.fields(layout, numbers),
            Value::Packed(_, Numbers::Bytes(bytes)) => {
                self.field("count", FieldValue::Count(bytes.len()));
                self.field("bytes", FieldValue::Bytes(bytes.clone()));
            }
            Value::Packed(_, numbers) => self.packed(layout, numbers),
            Value::PackedText(_, texts) => {
                self.field("count", FieldValue::Count(texts.len()));
                self.texts("", texts);
            }
            Value::Array(array) => self.array(array),
            Value::Dictionary(dictionary) => self.dictionary(dictionary),
            Value::NodePath(path) => self.node_path(path),
            Value::Record(_, components) => self.record(&layout.record, components),
        }
    }

    fn fields(&mut self, layout: &Layout, numbers: &Numbers) {
        for (index, field) in layout.fields.iter().enumerate().take(numbers.len()) {
            self.field(field, FieldValue::number(numbers, index));
        }
    }

    fn packed(&mut self, layout: &Layout, numbers: &Numbers) {
        let arity = layout.arity();
        self.field("count", FieldValue::Count(numbers.len() / arity));
        for index in 0..numbers.len() {
            let field = layout.fields.get(index % arity).map(|field| format!(".{field}"));
            let name = format!("[{}]{}", index / arity, field.unwrap_or_default());
            self.field(&name, FieldValue::number(numbers, index));
        }
    }

    fn texts(&mut self, part: &str, texts: &[Text]) {
        for (index, text) in texts.iter().enumerate() {
            self.field(&format!("{part}[{index}].text"), FieldValue::Text(text.clone()));
        }
    }

    fn array(&mut self, array: &Array) {
        array.of.iter().for_each(|of| self.element_type("", "type", of));
        self.field("count", FieldValue::Count(array.items.len()));
        self.shared(array.shared);
        self.items(&array.items);
    }

    fn items(&mut self, items: &[Value]) {
        for (index, item) in items.iter().enumerate() {
            self.within(&format!("[{index}]."), |f| f.value(item));
        }
    }

    fn dictionary(&mut self, dictionary: &Dictionary) {
        for (part, of) in dictionary.of.iter().flat_map(|of| [("key.", &of.key), ("value.", &of.value)]) {
            of.iter().for_each(|of| self.element_type(part, "type", of));
        }
        self.field("count", FieldValue::Count(dictionary.entries.len()));
        self.shared(dictionary.shared);
        for (index, (key, value)) in dictionary.entries.iter().enumerate() {
            self.within(&format!("[{index}].key."), |f| f.value(key));
            self.within(&format!("[{index}].value."), |f| f.value(value));
        }
    }

    fn node_path(&mut self, path: &NodePath) {
        self.field("name-count", FieldValue::Count(path.names.len()));
        self.field("subname-count", FieldValue::Count(path.subnames.len()));
        let property = !path.property.as_bytes().is_empty();
        self.field("flags", FieldValue::Int(i64::from(path.absolute) + if property { 2 } else { 0 }));
        self.texts("names", &path.names);
        self.texts("subnames", &path.subnames);
        if property {
            self.field("property.text", FieldValue::Text(path.property.clone()));
        }
    }

    fn record(&mut self, fields: &[RecordField], components: &[Component]) {
        for (field, component) in Component::with_fields(fields, components).into_iter().flatten() {
            component.iter().for_each(|component| self.component(field, component));
        }
    }

    fn component(&mut self, field: &RecordField, component: &Component) {
        let name = &field.name;
        match (component, &field.form) {
            // Which fields there are tells it.
            (Component::Flag(_), _) => {}
            (Component::Word(word), _) => self.field(name, FieldValue::Id(u64::from(*word))),
            (Component::Id(id), _) => self.field(name, FieldValue::Id(*id)),
            (Component::Single(single), _) => self.field(name, FieldValue::Single(*single)),
            (Component::Double(double), _) => self.field(name, FieldValue::Double(*double)),
            (Component::Text(text), _) => self.field(&format!("{name}.text"), FieldValue::Text(text.clone())),
            (Component::Bytes(bytes), _) => self.field(name, FieldValue::Bytes(bytes.clone())),
            (Component::Value(value), _) => self.within(&format!("{name}."), |f| f.value(value)),
            (Component::List(elements), FieldForm::Repeat { count, of, .. }) => {
                self.field(count, FieldValue::Count(elements.len()));
                for (index, element) in elements.iter().enumerate() {
                    self.within(&format!("{name}[{index}]."), |f| f.record(of, element));
                }
            }
            (Component::Type(of), FieldForm::Type { id, .. }) => self.element_type("", id, of),
            (Component::Values(values), FieldForm::Values { count, .. }) => {
                self.field(count, FieldValue::Count(values.len()));
                self.items(values);
            }
            // `with_fields` gives each of these to fields of its own form alone.
            (Component::List(_) | Component::Type(_) | Component::Values(_), _) => {}
        }
    }

    fn element_type(&mut self, part: &str, id: &str, of: &ElementType) {
        let (name, value) = match of {
            ElementType::Layout(layout) => (id, FieldValue::Header(self.layouts.get(*layout).name.clone())),
            ElementType::Id(word) => (id, FieldValue::Id(u64::from(*word))),
            ElementType::Class(class) => ("class.text", FieldValue::Text(class.clone())),
            ElementType::Script(path) => ("script.text", FieldValue::Text(path.clone())),
        };
        self.field(&format!("{part}{name}"), value);
    }

    fn shared(&mut self, shared: bool) {
        if shared {
            self.field("shared", FieldValue::Bool(true));
        }
    }

    fn within(&mut self, step: &str, flatten: impl FnOnce(&mut Self)) {
        let before = self.prefix.len();
        self.prefix.push_str(step);
        flatten(self);
        self.prefix.truncate(before);
    }

    fn field(&mut self, name: &str, value: FieldValue) {
        if self.fields.len() < self.most {
            self.fields.push(Field { path: format!("{}{name}", self.prefix), value });
        } else {
            self.more += 1;
        }
    }
}

pub fn layout_of<'a>(value: &Value, layouts: &'a Layouts) -> Option<&'a Layout> {
    layout_id_of(value, layouts).map(|id| layouts.get(id))
}

/// The path of a field at any index: `[3].x` → `[i].x`.
pub fn any_index(name: &str) -> String {
    let mut general = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('[') {
        general.push_str(before);
        general.push_str("[i]");
        rest = behind.split_once(']').map_or("", |(_, behind)| behind);
    }
    general + rest
}

/// The id of the layout of a value; `None` if the family has none of its shape.
pub fn layout_id_of(value: &Value, layouts: &Layouts) -> Option<LayoutId> {
    let shape = match value {
        Value::Text(id, _)
        | Value::Fields(id, _)
        | Value::Packed(id, _)
        | Value::PackedText(id, _)
        | Value::Record(id, _) => return Some(*id),
        Value::Null => Shape::Empty,
        Value::Bool(_) => Shape::Bool,
        Value::Int(_) => Shape::Int,
        Value::Float(_) => Shape::Float,
        Value::Array(_) => Shape::Array,
        Value::Dictionary(_) => Shape::Dictionary,
        Value::NodePath(_) => Shape::NodePath,
    };
    layouts.id_of_shape(shape)
}
