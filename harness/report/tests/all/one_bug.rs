//! A fault that looks different from test to test is one cause.

use rstest::rstest;
use variant_codec::{Codec, F32, Framing, Numbers, Options, Value};
use variant_specs::{KeyRule, Reading};
use variant_wire::implementation::{Answer, AnsweredValue, Input, RefusalReason, Request};
use variant_wire::reference;

use crate::blame::record;
use crate::planted::{DIALECT, SPECS};

type Change = fn(&Request, Answer) -> Answer;

#[rstest]
#[case::rounded("float: doubles are rounded to 32 bits", |_: &Request, answer: Answer| each(answer, |value| {
    if let Value::Float(float) = value && float.get().is_finite() {
        #[expect(clippy::cast_possible_truncation, reason = "this is the fault")]
        let single = float.get() as f32;
        float.0 = f64::from(single).to_bits();
    }
}))]
#[case::of_eight_bits("color: a wrong number", |_: &Request, answer: Answer| each(answer, |value| {
    if let Value::Fields(layout, Numbers::Float32(floats)) = value
        && SPECS.dialect(DIALECT).unwrap().layouts.get(*layout).name == "color"
    {
        for float in floats.iter_mut().filter(|float| float.get().is_finite()) {
            float.0 = ((float.get() * 255.0).round() / 255.0).to_bits();
        }
    }
}))]
#[case::first_value("dictionary: for a repeated key, the first value is kept, not the last", first_value)]
#[case::cut("row of numbers: a packet that ends early is accepted", filled)]
#[case::dead("byte_array: the process ends: exited", |request: &Request, answer: Answer| {
    if reads(request, |value| matches!(value, Value::Packed(_, Numbers::Bytes(bytes)) if bytes.is_empty())) {
        Answer::Crashed("exited".to_owned())
    } else {
        answer
    }
})]
#[case::counted("packed array: the count is of numbers, not of elements", |request: &Request, answer: Answer| match (&request.input, answer) {
    (Input::Encode(Value::Packed(layout, _)), Answer::Bytes(mut bytes)) if request.framing.is_none() => {
        let arity = u8::try_from(SPECS.dialect(DIALECT).unwrap().layouts.get(*layout).arity()).unwrap();
        // No packet of the corpus with more of these has more than one byte of count.
        bytes[4] = bytes[4].saturating_mul(arity.min(if bytes[5] == 0 { arity } else { 1 }));
        Answer::Bytes(bytes)
    }
    (_, answer) => answer,
})]
#[case::narrow_int("int: the 64-bit form is read as the 32-bit one, as if flag 1 were not set", |request: &Request, answer: Answer| narrow(2, request, answer))]
#[case::narrow_float("float: the 64-bit form is read as the 32-bit one, as if flag 1 were not set", |request: &Request, answer: Answer| narrow(3, request, answer))]
#[case::to_the_end("packet is refused if it has bytes after it", |request: &Request, answer: Answer| match (&request.input, &answer) {
    (Input::Decode(packet), Answer::Value { used: Some(used), .. })
        if request.framing.is_none() && usize::try_from(*used).unwrap() < packet.len() => {
        Answer::Refused(RefusalReason { text: "bytes left over".to_owned(), ..RefusalReason::default() })
    }
    _ => answer,
})]
#[case::nan("numbers: a NaN does not keep its bits", |_: &Request, answer: Answer| each(answer, |value| singles(value, |float| {
    if float.get().is_nan() { f32::NAN.to_bits() } else { float.0 }
})))]
#[case::negative_zero("numbers: -0.0 loses its sign", |_: &Request, answer: Answer| each(answer, |value| singles(value, |float| {
    if float.get() == 0.0 { 0 } else { float.0 }
})))]
#[case::rounded_to_digits("numbers: numbers are rounded", |_: &Request, answer: Answer| each(answer, |value| singles(value, |float| {
    let small = float.get().abs() < 1e5;
    if small && float.0 != (-0.0f32).to_bits() { ((float.get() * 1e4).round() / 1e4).abs().copysign(float.get()).to_bits() } else { float.0 }
})))]
#[case::all_consumed("the whole input is reported as consumed, even bytes after the value", |request: &Request, answer: Answer| {
    match (&request.input, answer) {
        (Input::Decode(packet), Answer::Value { value, used: Some(_) }) if request.framing.is_none() => {
            Answer::Value { value, used: u64::try_from(packet.len()).ok() }
        }
        (_, answer) => answer,
    }
})]
#[case::alpha("color: a is always 1", |_: &Request, answer: Answer| each(answer, |value| {
    if let Value::Fields(layout, Numbers::Float32(floats)) = value
        && SPECS.dialect(DIALECT).unwrap().layouts.get(*layout).name == "color"
    {
        floats[3].0 = 1f32.to_bits();
    }
}))]
#[case::copied("vector3: z is what y should be", |_: &Request, answer: Answer| each(answer, |value| {
    if let Value::Fields(layout, Numbers::Float32(floats)) = value
        && SPECS.dialect(DIALECT).unwrap().layouts.get(*layout).name == "vector3"
    {
        floats[2] = floats[1];
    }
}))]
#[case::turned("dictionary: key and value are swapped", |request: &Request, answer: Answer| match &request.input {
    Input::Encode(value) => {
        let mut value = value.clone();
        turn(&mut value);
        let request = Request { input: Input::Encode(value), ..request.clone() };
        reference::answer(&Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine), &request)
    }
    _ => answer,
})]
#[case::framed("each packet has a length prefix of four bytes: declare `framed` in the handshake", |request: &Request, _: Answer| {
    let request = Request { framing: Some(request.framing.unwrap_or(Framing::U32Le)), ..request.clone() };
    reference::answer(&Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine), &request)
})]
#[case::floats("int32_array: 32-bit integers are read or written as floats", |_: &Request, answer: Answer| each(answer, |value| {
    if let Value::Packed(_, Numbers::Int32(integers)) = value {
        for integer in integers {
            #[expect(clippy::cast_precision_loss, reason = "this is the fault")]
            let float = *integer as f32;
            *integer = float.to_bits().cast_signed();
        }
    }
}))]
#[case::below_zero("string_array is refused if it has a count below zero", |request: &Request, answer: Answer| {
    let of_texts = |packet: &[u8]| packet[0] == 23 && packet.get(7).is_some_and(|byte| byte >> 7 == 1);
    match &request.input {
        Input::Decode(packet) | Input::Reencode(packet) if packet.len() > 7 && of_texts(packet) => {
            Answer::Refused(RefusalReason { text: "negative count".to_owned(), ..RefusalReason::default() })
        }
        _ => answer,
    }
})]
#[case::five_bits("the type id takes 5 bits of the header, not 8", |request: &Request, answer: Answer| match &request.input {
    Input::Decode(packet) if request.framing.is_none() && packet.first().is_some_and(|id| *id > 0x1f) => {
        let masked = [&[packet[0] & 0x1f], &packet[1..]].concat();
        let request = Request { input: Input::Decode(masked), ..request.clone() };
        reference::answer(&Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine), &request)
    }
    _ => answer,
})]
#[case::wider("rid takes 4 bytes, not 0", wider)]
#[case::too_deep("value in values: 1025 levels are refused as too deep", |request: &Request, answer: Answer| {
    let levels = |packet: &[u8]| {
        let codec = Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine);
        codec.decode(packet).map_or(0, |read| self::levels(&read.value))
    };
    match &request.input {
        Input::Decode(packet) | Input::Reencode(packet) if levels(packet) > 100 => {
            Answer::Refused(RefusalReason { text: "too deep".to_owned(), ..RefusalReason::default() })
        }
        _ => answer,
    }
})]
fn one_bug_is_one_group(#[case] headline: &str, #[case] change: Change) {
    let causes = record(Reading::Engine, &[], change).causes;
    let headlines: Vec<&str> = causes.iter().map(|cause| cause.headline.as_str()).collect();
    assert_eq!(headlines, [headline]);
}

