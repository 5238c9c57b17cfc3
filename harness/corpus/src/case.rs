//! A case: what was written, and what it expects of one dialect by one judge.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, de};
use strum::IntoStaticStr;
use variant_codec::{Framing, Refusal};
use variant_specs::{Dialect, JudgedBy, Shape};
use variant_values::value_text::{ExpectedValue, Strictness, SyntaxTree, typecheck};

use super::listing::Listing;
use super::packet::MaskedPacket;

/// One case of a corpus file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name, which says what a failure means: `negative-zero-keeps-its-sign`.
    pub name: String,
    /// The line of its name in its file.
    #[serde(skip)]
    pub line: usize,
    /// What decoders and encoders must do.
    pub class: Class,
    /// What it is about, in words of `tags.yaml`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether encoders must follow it.
    #[serde(default)]
    pub level: Level,
    /// Why the level or the authority is not the default.
    pub because: Option<String>,
    /// The engine and version that says so, where no document does.
    pub authority: Option<String>,
    /// The notes of the document that it shows.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Rules that a dialect must have for the case to apply.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Its requests allow objects with properties.
    #[serde(default)]
    pub objects: bool,
    /// It is tested by `reencode` only.
    #[serde(default)]
    pub reencode: bool,
    /// It is tested by `encode` only: whoever reads the packet gets another value.
    #[serde(default)]
    pub encode: bool,
    /// Why an undecided case is undecided.
    pub why: Option<UndecidedReason>,
    /// The value, tagged with its layout: `!vector2 [1.0, 2.0]`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    #[serde(rename = "bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub listing: Option<Listing>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    #[serde(default, deserialize_with = "rejects")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub rejects: Option<Rejects>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
    /// The erratum that it shows.
    pub erratum: Option<String>,
    /// In a readable case: the listing of the canonical packet of its value, where no canonical case has that value.
    #[serde(rename = "written-as")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub written: Option<Listing>,
    /// The length prefix of the packet: `u32le` or `u32be`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub framing: Option<Framing>,
    /// What differs where the document is read literally.
    pub document: Option<DocumentOverride>,
}

/// What is different if the document is read literally: only the keys that differ.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DocumentOverride {
    /// The erratum that it shows.
    pub erratum: String,
    /// The documents that the erratum is about: only dialects with one of them read the case so.
    #[serde(skip)]
    pub documents: Vec<String>,
    /// What decoders and encoders must do.
    pub class: Option<Class>,
    /// Why an undecided case is undecided.
    pub why: Option<UndecidedReason>,
    /// The value, where it differs.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    #[serde(rename = "bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub listing: Option<Listing>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    #[serde(default, deserialize_with = "rejects")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub rejects: Option<Rejects>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
}

/// A case by one judge.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaseSide<'a> {
    /// What decoders and encoders must do.
    pub class: Class,
    /// Why an undecided case is undecided; absent in other cases.
    pub why: Option<UndecidedReason>,
    pub value: Option<&'a SyntaxTree>,
    pub listing: Option<&'a Listing>,
    /// How it is refused; only in invalid cases.
    pub rejects: Option<Rejects>,
    /// How many bytes a decoder consumes, where that is not all.
    pub used: Option<usize>,
}

/// What decoders and encoders must do with a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Class {
    /// The one form of the value: decode it, and encode exactly these bytes.
    Canonical,
    /// Another form of the value: decode it.
    Readable,
    /// Not a packet, or a value that the dialect cannot carry: refuse it.
    Invalid,
    /// No source says what is right: anything except a crash or a hang.
    #[default]
    Undecided,
}

impl Class {
    /// The word in files and reports: `canonical`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether decoders must read a value from its packet.
    pub fn has_value(self) -> bool {
        matches!(self, Self::Canonical | Self::Readable)
    }
}

/// Whether encoders must follow a case. Decoders always must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Required: a failure fails the run.
    #[default]
    Must,
    /// Good practice: a failure is a warning.
    Should,
}

/// Why an undecided case is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UndecidedReason {
    /// The documents do not mention it.
    Silent,
    /// The document contradicts itself.
    ContradictsItself,
    /// Engines differ from each other.
    EnginesDiffer,
}

/// How a packet is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejects {
    pub kind: Refusal,
    /// The first byte of the field that cannot be right.
    pub at: usize,
}

/// What a case expects of one dialect by one judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

impl Case {
    /// Whether its value has nothing in it, which a tag says.
    pub fn is_empty(&self) -> bool {
        self.tags.iter().any(|tag| tag == "empty")
    }

