//! Codecs with several faults that real authors make: the text names each fault, once, within two screens.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_codec::{Codec, Numbers, Role, Span, Spans, Value};
use variant_corpus::Corpus;
use variant_corpus::findings::Tracker;
use variant_corpus::verdict::Severity;
use variant_report::text::{ReportLength, render};
use variant_runner::record::RunRecord;
use variant_runner::run::Run;
use variant_runner::status::severity;
use variant_runner::summary::Summary;
use variant_specs::{Reading, Specs};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{
    Answer, AnsweredValue, Implementation, Input, Outcomes, RefusalReason, Request, Requests,
};
use variant_wire::reference::Reference;

pub(crate) static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
pub(crate) static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &SPECS).unwrap());

pub(crate) const DIALECT: &str = "godot-3";

/// The bytes that are written for a field, by its layout, the field, and the packet from there on.
pub(crate) type Written = fn(&str, &Span, &[u8]) -> Option<Vec<u8>>;

/// A fault: what it does, and how the report names it.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    /// Words of the headline.
    headline: &'static str,
    decoded: Option<fn(&mut Value)>,
    encoded: Option<fn(&mut Value)>,
    written: Option<Written>,
    /// Why a packet is refused.
    refused: Option<fn(u32) -> Option<String>>,
}

const NONE: Fault = Fault { headline: "", decoded: None, encoded: None, written: None, refused: None };

pub(crate) const SIGN: Fault = Fault {
    headline: "int: the sign is lost",
    decoded: Some(|value| {
        if let Value::Int(int) = value
            && *int < 0
            && i32::try_from(*int).is_ok()
        {
            *int += 1 << 32;
        }
    }),
    ..NONE
};
pub(crate) const ALWAYS_DOUBLE: Fault = Fault {
    headline: "float: the 64-bit form is used where 32 bits are enough",
    written: Some(|layout, span, rest| {
        if layout != "float" {
            None
        } else if matches!(span.role, Role::Header(_)) {
            Some(vec![3, 0, 1, 0])
        } else if span.bytes.len() == 4 {
            Some(f64::from(f32::from_le_bytes(rest[..4].try_into().unwrap())).to_le_bytes().to_vec())
        } else {
            None
        }
    }),
    ..NONE
};
const UTF16: Fault = Fault {
    headline: "text length counts UTF-16 units, not bytes",
    written: Some(|layout, span, rest| {
        let length = usize::try_from(u32::from_le_bytes(rest.get(..4)?.try_into().ok()?)).ok()?;
        let text = str::from_utf8(rest.get(4..4 + length)?).ok()?;
        let units = u32::try_from(text.encode_utf16().count()).ok()?;
        (span.role == Role::Length && layout != "string_array").then(|| units.to_le_bytes().to_vec())
    }),
    ..NONE
};
const PADDING: Fault = Fault {
    headline: "text: the padding to a multiple of 4 bytes is missing",
    written: Some(|layout, span, _| (span.role == Role::Padding && layout == "string").then(Vec::new)),
    ..NONE
};
const MASK: Fault = Fault {
    headline: "the type id takes 16 bits",
    refused: Some(|header| (header & 0xff00 != 0).then(|| format!("unknown type {}", header & 0xffff))),
    ..NONE
};
pub(crate) const TRANSPOSED: Fault =
    Fault { headline: "erratum basis-is-row-major", decoded: Some(transpose), encoded: Some(transpose), ..NONE };
