//! Corpus files: YAML to cases. The only place of the harness that reads YAML of the corpus.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use variant_codec::{Framing, Refusal};
use variant_specs::{Dialect, Precision, Specs};

use super::case::{Case, Class, Departure, Level, Rejects, Side, Why};
use super::listing::Listing;
use super::table::Table;
use crate::notation::Node;
use crate::problem::{Problem, yaml_words};

/// One file of cases.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its path, as found.
    pub path: String,
    /// Whose cases these are.
    pub home: Home,
    /// The layout, or `packet` for what holds of all packets.
    pub layout: String,
    /// The section's heading.
    pub section: Option<String>,
    /// The section's tables.
    pub table: Table,
    /// The line of the first row of the tables.
    pub table_line: usize,
    /// Sentences beside the tables, by name.
    pub notes: Vec<String>,
    /// Rules of the dialect, said a second time: family cases that need them cannot hold them.
    pub rules: Vec<String>,
    /// The cases.
    pub cases: Vec<Arc<Case>>,
    /// Whether its cases stand beside those of the parent's file, not in their place.
    pub beside_parent: bool,
    /// The dialect whose file this is in truth, where the cases came from there with other ids.
    pub inherited: Option<String>,
}

/// Whose cases a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// One dialect's.
    Dialect(String),
    /// Those of every dialect that has the layout.
    Family,
    /// Those of every double-precision dialect that has the layout.
    Double,
}

impl Home {
    /// Whether it is this dialect, in whatever precision.
    fn is_of(&self, dialect: &Dialect) -> bool {
        matches!(self, Self::Dialect(name) if name == dialect.base())
    }
}

/// What stands for a layout in the file of what holds of all packets.
pub const PACKET: &str = "packet";
/// What stands for a layout in the file of packets with their length in front.
pub const FRAMING: &str = "framing";

impl File {
    /// Whether these are cases of several dialects: their headers come from the specs.
    pub fn is_shared(&self) -> bool {
        matches!(self.home, Home::Family | Home::Double)
    }

    /// Whether these are cases of one type: not what holds of all packets.
    pub fn is_of_a_type(&self) -> bool {
        self.layout != PACKET && self.layout != FRAMING
    }

    /// Whether these are cases of this dialect alone, in whatever precision.
    pub fn is_of(&self, dialect: &Dialect) -> bool {
        self.home.is_of(dialect)
    }

    /// Where these cases stand in a dialect's report: at the id of their layout, the packet's last.
    /// `None` where they do not belong to it.
    pub fn place_in(&self, dialect: &Dialect) -> Option<u32> {
        let here = match &self.home {
            Home::Dialect(_) => self.is_of(dialect),
            Home::Family => true,
            Home::Double => dialect.precision == Precision::Double,
        };
        if !here {
            return None;
        }
        match self.layout.as_str() {
            PACKET => return Some(dialect.max),
            FRAMING => return Some(dialect.max + 1),
            _ => {}
        }
        dialect.layouts.id_of(&self.layout).and_then(|layout| dialect.id_of(layout))
    }

    /// The cases that hold in a dialect. In double precision, what was written for single precision holds where it has
    /// no real.
    pub fn cases_in<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = &'a Arc<Case>> {
        let here = self.place_in(dialect).is_some();
        let widened = dialect.precision == Precision::Double && self.home != Home::Double;
        let layout = dialect.layouts.id_of(&self.layout).map(|layout| dialect.layouts.get(layout));
        let none = !here || widened && layout.is_some_and(|layout| dialect.widens(layout));
        let cases = if none { &[] } else { self.cases.as_slice() };
        cases.iter().filter(move |case| case.holds_in(dialect) && !(widened && case.has_reals(dialect)))
    }

    /// A problem at a line of this file.
    pub fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, message: message.into() }
    }
}

/// Reads a corpus file.
pub(super) fn load(path: &str, text: &str, specs: &Specs) -> Result<File, Problem> {
    Loader { path, text }.file(specs)
}

