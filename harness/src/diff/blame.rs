//! Whose fault a disagreement is, and by which rule.

use std::cell::OnceCell;

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::campaign::Finding;
use super::oracle::By;
use super::said::Said;
use super::signature::Kind;
use crate::corpus::{Class, Corpus, Expectation};
use crate::implementation::Question;

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
    asked: OnceCell<Vec<(String, Expectation)>>,
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
            By::Reference => match finding.signature.others.iter().any(|name| name == "reference") {
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
        if self.follows_the_documents(finding) {
            return "that is what the document says, read literally, and engines do otherwise".to_owned();
        }
        match finding.signature.kind {
            Kind::Crashes | Kind::Hangs | Kind::Garbles | Kind::DependsOnOrder | Kind::Unsupported => {
                return self.section(finding);
            }
            Kind::Value | Kind::NanBits | Kind::Length | Kind::Bytes | Kind::Form | Kind::Refuses | Kind::Accepts => {}
        }
        self.row(finding).unwrap_or_else(|| self.section(finding))
    }

    /// The case that asks the same.
    fn corpus_says(&self, finding: &Finding) -> Option<String> {
        let asked = self.asked.get_or_init(|| self.asked());
        for (name, expected) in asked {
            let same = match &finding.request.question {
                Question::Encode(value) => expected.value.as_ref().is_some_and(|expected| expected.value == *value),
                Question::Decode(packet) | Question::Reencode(packet) => {
                    expected.packet.as_ref().is_some_and(|expected| expected.bytes == *packet)
                }
            };
            if same {
                return Some(match expected.class {
                    Class::Open => format!("the documents are silent, and {name} is open"),
                    Class::Canonical | Class::Readable | Class::Invalid => format!("the corpus asks it: {name}"),
                });
            }
        }
        None
    }

    /// What the corpus asks in this dialect.
    fn asked(&self) -> Vec<(String, Expectation)> {
        let cases = self.corpus.map(|corpus| corpus.cases_of(self.dialect)).unwrap_or_default();
        let expected = cases.into_iter().filter_map(|(file, case)| {
            let expected = case.side(Reading::Engine).expectation(self.dialect).ok()?;
            Some((format!("{}/{}/{}", self.dialect.name, file.layout, case.name), expected))
        });
        expected.collect()
    }

    /// Whether the odd ones out do what the documents say where engines part from them.
    fn follows_the_documents(&self, finding: &Finding) -> bool {
        let Some(said) = finding.odd.and_then(|place| finding.said.get(place)) else { return false };
        match (&finding.request.question, said) {
            (Question::Decode(packet), Said::Value(value, _)) => {
                self.literal.decode(packet).is_ok_and(|decoded| decoded.value == *value)
            }
            (Question::Decode(packet) | Question::Reencode(packet), Said::Refused(_)) => {
                self.literal.decode(packet).is_err() && self.codec.decode(packet).is_ok()
            }
            (Question::Encode(value), Said::Bytes(bytes)) => self.literal.encode(value).as_ref() == Ok(bytes),
            _ => false,
        }
    }

    /// The row of the document in which the field stands, and the errata about it.
    fn row(&self, finding: &Finding) -> Option<String> {
        let corpus = self.corpus?;
        let signature = &finding.signature;
        let file = corpus.files.iter().find(|file| file.layout == signature.layout && file.is_of(self.dialect))?;
        let field = signature.field.strip_prefix("behind ").unwrap_or(&signature.field);
        let row = file.table.rows.iter().find(|row| row.names.iter().any(|name| name == field))?;
        let id = row.id(&file.layout);
        Some(format!("row {}/{id} of {}", self.dialect.name, self.documents()))
    }

    fn section(&self, finding: &Finding) -> String {
        let layout = self.dialect.layouts.id_of(&finding.signature.layout);
        let entry = self.dialect.types.iter().find(|entry| Some(entry.layout) == layout);
        match entry {
            _ if self.dialect.documents.is_empty() => "no document describes this dialect".to_owned(),
            Some(entry) => format!("no row says it; section {:?} of {}", entry.section, self.documents()),
            None => format!("the documents are silent ({})", self.documents()),
        }
    }

    fn documents(&self) -> String {
        // Where there is none, the tables are what engines do.
        if self.dialect.documents.is_empty() { "the engines".to_owned() } else { self.dialect.documents.join(" and ") }
    }
}
