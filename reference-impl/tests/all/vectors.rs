//! What Pandemonium's and Godot 2's own `encode_variant` and `decode_variant` did, against the reference codec.
//!
//! Each line of `vectors/data/*.jsonl` is one run of an engine; none is written by hand. The codec must read what the engine
//! read, as the same value and the same number of bytes, refuse what it refused, and write what it wrote, except for
//! unwritten padding. Where it deliberately does not, `vectors/bugs.rs` names the vector and the erratum that explains it:
//! every vector that disagrees must be on that list, and every entry of the list must disagree.

mod bugs;
mod render;
mod vector;

use self::bugs::{BUGS, Bug, GIVEN};
use self::render::{render, same_text};
use self::vector::{Decoding, Encoding, load, nested};
use rstest::rstest;
use variant_codec::{Array, Codec, Dictionary, Options, Value};
use variant_specs::{Dialect, DictionaryOrder, JudgedBy, Specs};

fn specs() -> Specs {
    Specs::builtin().unwrap()
}

fn codec(dialect: &Dialect, objects: bool) -> Codec {
    Codec::new(dialect, JudgedBy::Engines).with(Options { objects })
}

#[rstest]
#[case("godot-2", 238)]
#[case("pandemonium-27", 222)]
#[case("pandemonium-38", 322)]
#[case("pandemonium-40", 390)]
fn decoding_agrees_or_is_a_known_bug(#[case] name: &str, #[case] count: usize) {
    let specs = specs();
    let dialect = specs.dialect(name).unwrap();
    let vectors: Vec<Decoding> = load(&format!("{name}-decode"));
    assert_eq!(vectors.len(), count);
    let mut problems = Vec::new();
    for vector in &vectors {
        let disagreement = decoding(vector, dialect).err();
        let bug = BUGS.iter().find(|bug| bug.is(name, &vector.note));
        problems.extend(surprise(&vector.note, disagreement, bug));
    }
    assert!(problems.is_empty(), "{} of {count} disagree:\n{}", problems.len(), problems.join("\n"));
}

