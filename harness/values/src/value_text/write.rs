//! Values as JSON, in the form that the handshake of an adapter requests.

use std::fmt::Arguments;
use std::io::Write;

use variant_codec::{Component, ElementType, F32, F64, NodePath, Numbers, Text, Value};
use variant_specs::{FieldForm, Layout, Layouts, RecordField};

use super::read::only_field;
use super::typecheck::ExpectedValue;
use crate::fields::layout_of;
use crate::handshake::Handshake;

/// How an implementation wants numbers and texts written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// Every integer as a decimal string, not only those beyond 2^53.
    pub ints_as_strings: bool,
    /// Every real as its bits: `"0x3f800000"`.
    pub reals_as_bits: bool,
    /// Every text as `{"utf8":"hex"}`.
    pub text_as_hex: bool,
}

impl Form {
    /// The form that a handshake requests.
    pub fn of(handshake: &Handshake) -> Self {
        Self {
            ints_as_strings: handshake.ints.as_deref() == Some("strings"),
            reals_as_bits: handshake.reals.as_deref() == Some("bits"),
            text_as_hex: handshake.text.as_deref() == Some("hex"),
        }
    }
}

/// A value as JSON: `{"vector2":[-1.0,2.0]}`.
pub fn value_json(value: &Value, layouts: &Layouts, form: Form) -> String {
    let mut json = Vec::new();
    write_value(&mut json, value, layouts, form);
    String::from_utf8_lossy(&json).into_owned()
}

/// As [`value_json`], but appends to `out`.
pub fn write_value(out: &mut Vec<u8>, value: &Value, layouts: &Layouts, form: Form) {
    TextWriter { out, layouts, form, reals: 0, any_nan: None }.value(value);
}

/// Appends an expected value as JSON: `"nan"` where any NaN matches, the bits of any other NaN.
pub fn write_expected(out: &mut Vec<u8>, expected: &ExpectedValue, layouts: &Layouts) {
    let any_nan = Some(expected.any_nan.as_slice());
    TextWriter { out, layouts, form: Form::default(), reals: 0, any_nan }.value(&expected.value);
}

struct TextWriter<'a> {
    out: &'a mut Vec<u8>,
    layouts: &'a Layouts,
    form: Form,
    reals: usize,
    /// Which of them match any NaN; `None`: those with the canonical bits.
    any_nan: Option<&'a [usize]>,
}

/// Integers beyond ±2^53 are not exact in every JSON.
const EXACT: u64 = 1 << 53;

