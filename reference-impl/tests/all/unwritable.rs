//! Values that no case has, because no listing or line of JSON can express them or no engine has them: the encoder refuses
//! them too. harness/mutants/equivalent.toml names the mutants that only these tests detect.

use std::convert::Infallible;

use variant_codec::{
    Array, Codec, Component, Dictionary, ElementType, EncodeError, F32, F64, Numbers, Options, Text, Value,
};
use variant_specs::{Dialect, FieldForm, JudgedBy, LayoutId, ObjectRule, Scalar, Shape, Specs, TypedContainers};

fn every_dialect(check: impl Fn(&Dialect, &Codec)) {
    let specs = Specs::builtin().unwrap();
    for dialect in &specs.dialects {
        check(dialect, &Codec::new(dialect, JudgedBy::Engines));
    }
}

fn layouts(dialect: &Dialect, shape: Shape) -> impl Iterator<Item = LayoutId> {
    dialect.types.iter().map(|entry| entry.layout).filter(move |id| dialect.layouts.get(*id).shape == shape)
}

/// `count` numbers of this width.
fn numbers(scalar: Scalar, count: usize) -> Numbers {
    match scalar {
        Scalar::Byte => Numbers::Bytes(vec![0; count]),
        Scalar::Int32 => Numbers::Int32([0].repeat(count).into()),
        Scalar::Int64 => Numbers::Int64([0].repeat(count).into()),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => Numbers::Float32([F32(0)].repeat(count).into()),
        Scalar::Float64 => Numbers::Float64([F64(0)].repeat(count).into()),
    }
}

const SCALARS: [Scalar; 5] = [Scalar::Byte, Scalar::Int32, Scalar::Int64, Scalar::Float32, Scalar::Float64];

#[test]
fn numbers_of_another_count_or_width_are_refused() {
    every_dialect(|dialect, codec| {
        for shape in [Shape::Fields, Shape::Packed] {
            for layout in layouts(dialect, shape) {
                let (arity, own) = (dialect.layouts.get(layout).arity(), dialect.scalar(dialect.layouts.get(layout)));
                let value = |numbers| {
                    if shape == Shape::Fields { Value::Fields(layout, numbers) } else { Value::Packed(layout, numbers) }
                };
                let refused = |numbers| {
                    let refused = codec.encode(&value(numbers));
                    assert!(
                        matches!(refused, Err(EncodeError::WrongNumbers(_))),
                        "{} {layout:?} {refused:?}",
                        dialect.name
                    );
                };
                codec.encode(&value(numbers(own, arity))).unwrap();
                SCALARS.into_iter().filter(|other| *other != own).for_each(|other| refused(numbers(other, arity)));
                if shape == Shape::Fields || arity > 1 {
                    refused(numbers(own, arity + 1));
                }
            }
        }
    });
}

#[test]
fn records_with_other_components_are_refused() {
    every_dialect(|dialect, codec| {
        for layout in layouts(dialect, Shape::Record) {
            let Some(fields) = dialect.rules.record(dialect.layouts.get(layout)) else { continue };
            let Ok(own) = Component::make_all::<Infallible>(fields, |field| Ok(component(&field.form)));
            codec.encode(&Value::Record(layout, own.clone())).unwrap();
            let refused = |components: Vec<Component>| {
                let refused = codec.encode(&Value::Record(layout, components));
                assert!(matches!(refused, Err(EncodeError::UnsupportedForm(_))), "{} {refused:?}", dialect.name);
            };
            refused([&own[..], &[Component::Word(0)]].concat());
            for place in 0..own.len() {
                let mut other = own.clone();
                other.remove(place);
                refused(other);
            }
        }
    });
}

/// The simplest component of a form; a word that chooses the joystick motion of an input event.
fn component(form: &FieldForm) -> Option<Component> {
    match form {
        FieldForm::Word => Some(Component::Word(4)),
        FieldForm::Id => Some(Component::Id(1)),
        FieldForm::Float32 => Some(Component::Single(F32(0))),
        FieldForm::Text => Some(Component::Text(Text::default())),
        FieldForm::Bytes { .. } => Some(Component::Bytes(Vec::new())),
        FieldForm::Type { .. } => Some(Component::Type(ElementType::Id(1000))),
        FieldForm::Values { .. } => Some(Component::Values(Vec::new())),
        FieldForm::Flag => Some(Component::Flag(true)),
        FieldForm::Size | FieldForm::Permission => None,
        other => panic!("no layout of the family has {other:?}"),
    }
}

