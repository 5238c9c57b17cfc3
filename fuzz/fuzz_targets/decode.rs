//! Any bytes, in every dialect and both readings, are read or refused, and never cause a panic. A value that was read can
//! be written, read and written again as the same bytes.
#![no_main]

mod planted;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use variant_codec::{Codec, Spans, Value};
use variant_specs::{JudgedBy, Specs};

use self::planted::PLANTED;

static CODECS: LazyLock<Vec<Codec>> = LazyLock::new(|| {
    let specs = Specs::builtin().expect("the specs are well formed");
    let both = |dialect| [Codec::new(dialect, JudgedBy::Engines), Codec::new(dialect, JudgedBy::Documents)];
    specs.dialects.iter().flat_map(both).collect()
});

const BOM: &[u8] = b"\xef\xbb\xbf";

fuzz_target!(|packet: &[u8]| {
    if *PLANTED && packet.len() > 8 && packet[0] == 15 && packet[4] == 2 && packet[7] == 0x80 {
        panic!("planted");
    }
    for codec in CODECS.iter() {
        check(codec, packet);
    }
});

fn check(codec: &Codec, packet: &[u8]) {
    let mut trace = Spans::default();
    let decoded = codec.decode_traced(packet, &mut trace);
    assert_eq!(decoded, codec.decode(packet), "a trace changes nothing");
    let covered = trace.spans.iter().map(|span| span.bytes.len()).sum::<usize>();
    match decoded {
        Err(error) => assert!(error.at <= packet.len() && covered <= packet.len()),
        Ok(decoded) => {
            assert_eq!(covered, decoded.used.min(packet.len()), "fields tile what was used");
            if let Ok(again) = codec.encode(&decoded.value) {
                let value = codec.decode(&again).expect("what was written can be read").value;
                // Each read drops a byte order mark, and a null object becomes null, which may repeat a key.
                let has_bom = again.windows(BOM.len()).any(|bytes| bytes == BOM);
                let unstable = has_bom || has_null_object(&decoded.value, codec);
                assert!(unstable || codec.encode(&value) == Ok(again), "and is written so again");
            }
        }
    }
}

fn has_null_object(value: &Value, codec: &Codec) -> bool {
    let is_null = |layout| codec.layouts().get(layout).nullable;
    matches!(value, Value::Record(layout, components) if components.is_empty() && is_null(*layout))
        || value.children().into_iter().any(|child| has_null_object(child, codec))
}
