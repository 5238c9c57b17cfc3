//! Corpus files: YAML to cases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_specs::Specs;

use super::case::{Case, CaseSide, Class, Level};
use super::file::{File, PACKET};
use super::lines::{Lines, after};
use super::listing::Listing;
use super::source::CorpusSource;
use crate::rarity::Tag;
use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::value_text::SyntaxTree;

pub(super) fn load(source: &CorpusSource, specs: &Specs) -> Result<File, Problem> {
    let CorpusSource { text, shown: path, .. } = source;
    let advice = if text.contains("[!null]") { "; `!null` needs a space before a bracket: `[!null ]`" } else { "" };
    let file = parse_yaml(path, text).map_err(|problem| Problem { message: problem.message + advice, ..problem })?;
    Loader { path, text, lines: Lines::of(text) }.file(file, specs)
}

/// Reads `tags.yaml`: each tag, by name.
pub(super) fn tags(source: &CorpusSource) -> Result<BTreeMap<String, Tag>, Problem> {
    let tags: BTreeMap<String, Tag> = parse_yaml(&source.shown, &source.text)?;
    let mut seen = BTreeSet::new();
    for (line, text) in (1..).zip(source.text.lines()) {
        let name = text.split(':').next().unwrap_or_default().trim_matches('"');
        if tags.contains_key(name) && !seen.insert(name) {
            let message = format!("tag {name} is described twice");
            return Err(Problem { file: source.shown.clone(), line, message });
        }
    }
    Ok(tags)
}

/// The JSON Schema of each kind of file in the corpus, by the file's name in `corpus/schema/` or `adapters/schema/`.
#[cfg(feature = "schema")]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    use schemars::schema_for;

    vec![
        ("cases.json", schema_for!(File)),
        ("findings.json", schema_for!(crate::findings::Findings)),
        ("tags.json", schema_for!(BTreeMap<String, Tag>)),
        ("observed.json", schema_for!(crate::observed::Observed)),
    ]
}

struct Loader<'a> {
    path: &'a str,
    text: &'a str,
    lines: Lines<'a>,
}

impl Loader<'_> {
    /// Completes what YAML cannot say, and checks it.
    fn file(&self, mut file: File, specs: &Specs) -> Result<File, Problem> {
        self.check_scope(&file, specs)?;
        file.path = self.path.to_owned();
        if file.is_of_a_type() && specs.layouts.id_of(&file.layout).is_none() {
            let layouts: Vec<&str> = specs.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect();
            let message = format!("there is no layout {:?}; there are {}", file.layout, layouts.join(", "));
            return Err(self.problem(self.line_of("type:"), message));
        }
        file.table_line = self.line_of("tables:") + 1;
        if let Some((row, error)) = file.table.wrong.take() {
            return Err(self.problem(file.table_line + row, error));
        }
        for case in &mut file.cases {
            self.case(Arc::make_mut(case), file.dialect.as_deref(), specs)?;
        }
        let mut names = BTreeSet::new();
        for case in &file.cases {
            if !names.insert(&case.name) {
                let line = self.lines.of_case(&case.name).nth(1).unwrap_or(case.line);
                return Err(self.problem(line, format!("there is already a case {}; names must be unique", case.name)));
            }
        }
        file.beside_parent |= file.layout == PACKET;
        Ok(file)
    }

    fn check_scope(&self, file: &File, specs: &Specs) -> Result<(), Problem> {
        match (&file.dialect, file.family, file.double) {
            (None, true, false) | (None, false, true) => Ok(()),
            (Some(name), false, _) if specs.dialects.iter().any(|dialect| dialect.name == *name) => Ok(()),
            (Some(name), false, _) => {
                let names: Vec<&str> = specs.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
                let message = format!("there is no dialect {name:?}; there are {}", names.join(", "));
                Err(self.problem(self.line_of("dialect:"), message))
            }
            (_, _, _) => Err(self.problem(1, "a file has one of `dialect: NAME`, `family: true` and `double: true`, or the first and the last together")),
        }
    }

    fn case(&self, case: &mut Case, dialect: Option<&str>, specs: &Specs) -> Result<(), Problem> {
        let line = self.lines.of_case(&case.name).next().unwrap_or(1);
        let name = case.name.clone();
        let here = |message: String| self.problem(line, format!("case {name}: {message}"));
        case.line = line;
        if let Some(need) = case.needs.iter().find(|need| !specs.dialects.iter().any(|dialect| dialect.knows(need))) {
            let words = specs.dialects.iter().flat_map(|dialect| dialect.rules.variants());
            let known: BTreeSet<&str> = words.map(|(rule, ..)| rule).collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(here(format!("`needs:` names {need:?}, which is not a rule; there are depth, {known}")));
        }
        if let Some(own) = dialect.and_then(|name| specs.dialect(name))
            && let Some(need) = case.needs.iter().find(|need| !own.has(need))
        {
            let own = &own.name;
            return Err(here(format!("`needs:` {own} itself does not have {need:?}; name only rules that it has")));
        }
        case.value = case.value.take().map(expand).transpose().map_err(&here)?;
        let mut packets = after(&self.lines.bytes, line);
        self.place(case.listing.as_mut(), &mut packets)?;
        self.place(case.document.as_mut().and_then(|document| document.listing.as_mut()), &mut packets)?;
        self.place(case.written.as_mut(), &mut after(&self.lines.written, line))?;
        if let Some(document) = &mut case.document {
            let erratum = specs.erratum(&document.erratum);
            document.documents = erratum.map(|erratum| erratum.documents.clone()).unwrap_or_default();
        }
        check(case).map_err(&here)
    }

    /// Gives a listing the line of the next key, and says what is wrong with it.
    fn place(&self, listing: Option<&mut Listing>, keys: &mut impl Iterator<Item = usize>) -> Result<(), Problem> {
        let Some(listing) = listing else { return Ok(()) };
        listing.line = keys.next().map_or(0, |key| key + 1);
        listing.wrong.take().map_or(Ok(()), |(row, error)| Err(self.problem(listing.line + row, error)))
    }

    /// The first line that begins with this key, or 1.
    fn line_of(&self, key: &str) -> usize {
        let mut lines = self.text.lines().enumerate().filter(|(_, line)| line.starts_with(key));
        lines.next().map_or(1, |(index, _)| index + 1)
    }

    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.to_owned(), line, message: message.into() }
    }
}

