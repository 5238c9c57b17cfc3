//! A value as a person types it in a script of Godot.

use variant_codec::{Array, Dictionary, ElementType, NodePath, Numbers, Text, Value};
use variant_specs::{Dialect, LayoutId};

use crate::fields::{FieldValue, layout_id_of};

/// A value as the dialect's engine writes it in a script; `None` for what no script can write, like an object by its id.
pub fn literal(value: &Value, dialect: &Dialect) -> Option<String> {
    LiteralWriter(dialect).value(value)
}

struct LiteralWriter<'a>(&'a Dialect);

impl LiteralWriter<'_> {
    fn value(&self, value: &Value) -> Option<String> {
        match value {
            Value::Null => Some("null".to_owned()),
            Value::Bool(bool) => Some(bool.to_string()),
            Value::Int(int) => Some(int.to_string()),
            Value::Float(float) => Some(real(float.get(), true)),
            Value::Text(id, text) => {
                // What is not the plain text has a sign in front.
                let plain = self.0.layouts.get(*id).name == "string";
                Some(format!("{}{}", if plain { "" } else { "&" }, quoted(text)?))
            }
            Value::Fields(id, numbers) => {
                let wire = &self.0.layouts.get(*id).wire;
                let numbers: Vec<String> = wire.iter().map(|index| number(numbers, *index)).collect();
                self.call(*id, &numbers)
            }
            Value::Packed(id, numbers) => {
                let numbers: Vec<String> = (0..numbers.len()).map(|index| number(numbers, index)).collect();
                self.call(*id, &numbers)
            }
            Value::PackedText(id, texts) => self.call(*id, &texts.iter().map(quoted).collect::<Option<Vec<String>>>()?),
            Value::Array(array) => self.array(array),
            Value::Dictionary(dictionary) => self.dictionary(dictionary),
            Value::NodePath(path) => self.node_path(value, path),
            Value::Record(id, components) if components.is_empty() && !self.0.layouts.get(*id).nullable => {
                self.call(*id, &[])
            }
            Value::Record(..) => None,
        }
    }

    /// The engine's name of a type, where that is a name.
    fn name(&self, layout: LayoutId) -> Option<&str> {
        let name = self.0.type_name(self.0.type_with(layout)?);
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric());
        Some(name).filter(|_| is_name)
    }

    fn call(&self, layout: LayoutId, arguments: &[String]) -> Option<String> {
        let name = self.name(layout).filter(|name| name.starts_with(|letter: char| letter.is_ascii_uppercase()))?;
        Some(format!("{name}({})", arguments.join(", ")))
    }

    fn array(&self, array: &Array) -> Option<String> {
        let items: Vec<String> = array.items.iter().map(|item| self.value(item)).collect::<Option<_>>()?;
        let items = format!("[{}]", items.join(", "));
        match &array.of {
            None => Some(items),
            Some(of) => Some(format!("Array[{}]({items})", self.element(of)?)),
        }
    }

    fn dictionary(&self, dictionary: &Dictionary) -> Option<String> {
        let pair = |(key, value): &(Value, Value)| Some(format!("{}: {}", self.value(key)?, self.value(value)?));
        let pairs: Vec<String> = dictionary.entries.iter().map(pair).collect::<Option<_>>()?;
        let pairs = format!("{{{}}}", pairs.join(", "));
        let Some(of) = &dictionary.of else { return Some(pairs) };
        let element = |of: &Option<ElementType>| of.as_ref().map_or(Some("Variant".to_owned()), |of| self.element(of));
        Some(format!("Dictionary[{}, {}]({pairs})", element(&of.key)?, element(&of.value)?))
    }

    fn element(&self, of: &ElementType) -> Option<String> {
        match of {
            ElementType::Layout(layout) => self.name(*layout).map(str::to_owned),
            ElementType::Class(class) => class.as_str().map(str::to_owned),
            ElementType::Script(_) | ElementType::Id(_) => None,
        }
    }

    fn node_path(&self, value: &Value, path: &NodePath) -> Option<String> {
        let join = |texts: &[Text], by: &str| {
            texts.iter().map(Text::as_str).collect::<Option<Vec<_>>>().map(|texts| texts.join(by))
        };
        let mut text = format!("{}{}", if path.absolute { "/" } else { "" }, join(&path.names, "/")?);
        for name in path.subnames.iter().chain([&path.property]).filter(|name| !name.as_bytes().is_empty()) {
            text = format!("{text}:{}", name.as_str()?);
        }
        let name = layout_id_of(value, &self.0.layouts)?;
        self.call(name, &[quoted(&Text::from_bytes(text.as_bytes()))?])
    }
}

fn number(numbers: &Numbers, index: usize) -> String {
    match FieldValue::number(numbers, index) {
        FieldValue::Single(single) if single.get().is_finite() => single.get().to_string(),
        FieldValue::Single(single) => real(f64::from(single.get()), false),
        FieldValue::Double(double) => real(double.get(), false),
        int => int.to_string(),
    }
}

/// A float; with a point if it must not be read as an integer.
fn real(float: f64, point: bool) -> String {
    match float {
        _ if float.is_nan() => "NAN".to_owned(),
        f64::INFINITY => "INF".to_owned(),
        f64::NEG_INFINITY => "-INF".to_owned(),
        _ if point => format!("{float:?}"),
        _ => float.to_string(),
    }
}

/// Escapes are those of JSON.
fn quoted(text: &Text) -> Option<String> {
    serde_json::to_string(text.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use variant_codec::{Codec, Component};
    use variant_specs::{JudgedBy, Specs};

    use super::*;

    #[rstest]
    #[case("godot-3", "050000000000803f0000003f", "Vector2(1, 0.5)")]
    #[case("godot-3", "0300000000000040", "2.0")]
    #[case("godot-3", "04000000030000006122620a", "\"a\\\"b\"")]
    #[case("godot-3", "0f00000001000080000000000100000004000000726f6f74", "NodePath(\"/root\")")]
    #[case("godot-3", "17000000010000000400000061626300", "PoolStringArray(\"abc\")")]
    #[case("godot-4.4", "2200000001000000 04000000 61626300", "PackedStringArray(\"abc\")")]
    #[case("godot-4.4", "1c0001000200000001000000 02000000 07000000", "Array[int]([7])")]
    fn a_script_can_read_it(#[case] dialect: &str, #[case] packet: &str, #[case] expected: &str) {
        let specs = Specs::builtin().unwrap();
        let dialect = specs.dialect(dialect).unwrap();
        let packet = hex::decode(packet.replace(' ', "")).unwrap();
        let decoded = Codec::new(dialect, JudgedBy::Engines).decode(&packet).unwrap();
        assert_eq!(literal(&decoded.value, dialect).unwrap(), expected);
    }

    #[test]
    fn what_no_script_can_write_has_none() {
        let specs = Specs::builtin().unwrap();
        let dialect = specs.dialect("godot-4.4").unwrap();
        let object = Value::Record(dialect.layouts.objects().unwrap(), vec![Component::Flag(true), Component::Id(7)]);
        assert_eq!(literal(&object, dialect), None);
    }
}
