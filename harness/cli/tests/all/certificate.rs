//! Certificates: none for what is wrong, and each sentence of one can be checked by its results.

use std::path::PathBuf;
use std::process::Output;
use std::sync::LazyLock;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{conform, scripted, sealed, text};

fn certify(folder: &TempDir, flaw: &str) -> (Output, PathBuf) {
    let out = folder.path().to_str().unwrap();
    let adapter = ["--", "python3", "harness/cli/tests/adapters/gated.py", flaw];
    let output =
        conform(&[["certify", "--dialect", "godot-3", "--timeout", "20", "--out", out].as_slice(), &adapter].concat());
    (output, folder.path().join("certificate.json"))
}

/// What is asked of a codec depends on what it is used for. The flaw `wrong` is about negative zeros, which are rare.
#[rstest]
#[case::a_rare_mistake("client", "wrong", None)]
#[case::of_a_server("server", "wrong", None)]
#[case::of_a_reader("save-reader", "wrong", None)]
#[case::it_dies("client", "dies", Some("asks for more: Godot 3.1–3.6 (godot-3): safe all but Vector2"))]
#[case::it_dies_as_it_writes("save-reader", "dies", None)]
#[case::it_dies_at_the_end("save-reader", "ends-badly", Some("it does not end as it should"))]
#[case::it_refuses(
    "save-reader",
    "reads-nothing",
    Some("the profile save-reader asks for more: Godot 3.1–3.6 (godot-3): reads all but Vector2")
)]
#[ignore = "takes long: .ci/run runs it"]
fn a_profile_says_what_is_asked(#[case] profile: &str, #[case] flaw: &str, #[case] lacks: Option<&str>) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    let wanted = ["certify", "--profile", profile, "--dialect", "godot-3", "--timeout", "20", "--out", out];
    let output = conform(&[wanted.as_slice(), &["--", "python3", &scripted("gated.py"), flaw]].concat());
    let path = folder.path().join("certificate.json");
    match lacks {
        None => {
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            let certificate: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(certificate["profile"], profile);
            let verified = conform(&["verify", path.to_str().unwrap()]);
            assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
        }
        Some(lacks) => {
            assert_eq!(output.status.code(), Some(1), "{}", text(&output));
            assert!(text(&output).contains(lacks) && !path.exists(), "{}", text(&output));
        }
    }
}

