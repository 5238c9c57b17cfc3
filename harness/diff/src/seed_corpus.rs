//! Packets of the corpus, which campaigns send as they are or mutate.

use std::collections::HashSet;

use variant_specs::{Dialect, JudgedBy, Specs};

use variant_corpus::test::{Test, Variants, tests};
use variant_corpus::{Class, Corpus};
use variant_values::diagnostic::Problem;

/// The most bytes of a packet. Longer ones would take most of the time, and show little that short ones do not.
const LONGEST: usize = 400;

/// Packets of the corpus, without the length prefix.
#[derive(Debug, Clone, Default)]
pub struct SeedCorpus {
    /// All packets of up to 400 bytes, sorted, without duplicates.
    pub packets: Vec<Vec<u8>>,
    /// The packets of undecided cases: every reply to them is right.
    pub open: HashSet<Vec<u8>>,
    /// Packets of tests with objects allowed. Those of undecided tests are left out: their classes do not exist.
    pub permitted: Vec<Vec<u8>>,
}

impl SeedCorpus {
    /// The packets of a dialect's tests of cases.
    pub fn of(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Result<Self, Problem> {
        let tests = tests(corpus, specs, dialect, JudgedBy::Engines, Variants::None)?;
        // Which script is at a path does not depend on the format.
        let scripts = |packet: &[u8]| {
            let paths = dialect.layouts.iter().filter_map(|(_, layout)| layout.scripts.as_deref());
            paths.into_iter().any(|path| packet.windows(path.len()).any(|bytes| bytes == path.as_bytes()))
        };
        let mut permitted = packets(&tests, |test| test.case.objects && test.expected.class != Class::Undecided);
        permitted.retain(|packet| !scripts(packet));
        let open = packets(&tests, |test| test.expected.class == Class::Undecided).into_iter().collect();
        Ok(Self { packets: packets(&tests, |_| true), open, permitted })
    }
}

fn packets(tests: &[Test], which: impl Fn(&Test) -> bool) -> Vec<Vec<u8>> {
    let of_them = tests.iter().filter(|test| test.case.framing.is_none() && which(test));
    let mut packets: Vec<Vec<u8>> = of_them
        .filter_map(|test| Some(&test.expected.packet.as_ref()?.bytes))
        .filter(|packet| packet.len() <= LONGEST)
        .map(|packet| packet.to_vec())
        .collect();
    packets.sort();
    packets.dedup();
    packets
}
