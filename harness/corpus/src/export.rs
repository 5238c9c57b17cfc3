//! The corpus as one JSON file, for people who use the cases in their own test runner.
//!
//! `schemas/export.schema.json` describes it; `conform export --format schema` prints that.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;
use variant_codec::Framing;
use variant_specs::{Dialect, Erratum, JudgedBy, Specs};

use crate::test::{Test, Variants, tests};
use crate::{Class, Corpus, CorpusId, Level, MaskedPacket};
use variant_values::diagnostic::Problem;
use variant_values::handshake::Op;
use variant_values::value_text::write_expected;

/// The version of the file's format.
const FORMAT: u32 = 1;

pub const SCHEMA: &str = include_str!("../schemas/export.schema.json");

/// The exported file, in the form that [`SCHEMA`] describes.
#[derive(Debug, Serialize)]
pub struct Export {
    format: u32,
    corpus: CorpusId,
    dialects: Vec<ExportedDialect>,
    tags: BTreeMap<String, String>,
    errata: Vec<ExportedErratum>,
    cases: Vec<ExportedCase>,
}

#[derive(Debug, Serialize)]
struct ExportedDialect {
    name: String,
    ids: BTreeMap<String, u32>,
    /// The first and the last version of its engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<[Vec<u32>; 2]>,
    /// How many variants its cases have, which are not here.
    variants: usize,
}

#[derive(Debug, Serialize)]
struct ExportedErratum {
    id: String,
    documents: Vec<String>,
    says: String,
    engines_do: String,
}

#[derive(Debug, Serialize)]
struct ExportedCase {
    id: String,
    dialect: String,
    layout: String,
    name: String,
    holds: Vec<String>,
    /// The operations to test, and how strictly.
    #[serde(rename = "asks")]
    tests: BTreeMap<&'static str, Level>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(flatten)]
    engine: ExportedReading,
    /// The case by the document read literally, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<ExportedReading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    erratum: Option<String>,
    /// The first version of the dialect's engines that does so.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    framing: Option<Framing>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    objects: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
    place: String,
}

/// A case by one judge.
#[derive(Debug, Serialize)]
struct ExportedReading {
    class: Class,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    /// What decoding and encoding it gives, if not the same bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    /// `ff` where a byte is compared, `00` where engines leave it as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejects: Option<ExportedRefusal>,
}

#[derive(Debug, Serialize)]
struct ExportedRefusal {
    kind: &'static str,
    at: usize,
}

impl Export {
    /// Exports the cases of these dialects.
    pub fn of(corpus: &Corpus, specs: &Specs, dialects: &[&Dialect]) -> Result<Self, Problem> {
        let erratum = |Erratum { id, documents, says, engines_do, .. }: Erratum| ExportedErratum {
            id,
            documents,
            says,
            engines_do,
        };
        let mut export = Self {
            format: FORMAT,
            corpus: corpus.id(),
            dialects: Vec::new(),
            tags: corpus.tags.iter().map(|(name, tag)| (name.clone(), tag.means.clone())).collect(),
            errata: specs.errata.iter().cloned().map(erratum).collect(),
            cases: Vec::new(),
        };
        for dialect in dialects {
            let ids = dialect.types.iter().map(|entry| (dialect.layout(entry).name.clone(), entry.id)).collect();
            let read = |judged_by, variants| tests(corpus, specs, dialect, judged_by, variants);
            let engine = read(JudgedBy::Engines, Variants::None)?;
            let variants = read(JudgedBy::Engines, Variants::All)?.len() - engine.len();
            export.dialects.push(ExportedDialect {
                name: dialect.name.clone(),
                ids,
                versions: dialect.versions(),
                variants,
            });
            export.cases.extend(cases(&engine, &read(JudgedBy::Documents, Variants::None)?, dialect));
        }
        Ok(export)
    }
}

/// Joins the tests of each case, by both judges.
fn cases(engine: &[Test], document: &[Test], dialect: &Dialect) -> Vec<ExportedCase> {
    let literal: HashMap<&str, &Test> = document.iter().map(|test| (test.id.path(), test)).collect();
    let of_one_case = engine.chunk_by(|one, next| one.id.path() == next.id.path());
    of_one_case.filter_map(|tests| case(tests, literal.get(tests.first()?.id.path()).copied(), dialect)).collect()
}

fn case(tests: &[Test], literal: Option<&Test>, dialect: &Dialect) -> Option<ExportedCase> {
    let first = tests.first()?;
    let document = literal.filter(|test| test.expected != first.expected);
    Some(ExportedCase {
        id: first.id.path().to_owned(),
        dialect: dialect.name.clone(),
        layout: first.layout.to_string(),
        name: first.case.name.clone(),
        holds: first.layouts.iter().map(ToString::to_string).collect(),
        tests: tests.iter().map(|test| (test.op.name(), test.level_of_newest())).collect(),
        tags: first.case.tags.clone(),
        engine: ExportedReading::of(first, dialect),
        document: document.map(|test| ExportedReading::of(test, dialect)),
        erratum: first.erratum.clone(),
        since: first.since.as_deref().map(str::to_owned),
        framing: first.case.framing,
        objects: first.case.objects,
        because: first.case.because.clone(),
        authority: first.case.authority.clone(),
        place: format!("{}:{}", first.file, first.case.line),
    })
}

impl ExportedReading {
    fn of(test: &Test, dialect: &Dialect) -> Self {
        let expected = &test.expected;
        let packet = expected.packet.as_ref();
        // Many JSON readers stop at a hundred levels, so what is only reencoded has no value here.
        let value = expected.value.as_ref().filter(|_| test.op != Op::Reencode);
        Self {
            class: expected.class,
            bytes: test.packet().map(|packet| hex::encode(&packet.bytes)),
            written: packet.filter(|_| test.sent.is_some()).map(|packet| hex::encode(&packet.bytes)),
            mask: packet.and_then(mask),
            value: value.and_then(|value| {
                let mut json = Vec::new();
                write_expected(&mut json, value, &dialect.layouts);
                String::from_utf8(json).ok().and_then(|json| RawValue::from_string(json).ok())
            }),
            used: expected.used.filter(|_| packet.is_some() && expected.class.has_value() && test.sent.is_none()),
            rejects: expected.rejects.map(|rejects| ExportedRefusal { kind: rejects.kind.name(), at: rejects.at }),
        }
    }
}

/// The mask of a packet; `None` if every byte is compared.
fn mask(packet: &MaskedPacket) -> Option<String> {
    if packet.unwritten.is_empty() {
        return None;
    }
    let unwritten = |at: usize| packet.unwritten.iter().any(|range| range.contains(&at));
    Some((0..packet.bytes.len()).map(|at| if unwritten(at) { "00" } else { "ff" }).collect())
}
