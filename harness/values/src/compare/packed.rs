//! Packed arrays as lists of single values, and back.

use variant_codec::{Numbers, Value};
use variant_specs::{Layouts, Shape};

use crate::fields::FieldValue;

/// The elements of a packed array as single values, if a type for them exists.
pub(super) fn elements(packed: &Value, layouts: &Layouts) -> Option<Vec<Value>> {
    if let Value::PackedText(_, texts) = packed {
        let string = layouts.id_of_shape(Shape::Text)?;
        return Some(texts.iter().map(|text| Value::Text(string, text.clone())).collect());
    }
    let Value::Packed(layout, numbers) = packed else { return None };
    let layout = layouts.get(*layout);
    if layout.arity() == 1 {
        return Some(scalars(numbers));
    }
    let element = layouts.id_of(layout.name.strip_suffix("_array")?)?;
    let elements = 0..numbers.len() / layout.arity();
    Some(elements.map(|place| Value::Fields(element, part(numbers, place, layout.arity()))).collect())
}

/// Single values as a packed array of the same layout; `None` if they are of other types.
pub(super) fn packed_like(packed: &Value, items: &[Value]) -> Option<Value> {
    if let Value::PackedText(layout, _) = packed {
        let text = |item: &Value| if let Value::Text(_, text) = item { Some(text.clone()) } else { None };
        return Some(Value::PackedText(*layout, items.iter().map(text).collect::<Option<_>>()?));
    }
    let Value::Packed(layout, numbers) = packed else { return None };
    let int = |item: &Value| if let Value::Int(int) = item { Some(*int) } else { None };
    let float = |item: &Value| if let Value::Float(float) = item { Some(*float) } else { None };
    let numbers = match numbers {
        Numbers::Int32(_) => {
            let ints = items.iter().map(|item| i32::try_from(int(item)?).ok());
            Numbers::Int32(ints.collect::<Option<_>>()?)
        }
        Numbers::Int64(_) => Numbers::Int64(items.iter().map(int).collect::<Option<_>>()?),
        Numbers::Float64(_) => Numbers::Float64(items.iter().map(float).collect::<Option<_>>()?),
        Numbers::Bytes(_) | Numbers::Float32(_) => return None,
    };
    Some(Value::Packed(*layout, numbers))
}

fn part(numbers: &Numbers, element: usize, arity: usize) -> Numbers {
    let place = element * arity..(element + 1) * arity;
    match numbers {
        Numbers::Bytes(bytes) => Numbers::Bytes(bytes[place].to_vec()),
        Numbers::Int32(ints) => Numbers::Int32(ints[place].into()),
        Numbers::Int64(ints) => Numbers::Int64(ints[place].into()),
        Numbers::Float32(floats) => Numbers::Float32(floats[place].into()),
        Numbers::Float64(floats) => Numbers::Float64(floats[place].into()),
    }
}

/// Numbers as single values.
pub fn scalars(numbers: &Numbers) -> Vec<Value> {
    let scalar = |index| match FieldValue::number(numbers, index) {
        FieldValue::Single(float) => Value::Float(float.widen()),
        FieldValue::Double(float) => Value::Float(float),
        FieldValue::Int(int) => Value::Int(int),
        _ => Value::Null,
    };
    (0..numbers.len()).map(scalar).collect()
}
