//! Any bytes choose a value in each dialect, by the choices of the generator of campaigns. It can be written, comes back, and
//! its fields tile its packet.
#![no_main]

mod planted;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use variant_codec::{Codec, Spans};
use variant_specs::{JudgedBy, Specs};
use variant_strategies::Values;

use self::planted::PLANTED;

static DIALECTS: LazyLock<Vec<(Values, Codec)>> = LazyLock::new(|| {
    let specs = Specs::builtin().expect("the specs are well formed");
    specs.dialects.iter().map(|dialect| (Values::of(dialect), Codec::new(dialect, JudgedBy::Engines))).collect()
});

fuzz_target!(|choices: &[u8]| {
    for (values, codec) in DIALECTS.iter() {
        let value = values.chosen_by(choices);
        let packet = codec.encode(&value).expect("every value of the strategies can be written");
        if *PLANTED && packet.len() == 16 && packet[0] == 19 && packet[4] == 2 {
            panic!("planted");
        }
        let mut trace = Spans::default();
        let decoded = codec.decode_traced(&packet, &mut trace).expect("what was written can be read");
        assert!(decoded.value == value && decoded.used == packet.len(), "it comes back");
        assert_eq!(trace.spans.iter().map(|span| span.bytes.len()).sum::<usize>(), packet.len(), "fields tile it");
    }
});
