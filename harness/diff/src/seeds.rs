//! Packets to begin with: those that a person wrote.

use variant_specs::{Dialect, Reading, Specs};

use variant_corpus::test::{Derivation, Test, tests};
use variant_corpus::{Class, Corpus};
use variant_wire::diagnostic::Problem;

/// Long ones would take most of the time, and say little that short ones do not.
const LONGEST: usize = 400;

/// Packets of the corpus, the length in front left out.
#[derive(Debug, Clone, Default)]
pub struct Seeds {
    /// All of them.
    pub packets: Vec<Vec<u8>>,
    /// Those that are asked with objects allowed, and whose answer is known: open ones are about classes that nobody
    /// has.
    pub permitted: Vec<Vec<u8>>,
}

impl Seeds {
    /// Those of a dialect.
    ///
    /// # Errors
    /// A case that does not belong in the dialect.
    pub fn of(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Result<Self, Problem> {
        let tests = tests(corpus, specs, dialect, Reading::Engine, Derivation::None)?;
        // Which script stands at a path, and whether one does, is no matter of the format.
        let scripts = |packet: &[u8]| {
            let paths = dialect.layouts.iter().filter_map(|(_, layout)| layout.scripts.as_deref());
            paths.into_iter().any(|path| memchr::memmem::find(packet, path.as_bytes()).is_some())
        };
        let mut permitted = packets(&tests, |test| test.case.objects && test.expected.class != Class::Open);
        permitted.retain(|packet| !scripts(packet));
        Ok(Self { packets: packets(&tests, |_| true), permitted })
    }
}

fn packets(tests: &[Test], which: impl Fn(&Test) -> bool) -> Vec<Vec<u8>> {
    let of_them = tests.iter().filter(|test| test.case.framing.is_none() && which(test));
    let mut packets: Vec<Vec<u8>> = of_them
        .filter_map(|test| Some(test.expected.packet.as_ref()?.bytes.clone()))
        .filter(|packet| packet.len() <= LONGEST)
        .collect();
    packets.sort();
    packets.dedup();
    packets
}
