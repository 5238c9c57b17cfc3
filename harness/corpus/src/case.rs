//! A case: what was written, and what it expects of one dialect under one reading.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use variant_codec::{Framing, Refusal};
use variant_specs::{Dialect, Reading, Shape};

pub use crate::written::{Class, Level, OpenReason};
use thiserror::Error;
use variant_values::value_text::{ExpectedValue, Strictness, SyntaxTree, ValueError, typecheck};

use super::listing::{Listing, MissingType};

/// One case, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name, unique within its layout.
    pub name: String,
    /// The line of its name in its file.
    pub line: usize,
    /// Its subjects: words of `flags.yaml`.
    pub flags: Vec<String>,
    /// Whether encoders must follow it.
    pub level: Level,
    /// Why the level or the authority is not the default: one sentence.
    pub because: Option<String>,
    /// The engine and version that says so, where no document does.
    pub authority: Option<String>,
    /// The notes of its file that it shows.
    pub covers: Vec<String>,
    /// Rules that a dialect must have for it to hold.
    pub needs: Vec<String>,
    /// Its tests allow objects.
    pub objects: bool,
    /// Its only test is `reencode`: no JSON can hold the value, or it is about what is sent on.
    pub reencode: bool,
    /// Its only test is `encode`: whoever reads the packet gets another value.
    pub encode: bool,
    /// The erratum that it shows: an engine is known to fail it, or the document is unclear.
    pub erratum: Option<String>,
    /// The length prefix of its packet, if there is one.
    pub framing: Option<Framing>,
    /// The canonical packet of the value of a readable case, where no canonical case has that value.
    pub written: Option<CaseReading>,
    /// The case by what engines do.
    pub engine: CaseReading,
    /// The case by the document read literally, where that differs.
    pub document: Option<DocumentOverride>,
}

/// A case under one reading.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseReading {
    /// What decoders and encoders must do.
    pub class: Class,
    /// Why an open case is open; absent in other cases.
    pub why: Option<OpenReason>,
    /// The value as written, if the case has one.
    pub value: Option<SyntaxTree>,
    /// The packet, row by row, if the case has one.
    pub listing: Option<Listing>,
    /// How it is refused; only in invalid cases.
    pub rejects: Option<Rejects>,
    /// How many bytes a decoder consumes, where that is not all.
    pub used: Option<usize>,
}

/// A case by the document read literally, and the erratum that explains the difference.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentOverride {
    /// The id of the erratum.
    pub erratum: String,
    /// The documents that the erratum is about: only dialects with one of them read the case so.
    pub documents: Vec<String>,
    /// The whole case under this reading.
    pub reading: CaseReading,
}

/// How a packet is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejects {
    /// What is wrong with the packet.
    pub kind: Refusal,
    /// The first byte of the field that cannot be right.
    pub at: usize,
}

/// A packet, some of whose bytes engines leave as they were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaskedPacket {
    /// The bytes; unwritten ones are zero.
    pub bytes: Bytes,
    /// Ranges of bytes that are not compared.
    pub unwritten: Vec<Range<usize>>,
}

impl MaskedPacket {
    /// Its first word: the header, unless a length is in front. `None` if it is shorter than 4 bytes.
    pub fn header(&self) -> Option<u32> {
        self.bytes.first_chunk().copied().map(u32::from_le_bytes)
    }

    /// The first place where `other` differs, apart from unwritten bytes.
    pub fn first_difference(&self, other: &[u8]) -> Option<usize> {
        let differs =
            |at: &usize| self.bytes[*at] != other[*at] && !self.unwritten.iter().any(|range| range.contains(at));
        let common = self.bytes.len().min(other.len());
        (0..common).find(differs).or((self.bytes.len() != other.len()).then_some(common))
    }
}

/// A packet that is being made.
#[derive(Debug, Default)]
pub(crate) struct PacketBuilder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) unwritten: Vec<Range<usize>>,
}

impl PacketBuilder {
    /// Appends all of a packet.
    pub(crate) fn append(&mut self, bytes: &[u8], unwritten: &[Range<usize>]) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.unwritten.extend(unwritten.iter().map(|range| range.start + start..range.end + start));
    }

    pub(crate) fn build(self) -> MaskedPacket {
        MaskedPacket { bytes: self.bytes.into(), unwritten: self.unwritten }
    }
}

/// What a case expects of one dialect under one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// What decoders and encoders must do.
    pub class: Class,
    /// The value in the dialect, if the case has one.
    pub value: Option<Arc<ExpectedValue>>,
    /// The packet in the dialect, if the case has one.
    pub packet: Option<MaskedPacket>,
    /// How the packet is refused; only in invalid cases.
    pub rejects: Option<Rejects>,
    /// How many bytes a decoder consumes: the whole packet, unless the case says otherwise.
    pub used: Option<usize>,
}

