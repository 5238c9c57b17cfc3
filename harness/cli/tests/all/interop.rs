//! The exchange: its numbers are those of the records of the runs, counted by other code.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;
use variant_corpus::verdict::{Reason, Verdict};

use crate::support::{conform, record_in, scripted, stdout, text};

/// What a record of a run says of each test of a case: its verdict, and why it failed.
fn verdicts(folder: &TempDir, name: &str, side: &[&str]) -> BTreeMap<String, String> {
    let out = folder.path().join(name).display().to_string();
    let options = ["run", "--dialect", "godot-3", "--quick", "--out", &out];
    conform(&[&options, side].concat());
    let word = |verdict: Verdict| verdict.reason().map_or(verdict.name(), Reason::name).to_owned();
    let results = record_in(&folder.path().join(name)).verdicts;
    results.iter().map(|result| (result.test.to_string(), word(result.verdict))).collect()
}

fn places(list: &Value) -> Vec<usize> {
    list.as_array().unwrap().iter().map(|place| usize::try_from(place.as_u64().unwrap()).unwrap()).collect()
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn the_numbers_are_those_of_the_records() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("interop.jsonl").display().to_string();
    let scripts = ["column_major.py", "narrow_bool.py"].map(scripted);
    let commands = scripts.clone().map(|script| format!("python3 {script}"));
    let sides = ["reference", &commands[0], &commands[1]];
    let ran = conform(&[&["interop", "--dialect", "godot-3", "--out", &file], sides.as_slice()].concat());
    assert_eq!(ran.status.code(), Some(1), "two of them are faulty: {}", text(&ran));
    let records = [
        verdicts(&folder, "0", &[]),
        verdicts(&folder, "1", &["--", "python3", &scripts[0]]),
        verdicts(&folder, "2", &["--", "python3", &scripts[1]]),
    ];
    let exchanged = fs::read_to_string(&file).unwrap();
    let (mut checked, mut lost) = (0, 0);
    for case in exchanged.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let id = case["case"].as_str().unwrap();
        let verdict = |of: usize, op: &str| records.get(of)?.get(&format!("{id}:{op}")).map(String::as_str);
        for packet in case["packets"].as_array().unwrap() {
            let fates = packet["decode"].as_array().unwrap().iter().flat_map(|arrival| {
                places(&arrival["by"]).into_iter().map(|by| (by, arrival["fate"].as_str().unwrap().to_owned()))
            });
            let fates: BTreeMap<usize, String> = fates.collect();
            assert_eq!(fates.keys().copied().collect::<Vec<_>>(), places(&case["readers"]), "{id}: each reader once");
            for (writer, (reader, fate)) in
                places(&packet["from"]).into_iter().flat_map(|writer| fates.iter().map(move |fate| (writer, fate)))
            {
                // What is canonical arrives where the record says that it is read. What is not, and means another
                // value, arrives as that: the reference codec says so in both.
                let arrives = match (verdict(writer, "encode"), reader) {
                    (Some("pass"), reader) => verdict(*reader, "decode") == Some("pass"),
                    (Some("non-canonical"), 0) => true,
                    (Some("wrong-bytes"), 0) => false,
                    _ => continue,
                };
                assert_eq!(arrives, fate == "same", "{id}, from {writer} to {reader}");
                checked += 1;
                lost += usize::from(!arrives);
            }
        }
    }
    assert!(checked > 200 && lost > 2, "{checked} of which {lost} are lost");
    // The table says the same: the basis of the second does not arrive at the first.
    let table = stdout(&ran);
    let row = table.lines().map(str::trim).find(|line| line.starts_with("2 python3")).unwrap();
    assert!(row.contains("0/1+0/1"), "{table}");
    assert!(table.contains("godot-3/basis/"), "{table}");
    assert!(table.contains("Basis does not arrive whole: reference → python3 "), "{table}");
}

#[test]
fn a_cut_record_is_refused_with_its_reason() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("interop.jsonl");
    let site = folder.path().join("site").display().to_string();
    let shown = file.display().to_string();
    let made = conform(&["interop", "reference", "--dialect", "godot-2", "--out", &shown]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made));
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.rfind("\n{").unwrap()]).unwrap();
    let built = conform(&["site", &site, "--interop", &shown]);
    assert_eq!(built.status.code(), Some(2), "{}", text(&built));
    assert!(text(&built).contains("run `conform interop` again"), "{}", text(&built));
}

#[test]
fn a_named_side_that_speaks_no_wanted_dialect_is_refused() {
    let gated = format!("python3 {} none", scripted("gated.py"));
    let ran = conform(&["interop", "reference", &gated, "--dialect", "godot-2"]);
    assert_ne!(ran.status.code(), Some(0), "{}", text(&ran));
    assert!(text(&ran).contains("supports godot-3, which is not asked for"), "{}", text(&ran));
}

/// All that is required passes, but nobody knows of the rest: it is not the brightest green.
#[test]
fn a_badge_without_variants_is_not_the_brightest() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().display().to_string();
    conform(&["run", "--dialect", "godot-3", "--quick", "--out", &out]);
    let badge = conform(&["report", &out, "--format", "badge"]);
    assert!(stdout(&badge).contains("\"color\": \"green\""), "{}", text(&badge));
}
