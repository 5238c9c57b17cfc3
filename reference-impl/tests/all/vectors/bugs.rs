//! Where the codec deliberately does not do what an engine did.

use variant_codec::{Component, Dictionary, ElementType, F64, NodePath, Numbers, Text, Value};
use variant_specs::{Dialect, LayoutId};

/// A vector that disagrees, and the erratum that explains it.
#[derive(Debug)]
pub(crate) struct Bug {
    pub(crate) erratum: &'static str,
    pub(crate) dialects: &'static [&'static str],
    /// The `note` of what was decoded, the `source` of what was encoded.
    pub(crate) vector: &'static str,
}

impl Bug {
    pub(crate) fn is(&self, dialect: &str, vector: &str) -> bool {
        self.dialects.contains(&dialect) && self.vector == vector
    }
}

const fn bug(erratum: &'static str, dialects: &'static [&'static str], vector: &'static str) -> Bug {
    Bug { erratum, dialects, vector }
}

#[rustfmt::skip]
pub(crate) const BUGS: &[Bug] = &[
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent 8 bytes"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent JOYSTICK_MOTION with only the axis (wire form of 1.0 to 2.0.2)"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent type 1, head only (12 bytes)"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent type 3, head only (12 bytes)"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent type 4, head only (12 bytes)"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent type 5, head only (12 bytes)"),
    bug("input-event-is-not-checked", &["godot-2"], "InputEvent type 6, head only (12 bytes)"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent JOYSTICK_MOTION axis=1 value=-0.5] first 12 bytes only"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent JOYSTICK_MOTION axis=1 value=-0.5] minus 1 byte"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent KEY device=3 scancode=65 shift+alt+control+meta] first 12 bytes only"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent KEY device=3 scancode=65 shift+alt+control+meta] first 8 bytes only"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent KEY device=3 scancode=65 shift+alt+control+meta] minus 1 byte"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent MOUSE_BUTTON button_index=2 x=9 pressed] first 12 bytes only"),
    bug("input-event-is-not-checked", &["godot-2"], "[InputEvent MOUSE_BUTTON button_index=2 x=9 pressed] minus 1 byte"),
    bug("input-event-is-not-checked", &["godot-2"], "header only, type 19"),
    bug("lone-surrogate-is-written", &["pandemonium-38", "pandemonium-40"], "chr(0xd800) (lone surrogate)"),
    bug("nan-key-is-inserted-again", &["godot-2"], "shared {NAN: 1}"),
    bug("nesting-is-not-limited", &["godot-2"], "100000 Arrays nested"),
    bug("node-path-counts-overflow", &["pandemonium-27", "pandemonium-38", "pandemonium-40"], "NodePath subname count 0xFFFFFFFF with flag 2 (count wraps to 0)"),
    bug("node-path-counts-overflow", &["pandemonium-38", "pandemonium-40"], "NodePath subname count 0xFFFFFFFF, 1 name (sum wraps to 0)"),
    bug("node-path-slash-is-lost", &["pandemonium-27", "godot-2"], "NodePath 0 names 0 subnames absolute"),
    bug("node-path-subnames-are-lost", &["godot-2"], "NodePath new format, names=[a] subnames=[x,y] absolute"),
    bug("node-path-subnames-are-lost", &["godot-2"], "NodePath(\":position:x\")"),
    bug("node-path-subnames-are-lost", &["godot-2"], "NodePath(\"a:b:c:d\")"),
    bug("node-path-without-names-is-lost", &["godot-2"], "NodePath 0 names 1 subname"),
    bug("node-path-without-names-is-lost", &["godot-2"], "NodePath 0 names, flag 2, property 'x'"),
    bug("object-id-becomes-its-own", &["pandemonium-27", "pandemonium-38", "pandemonium-40"], "[Object as id] + 4 trailing bytes"),
    bug("object-id-becomes-its-own", &["pandemonium-27"], "Object 'Reference' with 0 properties"),
    bug("object-id-becomes-its-own", &["pandemonium-27"], "Object with flag 1 (as id), id 0x1122334455667788"),
    bug("packed-counts-overflow", &["godot-2"], "ByteArray count 0x80000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "ColorArray count 0x10000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "ColorArray count 0x20000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "ColorArray count 0xffffffff with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "FloatArray count 0x40000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "FloatArray count 0x80000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "FloatArray count 0xffffffff with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "IntArray count 0x20000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "IntArray count 0x40000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "IntArray count 0x7fffffff with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector2Array count 0x7fffffff with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector2Array count 0x80000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector2Array count 0x80000001 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector3Array count 0x10000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector3Array count 0x40000000 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector3Array count 0x80000001 with 16 bytes of zeroes after it"),
    bug("packed-counts-overflow", &["godot-2"], "Vector3Array count 0xffffffff with 16 bytes of zeroes after it"),
    bug("projection-asks-for-248-bytes", &["pandemonium-38", "pandemonium-40"], "Projection body + zeroes to 244 bytes"),
    bug("projection-asks-for-248-bytes", &["pandemonium-40"], "PackedTypedArray with element type 19 and one element: Projection Projection(x=(1,2,3,4), y=(5,6,7,8), z=(9,10,11,12), w=(13,14,15,16))"),
    bug("text-bad-continuation-is-a-nul", &["godot-2"], "String, bad continuation in 3"),
    bug("text-length-minus-one", &["godot-2"], "String, length -1, no NUL in the buffer"),
    bug("typed-array-class-is-lost", &["pandemonium-40"], "PackedTypedArray<Object,'Reference'> [] (full_objects=false)"),
    bug("typed-array-class-is-lost", &["pandemonium-40"], "TypedArray<Object,'Reference'> [null] (full_objects=false)"),
    bug("typed-array-class-is-not-checked", &["pandemonium-40"], "PackedTypedArray<Object> no flag, StringName class, count missing (no length check in the source)"),
    bug("typed-array-class-is-not-checked", &["pandemonium-40"], "TypedArray<Object> no flag, StringName class, count missing (no length check in the source)"),
    bug("typed-array-elements-are-dropped", &["pandemonium-40"], "PackedTypedArray with element type 3 and one element: float 0.1 (64)"),
    bug("typed-array-elements-are-dropped", &["pandemonium-40"], "TypedArray element type 0xFFFFFFFF, 1 element"),
    bug("typed-array-elements-are-dropped", &["pandemonium-40"], "TypedArray<float> [int 1]"),
    bug("typed-array-elements-are-dropped", &["pandemonium-40"], "TypedArray<int> ['x'] (element of another type)"),
    bug("vector4-array-w-is-z", &["pandemonium-38", "pandemonium-40"], "PoolVector4Array [(1,2,3,4)] as written"),
    bug("vector4-array-w-is-z", &["pandemonium-38", "pandemonium-40"], "[(1,-2,3,-4),(5,6,7,8)]"),
    bug("vector4-array-w-is-z", &["pandemonium-38", "pandemonium-40"], "[PoolVector4Array [(1,2,3,4),(5,6,7,8)]] + 4 trailing bytes"),
    bug("vector4-array-w-is-z", &["pandemonium-38"], "[PoolVector4Array [(1,2,3,4),(5,6,7,8)]] whole"),
    bug("vector4-array-w-is-z", &["pandemonium-40"], "PackedTypedArray with element type 37 and one element: PoolVector4Array [(1,2,3,4),(5,6,7,8)]"),
    bug("vector4-array-w-is-z", &["pandemonium-40"], "PoolVector4iArray [(1,2,3,4)] as the seed would write it"),
    bug("vector4-array-w-is-z", &["pandemonium-40"], "TypedArray with element type 37 and one element: PoolVector4Array [(1,2,3,4),(5,6,7,8)]"),
    bug("vector4-array-w-is-z", &["pandemonium-40"], "[(1,-2,3,-4)]"),
    bug("vector4-counts-12-bytes", &["pandemonium-38", "pandemonium-40"], "Array [Vector4(1,2,3,0), 5] as the engine writes it"),
    bug("vector4-counts-12-bytes", &["pandemonium-38", "pandemonium-40"], "Array [Vector4(1,2,3,4), 5] as the engine writes it"),
    bug("vector4-counts-12-bytes", &["pandemonium-38", "pandemonium-40"], "Array [Vector4(1,2,3,4)] alone"),
    bug("vector4-counts-12-bytes", &["pandemonium-38", "pandemonium-40"], "[Vector4i Vector4i(1, -2, 3, -4)] whole"),
    bug("vector4-counts-12-bytes", &["pandemonium-40"], "PackedTypedArray with element type 11 and one element: Vector4 Vector4(1, 2, 3, 4)"),
    bug("vector4-counts-12-bytes", &["pandemonium-40"], "PackedTypedArray<Vector4> [(1,2,3,4),(5,6,7,8)] as the engine writes it"),
    bug("vector4-counts-12-bytes", &["pandemonium-40"], "TypedArray<Vector4> [(1,2,3,4),(5,6,7,8)] as the engine writes it"),
];

