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
