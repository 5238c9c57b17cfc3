//! Fixed amounts of work, whose instructions can be counted.

use std::hint::black_box;

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, Reading, Specs};

use super::sample;
use crate::ask::{Ask, Derivation, asks};
use crate::corpus::Corpus;
use crate::implementation::Implementation;
use crate::judge::Judge;
use crate::problem::Problem;
use crate::reference::Reference;

/// What can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Decode every small packet.
    Decode,
    /// Encode every small value.
    Encode,
    /// Put every ask to the reference codec and judge its answers.
    Judge,
}

impl Work {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Decode, Self::Encode, Self::Judge];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Encode => "encode",
            Self::Judge => "judge",
        }
    }

    /// Does it so many times in every dialect; how many values, or asks, that were.
    ///
    /// # Errors
    /// Where a case is wrong.
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
                    let asks = asks(corpus, specs, dialect, Reading::Engine, Derivation::Some)?;
                    repeat(&|| judge(specs, dialect, &asks));
                    times * asks.len()
                }
            };
        }
        Ok(done)
    }
}

fn judge(specs: &Specs, dialect: &Dialect, asks: &[Ask]) {
    let judge = Judge::new(dialect, Reading::Engine, &[]);
    let mut requests = asks.iter().filter_map(Ask::request);
    let told = Reference::new(specs, Reading::Engine).ask(&mut requests, &mut |place, outcome| {
        black_box(judge.judge(&asks[place], &outcome));
    });
    _ = black_box(told);
}

fn nodes(value: &Value) -> usize {
    1 + value.children().into_iter().map(nodes).sum::<usize>()
}
