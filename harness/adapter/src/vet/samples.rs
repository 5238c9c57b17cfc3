//! A few plain values of each layout, to send.

use variant_codec::{Array, Dictionary, F32, F64, NodePath, Numbers, Text, Value};
use variant_specs::{Dialect, LayoutId, Scalar, Shape};

/// How many ints, floats and texts there are.
const MANY: i32 = 32;

/// Values with the names of their layouts; ints first, since they are the simplest.
pub(super) fn values(dialect: &Dialect) -> Vec<(String, Value)> {
    let mut types: Vec<_> = dialect.types.iter().map(|entry| (entry.layout, dialect.layout(entry))).collect();
    types.sort_by_key(|(_, layout)| layout.shape != Shape::Int);
    let mut values = Vec::new();
    for (id, layout) in types {
        let samples = of_layout(id, layout.shape, layout.of, layout.arity());
        values.extend(samples.into_iter().map(|value| (layout.name.clone(), value)));
    }
    values
}

fn of_layout(id: LayoutId, shape: Shape, of: Option<Scalar>, arity: usize) -> Vec<Value> {
    let text = |number: i32| Text::from_bytes(format!("text {number}").as_bytes());
    match shape {
        Shape::Empty => vec![Value::Null],
        Shape::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Shape::Int => (0..MANY).map(|number| Value::Int(i64::from(7 * number - 3))).collect(),
        Shape::Float => (0..MANY).map(|number| Value::Float(F64((f64::from(number) + 0.5).to_bits()))).collect(),
        Shape::Text => (0..MANY).map(|number| Value::Text(id, text(number))).collect(),
        Shape::Fields => vec![Value::Fields(id, numbers(of, arity))],
        Shape::Packed => vec![Value::Packed(id, numbers(of, 2 * arity))],
        Shape::PackedText => vec![Value::PackedText(id, vec![text(1), text(2)])],
        Shape::Array => vec![Value::Array(Array::default())],
        Shape::Dictionary => vec![Value::Dictionary(Dictionary::default())],
        Shape::NodePath => vec![Value::NodePath(Box::new(NodePath {
            absolute: true,
            names: vec![Text::from_bytes(b"root")],
            ..NodePath::default()
        }))],
        // Nobody claims only these.
        Shape::Record => Vec::new(),
    }
}

fn numbers(of: Option<Scalar>, count: usize) -> Numbers {
    let ints = || (1u8..).take(count);
    match of {
        Some(Scalar::Byte) => Numbers::Bytes(ints().collect()),
        Some(Scalar::Int32) => Numbers::Int32(ints().map(i32::from).collect()),
        Some(Scalar::Int64) => Numbers::Int64(ints().map(i64::from).collect()),
        Some(Scalar::Float64) => Numbers::Float64(ints().map(|int| F64(f64::from(int).to_bits())).collect()),
        // A dialect in double precision has no such value, and its codec says so.
        Some(Scalar::Float32 | Scalar::Real | Scalar::Channel) | None => {
            Numbers::Float32(ints().map(|int| F32(f32::from(int).to_bits())).collect())
        }
    }
}
