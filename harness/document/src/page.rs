//! The page of a dialect, as data for the templates.

use globset::Glob;
use serde::Serialize;
use variant_codec::Refusal;
use variant_corpus::facts::{self, Fact};
use variant_corpus::{ByteToken, Case, Class, Corpus, FRAMING, File, PACKET};
use variant_faults::{Mistake, mistakes};
use variant_specs::{Dialect, Erratum, Evidence, Specs, Status, Type, TypedContainers};
use variant_values::handshake::{Limit, Lossy};
use variant_values::row::{Row, aligned, spaced};

use crate::rows::{Part, rows};

/// The longest example, in bytes; a longer one is shown only where there is no shorter one.
const SHORT: usize = 64;

#[derive(Debug, Serialize)]
pub struct Page {
    title: String,
    basis: Option<String>,
    advice: Option<String>,
    status: Option<&'static str>,
    ids: Vec<[String; 2]>,
    facts: Vec<String>,
    errata: Vec<Note>,
    refusals: Vec<String>,
    refused: Vec<RefusedCase>,
    /// Words of a handshake, and what each allows.
    declared: Vec<[String; 2]>,
    sections: Vec<Section>,
}

#[derive(Debug, Serialize)]
struct Section {
    heading: String,
    parts: Vec<Part>,
    facts: Vec<String>,
    examples: Vec<ExampleCase>,
    mistakes: Vec<Mistake>,
    errata: Vec<Note>,
}

#[derive(Debug, Serialize)]
struct Note {
    id: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct ExampleCase {
    case: String,
    lines: Vec<String>,
    hex: String,
}

#[derive(Debug, Serialize)]
struct RefusedCase {
    packet: String,
    why: &'static str,
    at: usize,
}

impl Page {
    pub fn new(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Self {
        // Where a case is wrong, which `conform lint` says, nothing is known of mistakes.
        let mistakes = mistakes(specs, corpus, dialect).unwrap_or_default();
        let builder = PageBuilder { specs, dialect, cases: corpus.cases_of(dialect), mistakes };
        Self {
            title: format!("Binary serialization: {}", dialect.title()),
            basis: dialect.basis.clone(),
            advice: dialect.advice.clone(),
            status: match dialect.status {
                Status::Spoken => None,
                Status::Unspoken => Some("No engine uses this."),
                Status::Unverified => Some("This is unverified: it contains only what is known about the engine."),
            },
            ids: dialect
                .types
                .iter()
                .map(|entry| [entry.id.to_string(), dialect.type_name(entry).to_owned()])
                .collect(),
            facts: texts(facts::of_all(dialect)),
            errata: builder.errata(PACKET),
            refusals: texts(facts::refusals(dialect)),
            declared: declared(),
            refused: Refusal::ALL.into_iter().filter_map(|refusal| builder.refused(refusal)).collect(),
            sections: dialect.types.iter().map(|entry| builder.section(entry)).collect(),
        }
    }
}

fn texts(facts: Vec<Fact>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.text).collect()
}

/// What an implementation may declare about its language: a word, and what then counts as the same or may be refused.
fn declared() -> Vec<[String; 2]> {
    let lossy = Lossy::ALL.iter().map(|word| [word.name().to_owned(), format!("counts as the same: {}", word.means())]);
    let limits = Limit::ALL.iter().map(|word| [word.name().to_owned(), format!("may be refused: {}", word.means())]);
    lossy.chain(limits).collect()
}

struct PageBuilder<'a> {
    specs: &'a Specs,
    dialect: &'a Dialect,
    cases: Vec<(&'a File, &'a std::sync::Arc<Case>)>,
    mistakes: Vec<Mistake>,
}

impl<'a> PageBuilder<'a> {
    fn section(&self, entry: &Type) -> Section {
        let layout = self.dialect.layout(entry);
        Section {
            heading: entry.section.clone(),
            parts: rows(self.dialect, entry),
            facts: texts(facts::of_type(self.dialect, entry)).into_iter().chain(self.since(entry)).collect(),
            examples: self.examples(entry),
            mistakes: self.mistakes.iter().filter(|mistake| mistake.layout == layout.name).cloned().collect(),
            errata: self.errata(&layout.name),
        }
    }

