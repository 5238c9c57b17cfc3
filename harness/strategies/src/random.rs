//! Random numbers: SplitMix64, written here because reports and shards cite seeds. The same seed must give the same
//! requests in every build of one version; random libraries may change their streams with any update.

use std::vec::IntoIter;

use proptest::arbitrary::any;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Reason, TestRunner};

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
    /// What decides instead of chance, for a fuzzer: bytes, each of which is one choice.
    choices: Option<IntoIter<u8>>,
}

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, choices: None }
    }

    /// A stream in which each of these bytes makes one choice, so that another byte is another choice, and no more. After
    /// the last, the smallest choices are made.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { state: 0, choices: Some(Vec::from(bytes).into_iter()) }
    }

    /// A stream whose seed is the next random number of proptest.
    ///
    /// # Errors
    /// proptest has none.
    pub fn of(runner: &mut TestRunner) -> Result<Self, Reason> {
        Ok(Self::new(any::<u64>().new_tree(runner)?.current()))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn long(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ mixed >> 31;
        match &mut self.choices {
            None => mixed,
            Some(choices) => choice(choices.next(), mixed),
        }
    }

    /// The next 32 random bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        let [a, b, c, d, ..] = self.long().to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// The next 8 random bits.
    #[inline]
    pub fn byte(&mut self) -> u8 {
        self.long().to_le_bytes()[0]
    }

    /// A number below `end`, which is not 0.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        // The bias is below 2^-32 for all uses here.
        let wide = u128::from(self.long()) * (end as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// True with a chance of one in `times`.
    #[inline]
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random one of these. Panics if there are none.
    #[inline]
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// A byte twice: what picks one of a few takes the highest bits, and what makes a number the lowest.
#[cold]
fn choice(byte: Option<u8>, mixed: u64) -> u64 {
    let Some(byte) = byte.map(u64::from) else { return 0 };
    byte << 56 | mixed >> 16 << 8 & 0x00ff_ffff_ffff_ff00 | byte
}
