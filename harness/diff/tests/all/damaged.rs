//! Reference codecs with one fault each: the fault is found within 10,000 requests, shrunk, and blamed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use tempfile::TempDir;
use variant_codec::{Codec, F32, Numbers, Value};
use variant_diff::{
    Campaign, CampaignPlan, CampaignResult, Finding, FuzzTarget, LoopbackReference, Observer, Oracle, Participant,
    SeedCorpus, save,
};
use variant_specs::{
    Dialect, JudgedBy, KeyRule, Layout, Layouts, NegativeTextCount, NodePathProperty, OldNodePath, SharedBit, Specs,
    UnknownFlags, Utf8,
};
use variant_values::diagnostic::Problem;
use variant_values::implementation::{Answer, Implementation, Input, Request};
use variant_values::reference::Reference;

use crate::support::{Other, campaign, run};

const DIALECT: &str = "godot-3";

/// The fault, then the expected finding: layouts, kinds, the field (the first that differs in the request), and the most
/// bytes.
#[rstest]
#[case::basis_by_columns(|d: &mut Dialect| wire(d, "basis", &[0, 1, 2, 3, 4, 5, 6, 7, 8]), &["basis"], &["wrong-value", "wrong-bytes"], "x.y|x.z|y.z", 40)]
#[case::vector3_y_first(|d: &mut Dialect| wire(d, "vector3", &[1, 0, 2]), &["vector3"], &["wrong-value", "wrong-bytes"], "x", 16)]
#[case::color_backwards(|d: &mut Dialect| wire(d, "color", &[3, 2, 1, 0]), &["color"], &["wrong-value", "wrong-bytes"], "r|g", 20)]
#[case::elements_swapped(|d: &mut Dialect| wire(d, "vector2_array", &[1, 0]), &["vector2_array"], &["wrong-value", "wrong-bytes"], "[i].x", 16)]
#[case::two_ids_swapped(swap_ids, &["plane", "quaternion"], &["wrong-value", "wrong-bytes"], "header", 20)]
#[case::no_wide_numbers(|d: &mut Dialect| d.rules.wide_numbers = false, &["int", "float"], &["refused-valid", "accepted-invalid", "wrong-value", "wrong-value", "wrong-bytes", "wrong-length"], "", 12)]
#[case::no_nul_in_string_arrays(|d: &mut Dialect| d.rules.string_array_nul = false, &["string_array"], &["wrong-bytes", "non-canonical"], "[i].length", 16)]
#[case::bom_is_kept(|d: &mut Dialect| d.rules.text_drops_bom = false, &["string", "string_array", "node_path"], &["wrong-value", "wrong-bytes"], "text", 28)]
#[case::nul_is_text(|d: &mut Dialect| d.rules.text_ends_at_nul = false, &["string", "string_array", "node_path"], &["wrong-value", "wrong-bytes", "refused-valid"], "text", 24)]
#[case::last_padding_is_required(|d: &mut Dialect| d.rules.byte_padding_optional_at_end = false, &["byte_array"], &["refused-valid"], "", 9)]
#[case::keys_are_repeated(|d: &mut Dialect| d.rules.keys = KeyRule::Repeated, &["dictionary"], &["wrong-value", "wrong-bytes", "non-canonical"], "count", 24)]
#[case::negative_counts_are_refused(|d: &mut Dialect| d.rules.negative_text_count = NegativeTextCount::Refused, &["string_array"], &["refused-valid"], "", 8)]
#[case::shared_bit_is_kept(|d: &mut Dialect| d.rules.shared_bit = SharedBit::Kept, &["array", "dictionary"], &["wrong-value", "wrong-bytes"], "shared", 8)]
#[case::old_paths_are_read(|d: &mut Dialect| d.rules.old_node_path = OldNodePath::Read, &["node_path"], &["accepted-invalid"], "", 8)]
#[case::flags_are_refused(|d: &mut Dialect| d.header.unknown_flags = UnknownFlags::Refused, &[], &["refused-valid"], "", 72)]
#[case::one_more_text_is_a_property(|d: &mut Dialect| d.rules.node_path_property = NodePathProperty::Own, &["node_path"], &["wrong-value", "wrong-bytes"], "subname-count", 24)]
fn data_that_is_wrong_in_one_place(
    #[case] damage: fn(&mut Dialect),
    #[case] layouts: &[&str],
    #[case] kinds: &[&str],
    #[case] field: &str,
    #[case] most: usize,
) {
    let mut specs = Specs::builtin().unwrap();
    let place = specs.dialects.iter().position(|dialect| dialect.name == DIALECT).unwrap();
    damage(&mut specs.dialects[place]);
    check(Box::new(Reference::new(&specs, JudgedBy::Engines)), layouts, kinds, field, most);
}