/// What later cases ask is said, and does not fail a certificate of an earlier conform.
#[test]
fn a_certificate_of_an_earlier_version_holds() {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    let results = folder.path().join("results.jsonl");
    let record = std::fs::read_to_string(&results).unwrap();
    let now = format!("\"conform\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let earlier =
        record.replacen(&now, "\"conform\":\"0.0.9\"", 1).replacen("\"digest\":\"sha256:", "\"digest\":\"sha256:00", 1);
    assert_ne!(earlier, record);
    let earlier = sealed(&earlier);
    std::fs::write(&results, &earlier).unwrap();
    let mut certificate: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let digest = certificate["corpus"]["digest"].as_str().unwrap().replacen("sha256:", "sha256:00", 1);
    certificate["corpus"]["digest"] = json!(digest);
    certificate["conform"] = json!("0.0.9");
    use sha2::Digest;
    certificate["results"] = json!(format!("sha256:{}", hex::encode(sha2::Sha256::digest(&earlier))));
    std::fs::write(&path, certificate.to_string()).unwrap();
    let verified = conform(&["verify", path.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
    assert!(text(&verified).contains("it is of conform 0.0.9, and this is "), "{}", text(&verified));
}

/// One that is right, made once.
static CERTIFIED: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let (output, _) = certify(&folder, "none");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    folder
});

/// A copy of it, and of its results.
fn certified(folder: &TempDir) -> PathBuf {
    for file in ["certificate.json", "results.jsonl"] {
        std::fs::copy(CERTIFIED.path().join(file), folder.path().join(file)).unwrap();
    }
    folder.path().join("certificate.json")
}

/// An adapter that only reencodes has tests of its own, also in a quick run, and a certificate that holds.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn what_only_reencodes_is_certified_too() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    let run = |command: &[&str], flaw: &str| {
        let adapter = ["--dialect", "godot-3", "--out", out, "--", "python3", &scripted("reencode_only.py"), flaw];
        conform(&[command, &adapter].concat())
    };
    let quick = run(&["run", "--quick"], "none");
    assert_eq!(quick.status.code(), Some(0), "{}", text(&quick));
    let quick = run(&["run", "--quick"], "wrong");
    assert_eq!(quick.status.code(), Some(1), "{}", text(&quick));
    let certified = run(&["certify", "--timeout", "20"], "none");
    assert_eq!(certified.status.code(), Some(0), "{}", text(&certified));
    let verified = conform(&["verify", folder.path().join("certificate.json").to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
}

#[test]
fn what_is_right_is_certified_and_the_certificate_holds() {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    let certificate: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        certificate["statement"],
        "gated 1 reads and writes what it supports without a wrong reply (profile engine). Godot 3.1–3.6 (godot-3) reads 1 of 27 types, writes 1, exact 1, safe 1"
    );
    let vector2 = &certificate["types"][5];
    assert_eq!((&vector2["type"], &vector2["id"]), (&json!("godot-3/vector2"), &json!(5)));
    assert_eq!((&vector2["reads"], &vector2["safe"]), (&json!(true), &json!(true)));
    assert_eq!(certificate["types"][4].get("reads"), None, "string is not supported");
    let verified = conform(&["verify", path.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
    assert!(text(&verified).starts_with("holds: gated 1 reads and writes what it supports"), "{}", text(&verified));
}

#[test]
fn what_is_wrong_is_not_certified() {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    assert!(path.is_file());
    let (output, path) = certify(&folder, "wrong");
    assert_eq!(output.status.code(), Some(1));
    let said = "no certificate: 1 failure (known failures count too); `conform report ";
    assert!(text(&output).contains(said), "{}", text(&output));
    assert!(!path.exists(), "the earlier one spoke of other results");
}

#[rstest]
#[case::a_total(|certificate: &mut Value| certificate["types"][5]["writes"] = json!(false), "types: the certificate says ")]
#[case::a_type_left_out(|certificate: &mut Value| { certificate["types"].as_array_mut().unwrap().remove(5); }, "types: these results say ")]
#[case::a_type_more(|certificate: &mut Value| { certificate["types"][4] = json!({"type": "godot-3/string", "id": 4, "reads": true}); }, "types: the certificate says ")]
#[case::the_statement(|certificate: &mut Value| certificate["statement"] = json!("all is well"), "statement: the certificate says \"all is well\"")]
#[case::the_implementation(|certificate: &mut Value| certificate["implementation"]["name"] = json!("another"), "implementation: the certificate says ")]
#[case::the_corpus(|certificate: &mut Value| certificate["corpus"]["digest"] = json!("sha256:00"), "corpus: the certificate says ")]
#[case::the_results(|certificate: &mut Value| certificate["results"] = json!("sha256:00"), "results.jsonl is not the certified file (sha256 00; it is sha256 ")]
fn what_does_not_hold_is_said(#[case] change: fn(&mut Value), #[case] said: &str) {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    let mut certificate: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut certificate);
    std::fs::write(&path, certificate.to_string()).unwrap();
    let verified = conform(&["verify", path.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(1), "{}", text(&verified));
    let lines: Vec<String> = text(&verified).lines().map(str::to_owned).collect();
    // What both have and is not the same is shown of each.
    assert!((1..=2).contains(&lines.len()), "{lines:?}");
    assert!(lines[0].starts_with(&format!("does not hold: {said}")), "{lines:?}");
}

/// Whatever was done to the results, that they are others is said first.
#[rstest]
#[case::one_byte(|text: String| text.replacen("\"verdict\":\"pass\"", "\"verdict\":\"open\"", 1))]
#[case::a_line_that_is_none(|text: String| text.replacen("{\"kind\":\"tally\"", "#\"kind\":\"tally\"", 1))]
#[case::a_line_left_out(|text: String| text.lines().enumerate().filter(|(at, _)| *at != 3).map(|(_, line)| format!("{line}\n")).collect())]
#[case::nothing_left(|_: String| String::new())]
fn results_that_were_changed_are_not_what_was_certified(#[case] change: fn(String) -> String) {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    let results = folder.path().join("results.jsonl");
    let before = std::fs::read_to_string(&results).unwrap();
    let after = change(before.clone());
    assert_ne!(before, after);
    std::fs::write(&results, after).unwrap();
    let verified = conform(&["verify", path.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(1), "{}", text(&verified));
    let said = "does not hold: results.jsonl is not the certified file (sha256 ";
    assert!(text(&verified).starts_with(said), "{}", text(&verified));
}

#[test]
fn what_claims_nothing_is_not_certified() {
    let folder = TempDir::new().unwrap();
    let (output, path) = certify(&folder, "claims-less");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("no certificate: nothing is supported"), "{}", text(&output));
    assert!(!path.exists());
}

/// Results from which cases were taken, footer and certificate made to fit.
#[test]
fn results_that_leave_cases_out_are_found_by_the_corpus() {
    let folder = TempDir::new().unwrap();
    let path = certified(&folder);
    let results = folder.path().join("results.jsonl");
    let whole = std::fs::read_to_string(&results).unwrap();
    let taken = "\"test\":\"godot-3/vector2/negative-zero-keeps-its-sign:decode\"";
    let mut lines: Vec<Value> =
        whole.lines().filter(|line| !line.contains(taken)).map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[0]["tests"] = json!(lines[0]["tests"].as_u64().unwrap() - 1);
    let end = lines.last_mut().unwrap();
    end["executed"] = json!(end["executed"].as_u64().unwrap() - 1);
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&results, sealed(&lines)).unwrap();
    let verified = conform(&["verify", path.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(1));
    let sentence = "does not hold: godot-3/vector2/negative-zero-keeps-its-sign:decode never ran";
    assert!(text(&verified).lines().any(|line| line == sentence), "{}", text(&verified));
}

#[rstest]
#[case::no_file("no-such.json", "cannot be read")]
#[case::no_certificate("Cargo.toml", "this is not a certificate")]
fn what_is_no_certificate_is_refused(#[case] file: &str, #[case] said: &str) {
    let output = conform(&["verify", file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains(said), "{}", text(&output));
}
