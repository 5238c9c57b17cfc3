//! The figures of `conform-bench`, with other codecs beside ours: `cargo bench -p variant-dev --bench figures`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a development tool that prints; a panic says enough")]

use std::hint::black_box;

use godot_binary_serialization::decoder::Decoder;
use godot_binary_serialization::encoder::Encoder;
use godot_binary_serialization::types::primitive::{GodotInteger, GodotString};
use godot_binary_serialization::types::structures::GodotDictionary;
use rmpv::Value;
use variant_dev::{Bench, Rival, RivalPass};

static RIVALS: [Rival; 2] = [
    Rival { name: "rmpv", target: Some(1.2), decode: decode_msgpack, encode: encode_msgpack },
    Rival { name: "godot-binary-serialization", target: None, decode: decode_godot, encode: encode_godot },
];

fn main() {
    Bench::new(&RIVALS).unwrap().run(&mut |figure| println!("{figure}")).unwrap();
}

fn msgpack(pairs: &[(String, i32)]) -> (Value, Vec<u8>) {
    let pairs = pairs.iter().map(|(key, value)| (Value::from(key.as_str()), Value::from(*value)));
    let value = Value::Map(pairs.collect());
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &value).unwrap();
    (value, bytes)
}

fn decode_msgpack(pairs: &[(String, i32)]) -> RivalPass {
    let (_, bytes) = msgpack(pairs);
    Box::new(move || drop(black_box(rmpv::decode::read_value(&mut bytes.as_slice()).unwrap())))
}

fn encode_msgpack(pairs: &[(String, i32)]) -> RivalPass {
    let (value, _) = msgpack(pairs);
    Box::new(move || {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &value).unwrap();
        drop(black_box(bytes));
    })
}

fn godot(pairs: &[(String, i32)]) -> GodotDictionary {
    let mut dictionary = GodotDictionary::new();
    for (key, value) in pairs {
        dictionary.insert(GodotString::new(key), GodotInteger::new_from_i32(*value));
    }
    dictionary
}

fn decode_godot(pairs: &[(String, i32)]) -> RivalPass {
    let bytes = Encoder::encode_dictionary(&godot(pairs)).unwrap();
    Box::new(move || drop(black_box(Decoder::decode_variant(&bytes).unwrap())))
}

fn encode_godot(pairs: &[(String, i32)]) -> RivalPass {
    let dictionary = godot(pairs);
    Box::new(move || drop(black_box(Encoder::encode_dictionary(&dictionary).unwrap())))
}