const SORTED: Fault = Fault {
    headline: "dictionary: the entries are in a wrong order",
    decoded: Some(|value| {
        if let Value::Dictionary(dictionary) = value {
            dictionary.entries.sort_by_key(|(key, _)| format!("{key:?}"));
        }
    }),
    ..NONE
};
const COUNT_BYTE: Fault = Fault {
    headline: "int32_array: the count takes one byte, not four",
    written: Some(|layout, span, rest| (span.role == Role::Count && layout == "int32_array").then(|| vec![rest[0]])),
    ..NONE
};
const COLORS: Fault = Fault {
    headline: "color: numbers are multiplied or divided by 255",
    decoded: Some(|value| {
        if let Value::Fields(layout, Numbers::Float32(floats)) = value
            && SPECS.dialect(DIALECT).unwrap().layouts.get(*layout).name == "color"
            && floats.iter().all(|float| (0.0..=1.0).contains(&float.get()))
            && floats.iter().any(|float| float.get() > 0.01)
        {
            for float in floats.iter_mut() {
                float.0 = (float.get() * 255.0).to_bits();
            }
        }
    }),
    ..NONE
};
pub(crate) const WRONG_ID: Fault = Fault {
    headline: "rect2 becomes vector3",
    written: Some(|layout, span, _| {
        (matches!(span.role, Role::Header(_)) && layout == "rect2").then(|| vec![7, 0, 0, 0])
    }),
    ..NONE
};
const BIG_ENDIAN: Fault = Fault {
    headline: "vector2: the bytes of numbers are in big-endian order",
    written: Some(|layout, span, rest| {
        let number = matches!(span.role, Role::Number(_)) && layout == "vector2";
        number.then(|| rest[..span.bytes.len()].iter().rev().copied().collect())
    }),
    ..NONE
};
const NO_FLAGS: Fault = Fault {
    headline: "node_path: absolute paths become relative",
    decoded: Some(relative),
    encoded: Some(relative),
    ..NONE
};
const EXCHANGED_IDS: Fault = Fault {
    headline: "the type ids of plane and quaternion are swapped",
    written: Some(|layout, span, _| match (span.role, layout) {
        (Role::Header(_), "plane") => Some(vec![10, 0, 0, 0]),
        (Role::Header(_), "quaternion") => Some(vec![9, 0, 0, 0]),
        _ => None,
    }),
    ..NONE
};
const BOOL_BYTE: Fault = Fault {
    headline: "bool takes one byte, not four",
    written: Some(|_, span, rest| (span.role == Role::Bool).then(|| vec![rest[0]])),
    ..NONE
};
const OLD_FORM: Fault = Fault {
    headline: "node_path: bit 31 of the first count is not set",
    written: Some(|layout, span, rest| {
        let first = span.role == Role::Count && layout == "node_path" && rest[3] & 0x80 != 0;
        first.then(|| vec![rest[0], rest[1], rest[2], rest[3] & 0x7f])
    }),
    ..NONE
};
const LOST_PLACE: Fault = Fault {
    headline: "after text in a container, reading or writing goes on at the wrong offset",
    decoded: Some(|value| {
        if let Value::Array(array) = value
            && let Some(text) = array.items.iter().position(|item| matches!(item, Value::Text(..)))
        {
            array.items[text + 1..].fill(Value::Null);
        }
    }),
    ..NONE
};

fn transpose(value: &mut Value) {
    if let Value::Fields(_, Numbers::Float32(floats)) = value
        && matches!(floats.len(), 9 | 12)
    {
        for (one, other) in [(1, 3), (2, 6), (5, 7)] {
            floats.swap(one, other);
        }
    }
}

fn relative(value: &mut Value) {
    if let Value::NodePath(path) = value {
        path.absolute = false;
    }
}

/// The reference codec with faults.
struct Planted {
    reference: Reference,
    codec: Codec,
    faults: Vec<Fault>,
}

