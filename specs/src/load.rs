//! Loading `specs/*.yaml`: everything is checked here, with file and line, so that nothing later has to.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::notation::{Pairs, RawConcern, RawDialect, RawDocument, RawErratum, RawLayout, RawRules, RawType};
use crate::{Concern, Dialect, Document, Erratum, Evidence, Header, Layout, Layouts, Precision, Rules, Shape, Type};

/// All that the documents say, and where engines part from them.
#[derive(Debug, Clone)]
pub struct Specs {
    /// The layouts of the family.
    pub layouts: Arc<Layouts>,
    /// The dialects, in the order of loading.
    pub dialects: Vec<Dialect>,
    /// The documents.
    pub documents: Vec<Document>,
    /// The errata.
    pub errata: Vec<Erratum>,
}

/// One YAML file: its name for messages, and its text.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// How messages call it.
    pub file: &'a str,
    /// What stands in it.
    pub text: &'a str,
}

/// Why a file of `specs/` could not be loaded, and where: one line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for LoadError {}

const LAYOUTS: Source<'static> = Source { file: "specs/layouts.yaml", text: include_str!("../layouts.yaml") };
const DOCUMENTS: Source<'static> = Source { file: "specs/documents.yaml", text: include_str!("../documents.yaml") };
const ERRATA: Source<'static> = Source { file: "specs/errata.yaml", text: include_str!("../errata.yaml") };
/// A parent stands before its children.
const DIALECTS: &[Source<'static>] = &[Source { file: "specs/godot-3.yaml", text: include_str!("../godot-3.yaml") }];

impl Specs {
    /// The data that stands beside this crate.
    ///
    /// # Errors
    /// With file and line where a file is not well formed: seen only while one is being edited.
    pub fn builtin() -> Result<Self, LoadError> {
        Self::load(LAYOUTS, DOCUMENTS, ERRATA, DIALECTS)
    }

    /// The data in these files.
    ///
    /// # Errors
    /// The first thing that is wrong, with file and line.
    pub fn load(
        layouts: Source<'_>,
        documents: Source<'_>,
        errata: Source<'_>,
        dialects: &[Source<'_>],
    ) -> Result<Self, LoadError> {
        let mut specs = Self {
            layouts: Arc::new(load_layouts(layouts)?),
            dialects: Vec::new(),
            documents: load_documents(documents)?,
            errata: Vec::new(),
        };
        specs.errata = specs.load_errata(errata)?;
        for source in dialects {
            specs.add_dialect(*source)?;
        }
        Ok(specs)
    }

    /// Adds the dialect in this file, which may extend one that is there already.
    ///
    /// # Errors
    /// The first thing that is wrong, with file and line.
    pub fn add_dialect(&mut self, source: Source<'_>) -> Result<&Dialect, LoadError> {
        let raw: RawDialect = parse(source)?;
        if self.dialect(&raw.dialect).is_some() {
            return Err(source.error_at(
                "dialect",
                format!("there is a dialect {} already; give this one another name", raw.dialect),
            ));
        }
        let parent = match &raw.extends {
            None => None,
            Some(name) => Some(self.dialect(name).cloned().ok_or_else(|| {
                source.error_at("extends", format!("no dialect {name}; there are {}", self.dialect_names()))
            })?),
        };
        let dialect = self.resolve(source, raw, parent.as_ref())?;
        self.dialects.push(dialect);
        Ok(&self.dialects[self.dialects.len() - 1])
    }

    /// The dialect of this name.
    pub fn dialect(&self, name: &str) -> Option<&Dialect> {
        self.dialects.iter().find(|dialect| dialect.name == name)
    }

    /// The names of all dialects, for a message.
    pub fn dialect_names(&self) -> String {
        self.dialects.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The erratum of this id.
    pub fn erratum(&self, id: &str) -> Option<&Erratum> {
        self.errata.iter().find(|erratum| erratum.id == id)
    }

    /// The erratum that explains cases derived by a rule about a field of a layout.
    pub fn erratum_of_derived(&self, rule: &str, layout: &str, field: &str) -> Option<(&Erratum, &Concern)> {
        let concerns =
            self.errata.iter().flat_map(|erratum| erratum.derived.iter().map(move |concern| (erratum, concern)));
        concerns.into_iter().find(|(_, concern)| concern.is_about(rule, layout, field))
    }

    fn resolve(&self, source: Source<'_>, raw: RawDialect, parent: Option<&Dialect>) -> Result<Dialect, LoadError> {
        let required = |key: &str| {
            source.error_at("dialect", format!("`{key}:` is missing; only a dialect with `extends:` may leave it out"))
        };
        let documents = raw.documents.or_else(|| parent.map(|parent| parent.documents.clone())).unwrap_or_default();
        for name in &documents {
            self.document_exists(source, name)?;
        }
        let header = match (&raw.header, parent) {
            (Some(header), _) => Header {
                id_mask: header.id_mask,
                document_id_mask: header.document_id_mask,
                unknown_flags: header.unknown_flags,
            },
            (None, Some(parent)) => parent.header,
            (None, None) => return Err(required("header")),
        };
        let rules = resolve_rules(&raw.rules, parent.map(|parent| &parent.rules))
            .map_err(|key| required(&format!("rules: {key}")))?;
        let document_base = parent.map_or(&rules, |parent| &parent.document_rules);
        let document_rules = resolve_rules(&raw.document_rules, Some(document_base)).map_err(|key| required(&key))?;
        let types = if raw.types.0.is_empty() {
            parent.map(|parent| parent.types.clone()).ok_or_else(|| required("types"))?
        } else {
            self.resolve_types(source, &raw.types, &documents)?
        };
        let max = raw.max.or(parent.map(|parent| parent.max)).ok_or_else(|| required("max"))?;
        check_ids(source, &types, max, &header)?;
        Ok(Dialect {
            name: raw.dialect,
            layouts: Arc::clone(&self.layouts),
            documents,
            header,
            precision: raw.precision.or(parent.map(|parent| parent.precision)).unwrap_or(Precision::Single),
            depth: raw.depth.or(parent.map(|parent| parent.depth)).ok_or_else(|| required("depth"))?,
            max,
            rules,
            document_rules,
            types,
        })
    }

    fn resolve_types(
        &self,
        source: Source<'_>,
        raw: &Pairs<u32, RawType>,
        documents: &[String],
    ) -> Result<Vec<Type>, LoadError> {
        refuse_repeats(source, raw.0.iter().map(|(id, _)| id))?;
        let mut layouts = BTreeSet::new();
        let mut types = Vec::new();
        for (id, entry) in &raw.0 {
            let layout = self.layouts.id_of(&entry.layout).ok_or_else(|| {
                source.error_at(&id.to_string(), format!("type {id}: no layout {} in layouts.yaml", entry.layout))
            })?;
            if !layouts.insert(layout) {
                return Err(
                    source.error_at(&id.to_string(), format!("type {id}: layout {} has an id already", entry.layout))
                );
            }
            for (document, _) in &entry.labels.0 {
                if !documents.contains(document) {
                    return Err(source.error_at(
                        &id.to_string(),
                        format!("type {id}: a label of {document}, which is not in `documents:`"),
                    ));
                }
            }
            types.push(Type {
                id: *id,
                layout,
                section: entry.section.clone(),
                labels: entry.labels.0.iter().map(|(d, l)| (d.clone(), l.clone())).collect(),
            });
        }
        types.sort_by_key(|entry| entry.id);
        Ok(types)
    }

    fn load_errata(&self, source: Source<'_>) -> Result<Vec<Erratum>, LoadError> {
        let raw: Vec<RawErratum> = parse(source)?;
        refuse_repeats(source, raw.iter().map(|erratum| &erratum.id))?;
        raw.into_iter().map(|erratum| self.resolve_erratum(source, erratum)).collect()
    }

    fn resolve_erratum(&self, source: Source<'_>, raw: RawErratum) -> Result<Erratum, LoadError> {
        let refuse = |message: String| Err(source.error_at(&raw.id, message));
        for name in &raw.documents {
            self.document_exists(source, name)?;
        }
        if raw.evidence.is_empty() {
            return refuse(format!(
                "erratum {} has no evidence; an engine, a version and a packet belong there",
                raw.id
            ));
        }
        for evidence in &raw.evidence {
            let hex = evidence.packet.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !hex || evidence.packet.len() % 2 != 0 {
                return refuse(format!("erratum {}: packet {:?} is not hex", raw.id, evidence.packet));
            }
        }
        Ok(Erratum {
            id: raw.id,
            documents: raw.documents,
            rows: raw.rows,
            says: raw.says,
            engines_do: raw.engines_do,
            evidence: raw
                .evidence
                .into_iter()
                .map(|e| Evidence { engine: e.engine, version: e.version, packet: e.packet, shows: e.shows })
                .collect(),
            since: raw.since,
            derived: raw.derived.into_iter().map(concern).collect(),
        })
    }

    fn document_exists(&self, source: Source<'_>, name: &str) -> Result<(), LoadError> {
        if self.documents.iter().any(|document| document.name == name) {
            return Ok(());
        }
        Err(source.error_at("documents", format!("no document {name} in documents.yaml")))
    }
}

fn concern(raw: RawConcern) -> Concern {
    Concern { rule: raw.rule, layout: raw.layout, field: raw.field, exempts_negative: raw.exempts_negative }
}

fn load_layouts(source: Source<'_>) -> Result<Layouts, LoadError> {
    let raw: Pairs<String, RawLayout> = parse(source)?;
    refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
    let layouts = raw.0.into_iter().map(|(name, raw)| resolve_layout(source, name, raw)).collect::<Result<_, _>>()?;
    Ok(Layouts::new(layouts))
}

fn resolve_layout(source: Source<'_>, name: String, raw: RawLayout) -> Result<Layout, LoadError> {
    let numbers = matches!(raw.shape, Shape::Fields | Shape::Packed);
    if numbers != raw.of.is_some() {
        return Err(source.error_at(
            &name,
            format!("layout {name}: `of:` belongs to the shapes `fields` and `packed`, and to them alone"),
        ));
    }
    if raw.shape != Shape::Packed && (raw.shape == Shape::Fields) == raw.fields.is_empty() {
        return Err(source.error_at(
            &name,
            format!("layout {name}: `fields:` belongs to the shapes `fields` and `packed`, and `fields` needs it"),
        ));
    }
    let meaning = raw.meaning.unwrap_or_else(|| raw.fields.clone());
    let places = |wire: &[String]| -> Option<Vec<usize>> {
        let places: Vec<usize> =
            wire.iter().filter_map(|field| meaning.iter().position(|other| other == field)).collect();
        let distinct: BTreeSet<_> = places.iter().collect();
        (distinct.len() == meaning.len() && wire.len() == meaning.len()).then_some(places)
    };
    let orders = (places(&raw.fields), places(raw.document_fields.as_ref().unwrap_or(&raw.fields)));
    let (Some(wire), Some(document_wire)) = orders else {
        return Err(source.error_at(
            &name,
            format!("layout {name}: `fields`, `document-fields` and `meaning` must be the same names, each once"),
        ));
    };
    Ok(Layout { name, shape: raw.shape, of: raw.of, fields: meaning, wire, document_wire })
}

fn load_documents(source: Source<'_>) -> Result<Vec<Document>, LoadError> {
    let raw: Pairs<String, RawDocument> = parse(source)?;
    refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
    let document = |(name, raw): (String, RawDocument)| Document {
        name,
        title: raw.title,
        engine: raw.engine,
        type_rows: raw.type_rows,
        field_rows: raw.field_rows,
    };
    Ok(raw.0.into_iter().map(document).collect())
}

/// The rules with the parent's where the file is silent; or the key that neither has.
fn resolve_rules(raw: &RawRules, parent: Option<&Rules>) -> Result<Rules, String> {
    macro_rules! rule {
        ($field:ident) => {
            raw.$field.or(parent.map(|parent| parent.$field)).ok_or_else(|| stringify!($field).replace('_', "-"))?
        };
    }
    Ok(Rules {
        wide_numbers: rule!(wide_numbers),
        text_ends_at_nul: rule!(text_ends_at_nul),
        text_drops_bom: rule!(text_drops_bom),
        string_array_nul: rule!(string_array_nul),
        byte_padding_optional_at_end: rule!(byte_padding_optional_at_end),
        old_node_path: rule!(old_node_path),
        shared_bit: rule!(shared_bit),
        keys: rule!(keys),
        rid: rule!(rid),
        object: rule!(object),
        unwritten_padding: rule!(unwritten_padding),
    })
}

fn check_ids(source: Source<'_>, types: &[Type], max: u32, header: &Header) -> Result<(), LoadError> {
    for (expected, entry) in (0..).zip(types) {
        if entry.id != expected {
            return Err(source.error_at(
                &entry.id.to_string(),
                format!("there is a type {} and none with id {expected}; ids have no gaps", entry.id),
            ));
        }
        if entry.id & header.id_mask != entry.id {
            return Err(source.error_at(
                &entry.id.to_string(),
                format!("id {} does not fit the id mask {:#x}", entry.id, header.id_mask),
            ));
        }
    }
    if usize::try_from(max) != Ok(types.len()) {
        return Err(source.error_at("max", format!("max is {max}, but there are {} types", types.len())));
    }
    Ok(())
}

fn parse<T: DeserializeOwned>(source: Source<'_>) -> Result<T, LoadError> {
    serde_yaml::from_str(source.text).map_err(|error| LoadError {
        file: source.file.to_owned(),
        line: error.location().map(|location| location.line()),
        message: error.to_string(),
    })
}

fn refuse_repeats<T: Ord + ToString>(source: Source<'_>, keys: impl Iterator<Item = T>) -> Result<(), LoadError> {
    let mut seen = BTreeSet::new();
    for key in keys {
        let name = key.to_string();
        if !seen.insert(key) {
            return Err(LoadError {
                file: source.file.to_owned(),
                line: source.lines_with(&name).nth(1),
                message: format!("{name} stands here a second time"),
            });
        }
    }
    Ok(())
}

impl Source<'_> {
    fn error_at(&self, key: &str, message: String) -> LoadError {
        LoadError { file: self.file.to_owned(), line: self.lines_with(key).next(), message }
    }

    /// The lines, from 1, on which this key (or the list entry with this id) begins.
    fn lines_with<'a>(&'a self, key: &'a str) -> impl Iterator<Item = usize> + 'a {
        let begins = move |line: &str| {
            let line = line.trim_start();
            let line = line.strip_prefix("- id:").unwrap_or(line).trim_start().trim_start_matches('"');
            line.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '"']))
        };
        self.text.lines().enumerate().filter(move |(_, line)| begins(line)).map(|(index, _)| index + 1)
    }
}
