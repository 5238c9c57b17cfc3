//! Packets with their length prefix: asked only of those who say that they know it.

use std::sync::Arc;

use rstest::rstest;
use serde_json::Value as Json;
use tempfile::TempDir;
use variant_codec::{Framing, Value};
use variant_specs::{JudgedBy, Specs};
use variant_values::implementation::{Implementation, Input, Request};
use variant_values::protocol::write_request;
use variant_values::reference::Reference;

use crate::support::{CONFORM, conform, record_in, scripted};

/// The verdicts of a run, by ask.
fn verdicts(args: &[&str]) -> Vec<(String, String)> {
    let out = TempDir::new().unwrap();
    let folder = out.path().to_str().unwrap();
    conform(&[&["run", "--out", folder, "--quick", "--only", "godot-3/framing/*"], args].concat());
    let results = record_in(out.path()).verdicts;
    results.iter().map(|result| (result.test.to_string(), result.verdict.name().to_owned())).collect()
}

#[test]
fn who_does_not_list_framing_is_not_asked() {
    let verdicts = verdicts(&["--", "python3", &scripted("null.py")]);
    assert!(verdicts.len() > 20);
    for (test, verdict) in &verdicts {
        let bare = test.contains("a-packet-peer-sends-the-bare-packet");
        assert_eq!(verdict == "not-supported", !bare, "{test}: {verdict}");
    }
}

#[rstest]
#[case::reference(&[])]
#[case::served(&["--", CONFORM, "serve"])]
fn who_lists_it_is_asked(#[case] args: &[&str]) {
    let verdicts = verdicts(args);
    assert!(verdicts.len() > 20 && verdicts.iter().all(|(_, verdict)| verdict == "pass"), "{verdicts:?}");
}

#[test]
fn who_lists_one_framing_is_asked_that_one() {
    let verdicts = verdicts(&["--", "python3", &scripted("framed.py"), r#"{"framing":["u32le"]}"#]);
    let asked: Vec<_> = verdicts.iter().filter(|(_, verdict)| verdict != "not-supported").collect();
    assert!(asked.len() > 3 && asked.len() < verdicts.len(), "{verdicts:?}");
    for (test, verdict) in asked {
        assert!(verdict == "pass" && !test.contains("big-endian"), "{test}: {verdict}");
    }
}

#[test]
fn options_stand_in_the_request() {
    let specs = Specs::builtin().unwrap();
    let handshake = Reference::new(&specs, JudgedBy::Engines).handshake().clone();
    let mut line = Vec::new();
    let input = Input::Encode(Value::Null);
    let request =
        Request { dialect: Arc::from("godot-3"), input, objects: true, framing: Some(Framing::U32Be), kind: None };
    write_request(&mut line, 7, &request, &specs.layouts, &handshake);
    let json: Json = serde_json::from_slice(&line).unwrap();
    assert_eq!(json["options"], serde_json::json!({"objects": true, "framing": "u32be"}));
}

/// One packet, two generations of one engine.
#[test]
fn explain_says_which_ids_collide() {
    let output = conform(&["explain", "25000000 01000000 0000803f 00000040 00004040 00008040"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn explain_reads_the_length_too() {
    let output =
        conform(&["explain", "0c000000 01000000 01000000 63000000 0800", "--framing", "u32le", "--dialect", "mole"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}
