//! Adapters that hang, crash or never end: the guilty tests are blamed, everything else is judged, and nothing is left behind.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use rstest::rstest;
use tempfile::TempDir;
use variant_corpus::test::TestParts;
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_values::handshake::Op;

use crate::leftovers::marked;
use crate::support::{command, record_in, scripted, stderr, stdout};

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
    let mut command = command(&args);
    let output = command.args(options).args(adapter).env("CONFORM_TEST_MARK", &out).output().unwrap();
    assert_eq!(marked(&out), 0, "processes are left");
    let record = record_in(folder.path());
    let mut of: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for result in record
        .verdicts
        .iter()
        .filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Undecided | Verdict::Resource))
    {
        of.entry(result.verdict.name()).or_default().push(result.test.to_string());
    }
    Told { output, record, of }
}

const GUILTY: &str = "godot-3/aabb/position-then-size:decode";

/// One packet of `aabb`, and everything around it. The tests of `variant-adapter` have the other ways to fail.
#[rstest]
#[case::hang("hang", "timed-out", "did not reply in 1 s")]
#[case::crash("crash", "crashed", "was killed by signal 6 (SIGABRT")]
#[case::deep_json("deep", "garbled", "recursion limit")]
#[case::echo("echo", "garbled", "bytes in reply to decode")]
#[ignore = "waits for adapters that hang: .ci/run runs it"]
fn one_packet_costs_one_test(#[case] how: &str, #[case] verdict: &'static str, #[case] says: &str) {
    let only = ["--timeout", "0.5", "--quick", "--only", "godot-3/{plane,aabb,basis}/**"];
    let told = run_with(&only, how, "packet");
    let text = stdout(&told.output);
    assert_eq!(told.output.status.code(), Some(1), "{text}{}", stderr(&told.output));
    assert_eq!(told.of, BTreeMap::from([(verdict, vec![GUILTY.to_owned()])]), "{text}");
    assert!(told.record.end.complete && text.contains(says), "{text}");
}

/// Whatever it is sent: it is given up, with one reason, and the record says that it is incomplete.
#[rstest]
#[case::never_answers("hang", "each", "it never replied to a request; it did not reply in")]
#[case::dies_every_tenth("exit", "tenth", "the process ends or hangs after some requests, whatever they are: 20 times")]
#[ignore = "waits for adapters that hang: .ci/run runs it"]
fn one_that_is_never_well_is_given_up(#[case] how: &str, #[case] place: &str, #[case] says: &str) {
    let told = run_with(&["--timeout", "0.5"], how, place);
    assert!(!told.record.end.complete);
    let unfit = |result: &TestResult| {
        !matches!(result.verdict, Verdict::Crashed | Verdict::TimedOut | Verdict::Skipped | Verdict::NotRun)
    };
    assert_eq!(told.output.status.code(), Some(5), "{}", stderr(&told.output));
    let reasons = told.record.verdicts.iter().filter(|result| result.verdict == Verdict::NotRun);
    let reasons: BTreeSet<&str> = reasons.filter_map(|result| Some(result.detail.as_ref()?.note.as_str())).collect();
    let [reason] = Vec::from_iter(reasons)[..] else { panic!("more reasons than one: {}", stdout(&told.output)) };
    assert!(reason.contains(says), "{reason}");
    let odd: Vec<&TestResult> = told.record.verdicts.iter().filter(|result| unfit(result)).collect();
    assert!(odd.iter().all(|result| matches!(result.verdict, Verdict::Pass | Verdict::Undecided)), "{odd:?}");
}

/// Other commands end with them too, and leave nothing behind.
#[rstest]
#[case::diff_hang("diff reference BAD --dialect godot-3 --cases 2000", "hang each", 1, "did not reply in")]
#[case::diff_death("diff reference BAD --dialect godot-3 --cases 2000", "exit tenth", 1, "exited with status 9")]
#[case::interop_hang("interop reference BAD --dialect godot-3", "hang each", 1, "0/27")]
#[case::interop_death("interop reference BAD --dialect godot-3", "mid-reply aabb", 1, "26/27+26/26")]
#[case::vet_hang("vet", "hang each", 1, "but not to the next line")]
#[case::vet_flood("vet", "long-line each", 1, "sent a line of more than 8 MiB")]
#[ignore = "waits for adapters that hang: .ci/run runs it"]
fn other_commands_end_too(#[case] line: &str, #[case] fault: &str, #[case] exit: i32, #[case] says: &str) {
    let mark = TempDir::new().unwrap();
    let bad = format!("python3 {} {fault}", scripted("faulty.py"));
    let mut command = command(&[]);
    command.args(line.split(' ').map(|word| if word == "BAD" { &bad } else { word })).args(["--timeout", "0.5"]);
    if line == "vet" {
        command.arg("--").args(bad.split(' '));
    }
    let output = command.env("CONFORM_TEST_MARK", mark.path()).output().unwrap();
    let text = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(exit), "{text}");
    assert!(text.contains(says), "{text}");
    assert_eq!(marked(&mark.path().display().to_string()), 0, "processes are left");
}

/// In a whole run, a fault of one rule or of several types costs only what is like it: every type has its results.
#[rstest]
#[case::hangs_on_every_huge_count("hang", "count", "timed-out")]
#[case::crashes_on_every_packed_array("crash", "packed", "crashed")]
#[ignore = "waits for adapters that hang: .ci/run runs it each week"]
fn weekly_every_type_is_tested(#[case] how: &str, #[case] place: &str, #[case] verdict: &str) {
    let told = run_with(&["--timeout", "0.5"], how, place);
    let text = stdout(&told.output);
    assert_eq!(told.output.status.code(), Some(1), "{text}{}", stderr(&told.output));
    assert!(told.record.end.complete, "{text}");
    assert_eq!(told.of.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from(["skipped", verdict]));
    let dialect = &told.record.plan.dialects[0];
    for layout in &dialect.types {
        let of = format!("godot-3/{layout}");
        for decodes in [true, false] {
            let answered = told.record.verdicts.iter().any(|result| {
                let TestParts { layout: of_type, op, .. } = result.id();
                (of_type, op == Op::Decode) == (layout, decodes) && result.verdict != Verdict::Skipped
            });
            assert!(answered, "{of} was not tested, decodes: {decodes}");
        }
    }
}

/// After the last answer.
#[rstest]
#[case::status("exit", "crashed", "it exited with status 9")]
#[case::stays("stay", "timed-out", "did not exit within")]
#[ignore = "takes long: .ci/run runs it"]
fn what_happens_at_the_end_is_a_result(#[case] how: &str, #[case] verdict: &'static str, #[case] note: &str) {
    let told = run_with(&["--timeout", "0.5", "--only", "godot-3/{packet,null}/**"], how, "end");
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
    assert!(
        text.contains("its handshake names a dialect that is not known: there is no dialect \"godot-5\""),
        "{text}"
    );
}
