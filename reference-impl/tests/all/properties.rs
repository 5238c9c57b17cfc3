//! What holds for every value and every input, in every dialect, by engines and by documents.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use variant_codec::{Codec, F32, F64, Options, Spans, Value};
use variant_specs::{Dialect, JudgedBy, Shape, Specs};
use variant_strategies::{Packets, Values, mutated};

static DIALECTS: LazyLock<Vec<(Dialect, Codec)>> = LazyLock::new(|| {
    let specs = Specs::builtin().unwrap();
    specs.all().map(|dialect| (dialect.clone(), Codec::new(dialect, JudgedBy::Engines))).collect()
});

/// A dialect's codec and a value that the dialect can carry, in the form that comes back.
fn value_in_a_dialect() -> impl Strategy<Value = (&'static Codec, Value)> {
    in_a_dialect(Values::of)
}

/// A dialect's codec, and what a strategy makes in that dialect.
fn in_a_dialect<S>(made: impl Fn(&Dialect) -> S) -> impl Strategy<Value = (&'static Codec, S::Value)>
where
    S: Strategy + 'static,
{
    let choices = DIALECTS.iter().map(|(dialect, codec)| made(dialect).prop_map(move |made| (codec, made)).boxed());
    proptest::strategy::Union::new(choices)
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
        (codec, packet) in in_a_dialect(|dialect| mutated(Packets::of(dialect))),
    ) {
        let mut trace = Spans::default();
        let traced = codec.decode_traced(&packet, &mut trace);
        prop_assert_eq!(&traced, &codec.decode(&packet));
        if let Ok(decoded) = traced
            && let Ok(again) = codec.encode(&decoded.value)
        {
            let value = codec.decode(&again).unwrap().value;
            // Of two byte order marks the first is dropped each time, and a null object becomes null.
            let has_bom = again.windows(3).any(|bytes| bytes == b"\xef\xbb\xbf");
            prop_assert!(has_bom || has_null_object(&decoded.value, codec) || codec.encode(&value).unwrap() == again);
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

fn has_null_object(value: &Value, codec: &Codec) -> bool {
    let is_null = |layout| codec.layouts().get(layout).nullable;
    matches!(value, Value::Record(layout, components) if components.is_empty() && is_null(*layout))
        || value.children().into_iter().any(|child| has_null_object(child, codec))
}

/// The limit counts values on a path; a leaf counts too. On a stack of 2 MiB, unoptimised.
#[test]
fn the_deepest_path_is_read_and_one_more_is_refused() {
    for (dialect, codec) in DIALECTS.iter() {
        let codec = &codec.clone().with(Options { objects: true });
        let limit = codec.depth();
        assert!(dialect.depth.is_none_or(|depth| depth == limit));
        let id = |shape| dialect.type_of_shape(shape).map(|entry| entry.id);
        let array = id(Shape::Array).unwrap();
        // The words of a container with one element and of an empty one, and where its first value begins.
        let mut containers = vec![(vec![array, 1], vec![array, 0], 8)];
        let dictionary = id(Shape::Dictionary).unwrap();
        containers.push((vec![dictionary, 1, 0], vec![dictionary, 0], 8));
        if let Some(typed) = dialect.layouts.id_of("typed_array").and_then(|layout| dialect.id_of(layout)) {
            containers.push((vec![typed, typed, 1], vec![typed, typed, 0], 12));
        }
        // A class and one property, both with a name of one letter.
        let letter = [1, u32::from(b'a')];
        let object = dialect.layouts.id_of("object").and_then(|layout| Some((layout, dialect.id_of(layout)?)));
        let has_fields = |layout| dialect.rules(JudgedBy::Engines).record(dialect.layouts.get(layout));
        if let Some((_, object)) =
            object.filter(|(layout, _)| has_fields(*layout).is_some_and(|fields| !fields.is_empty()))
        {
            let class = [object, letter[0], letter[1]];
            containers.push(([&class[..], &[1], &letter].concat(), [&class[..], &[0]].concat(), 24));
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
