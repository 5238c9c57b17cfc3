//! Records: every form of a field, in a dialect of the test's own. Bytes and values are written by hand.

use proptest::prelude::*;
use rstest::rstest;
use variant_codec::{Codec, Component, ElementType, EncodeError, F32, F64, Options, Refusal, Role, Spans, Text, Value};
use variant_specs::{Dialect, JudgedBy, LayoutId, Precision, Scalar, Source, Specs, WideReals};
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
      form: {choice: flag-1, of: {1: {id: id}}, otherwise: {name: text}}
  list:
    shape: record
    record: {of: {type: item-type, class: string}, items: {values: count, bit-31: ignored}}
  script:
    shape: record
    nullable: true
    record:
      form:
        choice: flag-1
        of: {1: {id: id}}
        otherwise:
          allowed: permission
          path: text
          rest: {choice: path, of: {0: {}}, otherwise: {rows: {repeat: row-count, bit-31: empty, of: {row: value}}}}
insert: {27: all, 28: measured, 29: either, 30: list, 31: script}
";

fn dialect() -> Dialect {
    let mut specs = Specs::builtin().unwrap();
    specs.add_dialects(&[Source { file: "records.yaml", text: RECORDS }]).unwrap();
    specs.dialects.pop().unwrap()
}

fn codec() -> (Codec, impl Fn(&str) -> LayoutId) {
    let dialect = dialect();
    (Codec::new(&dialect, JudgedBy::Engines), move |name: &str| dialect.layouts.id_of(name).unwrap())
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
    let by_id = Value::Record(layout("either"), vec![Component::Flag(true), Component::Id(7)]);
    let by_name = Value::Record(layout("either"), vec![Component::Flag(false), text("a")]);
    for (value, packet) in [(by_id, &b"\x1d\0\x01\0\x07\0\0\0\0\0\0\0"[..]), (by_name, b"\x1d\0\0\0\x01\0\0\0a\0\0\0")]
    {
        assert_eq!(codec.encode(&value).unwrap(), packet);
        assert_eq!(codec.decode(packet).unwrap().value, value);
    }
}

/// The type of elements: an id, a class as a value, objects by their id behind flag 1, and an id of no type. Bit 31 of the
/// count and of the id mean nothing.
#[rstest]
#[case::ints(b"\x1e\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0", None, "int")]
#[case::bits_31(b"\x1e\0\0\0\x02\0\0\x80\x01\0\0\x80\x02\0\0\0\x07\0\0\0", Some((7, 11)), "int")]
#[case::a_class(b"\x1e\0\0\0\x11\0\0\0\x04\0\0\0\x01\0\0\0C\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0", None, "C")]
#[case::objects(b"\x1e\0\x01\0\x11\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0", None, "object")]
#[case::no_type(b"\x1e\0\0\0\xff\0\0\0\x01\0\0\0\x02\0\0\0\x07\0\0\0", None, "255")]
fn values_have_a_type(#[case] packet: &[u8], #[case] unread: Option<(usize, usize)>, #[case] of: &str) {
    let (codec, layout) = codec();
    let of = match of {
        "C" => ElementType::Class(Text::from("C")),
        "255" => ElementType::Id(255),
        name => ElementType::Layout(layout(name)),
    };
    let value = Value::Record(layout("list"), vec![Component::Type(of), Component::Values(vec![Value::Int(7)])]);
    assert_eq!(codec.decode(packet).unwrap().value, value);
    let mut written = packet.to_vec();
    unread.into_iter().flat_map(|(id, count)| [id, count]).for_each(|at| written[at] = 0);
    assert_eq!(hex::encode(codec.encode(&value).unwrap()), hex::encode(written));
}

#[test]
fn a_class_in_another_type_is_refused() {
    let refused = codec().0.decode(b"\x1e\0\0\0\x11\0\0\0\x02\0\0\0\x01\0\0\0").unwrap_err();
    assert_eq!((refused.kind, refused.at), (Refusal::BadObject, 8));
}

/// What begins with nothing is null, and is written so; a negative count is none.
#[test]
fn what_is_nullable_may_be_null() {
    let (codec, layout) = codec();
    let codec = codec.with(Options { objects: true });
    let null = Value::Record(layout("script"), Vec::new());
    for (packet, used) in [(&b"\x1f\0\x01\0\0\0\0\0\0\0\0\0"[..], 12), (b"\x1f\0\0\0\0\0\0\0\x07\0\0\0", 8)] {
        let decoded = codec.decode(packet).unwrap();
        assert_eq!((decoded.value, decoded.used), (null.clone(), used));
    }
    assert_eq!(codec.encode(&null).unwrap(), [0; 4]);
    let empty = Value::Record(layout("script"), vec![Component::Flag(false), text("p"), Component::List(Vec::new())]);
    let packet = b"\x1f\0\0\0\x01\0\0\0p\0\0\0\xff\xff\xff\xff";
    assert_eq!(codec.decode(packet).unwrap().value, empty);
    assert_eq!(codec.encode(&empty).unwrap(), b"\x1f\0\0\0\x01\0\0\0p\0\0\0\0\0\0\0");
}

#[test]
fn what_needs_a_permission_is_refused_without_it() {
    let (codec, layout) = codec();
    let refused = codec.decode(b"\x1f\0\0\0\0\0\0\0").unwrap_err();
    assert_eq!((refused.kind, refused.at), (Refusal::BadObject, 0));
    let components = vec![Component::Flag(false), text("p"), Component::List(Vec::new())];
    let refused = codec.encode(&Value::Record(layout("script"), components));
    assert!(matches!(refused, Err(EncodeError::UnsupportedForm(_))), "{refused:?}");
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
    let codec = Codec::new(&dialect, JudgedBy::Engines);
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
        assert_eq!(Codec::new(&dialect, JudgedBy::Engines).decode(packet).unwrap().value, single);
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
        vec![Component::Flag(true)],
        vec![word(0), text("a")],
        vec![Component::Flag(false), Component::Id(7)],
        vec![Component::Flag(false), text("a"), word(1)],
        vec![text("a"), Component::Flag(false)],
    ] {
        let refused = codec.encode(&Value::Record(either, components.clone()));
        assert!(matches!(refused, Err(EncodeError::UnsupportedForm(_))), "{components:?}: {refused:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_records_come_back(value in Values::of(&dialect()).only(|name| ["all", "measured", "either", "list", "script", "int"].contains(&name))) {
        let (codec, _) = codec();
        let packet = codec.encode(&value).unwrap();
        prop_assert_eq!(codec.decode(&packet).unwrap().value, value);
        for cut in 0..packet.len() {
            let refused = codec.decode(&packet[..cut]);
            prop_assert!(refused.is_ok_and(|decoded| decoded.used == packet.len()) || codec.decode(&packet[..cut]).unwrap_err().at <= cut);
        }
    }
}
