//! A finding as a corpus case: a file of its own, read again before it counts as saved.

use std::path::{Path, PathBuf};

use serde_yaml::Value as Yaml;
use serde_yaml::value::{Tag, TaggedValue};
use variant_codec::Value;
use variant_specs::{Dialect, Layouts, Precision, Specs};

use super::failed::Failed;
use super::oracle::Oracle;
use variant_corpus::test::hash;
use variant_corpus::verdict::{Reason, Verdict};
use variant_corpus::{Class, Corpus};
use variant_values::diagnostic::Problem;
use variant_values::disk;
use variant_values::explain::Explainer;
use variant_values::implementation::{Input, Request};
use variant_values::reference;
use variant_values::row::Columns;
use variant_values::sanitize::{self, short};
use variant_values::value_text::{Form, value_json};

/// The most letters of a comment.
const LONGEST: usize = 2000;

/// A case that shows the finding.
#[derive(Clone, Default)]
struct SavedCase {
    class: Class,
    why: Option<&'static str>,
    value: Option<Value>,
    /// Its value is too deep for JSON, so that its only test is `reencode`.
    reencode: bool,
    packet: Option<Vec<u8>>,
    rejects: Option<String>,
    /// How many bytes are consumed, if that is more than the packet has: its last padding may be missing.
    used: Option<usize>,
    /// What an encoder writes for the value of a readable case, if no case beside it says so.
    written: Option<Vec<u8>>,
}

/// Writes a finding under `folder`, and reads it again. Returns its path.
pub fn save(folder: &Path, found: &Failed, side: &str, specs: &Specs, oracle: &Oracle<'_>) -> Result<PathBuf, Problem> {
    let (dialect, test) = (oracle.dialect, &found.test);
    let digest = hash(&format!("{} {}", found.side, test.id)) & 0xffff_ffff;
    let name = format!("found-{}-{}-{digest:08x}", test.op.name(), found.kind());
    let path = folder.join(dialect.base()).join(format!("{}-{name}.yaml", test.layout));
    let cases = cases(found, oracle);
    let text = text(&name, found, &cases, side, dialect);
    let problem = |message| Problem { file: path.display().to_string(), line: 0, message };
    disk::write(&path, text.as_bytes()).map_err(|error| problem(format!("cannot be written: {error}")))?;
    let unreadable = |why| problem(format!("was written, but cannot be read again: {why}"));
    Corpus::load_file(&path, specs).map_err(unreadable)?;
    Ok(path)
}

/// The cases that show it. They expect what the reference codec does, or are open if nothing decides who is right.
fn cases(found: &Failed, oracle: &Oracle<'_>) -> Vec<SavedCase> {
    let (codec, framing) = (oracle.codec_for(&found.request), found.request.framing);
    let case = |class| SavedCase { class, ..SavedCase::default() };
    let silent = || SavedCase { why: Some("silent"), ..case(Class::Undecided) };
    let write = |value: &Value| reference::encode(codec, value, framing).ok();
    let canonical = |value: &Value| {
        let packet = write(value);
        // A value that is written as something else has no canonical form.
        let back = packet.as_ref().and_then(|packet| reference::decode(codec, packet, framing).ok());
        let comes_back = back.is_some_and(|decoded| decoded.value == *value);
        let case = if comes_back { case(Class::Canonical) } else { silent() };
        SavedCase { packet, value: Some(value.clone()), ..case }
    };
    let is_about_the_rest =
        matches!(found.judgement.verdict, Verdict::Fail(Reason::WrongLength | Reason::RefusedValid));
    let mut cases = match &found.request.input {
        Input::Encode(value) if write(value).is_some() => vec![canonical(value)],
        Input::Encode(value) => vec![SavedCase { value: Some(value.clone()), ..case(Class::Invalid) }],
        Input::Decode(packet) | Input::Reencode(packet) => match reference::decode(codec, packet, framing) {
            Err(error) => {
                let (packet, rejects) = (Some(packet.clone()), Some(error.to_string()));
                vec![SavedCase { packet, rejects, ..case(Class::Invalid) }]
            }
            // The bytes after the value are kept if a participant may have read them as part of it.
            Ok(decoded) if decoded.used < packet.len() && is_about_the_rest => {
                vec![SavedCase { packet: Some(packet.clone()), value: Some(decoded.value), ..silent() }]
            }
            Ok(decoded) => {
                let used = Some(decoded.used).filter(|used| *used > packet.len());
                let packet = &packet[..decoded.used.min(packet.len())];
                let written = canonical(&decoded.value);
                let (own, value) = (packet.to_vec(), Some(decoded.value));
                let readable = SavedCase { packet: Some(own), value, used, ..case(Class::Readable) };
                if written.packet.as_deref() == Some(packet) {
                    vec![written]
                } else if matches!(found.request.input, Input::Reencode(_)) && written.class == Class::Canonical {
                    // The packet shows what is wrong with reading it; the value, what is wrong with writing it again.
                    vec![readable, written]
                } else {
                    vec![SavedCase { written: written.packet, ..readable }]
                }
            }
        },
    };
    if found.undecided {
        for case in &mut cases {
            (case.class, case.why) = (Class::Undecided, Some("engines-differ"));
            (case.rejects, case.written) = (None, None);
        }
    }
    let layouts = &oracle.dialect.layouts;
    for case in &mut cases {
        if case.value.as_ref().is_some_and(|value| value_yaml(value, layouts).is_none()) {
            (case.value, case.reencode) = (None, true);
        }
    }
    cases
}

