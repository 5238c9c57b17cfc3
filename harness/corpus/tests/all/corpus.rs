//! Two readings of one document meet: the listings of the corpus, and the codec that the specs drive.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rstest::rstest;
use variant_codec::{Codec, Options, Spans};
use variant_corpus::{Case, Class, Corpus, File, Listing};
use variant_specs::{Dialect, Reading, Source, Specs};
use variant_wire::compare::{Comparison, compare};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> = LazyLock::new(|| Corpus::load(&folder(), &SPECS).unwrap());

#[rstest]
fn listings_and_codec_agree(#[files("../corpus/*/*.yaml")] path: PathBuf) {
    let named = |file: &File| Path::new(&file.path).canonicalize().unwrap() == path.canonicalize().unwrap();
    let disagreements: Vec<String> =
        CORPUS.files.iter().filter(|file| named(file)).flat_map(|file| disagreements(file, &SPECS)).collect();
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}

/// A program that was built here carries what stands here.
#[test]
fn the_program_carries_this_corpus() {
    let carried = Corpus::carried(&SPECS).unwrap();
    assert_eq!(carried.digest, CORPUS.digest);
    assert_eq!(carried.version, CORPUS.version);
    assert_eq!(carried.observed.len(), CORPUS.observed.len());
}

/// Facts that `conform selftest` does not change: the names of fields, which bits are refused as flags, the columns of the
/// documents, the class that stands for all others, and how paths of scripts begin.
#[rstest]
#[case::two_fields_swapped("layouts.yaml", "fields: [r, g, b, a]}\n\n# The", "fields: [g, r, b, a]}\n\n# The")]
#[case::id_mask_of_a_byte("godot-2.yaml", "{id-mask: 0xffffffff,", "{id-mask: 0xff,")]
#[case::documents_without_columns("godot-3.yaml", "document-fields: true", "document-fields: false")]
#[case::another_class_stands_in(
    "layouts.yaml",
    "shape: array, stand-in: EncodedObjectAsID",
    "shape: array, stand-in: Object"
)]
#[case::scripts_from_anywhere("layouts.yaml", ", scripts: \"res://\"}\narray", "}\narray")]
fn a_changed_fact_in_the_specs_is_noticed(#[case] file: &str, #[case] from: &str, #[case] to: &str) {
    let specs_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let read = |name: &str| {
        let text = std::fs::read_to_string(specs_folder.join(name)).unwrap();
        if name != file {
            return text;
        }
        assert!(text.contains(from), "{file} has changed; fix this test");
        text.replacen(from, to, 1)
    };
    let mut names = vec!["layouts.yaml", "documents.yaml", "errata.yaml"];
    names.extend(["godot-2.yaml", "godot-3.yaml", "godot-4.0.yaml", "godot-4.3.yaml", "godot-4.4.yaml"]);
    names.extend(["pandemonium-27.yaml", "pandemonium-38.yaml", "pandemonium-40.yaml"]);
    let texts: Vec<String> = names.iter().map(|name| read(name)).collect();
    let sources: Vec<Source<'_>> = texts.iter().map(|text| Source { file: "changed", text }).collect();
    let specs = Specs::load(sources[0], sources[1], sources[2], &sources[3..]).unwrap();
    let noticed = match Corpus::load(&folder(), &specs) {
        Err(_) => true,
        Ok(corpus) => corpus.files.iter().any(|file| !disagreements(file, &specs).is_empty()),
    };
    assert!(noticed, "nothing in the corpus holds {from:?}");
}

/// Rules about what is compared: no listing depends on them.
const ABOUT_COMPARING: [&str; 2] = ["dictionary-order", "unwritten-padding"];

/// A case holds each rule of each dialect, or the dialect's `packet.yaml` says it once more: another value of it is
/// noticed.
#[rstest]
#[case("godot-2.yaml")]
#[case("godot-3.yaml")]
#[case("godot-4.0.yaml")]
#[case("pandemonium-38.yaml")]
fn every_rule_is_held(#[case] file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let shared = ["layouts.yaml", "documents.yaml", "errata.yaml"].map(read);
    let (text, name) = (read(file), file.strip_suffix(".yaml").unwrap());
    let mut choices: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (rule, word, _) in SPECS.all().flat_map(|dialect| dialect.rules.variants()) {
        choices.entry(rule).or_default().insert(word);
    }
    choices.retain(|rule, _| !ABOUT_COMPARING.contains(rule));
    let mut unheld = Vec::new();
    for (rule, words) in &choices {
        let key = format!("\n  {rule}: ");
        for reading in ["\nrules:", "\ndocument-rules:"] {
            // Without documents there is one reading.
            let Some(section) = text.find(reading) else { continue };
            let end = section + text[section..].find("\n\n").unwrap();
            let Some(place) = text[section..end].find(&key) else { continue };
            let start = section + place + key.len();
            let word = text[start..].split_whitespace().next().unwrap();
            for other in words.iter().filter(|other| **other != word) {
                let changed = format!("{}{other}{}", &text[..start], &text[start + word.len()..]);
                let source = |text| Source { file: "changed", text };
                let [layouts, documents, errata] = [0, 1, 2].map(|index: usize| source(shared[index].as_str()));
                let specs = Specs::load(layouts, documents, errata, &[source(&changed)]).unwrap();
                let dialect = specs.dialect(name).unwrap();
                let mut own = CORPUS.files.iter().filter(|file| file.place_in(dialect).is_some());
                let held = own.any(|file| {
                    !disagreements(file, &specs).is_empty() || file.rules.iter().any(|rule| !dialect.rules.has(rule))
                });
                if !held {
                    unheld.push(format!("{} {rule}: {other}", reading.trim()));
                }
            }
        }
    }
    // Which texts the document means beyond Unicode is open.
    unheld.retain(|rule| rule != "document-rules: utf8: lenient");
    assert!(unheld.is_empty(), "nothing of {name} would notice {unheld:#?}");
}

