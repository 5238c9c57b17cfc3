//! Errata: where document and engine part.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// One disagreement between documents and engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erratum {
    /// The name by which corpus and reports cite it.
    pub id: String,
    /// The documents that say it.
    pub documents: Vec<String>,
    /// The rows and notes concerned, as globs over row ids.
    pub rows: Vec<String>,
    /// What the documents say.
    pub says: String,
    /// What engines do.
    pub engines_do: String,
    /// Which of the two the suite asks for, and why, where that is not what engines do.
    pub chosen: Option<String>,
    /// Who showed it.
    pub evidence: Vec<Evidence>,
    /// The engine version since which it holds.
    pub since: String,
    /// The derived cases that it explains.
    pub derived: Vec<Concern>,
}

impl Erratum {
    /// Whether one of these documents says it.
    pub fn is_of(&self, documents: &[String]) -> bool {
        self.documents.iter().any(|document| documents.contains(document))
    }
}

/// A packet and what an engine made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The engine's name.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// The packet in hex.
    pub packet: String,
    /// What the engine read from it.
    pub shows: String,
}

/// Derived cases that an erratum explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concern {
    /// The rule by which they are derived: `count`, `truncated-at`…
    pub rule: String,
    /// The layout that they are about; absent: any.
    pub layout: Option<String>,
    /// The field of it; absent: any.
    pub field: Option<String>,
    /// Engines are not asked to follow the rule where the number is negative.
    pub exempts_negative: bool,
}

impl Concern {
    /// Whether it concerns a case derived by this rule, about this field of this layout.
    pub fn is_about(&self, rule: &str, layout: &str, field: &str) -> bool {
        let same = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        self.rule == rule && same(&self.layout, layout) && same(&self.field, field)
    }
}

/// Where implementations may part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The name by which reports cite it.
    pub id: String,
    /// The dialects concerned, without precision.
    pub dialects: Vec<String>,
    /// The layouts.
    pub layouts: Vec<String>,
    /// The fields, as signatures of findings have them.
    pub fields: Vec<String>,
    /// The operations.
    pub ops: Vec<String>,
    /// How they may part, as signatures of findings have it.
    pub kinds: Vec<String>,
    /// Of refusals, why; absent: for whatever reason.
    pub why: Option<String>,
    /// Only in packets in which each of these fields holds a number of one of its ranges.
    pub when: Vec<(String, Vec<RangeInclusive<u32>>)>,
    /// Only where a text has bytes like these, one behind the other.
    pub texts_with: Vec<RangeInclusive<u8>>,
    /// Only where an element of a typed array, or a key of a typed dictionary, is not of its type.
    pub unfit: bool,
    /// Only where one of these takes part; empty: anybody.
    pub of: Vec<String>,
    /// What it rests on.
    pub rests_on: RestsOn,
    /// One sentence.
    pub because: String,
}

/// What a divergence rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestsOn {
    /// An erratum.
    Erratum(String),
    /// An open case.
    Case(String),
    /// What the page of an adapter says its host cannot be asked: `adapters/NAME/PAGE.md#heading`.
    Page(String),
}
