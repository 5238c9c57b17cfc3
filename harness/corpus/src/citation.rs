//! What the documents say: which row, section and erratum explain a result.

use globset::Glob;
use variant_specs::{Dialect, Document, Erratum, JudgedBy, Shape, Specs, Type};

use crate::facts::{self, Fact};
use crate::test::{Rule, Test};
use crate::verdict::{Reason, Verdict};
use crate::{Corpus, Level, TableRow};
use variant_values::fields::any_index;
use variant_values::sanitize;

/// Cites the documents of a dialect, or the engines where no document covers it.
#[derive(Debug, Clone, Copy)]
pub struct Citations<'a> {
    pub specs: &'a Specs,
    /// The corpus, whose files have the documents' tables.
    pub corpus: &'a Corpus,
    pub dialect: &'a Dialect,
}

/// A result that is not as expected.
#[derive(Debug, Clone, Copy)]
pub struct WrongAnswer<'a> {
    pub verdict: Verdict,
    /// The first field that differs, if it is known.
    pub field: Option<WrongField<'a>>,
    /// The erratum by which the reply follows the other one of engines and documents.
    pub erratum: Option<&'a str>,
}

/// A field that is not as expected.
#[derive(Debug, Clone, Copy)]
pub struct WrongField<'a> {
    /// Its path in the value that it is a field of: `header`, `name.length`.
    pub path: &'a str,
    /// The id of that value's type, if it stands in another value.
    pub inner: Option<u32>,
    pub difference: Difference,
}

/// How a field differs from what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Difference {
    #[default]
    Content,
    AnotherType,
    /// It is where the pairs of a dictionary, which are the right ones, begin to be in another order.
    PairOrder,
}

