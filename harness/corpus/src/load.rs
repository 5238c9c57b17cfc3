//! Corpus files: YAML to cases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_codec::{Framing, Refusal};
use variant_specs::{Dialect, Specs};

use super::case::{Case, CaseReading, Class, DocumentOverride, Level, Rejects};
use super::file::{FRAMING, File, PACKET, Scope};
use super::lines::Lines;
use super::listing::Listing;
use super::source::CorpusSource;
use super::table::Table;
use crate::rarity::Flag;
use crate::written::{RawCase, RawFile, RawOverride};
use variant_values::diagnostic::Problem;
use variant_values::value_text::SyntaxTree;

/// Reads a corpus file.
pub(super) fn load(source: &CorpusSource, specs: &Specs) -> Result<File, Problem> {
    let raw = from_yaml(source)?;
    let loader = Loader { path: &source.shown, text: &source.text, lines: Lines::of(&source.text) };
    loader.file(raw, specs)
}

/// Reads `flags.yaml`: each flag, by name.
pub(super) fn flags(source: &CorpusSource) -> Result<Vec<(String, Flag)>, Problem> {
    let flags: BTreeMap<String, Flag> =
        serde_yaml::from_str(&source.text).map_err(|error| Problem::of_yaml(&source.shown, &source.text, &error))?;
    Ok(flags.into_iter().collect())
}

/// The JSON Schema of each kind of file in the corpus, by the file's name in `corpus/schema/` or `adapters/schema/`.
#[cfg(feature = "schema")]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    use schemars::schema_for;

    vec![
        ("cases.json", schema_for!(RawFile)),
        ("findings.json", schema_for!(crate::findings::Findings)),
        ("flags.json", schema_for!(BTreeMap<String, Flag>)),
        ("observed.json", schema_for!(crate::observed::Observed)),
    ]
}

fn from_yaml(source: &CorpusSource) -> Result<RawFile, Problem> {
    let CorpusSource { text, shown, .. } = source;
    serde_yaml::from_str(text).map_err(|error| {
        let advice = if text.contains("[!null]") { "; `!null` needs a space before a bracket: `[!null ]`" } else { "" };
        let problem = Problem::of_yaml(shown, text, &error);
        Problem { message: problem.message + advice, ..problem }
    })
}

struct Loader<'a> {
    path: &'a str,
    text: &'a str,
    lines: Lines<'a>,
}

