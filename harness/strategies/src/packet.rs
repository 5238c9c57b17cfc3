//! A packet that is shown in hex.

use std::fmt;
use std::ops::Deref;

/// The bytes of a packet. `Debug` shows them in hex, four to a group, as listings do.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Packet(pub Vec<u8>);

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Packet(")?;
        for (place, byte) in self.0.iter().enumerate() {
            let gap = if place > 0 && place % 4 == 0 { " " } else { "" };
            write!(f, "{gap}{byte:02x}")?;
        }
        f.write_str(")")
    }
}

impl Deref for Packet {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