#[test]
fn a_value_deeper_than_the_dialect_is_refused() {
    every_dialect(|dialect, codec| {
        let codec = codec.clone().with(Options { objects: true });
        // A level here is two of JSON, and readers of JSON stop at a hundred.
        let deep = |levels: usize| (1..levels).fold(Value::Null, |inner, _| array(inner));
        codec.encode(&deep(codec.depth())).unwrap();
        for outer in containers(dialect) {
            codec.encode(&outer(deep(codec.depth() - 1))).unwrap();
            assert_eq!(codec.encode(&outer(deep(codec.depth()))), Err(EncodeError::TooDeep), "{}", dialect.name);
        }
    });
}

/// Every way in which a value contains another.
fn containers(dialect: &Dialect) -> Vec<Box<dyn Fn(Value) -> Value>> {
    let pair = |key, value| Value::Dictionary(Dictionary { entries: vec![(key, value)], ..Dictionary::default() });
    let mut containers: Vec<Box<dyn Fn(Value) -> Value>> = vec![
        Box::new(array),
        Box::new(move |inner| pair(inner, Value::Null)),
        Box::new(move |inner| pair(Value::Null, inner)),
    ];
    if dialect.rules.object == ObjectRule::ById {
        let objects = dialect.layouts.objects().unwrap();
        containers.push(Box::new(move |inner| {
            object(objects, vec![vec![Component::Text(Text::from("p")), Component::Value(inner)]])
        }));
    }
    for layout in typed_arrays(dialect) {
        let of = ElementType::Layout(dialect.layouts.id_of_shape(Shape::Array).unwrap());
        containers.push(Box::new(move |inner| typed_array(layout, of.clone(), vec![inner])));
    }
    containers
}

/// The layouts of the dialect that begin with the type of their elements.
fn typed_arrays(dialect: &Dialect) -> Vec<LayoutId> {
    let is_typed = |layout: &LayoutId| matches!(dialect.layouts.get(*layout).record.first(), Some(field) if matches!(field.form, FieldForm::Type { .. }));
    layouts(dialect, Shape::Record).filter(is_typed).collect()
}

fn typed_array(layout: LayoutId, of: ElementType, items: Vec<Value>) -> Value {
    Value::Record(layout, vec![Component::Type(of), Component::Values(items)])
}

/// An object with a class and properties.
fn object(layout: LayoutId, properties: Vec<Vec<Component>>) -> Value {
    let class = Component::Text(Text::from("C"));
    Value::Record(layout, vec![Component::Flag(false), class, Component::List(properties)])
}

fn array(inner: Value) -> Value {
    Value::Array(Array { items: vec![inner], ..Array::default() })
}

/// A class is a value too.
#[test]
fn a_class_deeper_than_the_dialect_is_refused() {
    every_dialect(|dialect, codec| {
        for layout in typed_arrays(dialect) {
            let classed = || typed_array(layout, ElementType::Class(Text::from("C")), Vec::new());
            let deep = |levels: usize| (1..levels).fold(classed(), |inner, _| array(inner));
            codec.encode(&deep(codec.depth() - 1)).unwrap();
            assert_eq!(codec.encode(&deep(codec.depth())), Err(EncodeError::TooDeep), "{}", dialect.name);
        }
    });
}

/// What precedes a packet is no part of it: padding depends only on the packet's own bytes.
#[test]
fn a_packet_may_begin_anywhere() {
    every_dialect(|dialect, codec| {
        for layout in layouts(dialect, Shape::Packed) {
            let own = dialect.scalar(dialect.layouts.get(layout));
            let value = Value::Packed(layout, numbers(own, dialect.layouts.get(layout).arity()));
            let mut packet = vec![0xff];
            codec.encode_into(&value, &mut packet).unwrap();
            assert_eq!(packet[1..], codec.encode(&value).unwrap(), "{} {layout:?}", dialect.name);
        }
    });
}

/// Without permission, an object has no properties, and the type of a container names no script. Engines write the ids
/// of live objects, which no value here has.
#[test]
fn objects_and_scripts_go_out_only_where_they_are_allowed() {
    every_dialect(|dialect, codec| {
        if dialect.rules.object == ObjectRule::ById {
            let object = object(dialect.layouts.objects().unwrap(), Vec::new());
            assert!(matches!(codec.encode(&object), Err(EncodeError::UnsupportedForm(_))), "{}", dialect.name);
            codec.clone().with(Options { objects: true }).encode(&object).unwrap();
        }
        if dialect.rules.typed_containers != TypedContainers::None {
            let typed = |of| Value::Array(Array { of: Some(Box::new(of)), ..Array::default() });
            let [class, script] =
                [ElementType::Class, ElementType::Script].map(|of| typed(of(Text::from("res://a.gd"))));
            assert_eq!(codec.encode(&script), codec.encode(&class), "{}", dialect.name);
            let allowing = codec.clone().with(Options { objects: true });
            assert_ne!(allowing.encode(&script), allowing.encode(&class), "{}", dialect.name);
        }
    });
}