impl Planted {
    fn answer(&self, request: &Request) -> Answer {
        let mut request = request.clone();
        if let Input::Decode(packet) = &request.input
            && request.framing.is_none()
            && let Some(header) = packet.first_chunk().copied().map(u32::from_le_bytes)
            && let Some(text) = self.faults.iter().filter_map(|fault| fault.refused).find_map(|refused| refused(header))
        {
            return Answer::Refused(RefusalReason { text, ..RefusalReason::default() });
        }
        // What is sent on is read and written by the same faulty code.
        if let Input::Reencode(packet) = &request.input {
            let read = self.answer(&Request { input: Input::Decode(packet.clone()), ..request.clone() });
            let Answer::Value { value: AnsweredValue::Known(value), .. } = &read else { return read };
            return self.answer(&Request { input: Input::Encode(value.clone()), ..request });
        }
        if let Input::Encode(value) = &mut request.input {
            self.faults.iter().filter_map(|fault| fault.encoded).for_each(|change| each(value, change));
        }
        let mut answer = self.reference.answer(&request);
        if let Answer::Value { value: AnsweredValue::Known(value), .. } = &mut answer {
            self.faults.iter().filter_map(|fault| fault.decoded).for_each(|change| each(value, change));
        } else if let Answer::Bytes(packet) = &mut answer
            && request.framing.is_none()
        {
            *packet = self.rewritten(packet);
        }
        answer
    }

    fn rewritten(&self, packet: &[u8]) -> Vec<u8> {
        let mut trace = Spans::default();
        let _ = self.codec.decode_traced(packet, &mut trace);
        let mut layouts: Vec<(String, String)> = Vec::new();
        let mut written = Vec::new();
        for span in &trace.spans {
            if let (Role::Header(layout), Some(prefix)) = (span.role, span.path.strip_suffix("header")) {
                layouts.push((prefix.to_owned(), self.codec.layouts().get(layout).name.clone()));
            }
            let owner = layouts.iter().rev().find(|(prefix, _)| span.path.starts_with(prefix.as_str()));
            let layout = owner.map_or("", |(_, layout)| layout.as_str());
            let rest = &packet[span.bytes.start..];
            let faults = self.faults.iter().filter_map(|fault| fault.written);
            let faulty = faults.filter_map(|fault| fault(layout, span, rest)).next();
            written.extend(faulty.unwrap_or_else(|| packet[span.bytes.clone()].to_vec()));
        }
        written
    }
}

fn each(value: &mut Value, change: fn(&mut Value)) {
    value.children_mut().into_iter().for_each(|child| each(child, change));
    change(value);
}

impl Implementation for Planted {
    fn handshake(&self) -> &Handshake {
        self.reference.handshake()
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| Ok((place, self.answer(&request).into()))))
    }
}

/// The record of a run of the codec with these faults.
pub(crate) fn record_of(faults: &[Fault]) -> RunRecord {
    let dialect = SPECS.dialect(DIALECT).unwrap();
    let codec = Codec::new(dialect, Reading::Engine).with(variant_codec::Options { objects: true });
    let reference = Reference::new(&SPECS, Reading::Engine);
    let mut planted = Planted { reference, codec, faults: faults.to_vec() };
    let run = Run::new(&SPECS, &CORPUS, vec![DIALECT.to_owned()]);
    let mut record = Vec::new();
    run.run(&mut planted, &mut Tracker::default(), &mut record, &|_, _| {}).unwrap();
    let mut record = RunRecord::read(record.as_slice()).unwrap();
    variant_report::causes::explain(&mut record, &SPECS, &CORPUS).unwrap();
    record
}

/// The tests of a record that have a cause.
fn failing(record: &RunRecord) -> impl Iterator<Item = (&str, &str)> {
    record.verdicts.iter().filter_map(|result| Some((result.cause.as_deref()?, result.test.as_str())))
}

#[test]
fn each_test_of_a_cause_fails_for_its_fault_alone() {
    let faults =
        [SIGN, UTF16, MASK, TRANSPOSED, SORTED, COUNT_BYTE, WRONG_ID, BIG_ENDIAN, NO_FLAGS, LOST_PLACE, COLORS];
    let together = record_of(&faults);
    let mut of_faults = 0;
    for fault in &faults {
        let alone = record_of(&[*fault]);
        let alone: BTreeSet<&str> = failing(&alone).map(|(_, test)| test).collect();
        let cause = together.causes.iter().find(|cause| cause.headline.contains(fault.headline)).unwrap();
        let of_cause = failing(&together).filter(|(id, _)| *id == cause.id).map(|(_, test)| test);
        let others: Vec<&str> = of_cause.filter(|test| !alone.contains(test)).collect();
        assert!(others.is_empty(), "{}: {others:#?}", fault.headline);
        of_faults += cause.tests;
    }
    assert_eq!(failing(&together).count(), of_faults);
}

