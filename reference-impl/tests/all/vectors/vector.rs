//! One line of a file of vectors.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use variant_specs::Dialect;

/// A packet, and how an engine decoded it.
#[derive(Debug, Deserialize)]
pub(crate) struct Decoding {
    hex: String,
    pub(crate) note: String,
    pub(crate) outcome: String,
    pub(crate) value: Option<String>,
    pub(crate) used: Option<usize>,
    reencoded: Option<String>,
    pub(crate) reencoded_len: Option<usize>,
    #[serde(default)]
    pub(crate) allow_objects: bool,
}

/// A value, and how an engine encoded it.
#[derive(Debug, Deserialize)]
pub(crate) struct Encoding {
    pub(crate) type_id: u32,
    pub(crate) source: String,
    hex: Option<String>,
    #[serde(default)]
    unwritten: Vec<(usize, usize)>,
    #[serde(default)]
    pub(crate) full_objects: bool,
    pub(crate) result: Option<String>,
}

/// The vectors of a file.
pub(crate) fn load<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/data");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Decoding {
    /// The packet; of the longest, the file has the beginning and the length, and the rest repeats it.
    pub(crate) fn packet(&self) -> Vec<u8> {
        let Some((beginning, length)) = self.hex.split_once("...(") else { return hex::decode(&self.hex).unwrap() };
        let length: usize = length.trim_end_matches(" bytes)").parse().unwrap();
        let beginning = hex::decode(beginning).unwrap();
        // A header and a count; or a header, a count and a null key; or a header, the same id as element type, a count.
        let own_type = beginning[..4] == beginning[4..8];
        let unit = if own_type || beginning[8..12] == [0; 4] { 12 } else { 8 };
        let mut packet: Vec<u8> = beginning[..unit].iter().copied().cycle().take(length).collect();
        if self.note.contains("innermost empty") {
            packet[length - 4..].fill(0);
        }
        assert!(packet.starts_with(&beginning), "{}", self.note);
        packet
    }

    pub(crate) fn reencoded(&self) -> Option<Vec<u8>> {
        self.reencoded.as_ref().filter(|hex| !hex.contains("...")).map(|hex| hex::decode(hex).unwrap())
    }
}

impl Encoding {
    pub(crate) fn packet(&self) -> Option<Vec<u8>> {
        self.hex.as_ref().map(|hex| hex::decode(hex).unwrap())
    }

    /// Whether the engine left this byte as it was.
    pub(crate) fn is_unwritten(&self, at: usize) -> bool {
        self.unwritten.iter().any(|(from, to)| (*from..*to).contains(&at))
    }
}

/// The packet of `1025 Arrays nested in each other, the innermost empty`.
pub(crate) fn nested(source: &str, dialect: &Dialect) -> Option<Vec<u8>> {
    let depth: usize = source.strip_suffix(" Arrays nested in each other, the innermost empty")?.parse().ok()?;
    let id = dialect.id_of(dialect.layouts.id_of("array")?)?;
    let mut packet = Vec::new();
    for count in (0..depth).rev().map(|left| u32::from(left > 0)) {
        packet.extend(id.to_le_bytes());
        packet.extend(count.to_le_bytes());
    }
    Some(packet)
}
