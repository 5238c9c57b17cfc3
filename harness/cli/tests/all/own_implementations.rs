//! What this repository's own implementations answer, as snapshots under `reports/snapshots/`: a commit that changes what
//! one of them does shows it as a diff. What is right is not decided here, but by the corpus.
//!
//! Engines are there once `adapters/engines/install` was run. `.ci/run` runs it, and includes the tests that need them.

use std::collections::BTreeMap;
use std::fmt::Write;

use rstest::rstest;
use variant_corpus::verdict::Verdict;
use variant_runner::results::TestResult;

use crate::support::{command, record_in};

#[rstest]
#[case::reference("reference")]
#[case::python("python")]
#[ignore = "needs adapters/engines/install 3.2.3"]
#[case::godot3_3_2_3("godot3@3.2.3")]
#[ignore = "needs adapters/engines/install 3.6"]
#[case::godot3_3_6("godot3@3.6")]
#[ignore = "needs adapters/engines/install 4"]
#[case::godot4("godot4")]
fn its_replies_are_as_recorded(#[case] name: &str) {
    let folder = tempfile::tempdir().unwrap();
    // Variants are many, and each comes from a case that is tested here.
    // An engine takes its time where the machine is busy with other tests.
    let mut command = command(&["run", "--quick", "--timeout", "5", "--out"]);
    command.arg(folder.path()).args(Some(name).filter(|name| *name != "reference"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut answers = Answers::default();
    record_in(folder.path()).verdicts.iter().for_each(|verdict| answers.add(verdict));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../reports/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name.replace('@', "-"), answers.text()));
}

/// How many asks of each type passed, and every one that did not.
#[derive(Default)]
struct Answers {
    passed: BTreeMap<String, usize>,
    others: Vec<String>,
}

impl Answers {
    fn add(&mut self, verdict: &TestResult) {
        if verdict.verdict == Verdict::Pass {
            let (layout, _) = verdict.test.rsplit_once('/').unwrap();
            let (_, op) = verdict.test.rsplit_once(':').unwrap();
            *self.passed.entry(format!("{layout} {op}")).or_default() += 1;
            return;
        }
        let mut line = format!("{} {}", verdict.test, verdict.verdict.name());
        if let Some(reason) = verdict.verdict.reason() {
            let _ = write!(line, ", {}", reason.name());
        }
        if let Some(field) = &verdict.field {
            let _ = write!(line, " at {field}");
        }
        if let Some(answer) = &verdict.answer {
            let _ = write!(line, ": {}", answer.chars().take(200).collect::<String>());
        }
        self.others.push(line);
    }

    /// In the order of ids: what is tried again is recorded later.
    fn text(&mut self) -> String {
        self.others.sort_unstable();
        let passed = self.passed.iter().map(|(of, count)| format!("{of}: {count} pass\n"));
        passed.chain(["\n".to_owned()]).chain(self.others.iter().map(|line| format!("{line}\n"))).collect()
    }
}
