//! What holds for every value and every input, in every dialect and reading.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use variant_codec::{
    Array, Codec, Dictionary, ElementType, EntryTypes, F32, F64, Image, InputEvent, NodePath, Numbers, Object, Signal,
    Spans, Text, TypedArray, Value,
};
use variant_specs::{
    Dialect, Layout, LayoutId, NodePathProperty, ObjectRule, Reading, RidRule, Scalar, Shape, Specs, TypedContainers,
};

static DIALECTS: LazyLock<Vec<(Dialect, Codec)>> = LazyLock::new(|| {
    let specs = Specs::builtin().unwrap();
    specs.all().map(|dialect| (dialect.clone(), Codec::new(dialect, Reading::Engine))).collect()
});

/// A dialect's codec and a value that the dialect can carry, in the form that comes back.
fn value_in_a_dialect() -> impl Strategy<Value = (&'static Codec, Value)> {
    let choices: Vec<_> =
        DIALECTS.iter().map(|(dialect, codec)| values(dialect).prop_map(move |value| (codec, value)).boxed()).collect();
    proptest::strategy::Union::new(choices)
}

fn values(dialect: &Dialect) -> BoxedStrategy<Value> {
    let leaves: Vec<_> = dialect.types.iter().filter_map(|entry| leaf(dialect, entry.layout)).collect();
    let leaf = proptest::strategy::Union::new(leaves);
    let typed = dialect.rules.typed_containers;
    let [arrays, dictionaries] = [typed != TypedContainers::None, typed == TypedContainers::All]
        .map(|typed| proptest::sample::select(if typed { container_types(dialect) } else { vec![None] }));
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let keys = inner.clone();
        let types = (dictionaries.clone(), dictionaries.clone());
        prop_oneof![
            (vec(inner.clone(), 0..6), arrays.clone()).prop_map(|(items, of)| Value::Array(Array {
                items,
                of: of.map(Box::new),
                shared: false
            })),
            (vec((keys, inner), 0..6), types).prop_map(|(entries, (key, value))| {
                let of = (key.is_some() || value.is_some()).then(|| Box::new(EntryTypes { key, value }));
                Value::Dictionary(Dictionary { entries: distinct(entries), of, shared: false })
            }),
        ]
    })
    .boxed()
}

/// No type, a built-in one, and the class that objects have where they are not allowed.
fn container_types(dialect: &Dialect) -> Vec<Option<ElementType>> {
    let array = dialect.layouts.get(dialect.layouts.id_of_shape(Shape::Array).unwrap());
    vec![
        None,
        dialect.layouts.id_of_shape(Shape::Int).map(ElementType::Layout),
        array.stand_in.as_deref().map(|class| ElementType::Class(Text::from(class))),
    ]
}

/// Texts, ints and bools as keys, each once: which other keys are equal is another property.
fn distinct(entries: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    let mut kept: Vec<(Value, Value)> = Vec::new();
    for (key, value) in entries {
        let plain = matches!(key, Value::Text(..) | Value::Int(_) | Value::Bool(_) | Value::Null);
        let same = |other: &Value| match (other, &key) {
            // In some dialects a string is the same key as a string name.
            (Value::Text(_, other), Value::Text(_, text)) => other == text,
            (other, key) => other == key,
        };
        if plain && kept.iter().all(|(other, _)| !same(other)) {
            kept.push((key, value));
        }
    }
    kept
}