/// Reads `flags.yaml`.
pub(super) fn load_flags(path: &str, text: &str) -> Result<Vec<(String, String)>, Problem> {
    let loader = Loader { path, text };
    let Words(flags) = loader.parse()?;
    let mut seen = BTreeSet::new();
    for (flag, _) in &flags {
        if !seen.insert(flag) {
            return Err(loader.problem(0, format!("flag {flag} is described twice")));
        }
    }
    Ok(flags)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFile {
    dialect: Option<String>,
    #[serde(default)]
    family: bool,
    #[serde(default)]
    double: bool,
    #[serde(rename = "type")]
    layout: String,
    section: Option<String>,
    #[serde(default)]
    tables: String,
    /// In a dialect that extends another: these cases stand beside those of its parent's file, not in their place.
    #[serde(default)]
    beside_parent: bool,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    rules: Vec<String>,
    cases: Vec<RawCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    name: String,
    class: RawClass,
    #[serde(default)]
    flags: Vec<String>,
    level: Option<RawLevel>,
    because: Option<String>,
    authority: Option<String>,
    #[serde(default)]
    covers: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    objects: bool,
    #[serde(default)]
    reencode: bool,
    why: Option<RawWhy>,
    value: Option<Node>,
    bytes: Option<String>,
    rejects: Option<String>,
    used: Option<usize>,
    erratum: Option<String>,
    framing: Option<String>,
    document: Option<RawDeparture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDeparture {
    erratum: String,
    class: Option<RawClass>,
    why: Option<RawWhy>,
    value: Option<Node>,
    bytes: Option<String>,
    rejects: Option<String>,
    used: Option<usize>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum RawClass {
    Canonical,
    Readable,
    Invalid,
    Open,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum RawLevel {
    Must,
    Should,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum RawWhy {
    Silent,
    ContradictsItself,
    EnginesDiffer,
}

/// A map of words, in order.
struct Words(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordsVisitor;
        impl<'de> Visitor<'de> for WordsVisitor {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of flags and what they mean")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Words, A::Error> {
                let mut words = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    words.push(pair);
                }
                Ok(Words(words))
            }
        }
        deserializer.deserialize_map(WordsVisitor)
    }
}

struct Loader<'a> {
    path: &'a str,
    text: &'a str,
}

impl Loader<'_> {
    fn file(&self, specs: &Specs) -> Result<File, Problem> {
        let raw: RawFile = self.parse()?;
        let home = self.home(&raw, specs)?;
        let of_a_type = raw.layout != PACKET && raw.layout != FRAMING;
        if of_a_type && specs.layouts.id_of(&raw.layout).is_none() {
            let line = self.line_of("type:", 1);
            return Err(
                self.problem(line, format!("no layout is called {:?}; layouts are in specs/layouts.yaml", raw.layout))
            );
        }
        let table_line = self.line_of("tables:", 1) + 1;
        let table = Table::parse(&raw.tables).map_err(|(row, message)| self.problem(table_line + row, message))?;
        let case = |case| self.case(case, &home, specs).map(Arc::new);
        let cases = raw.cases.into_iter().map(case).collect::<Result<Vec<_>, _>>()?;
        let mut names = BTreeSet::new();
        for case in &cases {
            if !names.insert(&case.name) {
                let line = self
                    .text
                    .lines()
                    .enumerate()
                    .filter(|(_, line)| names_case(line, &case.name))
                    .map(|(n, _)| n + 1)
                    .nth(1);
                return Err(self.problem(
                    line.unwrap_or(case.line),
                    format!("there is a case {} already; names are unique", case.name),
                ));
            }
        }
        Ok(File {
            path: self.path.to_owned(),
            home,
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

    fn home(&self, raw: &RawFile, specs: &Specs) -> Result<Home, Problem> {
        match (&raw.dialect, raw.family, raw.double) {
            (None, true, false) => Ok(Home::Family),
            (None, false, true) => Ok(Home::Double),
            (Some(name), false, false) => match specs.dialects.iter().find(|dialect| dialect.name == *name) {
                Some(_) => Ok(Home::Dialect(name.clone())),
                None => {
                    let names: Vec<&str> = specs.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
                    let message = format!("no dialect is called {name:?}; there are {}", names.join(", "));
                    Err(self.problem(self.line_of("dialect:", 1), message))
                }
            },
            (_, _, _) => Err(self.problem(1, "a file has one of `dialect: NAME`, `family: true` and `double: true`")),
        }
    }

    fn case(&self, raw: RawCase, home: &Home, specs: &Specs) -> Result<Case, Problem> {
        let line = self.text.lines().position(|line| names_case(line, &raw.name)).map_or(0, |index| index + 1);
        let here = |message: String| self.problem(line, format!("case {}: {message}", raw.name));
        if let Some(need) = raw.needs.iter().find(|need| !Dialect::knows(need)) {
            return Err(here(format!("`needs:` no rule is called {need:?}; rules are in specs/*.yaml")));
        }
        if let (Home::Dialect(name), Some(own)) = (home, specs.dialects.iter().find(|dialect| home.is_of(dialect)))
            && let Some(need) = raw.needs.iter().find(|need| !own.has(need))
        {
            return Err(here(format!("`needs:` {name} itself has not {need:?}; what its heirs need may stand here")));
        }
        let engine = Side {
            class: class(raw.class),
            why: raw.why.map(why),
            value: raw.value.map(expand).transpose().map_err(&here)?,
            listing: self.listing(raw.bytes.as_deref(), line, 1)?,
            rejects: raw.rejects.as_deref().map(rejects).transpose().map_err(&here)?,
            used: raw.used,
        };
        check_side(&engine, raw.reencode).map_err(&here)?;
        let which = 1 + usize::from(raw.bytes.is_some());
        let document = match raw.document {
            Some(document) => Some(self.departure(document, &engine, line, which, &here)?),
            None => None,
        };
        let framing = |name: &String| {
            Framing::from_name(name).ok_or_else(|| here(format!("`framing: {name}`; there are u32le and u32be")))
        };
        let framing = raw.framing.as_ref().map(framing).transpose()?;
        let level = if matches!(raw.level, Some(RawLevel::Should)) { Level::Should } else { Level::Must };
        if (level == Level::Should || raw.authority.is_some()) && raw.because.is_none() {
            return Err(here("`level: should` and `authority:` need `because:`, one sentence".to_owned()));
        }
        Ok(Case {
            name: raw.name.clone(),
            line,
            flags: raw.flags,
            level,
            because: raw.because,
            authority: raw.authority,
            covers: raw.covers,
            needs: raw.needs,
            objects: raw.objects,
            reencode: raw.reencode,
            erratum: raw.erratum,
            framing,
            engine,
            document,
        })
    }

    fn departure(
        &self,
        raw: RawDeparture,
        engine: &Side,
        line: usize,
        which: usize,
        here: &impl Fn(String) -> Problem,
    ) -> Result<Departure, Problem> {
        let class = raw.class.map_or(engine.class, class);
        let listing = self.listing(raw.bytes.as_deref(), line, which)?;
        let rejects = raw.rejects.as_deref().map(rejects).transpose().map_err(here)?;
        let side = Side {
            class,
            why: raw.why.map(why),
            // What a refused packet means, or why one that means something is refused, is not taken over.
            value: raw.value.or_else(|| engine.value.clone().filter(|_| class != Class::Invalid)),
            used: raw.used.or(engine.used.filter(|_| listing.is_none())),
            listing: listing.or_else(|| engine.listing.clone()),
            rejects: rejects.or(engine.rejects.filter(|_| class == Class::Invalid)),
        };
        check_side(&side, false).map_err(|message| here(format!("document: {message}")))?;
        Ok(Departure { erratum: raw.erratum, side })
    }

    /// The listing under the `which`th `bytes: |` behind `line`.
    fn listing(&self, text: Option<&str>, line: usize, which: usize) -> Result<Option<Listing>, Problem> {
        let Some(text) = text else { return Ok(None) };
        let key = self
            .text
            .lines()
            .enumerate()
            .skip(line)
            .filter(|(_, line)| line.trim_start().starts_with("bytes:"))
            .nth(which - 1);
        let first = key.map_or(line, |(index, _)| index + 2);
        Listing::parse(text, first).map(Some).map_err(|(line, message)| self.problem(line, message))
    }

    fn parse<'de, T: Deserialize<'de>>(&'de self) -> Result<T, Problem> {
        serde_yaml::from_str(self.text).map_err(|error| {
            let line = error.location().map_or(0, |location| location.line());
            let advice =
                if self.text.contains("[!null]") { "; `!null` needs a space before a bracket: `[!null ]`" } else { "" };
            self.problem(line, format!("{}{advice}", yaml_words(&error)))
        })
    }

    /// The `nth` line that begins with this key, 0 where there is none.
    fn line_of(&self, key: &str, nth: usize) -> usize {
        let mut lines = self.text.lines().enumerate().filter(|(_, line)| line.starts_with(key));
        lines.nth(nth - 1).map_or(0, |(index, _)| index + 1)
    }

    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.to_owned(), line, message: message.into() }
    }
}

fn names_case(line: &str, name: &str) -> bool {
    let rest = line.trim_start().strip_prefix("- name:");
    rest.is_some_and(|rest| rest.split('#').next().unwrap_or_default().trim().trim_matches('"') == name)
}

/// Long values in few words: `{times: 300, item: VALUE}` is a list, `{times: 300, text: "a"}` a text.
fn expand(node: Node) -> Result<Node, String> {
    match node {
        Node::Tagged(tag, body) => Ok(Node::Tagged(tag, Box::new(expand(*body)?))),
        Node::List(nodes) => nodes.into_iter().map(expand).collect::<Result<_, _>>().map(Node::List),
        Node::Map(pairs) => match pairs.as_slice() {
            [(first, Node::Int(times)), (second, what)] if first == "times" => {
                let times = usize::try_from(*times).ok().filter(|times| *times <= MOST_TIMES);
                let times = times.ok_or_else(|| format!("`times:` is at most {MOST_TIMES}"))?;
                match (second.as_str(), what) {
                    ("item", item) => Ok(Node::List(vec![expand(item.clone())?; times])),
                    ("text", Node::Text(text)) => Ok(Node::Text(text.repeat(times))),
                    _ => Err("beside `times:` stands `item: VALUE` or `text: \"…\"`".to_owned()),
                }
            }
            _ => Ok(Node::Map(pairs)),
        },
        Node::Null | Node::Bool(_) | Node::Int(_) | Node::BigInt(_) | Node::Real(_) | Node::Text(_) => Ok(node),
    }
}

/// More than any case needs.
const MOST_TIMES: usize = 1 << 20;

/// What each class must have, and must not.
fn check_side(side: &Side, reencode: bool) -> Result<(), String> {
    let has = |there: bool, what: &str| {
        if there { Ok(()) } else { Err(format!("a {} case needs {what}", side.class.name())) }
    };
    match side.class {
        Class::Canonical | Class::Readable => {
            has(side.value.is_some() != reencode, "`value:`, or `reencode: true` where no JSON can hold it")?;
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

/// `KIND at OFFSET`.
fn rejects(text: &str) -> Result<Rejects, String> {
    let parsed = text
        .split_once(" at ")
        .and_then(|(kind, at)| Some(Rejects { kind: Refusal::from_name(kind)?, at: at.parse().ok()? }));
    parsed.ok_or_else(|| {
        let kinds: Vec<_> = Refusal::ALL.iter().map(|kind| kind.name()).collect();
        format!("`rejects: {text}` is not KIND at OFFSET; kinds are {}", kinds.join(", "))
    })
}

fn class(raw: RawClass) -> Class {
    match raw {
        RawClass::Canonical => Class::Canonical,
        RawClass::Readable => Class::Readable,
        RawClass::Invalid => Class::Invalid,
        RawClass::Open => Class::Open,
    }
}

fn why(raw: RawWhy) -> Why {
    match raw {
        RawWhy::Silent => Why::Silent,
        RawWhy::ContradictsItself => Why::ContradictsItself,
        RawWhy::EnginesDiffer => Why::EnginesDiffer,
    }
}
