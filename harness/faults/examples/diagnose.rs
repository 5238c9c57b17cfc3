//! The causes of replies in a folder of `NAME.jsonl`: `cargo run -p variant-faults --example diagnose FOLDER`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program to try things with"
)]

use std::collections::HashSet;
use std::time::Instant;

use serde_json::Value as Json;
use variant_corpus::Corpus;
use variant_corpus::test::{Variants, tests};
use variant_corpus::verdict::Verdict;
use variant_faults::{Failure, Tried, causes};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Answer, RefusalReason};
use variant_values::protocol::Reply;

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let only = std::env::args().nth(2);
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::carried(&specs).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ext| ext == "jsonl")) {
        if only.as_ref().is_some_and(|only| !file.to_string_lossy().contains(only)) {
            continue;
        }
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let codec = lines.next().unwrap();
        let mut hello = codec["handshake"].clone();
        hello["protocol"] = 1.into();
        hello["name"] = codec["name"].clone();
        let handshake: Handshake = serde_json::from_value(hello).unwrap();
        let (mut failures, mut others) = (Vec::new(), HashSet::new());
        for line in lines {
            let test = line["test"].as_str().unwrap().to_owned();
            let verdict: Verdict = serde_json::from_value(line.clone()).unwrap();
            if !matches!(verdict, Verdict::Fail(_) | Verdict::NonCanonical | Verdict::Crashed | Verdict::TimedOut) {
                others.insert(test);
                continue;
            }
            let dialect = specs.dialect(test.split('/').next().unwrap()).unwrap();
            let mut answer = answer(dialect, &test, line["reply"].as_str().unwrap_or_default());
            if let Answer::Value { used, .. } = &mut answer {
                *used = line["used"].as_u64();
            }
            let text = |key: &str| line[key].as_str().map(str::to_owned);
            failures.push(Failure { test, verdict, field: text("field"), erratum: text("erratum"), answer });
        }
        for name in &handshake.dialects {
            let dialect = specs.dialect(name).unwrap();
            let all = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::All).unwrap();
            let tried: Vec<_> = all
                .iter()
                .filter(|test| test.is_claimed(&handshake, test.op) && !others.contains(test.id.as_str()))
                .collect();
            let tried =
                Tried { specs: &specs, dialect, judged_by: JudgedBy::Engines, handshake: &handshake, tests: &tried };
            let of: Vec<Failure> =
                failures.iter().filter(|failure| failure.test.starts_with(&format!("{name}/"))).cloned().collect();
            let began = Instant::now();
            let causes = causes(tried, &of);
            let proved: usize =
                causes.iter().filter(|cause| cause.proof.is_some()).map(|cause| cause.tests.len()).sum();
            let took = began.elapsed().as_secs_f64();
            println!("== {} {name}: {proved} of {} explained, {took:.1} s", file.display(), of.len());
            for cause in causes {
                let figure = cause.figure().unwrap_or_else(|| "(no model)".to_owned());
                let (ops, types) =
                    (cause.ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(","), cause.types.join(","));
                println!("{:5} {:40} {figure}; {}", cause.tests.len(), cause.id, cause.headline);
                println!("        {ops}; {types}; e.g. {}", cause.smallest);
            }
        }
    }
}

fn answer(dialect: &Dialect, test: &str, reply: &str) -> Answer {
    let said = |word: &str| reply.strip_prefix(word).map(|text| text.trim().to_owned());
    if let Some(text) = said("refused:") {
        Answer::Refused(RefusalReason { text, ..RefusalReason::default() })
    } else if let Some(text) = said("unsupported:") {
        Answer::Unsupported(text)
    } else if let Some(text) = said("crashed:") {
        Answer::Crashed(text)
    } else if let Some(text) = said("timed out:") {
        Answer::TimedOut(text)
    } else if test.ends_with(&format!(":{}", Op::Decode.name())) {
        Reply::Value { json: reply.into(), used: None }.answer(dialect, &[])
    } else {
        hex::decode(reply).map_or_else(|_| Answer::Garbled(reply.to_owned()), Answer::Bytes)
    }
}
