//! The suite on the reference codec: every test of the default run, a campaign, and the program as people start it.
#![allow(missing_docs, clippy::unwrap_used, reason = "a panic says enough")]

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use variant_corpus::Corpus;
use variant_diff::{BATCH, Campaign, CampaignPlan, Participant, SeedCorpus};
use variant_runner::record::RunRecord;
use variant_runner::run::Run;
use variant_specs::{JudgedBy, Specs};
use variant_values::interrupt::Interrupt;
use variant_values::reference::Reference;

/// How many inputs a campaign sends.
const INPUTS: usize = 64 * BATCH;

criterion_group! {
    name = suite;
    config = Criterion::default().sample_size(10);
    targets = run, campaign, program
}
criterion_main!(suite);

/// All tests, made, run, judged and recorded.
fn run(criterion: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&[], &specs).unwrap();
    let dialects: Vec<String> = specs.dialects.iter().map(|dialect| dialect.name.clone()).collect();
    let all = |record: &mut dyn Write| {
        let mut reference = Reference::new(&specs, JudgedBy::Engines);
        let run = Run::new(&specs, &corpus, dialects.clone());
        run.run(&mut reference, record, &|_, _| {}).unwrap();
    };
    let mut record = Vec::new();
    all(&mut record);
    let tests = RunRecord::read(record.as_slice()).unwrap().end.executed;
    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Elements(tests as u64));
    group.bench_function("every test in process", |bench| bench.iter(|| all(&mut std::io::sink())));
}

/// Generated inputs on two reference codecs, on one core.
fn campaign(criterion: &mut Criterion) {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let mut group = criterion.benchmark_group("diff");
    group.throughput(Throughput::Elements(INPUTS as u64));
    group.bench_function("comparisons in process", |bench| {
        bench.iter(|| {
            let codec = |name| Participant::in_process(name, Box::new(Reference::new(&specs, JudgedBy::Engines)));
            let plan = CampaignPlan { cases: INPUTS as u64, shrinking: Duration::ZERO, ..CampaignPlan::default() };
            let seeds = SeedCorpus::default();
            let campaign = Campaign { specs: &specs, dialect, seeds, plan, interrupt: Interrupt::default() };
            black_box(campaign.run(vec![codec("one"), codec("other")], &mut ()).unwrap());
        });
    });
}

/// `conform` from its start to its end, with the page; build it first: `cargo build --release`.
fn program(criterion: &mut Criterion) {
    let conform = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/conform");
    let Ok(conform) = conform.canonicalize() else { return };
    let folder = std::env::temp_dir().join(format!("conform-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut group = criterion.benchmark_group("program");
    for (name, arguments) in
        [("the whole default run", vec!["run"]), ("a run of one type", vec!["run", "--quick", "--only", "*/bool/*:*"])]
    {
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let mut command = Command::new(&conform);
                command.args(&arguments).current_dir(&folder);
                assert!(
                    command
                        .stdin(Stdio::null())
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .status()
                        .unwrap()
                        .success()
                );
            });
        });
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
