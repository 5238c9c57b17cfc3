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

    /// Does the work once in every dialect, and returns how many values, tests or inputs it handled.
    ///
    /// # Errors
    /// The first case that does not belong in its dialect.
    pub fn run(self, specs: &Specs, corpus: &Corpus) -> Result<usize, Problem> {
        let mut done = 0;
        let mut prepared: Vec<Box<dyn Fn() + '_>> = Vec::new();
        for dialect in &specs.dialects {
            match self {
                Self::Decode | Self::Encode => {
                    let codec = Codec::new(dialect, Reading::Engine);
                    let packets = sample::mixed(corpus, specs, dialect)?;
                    let decoded = packets.iter().filter_map(|packet| codec.decode(packet).ok());
                    let values: Vec<Value> = decoded.map(|decoded| decoded.value).collect();
                    done += values.iter().map(nodes).sum::<usize>();
                    prepared.push(if self == Self::Decode {
                        Box::new(move || packets.iter().for_each(|it| drop(black_box(codec.decode(it)))))
                    } else {
                        Box::new(move || values.iter().for_each(|it| drop(black_box(codec.encode(it)))))
                    });
                }
                Self::Judge => {
                    let mut tests = tests(corpus, specs, dialect, Reading::Engine, Derivation::Some)?;
                    // A few packets of hundreds of kilobytes would count for more than all others.
                    tests.retain(|test| {
                        test.expected.packet.as_ref().is_none_or(|packet| packet.bytes.len() <= LONGEST)
                    });
                    done += tests.len();
                    prepared.push(Box::new(move || judge(specs, dialect, &tests)));
                }
                Self::Differ => {
                    done += BATCH;
                    prepared.push(Box::new(move || _ = compare(specs, dialect, BATCH)));
                }
            }
        }
        passes(&prepared);
        Ok(done)
    }
}

/// What valgrind counts, and nothing else: each of these once.
#[inline(never)]
fn passes(prepared: &[Box<dyn Fn() + '_>]) {
    prepared.iter().for_each(|pass| pass());
}

fn judge(specs: &Specs, dialect: &Dialect, tests: &[Test]) {
    let judge = Judge::new(dialect, Reading::Engine);
    let mut reference = Reference::new(specs, Reading::Engine);
    let tests: Vec<&Test> = tests.iter().collect();
    for (place, outcome) in send_all(&mut reference, &tests, || true).flatten() {
        black_box(judge.judge(tests[place], &outcome));
    }
}

fn nodes(value: &Value) -> usize {
    1 + value.children().into_iter().map(nodes).sum::<usize>()
}
