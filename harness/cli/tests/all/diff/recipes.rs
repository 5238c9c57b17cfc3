//! The recipes, with local processes in the place of machines.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{CONFORM, root};

fn recipe(name: &str) -> Command {
    let project = root();
    let mut command = Command::new(project.join("recipes").join(name));
    command.current_dir(project).env("CONFORM", CONFORM);
    for variable in ["CONFORM_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(variable);
    }
    command
}

fn arguments(folder: &Path) -> Vec<String> {
    let literal = format!("{CONFORM} serve --reading document");
    let folder = folder.display().to_string();
    let rest = ["--dialect", "godot-3", "--cases", "1536", "--shrink-time", "0"].map(str::to_owned);
    [folder, "reference".to_owned(), literal].into_iter().chain(rest).collect()
}

fn merge(folder: &Path) -> Output {
    let records: Vec<PathBuf> = (1..=3).map(|shard| folder.join(format!("{shard}.jsonl"))).collect();
    Command::new(CONFORM).arg("merge").args(records).output().unwrap()
}

/// One part as a matrix starts it, one as Slurm does, one as Kubernetes does: they are of one campaign.
#[test]
fn shards_are_told_by_whoever_starts_them() {
    let folder = tempfile::tempdir().unwrap();
    let starts: [&[(&str, &str)]; 3] = [
        &[("CONFORM_SHARD", "1/3")],
        &[("SLURM_ARRAY_TASK_ID", "2"), ("SLURM_ARRAY_TASK_COUNT", "3")],
        &[("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "3")],
    ];
    let start = |variables: &&[(&str, &str)]| {
        recipe("shard")
            .args(arguments(folder.path()))
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let shards: Vec<_> = starts.iter().map(start).collect();
    for shard in shards {
        let ended = shard.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}: {}", ended.status, String::from_utf8_lossy(&ended.stderr));
    }
    let merged = merge(folder.path());
    let said = String::from_utf8_lossy(&merged.stdout).into_owned();
    assert_eq!(merged.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&merged.stderr));
    assert!(said.contains("1536 requests"), "{said}");
    let lost = recipe("shard").args(arguments(folder.path())).output().unwrap();
    assert_eq!(lost.status.code(), Some(2));
}

/// A shard that found something, and then ended early, is started again.
#[test]
fn a_shard_that_ended_early_is_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let cases = ["--dialect", "godot-3", "--cases", "18446744073709551615", "--time", "3", "--shrink-time", "0"];
    let literal = format!("{CONFORM} serve --reading document");
    let out = folder.path().display().to_string();
    let shard = recipe("shard").args([&out, "reference", &literal]).args(cases).env("CONFORM_SHARD", "1/3").output();
    let shard = shard.unwrap();
    assert_eq!(shard.status.code(), Some(1), "{}", String::from_utf8_lossy(&shard.stderr));
    let said = String::from_utf8_lossy(&shard.stdout);
    assert!(said.contains("ended early: out of time"), "{said}");
}

#[test]
fn all_cores_ask_one_campaign() {
    let folder = tempfile::tempdir().unwrap();
    let output = recipe("local").args(arguments(folder.path())).env("SHARDS", "3").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1536 requests") && said.contains("(godot-3/basis-"), "{said}");
}