impl Loader<'_> {
    fn file(&self, raw: RawFile, specs: &Specs) -> Result<File, Problem> {
        let scope = self.scope(&raw, specs)?;
        let of_a_type = raw.layout != PACKET && raw.layout != FRAMING;
        if of_a_type && specs.layouts.id_of(&raw.layout).is_none() {
            let line = self.line_of("type:");
            return Err(
                self.problem(line, format!("there is no layout {:?}; layouts are in specs/layouts.yaml", raw.layout))
            );
        }
        let table_line = self.line_of("tables:") + 1;
        let table =
            Table::parse(&raw.tables).map_err(|(row, error)| self.problem(table_line + row, error.to_string()))?;
        let case = |case| self.case(case, &scope, specs).map(Arc::new);
        let cases = raw.cases.into_iter().map(case).collect::<Result<Vec<_>, _>>()?;
        let mut names = BTreeSet::new();
        for case in &cases {
            if !names.insert(&case.name) {
                let line = self.lines.of_case(&case.name).nth(1).unwrap_or(case.line);
                return Err(self.problem(line, format!("there is already a case {}; names must be unique", case.name)));
            }
        }
        Ok(File {
            path: self.path.to_owned(),
            scope,
            layout: raw.layout.clone(),
            section: raw.section,
            table,
            table_line,
            notes: raw.notes,
            rules: raw.rules,
            cases,
            beside_parent: raw.beside_parent || raw.layout == PACKET,
            inherited: None,
        })
    }

    fn scope(&self, raw: &RawFile, specs: &Specs) -> Result<Scope, Problem> {
        match (&raw.dialect, raw.family, raw.double) {
            (None, true, false) => Ok(Scope::Family),
            (None, false, true) => Ok(Scope::Double(None)),
            (Some(name), false, double) => match specs.dialects.iter().find(|dialect| dialect.name == *name) {
                Some(_) if double => Ok(Scope::Double(Some(name.clone()))),
                Some(_) => Ok(Scope::Dialect(name.clone())),
                None => {
                    let names: Vec<&str> = specs.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
                    let message = format!("there is no dialect {name:?}; there are {}", names.join(", "));
                    Err(self.problem(self.line_of("dialect:"), message))
                }
            },
            (_, _, _) => Err(self.problem(1, "a file has one of `dialect: NAME`, `family: true` and `double: true`, or the first and the last together")),
        }
    }

    fn case(&self, raw: RawCase, scope: &Scope, specs: &Specs) -> Result<Case, Problem> {
        let line = self.lines.of_case(&raw.name).next().unwrap_or(1);
        let here = |message: String| self.problem(line, format!("case {}: {message}", raw.name));
        if let Some(need) = raw.needs.iter().find(|need| !Dialect::knows(need)) {
            return Err(here(format!("`needs:` names {need:?}, which is not a rule; rules are in specs/*.yaml")));
        }
        if let (Scope::Dialect(name), Some(own)) = (scope, specs.dialects.iter().find(|dialect| scope.is_of(dialect)))
            && let Some(need) = raw.needs.iter().find(|need| !own.has(need))
        {
            return Err(here(format!("`needs:` {name} itself does not have {need:?}; name only rules that it has")));
        }
        let engine = CaseReading {
            class: raw.class,
            why: raw.why,
            value: raw.value.map(expand).transpose().map_err(&here)?,
            listing: self.listing(raw.bytes.as_deref(), self.lines.of_bytes(line).next())?,
            rejects: raw.rejects.as_deref().map(rejects).transpose().map_err(&here)?,
            used: raw.used,
        };
        check_reading(&engine, raw.reencode).map_err(&here)?;
        if raw.encode && (raw.reencode || raw.class != Class::Canonical) {
            return Err(here("`encode: true` is for canonical cases with a value".to_owned()));
        }
        let second = self.lines.of_bytes(line).nth(usize::from(raw.bytes.is_some()));
        let document =
            raw.document.map(|document| self.document(document, specs, &engine, second, &here)).transpose()?;
        let written = self.written(raw.written_as.as_deref(), &engine, line)?;
        if raw.reencode && raw.class == Class::Readable && written.is_none() {
            return Err(here("`reencode: true` of a readable case needs `written-as:`".to_owned()));
        }
        let framing = |name: &String| {
            Framing::from_name(name).ok_or_else(|| here(format!("`framing: {name}`; there are u32le and u32be")))
        };
        let framing = raw.framing.as_ref().map(framing).transpose()?;
        if (raw.level == Level::Should || raw.authority.is_some()) && raw.because.is_none() {
            return Err(here("`level: should` and `authority:` need `because:`, one sentence".to_owned()));
        }
        Ok(Case {
            name: raw.name.clone(),
            line,
            flags: raw.flags,
            level: raw.level,
            because: raw.because,
            authority: raw.authority,
            covers: raw.covers,
            needs: raw.needs,
            objects: raw.objects,
            reencode: raw.reencode,
            encode: raw.encode,
            erratum: raw.erratum,
            framing,
            written,
            engine,
            document,
        })
    }

    fn document(
        &self,
        raw: RawOverride,
        specs: &Specs,
        engine: &CaseReading,
        line: Option<usize>,
        here: &impl Fn(String) -> Problem,
    ) -> Result<DocumentOverride, Problem> {
        let class = raw.class.unwrap_or(engine.class);
        let listing = self.listing(raw.bytes.as_deref(), line)?;
        let rejects = raw.rejects.as_deref().map(rejects).transpose().map_err(here)?;
        let reading = CaseReading {
            class,
            why: raw.why,
            // Neither the value of a refused packet nor the refusal of a valid one is inherited.
            value: raw.value.or_else(|| engine.value.clone().filter(|_| class != Class::Invalid)),
            used: raw.used.or(engine.used.filter(|_| listing.is_none())),
            listing: listing.or_else(|| engine.listing.clone()),
            rejects: rejects.or(engine.rejects.filter(|_| class == Class::Invalid)),
        };
        check_reading(&reading, false).map_err(|message| here(format!("document: {message}")))?;
        let documents = specs.erratum(&raw.erratum).map(|erratum| erratum.documents.clone()).unwrap_or_default();
        Ok(DocumentOverride { erratum: raw.erratum, documents, reading })
    }

    /// The canonical packet of a readable case.
    fn written(&self, text: Option<&str>, engine: &CaseReading, line: usize) -> Result<Option<CaseReading>, Problem> {
        let Some(listing) = self.listing(text, self.lines.of_written(line).next())? else { return Ok(None) };
        if engine.class != Class::Readable {
            return Err(self.problem(line, "`written-as:` is for readable cases"));
        }
        Ok(Some(CaseReading {
            class: Class::Canonical,
            why: None,
            // Engines write null for an object that is none.
            value: engine.value.clone().filter(|value| !holds_a_null_object(value)),
            listing: Some(listing),
            rejects: None,
            used: None,
        }))
    }

    /// Reads the listing under the key on `line`.
    fn listing(&self, text: Option<&str>, line: Option<usize>) -> Result<Option<Listing>, Problem> {
        let Some(text) = text else { return Ok(None) };
        let first = line.map_or(0, |key| key + 1);
        Listing::parse(text, first).map(Some).map_err(|(line, error)| self.problem(line, error.to_string()))
    }

    /// The first line that begins with this key, or 0.
    fn line_of(&self, key: &str) -> usize {
        let mut lines = self.text.lines().enumerate().filter(|(_, line)| line.starts_with(key));
        lines.next().map_or(1, |(index, _)| index + 1)
    }

    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.to_owned(), line, message: message.into() }
    }
}