fn each(mut answer: Answer, change: fn(&mut Value)) -> Answer {
    fn within(value: &mut Value, change: fn(&mut Value)) {
        value.children_mut().into_iter().for_each(|child| within(child, change));
        change(value);
    }
    if let Answer::Value { value: AnsweredValue::Known(value), .. } = &mut answer {
        within(value, change);
    }
    answer
}

/// All reals of 32 bits.
fn singles(value: &mut Value, change: fn(&F32) -> u32) {
    if let Value::Fields(_, Numbers::Float32(floats)) | Value::Packed(_, Numbers::Float32(floats)) = value {
        floats.iter_mut().for_each(|float| float.0 = change(float));
    }
}

fn turn(value: &mut Value) {
    value.children_mut().into_iter().for_each(turn);
    if let Value::Dictionary(dictionary) = value {
        dictionary.entries.iter_mut().for_each(|(key, value)| std::mem::swap(key, value));
    }
}

fn levels(value: &Value) -> usize {
    1 + value.children().into_iter().map(levels).max().unwrap_or(0)
}

/// Four bytes behind each header of a rid.
fn wider(request: &Request, answer: Answer) -> Answer {
    match (&request.input, answer) {
        (Input::Decode(packet), Answer::Value { value, used }) if request.framing.is_none() && packet[0] == 16 => {
            if packet.len() < 8 {
                return Answer::Refused(RefusalReason {
                    text: "4 bytes needed".to_owned(),
                    ..RefusalReason::default()
                });
            }
            Answer::Value { value, used: used.map(|used| used + 4) }
        }
        (Input::Encode(_) | Input::Reencode(_), Answer::Bytes(bytes)) if bytes == [16, 0, 0, 0] => {
            Answer::Bytes(vec![16, 0, 0, 0, 0, 0, 0, 0])
        }
        (_, answer) => answer,
    }
}