#[rstest]
#[case("godot-2", 80)]
#[case("pandemonium-27", 80)]
#[case("pandemonium-38", 90)]
#[case("pandemonium-40", 105)]
fn encoding_agrees_or_is_a_known_bug(#[case] name: &str, #[case] count: usize) {
    let specs = specs();
    let dialect = specs.dialect(name).unwrap();
    let vectors: Vec<Encoding> = load(&format!("{name}-encode"));
    assert_eq!(vectors.len(), count);
    let mut problems = Vec::new();
    for vector in &vectors {
        let disagreement = encoding(vector, name, dialect).err();
        let bug = BUGS.iter().find(|bug| bug.is(name, &vector.source));
        problems.extend(surprise(&vector.source, disagreement, bug));
    }
    assert!(problems.is_empty(), "{} of {count} disagree:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_known_bug_is_an_erratum_and_names_vectors_that_exist() {
    let specs = specs();
    let mut problems = Vec::new();
    for Bug { dialects, vector, erratum } in BUGS {
        if specs.erratum(erratum).is_none() {
            problems.push(format!("no erratum {erratum}"));
        }
        for name in *dialects {
            let decoded = load::<Decoding>(&format!("{name}-decode")).iter().any(|other| other.note == *vector);
            if !decoded && !load::<Encoding>(&format!("{name}-encode")).iter().any(|other| other.source == *vector) {
                problems.push(format!("no vector {vector:?} of {name}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The message for a vector that disagrees and is not listed, or is listed and agrees.
fn surprise(name: &str, disagreement: Option<String>, bug: Option<&Bug>) -> Option<String> {
    match (disagreement, bug) {
        (Some(how), None) => Some(format!("{name}: {how}")),
        (None, Some(bug)) => Some(format!("{name}: agrees, but is listed under {}", bug.erratum)),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// Whether the codec does with a packet what the engine did.
fn decoding(vector: &Decoding, dialect: &Dialect) -> Result<(), String> {
    let codec = codec(dialect, vector.allow_objects);
    let packet = vector.packet();
    let decoded = match (codec.decode(&packet), vector.outcome.as_str()) {
        (Err(_), "error") => return Ok(()),
        (Ok(decoded), "ok") => decoded,
        (Ok(decoded), outcome) => return Err(format!("read {:?}, and the engine: {outcome}", decoded.value)),
        (Err(error), outcome) => return Err(format!("{error}, and the engine: {outcome}")),
    };
    if Some(decoded.used) != vector.used {
        return Err(format!("{} bytes consumed, and the engine {:?}", decoded.used, vector.used));
    }
    let unordered = dialect.rules.dictionary_order == DictionaryOrder::Hash;
    let (ours, theirs) = (render(&decoded.value, dialect), vector.value.as_deref().unwrap_or_default());
    if !same_text(&ours, theirs, unordered) {
        return Err(format!("{ours}, and the engine {theirs}"));
    }
    let again = codec.encode(&decoded.value).map_err(|error| format!("not written again: {error}"))?;
    match (vector.reencoded(), vector.reencoded_len) {
        (Some(theirs), _) if again == theirs => Ok(()),
        (Some(theirs), _) if unordered => same_but_for_order(&codec, &decoded.value, &again, &theirs),
        (Some(theirs), _) => Err(format!("written {}, and the engine {}", hex::encode(&again), hex::encode(theirs))),
        (None, Some(length)) if again.len() == length => Ok(()),
        (None, length) => Err(format!("written {} bytes, and the engine {length:?}", again.len())),
    }
}

/// Whether both packets are one value, where a dictionary has the order of a hash table.
fn same_but_for_order(codec: &Codec, value: &Value, ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    let read = codec.decode(theirs).map_err(|error| format!("what the engine wrote: {error}"))?.value;
    if ours.len() == theirs.len() && sorted(codec, &read) == sorted(codec, value) {
        return Ok(());
    }
    Err(format!("written {}, and the engine {}", hex::encode(ours), hex::encode(theirs)))
}

/// The value with the pairs of each dictionary in the order of their keys' bytes.
fn sorted(codec: &Codec, value: &Value) -> Value {
    if let Value::Dictionary(dictionary) = value {
        let pairs = dictionary.entries.iter().map(|(key, value)| (sorted(codec, key), sorted(codec, value)));
        let mut entries: Vec<(Value, Value)> = pairs.collect();
        entries.sort_by_key(|(key, _)| codec.encode(key).unwrap());
        return Value::Dictionary(Dictionary { entries, ..dictionary.clone() });
    }
    if let Value::Array(array) = value {
        let items = array.items.iter().map(|item| sorted(codec, item)).collect();
        return Value::Array(Array { items, ..array.clone() });
    }
    value.clone()
}

/// Whether the codec writes what the engine wrote: for the value that is read from it, or, where that may differ from the
/// engine's input, for that input.
fn encoding(vector: &Encoding, name: &str, dialect: &Dialect) -> Result<(), String> {
    let codec = codec(dialect, vector.full_objects);
    let Some(packet) = vector.packet() else { return nesting(vector, &codec, dialect) };
    let given = GIVEN.iter().find(|(of, source, _)| of.contains(&name) && *source == vector.source);
    let value = match given {
        Some((_, _, value)) => value(dialect),
        None if vector.type_id == 0 || packet[0] == 0 => Value::Record(dialect.layouts.objects().unwrap(), Vec::new()),
        None => {
            let decoded = codec.decode(&packet).map_err(|error| format!("what the engine wrote: {error}"))?;
            if decoded.used != packet.len() {
                return Err(format!("{} of {} bytes consumed", decoded.used, packet.len()));
            }
            decoded.value
        }
    };
    let ours = codec.encode(&value).map_err(|error| error.to_string())?;
    let same = ours.len() == packet.len()
        && ours.iter().zip(&packet).enumerate().all(|(at, (a, b))| a == b || vector.is_unwritten(at));
    if same { Ok(()) } else { Err(format!("{}, and the engine {}", hex::encode(ours), hex::encode(packet))) }
}

/// The vectors of nested arrays.
fn nesting(vector: &Encoding, codec: &Codec, dialect: &Dialect) -> Result<(), String> {
    let packet = nested(&vector.source, dialect).ok_or("no packet, and no nesting")?;
    match (codec.decode(&packet), vector.result.as_deref()) {
        (Ok(decoded), Some("ok, 8200 bytes")) if codec.encode(&decoded.value) == Ok(packet) => Ok(()),
        (Err(_), Some("error ERR_OUT_OF_MEMORY")) => Ok(()),
        (result, outcome) => Err(format!("{:?}, and the engine {outcome:?}", result.map(|decoded| decoded.used))),
    }
}
