//! Values and packets to time codecs on.

use variant_codec::{Codec, Dictionary, Numbers, Text, Value};
use variant_specs::{Dialect, Reading, Shape, Specs};

use super::scan::Scan;
use variant_corpus::test::{Derivation, tests};
use variant_corpus::{Class, Corpus};
use variant_wire::diagnostic::Problem;
use variant_wire::handshake::Op;

/// The longest packet that counts as small.
const SMALL: usize = 256;

/// 100,000 pairs of a text and an int.
pub(super) fn pairs() -> Vec<(String, i32)> {
    (0..100_000).map(|number| (format!("key {number}"), number)).collect()
}

/// These pairs as a value.
pub(super) fn dictionary(pairs: &[(String, i32)], dialect: &Dialect) -> Option<Value> {
    let text = dialect.layouts.id_of_shape(Shape::Text)?;
    let entry =
        |(key, value): &(String, i32)| (Value::Text(text, Text::from(key.as_str())), Value::Int(i64::from(*value)));
    Some(Value::Dictionary(Dictionary { entries: pairs.iter().map(entry).collect(), ..Dictionary::default() }))
}

/// A packed array of `count` numbers, of the layout of this name.
pub(super) fn packed(name: &str, count: usize, dialect: &Dialect) -> Option<Value> {
    let layout = dialect.layouts.id_of(name)?;
    dialect.id_of(layout)?;
    let bytes = |count: usize| (0..=u8::MAX).cycle().take(count).collect::<Vec<u8>>();
    let numbers = if dialect.layouts.get(layout).of == Some(variant_specs::Scalar::Byte) {
        Numbers::Bytes(bytes(count))
    } else {
        let words = bytes(4 * count);
        let words = words.as_chunks().0.iter().map(|word| variant_codec::F32(u32::from_le_bytes(*word)));
        Numbers::Float32(words.collect())
    };
    Some(Value::Packed(layout, numbers))
}

/// Every small canonical packet of the corpus that a scan understands and that reads and writes as it is.
pub(super) fn mixed(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Result<Vec<Vec<u8>>, Problem> {
    let codec = Codec::new(dialect, Reading::Engine);
    let scan = Scan::new(dialect);
    let tests = tests(corpus, specs, dialect, Reading::Engine, Derivation::None)?;
    let canonical = tests
        .iter()
        .filter(|test| test.op == Op::Decode && test.expected.class == Class::Canonical && test.case.framing.is_none());
    let packets = canonical.filter_map(|test| test.expected.packet.as_ref()).map(|packet| &packet.bytes);
    let suitable = packets.filter(|packet| {
        let same = codec
            .decode(packet)
            .is_ok_and(|decoded| codec.encode(&decoded.value).is_ok_and(|again| again == packet[..]));
        packet.len() <= SMALL && same && scan.packet(packet) == Some(packet.len())
    });
    Ok(suitable.map(|packet| packet.to_vec()).collect())
}
