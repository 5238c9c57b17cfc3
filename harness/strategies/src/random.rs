//! Random numbers: SplitMix64, written here because reports and shards cite seeds. The same seed must give the same
//! requests in every build of one version; random libraries may change their streams with any update.

use proptest::arbitrary::any;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Reason, TestRunner};

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream whose seed is the next random number of proptest.
    ///
    /// # Errors
    /// proptest has none.
    pub fn of(runner: &mut TestRunner) -> Result<Self, Reason> {
        Ok(Self(any::<u64>().new_tree(runner)?.current()))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn long(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
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
