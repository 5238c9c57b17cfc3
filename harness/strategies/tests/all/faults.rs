//! The faults of real codecs that the selftest has: each is found, and shrunk to one field, by proptest's own runner.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestError, TestRunner};
use rayon::prelude::*;
use variant_codec::{Codec, Framing, Value};
use variant_faults::{Fault, Faulty, catalogue};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_strategies::{Deep, Packet, Packets, Values, mutated};
use variant_values::implementation::{Answer, Implementation, Input, Request};
use variant_values::reference::Reference;

/// The dialect with most faults first; the others have faults of their own.
const DIALECTS: [&str; 4] = ["godot-3", "godot-4.4", "godot-2", "pandemonium-40"];

/// How many cases it may take.
const CASES: u32 = 10_000;

/// The faults that only cases find: no generated value declares the script of its elements, and no generated dictionary
/// has just the keys `x` and `y`.
const LEFT_TO_CASES: [&str; 2] = ["scripts-are-classes:", "dictionary-of-x-and-y-is-a-vector:"];

/// One call of a codec.
#[derive(Debug, Clone)]
enum Call {
    Encode(Value),
    Decode(Packet),
    Reencode(Packet),
}

/// A call, the form of its frame, bytes after the frame, and whether objects are allowed.
type Case = (Call, Option<Framing>, Vec<u8>, bool);

#[test]
#[ignore = "takes minutes: FULL=1 .ci/run runs it"]
fn every_fault_is_found_and_shrunk() {
    let specs = Specs::builtin().unwrap();
    let mut faults: BTreeMap<String, Vec<(&Dialect, Fault)>> = BTreeMap::new();
    for dialect in DIALECTS.iter().map(|name| specs.dialect(name).unwrap()) {
        for mutant in catalogue(&specs, dialect) {
            let mut parts = mutant.id.split('/').skip(1);
            if let (Some("behaviour"), Some(fault)) = (parts.next(), parts.next())
                && !LEFT_TO_CASES.iter().any(|left| fault.starts_with(left))
            {
                faults.entry(fault.to_owned()).or_default().push((dialect, mutant));
            }
        }
    }
    let one = |(fault, mutants): (String, Vec<(&Dialect, Fault)>)| {
        (fault, mutants.into_iter().find_map(|(dialect, mutant)| found(&specs, dialect, mutant)))
    };
    // One by one, because the three that are about depth take most of the time, and are neighbours.
    let threads = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build().unwrap();
    let found: Vec<(String, Option<(usize, Case)>)> =
        threads.install(|| Vec::from_iter(faults).into_par_iter().with_max_len(1).map(one).collect());
    // Most are there twice: in the reader, and in the writer.
    assert!(!found.is_empty());
    let missed: Vec<&str> = found.iter().filter(|(_, case)| case.is_none()).map(|(fault, _)| fault.as_str()).collect();
    assert!(missed.is_empty(), "not found in {CASES} cases: {missed:#?}");
    let shown = found.iter().filter_map(|(fault, case)| case.as_ref().map(|(length, case)| (fault, *length, case)));
    let large: Vec<_> = shown.filter(|(fault, length, _)| *length > most(fault)).collect();
    assert!(large.is_empty(), "not shrunk: {large:#?}");
}

/// The most bytes of the packet that shows a fault: one value with one field, mostly; two where a fault is about two; as many
/// as the fault can count, where it is about many.
fn most(fault: &str) -> usize {
    let fault = fault.split(':').next().unwrap();
    match fault {
        // At most 20 bytes a level: a dictionary, and its key.
        "dictionaries-512-deep" => 20 * 513,
        _ if let Some(levels) = fault.strip_prefix("depth-") => 20 * (levels.parse::<usize>().unwrap() + 1),
        "long-packets-refused" | "cut-at-255-bytes" => 300,
        // Two pairs, whose keys hold an element each.
        "keys-by-identity" => 8 + 2 * 20,
        "count-of-a-byte" | "packed-count-of-a-byte" | "big-arrays-refused" => 12 * 257,
        // It depends on how many came before, so nothing simpler fails.
        "every-hundredth-fails" => usize::MAX,
        _ => 44,
    }
}

/// The smallest case that shows the fault, and the length of its packet.
fn found(specs: &Specs, dialect: &Dialect, mutant: Fault) -> Option<(usize, Case)> {
    let faulty = RefCell::new(Faulty::new(mutant, dialect, JudgedBy::Engines));
    let reference = Reference::new(specs, JudgedBy::Engines);
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        rng_algorithm: RngAlgorithm::ChaCha,
        max_shrink_iters: 4096,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&cases(dialect), |(call, framing, behind, objects)| {
        let input = match call {
            Call::Encode(value) => Input::Encode(value),
            Call::Decode(packet) => Input::Decode(framed(&packet, framing, &behind)),
            Call::Reencode(packet) => Input::Reencode(framed(&packet, framing, &behind)),
        };
        let request = Request { dialect: Arc::from(dialect.name.as_str()), input, objects, framing, kind: None };
        let mut faulty = faulty.borrow_mut();
        let sent = faulty.send(Box::new(std::iter::once(request.clone()))).next().unwrap();
        let (_, outcome) = sent.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let (answer, right) = (outcome.answer, reference.answer(&request));
        // Why something is refused is each codec's own.
        let same = matches!((&answer, &right), (Answer::Refused(_), Answer::Refused(_))) || answer == right;
        prop_assert!(same);
        Ok(())
    });
    let Err(TestError::Fail(_, case)) = result else { return None };
    let length = match &case.0 {
        Call::Encode(value) => Codec::new(dialect, JudgedBy::Engines).encode(value).unwrap_or_default().len(),
        Call::Decode(packet) | Call::Reencode(packet) => packet.len(),
    };
    Some((length, case))
}

fn cases(dialect: &Dialect) -> impl Strategy<Value = Case> + use<> {
    let packets = || {
        let (whole, strange) = (Packets::of(dialect), mutated(Packets::of(dialect)));
        prop_oneof![20 => whole, 20 => strange, 1 => Deep::of(dialect)]
    };
    let calls = prop_oneof![
        30 => Values::of(dialect).prop_map(Call::Encode),
        // Not every dialect can carry it.
        1 => any::<i64>().prop_map(|int| Call::Encode(Value::Int(int))),
        30 => packets().prop_map(Call::Decode),
        30 => packets().prop_map(Call::Reencode),
    ];
    let framings = prop_oneof![7 => Just(None), 1 => prop::sample::select(Framing::ALL.to_vec()).prop_map(Some)];
    (calls, framings, prop::collection::vec(any::<u8>(), 0..9), prop::bool::weighted(0.1))
}

/// The packet; in a frame, and then with these bytes behind it, if there is to be one.
fn framed(packet: &Packet, framing: Option<Framing>, behind: &[u8]) -> Vec<u8> {
    let Some(framing) = framing else { return packet.to_vec() };
    [&framing.prefix(u32::try_from(packet.len()).unwrap())[..], packet, behind].concat()
}