impl TextWriter<'_> {
    /// Writes an object with one key, the layout's name: `{"vector2":…}`.
    fn value(&mut self, value: &Value) {
        // Every value has one.
        let Some(layout) = layout_of(value, self.layouts) else { return self.null() };
        self.put("{\"");
        self.put(&layout.name);
        self.put("\":");
        match value {
            Value::Null => self.null(),
            Value::Bool(bool) => self.bool(*bool),
            Value::Int(int) => self.int(*int),
            Value::Float(float) => self.double(*float),
            Value::Text(_, text) => self.text(text),
            Value::Fields(_, numbers) => self.list(0..numbers.len(), |w, i| w.number(numbers, i)),
            Value::Packed(_, numbers) => self.packed(layout, numbers),
            Value::PackedText(_, texts) => self.list(texts, Self::text),
            Value::Array(array) => {
                let types = [("of", array.of.as_deref())];
                self.attributed("items", array.shared, types, |w| w.list(&array.items, Self::value));
            }
            Value::Dictionary(dictionary) => {
                let of = dictionary.of.as_ref();
                let types =
                    [("key", of.and_then(|of| of.key.as_ref())), ("value", of.and_then(|of| of.value.as_ref()))];
                let pair = |w: &mut Self, (key, value): &(Value, Value)| w.list([key, value], Self::value);
                self.attributed("entries", dictionary.shared, types, |w| w.list(&dictionary.entries, pair));
            }
            Value::NodePath(path) => self.node_path(path),
            Value::Record(_, components) if components.is_empty() => self.null(),
            Value::Record(_, components) => self.fields(&layout.record, components, true),
        }
        self.put("}");
    }

    /// A list alone, or an object with the list and its attributes.
    fn attributed<const N: usize>(
        &mut self,
        name: &str,
        shared: bool,
        types: [(&str, Option<&ElementType>); N],
        list: impl FnOnce(&mut Self),
    ) {
        let named = types.iter().filter(|(_, of)| of.is_some()).count();
        if !shared && named == 0 {
            return list(self);
        }
        self.map(|w| {
            for (key, of) in types {
                let Some(of) = of else { continue };
                w.key(key);
                w.element_type(of);
            }
            w.key(name);
            list(w);
            if shared {
                w.key("shared");
                w.bool(true);
            }
        });
    }

    fn packed(&mut self, layout: &Layout, numbers: &Numbers) {
        let arity = layout.arity();
        match numbers {
            Numbers::Bytes(bytes) => self.hex(bytes),
            _ if arity == 1 => self.list(0..numbers.len(), |w, i| w.number(numbers, i)),
            _ => self.list(0..numbers.len() / arity, |w, element| {
                w.list(element * arity..(element + 1) * arity, |w, i| w.number(numbers, i));
            }),
        }
    }

    fn number(&mut self, numbers: &Numbers, index: usize) {
        match numbers {
            Numbers::Bytes(bytes) => self.int(i64::from(bytes[index])),
            Numbers::Int32(ints) => self.int(i64::from(ints[index])),
            Numbers::Int64(ints) => self.int(ints[index]),
            Numbers::Float32(floats) => self.single(floats[index]),
            Numbers::Float64(floats) => self.double(floats[index]),
        }
    }

    fn node_path(&mut self, path: &NodePath) {
        let property = Some(&path.property).filter(|property| !property.as_bytes().is_empty());
        self.map(|w| {
            w.key("absolute");
            w.bool(path.absolute);
            w.key("names");
            w.list(&path.names, Self::text);
            w.key("subnames");
            w.list(&path.subnames, Self::text);
            if let Some(property) = property {
                w.key("property");
                w.text(property);
            }
        });
    }

    /// The only field alone; of several, a map from their names for a record, and a list for an element.
    fn fields(&mut self, fields: &[RecordField], components: &[Component], is_record: bool) {
        let pairs = Component::with_fields(fields, components).into_iter().flatten();
        // Which fields there are tells the flag.
        let written = pairs.filter_map(|(field, component)| Some((field, component?)));
        let written: Vec<_> = written.filter(|(field, _)| field.form != FieldForm::Flag).collect();
        match (only_field(fields), &written[..]) {
            (Some(_), [(field, component)]) => self.component(&field.form, component),
            _ if is_record => self.map(|w| {
                for (field, component) in written {
                    w.key(&field.name);
                    w.component(&field.form, component);
                }
            }),
            _ => self.list(written, |w, (field, component)| w.component(&field.form, component)),
        }
    }

    fn component(&mut self, form: &FieldForm, component: &Component) {
        match component {
            Component::Flag(flag) => self.bool(*flag),
            Component::Word(word) => self.int(i64::from(*word)),
            Component::Id(id) => self.id(*id),
            Component::Single(single) => self.single(*single),
            Component::Double(double) => self.double(*double),
            Component::Text(text) => self.text(text),
            Component::Bytes(bytes) => self.hex(bytes),
            Component::Value(value) => self.value(value),
            Component::Type(of) => self.element_type(of),
            Component::Values(values) => self.list(values, Self::value),
            Component::List(elements) => {
                let FieldForm::Repeat { of, .. } = form else { return self.null() };
                self.list(elements, |w, element| w.fields(of, element, false));
            }
        }
    }

    fn element_type(&mut self, of: &ElementType) {
        let (key, name) = match of {
            ElementType::Layout(layout) => {
                let layouts = self.layouts;
                return self.json(&layouts.get(*layout).name);
            }
            ElementType::Id(id) => return self.int(i64::from(*id)),
            ElementType::Class(class) => ("class", class),
            ElementType::Script(path) => ("script", path),
        };
        self.map(|w| {
            w.key(key);
            w.text(name);
        });
    }

    fn null(&mut self) {
        self.put("null");
    }

    fn bool(&mut self, bool: bool) {
        self.put(if bool { "true" } else { "false" });
    }

    fn id(&mut self, id: u64) {
        self.json(&id.to_string());
    }

    fn int(&mut self, int: i64) {
        let quoted = self.form.ints_as_strings || int.unsigned_abs() > EXACT;
        self.put(&if quoted { format!("\"{int}\"") } else { int.to_string() });
    }

    fn single(&mut self, float: F32) {
        self.real(float.0 == f32::NAN.to_bits(), format_args!("{:#010x}", float.0), float.widen().get());
    }

    fn double(&mut self, float: F64) {
        self.real(float.0 == f64::NAN.to_bits(), format_args!("{:#018x}", float.0), float.get());
    }

    fn real(&mut self, canonical: bool, bits: Arguments<'_>, real: f64) {
        let any = self.any_nan.map_or(canonical, |any| any.contains(&self.reals));
        self.reals += 1;
        match real {
            _ if self.form.reals_as_bits || real.is_nan() && !any => self.put(&format!("\"{bits}\"")),
            _ if real.is_nan() => self.put("\"nan\""),
            f64::INFINITY => self.put("\"inf\""),
            f64::NEG_INFINITY => self.put("\"-inf\""),
            _ => self.json(&real),
        }
    }

    fn text(&mut self, text: &Text) {
        match text.as_str() {
            Some(plain) if !self.form.text_as_hex && !plain.contains('\0') => self.json(plain),
            _ => self.map(|w| {
                w.key("utf8");
                w.hex(text.as_bytes());
            }),
        }
    }

    fn hex(&mut self, bytes: &[u8]) {
        self.put("\"");
        self.put(&hex::encode(bytes));
        self.put("\"");
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        self.put("[");
        for (index, it) in items.into_iter().enumerate() {
            if index > 0 {
                self.put(",");
            }
            item(self, it);
        }
        self.put("]");
    }

    /// Writes a map. `body` writes each of its keys with [`Self::key`], and what belongs to it.
    fn map(&mut self, body: impl FnOnce(&mut Self)) {
        self.put("{");
        body(self);
        self.put("}");
    }

    fn key(&mut self, key: &str) {
        // What is behind the brace is the first key.
        if !self.out.ends_with(b"{") {
            self.put(",");
        }
        self.json(key);
        self.put(":");
    }

    fn json<T: serde::Serialize + ?Sized>(&mut self, scalar: &T) {
        // Neither numbers nor strings can fail, nor can writing to memory.
        let _ = serde_json::to_writer(&mut *self.out, scalar);
    }

    fn put(&mut self, text: &str) {
        // Writing to memory cannot fail.
        let _ = self.out.write_all(text.as_bytes());
    }
}
