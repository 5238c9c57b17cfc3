//! Packets to begin with: those that a person wrote.

use variant_specs::{Dialect, Reading, Specs};

use crate::ask::{Derivation, asks};
use crate::corpus::Corpus;
use crate::problem::Problem;

/// Long ones would take most of the time, and say little that short ones do not.
const LONGEST: usize = 400;

/// The packets of the corpus in a dialect.
///
/// # Errors
/// A case that does not belong in the dialect.
pub fn seeds(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Result<Vec<Vec<u8>>, Problem> {
    let asks = asks(corpus, specs, dialect, Reading::Engine, Derivation::None)?;
    let mut packets: Vec<Vec<u8>> = asks
        .into_iter()
        .filter(|ask| ask.case.framing.is_none())
        .filter_map(|ask| Some(ask.expected.packet.as_ref()?.bytes.clone()))
        .filter(|packet| packet.len() <= LONGEST)
        .collect();
    packets.sort();
    packets.dedup();
    Ok(packets)
}
