//! Adapters that hang, crash or never end: the guilty tests are blamed, everything else is judged, and nothing is left behind.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use rstest::rstest;
use tempfile::TempDir;
use variant_corpus::test::TestParts;
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::summary::direction;
use variant_wire::handshake::Op;
use variant_wire::sanitize::counted;

use crate::support::{command, scripted, stderr, stdout};

struct Told {
    output: Output,
    record: RunRecord,
    /// Tests with each verdict, passed and open ones left out.
    of: BTreeMap<&'static str, Vec<String>>,
}

/// Runs `faulty.py` on these tests of godot-3.
fn run(how: &str, place: &str, only: &str) -> Told {
    run_with(&["--only", only], how, place)
}

fn run_with(options: &[&str], how: &str, place: &str) -> Told {
    let folder = TempDir::new().unwrap();
    let out = folder.path().display().to_string();
    let args = ["run", "--dialect", "godot-3", "--out", &out];
    let adapter = ["--", "python3", &scripted("faulty.py"), how, place];
    let output = command(&args).args(options).args(adapter).output().unwrap();
    let file = std::fs::File::open(folder.path().join("results.jsonl"));
    let file = file.unwrap_or_else(|_| panic!("no record: {}", stderr(&output)));
    let record = RunRecord::read(std::io::BufReader::new(file)).unwrap();
    let mut of: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for result in record.verdicts.iter().filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Open)) {
        of.entry(result.verdict.name()).or_default().push(result.test.to_string());
    }
    Told { output, record, of }
}

const GUILTY: &str = "godot-3/aabb/position-then-size:decode";

/// One packet of `aabb`, and everything around it.
#[rstest]
#[case::hang("hang", "timed-out")]
#[case::stop("stop", "timed-out")]
#[case::drip("drip", "timed-out")]
#[case::noise("noise", "timed-out")]
#[case::half_a_line("half", "timed-out")]
#[case::closed_pipe("close", "crashed")]
#[case::crash("crash", "crashed")]
#[case::mid_reply("mid-reply", "crashed")]
#[case::no_newline("no-newline", "crashed")]
#[case::after_reply("after-reply", "crashed")]
fn one_packet_costs_one_test(#[case] how: &str, #[case] verdict: &'static str) {
    let told = run(how, "packet", "godot-3/{plane,aabb,basis}/**");
    assert_eq!(told.output.status.code(), Some(1), "{}{}", stdout(&told.output), stderr(&told.output));
    assert_eq!(told.of, BTreeMap::from([(verdict, vec![GUILTY.to_owned()])]));
    assert!(told.record.end.complete && told.record.end.executed == told.record.plan.tests);
}

/// Every rule of a type dies after a few tests, and the other types are tested in full.
#[rstest]
#[case::hang("hang", "timed-out")]
#[case::stop("stop", "timed-out")]
#[case::drip("drip", "timed-out")]
#[case::noise("noise", "timed-out")]
#[case::half_a_line("half", "timed-out")]
#[case::closed_pipe("close", "crashed")]
#[case::crash("crash", "crashed")]
#[case::mid_reply("mid-reply", "crashed")]
fn one_type_never_costs_the_rest(#[case] how: &str, #[case] verdict: &str) {
    let told = run_with(&["--timeout", "0.6", "--only", "godot-3/{plane,aabb,basis}/**"], how, "aabb");
    let text = stdout(&told.output);
    assert_eq!(told.output.status.code(), Some(1), "{text}{}", stderr(&told.output));
    assert_eq!(told.of.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from(["skipped", verdict]));
    assert!(told.of.values().flatten().all(|test| test.starts_with("godot-3/aabb/")), "{:?}", told.of);
    assert!(told.of[verdict].len() < 25, "{:?}", told.of[verdict]);
    assert!(told.record.end.complete);
    assert!(text.contains(" skipped, because similar tests crashed or timed out: decode aabb "), "{text}");
}

