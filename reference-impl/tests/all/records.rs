//! Records: every form of a field, in a dialect of the test's own. Bytes and values are written by hand.

use proptest::prelude::*;
use rstest::rstest;
use variant_codec::{Codec, Component, EncodeError, F32, F64, Refusal, Role, Spans, Text, Value};
use variant_specs::{Dialect, LayoutId, Precision, Reading, Scalar, Source, Specs, WideReals};
use variant_strategies::Values;

/// Every form, at the ids from 27 on.
const RECORDS: &str = "
dialect: records
extends: godot-3
layouts:
  all:
    shape: record
    record:
      kind: word
      size: size
      reserved: {padding: 8}
      id: id
      single: float32
      name: text
      data: {bytes: data-length}
      by-kind: {choice: kind, of: {1: {extra: word}, 2: {}}, otherwise: {note: text, any: value}}
      rows: {repeat: row-count, of: {x: word, cells: {repeat: cell-count, of: {cell: text}}}}
  measured: {shape: record, record: {at: real, then: float32}}
  either:
    shape: record
    record:
      by_id: flag
      form: {choice: by_id, of: {1: {id: id}}, otherwise: {name: text}}
insert: {27: all, 28: measured, 29: either}
";

fn dialect() -> Dialect {
    let mut specs = Specs::builtin().unwrap();
    specs.add_dialects(&[Source { file: "records.yaml", text: RECORDS }]).unwrap();
    specs.dialects.pop().unwrap()
}

fn codec() -> (Codec, impl Fn(&str) -> LayoutId) {
    let dialect = dialect();
    (Codec::new(&dialect, Reading::Engine), move |name: &str| dialect.layouts.id_of(name).unwrap())
}

fn word(word: u32) -> Component {
    Component::Word(word)
}

fn text(text: &str) -> Component {
    Component::Text(Text::from(text))
}

