//! Runs and campaigns that are killed, or whose disk fails, at every change that they make on it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser as _;
use rstest::rstest;
use tempfile::TempDir;
use variant_diff::CampaignRecord;
use variant_runner::record::RunRecord;
use variant_runner::resume::ResumeState;
use variant_wire::disk::faults::{self, DiskFault};

use super::{Cli, Command, Exit, Failure, diff, run};

/// A corpus of one file, so that a run takes no time.
static CORPUS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    for file in ["VERSION", "flags.yaml", "family/bool.yaml"] {
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file)).unwrap();
        fs::write(folder.path().join(Path::new(file).file_name().unwrap()), text).unwrap();
    }
    folder
});

/// What a command does, in this process.
fn conform(line: &[&str]) -> Result<Exit, Failure> {
    let corpus = CORPUS.path().display().to_string();
    let line = ["conform", "-q", "--corpus", &corpus].into_iter().chain(line.iter().copied());
    let Cli { command, paths, printing } = Cli::try_parse_from(line).unwrap();
    printing.apply();
    if let Command::Run(args) = &command {
        return run::run(args, &paths);
    }
    let Command::Diff(args) = &command else { panic!("{command:?}") };
    diff::diff(args, &paths)
}

/// What is in a folder, by name; `None` for what is not there.
fn content(folder: &Path, name: &str) -> Option<Vec<u8>> {
    fs::read(folder.join(name)).ok()
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Runs into this folder.
fn run_into(folder: &Path, option: &str) -> Result<Exit, Failure> {
    conform(&["run", "--dialect", "godot-3", option, &folder.display().to_string()])
}

/// A folder, in which another run may have left its record and page.
fn place(with_an_old_one: bool) -> (TempDir, PathBuf) {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("run");
    if with_an_old_one {
        let out = folder.display().to_string();
        assert_eq!(conform(&["run", "--dialect", "godot-2", "--out", &out]).unwrap(), Exit::AsExpected);
    }
    (place, folder)
}

const RECORD_AND_PAGE: [&str; 2] = ["results.jsonl", "report.html"];

#[rstest]
#[case::killed(DiskFault::Kill)]
#[case::full(DiskFault::Full)]
#[case::one_error(DiskFault::Broken)]
fn a_run_goes_on_wherever_it_ended(#[case] fault: DiskFault, #[values(false, true)] with_an_old_one: bool) {
    let (_whole, whole) = place(false);
    assert_eq!(run_into(&whole, "--out").unwrap(), Exit::AsExpected);
    let whole = RECORD_AND_PAGE.map(|name| content(&whole, name));
    for change in 0.. {
        let (_place, folder) = place(with_an_old_one);
        let old = RECORD_AND_PAGE.map(|name| content(&folder, name));
        faults::plan(fault, change);
        let ended = run_into(&folder, "--out");
        if !faults::end() {
            assert_eq!(ended.unwrap(), Exit::AsExpected);
            assert!(change > 25, "only {change} changes were made");
            break;
        }
        let [record, page] = RECORD_AND_PAGE.map(|name| content(&folder, name));
        let is_new = record == whole[0];
        assert!(is_new || record == old[0], "{change}: the record is neither the old one nor the new one");
        assert!(
            page.is_none() || page == if is_new { &whole } else { &old }[1],
            "{change}: the page is of another record"
        );

        let parts = ["results.jsonl.part", "results.jsonl.part2"].into_iter().filter_map(|name| content(&folder, name));
        let begun = is_new || parts.into_iter().any(|part| ResumeState::read(part.as_slice()).is_ok());
        let resumed = if folder.exists() { run_into(&folder, "--resume") } else { run_into(&folder, "--out") };
        match (resumed, begun) {
            (Ok(exit), _) => assert_eq!(exit, Exit::AsExpected, "{change}"),
            // Nothing was recorded yet.
            (Err(Failure(Exit::Usage, _)), false) => assert_eq!(run_into(&folder, "--out").unwrap(), Exit::AsExpected),
            (Err(failure), _) => panic!("{change}: {failure:?}"),
        }
        let [record, page] = RECORD_AND_PAGE.map(|name| content(&folder, name));
        assert!(record == whole[0] && page == whole[1], "{change}: another record or page");
        assert!(RunRecord::read(record.unwrap().as_slice()).is_ok());
        assert_eq!(names(&folder), BTreeSet::from(RECORD_AND_PAGE.map(str::to_owned)), "{change}: something is left");
        // A failure while tests run, or after, says how to go on.
        if let Err(Failure(exit, why)) = ended
            && begun
            && fault != DiskFault::Kill
        {
            assert!(exit == Exit::Incomplete && why.contains("--resume"), "{change}: {exit:?}: {why}");
        }
    }
}

/// A resumed run is no different: what it resumes is there until its own record is in its place.
#[rstest]
#[case::killed(DiskFault::Kill)]
#[case::full(DiskFault::Full)]
#[case::one_error(DiskFault::Broken)]
fn a_resumed_run_goes_on_wherever_it_ended(#[case] fault: DiskFault) {
    let (_whole, whole) = place(false);
    run_into(&whole, "--out").unwrap();
    let whole = content(&whole, RECORD_AND_PAGE[0]).unwrap();
    let half = &whole[..whole.len() / 2];
    for change in 0.. {
        let (_place, folder) = place(false);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("results.jsonl.part"), half).unwrap();
        faults::plan(fault, change);
        let ended = run_into(&folder, "--resume");
        if !faults::end() {
            assert_eq!(ended.unwrap(), Exit::AsExpected);
            break;
        }
        let known = |name| content(&folder, name).and_then(|part| ResumeState::read(part.as_slice()).ok());
        let most = RECORD_AND_PAGE[..1]
            .iter()
            .chain(&["results.jsonl.part", "results.jsonl.part2"])
            .filter_map(|name| known(name));
        let least = ResumeState::read(half).unwrap().len();
        assert!(most.map(|resume| resume.len()).max() >= Some(least), "{change}: results are lost");
        assert_eq!(run_into(&folder, "--resume").unwrap(), Exit::AsExpected, "{change}");
        assert!(content(&folder, RECORD_AND_PAGE[0]).as_deref() == Some(&whole), "{change}: another record");
        assert_eq!(names(&folder), BTreeSet::from(RECORD_AND_PAGE.map(str::to_owned)), "{change}: something is left");
    }
}