/// A rule that dies on every layout that it is about.
#[test]
fn one_rule_never_costs_the_rest() {
    let told = run("crash", "packed", "godot-3/{node_path,*_array}/**");
    assert_eq!(told.output.status.code(), Some(1));
    assert_eq!(told.of.keys().copied().collect::<Vec<_>>(), ["crashed", "skipped"]);
    for layout in ["byte", "int32", "float32", "string", "vector2", "vector3", "color"] {
        let of = |test: &&String| test.starts_with(&format!("godot-3/{layout}_array/"));
        let crashed = told.of["crashed"].iter().filter(of).count();
        assert!((1..40).contains(&crashed), "{layout}: {crashed}");
        assert!(
            told.record
                .tallies
                .iter()
                .any(|tally| tally.of == format!("godot-3/{layout}_array") && tally.op == Op::Encode)
        );
    }
    assert!(told.record.end.complete);
}

/// In a whole run, a fault of one rule or of several types costs only what is like it: every type has its results.
#[rstest]
#[case::hangs_on_every_huge_count("hang", "count", "timed-out")]
#[case::crashes_on_every_packed_array("crash", "packed", "crashed")]
fn every_type_is_tested(#[case] how: &str, #[case] place: &str, #[case] verdict: &str) {
    let told = run_with(&["--timeout", "0.6"], how, place);
    let text = stdout(&told.output);
    assert_eq!(told.output.status.code(), Some(1), "{text}{}", stderr(&told.output));
    assert!(told.record.end.complete && !text.contains("not run"), "{text}");
    assert_eq!(told.of.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from(["skipped", verdict]));
    let dialect = &told.record.plan.dialects[0];
    for layout in &dialect.types {
        let of = format!("godot-3/{layout}");
        for op in ["decode", "encode"] {
            let answered = told.record.verdicts.iter().any(|result| {
                let TestParts { layout: of_type, op: of_op, .. } = result.id();
                (of_type, direction(of_op)) == (layout, op) && result.verdict != Verdict::Skipped
            });
            assert!(answered, "{of}:{op} was not tested");
        }
        let passed = told.record.tallies.iter().filter(|tally| tally.of == of).map(|tally| tally.pass).sum::<usize>();
        assert!(passed > 0, "{of}");
    }
    // What was not tried is counted under the cause of what was.
    let skipped = told.record.verdicts.iter().filter(|result| result.verdict == Verdict::Skipped).count();
    assert_eq!(skipped, told.of["skipped"].len());
    assert!(text.contains(&format!("{} skipped", counted(skipped, "test"))), "{text}");
}

/// After the last answer.
#[rstest]
#[case::crash("crash", "crashed", "it was killed by signal 6 (SIGABRT")]
#[case::status("exit", "crashed", "it exited with status 9")]
#[case::sanitizer(
    "sanitizer",
    "crashed",
    "exited with status 0, but reported: ==7==ERROR: LeakSanitizer: detected memory leaks"
)]
#[case::stays("stay", "timed-out", "did not exit within")]
fn what_happens_at_the_end_is_a_result(#[case] how: &str, #[case] verdict: &'static str, #[case] note: &str) {
    let told = run(how, "end", "godot-3/{packet,null}/**");
    let text = stdout(&told.output);
    assert_eq!(told.output.status.code(), Some(1), "{text}");
    let [ending] = told.of[verdict].as_slice() else { panic!("{:?}", told.of) };
    assert!(ending.starts_with("godot-3/packet/") && ending.contains("~exit:"), "{ending}");
    assert!(text.contains(note), "{text}");
    // It is repeated by its name.
    let again = run(how, "end", ending);
    assert_eq!(again.of.get(verdict), Some(&vec![ending.clone()]));
}

/// What claims nothing that is required is never green, and what nobody knows is named.
#[test]
fn nothing_required_is_exit_4() {
    let folder = TempDir::new().unwrap();
    let hello = r#"{"protocol":1,"name":"empty","dialects":["godot-3","godot-5"],"ops":["decode"],"types":[]}"#;
    let script = format!(
        "import sys, json\nfor line in sys.stdin:\n  r = json.loads(line)\n  print({hello:?} if r['op'] == 'hello' else \
         json.dumps({{'seq': r['seq'], 'refused': 'no'}}), flush=True)"
    );
    let out = folder.path().display().to_string();
    let output = command(&["run", "--out", &out, "--", "python3", "-c", &script]).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("no required test ran"), "{text}");
    assert!(text.contains("its handshake names \"godot-5\", which is not a known dialect; dialects are"), "{text}");
}
