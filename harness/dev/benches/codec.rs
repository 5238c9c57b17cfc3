//! The reference codec, with peers in the same run: memcpy, other codecs, and engines, which time themselves.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints; a panic says enough")]

use std::hint::black_box;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use godot_binary_serialization::decoder::Decoder;
use godot_binary_serialization::encoder::Encoder;
use godot_binary_serialization::types::primitive::{GodotInteger, GodotString};
use godot_binary_serialization::types::structures::GodotDictionary;
use variant_adapter::folder::{Adapter, names};
use variant_codec::{Codec, Dictionary, F32, Numbers, Text, Value};
use variant_corpus::test::{Variants, tests};
use variant_corpus::{Class, Corpus};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::Op;

/// The dialect that is measured: Godot 3's, which most other codecs speak.
const DIALECT: &str = "godot-3";
/// The longest packet that counts as small.
const SMALL: usize = 256;
/// The pairs of the dictionary.
const PAIRS: usize = 100_000;

criterion_group!(codec, packed, dictionary, small_values, engines);
criterion_main!(codec);

/// Decoding and encoding 1 MiB of bytes and a million vectors, beside copying them.
fn packed(criterion: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(1 << 20).collect();
    let reals: Vec<F32> = (0..3_000_000).map(F32).collect();
    for (layout, numbers) in [("byte_array", Numbers::Bytes(bytes)), ("vector3_array", Numbers::Float32(reals.into()))]
    {
        let value = Value::Packed(dialect.layouts.id_of(layout).unwrap(), numbers);
        let packet = codec.encode(&value).unwrap();
        let mut group = criterion.benchmark_group(layout);
        group.throughput(Throughput::Bytes(packet.len() as u64));
        group.bench_function("memcpy", |bench| bench.iter(|| black_box(&packet).clone()));
        group.bench_function("decode", |bench| bench.iter(|| codec.decode(black_box(&packet))));
        group.bench_function("encode", |bench| bench.iter(|| codec.encode(black_box(&value))));
    }
}

/// A dictionary of texts and ints, beside other codecs in their own formats.
fn dictionary(criterion: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let value = pairs_in(dialect);
    let packet = codec.encode(&value).unwrap();
    let msgpack = rmpv::Value::Map(pairs().map(|(key, value)| (key.into(), value.into())).collect());
    let mut packed = Vec::new();
    rmpv::encode::write_value(&mut packed, &msgpack).unwrap();
    let mut godot = GodotDictionary::new();
    for (key, value) in pairs() {
        godot.insert(GodotString::new(&key), GodotInteger::new_from_i32(value));
    }
    let serialized = Encoder::encode_dictionary(&godot).unwrap();
    let mut group = criterion.benchmark_group("a dictionary of 100,000");
    group.sample_size(20);
    group.bench_function("decode", |bench| bench.iter(|| codec.decode(black_box(&packet))));
    group.bench_function("decode, rmpv", |bench| bench.iter(|| rmpv::decode::read_value(&mut packed.as_slice())));
    group.bench_function("decode, godot-binary-serialization", |bench| {
        bench.iter(|| Decoder::decode_variant(black_box(&serialized)));
    });
    group.bench_function("encode", |bench| bench.iter(|| codec.encode(black_box(&value))));
    group.bench_function("encode, rmpv", |bench| {
        bench.iter(|| rmpv::encode::write_value(&mut Vec::new(), black_box(&msgpack)));
    });
    group.bench_function("encode, godot-binary-serialization", |bench| {
        bench.iter(|| Encoder::encode_dictionary(black_box(&godot)));
    });
}

/// Every small canonical packet of the corpus is decoded, encoded and compared.
fn small_values(criterion: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let packets = small_packets(&specs, dialect);
    let mut group = criterion.benchmark_group("small values");
    group.throughput(Throughput::Elements(packets.len() as u64));
    let name = BenchmarkId::new("decode, encode and compare", packets.len());
    group.bench_with_input(name, &packets, |bench, packets| {
        let (mut value, mut out) = (Value::Null, Vec::new());
        bench.iter(|| {
            for packet in packets {
                out.clear();
                codec.decode_into(packet, &mut value).unwrap();
                codec.encode_into(&value, &mut out).unwrap();
                assert_eq!(out, *packet);
            }
        });
    });
}

/// What the same dictionary and the same packets take an engine, by its own clock: the `bench` of its adapter.
fn engines(_: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect(DIALECT).unwrap();
    let packet = Codec::new(dialect, JudgedBy::Engines).encode(&pairs_in(dialect)).unwrap();
    let line = |name: &str, packets: &[Vec<u8>]| {
        let packets: Vec<String> = packets.iter().map(|packet| STANDARD.encode(packet)).collect();
        format!("{name} {}\n", packets.join(" "))
    };
    let text = line("dictionary", &[packet]) + &line("small", &small_packets(&specs, dialect));
    let file = std::env::temp_dir().join(format!("conform-bench-{}.txt", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters");
    for name in names(&adapters) {
        let Ok(adapter) = Adapter::load(&adapters, &name) else { continue };
        let Some(mut command) = adapter.bench() else { continue };
        match command.arg(&file).output() {
            Ok(output) => print!("{name}, times in µs:\n{}", String::from_utf8_lossy(&output.stdout)),
            Err(error) => println!("{name}: {error}"),
        }
    }
    std::fs::remove_file(&file).unwrap();
}

fn pairs() -> impl Iterator<Item = (String, i32)> {
    (0..).take(PAIRS).map(|number| (format!("key {number}"), number))
}

fn pairs_in(dialect: &Dialect) -> Value {
    let text = dialect.layouts.id_of("string").unwrap();
    let entry = |(key, value): (String, i32)| (Value::Text(text, Text::from(key.as_str())), Value::Int(value.into()));
    Value::Dictionary(Dictionary { entries: pairs().map(entry).collect(), ..Dictionary::default() })
}

/// The small canonical packets that are written as they are read.
fn small_packets(specs: &Specs, dialect: &Dialect) -> Vec<Vec<u8>> {
    let corpus = Corpus::carried(&[], specs).unwrap();
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let mut packets = Vec::new();
    for test in tests(&corpus, specs, dialect, JudgedBy::Engines, Variants::None).unwrap() {
        let packet = test.expected.packet.as_ref().map(|packet| packet.bytes.to_vec()).unwrap_or_default();
        let canonical = test.op == Op::Decode && test.expected.class == Class::Canonical && test.case.framing.is_none();
        let again = codec.decode(&packet).ok().and_then(|decoded| codec.encode(&decoded.value).ok());
        if canonical && packet.len() <= SMALL && again.as_ref() == Some(&packet) {
            packets.push(packet);
        }
    }
    packets
}