#[rstest]
#[case::zero_loses_its_sign(no_negative_zero, &[], &["wrong-value"], "", 68)]
#[case::padding_is_not_consumed(no_padding, &["string", "framing"], &["wrong-length"], "", 12)]
#[case::floats_are_always_wide(wide_floats, &["float"], &["non-canonical"], "header", 8)]
#[case::length_in_front_is_not_written(no_frame, &["framing"], &["wrong-bytes"], "prefix|header", 12)]
#[case::length_in_front_is_not_consumed(frame_left, &["framing"], &["wrong-length"], "", 8)]
#[case::last_byte_is_lost(last_byte, &["byte_array"], &["wrong-value"], "count", 12)]
fn code_that_is_wrong_in_one_place(
    #[case] damaged: fn(&Reference, &Request) -> Answer,
    #[case] layouts: &[&str],
    #[case] kinds: &[&str],
    #[case] field: &str,
    #[case] most: usize,
) {
    let specs = Specs::builtin().unwrap();
    check(Box::new(Other::new(&specs, damaged)), layouts, kinds, field, most);
}

/// Saves each finding.
struct Saver<'a> {
    specs: &'a Specs,
    folder: TempDir,
}

impl Observer for Saver<'_> {
    fn found(&mut self, finding: &Finding, oracle: &Oracle<'_>) -> Result<(), Problem> {
        save(self.folder.path(), &finding.smallest, "damaged", self.specs, oracle).map(drop)
    }
}

fn check(damaged: Box<dyn Implementation + Send>, layouts: &[&str], kinds: &[&str], field: &str, most: usize) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let participants = vec![Participant::reference(&specs), Participant::in_process("damaged", damaged)];
    let plan =
        CampaignPlan { cases: 10_000, first: true, shrinking: Duration::from_secs(60), ..CampaignPlan::default() };
    let mut saver = Saver { specs: &specs, folder: TempDir::new().unwrap() };
    let outcome = campaign(&specs, dialect, plan).run(participants, &mut saver).unwrap();
    assert!(!outcome.findings.is_empty(), "not found in {} requests: {:?}", outcome.sent, outcome.stopped);
    for finding in &outcome.findings {
        let found = &finding.smallest;
        let (id, kind, at) = (&found.test.id, found.kind(), found.field());
        assert!(layouts.is_empty() || layouts.contains(&found.test.layout.as_ref()), "{id}");
        // Another value may be written in another form.
        let also = kinds.contains(&"wrong-value") && kind == "non-canonical";
        assert!(kinds.contains(&kind) || also, "{id}");
        let last = |field: &str| field.rsplit(']').next().unwrap().trim_start_matches('.').to_owned();
        let here = last(field).split('|').any(|wanted| last(&at) == wanted) || at == field;
        // If the reference does not refuse, there is no field at which it refuses.
        let nowhere = kind == "refused-valid" && at.is_empty();
        assert!(also || nowhere || field.is_empty() || here, "{id}: {:?}", found.request);
        let bytes = match &found.request.input {
            Input::Decode(packet) | Input::Reencode(packet) => packet.len(),
            Input::Encode(value) => Codec::new(dialect, JudgedBy::Engines).encode(value).unwrap().len(),
        };
        assert!(bytes <= most, "{id}: {bytes} bytes: {:?}", found.request);
    }
}

/// Two reference codecs agree in every dialect.
#[test]
fn two_references_agree() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.all() {
        let side = |name| Participant::in_process(name, Box::new(Reference::new(&specs, JudgedBy::Engines)));
        let plan = CampaignPlan { cases: 3_000, ..CampaignPlan::default() };
        let outcome = run(&specs, dialect, plan, vec![side("one"), side("other")]);
        assert!(outcome.complete && outcome.findings.is_empty(), "{}: {:?}", dialect.name, outcome.findings);
        assert_eq!((outcome.sent, outcome.same.values().sum()), (3_000, 3_000), "{}", dialect.name);
    }
}

/// A surrogate in a string, as the corpus leaves it open, and in an array.
const SURROGATE: [u8; 12] = [4, 0, 0, 0, 3, 0, 0, 0, 0xed, 0xa0, 0x80, 0];
const IN_AN_ARRAY: [u8; 20] = [19, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0xed, 0xa0, 0x80, 0];

/// Engines of Godot 3 read texts that are not UTF-8, and not alike: the corpus leaves those open, and so does a campaign,
/// also where the packet of an undecided case is within another one.
#[rstest]
#[case::generated(SeedCorpus::default())]
#[case::within_another(SeedCorpus { packets: vec![IN_AN_ARRAY.into()], open: HashSet::from([SURROGATE.into()]), ..SeedCorpus::default() })]
fn utf8_may_be_strict_where_the_corpus_leaves_it_open(#[case] seeds: SeedCorpus) {
    let mut specs = Specs::builtin().unwrap();
    let place = specs.dialects.iter().position(|dialect| dialect.name == DIALECT).unwrap();
    specs.dialects[place].rules.utf8 = Utf8::Strict;
    let strict = Box::new(Reference::new(&specs, JudgedBy::Engines));
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let participants = vec![Participant::reference(&specs), Participant::in_process("strict", strict)];
    let plan = CampaignPlan { cases: 50_000, ..CampaignPlan::default() };
    let campaign = Campaign { seeds, ..campaign(&specs, dialect, plan) };
    let result = campaign.run(participants, &mut ()).unwrap();
    assert!(result.findings.is_empty(), "{:?}", ids(&result));
    assert!(!result.allowed.is_empty());
}