fn disagreements(file: &File, specs: &Specs) -> Vec<String> {
    let mut found = Vec::new();
    for dialect in specs.all() {
        let documented = !dialect.documents.is_empty();
        for case in file.cases_in(dialect) {
            for reading in [Reading::Engine, Reading::Document].into_iter().take(1 + usize::from(documented)) {
                if let Err(message) = check(case, dialect, reading) {
                    found.push(format!(
                        "{}:{} {} in {} read as {}: {message}",
                        file.path,
                        case.line,
                        case.name,
                        dialect.name,
                        reading.name()
                    ));
                }
            }
        }
    }
    found
}

fn check(case: &Case, dialect: &Dialect, reading: Reading) -> Result<(), String> {
    let side = case.side(reading);
    let expected = side.expectation(dialect)?;
    let codec = Codec::new(dialect, reading).with(Options { objects: case.objects });
    let Some(packet) = &expected.packet else {
        let value = expected.value.ok_or("neither value nor bytes")?;
        let encoded = codec.encode(&value.value);
        return if expected.class == Class::Invalid && encoded.is_ok() {
            Err("encode must refuse this value".to_owned())
        } else {
            Ok(())
        };
    };
    let mut trace = Spans::default();
    let decoded = match case.framing {
        None => codec.decode_traced(&packet.bytes, &mut trace),
        Some(framing) => codec.decode_framed(&packet.bytes, framing),
    };
    match expected.class {
        Class::Open => Ok(()),
        Class::Invalid => {
            let rejects = expected.rejects.ok_or("no `rejects:`")?;
            let wanted = format!("{} at {}", rejects.kind.name(), rejects.at);
            match decoded {
                Ok(decoded) => Err(format!("decoded to {:?}, and must be refused as {wanted}", decoded.value)),
                Err(error) if error.to_string() == wanted => Ok(()),
                Err(error) => Err(format!("refused as {error}, and must be as {wanted}")),
            }
        }
        Class::Canonical | Class::Readable => {
            let decoded = decoded.map_err(|error| format!("refused as {error}"))?;
            if case.reencode {
                let same = codec.encode(&decoded.value).as_ref() == Ok(&packet.bytes);
                return if same { Ok(()) } else { Err("not encoded to the same bytes".to_owned()) };
            }
            let value = expected.value.as_ref().ok_or("no value")?;
            if compare(value, &decoded.value, &[], &dialect.layouts) != Comparison::Same {
                return Err(format!("decoded to {:?}, and the value is {:?}", decoded.value, value.value));
            }
            if Some(decoded.used) != expected.used {
                return Err(format!("{} bytes used, and must be {:?}", decoded.used, expected.used));
            }
            if expected.class == Class::Readable {
                return Ok(());
            }
            // A listing's names are those of the reading that it was written for.
            let own = reading == Reading::Engine || side.listing != case.engine.listing;
            if own && case.framing.is_none() {
                same_fields(side.listing.as_ref().ok_or("no listing")?, &trace)?;
            }
            let encoded = match case.framing {
                None => codec.encode(&value.value),
                Some(framing) => codec.encode_framed(&value.value, framing),
            };
            let encoded = encoded.map_err(|error| format!("cannot be encoded: {error}"))?;
            match packet.first_difference(&encoded) {
                None => Ok(()),
                Some(at) => Err(format!("encoded to {}, which differs at {at}", hex::encode(encoded))),
            }
        }
    }
}

/// Row by row the fields that the codec saw; a row `[*]` stands for as many as its bytes hold.
fn same_fields(listing: &Listing, trace: &Spans) -> Result<(), String> {
    let mut spans = trace.spans.iter().peekable();
    for row in &listing.rows {
        if row.name.contains("[*]") {
            while spans.next_if(|span| row.bytes().contains(&span.bytes.start)).is_some() {}
            continue;
        }
        match spans.next() {
            Some(span) if span.bytes == row.bytes() && span.path == row.name => {}
            Some(span) => {
                return Err(format!("row {} {} is the field {} {}", row.offset, row.name, span.bytes.start, span.path));
            }
            None => return Err(format!("row {} {} is no field", row.offset, row.name)),
        }
    }
    spans.next().map_or(Ok(()), |span| Err(format!("field {} has no row", span.path)))
}
