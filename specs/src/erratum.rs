//! Errata: where document and engine disagree. Divergences: where implementations may disagree.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// One disagreement between documents and engines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Erratum {
    /// The name by which corpus and reports cite it.
    pub id: String,
    /// The documents that say it.
    pub documents: Vec<String>,
    /// The rows and notes concerned, as globs over row ids.
    pub rows: Vec<String>,
    /// What the documents say.
    pub says: String,
    /// What engines do instead.
    pub engines_do: String,
    /// Which of the two the suite expects, and why, if that is not what engines do.
    pub chosen: Option<String>,
    /// Packets that show what engines do.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub evidence: Vec<Evidence>,
    /// The engine version since which it holds, like `3.0`.
    pub since: String,
    /// The variants that it explains.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub variants: Vec<Concern>,
}

impl Erratum {
    /// Whether one of these documents says it.
    pub fn is_of(&self, documents: &[String]) -> bool {
        self.documents.iter().any(|document| documents.contains(document))
    }
}

/// A packet and what an engine made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Evidence {
    /// The engine's name, like `Godot`.
    pub engine: String,
    /// The engine's version, like `3.2.3`.
    pub version: String,
    /// The packet in hex.
    pub packet: String,
    /// What the engine read from it.
    pub shows: String,
}

/// Variants that an erratum explains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Concern {
    /// The rule by which they are made: `count`, `truncated-at`…
    pub rule: String,
    /// The layout that they are about; absent: any.
    pub layout: Option<String>,
    /// The field of it; absent: any.
    pub field: Option<String>,
    /// Engines need not follow the rule if the number is negative.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub exempts_negative: bool,
}

impl Concern {
    /// Whether it concerns a variant made by this rule, about this field of this layout.
    pub fn is_about(&self, rule: &str, layout: &str, field: &str) -> bool {
        let same = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        self.rule == rule && same(&self.layout, layout) && same(&self.field, field)
    }
}

/// Where implementations may disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Divergence {
    /// The name by which reports cite it.
    pub id: String,
    /// The dialects concerned, without precision.
    pub dialects: Vec<String>,
    /// The layouts concerned, by name, or `packet`.
    pub layouts: Vec<String>,
    /// The fields, as in signatures of findings.
    pub fields: Vec<String>,
    /// The operations concerned, like `decode` or `reencode`.
    pub ops: Vec<String>,
    /// How they may disagree, as in signatures of findings.
    pub kinds: Vec<String>,
    /// The reason of refusals; absent: any.
    pub why: Option<String>,
    /// Only in packets in which each of these fields holds a number from the first to the last of one of its pairs.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub when: BTreeMap<String, Vec<[u32; 2]>>,
    /// Only if a text has bytes from the first to the last of these pairs, one after the other.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub texts_with: Vec<[u8; 2]>,
    /// Only if an element of a typed array, or a key of a typed dictionary, does not have that type.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub unfit: bool,
    /// Only if one of these implementations is involved; empty: any.
    #[cfg_attr(feature = "yaml", serde(default))]
    pub of: Vec<String>,
    /// The source that allows it.
    pub rests_on: RestsOn,
    /// The reason, in one sentence.
    pub because: String,
}

/// The source that allows a divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "yaml",
    serde(
        untagged,
        deny_unknown_fields,
        expecting = "`rests-on:` is one of `{erratum: ID}`, `{case: DIALECT/LAYOUT/NAME}` and \
                     `{page: adapters/NAME/PAGE.md#heading}`"
    )
)]
pub enum RestsOn {
    /// An erratum.
    Erratum {
        /// Its id.
        erratum: String,
    },
    /// An undecided case.
    Case {
        /// Its id.
        case: String,
    },
    /// A page of an adapter that says what its host cannot do.
    Page {
        /// `adapters/NAME/PAGE.md#heading`.
        page: String,
    },
}
