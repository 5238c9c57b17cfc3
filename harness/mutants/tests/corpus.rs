//! Runs the corpus on the codec in this tree, and fails at the first test that fails.
//!
//! `harness/mutants/run` records each request, and the reply of the correct codec. The same reply passes. Another reply goes to
//! the judge, by `conform run --only`, because more than one may be right. `corpus serve READING` is the adapter for that.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what fails")]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use variant_specs::{JudgedBy, Source, Specs};
use variant_values::reference::Reference;
use variant_values::serve::serve;

/// The examples of dialects with records that no dialect of the corpus has.
const EXAMPLES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/examples/struct.yaml"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/examples/every-field.yaml"),
];
/// How many tests the judge gets at once.
const AT_ONCE: usize = 16;

fn main() -> ExitCode {
    let mut specs = Specs::builtin().unwrap();
    let texts = EXAMPLES.map(|file| fs::read_to_string(file).unwrap());
    let sources: Vec<Source<'_>> = EXAMPLES.iter().zip(&texts).map(|(file, text)| Source { file, text }).collect();
    specs.add_dialects(&sources).unwrap();
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [mode, judged_by] = arguments.as_slice()
        && mode == "serve"
    {
        let input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
        let output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        // The reader may end first.
        let _ = serve(&specs, &Reference::new(&specs, self::judged_by(judged_by)), input, output);
        return ExitCode::SUCCESS;
    }
    let folder = PathBuf::from(
        env::var_os("CONFORM_MUTANTS").expect("CONFORM_MUTANTS: the folder that harness/mutants/run made"),
    );
    let sets = fs::read_to_string(folder.join("sets")).unwrap();
    let failed = sets.lines().any(|set| Set::read(&folder, set).is_failure(&specs));
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn judged_by(name: &str) -> JudgedBy {
    match name {
        "engines" => JudgedBy::Engines,
        "documents" => JudgedBy::Documents,
        _ => panic!("nobody is called {name}"),
    }
}

/// Tests by one judge.
struct Set {
    folder: PathBuf,
    judged_by: String,
    /// Id, how it is judged, request and reply, between tabs.
    lines: String,
}

impl Set {
    /// `NAME JUDGE`, and the lines in the file `NAME`.
    fn read(folder: &Path, set: &str) -> Self {
        let (name, judged_by) = set.split_once(' ').unwrap();
        let lines = fs::read_to_string(folder.join(name)).unwrap();
        Self { folder: folder.to_owned(), judged_by: judged_by.to_owned(), lines }
    }

    fn is_failure(&self, specs: &Specs) -> bool {
        let reference = Reference::new(specs, judged_by(&self.judged_by));
        let mut others = Vec::new();
        for line in self.lines.lines() {
            let [id, how, request, reply] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let mut answer = Vec::new();
            serve(specs, &reference, BufReader::with_capacity(1 << 12, request.as_bytes()), &mut answer).unwrap();
            if answer.trim_ascii_end() == reply.as_bytes() {
                continue;
            }
            if how == "exact" {
                println!("failed: {id}\nexpected {reply}\nactual   {}", String::from_utf8_lossy(&answer));
                return true;
            }
            others.push(id);
            if others.len() == AT_ONCE && self.is_judged_worse(&std::mem::take(&mut others)) {
                return true;
            }
        }
        !others.is_empty() && self.is_judged_worse(&others)
    }

    /// Whether one of these fails, as `conform run` has it.
    fn is_judged_worse(&self, ids: &[&str]) -> bool {
        let dialects: BTreeSet<&str> = ids.iter().filter_map(|id| id.split('/').next()).collect();
        // To make variants takes longer than all the rest.
        let quick = (!ids.iter().any(|id| id.contains('~'))).then_some("--quick");
        let out = env::temp_dir().join(format!("conform-mutants-{}", std::process::id()));
        let output = Command::new(self.folder.join("conform"))
            .args(["run", "--judged-by", &self.judged_by])
            .args(quick)
            .args(EXAMPLES.iter().flat_map(|file| ["--spec", file]))
            .args(["--only", &format!("{{{}}}", ids.join(","))])
            .args(dialects.iter().flat_map(|dialect| ["--dialect", dialect]))
            .arg("--out")
            .arg(&out)
            .arg("--")
            .arg(env::current_exe().unwrap())
            .args(["serve", &self.judged_by])
            .output()
            .unwrap();
        let _ = fs::remove_dir_all(&out);
        // 2 is wrong usage: nothing ran, and the mutant is reported as a survivor.
        let worse = !String::from_utf8_lossy(&output.stdout).contains("\n0 failures, 0 warnings");
        let failed = worse && output.status.code() != Some(2);
        println!(
            "{}: {}\n{}",
            if failed { "failed" } else { "judged no worse" },
            ids.join(" "),
            String::from_utf8_lossy(&output.stdout)
        );
        failed
    }
}