/// A campaign in two dialects with this seed.
fn campaign(out: &Path, more: &[&str]) -> Result<Exit, Failure> {
    let out = out.display().to_string();
    let line = ["diff", "reference", "reference", "--dialect", "godot-2", "--dialect", "godot-3", "--cases", "2048"];
    conform(&[line.as_slice(), &["--shrink-time", "0", "--out", &out], more].concat())
}

#[rstest]
#[case::killed(DiskFault::Kill)]
#[case::full(DiskFault::Full)]
#[case::one_error(DiskFault::Broken)]
fn a_campaign_goes_on_wherever_it_ended(#[case] fault: DiskFault, #[values(false, true)] with_an_old_one: bool) {
    let place = TempDir::new().unwrap();
    let [whole, old] = ["whole", "old"].map(|name| place.path().join(name));
    assert_eq!(campaign(&whole, &[]).unwrap(), Exit::AsExpected);
    assert_eq!(campaign(&old, &["--seed", "7"]).unwrap(), Exit::AsExpected);
    let [whole, old] = [whole, old].map(|file| fs::read(file).unwrap());
    for change in 0.. {
        let place = TempDir::new().unwrap();
        let out = place.path().join("found.jsonl");
        if with_an_old_one {
            fs::write(&out, &old).unwrap();
        }
        faults::plan(fault, change);
        let ended = campaign(&out, &[]);
        if !faults::end() {
            assert_eq!(ended.unwrap(), Exit::AsExpected);
            assert!(change > 10, "only {change} changes were made");
            break;
        }
        let there = fs::read(&out).ok();
        assert!(there.is_none() || there.as_ref() == Some(&whole) || there.as_ref() == Some(&old), "{change}");
        let part = place.path().join("found.jsonl.part");
        let begun = fs::metadata(&part).is_ok_and(|part| part.len() > 0);
        assert!(!begun || CampaignRecord::read(&part).is_ok(), "{change}: what was written cannot be read");
        match campaign(&out, &["--resume"]) {
            Ok(exit) => assert_eq!(exit, Exit::AsExpected, "{change}"),
            Err(Failure(Exit::Usage, why)) if with_an_old_one && !begun => {
                assert!(why.contains("another campaign: another seed"), "{change}: {why}");
                assert_eq!(campaign(&out, &[]).unwrap(), Exit::AsExpected, "{change}");
            }
            Err(failure) => panic!("{change}: {failure:?}"),
        }
        assert!(fs::read(&out).unwrap() == whole, "{change}: another record");
        assert_eq!(names(place.path()), BTreeSet::from(["found.jsonl".to_owned()]), "{change}: something is left");
        if let Err(Failure(exit, why)) = ended
            && begun
            && fault != DiskFault::Kill
        {
            assert!(exit == Exit::Incomplete && why.contains("--resume"), "{change}: {exit:?}: {why}");
        }
    }
}