/// Why a case does not belong in a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpectationError {
    /// The value does not belong in the dialect.
    #[error("value: {0}")]
    Value(#[from] ValueError),
    /// The listing has the header of a type that the dialect lacks.
    #[error(transparent)]
    Listing(#[from] MissingType),
}

impl Case {
    /// The case under a reading in a dialect.
    pub fn reading(&self, reading: Reading, dialect: &Dialect) -> &CaseReading {
        match (self.document_in(dialect), reading) {
            (Some(document), Reading::Document) => &document.reading,
            (_, Reading::Engine) | (None, Reading::Document) => &self.engine,
        }
    }

    /// The case by the document read literally, unless the dialect has documents and the erratum is about none of them.
    pub fn document_in(&self, dialect: &Dialect) -> Option<&DocumentOverride> {
        let shared = |document: &&DocumentOverride| {
            document.documents.is_empty()
                || dialect.documents.is_empty()
                || document.documents.iter().any(|name| dialect.documents.contains(name))
        };
        self.document.as_ref().filter(shared)
    }

    /// Whether the dialect has every rule that the case needs.
    pub(crate) fn holds_in(&self, dialect: &Dialect) -> bool {
        self.needs.iter().all(|need| dialect.has(need))
    }

    /// Whether an encoder can be asked for the same packet that this case has: it is canonical, and is not tested by one
    /// operation alone.
    fn is_written_so(&self, reading: &CaseReading) -> bool {
        reading.class == Class::Canonical && !self.encode && !self.reencode
    }

    /// The canonical packet of the value of this readable case: its own `written-as:`, or that of the first canonical
    /// case with the same value, as it is written, the same framing and the same options. Beside it, whether encoders must
    /// follow it. `None` where an expected NaN stands for any: then any bits of it are right.
    pub fn written_as<'a>(
        &'a self,
        cases: impl IntoIterator<Item = &'a Arc<Self>>,
        reading: Reading,
        dialect: &Dialect,
    ) -> Option<(&'a CaseReading, Level)> {
        let value = self.reading(reading, dialect).value.as_ref()?;
        let same = |case: &&Arc<Self>| {
            let other = case.reading(reading, dialect);
            case.is_written_so(other)
                && (case.framing, case.objects) == (self.framing, self.objects)
                // Equal floats may be two values: their text has the sign of zero.
                && other.value.as_ref().is_some_and(|other| other == value && format!("{other:?}") == format!("{value:?}"))
        };
        // Read literally, documents write some values in another way.
        let own = self.written.as_ref().filter(|_| reading == Reading::Engine);
        let same = || cases.into_iter().find(same).map(|case| (case.reading(reading, dialect), case.level));
        // How wide a float is written is good practice everywhere: the documents contradict themselves.
        let is_float = |tag: &str| {
            let layout = dialect.layouts.id_of(tag).map(|layout| dialect.layouts.get(layout));
            layout.is_some_and(|layout| layout.shape == Shape::Float)
        };
        let level = if value.any_tag(&is_float) { Level::Should } else { self.level };
        own.map(|own| (own, level)).or_else(same)
    }

    /// Whether it contains a real under either reading. Then it has another form in double precision.
    pub(crate) fn has_reals(&self, dialect: &Dialect) -> bool {
        [Reading::Engine, Reading::Document]
            .into_iter()
            .any(|reading| self.reading(reading, dialect).has_reals(dialect))
    }
}

impl CaseReading {
    fn has_reals(&self, dialect: &Dialect) -> bool {
        let real =
            |name: &str| dialect.layouts.id_of(name).is_some_and(|layout| dialect.widens(dialect.layouts.get(layout)));
        self.value.as_ref().is_some_and(|value| value.any_tag(&real))
            || self.listing.as_ref().is_some_and(|listing| listing.any_header(dialect, &real))
    }

    /// What it expects of a dialect.
    ///
    /// # Errors
    /// [`ExpectationError`], if the value or the listing does not belong in the dialect.
    pub fn expectation(&self, dialect: &Dialect) -> Result<Expectation, ExpectationError> {
        let value =
            self.value.as_ref().map(|tree| typecheck(tree, dialect, Strictness::Corpus)).transpose()?.map(Arc::new);
        let packet = self.listing.as_ref().map(|listing| listing.packet(dialect)).transpose()?;
        Ok(Expectation {
            class: self.class,
            value,
            rejects: self.rejects,
            used: self.used.or(packet.as_ref().map(|packet| packet.bytes.len())),
            packet,
        })
    }
}
