//! What one program writes, another reads: a fault that the packets of the reference codec hardly show.

use std::time::Duration;

use variant_codec::{Array, Codec, Numbers, Value};
use variant_diff::{CampaignPlan, Participant};
use variant_specs::{JudgedBy, Specs};
use variant_values::handshake::Lossy;
use variant_values::implementation::{Answer, Input, RefusalReason, Request};

use crate::support::{Other, run};

/// A language without packed arrays: it writes an int array as an array of ints, and says so.
fn writer(specs: &Specs) -> Other {
    let mut writer = Other::new(specs, |reference, request| match &request.input {
        Input::Encode(Value::Packed(_, Numbers::Int32(ints))) => {
            let items = ints.iter().map(|int| Value::Int(i64::from(*int))).collect();
            let value = Value::Array(Array { items, of: None, shared: false });
            reference.answer(&Request { input: Input::Encode(value), ..request.clone() })
        }
        _ => reference.answer(request),
    });
    writer.handshake.lossy = vec![Lossy::PackedAsList];
    writer
}

/// It refuses an array of ints and nothing else, if they are three or more.
fn reader(specs: &Specs) -> Other {
    Other::new(specs, |reference, request| match (&request.input, reference.answer(request)) {
        (Input::Decode(_), Answer::Value { value: Value::Array(array), .. })
            if array.items.len() > 2 && array.items.iter().all(|item| matches!(item, Value::Int(_))) =>
        {
            Answer::Refused(RefusalReason::default())
        }
        (_, answer) => answer,
    })
}

#[test]
fn what_one_writes_the_others_read() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let found = |with_writer: bool| {
        let mut participants =
            vec![Participant::reference(&specs), Participant::in_process("reader", Box::new(reader(&specs)))];
        if with_writer {
            participants.push(Participant::in_process("writer", Box::new(writer(&specs))));
        }
        let plan = CampaignPlan { cases: 10_240, shrinking: Duration::from_secs(60), ..CampaignPlan::default() };
        run(&specs, dialect, plan, participants).findings
    };
    let findings = found(true);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let without: u64 = found(false).iter().map(|finding| finding.count).sum();
    assert!(finding.count > without, "{} of {without}", finding.count);
    assert_eq!(finding.smallest.test.id, "godot-3/array/generated-refused-valid:decode");
    assert_eq!(finding.smallest.side, 1);
    let Input::Decode(packet) = &finding.smallest.request.input else { panic!("{finding:?}") };
    let three = Value::Array(Array { items: vec![Value::Int(0); 3], of: None, shared: false });
    assert_eq!(*packet, Codec::new(dialect, JudgedBy::Engines).encode(&three).unwrap());
}
