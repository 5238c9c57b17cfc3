//! The definition for Kaitai Struct. That its compiler takes it without a warning, and what it reads, is for
//! `adapters/kaitai-javascript`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_yaml::Value;
use variant_document::kaitai;
use variant_specs::{Dialect, Specs};

fn definitions() -> Vec<(Dialect, Value)> {
    let specs = Specs::builtin().unwrap();
    let dialects = specs.dialects.iter().chain(&specs.doubles);
    dialects
        .map(|dialect| (dialect.clone(), serde_yaml::from_str(&kaitai(dialect, "1.2.3 abc").unwrap()).unwrap()))
        .collect()
}

#[test]
fn its_head_names_dialect_and_corpus_and_what_it_cannot_check() {
    let specs = Specs::builtin().unwrap();
    let text = kaitai(specs.dialect("godot-3+double").unwrap(), "1.2.3 abc").unwrap();
    assert!(
        text.starts_with(
            "# godot-3+double for Kaitai Struct, by `conform document --format kaitai`; corpus 1.2.3 abc\n"
        )
    );
    assert!(text.contains("id: godot_3_double\n") && text.contains("What this cannot check:\n  - Text:"), "{text}");
}

#[test]
fn every_type_has_its_id_and_what_it_calls_is_there() {
    for (dialect, definition) in definitions() {
        let ids = definition["enums"]["type_id"].as_mapping().unwrap();
        assert_eq!(ids.len(), dialect.types.len(), "{}", dialect.name);
        for entry in &dialect.types {
            assert_eq!(
                ids[&Value::from(entry.id)],
                Value::from(dialect.layout(entry).name.as_str()),
                "{}",
                dialect.name
            );
        }
        let types = definition["types"].as_mapping().unwrap();
        for (_, body) in types["variant"]["seq"][1]["type"]["cases"].as_mapping().unwrap() {
            let name = body.as_str().unwrap().split('(').next().unwrap();
            assert!(types.contains_key(name), "{}: {name}", dialect.name);
        }
    }
}

#[test]
fn reals_are_as_wide_as_the_dialect_says() {
    let number = |name: &str| {
        let (_, definition) = definitions().into_iter().find(|(dialect, _)| dialect.name == name).unwrap();
        definition["types"]["vector2_body"]["seq"][0]["type"].clone()
    };
    assert_eq!(number("godot-3"), Value::from("f4"));
    assert_eq!(number("godot-3+double"), Value::from("f8"));
    assert_eq!(number("godot-4.4")["switch-on"], Value::from("flag_1"));
}