/// Checks what each case must have, and must not have.
fn check(case: &Case) -> Result<(), String> {
    check_reading(case.by_engines(), case.reencode)?;
    if case.encode && (case.reencode || case.class != Class::Canonical) {
        return Err("`encode: true` is for canonical cases with a value".to_owned());
    }
    if let Some(document) = &case.document {
        check_reading(case.by_document(document), false).map_err(|message| format!("document: {message}"))?;
    }
    if case.written.is_some() && case.class != Class::Readable {
        return Err("`written-as:` is for readable cases".to_owned());
    }
    if case.reencode && case.class == Class::Readable && case.written.is_none() {
        return Err("`reencode: true` of a readable case needs `written-as:`".to_owned());
    }
    if (case.level == Level::Should || case.authority.is_some()) && case.because.is_none() {
        return Err("`level: should` and `authority:` need `because:`, one sentence".to_owned());
    }
    Ok(())
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
            _ => {
                let pairs = pairs.into_iter().map(|(key, tree)| Ok((key, expand(tree)?)));
                pairs.collect::<Result<_, String>>().map(SyntaxTree::Map)
            }
        },
        SyntaxTree::Null | SyntaxTree::Bool(_) | SyntaxTree::Int(_) | SyntaxTree::Real(_) | SyntaxTree::Text(_) => {
            Ok(tree)
        }
    }
}

/// More than any case needs.
const MOST_TIMES: usize = 1 << 20;

/// Checks what each class must have, and must not have.
fn check_reading(side: CaseSide<'_>, reencode: bool) -> Result<(), String> {
    let has = |there: bool, what: &str| {
        if there { Ok(()) } else { Err(format!("a case of class {} needs {what}", side.class.name())) }
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
        Class::Undecided => {
            has(side.listing.is_some() || side.value.is_some(), "`bytes:` or `value:`")?;
            has(side.why.is_some(), "`why: silent | contradicts-itself | engines-differ`")?;
        }
    }
    if side.class != Class::Invalid && side.rejects.is_some() {
        return Err(format!("`rejects:` belongs to invalid cases, and this one is {}", side.class.name()));
    }
    if side.class != Class::Undecided && side.why.is_some() {
        return Err(format!("`why:` belongs to undecided cases, and this one is {}", side.class.name()));
    }
    Ok(())
}