    pub fn side(&self, judged_by: JudgedBy, dialect: &Dialect) -> CaseSide<'_> {
        match (self.document_in(dialect), judged_by) {
            (Some(document), JudgedBy::Documents) => self.by_document(document),
            (_, JudgedBy::Engines) | (None, JudgedBy::Documents) => self.by_engines(),
        }
    }

    pub fn by_engines(&self) -> CaseSide<'_> {
        CaseSide {
            class: self.class,
            why: self.why,
            value: self.value.as_ref(),
            listing: self.listing.as_ref(),
            rejects: self.rejects,
            used: self.used,
        }
    }

    /// The case by the document read literally: what differs comes first.
    pub(crate) fn by_document<'a>(&'a self, document: &'a DocumentOverride) -> CaseSide<'a> {
        let class = document.class.unwrap_or(self.class);
        CaseSide {
            class,
            why: document.why,
            // Neither the value of a refused packet nor the refusal of a valid one is inherited.
            value: document.value.as_ref().or(self.value.as_ref().filter(|_| class != Class::Invalid)),
            listing: document.listing.as_ref().or(self.listing.as_ref()),
            rejects: document.rejects.or(self.rejects.filter(|_| class == Class::Invalid)),
            used: document.used.or(self.used.filter(|_| document.listing.is_none())),
        }
    }

    /// The canonical packet of the value of a readable case, where no canonical case has that value.
    pub fn as_written(&self) -> Option<CaseSide<'_>> {
        Some(CaseSide {
            class: Class::Canonical,
            // Engines write null for an object that is none.
            value: self.value.as_ref().filter(|value| !holds_a_null_object(value)),
            listing: Some(self.written.as_ref()?),
            ..CaseSide::default()
        })
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

    /// Whether the dialect has every rule that the case needs, and every type that is in its values and packets.
    pub(crate) fn holds_in(&self, dialect: &Dialect) -> bool {
        let lacking = |tag: &str| dialect.layouts.id_of(tag).is_some_and(|layout| dialect.id_of(layout).is_none());
        let document = self.document.as_ref();
        let mut values = self.value.iter().chain(document.and_then(|document| document.value.as_ref()));
        let listings = [&self.listing, &self.written].into_iter().flatten();
        let mut listings = listings.chain(document.and_then(|document| document.listing.as_ref()));
        self.needs.iter().all(|need| dialect.has(need))
            && !values.any(|value| value.any_tag(&lacking))
            && !listings.any(|listing| listing.any_header(dialect, &lacking))
    }

    /// The canonical packet of the value of this readable case: its own `written-as:`, or that of the first canonical
    /// case with the same value, as it is written, the same framing and the same options. Beside it, whether encoders must
    /// follow it. `None` where an expected NaN stands for any: then any bits of it are right.
    pub fn written_as<'a>(
        &'a self,
        cases: impl IntoIterator<Item = &'a Arc<Self>>,
        judged_by: JudgedBy,
        dialect: &Dialect,
    ) -> Option<(CaseSide<'a>, Level)> {
        let value = self.side(judged_by, dialect).value?;
        let same = |case: &&Arc<Self>| {
            let other = case.side(judged_by, dialect);
            other.class == Class::Canonical
                // What one operation alone tests is not what an encoder is asked for.
                && !(case.encode || case.reencode)
                && (case.framing, case.objects) == (self.framing, self.objects)
                // Equal floats may be two values: their text has the sign of zero.
                && other.value.is_some_and(|other| other == value && format!("{other:?}") == format!("{value:?}"))
        };
        // Read literally, documents write some values in another way.
        let own = self.as_written().filter(|_| judged_by == JudgedBy::Engines);
        let same = || cases.into_iter().find(same).map(|case| (case.side(judged_by, dialect), case.level));
        // How wide a float is written is good practice everywhere: the documents contradict themselves.
        let is_float = |tag: &str| {
            let layout = dialect.layouts.id_of(tag).map(|layout| dialect.layouts.get(layout));
            layout.is_some_and(|layout| layout.shape == Shape::Float)
        };
        let level = if value.any_tag(&is_float) { Level::Should } else { self.level };
        own.map(|own| (own, level)).or_else(same)
    }

    /// Whether it contains a real by either judge. Then it has another form in double precision.
    pub(crate) fn has_reals(&self, dialect: &Dialect) -> bool {
        let real =
            |name: &str| dialect.layouts.id_of(name).is_some_and(|layout| dialect.widens(dialect.layouts.get(layout)));
        [JudgedBy::Engines, JudgedBy::Documents].map(|judged_by| self.side(judged_by, dialect)).iter().any(|side| {
            side.value.is_some_and(|value| value.any_tag(&real))
                || side.listing.is_some_and(|listing| listing.any_header(dialect, &real))
        })
    }
}

impl CaseSide<'_> {
    pub fn expectation(self, dialect: &Dialect) -> Result<Expectation, String> {
        let value = self.value.map(|tree| typecheck(tree, dialect, Strictness::Corpus)).transpose();
        let value = value.map_err(|error| format!("value: {error}"))?.map(Arc::new);
        let packet = self.listing.map(|listing| listing.packet(dialect)).transpose()?;
        Ok(Expectation {
            class: self.class,
            value,
            rejects: self.rejects,
            used: self.used.or(packet.as_ref().map(|packet| packet.bytes.len())),
            packet,
        })
    }
}

fn holds_a_null_object(value: &SyntaxTree) -> bool {
    if let SyntaxTree::Tagged(tagged) = value {
        return tagged.0 == "object" && tagged.1 == SyntaxTree::Null || holds_a_null_object(&tagged.1);
    }
    matches!(value, SyntaxTree::List(items) if items.iter().any(holds_a_null_object))
}

/// Reads `KIND at OFFSET`, as in `truncated at 4`.
fn rejects<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Rejects>, D::Error> {
    let Some(text) = Option::<String>::deserialize(source)? else { return Ok(None) };
    let read = text
        .split_once(" at ")
        .and_then(|(kind, at)| Some(Rejects { kind: Refusal::from_name(kind)?, at: at.parse().ok()? }));
    read.map(Some).ok_or_else(|| {
        let kinds: Vec<_> = Refusal::ALL.iter().map(|kind| kind.name()).collect();
        de::Error::custom(format!("`{text}` is not KIND at OFFSET; kinds are {}", kinds.join(", ")))
    })
}
