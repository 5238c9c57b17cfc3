//! Saved findings are ready to use: the reference codec passes them, and lint accepts them in the corpus.

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use rayon::prelude::*;
use variant_corpus::Corpus;
use variant_corpus::lint::lint;
use variant_diff::{Campaign, CampaignPlan, Finding, Observer, Oracle, Participant, SeedCorpus, save};
use variant_faults::{Fault, Faulty, catalogue};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::diagnostic::Problem;
use variant_values::interrupt::Interrupt;

use crate::support::{CONFORM, copy, root};

/// Those that have most shapes, one with a parent, and one in double precision.
const DIALECTS: [&str; 4] = ["godot-2", "godot-3", "godot-4.4", "godot-3+double"];
/// Requests to each faulty codec.
const CASES: u64 = 512;
/// One of so many faulty codecs takes part.
const ONE_IN: usize = 64;

#[test]
#[ignore = "takes minutes: .ci/run runs it"]
fn what_is_saved_is_ready() {
    let specs = Specs::builtin().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = root().join("corpus");
    let seeds = Corpus::load(&home, &[], &specs).unwrap();
    // Two codecs may disagree in the same way, and then their cases have the same name: one is written at a time.
    let found = Mutex::new(0);
    let one = |(dialect, mutant): (&Dialect, Fault)| {
        let seeds = SeedCorpus::of(&seeds, &specs, dialect).unwrap();
        campaign(&specs, dialect, mutant, seeds, &|finding, oracle| {
            let mut found = found.lock().unwrap();
            let apart = folder.path().join("apart").join(found.to_string());
            save(&apart, &finding.smallest, "faulty", &specs, oracle).unwrap();
            copy(&apart, &folder.path().join("corpus"), |_, text| text);
            *found += 1;
        });
    };
    // A thousand values on a path take more stack in a debug build than a thread has.
    let threads = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build().unwrap();
    let codecs: Vec<_> = DIALECTS
        .iter()
        .map(|name| specs.dialect(name).unwrap())
        .flat_map(|dialect| catalogue(&specs, dialect).into_iter().step_by(ONE_IN).map(move |mutant| (dialect, mutant)))
        .collect();
    threads.install(|| codecs.into_par_iter().for_each(one));

    assert!(*found.lock().unwrap() > 100, "{found:?}");
    // The reference codec passes all of them.
    let mut run = Command::new(CONFORM);
    run.args(["run", "--quick"]).args(DIALECTS.iter().flat_map(|name| ["--dialect", name]));
    std::fs::write(folder.path().join("corpus/VERSION"), "found\n").unwrap();
    run.current_dir(folder.path()).args(["--out", "out"]);
    let run = run.output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stdout));
    copy(&home, &folder.path().join("corpus"), |_, text| text);
    let corpus = Corpus::load(&folder.path().join("corpus"), &[], &specs).unwrap();
    let problems: Vec<String> = lint(&corpus, &specs).iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Saves each finding.
struct Saver<'a> {
    save: &'a dyn Fn(&Finding, &Oracle<'_>),
}

impl Observer for Saver<'_> {
    fn found(&mut self, finding: &Finding, oracle: &Oracle<'_>) -> Result<(), Problem> {
        (self.save)(finding, oracle);
        Ok(())
    }
}

fn campaign(specs: &Specs, dialect: &Dialect, mutant: Fault, seeds: SeedCorpus, save: &dyn Fn(&Finding, &Oracle<'_>)) {
    let reference = Participant::reference(specs);
    let faulty = Participant::in_process("faulty", Box::new(Faulty::new(mutant, dialect, JudgedBy::Engines)));
    let plan = CampaignPlan { cases: CASES, shrinking: Duration::ZERO, ..CampaignPlan::default() };
    let campaign = Campaign { specs, dialect, seeds, plan, interrupt: Interrupt::default() };
    campaign.run(vec![reference, faulty], &mut Saver { save }).unwrap();
}