/// The 64-bit form of this id is read as the 32-bit one.
fn narrow(id: u8, request: &Request, answer: Answer) -> Answer {
    match &request.input {
        Input::Decode(packet) if request.framing.is_none() && packet.first_chunk() == Some(&[id, 0, 1, 0]) => {
            let narrow = Request { input: Input::Decode([&[id, 0, 0, 0], &packet[4..]].concat()), ..request.clone() };
            reference::answer(&Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine), &narrow)
        }
        _ => answer,
    }
}

/// Whether what is read has such a value.
fn reads(request: &Request, is_such: fn(&Value) -> bool) -> bool {
    let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else { return false };
    let codec = Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine).with(Options { objects: true });
    fn any(value: &Value, is_such: fn(&Value) -> bool) -> bool {
        is_such(value) || value.children().into_iter().any(|child| any(child, is_such))
    }
    reference::decode(&codec, packet, request.framing).is_ok_and(|decoded| any(&decoded.value, is_such))
}

/// The last entry that comes first is the first one.
fn first_value(request: &Request, answer: Answer) -> Answer {
    fn reverse(value: &mut Value) {
        value.children_mut().into_iter().for_each(reverse);
        if let Value::Dictionary(dictionary) = value {
            dictionary.entries.reverse();
        }
    }
    let mut verbatim = SPECS.dialect(DIALECT).unwrap().clone();
    verbatim.rules.keys = KeyRule::Repeated;
    let codec = Codec::new(&verbatim, Reading::Engine).with(Options { objects: true });
    let (Input::Decode(packet), Answer::Value { value: AnsweredValue::Known(right), used }) = (&request.input, &answer)
    else {
        return answer;
    };
    let Ok(mut all) = reference::decode(&codec, packet, request.framing) else { return answer };
    let count = |value: &Value| if let Value::Dictionary(of) = value { of.entries.len() } else { 0 };
    if count(&all.value) == count(right) {
        return answer;
    }
    reverse(&mut all.value);
    let own = Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine);
    let mut value = own.decode(&codec.encode(&all.value).unwrap()).unwrap().value;
    reverse(&mut value);
    Answer::Value { value: AnsweredValue::Known(value), used: *used }
}

/// The rows of numbers, with zeros for what is missing.
fn filled(request: &Request, answer: Answer) -> Answer {
    let (Input::Decode(packet), Answer::Refused(_)) = (&request.input, &answer) else { return answer };
    let mut filled = packet.clone();
    filled.resize(packet.len() + 128, 0);
    if request.framing.is_some() || packet.len() < 4 {
        return answer;
    }
    let request = Request { input: Input::Decode(filled), ..request.clone() };
    match reference::answer(&Codec::new(SPECS.dialect(DIALECT).unwrap(), Reading::Engine), &request) {
        full @ Answer::Value { value: AnsweredValue::Known(Value::Fields(..)), .. } => full,
        _ => answer,
    }
}