fn leaf(dialect: &Dialect, id: LayoutId) -> Option<BoxedStrategy<Value>> {
    let layout = dialect.layouts.get(id).clone();
    let scalar = dialect.scalar(&layout);
    let strategy = match layout.shape {
        Shape::Empty => Just(Value::Null).boxed(),
        Shape::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Shape::Int if dialect.rules.wide_numbers => {
            prop_oneof![any::<i64>(), any::<i32>().prop_map(i64::from)].prop_map(Value::Int).boxed()
        }
        Shape::Int => any::<i32>().prop_map(|int| Value::Int(i64::from(int))).boxed(),
        Shape::Float => {
            prop_oneof![any::<u64>().prop_map(F64), any::<f32>().prop_map(|single| F64::from(f64::from(single))),]
                .prop_filter("narrow only", {
                    let wide = dialect.rules.wide_numbers;
                    move |float| wide || float.narrow().is_some()
                })
                .prop_map(Value::Float)
                .boxed()
        }
        Shape::Text => text().prop_map(move |text| Value::Text(id, text)).boxed(),
        Shape::Fields => numbers(&layout, scalar, 1..2).prop_map(move |numbers| Value::Fields(id, numbers)).boxed(),
        Shape::Packed => numbers(&layout, scalar, 0..9).prop_map(move |numbers| Value::Packed(id, numbers)).boxed(),
        Shape::PackedText => vec(text(), 0..5).prop_map(move |texts| Value::PackedText(id, texts)).boxed(),
        Shape::NodePath => node_path(dialect),
        Shape::Rid if dialect.rules.rid == RidRule::Id => any::<u64>().prop_map(|id| Value::Rid(Some(id))).boxed(),
        Shape::Rid => Just(Value::Rid(None)).boxed(),
        Shape::Callable => Just(Value::Callable).boxed(),
        Shape::Signal => {
            (text(), any::<u64>()).prop_map(|(name, object)| Value::Signal(Box::new(Signal { name, object }))).boxed()
        }
        Shape::Object if dialect.rules.object == ObjectRule::Empty => {
            Just(Value::Object(Box::new(Object::Null))).boxed()
        }
        Shape::Object => (1..=u64::MAX).prop_map(|id| Value::Object(Box::new(Object::Id(id)))).boxed(),
        Shape::Image => image(&layout),
        Shape::InputEvent => input_event(layout),
        Shape::Typed => typed(dialect, id),
        Shape::Array | Shape::Dictionary => return None,
    };
    Some(strategy)
}

fn node_path(dialect: &Dialect) -> BoxedStrategy<Value> {
    let own_property = dialect.rules.node_path_property == NodePathProperty::Own;
    let property = if own_property { text().boxed() } else { Just(Text::default()).boxed() };
    (any::<bool>(), vec(text(), 0..4), vec(text(), 0..3), property)
        .prop_map(|(absolute, names, subnames, property)| {
            Value::NodePath(Box::new(NodePath { absolute, names, subnames, property }))
        })
        .boxed()
}

/// Images with the data that they require, and images of formats without a known size.
fn image(layout: &Layout) -> BoxedStrategy<Value> {
    let pixels = layout.pixels.clone();
    (proptest::sample::select(pixels), 1..5u32, 1..5u32, any::<u8>(), any::<bool>())
        .prop_map(|((format, pixel), width, height, byte, known)| {
            let length = usize::try_from(pixel * width * height).unwrap();
            let (format, length) = if known { (format, length) } else { (1000 + format, length + 1) };
            Value::Image(Box::new(Image { format, mipmaps: 0, width, height, data: vec![byte; length] }))
        })
        .boxed()
}

fn input_event(layout: Layout) -> BoxedStrategy<Value> {
    (0..9u32, any::<u32>(), any::<[u32; 2]>())
        .prop_map(move |(kind, device, words)| {
            let words = words[..layout.event(kind).len()].iter().copied().collect();
            Value::InputEvent(Box::new(InputEvent { kind, device, words }))
        })
        .boxed()
}

/// Typed arrays of ints, of objects by id, of a class, and of an unknown type.
fn typed(dialect: &Dialect, id: LayoutId) -> BoxedStrategy<Value> {
    let of_shape = |shape| ElementType::Layout(dialect.layouts.id_of_shape(shape).unwrap());
    let types = vec![
        of_shape(Shape::Int),
        of_shape(Shape::Object),
        ElementType::Class(Text::from("Node")),
        ElementType::Id(dialect.max + 1),
    ];
    (proptest::sample::select(types), vec(any::<i64>().prop_map(Value::Int), 0..4))
        .prop_map(move |(of, items)| Value::Typed(id, Box::new(TypedArray { of, items })))
        .boxed()
}

