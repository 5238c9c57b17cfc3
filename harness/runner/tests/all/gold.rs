//! What released engines wrote is read, for ever: each packet under `corpus/observed/` is the value of its case.

use std::collections::BTreeMap;
use std::path::Path;

use variant_corpus::Corpus;
use variant_runner::interop::{Exchange, Fate};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::reference::Reference;

#[test]
fn what_released_engines_wrote_is_read() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &specs).unwrap();
    let dialects: Vec<&Dialect> = specs.dialects.iter().collect();
    let mut exchange = Exchange::new(&specs, &corpus, &dialects).unwrap();
    let mut written = BTreeMap::new();
    for (place, observed) in corpus.observed.iter().enumerate() {
        exchange.recorded(observed);
        written.insert(place, (observed, 0));
    }
    exchange.read(corpus.observed.len(), &mut Reference::new(&specs, JudgedBy::Engines)).unwrap();
    for case in exchange.record().cases {
        for packet in &case.packets {
            for place in &packet.from {
                written.get_mut(place).unwrap().1 += 1;
            }
            let wrong: Vec<_> =
                packet.decode.iter().chain(&packet.reencode).filter(|arrival| arrival.fate != Fate::Same).collect();
            assert!(wrong.is_empty(), "{} from {:?}, {}: {wrong:?}", case.case, packet.from, packet.bytes);
            assert!(!packet.decode.is_empty() && !packet.reencode.is_empty(), "{}: nobody read it", case.case);
        }
    }
    assert!(written.len() >= 7, "{} engines", written.len());
    for (observed, exchanged) in written.values() {
        let name = observed.short_name();
        assert_eq!(
            observed.wrote.len(),
            *exchanged,
            "{name}: a case of `wrote` is not in the corpus, or is not canonical"
        );
        assert!(*exchanged >= 30, "{name}: {exchanged} packets");
    }
}
