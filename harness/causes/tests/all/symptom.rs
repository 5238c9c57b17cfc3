//! What a wrong reply lacks beside the right one.

use rstest::rstest;
use variant_causes::{Difference, Examiner, Lack, Reply, Wrong};
use variant_codec::{Codec, F64, Value};
use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::{Reading, Specs};
use variant_wire::implementation::{Input, Request};

/// The lower half of 1.0 is zero: whether it was read alone shows only in the bytes consumed.
#[rstest]
#[case::of_the_narrow_form(8, true)]
#[case::of_the_wide_form(12, false)]
fn a_wide_number_that_became_zero(#[case] consumed: u64, #[case] is_narrow: bool) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let packet = [[3, 0, 1, 0], [0; 4], [0, 0, 0xf0, 0x3f]].concat();
    let input = Input::Decode(packet);
    let request = Request { dialect: "godot-3".into(), input, objects: false, framing: None, kind: None };
    let float = |number: f64, used| Reply::Value(Value::Float(F64(number.to_bits())), Some(used));
    let (right, reply) = (float(1.0, 12), float(0.0, consumed));
    let wrong = Wrong { verdict: Verdict::Fail, reason: Some(Reason::WrongValue), reply: &reply };
    let difference = Examiner::new(dialect, Reading::Engine, &[]).beside(&request, "float", &right, &wrong);
    assert_eq!(difference.lack == Lack::WideRead, is_narrow, "{difference:?}");
}

/// A text of a record changes places with its length and padding.
#[test]
fn a_text_and_an_id_that_are_swapped() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-4.0").unwrap();
    let (header, name, object) = ([26, 0, 0, 0], [2, 0, 0, 0, b'a', b'b', 0, 0], [7, 0, 0, 0, 0, 0, 0, 0x80]);
    let packet = [&header[..], &name, &object].concat();
    let value = Codec::new(dialect, Reading::Engine).decode(&packet).unwrap().value;
    let input = Input::Encode(value);
    let request = Request { dialect: "godot-4.0".into(), input, objects: false, framing: None, kind: None };
    let (right, reply) = (Reply::Bytes(packet), Reply::Bytes([&header[..], &object, &name].concat()));
    let wrong = Wrong { verdict: Verdict::Fail, reason: Some(Reason::WrongBytes), reply: &reply };
    let difference = Examiner::new(dialect, Reading::Engine, &[]).beside(&request, "signal", &right, &wrong);
    assert_eq!(
        difference,
        Difference { lack: Lack::Exchanged("name and object".to_owned()), place: "signal".to_owned() }
    );
}

/// Each is right but for one thing, and shows it.
#[rstest]
#[case::read_as_floats("vector2i", &[[6, 0, 0, 0], [0, 0, 128, 63], [0, 0, 0, 0]], &[[6, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], Lack::AsFloat)]
#[case::as_a_double(
    "int64_array",
    &[[31, 0, 0, 0], [1, 0, 0, 0], [255; 4], [255, 255, 255, 127]],
    &[[31, 0, 0, 0], [1, 0, 0, 0], [0; 4], [0, 0, 0, 128]],
    Lack::LongDigits,
)]
#[case::without_the_flag(
    "vector2_array",
    &[[35, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 240, 63], [0; 4], [0, 0, 0, 64]],
    &[[35, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 240, 63]],
    Lack::WideRead,
)]
#[case::planar(
    "vector2_array",
    &[[35, 0, 0, 0], [2, 0, 0, 0], [0, 0, 128, 63], [0, 0, 0, 64], [0, 0, 64, 64], [0, 0, 128, 64]],
    &[[35, 0, 0, 0], [2, 0, 0, 0], [0, 0, 128, 63], [0, 0, 64, 64], [0, 0, 0, 64], [0, 0, 128, 64]],
    Lack::Planar,
)]
fn a_value_that_is_another(
    #[case] layout: &str,
    #[case] packet: &[[u8; 4]],
    #[case] wrong: &[[u8; 4]],
    #[case] lack: Lack,
) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-4.0").unwrap();
    let codec = Codec::new(dialect, Reading::Engine);
    let read = |packet: &[[u8; 4]]| {
        let decoded = codec.decode(packet.as_flattened()).unwrap();
        Reply::Value(decoded.value, u64::try_from(decoded.used).ok())
    };
    let (right, reply) = (read(packet), read(wrong));
    let input = Input::Decode(packet.concat());
    let request = Request { dialect: "godot-4.0".into(), input, objects: false, framing: None, kind: None };
    let wrong = Wrong { verdict: Verdict::Fail, reason: Some(Reason::WrongValue), reply: &reply };
    let difference = Examiner::new(dialect, Reading::Engine, &[]).beside(&request, layout, &right, &wrong);
    assert_eq!(difference.lack, lack, "{difference:?}");
}

/// An array of one int without the header of the int. The same elements in an array without a type may come of another type id.
#[rstest]
#[case::typed(&[[28, 0, 1, 0], [2, 0, 0, 0], [1, 0, 0, 0]], true)]
#[case::untyped(&[[28, 0, 0, 0], [1, 0, 0, 0]], false)]
fn an_element_without_its_header(#[case] before: &[[u8; 4]], #[case] is_headerless: bool) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-4.4").unwrap();
    let packet = [before.as_flattened(), &[2, 0, 0, 0], &[7, 0, 0, 0]].concat();
    let value = Codec::new(dialect, Reading::Engine).decode(&packet).unwrap().value;
    let request =
        Request { dialect: "godot-4.4".into(), input: Input::Encode(value), objects: false, framing: None, kind: None };
    let (right, reply) = (Reply::Bytes(packet), Reply::Bytes([before.as_flattened(), &[7, 0, 0, 0]].concat()));
    let wrong = Wrong { verdict: Verdict::Fail, reason: Some(Reason::WrongBytes), reply: &reply };
    let difference = Examiner::new(dialect, Reading::Engine, &[]).beside(&request, "array", &right, &wrong);
    assert_eq!(difference.lack == Lack::Headerless, is_headerless, "{difference:?}");
}
