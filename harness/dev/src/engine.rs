//! A real engine, timed from inside: an adapter's `bench` command gets packets and prints how long its engine took.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use variant_codec::Codec;
use variant_specs::Reading;

use super::clock::soonest;
use super::codec::round_trips;
use super::figure::{Figure, Unit, micros, millis, ratio};
use super::{Bench, BenchError, sample};
use variant_adapter::folder::Adapter;

/// How many passes; the fastest counts. A short pass is repeated until it takes `LEAST`. The engines' own `bench` does
/// both: otherwise cold caches here would be compared with warm ones there.
const TIMES: usize = 9;
const LEAST: Duration = Duration::from_millis(20);

/// A line of the adapter's reply: times of the fastest pass, in microseconds.
#[derive(Debug, Deserialize)]
struct Timed {
    group: String,
    packets: usize,
    decode: f64,
    encode: f64,
    both: f64,
}

impl Bench {
    pub(super) fn engines(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let dialect = self.dialect()?;
        let codec = Codec::new(dialect, Reading::Engine);
        let mixed = sample::mixed(&self.corpus, &self.specs, dialect)?;
        let Some(value) = sample::dictionary(&sample::pairs(), dialect) else { return Ok(()) };
        let packet = codec.encode(&value).unwrap_or_default();
        for adapter in &self.engines {
            let name = adapter.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let answers = match time(adapter, &[("dictionary", std::slice::from_ref(&packet)), ("mixed", &mixed)]) {
                Ok(answers) => answers,
                Err(why) => {
                    report(Figure::missing(&format!("against the engine of adapters/{name}"), why));
                    continue;
                }
            };
            for Timed { group, packets, decode, encode, both } in answers {
                if group == "dictionary" {
                    let ours = soonest(TIMES, || drop(std::hint::black_box(codec.decode(&packet))));
                    report(faster(
                        &format!("a dictionary of 100,000: decode, times as fast as {name}"),
                        12.0,
                        ours,
                        decode,
                    ));
                    let ours = soonest(TIMES, || drop(std::hint::black_box(codec.encode(&value))));
                    report(faster(
                        &format!("a dictionary of 100,000: encode, times as fast as {name}"),
                        50.0,
                        ours,
                        encode,
                    ));
                } else if packets == mixed.len() {
                    let ours = soonest_of_many(|| round_trips(&codec, &mixed));
                    let what = format!("small values: decode, encode and compare, times as fast as {name}");
                    report(faster(&what, 6.0, ours, both));
                }
            }
        }
        Ok(())
    }
}

/// The time of a short pass at its fastest: it is repeated until it takes `LEAST`.
fn soonest_of_many(pass: impl Fn()) -> Duration {
    let once = soonest(TIMES, &pass).max(Duration::from_nanos(1));
    let turns = u32::try_from(LEAST.as_nanos().div_ceil(once.as_nanos())).unwrap_or(1);
    soonest(TIMES, || (0..turns).for_each(|_| pass())) / turns
}

fn faster(what: &str, least: f64, ours: Duration, theirs_micros: f64) -> Figure {
    let theirs = Duration::try_from_secs_f64(theirs_micros / 1e6).unwrap_or_default();
    let how = if theirs > Duration::from_millis(10) {
        format!("{:.2} ms and {:.1} ms", millis(ours), millis(theirs))
    } else {
        format!("{:.0} µs and {:.0} µs", micros(ours, 1), micros(theirs, 1))
    };
    Figure::at_least(what, least, Unit::Times, ratio(theirs, ours), how)
}

/// Lets an adapter time its engine on groups of packets. It gets a file with a line for each group: the name, then each
/// packet in Base64. It prints a line of JSON for each group; other lines are ignored.
fn time(adapter: &Adapter, groups: &[(&str, &[Vec<u8>])]) -> Result<Vec<Timed>, String> {
    let Some(mut command) = adapter.bench() else { return Err("its adapter.yaml has no `bench:`".to_owned()) };
    let file = std::env::temp_dir().join(format!("conform-bench-{}.txt", std::process::id()));
    let line = |(name, packets): &(&str, &[Vec<u8>])| {
        let packets: Vec<String> = packets.iter().map(|packet| STANDARD.encode(packet)).collect();
        format!("{name} {}\n", packets.join(" "))
    };
    fs::write(&file, groups.iter().map(line).collect::<String>()).map_err(|error| error.to_string())?;
    let answers = run(&mut command, &file, groups.len());
    fs::remove_file(&file).map_err(|error| error.to_string())?;
    answers
}

fn run(command: &mut Command, file: &Path, groups: usize) -> Result<Vec<Timed>, String> {
    let output = command.arg(file).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Timed> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if answers.len() == groups {
        return Ok(answers);
    }
    let last = String::from_utf8_lossy(&output.stderr);
    Err(last.trim().lines().last().unwrap_or("no output").to_owned())
}
