//! Whose fault a disagreement is, and by which rule.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::campaign::Finding;
use super::oracle::By;
use super::said::Said;
use super::signature::Kind;
use variant_corpus::citation::Citations;
use variant_corpus::{Case, Class, Corpus, Expectation};
use variant_wire::implementation::Input;
use variant_wire::reference;

/// Knows the documents, the corpus and the errata.
#[derive(Debug)]
pub struct Blame<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The dialect.
    pub dialect: &'a Dialect,
    /// The corpus, where there is one.
    pub corpus: Option<&'a Corpus>,
    codec: Codec,
    /// Answers as the documents, read literally, have it.
    literal: Codec,
    /// What the corpus asks, once somebody wants to know.
    asked: OnceCell<Vec<Asked<'a>>>,
}

/// A case, and what it expects in the dialect.
#[derive(Debug)]
struct Asked<'a> {
    name: String,
    case: &'a Case,
    expected: Expectation,
}

impl<'a> Blame<'a> {
    /// Of a dialect.
    pub fn new(specs: &'a Specs, dialect: &'a Dialect, corpus: Option<&'a Corpus>) -> Self {
        let codec = |reading| Codec::new(dialect, reading);
        Self {
            specs,
            dialect,
            corpus,
            codec: codec(Reading::Engine),
            literal: codec(Reading::Document),
            asked: OnceCell::new(),
        }
    }

    /// The reference codec.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// Who decided, and what says so.
    pub fn sentence(&self, finding: &Finding) -> String {
        let who = match finding.by {
            By::Majority => format!("{} say otherwise", finding.signature.others.join(", ")),
            By::Reference => match finding.signature.others.iter().any(|name| name == reference::NAME) {
                true => "the reference says otherwise".to_owned(),
                false => format!("the reference is with {}", finding.signature.others.join(", ")),
            },
            By::Failure => "no answer is never right".to_owned(),
            By::Claim => return "what is claimed can be asked".to_owned(),
            By::Nobody => "the reference is with neither".to_owned(),
        };
        format!("{who}; {}", self.rule(finding))
    }

    /// What the corpus, an erratum or a document has to say.
    fn rule(&self, finding: &Finding) -> String {
        if let Some(said) = self.corpus_says(finding) {
            return said;
        }
        match finding.signature.kind {
            Kind::Crashes | Kind::Hangs | Kind::Garbles | Kind::DependsOnOrder | Kind::Unsupported => {
                return self.section(finding);
            }
            Kind::Value | Kind::NanBits | Kind::Length | Kind::Bytes | Kind::Form | Kind::Refuses | Kind::Accepts => {}
        }
        let row = self.row(finding);
        if self.follows_the_documents(finding) {
            let by = named(&self.errata(finding, row.as_ref()));
            return format!("that is what the document says, read literally, and engines do otherwise{by}");
        }
        match row {
            Some(row) => {
                // Whether they explain this difference is for who reads them to say.
                let errata = self.citations().errata(&row);
                let about = if errata.is_empty() { String::new() } else { format!("; about it:{}", named(&errata)) };
                format!("row {row} of {}{about}", self.documents())
            }
            None => self.section(finding),
        }
    }