    /// The dialect that brought the type, or the types of the container, if an earlier one did without.
    fn since(&self, entry: &Type) -> Option<String> {
        let has = |dialect: &Dialect| dialect.id_of(entry.layout).is_some();
        let typed = |dialect: &Dialect| match self.dialect.layout(entry).name.as_str() {
            "array" => dialect.rules.typed_containers != TypedContainers::None,
            "dictionary" => dialect.rules.typed_containers == TypedContainers::All,
            _ => false,
        };
        let first = |is: &dyn Fn(&Dialect) -> bool| {
            let mut oldest = self.dialect;
            while let Some(parent) = oldest.parent.as_ref().and_then(|name| self.specs.dialect(name)) {
                if !is(parent) {
                    return Some(oldest.name.clone());
                }
                oldest = parent;
            }
            None
        };
        if let Some(name) = first(&has) {
            // On the page of that dialect, who came before says more.
            let before = self.dialect.parent.as_ref().filter(|_| name == self.dialect.name);
            return Some(before.map_or_else(|| format!("Since {name}."), |before| format!("Not in {before}.")));
        }
        let name = Some(()).filter(|()| typed(self.dialect)).and_then(|()| first(&typed))?;
        Some(format!("Types since {name}."))
    }

    /// The first canonical case, and the first with other flags.
    fn examples(&self, entry: &Type) -> Vec<ExampleCase> {
        let layout = &self.dialect.layout(entry).name;
        let mut found: Vec<(u32, &str, Vec<String>, Vec<u8>)> = Vec::new();
        for (file, case) in &self.cases {
            let own = file.layout == *layout && case.class == Class::Canonical && case.framing.is_none();
            if !own || case.is_empty() && !matches!(layout.as_str(), "null" | "callable" | "rid") {
                continue;
            }
            let Some((header, lines, packet)) = self.lines(case) else { continue };
            match found.iter_mut().find(|(other, ..)| *other == header) {
                Some(longer) if longer.3.len() > SHORT && packet.len() < longer.3.len() => {
                    *longer = (header, case.name.as_str(), lines, packet);
                }
                Some(_) => {}
                None => found.push((header, case.name.as_str(), lines, packet)),
            }
        }
        let example = |(_, name, lines, packet): (u32, &str, Vec<String>, Vec<u8>)| ExampleCase {
            case: format!("{}/{layout}/{name}", self.dialect.name),
            lines,
            hex: hex::encode(packet),
        };
        found.into_iter().take(2).map(example).collect()
    }

    /// The header, the listing and the bytes of a case's packet; `None` if it has a repeat, or no whole header.
    fn lines(&self, case: &Case) -> Option<(u32, Vec<String>, Vec<u8>)> {
        let listing = case.listing.as_ref()?;
        let repeats = |token: &ByteToken| matches!(token, ByteToken::Repeat(..));
        if listing.rows.iter().any(|row| row.tokens.iter().any(repeats)) {
            return None;
        }
        let packet = listing.packet(self.dialect).ok()?;
        let header = packet.header()?;
        let row = |row: &variant_corpus::Row| {
            let bytes = packet.bytes.get(row.bytes()).unwrap_or_default();
            Row::of_bytes(row.offset, bytes, &row.name, row.meaning.clone())
        };
        let rows: Vec<Row> = listing.rows.iter().map(row).collect();
        Some((header, aligned(&rows), packet.bytes.to_vec()))
    }

    /// A short packet that is refused for this reason.
    fn refused(&self, refusal: Refusal) -> Option<RefusedCase> {
        self.cases.iter().find_map(|(_, case)| {
            let rejects = case.rejects.filter(|rejects| rejects.kind == refusal)?;
            let packet = case.listing.as_ref().filter(|_| case.framing.is_none())?.packet(self.dialect).ok()?;
            let whole = packet.bytes.len() >= 4 && packet.bytes.len() <= 24;
            whole.then(|| RefusedCase { packet: spaced(&packet.bytes), why: refusal_in_words(refusal), at: rejects.at })
        })
    }

