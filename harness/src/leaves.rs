//! A value as a flat list of what it consists of, under the names that listings use.
//!
//! Judge and lint compare values through this list, and people read it.

use std::fmt;

use variant_codec::{ElementType, F32, F64, InputEvent, NodePath, Numbers, Object, Text, TypedArray, Value};
use variant_specs::{Layout, LayoutId, Layouts, Shape};

/// One part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its path, as in a listing: `header`, `x`, `[1].key.text`.
    pub path: String,
    /// What stands there.
    pub datum: Datum,
}

/// What stands at a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// The type of a value.
    Header(String),
    /// A count of elements.
    Count(usize),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An id, or another unsigned number.
    Id(u64),
    /// A 32-bit real.
    Single(F32),
    /// A 64-bit real.
    Double(F64),
    /// Text.
    Text(Text),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The leaves of a value, in the order of its meaning.
pub fn leaves(value: &Value, layouts: &Layouts) -> Vec<Leaf> {
    let mut flattener = Flattener { layouts, prefix: String::new(), leaves: Vec::new() };
    flattener.value(value);
    flattener.leaves
}

struct Flattener<'a> {
    layouts: &'a Layouts,
    prefix: String,
    leaves: Vec<Leaf>,
}

impl Flattener<'_> {
    fn value(&mut self, value: &Value) {
        let layout = layout_of(value, self.layouts);
        let name = layout.map_or("?", |layout| layout.name.as_str());
        self.leaf("header", Datum::Header(name.to_owned()));
        match value {
            Value::Null | Value::Rid(None) | Value::Callable => {}
            Value::Bool(bool) => self.leaf("value", Datum::Bool(*bool)),
            Value::Int(int) => self.leaf("value", Datum::Int(*int)),
            Value::Float(float) => self.leaf("value", Datum::Double(*float)),
            Value::Text(_, text) => self.leaf("text", Datum::Text(text.clone())),
            Value::Fields(_, numbers) => {
                let fields = layout.map(|layout| layout.fields.as_slice()).unwrap_or_default();
                for (index, field) in fields.iter().enumerate().take(numbers.len()) {
                    self.leaf(field, number(numbers, index));
                }
            }
            Value::Packed(_, Numbers::Bytes(bytes)) => {
                self.leaf("count", Datum::Count(bytes.len()));
                self.leaf("bytes", Datum::Bytes(bytes.clone()));
            }
            Value::Packed(_, numbers) => self.packed(layout, numbers),
            Value::PackedText(_, texts) => {
                self.leaf("count", Datum::Count(texts.len()));
                for (index, text) in texts.iter().enumerate() {
                    self.leaf(&format!("[{index}].text"), Datum::Text(text.clone()));
                }
            }
            Value::Array(array) => {
                array.of.iter().for_each(|of| self.element_type("", of));
                self.leaf("count", Datum::Count(array.items.len()));
                self.shared(array.shared);
                for (index, item) in array.items.iter().enumerate() {
                    self.within(&format!("[{index}]."), |f| f.value(item));
                }
            }
            Value::Dictionary(dictionary) => {
                for (part, of) in dictionary.of.iter().flat_map(|of| [("key.", &of.key), ("value.", &of.value)]) {
                    of.iter().for_each(|of| self.element_type(part, of));
                }
                self.leaf("count", Datum::Count(dictionary.entries.len()));
                self.shared(dictionary.shared);
                for (index, (key, value)) in dictionary.entries.iter().enumerate() {
                    self.within(&format!("[{index}].key."), |f| f.value(key));
                    self.within(&format!("[{index}].value."), |f| f.value(value));
                }
            }
            Value::NodePath(path) => self.node_path(path),
            Value::Rid(Some(id)) => self.leaf("id", Datum::Id(*id)),
            Value::Object(object) => self.object(object),
            Value::Image(image) => {
                for (name, word) in [
                    ("format", image.format),
                    ("mipmaps", image.mipmaps),
                    ("width", image.width),
                    ("height", image.height),
                ] {
                    self.leaf(name, Datum::Id(u64::from(word)));
                }
                self.leaf("data", Datum::Bytes(image.data.clone()));
            }
            Value::InputEvent(event) => self.input_event(layout, event),
            Value::Typed(_, typed) => self.typed(typed),
            Value::Signal(signal) => {
                self.leaf("name.text", Datum::Text(signal.name.clone()));
                self.leaf("object", Datum::Id(signal.object));
            }
        }
    }

    fn packed(&mut self, layout: Option<&Layout>, numbers: &Numbers) {
        let (arity, fields) = layout.map_or((1, [].as_slice()), |layout| (layout.arity(), layout.fields.as_slice()));
        self.leaf("count", Datum::Count(numbers.len() / arity));
        for index in 0..numbers.len() {
            let element = index / arity;
            match fields.get(index % arity) {
                Some(field) => self.leaf(&format!("[{element}].{field}"), number(numbers, index)),
                None => self.leaf(&format!("[{element}]"), number(numbers, index)),
            }
        }
    }

    fn node_path(&mut self, path: &NodePath) {
        self.leaf("name-count", Datum::Count(path.names.len()));
        self.leaf("subname-count", Datum::Count(path.subnames.len()));
        let property = !path.property.as_bytes().is_empty();
        self.leaf("flags", Datum::Int(i64::from(path.absolute) + if property { 2 } else { 0 }));
        for (part, texts) in [("names", &path.names), ("subnames", &path.subnames)] {
            for (index, text) in texts.iter().enumerate() {
                self.leaf(&format!("{part}[{index}].text"), Datum::Text(text.clone()));
            }
        }
        if property {
            self.leaf("property.text", Datum::Text(path.property.clone()));
        }
    }

    fn input_event(&mut self, layout: Option<&Layout>, event: &InputEvent) {
        self.leaf("type", Datum::Id(u64::from(event.kind)));
        self.leaf("device", Datum::Id(u64::from(event.device)));
        let fields = layout.map_or(&[][..], |layout| layout.event(event.kind));
        for ((name, real), word) in fields.iter().zip(&event.words) {
            let datum = if *real { Datum::Single(F32(*word)) } else { Datum::Id(u64::from(*word)) };
            self.leaf(name, datum);
        }
    }

    fn typed(&mut self, typed: &TypedArray) {
        self.element_type("", &typed.of);
        self.leaf("count", Datum::Count(typed.items.len()));
        for (index, item) in typed.items.iter().enumerate() {
            self.within(&format!("[{index}]."), |f| f.value(item));
        }
    }

    fn element_type(&mut self, part: &str, of: &ElementType) {
        let (name, datum) = match of {
            ElementType::Layout(layout) => ("type", Datum::Header(self.layouts.get(*layout).name.clone())),
            ElementType::Id(id) => ("type", Datum::Id(u64::from(*id))),
            ElementType::Class(class) => ("class.text", Datum::Text(class.clone())),
            ElementType::Script(path) => ("script.text", Datum::Text(path.clone())),
        };
        self.leaf(&format!("{part}{name}"), datum);
    }

    fn object(&mut self, object: &Object) {
        match object {
            Object::Null => {}
            Object::Id(id) => self.leaf("id", Datum::Id(*id)),
            Object::Full { class, properties } => {
                self.leaf("class.text", Datum::Text(class.clone()));
                self.leaf("property-count", Datum::Count(properties.len()));
                for (index, (name, value)) in properties.iter().enumerate() {
                    self.leaf(&format!("properties[{index}].name.text"), Datum::Text(name.clone()));
                    self.within(&format!("properties[{index}].value."), |f| f.value(value));
                }
            }
        }
    }

    fn shared(&mut self, shared: bool) {
        if shared {
            self.leaf("shared", Datum::Bool(true));
        }
    }

    fn within(&mut self, step: &str, part: impl FnOnce(&mut Self)) {
        let before = self.prefix.len();
        self.prefix.push_str(step);
        part(self);
        self.prefix.truncate(before);
    }

    fn leaf(&mut self, name: &str, datum: Datum) {
        self.leaves.push(Leaf { path: format!("{}{name}", self.prefix), datum });
    }
}