fn ids(result: &CampaignResult) -> Vec<&str> {
    result.findings.iter().map(|finding| finding.smallest.test.id.as_str()).collect()
}

/// The value notation loses nothing: the reference codec behind its own protocol agrees with itself.
#[test]
fn nothing_is_lost_on_the_way() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.all() {
        let reference = Participant::reference(&specs);
        let served = Participant::in_process("served", Box::new(LoopbackReference::new(&specs)));
        let plan = CampaignPlan { cases: 1_500, ..CampaignPlan::default() };
        let outcome = run(&specs, dialect, plan, vec![reference, served]);
        assert!(outcome.complete && outcome.findings.is_empty(), "{}: {:?}", dialect.name, ids(&outcome));
    }
}

/// The same oracle as a fuzz target, packet by packet.
#[test]
fn a_target_finds_what_is_damaged() {
    let mut specs = Specs::builtin().unwrap();
    let sound = specs.clone();
    let place = specs.dialects.iter().position(|dialect| dialect.name == DIALECT).unwrap();
    wire(&mut specs.dialects[place], "vector3", &[1, 0, 2]);
    let dialect = sound.dialect(DIALECT).unwrap();
    let target = |other: Reference| FuzzTarget::new(&sound, dialect, Box::new(other)).unwrap();
    let packet = [&[7, 0, 0, 0][..], &1f32.to_le_bytes(), &2f32.to_le_bytes(), &3f32.to_le_bytes()].concat();
    let found = target(Reference::new(&specs, JudgedBy::Engines)).check(&packet).unwrap();
    assert_eq!(found.as_deref(), Some("godot-3/vector3/generated-wrong-value-x:decode"));
    assert_eq!(target(Reference::new(&sound, JudgedBy::Engines)).check(&packet).unwrap(), None);
}

fn wire(dialect: &mut Dialect, name: &str, wire: &[usize]) {
    let change = |layout: &Layout| {
        let mut layout = layout.clone();
        if layout.name == name {
            layout.wire = wire.to_vec();
        }
        layout
    };
    dialect.layouts = Arc::new(Layouts::new(dialect.layouts.iter().map(|(_, layout)| change(layout)).collect()));
}

fn swap_ids(dialect: &mut Dialect) {
    let layout = dialect.types[9].layout;
    dialect.types[9].layout = dialect.types[10].layout;
    dialect.types[10].layout = layout;
}

fn no_negative_zero(reference: &Reference, request: &Request) -> Answer {
    match reference.answer(request) {
        Answer::Value { value: Value::Fields(layout, Numbers::Float32(mut floats)), used }
            if floats[0] == F32(0x8000_0000) =>
        {
            floats[0] = F32(0);
            Answer::Value { value: Value::Fields(layout, Numbers::Float32(floats)), used }
        }
        other => other,
    }
}

fn no_padding(reference: &Reference, request: &Request) -> Answer {
    match reference.answer(request) {
        Answer::Value { value: Value::Text(layout, text), used: Some(used) } => {
            let used = used.min(8 + u64::try_from(text.as_bytes().len()).unwrap());
            Answer::Value { value: Value::Text(layout, text), used: Some(used) }
        }
        other => other,
    }
}

fn wide_floats(reference: &Reference, request: &Request) -> Answer {
    match (&request.input, reference.answer(request)) {
        (Input::Encode(Value::Float(float)), Answer::Bytes(_)) if request.framing.is_none() => {
            Answer::Bytes([&[3, 0, 1, 0][..], &float.0.to_le_bytes()].concat())
        }
        (_, other) => other,
    }
}

/// The bytes may then look like a shorter packet with its length.
fn no_frame(reference: &Reference, request: &Request) -> Answer {
    match reference.answer(request) {
        Answer::Bytes(bytes) if request.framing.is_some() => Answer::Bytes(bytes[4..].to_vec()),
        other => other,
    }
}

fn frame_left(reference: &Reference, request: &Request) -> Answer {
    match reference.answer(request) {
        Answer::Value { value, used: Some(used) } if request.framing.is_some() => {
            Answer::Value { value, used: Some(used - 4) }
        }
        other => other,
    }
}

fn last_byte(reference: &Reference, request: &Request) -> Answer {
    match reference.answer(request) {
        Answer::Value { value: Value::Packed(layout, Numbers::Bytes(mut bytes)), used } => {
            bytes.pop();
            Answer::Value { value: Value::Packed(layout, Numbers::Bytes(bytes)), used }
        }
        other => other,
    }
}
