//! What was found before, in the files of proptest: `cc`, and the seed of a batch.

use std::fmt;
use std::path::Path;

use proptest::test_runner::{FailurePersistence, FileFailurePersistence, PersistedSeed};

use variant_strategies::Packet;

/// The seed of a batch, as proptest keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchSeed(pub(super) [u8; 32]);

impl BatchSeed {
    /// Each batch of each seed has its own.
    pub(super) fn new(seed: u64, batch: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&batch.to_le_bytes());
        Self(bytes)
    }

    fn read(seed: &PersistedSeed) -> Option<Self> {
        let written = seed.to_string();
        let (algorithm, bytes) = written.split_once(' ')?;
        let mut read = Self([0; 32]);
        (algorithm == "cc" && hex::decode_to_slice(bytes, &mut read.0).is_ok()).then_some(read)
    }
}

impl fmt::Display for BatchSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cc {}", hex::encode(self.0))
    }
}

/// A file of regressions of one dialect. proptest reads and writes it, and a test that draws [`Inputs`](super::Inputs) can
/// use the same file.
#[derive(Debug)]
pub struct Regressions {
    file: FileFailurePersistence,
    known: Vec<BatchSeed>,
}

impl Regressions {
    /// The file with this path, which need not exist.
    pub fn new(path: &Path) -> Self {
        // proptest wants a path that lives as long as the program, and there is one for each dialect.
        let file = FileFailurePersistence::Direct(path.to_string_lossy().into_owned().leak());
        let known = file.load_persisted_failures2(None).iter().filter_map(BatchSeed::read).collect();
        Self { file, known }
    }

    /// The batches that showed something.
    pub fn known(&self) -> &[BatchSeed] {
        &self.known
    }

    /// Adds a batch, what it shows, and the smallest packet that shows it; once.
    pub fn add(&mut self, seed: &BatchSeed, shows: &str, packet: &Packet) {
        if !self.known.contains(seed)
            && let Ok(persisted) = seed.to_string().parse()
        {
            self.file.save_persisted_failure2(None, persisted, &format_args!("{shows} {packet:?}"));
            self.known.push(seed.clone());
        }
    }
}

/// The packets that the comments of a file of regressions show, as `conform diff` and tests with strategies of packets
/// write them: `# shrinks to packet = Packet(02000000 07000000)`.
pub fn packets_in(regressions: &str) -> Vec<Vec<u8>> {
    let comments = regressions.lines().filter_map(|line| line.split_once("# shrinks to ")).map(|(_, comment)| comment);
    let shown = comments.flat_map(|comment| comment.split("Packet(").skip(1)).filter_map(|rest| rest.split(')').next());
    shown.filter_map(|digits| hex::decode(digits.replace(' ', "")).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::packets_in;

    #[test]
    fn packets_are_read_from_comments() {
        let text =
            "# Packet(00)\ncc 00 # shrinks to (Packet(02000000 07), Packet(01)) Packet(0)\ncc 01 # shrinks to 7\n";
        assert_eq!(packets_in(text), [vec![2, 0, 0, 0, 7], vec![1]]);
    }
}