/// Texts that survive a round trip: without NUL, and without a BOM in front.
fn text() -> impl Strategy<Value = Text> {
    any::<String>()
        .prop_map(|text| text.replace('\0', "0").trim_start_matches('\u{feff}').to_owned())
        .prop_map(|text| Text::from(text.as_str()))
}

fn numbers(layout: &Layout, scalar: Scalar, elements: std::ops::Range<usize>) -> BoxedStrategy<Numbers> {
    let arity = layout.arity();
    elements
        .prop_flat_map(move |elements| {
            let count = elements * arity;
            match scalar {
                Scalar::Byte => vec(any::<u8>(), count).prop_map(Numbers::Bytes).boxed(),
                Scalar::Int32 => vec(any::<i32>(), count).prop_map(|ints| Numbers::Int32(ints.into())).boxed(),
                Scalar::Int64 => vec(any::<i64>(), count).prop_map(|ints| Numbers::Int64(ints.into())).boxed(),
                Scalar::Float32 | Scalar::Real | Scalar::Channel => {
                    vec(any::<u32>().prop_map(F32), count).prop_map(|reals| Numbers::Float32(reals.into())).boxed()
                }
                Scalar::Float64 => {
                    vec(any::<u64>().prop_map(F64), count).prop_map(|reals| Numbers::Float64(reals.into())).boxed()
                }
            }
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_encoded_is_decoded_bit_for_bit((codec, value) in value_in_a_dialect()) {
        let packet = codec.encode(&value).unwrap();
        prop_assert_eq!(packet.len() % 4, 0);
        let decoded = codec.decode(&packet).unwrap();
        prop_assert_eq!(decoded.used, packet.len());
        prop_assert_eq!(decoded.value, value);
    }

    #[test]
    fn fields_tile_the_packet((codec, value) in value_in_a_dialect()) {
        let packet = codec.encode(&value).unwrap();
        let mut trace = Spans::default();
        let traced = codec.decode_traced(&packet, &mut trace).unwrap();
        prop_assert_eq!(traced, codec.decode(&packet).unwrap());
        let mut at = 0;
        for span in &trace.spans {
            prop_assert_eq!(span.bytes.start, at, "{} does not begin where the last field ends", span.path);
            prop_assert!(span.bytes.end > at, "{} is empty", span.path);
            at = span.bytes.end;
        }
        prop_assert_eq!(at, packet.len());
    }

    #[test]
    fn every_proper_prefix_is_refused_within_it((codec, value) in value_in_a_dialect(), cut in any::<prop::sample::Index>()) {
        let packet = codec.encode(&value).unwrap();
        let cut = cut.index(packet.len());
        match codec.decode(&packet[..cut]) {
            Err(error) => prop_assert!(error.at <= cut, "{error} lies behind the {cut} bytes there are"),
            // Only a byte array's last padding may be missing.
            Ok(decoded) => prop_assert!(decoded.used == packet.len() && packet.len() - cut <= 3),
        }
    }

    #[test]
    fn mutated_packets_are_read_or_refused_and_written_alike_again(
        (codec, value) in value_in_a_dialect(),
        edits in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut packet = codec.encode(&value).unwrap();
        for (place, byte) in edits {
            let place = place.index(packet.len());
            packet[place] = byte;
        }
        let mut trace = Spans::default();
        let traced = codec.decode_traced(&packet, &mut trace);
        prop_assert_eq!(&traced, &codec.decode(&packet));
        if let Ok(decoded) = traced
            && let Ok(again) = codec.encode(&decoded.value)
        {
            let value = codec.decode(&again).unwrap().value;
            // Of two byte order marks the first is dropped each time, and a null object becomes null.
            let has_bom = again.windows(3).any(|bytes| bytes == b"\xef\xbb\xbf");
            prop_assert!(has_bom || has_null_object(&decoded.value) || codec.encode(&value).unwrap() == again);
        }
    }

    #[test]
    fn no_input_panics(input in vec(any::<u8>(), 0..200), id in 0u8..45) {
        for (_, codec) in DIALECTS.iter() {
            let _ = codec.decode(&input);
            let mut typed = vec![id, 0, 0, 0];
            typed.extend(&input);
            if let Err(error) = codec.decode(&typed) {
                prop_assert!(error.at <= typed.len());
            }
        }
    }
}

fn has_null_object(value: &Value) -> bool {
    matches!(value, Value::Object(object) if **object == Object::Null)
        || value.children().into_iter().any(has_null_object)
}

/// The limit counts values on a path; a leaf counts too. On a stack of 2 MiB, unoptimised.
#[test]
fn the_deepest_path_is_read_and_one_more_is_refused() {
    for (dialect, codec) in DIALECTS.iter() {
        let limit = codec.depth();
        assert!(dialect.depth.is_none_or(|depth| depth == limit));
        let id = |shape| dialect.type_of_shape(shape).map(|entry| entry.id);
        let array = id(Shape::Array).unwrap();
        // The words of a container with one element and of an empty one, and where its first value begins.
        let mut containers = vec![(vec![array, 1], vec![array, 0], 8)];
        let dictionary = id(Shape::Dictionary).unwrap();
        containers.push((vec![dictionary, 1, 0], vec![dictionary, 0], 8));
        if let Some(typed) = id(Shape::Typed) {
            containers.push((vec![typed, typed, 1], vec![typed, typed, 0], 12));
        }
        for (outer, innermost, first) in containers {
            let nested = |levels: usize| -> Vec<u8> {
                let words = (1..levels).flat_map(|_| &outer).chain(&innermost);
                words.copied().flat_map(u32::to_le_bytes).collect()
            };
            let deepest = codec.decode(&nested(limit)).unwrap();
            assert_eq!(deepest.value.depth(), limit);
            assert_eq!(codec.encode(&deepest.value).unwrap(), nested(limit));
            let error = codec.decode(&nested(limit + 1)).unwrap_err();
            assert_eq!(error.to_string(), format!("too-deep at {}", 4 * outer.len() * (limit - 1) + first));
            let far = codec.decode(&nested(100_000)).unwrap_err();
            assert_eq!(far, error);
        }
    }
}

#[test]
fn a_signalling_nan_is_widened_bit_for_bit_and_quieted_by_name_or_where_it_is_narrowed() {
    assert_eq!(F32(0x7f80_0001).widen(), F64(0x7ff0_0000_2000_0000));
    assert_eq!(F32(0x7f80_0001).widen().quiet(), F64(0x7ff8_0000_2000_0000));
    assert_eq!(F64::from(f64::INFINITY).quiet(), F64::from(f64::INFINITY));
    assert_eq!(F32(0xffc0_0001).widen(), F64(0xfff8_0000_2000_0000));
    assert_eq!(F64(0x7ff8_0000_0000_0000).narrow(), None);
    assert_eq!(F64(0x7ff0_0000_2000_0000).nearest(), F32(0x7fc0_0001));
    assert_eq!(F64(0xfff0_0000_0000_0001).nearest(), F32(0xffc0_0000));
    assert_eq!(F64::from(-0.0).narrow(), Some(F32::from(-0.0)));
    assert_eq!(F64::from(0.1).narrow(), None);
    assert_eq!(F64::from(f64::INFINITY).narrow(), Some(F32::from(f32::INFINITY)));
    assert_eq!(F64::from(1e300).narrow(), None);
}