/// The layout of a value, where the family has one of its shape.
pub fn layout_of<'a>(value: &Value, layouts: &'a Layouts) -> Option<&'a Layout> {
    layout_id_of(value, layouts).map(|id| layouts.get(id))
}

/// The path of a field, wherever it stands: `[3].x` → `[i].x`.
pub(crate) fn any_index(name: &str) -> String {
    let mut general = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('[') {
        general.push_str(before);
        general.push_str("[i]");
        rest = behind.split_once(']').map_or("", |(_, behind)| behind);
    }
    general + rest
}

/// The id of the layout of a value.
pub(crate) fn layout_id_of(value: &Value, layouts: &Layouts) -> Option<LayoutId> {
    let shape = match value {
        Value::Text(id, _)
        | Value::Fields(id, _)
        | Value::Packed(id, _)
        | Value::PackedText(id, _)
        | Value::Typed(id, _) => return Some(*id),
        Value::Null => Shape::Empty,
        Value::Bool(_) => Shape::Bool,
        Value::Int(_) => Shape::Int,
        Value::Float(_) => Shape::Float,
        Value::Array(_) => Shape::Array,
        Value::Dictionary(_) => Shape::Dictionary,
        Value::NodePath(_) => Shape::NodePath,
        Value::Rid(_) => Shape::Rid,
        Value::Object(_) => Shape::Object,
        Value::Image(_) => Shape::Image,
        Value::InputEvent(_) => Shape::InputEvent,
        Value::Callable => Shape::Callable,
        Value::Signal(_) => Shape::Signal,
    };
    layouts.id_of_shape(shape)
}

fn number(numbers: &Numbers, index: usize) -> Datum {
    match numbers {
        Numbers::Bytes(bytes) => Datum::Int(i64::from(bytes[index])),
        Numbers::Int32(ints) => Datum::Int(i64::from(ints[index])),
        Numbers::Int64(ints) => Datum::Int(ints[index]),
        Numbers::Float32(floats) => Datum::Single(floats[index]),
        Numbers::Float64(floats) => Datum::Double(floats[index]),
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(layout) => f.write_str(layout),
            Self::Count(count) => write!(f, "{count}"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Int(int) => write!(f, "{int}"),
            Self::Id(id) => write!(f, "{id}"),
            Self::Single(float) if float.get().is_nan() => write!(f, "{:#010x}", float.0),
            Self::Single(float) => write!(f, "{:?}", float.get()),
            Self::Double(float) if float.get().is_nan() => write!(f, "{:#018x}", float.0),
            Self::Double(float) => write!(f, "{:?}", float.get()),
            Self::Text(text) => match text.as_str() {
                Some(text) => f.write_str(&json(text)),
                None => write!(f, "{}", hex::encode(text.as_bytes())),
            },
            Self::Bytes(bytes) => f.write_str(&hex::encode(bytes)),
        }
    }
}

/// A text as JSON writes it: one line, quoted.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| format!("{text:?}"))
}