/// The input of an engine: dialects, `source`, and the value.
pub(crate) type Given = (&'static [&'static str], &'static str, fn(&Dialect) -> Value);

/// The values of encodings that may have lost something.
pub(crate) const GIVEN: &[Given] = &[
    (&["pandemonium-38", "pandemonium-40"], "[(1,-2,3,-4),(5,6,7,8)]", |dialect| {
        vector4i_array(dialect, &[1, -2, 3, -4, 5, 6, 7, 8])
    }),
    (&["pandemonium-40"], "[(1,-2,3,-4)]", |dialect| vector4i_array(dialect, &[1, -2, 3, -4])),
    (&["godot-2"], "NodePath(\":position:x\")", |_| path(&[], &["position"], "x")),
    (&["godot-2"], "NodePath(\"a:b:c:d\")", |_| path(&["a"], &["b", "c"], "d")),
    (&["godot-2"], "signalling NAN 0x7ff0000020000000", |_| Value::Float(F64(0x7ff0_0000_2000_0000))),
    (&["godot-2"], "NAN with payload 0x7ff8000020000001", |_| Value::Float(F64(0x7ff8_0000_2000_0001))),
    (&["godot-2"], "DBL_MAX", |_| Value::Float(F64::from(f64::MAX))),
    (&["godot-2"], "0.1", |_| Value::Float(F64::from(0.1))),
    (&["godot-2"], "shared {NAN: 1}", |_| {
        let entries = vec![(Value::Float(F64::from(f64::NAN)), Value::Int(1))];
        Value::Dictionary(Dictionary { entries, shared: true, ..Dictionary::default() })
    }),
    (&["godot-2", "pandemonium-27", "pandemonium-38", "pandemonium-40"], "chr(0xd800) (lone surrogate)", |dialect| {
        Value::Text(layout(dialect, "string"), Text::from_bytes(&[0xed, 0xa0, 0x80]))
    }),
    (&["pandemonium-40"], "TypedArray<Object,'Reference'> [null] (full_objects=false)", |dialect| {
        of_references(dialect, "typed_array", vec![Value::Null])
    }),
    (&["pandemonium-40"], "PackedTypedArray<Object,'Reference'> [] (full_objects=false)", |dialect| {
        of_references(dialect, "packed_typed_array", Vec::new())
    }),
];

fn layout(dialect: &Dialect, name: &str) -> LayoutId {
    dialect.layouts.id_of(name).unwrap()
}

fn vector4i_array(dialect: &Dialect, numbers: &[i32]) -> Value {
    Value::Packed(layout(dialect, "vector4i_array"), Numbers::Int32(numbers.iter().copied().collect()))
}

fn path(names: &[&str], subnames: &[&str], property: &str) -> Value {
    let texts = |texts: &[&str]| texts.iter().map(|text| Text::from(*text)).collect();
    Value::NodePath(Box::new(NodePath {
        absolute: false,
        names: texts(names),
        subnames: texts(subnames),
        property: Text::from(property),
    }))
}

fn of_references(dialect: &Dialect, name: &str, items: Vec<Value>) -> Value {
    let of = ElementType::Class(Text::from("Reference"));
    Value::Record(layout(dialect, name), vec![Component::Type(of), Component::Values(items)])
}