impl<'a> Citations<'a> {
    fn entry(&self, layout: &str) -> Option<&'a Type> {
        self.dialect.type_with(self.dialect.layouts.id_of(layout)?)
    }

    /// The id of the table row that describes a field: `godot-3/vector2@4`. If two forms of a type have a field of this
    /// name, `length` chooses the one with so many bytes.
    pub fn row(&self, layout: &str, field: &str, length: Option<usize>) -> Option<String> {
        let file = self.corpus.files.iter().find(|file| file.layout == layout && file.is_of(self.dialect))?;
        let fits = |row: &&TableRow| length.is_none_or(|length| row.length.parse() == Ok(length));
        let named = || file.table.rows.iter().filter(|row| row.names.iter().any(|name| name == field));
        let row = named().find(fits).or_else(|| named().next())?;
        Some(format!("{}/{}", self.dialect.name, row.id(&file.layout)))
    }

    /// The ids of the errata of the dialect's documents that are about a row.
    pub fn errata(&self, row: &str) -> Vec<&'a str> {
        let errata = self.specs.errata.iter().filter(|erratum| erratum.is_of(&self.dialect.documents));
        errata.filter(|erratum| is_about(erratum, row)).map(|erratum| erratum.id.as_str()).collect()
    }

    /// The rule that a result breaks, in one sentence. If the reply follows the other one of engines and documents, it is the erratum. Else
    /// it is why the form is good practice, or why the case is as it is and the row of the document.
    pub fn rule(&self, test: &Test, judged_by: JudgedBy, wrong: WrongAnswer<'_>) -> String {
        let of_cases = test.rule.is_none();
        let erratum = |id: &str| self.specs.erratum(id);
        if let Some(erratum) = wrong.erratum.and_then(erratum) {
            let followed = match judged_by {
                JudgedBy::Engines => "the reply follows the document, not the engines",
                // It may be refused for another reason than theirs.
                JudgedBy::Documents if wrong.verdict == Verdict::Fail(Reason::RefusedValid) => {
                    "engines refuse this too, and disagree with the document"
                }
                JudgedBy::Documents => "the reply follows the engines, not the document",
            };
            return format!("{followed} {}", both_sides(erratum));
        }
        if let (Verdict::NonCanonical, Level::Should, Some(because)) = (wrong.verdict, test.level(), &test.case.because)
        {
            return format!(
                "{} ({})",
                because.trim_end_matches('.'),
                self.general(test, self.entry(&test.layout), None)
            );
        }
        // Where an engine is known to fail this case, the engine is wrong, not the case.
        if let Some(erratum) = test.case.erratum.as_deref().and_then(erratum).filter(|_| of_cases)
            && let Some(chosen) = &erratum.chosen
        {
            let Erratum { id, says, engines_do, .. } = erratum;
            return format!("known engine bug {id}: {says}; engines {engines_do}; expected is {chosen}");
        }
        let row = wrong.field.and_then(|field| self.described(test, judged_by, field));
        let place = self.place(test, wrong.field, row.as_ref());
        // An erratum of one field does not explain another.
        let explains = |erratum: &&Erratum| {
            erratum.rows.is_empty()
                || row.as_ref().is_none_or(|(row, _)| self.errata(row).contains(&erratum.id.as_str()))
        };
        match test.erratum.as_deref().and_then(erratum).filter(|_| of_cases).filter(explains) {
            Some(erratum) => format!("{place}; document and engines disagree here {}", both_sides(erratum)),
            None => place,
        }
    }

    /// What engine and version shows what no document says: the case's own, or the dialect's, with the packet.
    fn engine(&self, test: &Test) -> String {
        let asked = test.case.authority.as_deref().or_else(|| {
            let basis = self.dialect.basis.as_deref()?;
            // What follows says what else was looked at.
            let end = basis.find([',', ';']).or_else(|| basis.find(". "));
            Some(&basis[..end.unwrap_or(basis.len())])
        });
        let packet = test.packet().map(|packet| sanitize::short(&hex::encode(&packet.bytes), 80));
        let packet = packet.map(|packet| format!(", with {packet}")).unwrap_or_default();
        match asked {
            Some(engine) => format!("no document describes it; {engine} shows it{packet}"),
            None => "no document describes it".to_owned(),
        }
    }

    /// The row that describes a field of a test: its id, and where it is.
    fn described(&self, test: &Test, judged_by: JudgedBy, field: WrongField<'_>) -> Option<(String, String)> {
        let listing = test.case.side(judged_by, self.dialect).listing.filter(|_| field.inner.is_none());
        let length = listing.and_then(|listing| listing.row(field.path)).map(crate::Row::len);
        let layout = self.type_of(test, Some(field)).map_or(&*test.layout, |entry| &self.dialect.layout(entry).name);
        let row = self.row(layout, &any_index(field.path), length)?;
        let offset = row.rsplit_once('@').map(|(_, offset)| format!("offset {offset}"))?;
        Some((row, offset))
    }

    /// The rule in words, and where the documents describe the field: `The length counts bytes of UTF-8 (Godot 3 documentation,
    /// String, offset 4)`. The reason that a case gives for itself counts where the page has no sentence about it.
    fn place(&self, test: &Test, field: Option<WrongField<'_>>, row: Option<&(String, String)>) -> String {
        // Why a form is good practice says nothing about a value or packet that is wrong.
        let because = test.case.because.as_ref().filter(|_| test.rule.is_none() && test.case.level == Level::Must);
        let offset = row.map(|(_, offset)| offset.as_str());
        let place = self.general(test, self.type_of(test, field), offset);
        let of_page = self.words(test, field);
        let of_page = of_page.filter(|(_, says)| *says || because.is_none()).map(|(fact, _)| fact.text);
        match of_page.or_else(|| because.cloned()) {
            Some(words) => format!("{} ({place})", words.trim_end_matches('.')),
            None => place,
        }
    }

    fn type_of(&self, test: &Test, field: Option<WrongField<'_>>) -> Option<&'a Type> {
        match field {
            Some(WrongField { difference: Difference::PairOrder, .. }) => self.dialect.type_of_shape(Shape::Dictionary),
            Some(WrongField { inner: Some(id), .. }) => self.dialect.type_of(id),
            _ => self.entry(&test.layout),
        }
    }

    /// The sentence of the dialect's page that says what is wrong. A variant is about more than its case, and a value inside
    /// another has rules of its own.
    fn words(&self, test: &Test, field: Option<WrongField<'_>>) -> Option<(Fact, bool)> {
        let is_inner = field.is_some_and(|field| field.inner.is_some());
        let of_case = test.rule.is_none() && !is_inner;
        let path = field.map(|field| match field.difference {
            Difference::Content => field.path,
            Difference::AnotherType => facts::ANOTHER_TYPE,
            Difference::PairOrder => facts::PAIR_ORDER,
        });
        let tags = test.case.tags.iter().filter(|_| of_case).map(String::as_str);
        let refused = test.expected.value.is_none().then_some(facts::REFUSED);
        let kind = test.expected.rejects.filter(|_| of_case).map(|rejects| rejects.kind.name());
        let rule = test.rule.filter(|_| !is_inner).map(Rule::name);
        let tags: Vec<&str> = tags.chain(kind).chain(rule).chain(refused).collect();
        let needs: &[String] = if of_case { &test.case.needs } else { &[] };
        facts::quoted(self.dialect, self.type_of(test, field), needs, path, &tags, test.rule.is_some())
    }

    /// Where it is described, as far as the type tells; or the engine that shows it.
    fn general(&self, test: &Test, entry: Option<&Type>, offset: Option<&str>) -> String {
        // The documents of its parent do not have a type that a fork added.
        let is_described = entry.is_none_or(|entry| self.dialect.documented.contains(&entry.layout));
        let Some(documents) = self.described_in().filter(|_| is_described) else {
            return self.engine(test);
        };
        let section = entry.map_or("all packets", Type::heading);
        [Some(documents.as_str()), Some(section), offset].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The address of the section that describes what a result is about, where a document has one.
    pub fn address(&self, test: &Test, wrong: WrongAnswer<'_>) -> Option<String> {
        let entry = self.type_of(test, wrong.field);
        let is_described = entry.is_none_or(|entry| self.dialect.documented.contains(&entry.layout));
        let address = self.documents().find_map(|document| document.address.as_ref()).filter(|_| is_described)?;
        let heading = entry.map_or("Packet specification", Type::heading).to_lowercase();
        let words = heading.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        Some(address.replace("{section}", &words.collect::<Vec<_>>().join("-")))
    }

    fn documents(&self) -> impl Iterator<Item = &'a Document> {
        let names = &self.dialect.documents;
        self.specs.documents.iter().filter(|document| names.contains(&document.name))
    }

    /// The documents in words: `Godot 3 documentation`.
    fn described_in(&self) -> Option<String> {
        let engine = self.documents().map(|document| document.engine.split(',').next().unwrap_or_default()).next();
        let engine = engine.or(self.dialect.documents.first().map(String::as_str))?;
        Some(format!("{engine} documentation"))
    }
}

pub(crate) fn is_about(erratum: &Erratum, row: &str) -> bool {
    erratum.rows.iter().any(|glob| Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(row)))
}

fn both_sides(Erratum { id, says, engines_do, .. }: &Erratum) -> String {
    format!("(documentation error {id}): the document says: {says}; engines {engines_do}")
}
