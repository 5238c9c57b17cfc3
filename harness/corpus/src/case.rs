//! A case: what was written, and what that asks of one dialect under one reading.

use std::ops::Range;

use variant_codec::{Framing, Refusal};
use variant_specs::{Dialect, Reading};

use super::listing::Listing;
pub use variant_syntax::file::{Class, Level, OpenReason};
use variant_wire::value_text::{Expected, Strictness, SyntaxTree, typecheck};

/// One case, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name, unique for its layout.
    pub name: String,
    /// The line of its name in its file.
    pub line: usize,
    /// Its subjects.
    pub flags: Vec<String>,
    /// Whether encoders must follow it.
    pub level: Level,
    /// One sentence, where something needs a reason.
    pub because: Option<String>,
    /// An engine and version, where no document says it.
    pub authority: Option<String>,
    /// Notes that it shows.
    pub covers: Vec<String>,
    /// Rules that a dialect must have for it to hold.
    pub needs: Vec<String>,
    /// It is asked with objects allowed.
    pub objects: bool,
    /// It is asked by reencoding alone: no JSON can hold the value.
    pub reencode: bool,
    /// The erratum that it shows: an engine is known to fail it, or the document is unclear.
    pub erratum: Option<String>,
    /// The length that stands in front of its packets, where one does.
    pub framing: Option<Framing>,
    /// What engines do.
    pub engine: CaseReading,
    /// What differs when the document is read literally.
    pub document: Option<DocumentOverride>,
}

/// A case under one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseReading {
    /// What is asked.
    pub class: Class,
    /// Why an open case is open.
    pub why: Option<OpenReason>,
    /// The value.
    pub value: Option<SyntaxTree>,
    /// The packet.
    pub listing: Option<Listing>,
    /// How it is refused.
    pub rejects: Option<Rejects>,
    /// Bytes consumed, where not all.
    pub used: Option<usize>,
}

/// The document's side, and the erratum that explains the difference.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentOverride {
    /// The erratum.
    pub erratum: String,
    /// The document's side, whole.
    pub side: CaseReading,
}

/// How a packet is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejects {
    /// What is wrong.
    pub kind: Refusal,
    /// The first byte of the field that cannot be right.
    pub at: usize,
}

/// Bytes, some of which engines leave as they were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packet {
    /// The bytes, unwritten ones as zero.
    pub bytes: Vec<u8>,
    /// The unwritten ones.
    pub unwritten: Vec<Range<usize>>,
}

impl Packet {
    /// Where `other` first differs, unwritten bytes aside; `None` where it does not.
    pub fn first_difference(&self, other: &[u8]) -> Option<usize> {
        let differs =
            |at: &usize| self.bytes[*at] != other[*at] && !self.unwritten.iter().any(|range| range.contains(at));
        let common = self.bytes.len().min(other.len());
        (0..common).find(differs).or((self.bytes.len() != other.len()).then_some(common))
    }
}

/// What a case asks of one dialect under one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// What is asked.
    pub class: Class,
    /// The value.
    pub value: Option<Expected>,
    /// The packet.
    pub packet: Option<Packet>,
    /// How it is refused.
    pub rejects: Option<Rejects>,
    /// Bytes consumed.
    pub used: Option<usize>,
}

impl Case {
    /// Its side under a reading.
    pub fn side(&self, reading: Reading) -> &CaseReading {
        match (&self.document, reading) {
            (Some(document), Reading::Document) => &document.side,
            (_, Reading::Engine) | (None, Reading::Document) => &self.engine,
        }
    }

    /// Whether the dialect has every rule that the case needs.
    pub fn holds_in(&self, dialect: &Dialect) -> bool {
        self.needs.iter().all(|need| dialect.has(need))
    }

    /// Whether a real stands in it, on either side: it then has another form in double precision.
    pub fn has_reals(&self, dialect: &Dialect) -> bool {
        let sides = [Some(&self.engine), self.document.as_ref().map(|document| &document.side)];
        sides.into_iter().flatten().any(|side| side.has_reals(dialect))
    }
}

impl CaseReading {
    fn has_reals(&self, dialect: &Dialect) -> bool {
        let real =
            |name: &str| dialect.layouts.id_of(name).is_some_and(|layout| dialect.widens(dialect.layouts.get(layout)));
        self.value.as_ref().is_some_and(|value| value.any_tag(&real))
            || self.listing.as_ref().is_some_and(|listing| listing.any_header(dialect, &real))
    }

    /// What this side asks of a dialect.
    ///
    /// # Errors
    /// A sentence: why value or listing do not belong in the dialect.
    pub fn expectation(&self, dialect: &Dialect) -> Result<Expectation, String> {
        let value = self.value.as_ref().map(|node| typecheck(node, dialect, Strictness::Corpus));
        let packet = self.listing.as_ref().map(|listing| listing.packet(dialect)).transpose()?;
        Ok(Expectation {
            class: self.class,
            value: value.transpose().map_err(|error| format!("value: {error}"))?,
            rejects: self.rejects,
            used: self.used.or(packet.as_ref().map(|packet| packet.bytes.len())),
            packet,
        })
    }
}
