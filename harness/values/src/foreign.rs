//! Bytes that are no packet: what they are, and what to do next.

mod inside;
mod numbers;
mod text;
#[cfg(feature = "unpack")]
mod unpack;

pub use inside::Inside;
pub use text::TEXT;
pub(crate) use text::kind_of_text;

/// What bytes are that are no packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// What they are: `gzip`.
    pub name: String,
    /// What to do next, in a sentence; empty if what is inside is shown.
    pub next: String,
    pub inside: Inside,
}

/// The first bytes of a file, what it is, what to do next, and how it is opened.
type Magic = (&'static [u8], &'static str, &'static str, fn(&[u8]) -> Option<Inside>);

const RESOURCE: &str = "it has a format of its own: load it with ResourceLoader; saved again as .tres it is text";
const COMPRESSED: &str = "open it with FileAccess.open_compressed, in the mode in which it was written";
const ENCRYPTED: &str = "open it with FileAccess.open_encrypted_with_pass and its password; nothing else reads it";
const SETTINGS: &str = "its settings cannot be told apart: it is cut or damaged";
const NO_VARIANT: &str = "it has no packet of this format at its beginning";

/// Files by their first bytes.
const MAGICS: &[Magic] = &[
    (b"\x1f\x8b\x08", "gzip", "unpack it first (gunzip; PackedByteArray.decompress_dynamic)", gzip),
    (b"\x28\xb5\x2f\xfd", "zstd", "unpack it first (zstd -d; PackedByteArray.decompress_dynamic)", zstd),
    (b"\x78\x01", "zlib", ZLIB, zlib),
    (b"\x78\x5e", "zlib", ZLIB, zlib),
    (b"\x78\x9c", "zlib", ZLIB, zlib),
    (b"\x78\xda", "zlib", ZLIB, zlib),
    (b"GCPF", "a compressed file (GCPF)", COMPRESSED, compressed),
    (b"GDEC", "an encrypted file (GDEC)", ENCRYPTED, nothing),
    (b"RSRC", "a binary resource (RSRC: .res, .scn)", RESOURCE, nothing),
    (b"RSCC", "a compressed binary resource (RSCC: .res, .scn)", RESOURCE, nothing),
    (b"GDPC", "a pack (GDPC: .pck)", "the engine loads it: ProjectSettings.load_resource_pack", nothing),
    (b"ECFG", "the settings of an exported project (ECFG: project.binary)", SETTINGS, inside::settings),
    (b"GDSC", "a compiled script (GDSC: .gdc)", NO_VARIANT, nothing),
    (b"\x89PNG", "a PNG image", NO_VARIANT, nothing),
    (b"\xff\xd8\xff", "a JPEG image", NO_VARIANT, nothing),
    (b"RIFF", "a RIFF file (WAV, WebP)", NO_VARIANT, nothing),
    (b"OggS", "an Ogg file", NO_VARIANT, nothing),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first", nothing),
];

const ZLIB: &str = "unpack it first (PackedByteArray.decompress_dynamic, mode deflate)";

/// What the first bytes say.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<Foreign> {
    let (_, name, next, open) = MAGICS.iter().find(|(begin, ..)| bytes.starts_with(begin))?;
    let inside = open(bytes).unwrap_or(Inside::Nothing);
    let next = match inside {
        Inside::Nothing => next,
        Inside::Damaged => "it is cut or damaged, so it cannot be unpacked",
        Inside::Unpacked(_) | Inside::Entries(_) => "",
    };
    Some(Foreign { name: (*name).to_owned(), next: next.to_owned(), inside })
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
