//! Bytes that are no packet: what they are, and what to do next.

mod entries;
mod numbers;
mod text;
#[cfg(feature = "unpack")]
mod unpack;

use std::ops::Range;

pub use text::TEXT;
pub(crate) use text::kind_of_text;

/// What bytes are that are no packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// What they are: `gzip`.
    pub name: String,
    /// What to do next, in a sentence; empty if what is inside is shown.
    pub next: String,
    /// What is inside.
    pub inside: Inside,
}

/// What is inside of something that is no packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// Nothing that can be shown.
    Nothing,
    /// Other bytes, unpacked.
    Unpacked(Vec<u8>),
    /// Packets with names, at these places.
    Entries(Vec<(String, Range<usize>)>),
}

/// A file that is known by its first bytes.
struct Magic {
    bytes: &'static [u8],
    name: &'static str,
    next: &'static str,
    inside: fn(&[u8]) -> Option<Inside>,
}

const RESOURCE: &str = "it has a format of its own: load it with ResourceLoader; saved again as .tres it is text";
const NO_VARIANT: &str = "it has no packet of this format at its beginning";

/// Files by their first bytes.
const MAGICS: &[Magic] = &[
    Magic {
        bytes: b"\x1f\x8b\x08",
        name: "gzip",
        next: "unpack it first (gunzip; PackedByteArray.decompress_dynamic)",
        inside: gzip,
    },
    Magic {
        bytes: b"\x28\xb5\x2f\xfd",
        name: "zstd",
        next: "unpack it first (zstd -d; PackedByteArray.decompress_dynamic)",
        inside: zstd,
    },
    Magic { bytes: b"\x78\x01", name: "zlib", next: ZLIB, inside: zlib },
    Magic { bytes: b"\x78\x5e", name: "zlib", next: ZLIB, inside: zlib },
    Magic { bytes: b"\x78\x9c", name: "zlib", next: ZLIB, inside: zlib },
    Magic { bytes: b"\x78\xda", name: "zlib", next: ZLIB, inside: zlib },
    Magic {
        bytes: b"GCPF",
        name: "a compressed file (GCPF)",
        next: "open it with FileAccess.open_compressed, in the mode in which it was written",
        inside: compressed,
    },
    Magic {
        bytes: b"GDEC",
        name: "an encrypted file (GDEC)",
        next: "open it with FileAccess.open_encrypted_with_pass and its password; nothing else reads it",
        inside: nothing,
    },
    Magic { bytes: b"RSRC", name: "a binary resource (RSRC: .res, .scn)", next: RESOURCE, inside: nothing },
    Magic { bytes: b"RSCC", name: "a compressed binary resource (RSCC: .res, .scn)", next: RESOURCE, inside: nothing },
    Magic {
        bytes: b"GDPC",
        name: "a pack (GDPC: .pck)",
        next: "the engine loads it: ProjectSettings.load_resource_pack",
        inside: nothing,
    },
    Magic {
        bytes: b"ECFG",
        name: "the settings of an exported project (ECFG: project.binary)",
        next: "its settings cannot be told apart: it is cut or damaged",
        inside: entries::settings,
    },
    Magic { bytes: b"GDSC", name: "a compiled script (GDSC: .gdc)", next: NO_VARIANT, inside: nothing },
    Magic { bytes: b"\x89PNG", name: "a PNG image", next: NO_VARIANT, inside: nothing },
    Magic { bytes: b"\xff\xd8\xff", name: "a JPEG image", next: NO_VARIANT, inside: nothing },
    Magic { bytes: b"RIFF", name: "a RIFF file (WAV, WebP)", next: NO_VARIANT, inside: nothing },
    Magic { bytes: b"OggS", name: "an Ogg file", next: NO_VARIANT, inside: nothing },
    Magic { bytes: b"PK\x03\x04", name: "a ZIP archive", next: "unpack it first", inside: nothing },
];

const ZLIB: &str = "unpack it first (PackedByteArray.decompress_dynamic, mode deflate)";

/// What the first bytes say.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<Foreign> {
    let magic = MAGICS.iter().find(|magic| bytes.starts_with(magic.bytes))?;
    let inside = (magic.inside)(bytes).unwrap_or(Inside::Nothing);
    let next = if inside == Inside::Nothing { magic.next } else { "" };
    Some(Foreign { name: magic.name.to_owned(), next: next.to_owned(), inside })
}

/// What the bytes are if they are text, a string with its length, or, where those may be, numbers.
pub(crate) fn by_content(bytes: &[u8], may_be_numbers: bool) -> Option<Foreign> {
    let known = std::str::from_utf8(bytes).ok().and_then(kind_of_text).or_else(|| text::with_length(bytes));
    let numbers = || may_be_numbers.then(|| numbers::kind(bytes)).flatten();
    let (name, next) = known.or_else(numbers)?;
    Some(Foreign { name, next, inside: Inside::Nothing })
}

fn nothing(_: &[u8]) -> Option<Inside> {
    None
}

#[cfg(feature = "unpack")]
use unpack::{compressed, gzip, zlib, zstd};
#[cfg(not(feature = "unpack"))]
use {nothing as compressed, nothing as gzip, nothing as zlib, nothing as zstd};