    /// What other documents say of a layout, or of all packets.
    fn errata(&self, layout: &str) -> Vec<Note> {
        let about = |other: &str| other == layout || layout == PACKET && other == FRAMING;
        let cited = |erratum: &Erratum| {
            self.cases.iter().filter(|(file, _)| about(&file.layout)).any(|(_, case)| {
                let of_document = case.document.as_ref().map(|document| &document.erratum);
                case.erratum.iter().chain(of_document).any(|id| *id == erratum.id)
            })
        };
        let is_shown = |erratum: &Erratum| erratum.evidence.iter().any(|evidence| is_of_basis(self.dialect, evidence));
        let relevant = |erratum: &&Erratum| cited(erratum) || is_about(erratum, layout) && is_shown(erratum);
        let note = |erratum: &Erratum| Note { id: erratum.id.clone(), text: self.sentence(erratum, layout) };
        self.specs.errata.iter().filter(relevant).map(note).collect()
    }

    fn sentence(&self, erratum: &Erratum, layout: &str) -> String {
        let Erratum { says, engines_do, chosen, .. } = erratum;
        let mut text = match (erratum.documents.is_empty(), says.starts_with("nothing")) {
            (false, false) => format!("Other documents say: {says}. Engines {engines_do}."),
            (false, true) => format!("Other documents do not mention this: engines {engines_do}."),
            (true, _) => format!("Known engine behaviour: they {engines_do}."),
        };
        if let Some(chosen) = chosen {
            text += &format!(" Here: {chosen}.");
        }
        if let Some(evidence) = evidence(self.dialect, erratum, layout) {
            let Evidence { engine, version, packet, shows } = evidence;
            text += &format!(" {engine} {version}: {packet} is {shows}.");
        }
        text
    }
}

/// A short packet that shows an erratum, of this type by the dialect's ids; that of the engine in `basis:` first.
fn evidence<'e>(dialect: &Dialect, erratum: &'e Erratum, layout: &str) -> Option<&'e Evidence> {
    let fits = |evidence: &&Evidence| {
        let bytes = hex::decode(&evidence.packet).unwrap_or_default();
        let header = bytes.first_chunk().copied().map(u32::from_le_bytes);
        let entry = header.and_then(|header| dialect.type_of(header & dialect.header.id_mask));
        let same = layout == PACKET || entry.is_some_and(|entry| dialect.layout(entry).name == layout);
        same && bytes.len() <= 40
    };
    let all = || erratum.evidence.iter().filter(fits);
    all().find(|evidence| is_of_basis(dialect, evidence)).or_else(|| all().next())
}

fn is_of_basis(dialect: &Dialect, Evidence { engine, version, .. }: &Evidence) -> bool {
    let named = format!("{engine} {version}").to_lowercase();
    dialect.basis.as_ref().is_some_and(|basis| basis.to_lowercase().contains(&named))
}

/// Whether an erratum names rows or notes of a layout.
fn is_about(erratum: &Erratum, layout: &str) -> bool {
    let names = |part: &str| {
        let part = part.split('@').next().unwrap_or(part);
        part != "*" && Glob::new(part).is_ok_and(|glob| glob.compile_matcher().is_match(layout))
    };
    erratum.rows.iter().any(|row| row.split('/').any(names))
}

fn refusal_in_words(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Truncated => "it ends early",
        Refusal::Length => "a length or count is negative, or beyond the end",
        Refusal::UnknownType => "there is no such type",
        Refusal::UnknownFlag => "there is no such flag",
        Refusal::BadUtf8 => "the text is not UTF-8",
        Refusal::TooDeep => "too many nested values",
        Refusal::BadObject => "the reader does not allow such an object",
        Refusal::UnsupportedForm => "this form is not supported",
    }
}
