//! Fixed amounts of work, to count instructions of.

use std::hint::black_box;

use strum::{IntoStaticStr, VariantArray};
use variant_codec::{Codec, Value};
use variant_specs::{Dialect, Reading, Specs};

use super::differential::compare;
use super::sample;
use variant_corpus::Corpus;
use variant_corpus::test::{Derivation, Test, send_all, tests};
use variant_diff::BATCH;
use variant_runner::judge::Judge;
use variant_wire::diagnostic::Problem;
use variant_wire::reference::Reference;

/// The longest packet that is judged.
const LONGEST: usize = 4096;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Work {
    /// Decode every small packet.
    Decode,
    /// Encode every small value.
    Encode,
    /// Send tests to the reference codec and judge its answers.
    Judge,
    /// Compare the reference codec with itself on generated inputs.
    Differ,
}

impl Work {
    /// Every kind of work, once.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name on the command line and in the file of counts.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// How often the work is repeated for a count. The rest of the process varies by some 50,000 instructions from run
    /// to run, which must be less than 1 % of the work.
    pub fn times(self) -> usize {
        match self {
            Self::Decode | Self::Encode => 40,
            Self::Judge | Self::Differ => 2,
        }
    }

    /// Does the work `times` times in every dialect, and returns how many values, tests or inputs it handled.
    ///
    /// # Errors
    /// The first case that does not belong in its dialect.
    pub fn run(self, specs: &Specs, corpus: &Corpus, times: usize) -> Result<usize, Problem> {
        let mut done = 0;
        for dialect in &specs.dialects {
            let codec = Codec::new(dialect, Reading::Engine);
            let packets = sample::mixed(corpus, specs, dialect)?;
            let values: Vec<Value> =
                packets.iter().filter_map(|packet| codec.decode(packet).ok()).map(|decoded| decoded.value).collect();
            let nodes = times * values.iter().map(nodes).sum::<usize>();
            let repeat = |pass: &dyn Fn()| (0..times).for_each(|_| pass());
            done += match self {
                Self::Decode => {
                    repeat(&|| packets.iter().for_each(|packet| drop(black_box(codec.decode(packet)))));
                    nodes
                }
                Self::Encode => {
                    repeat(&|| values.iter().for_each(|value| drop(black_box(codec.encode(value)))));
                    nodes
                }
                Self::Judge => {
                    let mut tests = tests(corpus, specs, dialect, Reading::Engine, Derivation::Some)?;
                    // A few packets of hundreds of kilobytes would count for more than all others.
                    tests.retain(|test| {
                        test.expected.packet.as_ref().is_none_or(|packet| packet.bytes.len() <= LONGEST)
                    });
                    repeat(&|| judge(specs, dialect, &tests));
                    times * tests.len()
                }
                Self::Differ => {
                    repeat(&|| _ = compare(specs, dialect, BATCH));
                    times * BATCH
                }
            };
        }
        Ok(done)
    }
}

fn judge(specs: &Specs, dialect: &Dialect, tests: &[Test]) {
    let judge = Judge::new(dialect, Reading::Engine);
    let mut reference = Reference::new(specs, Reading::Engine);
    let sent = send_all(&mut reference, tests.iter().map(|test| (test, test)), |test, outcome| {
        black_box(judge.judge(test, &outcome));
    });
    _ = black_box(sent);
}

fn nodes(value: &Value) -> usize {
    1 + value.children().into_iter().map(nodes).sum::<usize>()
}
