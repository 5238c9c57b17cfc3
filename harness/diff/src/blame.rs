//! Which implementation is wrong, and under which rule.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::oracle::{Arbiter, Disagreement};
use super::response::Response;
use super::signature::DisagreementKind;
use variant_corpus::citation::Citations;
use variant_corpus::{Case, Class, Corpus, Expectation};
use variant_wire::implementation::Input;
use variant_wire::reference;

/// Explains disagreements with the documents, the corpus and the errata.
#[derive(Debug)]
pub struct Blame<'a> {
    /// The specs, for citing documents and errata.
    pub specs: &'a Specs,
    /// The dialect in which participants disagree.
    pub dialect: &'a Dialect,
    /// The corpus, if there is one: its cases are cited first.
    pub corpus: Option<&'a Corpus>,
    codec: Codec,
    /// The codec of the documents, read literally.
    literal: Codec,
    /// The cases of the dialect, once they are needed.
    cases: OnceCell<Vec<ExpectedCase<'a>>>,
}

/// A case, and what it expects in the dialect.
#[derive(Debug)]
struct ExpectedCase<'a> {
    name: String,
    case: &'a Case,
    expected: Expectation,
}

impl<'a> Blame<'a> {
    /// Explains disagreements in this dialect.
    pub fn new(specs: &'a Specs, dialect: &'a Dialect, corpus: Option<&'a Corpus>) -> Self {
        let codec = |reading| Codec::new(dialect, reading);
        Self {
            specs,
            dialect,
            corpus,
            codec: codec(Reading::Engine),
            literal: codec(Reading::Document),
            cases: OnceCell::new(),
        }
    }

    /// The reference codec in this dialect, under the engines' reading.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// What decides who is wrong, then the case, erratum or document that is the rule.
    pub fn sentence(&self, found: &Disagreement) -> String {
        let who = match found.arbiter {
            Arbiter::Majority => format!("{} respond otherwise", found.signature.others.join(", ")),
            Arbiter::Reference => match found.signature.others.iter().any(|name| name == reference::NAME) {
                true => "the reference responds differently".to_owned(),
                false => format!("the reference agrees with {}", found.signature.others.join(", ")),
            },
            Arbiter::Failure => "every request needs a reply".to_owned(),
            Arbiter::Claim => return "a claimed type must be supported".to_owned(),
            Arbiter::Nobody => "the reference agrees with neither".to_owned(),
        };
        format!("{who}; {}", self.rule(found))
    }

    /// The case, erratum or document that is the rule.
    fn rule(&self, found: &Disagreement) -> String {
        if let Some(case) = self.same_case(found) {
            return case;
        }
        use DisagreementKind::{Crashes, DependsOnOrder, Garbles, Hangs, Unsupported};
        if matches!(found.signature.kind, Crashes | Hangs | Garbles | DependsOnOrder | Unsupported) {
            return self.section(found);
        }
        let row = self.row(found);
        if self.follows_the_documents(found) {
            let by = named(&self.errata(found, row.as_ref()));
            return format!("the document says so, read literally, but engines do something else{by}");
        }
        match row {
            Some(row) => {
                // The errata are about the row. Whether they explain this difference, the reader decides.
                let errata = self.citations().errata(&row);
                let about = if errata.is_empty() { String::new() } else { format!("; about it:{}", named(&errata)) };
                format!("row {row} of {}{about}", self.documents())
            }
            None => self.section(found),
        }
    }