fn text(name: &str, found: &Failed, cases: &[SavedCase], side: &str, dialect: &Dialect) -> String {
    let sent = match &found.request.input {
        Input::Decode(packet) => format!("decode {}", hex::encode(packet)),
        Input::Reencode(packet) => format!("reencode {}", hex::encode(packet)),
        Input::Encode(_) => "encode the value".to_owned(),
    };
    let comments =
        [("Found by conform diff", found.test.id.to_string()), ("Sent", sent), ("Wrong is", side.to_owned())];
    let mut text: String = comments.iter().map(|(what, is)| format!("# {what}: {}\n", short(is, LONGEST))).collect();
    text.push_str("# Name the case after what you learn if it fails, and move it to the file of its type.\n");
    let cases = cases.iter().zip(["", "-written"]);
    let file = mapping([
        ("dialect", Some(dialect.base().into())),
        ("double", (dialect.precision == Precision::Double).then_some(true.into())),
        // A finding adds to the parent's cases; it does not replace them.
        ("beside-parent", dialect.parent.is_some().then_some(true.into())),
        ("type", Some(found.test.layout.as_ref().into())),
        ("cases", Some(cases.map(|(case, suffix)| yaml(&format!("{name}{suffix}"), case, found, dialect)).collect())),
    ]);
    // Plain data can always be written.
    text + &serde_yaml::to_string(&file).unwrap_or_default()
}

fn yaml(name: &str, case: &SavedCase, found: &Failed, dialect: &Dialect) -> Yaml {
    let request = &found.request;
    let listed = |packet: &Vec<u8>| Yaml::from(listing(packet, request, dialect));
    mapping([
        ("name", Some(name.into())),
        ("class", Some(case.class.name().into())),
        ("objects", request.objects.then_some(true.into())),
        ("framing", request.framing.map(|framing| framing.name().into())),
        ("why", case.why.map(Yaml::from)),
        ("value", case.value.as_ref().and_then(|value| value_yaml(value, &dialect.layouts))),
        ("reencode", case.reencode.then_some(true.into())),
        ("rejects", case.rejects.as_deref().map(Yaml::from)),
        ("used", case.used.map(Yaml::from)),
        ("bytes", case.packet.as_ref().map(listed)),
        ("written-as", case.written.as_ref().map(listed)),
    ])
}

/// A packet as a corpus case lists it, with the length prefix. Text is escaped as JSON may be: lint reads the same.
fn listing(packet: &[u8], request: &Request, dialect: &Dialect) -> String {
    let (framing, objects) = (request.framing, request.objects);
    let explainer = Explainer { framing, objects, uncut: true, ..Explainer::new(dialect) };
    let mut listing = String::new();
    for mut row in explainer.explain(packet).rows {
        if row.name == "?" {
            row.name = "rest".to_owned();
        }
        if !row.bytes.is_empty() {
            listing += &sanitize::json(&Columns::default().line(&row));
            listing.push('\n');
        }
    }
    listing
}

fn mapping<const N: usize>(pairs: [(&str, Option<Yaml>); N]) -> Yaml {
    let pairs = pairs.into_iter().filter_map(|(key, value)| Some((Yaml::from(key), value?)));
    Yaml::Mapping(pairs.collect())
}

/// A value as the corpus writes it: its JSON, with a tag where JSON has an object with one key. `None` if it is too deep to be read.
fn value_yaml(value: &Value, layouts: &Layouts) -> Option<Yaml> {
    fn tagged(yaml: Yaml, layouts: &Layouts) -> Yaml {
        let mapping = match yaml {
            Yaml::Sequence(items) => return items.into_iter().map(|item| tagged(item, layouts)).collect(),
            Yaml::Mapping(mapping) => mapping,
            other @ (Yaml::Null | Yaml::Bool(_) | Yaml::Number(_) | Yaml::String(_) | Yaml::Tagged(_)) => return other,
        };
        let is_layout = |key: &Yaml| key.as_str().is_some_and(|key| layouts.id_of(key).is_some());
        let one = mapping.len() == 1 && mapping.keys().all(is_layout);
        let mut pairs = mapping.into_iter().map(|(key, value)| (key, tagged(value, layouts)));
        if one && let Some((Yaml::String(tag), value)) = pairs.next() {
            return Yaml::Tagged(Box::new(TaggedValue { tag: Tag::new(tag), value }));
        }
        Yaml::Mapping(pairs.collect())
    }
    let json = serde_json::from_str(&value_json(value, layouts, Form::default())).ok()?;
    Some(tagged(json, layouts))
}