/// Header bits 8 to 15 are required of a few packets, and good practice in others: the cause is that of the few.
#[test]
fn good_practice_joins_the_cause_of_what_is_required() {
    let record = record_of(&[MASK]);
    let [cause] = record.causes.as_slice() else { panic!("{:?}", record.causes) };
    let severity_of = |test: &str| severity(record.verdicts.iter().find(|result| result.test == test).unwrap());
    assert_eq!(severity_of(&cause.smallest), Severity::Red, "{}", cause.smallest);
    let (required, advised): (Vec<_>, Vec<_>) =
        failing(&record).partition(|(_, test)| severity_of(test) == Severity::Red);
    assert!(required.iter().all(|(_, test)| test.contains("/packet/")), "{required:?}");
    let is_advice = |test: &str| test.contains("~flag-") || test.contains("/packet/");
    assert!(advised.len() > 100 && advised.iter().all(|(_, test)| is_advice(test)), "{advised:?}");
}

#[rstest]
#[case::of_a_script(vec![SIGN, UTF16, MASK, SORTED, WRONG_ID])]
#[case::of_doubles(vec![ALWAYS_DOUBLE, PADDING, TRANSPOSED, NO_FLAGS, MASK])]
#[case::of_bytes(vec![COUNT_BYTE, BIG_ENDIAN, LOST_PLACE, SIGN, TRANSPOSED, UTF16])]
#[case::of_a_reader(vec![SIGN, SORTED, COLORS, LOST_PLACE, MASK, NO_FLAGS, TRANSPOSED])]
#[case::of_a_writer(vec![ALWAYS_DOUBLE, UTF16, WRONG_ID, COUNT_BYTE, BIG_ENDIAN, PADDING, NO_FLAGS, TRANSPOSED])]
#[case::of_ids(vec![EXCHANGED_IDS, BOOL_BYTE, OLD_FORM, SIGN, UTF16, TRANSPOSED])]
#[case::of_everything(vec![
    SIGN, ALWAYS_DOUBLE, UTF16, MASK, TRANSPOSED, SORTED, COUNT_BYTE, COLORS, WRONG_ID, BIG_ENDIAN, NO_FLAGS, LOST_PLACE
])]
fn each_fault_is_one_cause_and_the_text_names_it(#[case] faults: Vec<Fault>) {
    let headlines: Vec<&str> = faults.iter().map(|fault| fault.headline).collect();
    let recorded = record_of(&faults);
    let causes: Vec<String> = recorded
        .causes
        .iter()
        .map(|cause| format!("{} {} {:?}", cause.tests, cause.headline, cause.smallest))
        .collect();
    for headline in &headlines {
        let named = recorded.causes.iter().filter(|cause| cause.headline.contains(headline)).count();
        assert_eq!(named, 1, "{headline}: {causes:#?}");
    }
    assert_eq!(recorded.causes.len(), headlines.len(), "{causes:#?}");
    for cause in &recorded.causes {
        let named = headlines.iter().filter(|headline| cause.headline.contains(*headline)).count();
        assert_eq!(named, 1, "{}: {causes:#?}", cause.headline);
    }
    let text = render(&Summary::of(&recorded), ReportLength::default());
    let text = anstream::adapter::strip_str(&text).to_string();
    assert!(text.lines().count() <= 120, "{} lines", text.lines().count());
    for headline in headlines {
        assert!(text.contains(headline), "{headline}: {text}");
    }
}