fn holds_a_null_object(value: &SyntaxTree) -> bool {
    match value {
        SyntaxTree::Tagged(tagged) => {
            tagged.0 == "object" && tagged.1 == SyntaxTree::Null || holds_a_null_object(&tagged.1)
        }
        SyntaxTree::List(items) => items.iter().any(holds_a_null_object),
        SyntaxTree::Null
        | SyntaxTree::Bool(_)
        | SyntaxTree::Int(_)
        | SyntaxTree::BigInt(_)
        | SyntaxTree::Real(_)
        | SyntaxTree::Text(_)
        | SyntaxTree::Map(_) => false,
    }
}

/// Writes out long values: `{times: 300, item: VALUE}` is a list, `{times: 300, text: "a"}` a text.
fn expand(tree: SyntaxTree) -> Result<SyntaxTree, String> {
    match tree {
        SyntaxTree::Tagged(tagged) => {
            let (tag, body) = Arc::unwrap_or_clone(tagged);
            Ok(SyntaxTree::Tagged(Arc::new((tag, expand(body)?))))
        }
        SyntaxTree::List(trees) => trees.into_iter().map(expand).collect::<Result<_, _>>().map(SyntaxTree::List),
        SyntaxTree::Map(pairs) => match pairs.as_slice() {
            [(first, SyntaxTree::Int(times)), (second, what)] if first == "times" => {
                let times = usize::try_from(*times).ok().filter(|times| *times <= MOST_TIMES);
                let times = times.ok_or_else(|| format!("`times:` is at most {MOST_TIMES}"))?;
                match (second.as_str(), what) {
                    ("item", item) => Ok(SyntaxTree::List(vec![expand(item.clone())?; times])),
                    ("text", SyntaxTree::Text(text)) => Ok(SyntaxTree::Text(text.repeat(times))),
                    _ => Err("`times:` needs `item: VALUE` or `text: \"…\"` beside it".to_owned()),
                }
            }
            _ => Ok(SyntaxTree::Map(pairs)),
        },
        SyntaxTree::Null
        | SyntaxTree::Bool(_)
        | SyntaxTree::Int(_)
        | SyntaxTree::BigInt(_)
        | SyntaxTree::Real(_)
        | SyntaxTree::Text(_) => Ok(tree),
    }
}

/// More than any case needs.
const MOST_TIMES: usize = 1 << 20;

/// Checks what each class must have, and must not have.
fn check_reading(side: &CaseReading, reencode: bool) -> Result<(), String> {
    let has = |there: bool, what: &str| {
        if there { Ok(()) } else { Err(format!("a {} case needs {what}", side.class.name())) }
    };
    match side.class {
        Class::Canonical | Class::Readable => {
            let needs = "`value:`, or `reencode: true` if no JSON can hold it";
            has(side.value.is_some() != reencode || side.class == Class::Readable && reencode, needs)?;
            has(side.listing.is_some(), "`bytes:`")?;
        }
        Class::Invalid => {
            has(
                side.listing.is_some() != side.value.is_some(),
                "`bytes:`, or a `value:` that cannot be carried, not both",
            )?;
            has(side.listing.is_none() || side.rejects.is_some(), "`rejects:`")?;
        }
        Class::Open => {
            has(side.listing.is_some() || side.value.is_some(), "`bytes:` or `value:`")?;
            has(side.why.is_some(), "`why: silent | contradicts-itself | engines-differ`")?;
        }
    }
    if side.class != Class::Invalid && side.rejects.is_some() {
        return Err(format!("`rejects:` belongs to invalid cases, and this one is {}", side.class.name()));
    }
    if side.class != Class::Open && side.why.is_some() {
        return Err(format!("`why:` belongs to open cases, and this one is {}", side.class.name()));
    }
    Ok(())
}

/// Reads `KIND at OFFSET`, as in `truncated at 4`.
fn rejects(text: &str) -> Result<Rejects, String> {
    let parsed = text
        .split_once(" at ")
        .and_then(|(kind, at)| Some(Rejects { kind: Refusal::from_name(kind)?, at: at.parse().ok()? }));
    parsed.ok_or_else(|| {
        let kinds: Vec<_> = Refusal::ALL.iter().map(|kind| kind.name()).collect();
        format!("`rejects: {text}` is not KIND at OFFSET; kinds are {}", kinds.join(", "))
    })
}