    /// The case that asks the same.
    fn corpus_says(&self, finding: &Finding) -> Option<String> {
        let request = &finding.request;
        let asks_it = |asked: &&Asked<'_>| {
            let expected = &asked.expected;
            let same = match &request.input {
                Input::Encode(value) => expected.value.as_ref().is_some_and(|expected| expected.value == *value),
                Input::Decode(packet) | Input::Reencode(packet) => {
                    expected.packet.as_ref().is_some_and(|expected| expected.bytes == *packet)
                }
            };
            same && (asked.case.framing, asked.case.objects) == (request.framing, request.objects)
        };
        let Asked { name, case, expected } = self.asked.get_or_init(|| self.asked()).iter().find(asks_it)?;
        let departs = case.document.as_ref().map(|document| &document.erratum);
        let by = named(&departs.or(case.erratum.as_ref()).map(String::as_str).into_iter().collect::<Vec<_>>());
        Some(match expected.class {
            Class::Open => format!("the documents are silent, and {name} is open{by}"),
            Class::Canonical | Class::Readable | Class::Invalid => format!("the corpus asks it: {name}{by}"),
        })
    }

    /// What the corpus asks in this dialect.
    fn asked(&self) -> Vec<Asked<'a>> {
        let cases = self.corpus.map(|corpus| corpus.cases_of(self.dialect)).unwrap_or_default();
        let asked = cases.into_iter().filter_map(|(file, case)| {
            let expected = case.reading(Reading::Engine).expectation(self.dialect).ok()?;
            Some(Asked { name: format!("{}/{}/{}", self.dialect.name, file.layout, case.name), case, expected })
        });
        asked.collect()
    }

    /// Whether the odd ones out do what the documents say where engines part from them. Of a length in front of a packet
    /// they know nothing.
    fn follows_the_documents(&self, finding: &Finding) -> bool {
        let Some(said) = finding.odd.and_then(|place| finding.said.get(place)) else { return false };
        let framed = finding.request.framing.is_some();
        match (&finding.request.input, said) {
            (Input::Decode(packet), Said::Value(value, used)) if !framed => {
                let as_long = |literal: usize| used.is_none_or(|used| u64::try_from(literal) == Ok(used));
                self.literal.decode(packet).is_ok_and(|literal| literal.value == *value && as_long(literal.used))
            }
            (Input::Decode(packet) | Input::Reencode(packet), Said::Refused(_)) if !framed => {
                self.literal.decode(packet).is_err() && self.codec.decode(packet).is_ok()
            }
            (Input::Encode(value), Said::Bytes(bytes)) => self.literal.encode(value).as_ref() == Ok(bytes),
            _ => false,
        }
    }

    fn citations(&self) -> Citations<'a> {
        Citations { specs: self.specs, corpus: self.corpus, dialect: self.dialect }
    }

    /// The row of the document that describes the field.
    fn row(&self, finding: &Finding) -> Option<String> {
        let signature = &finding.signature;
        let field = signature.field.strip_prefix("behind ").unwrap_or(&signature.field);
        self.citations().row(&signature.layout, field, None)
    }

    /// The errata that a departure of the documents may rest on: those about the row; or the one that all cases of the
    /// type name where the documents' reading is another.
    fn errata(&self, finding: &Finding, row: Option<&String>) -> Vec<&str> {
        let of_row = row.map(|row| self.citations().errata(row)).unwrap_or_default();
        if !of_row.is_empty() {
            return of_row;
        }
        let cases = self.corpus.map(|corpus| corpus.cases_of(self.dialect)).unwrap_or_default();
        let of_it = cases.into_iter().filter(|(file, _)| file.layout == finding.signature.layout);
        let named: BTreeSet<&str> =
            of_it.filter_map(|(_, case)| Some(case.document.as_ref()?.erratum.as_str())).collect();
        if named.len() == 1 { named.into_iter().collect() } else { Vec::new() }
    }

    fn section(&self, finding: &Finding) -> String {
        match (self.citations().documents(), self.citations().section(&finding.signature.layout)) {
            (None, _) => "no document describes this dialect".to_owned(),
            (Some(documents), Some(section)) => format!("no row says it; section {section:?} of {documents}"),
            (Some(documents), None) => format!("the documents are silent ({documents})"),
        }
    }

    fn documents(&self) -> String {
        // Where there is none, the tables are what engines do.
        self.citations().documents().unwrap_or_else(|| "the engines".to_owned())
    }
}

/// Behind what rests on them.
fn named(errata: &[&str]) -> String {
    match errata {
        [] => String::new(),
        [one] => format!(" (erratum {one})"),
        several => format!(" (errata {})", several.join(", ")),
    }
}