/// Kind 1 with two rows.
fn all() -> (Vec<u8>, Vec<Component>) {
    let bytes = [
        &[27, 0, 0, 0, 1, 0, 0, 0, 84, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &[7, 0, 0, 0, 0, 0, 0, 0x80],
        &[0, 0, 0x80, 0x3f],
        b"\x02\0\0\0ab\0\0",
        b"\x05\0\0\0\x01\x02\x03\x04\x05\0\0\0",
        b"\x09\0\0\0",
        b"\x02\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\x02\0\0\0\x01\0\0\0c\0\0\0\0\0\0\0",
    ];
    let rows = vec![
        vec![word(3), Component::List(Vec::new())],
        vec![word(4), Component::List(vec![vec![text("c")], vec![text("")]])],
    ];
    let components = vec![
        word(1),
        Component::Id(0x8000_0000_0000_0007),
        Component::Single(F32(0x3f80_0000)),
        text("ab"),
        Component::Bytes(vec![1, 2, 3, 4, 5]),
        word(9),
        Component::List(rows),
    ];
    (bytes.concat(), components)
}

#[test]
fn every_form_is_read_and_written() {
    let (codec, layout) = codec();
    let (packet, components) = all();
    let value = Value::Record(layout("all"), components);
    assert_eq!(hex::encode(codec.encode(&value).unwrap()), hex::encode(&packet));
    let decoded = codec.decode(&packet).unwrap();
    assert_eq!((decoded.value, decoded.used), (value, packet.len()));
}

#[test]
fn a_trace_names_every_field() {
    let (codec, _) = codec();
    let mut trace = Spans::default();
    codec.decode_traced(&all().0, &mut trace).unwrap();
    let spans: Vec<(usize, &str, Role)> =
        trace.spans.iter().skip(1).map(|span| (span.bytes.start, span.path.as_str(), span.role)).collect();
    let expected = [
        (4, "kind", Role::Word),
        (8, "size", Role::Length),
        (12, "reserved.padding", Role::Padding),
        (20, "id", Role::Id),
        (28, "single", Role::Number(Scalar::Float32)),
        (32, "name.length", Role::Length),
        (36, "name.text", Role::Text),
        (38, "name.padding", Role::Padding),
        (40, "data-length", Role::Length),
        (44, "data", Role::Bytes),
        (49, "padding", Role::Padding),
        (52, "extra", Role::Word),
        (56, "row-count", Role::Count),
        (60, "rows[0].x", Role::Word),
        (64, "rows[0].cell-count", Role::Count),
        (68, "rows[1].x", Role::Word),
        (72, "rows[1].cell-count", Role::Count),
        (76, "rows[1].cells[0].cell.length", Role::Length),
        (80, "rows[1].cells[0].cell.text", Role::Text),
        (81, "rows[1].cells[0].cell.padding", Role::Padding),
        (84, "rows[1].cells[1].cell.length", Role::Length),
    ];
    assert_eq!(spans, expected);
}

/// What is chosen where no number is listed, and where a listed one has no fields.
#[rstest]
#[case::otherwise(5, &[1, 0, 0, 0, b'n', 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], vec![text("n"), Component::Value(Value::Bool(true))])]
#[case::nothing(2, &[], vec![])]
fn an_earlier_word_chooses(#[case] kind: u8, #[case] chosen: &[u8], #[case] components: Vec<Component>) {
    let (codec, layout) = codec();
    let before = [&[27, 0, 0, 0, kind, 0, 0, 0][..], &[40 + u8::try_from(chosen.len()).unwrap(), 0, 0, 0]].concat();
    let packet = [&before[..], &[0; 8 + 8 + 4 + 4 + 4], chosen, &[0; 4]].concat();
    let nothing = [Component::Id(0), Component::Single(F32(0)), text(""), Component::Bytes(Vec::new())];
    let all = [word(u32::from(kind))].into_iter().chain(nothing).chain(components);
    let value = Value::Record(layout("all"), all.chain([Component::List(Vec::new())]).collect());
    assert_eq!(hex::encode(codec.encode(&value).unwrap()), hex::encode(&packet));
    assert_eq!(codec.decode(&packet).unwrap().value, value);
}

#[test]
fn a_flag_of_the_header_chooses() {
    let (codec, layout) = codec();
    let by_id = Value::Record(layout("either"), vec![word(1), Component::Id(7)]);
    let by_name = Value::Record(layout("either"), vec![word(0), text("a")]);
    for (value, packet) in [(by_id, &b"\x1d\0\x01\0\x07\0\0\0\0\0\0\0"[..]), (by_name, b"\x1d\0\0\0\x01\0\0\0a\0\0\0")]
    {
        assert_eq!(codec.encode(&value).unwrap(), packet);
        assert_eq!(codec.decode(packet).unwrap().value, value);
    }
}

/// A real is as wide as reals are; with rule `wide-reals`, flag 1 says it, and every build reads both.
#[rstest]
#[case::single(Precision::Single, WideReals::Ignored, &[28, 0, 0, 0, 0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f])]
#[case::double(Precision::Double, WideReals::Ignored, &[28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0x80, 0x3f])]
#[case::flagged(Precision::Double, WideReals::Flag1, &[28, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0x80, 0x3f])]
fn a_real_has_the_width_of_reals(#[case] precision: Precision, #[case] rule: WideReals, #[case] packet: &[u8]) {
    let mut dialect = dialect();
    dialect.precision = precision;
    dialect.rules.wide_reals = rule;
    let codec = Codec::new(&dialect, Reading::Engine);
    let at = match precision {
        Precision::Single => Component::Single(F32(0x3f00_0000)),
        Precision::Double => Component::Double(F64(0x3fe0_0000_0000_0000)),
    };
    let layout = dialect.layouts.id_of("measured").unwrap();
    let value = Value::Record(layout, vec![at, Component::Single(F32(0x3f80_0000))]);
    assert_eq!(hex::encode(codec.encode(&value).unwrap()), hex::encode(packet));
    assert_eq!(codec.decode(packet).unwrap().value, value);
    if rule == WideReals::Flag1 {
        let narrow = [28, 0, 0, 0, 0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f];
        assert_eq!(codec.decode(&narrow).unwrap().value, value);
        dialect.precision = Precision::Single;
        let single =
            Value::Record(layout, vec![Component::Single(F32(0x3f00_0000)), Component::Single(F32(0x3f80_0000))]);
        assert_eq!(Codec::new(&dialect, Reading::Engine).decode(packet).unwrap().value, single);
    }
    let other = if precision == Precision::Single { Component::Double(F64(0)) } else { Component::Single(F32(0)) };
    let refused = codec.encode(&Value::Record(layout, vec![other, Component::Single(F32(0))]));
    assert!(matches!(refused, Err(EncodeError::WrongNumbers(_))), "{refused:?}");
}

/// Each refusal is at the first field that cannot be right.
#[rstest]
#[case::more_rows_than_fit(56, 5, Refusal::Length, 56)]
#[case::negative_count(56, u32::MAX, Refusal::Length, 56)]
#[case::more_bytes_than_there_are(40, 45, Refusal::Length, 40)]
#[case::a_text_that_ends_late(32, 60, Refusal::Length, 32)]
fn a_count_that_cannot_be_is_refused(
    #[case] at: usize,
    #[case] count: u32,
    #[case] kind: Refusal,
    #[case] refused_at: usize,
) {
    let (mut packet, _) = all();
    packet[at..at + 4].copy_from_slice(&count.to_le_bytes());
    let refused = codec().0.decode(&packet).unwrap_err();
    assert_eq!((refused.kind, refused.at), (kind, refused_at));
}

#[test]
fn other_components_than_the_fields_are_refused() {
    let (codec, layout) = codec();
    let either = layout("either");
    for components in [
        vec![],
        vec![word(1)],
        vec![word(2), text("a")],
        vec![word(0), Component::Id(7)],
        vec![word(0), text("a"), word(1)],
        vec![text("a"), word(0)],
    ] {
        let refused = codec.encode(&Value::Record(either, components.clone()));
        assert!(matches!(refused, Err(EncodeError::UnsupportedForm(_))), "{components:?}: {refused:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_records_come_back(value in Values::of(&dialect()).only(|name| ["all", "measured", "either", "int"].contains(&name))) {
        let (codec, _) = codec();
        let packet = codec.encode(&value).unwrap();
        prop_assert_eq!(codec.decode(&packet).unwrap().value, value);
        for cut in 0..packet.len() {
            let refused = codec.decode(&packet[..cut]);
            prop_assert!(refused.is_ok_and(|decoded| decoded.used == packet.len()) || codec.decode(&packet[..cut]).unwrap_err().at <= cut);
        }
    }
}
