//! A dialect under a reading, with everything that a person wrote about it.

use std::collections::BTreeSet;

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::mutant::{Mutant, Scope};
use variant_corpus::Corpus;
use variant_corpus::ask::{Ask, Derivation, asks};
use variant_corpus::verdict::Colour;
use variant_runner::judge::Judge;
use variant_wire::implementation::Request;
use variant_wire::problem::Problem;
use variant_wire::reference;

/// A dialect under a reading, and what is asked in it.
#[derive(Debug)]
pub struct World<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Whose word counts.
    pub reading: Reading,
    /// What is asked, in order.
    pub asks: Vec<(Ask, Request)>,
    /// The ids of asks whose headers are bytes that a person wrote.
    literal: BTreeSet<String>,
    /// The ids of asks that take much longer than all others.
    heavy: BTreeSet<String>,
    judge: Judge<'a>,
    codec: Codec,
}

/// A packet of more bytes is a heavy one.
const HEAVY: usize = 1024;

/// A case that notices a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bite {
    /// The ask.
    pub ask: String,
    /// It is no more than a warning: the case is good practice only.
    pub amber: bool,
}

impl<'a> World<'a> {
    /// What is asked in this dialect.
    ///
    /// # Errors
    /// A case that does not belong in the dialect, or that the reference codec itself does not pass.
    pub fn new(specs: &Specs, corpus: &Corpus, dialect: &'a Dialect, reading: Reading) -> Result<Self, Problem> {
        let shared: BTreeSet<&str> =
            corpus.files.iter().filter(|file| file.is_shared()).map(|file| file.path.as_str()).collect();
        let asks = asks(corpus, specs, dialect, reading, Derivation::None)?;
        let literal = asks.iter().filter(|ask| !shared.contains(ask.file.as_ref())).map(|ask| ask.id.clone()).collect();
        let length = |ask: &Ask| ask.expected.packet.as_ref().map_or(0, |packet| packet.bytes.len());
        let heavy = asks.iter().filter(|ask| length(ask) > HEAVY).map(|ask| ask.id.clone()).collect();
        let asks = asks.into_iter().filter_map(|ask| ask.request().map(|request| (ask, request))).collect();
        let (judge, codec) = (Judge::new(dialect, reading, &[]), Codec::new(dialect, reading));
        let world = Self { dialect, reading, asks, literal, heavy, judge, codec };
        world.check()?;
        Ok(world)
    }

    /// What the reference codec itself does not pass would notice every mutant.
    fn check(&self) -> Result<(), Problem> {
        for (ask, request) in &self.asks {
            let finding = self.judge.judge(ask, &reference::answer(&self.codec, request).into());
            if finding.colour(ask) >= Colour::Amber {
                let message =
                    format!("the reference codec does not pass {}; `conform run --only '{}'` says why", ask.id, ask.id);
                return Err(Problem { file: ask.file.to_string(), line: ask.case.line, message });
            }
        }
        Ok(())
    }

    /// The asks that notice a mutant. The heavy ones are only asked where no other does.
    pub fn bites(&self, mutant: &Mutant) -> Vec<Bite> {
        let bites = self.bites_of(mutant, |ask| !self.heavy.contains(&ask.id));
        if bites.is_empty() { self.bites_of(mutant, |_| true) } else { bites }
    }

    /// The asks that notice a mutant, of those that are `asked`, and no others.
    pub fn bites_of(&self, mutant: &Mutant, asked: impl Fn(&Ask) -> bool) -> Vec<Bite> {
        let mut subject = mutant.subject(&self.codec, self.reading);
        let mut bites = Vec::new();
        for (ask, request) in &self.asks {
            if !self.concerns(mutant, ask) || !asked(ask) {
                continue;
            }
            let finding = self.judge.judge(ask, &subject.answer(request).into());
            let colour = finding.colour(ask);
            if colour >= Colour::Amber {
                bites.push(Bite { ask: ask.id.clone(), amber: colour == Colour::Amber });
            }
        }
        bites
    }

    /// Whether an ask could notice a mutant at all.
    fn concerns(&self, mutant: &Mutant, ask: &Ask) -> bool {
        let about = || mutant.about.iter().any(|layout| ask.layouts.contains(layout));
        match mutant.scope {
            Scope::Anything => true,
            Scope::Layouts => about(),
            Scope::LiteralHeaders => self.literal.contains(&ask.id) && about(),
        }
    }
}