    /// The case that tests the same request.
    fn same_case(&self, found: &Disagreement) -> Option<String> {
        let request = &found.request;
        let tests_it = |one: &&ExpectedCase<'_>| {
            let expected = &one.expected;
            let same = match &request.input {
                Input::Encode(value) => expected.value.as_ref().is_some_and(|expected| expected.value == *value),
                Input::Decode(packet) | Input::Reencode(packet) => {
                    expected.packet.as_ref().is_some_and(|expected| expected.bytes == *packet)
                }
            };
            same && (one.case.framing, one.case.objects) == (request.framing, request.objects)
        };
        let cases = self.cases.get_or_init(|| self.cases());
        let ExpectedCase { name, case, expected } = cases.iter().find(tests_it)?;
        let of_document = case.document_in(self.dialect).map(|document| &document.erratum);
        let by = named(&of_document.or(case.erratum.as_ref()).map(String::as_str).into_iter().collect::<Vec<_>>());
        Some(match expected.class {
            Class::Open => format!("the documents are silent, and {name} is open{by}"),
            Class::Canonical | Class::Readable | Class::Invalid => format!("the corpus tests it: {name}{by}"),
        })
    }

    fn cases(&self) -> Vec<ExpectedCase<'a>> {
        let cases = self.corpus.map(|corpus| corpus.cases_of(self.dialect)).unwrap_or_default();
        let expected = cases.into_iter().filter_map(|(file, case)| {
            let expected = case.engine.expectation(self.dialect).ok()?;
            Some(ExpectedCase { name: format!("{}/{}/{}", self.dialect.name, file.layout, case.name), case, expected })
        });
        expected.collect()
    }

    /// Whether the participants taken to be wrong do what the documents say and engines do not. Documents do not
    /// describe the length prefix of a packet.
    fn follows_the_documents(&self, found: &Disagreement) -> bool {
        let Some(response) = found.odd.first().and_then(|index| found.responses.get(*index)) else { return false };
        let framed = found.request.framing.is_some();
        match (&found.request.input, response) {
            (Input::Decode(packet), Response::Value(value, used)) if !framed => {
                let as_long = |literal: usize| used.is_none_or(|used| u64::try_from(literal) == Ok(used));
                self.literal.decode(packet).is_ok_and(|literal| literal.value == *value && as_long(literal.used))
            }
            (Input::Decode(packet) | Input::Reencode(packet), Response::Refused(_)) if !framed => {
                self.literal.decode(packet).is_err() && self.codec.decode(packet).is_ok()
            }
            (Input::Encode(value), Response::Bytes(bytes)) => self.literal.encode(value).as_ref() == Ok(bytes),
            _ => false,
        }
    }

    fn citations(&self) -> Citations<'a> {
        Citations { specs: self.specs, corpus: self.corpus, dialect: self.dialect }
    }

    /// The row of the document that describes the field.
    fn row(&self, found: &Disagreement) -> Option<String> {
        let signature = &found.signature;
        let field = signature.field.strip_prefix("behind ").unwrap_or(&signature.field);
        self.citations().row(&signature.layout, field, None)
    }

    /// The errata that may explain why documents differ from engines: those about the row. If there are none, the only
    /// erratum that cases of the type cite.
    fn errata(&self, found: &Disagreement, row: Option<&String>) -> Vec<&str> {
        let of_row = row.map(|row| self.citations().errata(row)).unwrap_or_default();
        if !of_row.is_empty() {
            return of_row;
        }
        let cases = self.corpus.map(|corpus| corpus.cases_of(self.dialect)).unwrap_or_default();
        let of_type = cases.into_iter().filter(|(file, _)| file.layout == found.signature.layout);
        let named: BTreeSet<&str> =
            of_type.filter_map(|(_, case)| Some(case.document_in(self.dialect)?.erratum.as_str())).collect();
        if named.len() == 1 { named.into_iter().collect() } else { Vec::new() }
    }

    fn section(&self, found: &Disagreement) -> String {
        match (self.citations().documents(), self.citations().section(&found.signature.layout)) {
            (None, _) => "no document describes this dialect".to_owned(),
            (Some(documents), Some(section)) => format!("no row covers it; section {section:?} of {documents}"),
            (Some(documents), None) => format!("the documents are silent ({documents})"),
        }
    }

    fn documents(&self) -> String {
        // Without documents, the tables are what engines do.
        self.citations().documents().unwrap_or_else(|| "the engines".to_owned())
    }
}

/// The errata in parentheses, to append to what they explain; empty if there are none.
fn named(errata: &[&str]) -> String {
    match errata {
        [] => String::new(),
        [one] => format!(" (erratum {one})"),
        several => format!(" (errata {})", several.join(", ")),
    }
}
