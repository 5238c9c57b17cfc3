//! `conform certify` and `conform verify`.

use std::io::Read;
use std::path::Path;

use variant_corpus::Corpus;
use variant_report::certificate;
use variant_report::certificate::{Certificate, digest, wrong};
use variant_runner::record::RunRecord;
use variant_runner::summary::Summary;
use variant_specs::Specs;
use variant_values::diagnostic::{Problem, parse_json};
use variant_values::input;
use variant_values::reference::NAME as REFERENCE;
use variant_values::sanitize::{counted, line};

use crate::args::{CertifyArgs, RunArgs, Selection, VerifyArgs};
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::records::{RESULTS, explain, other_corpus, record_at};
use crate::run;
use crate::subject::Program;
use crate::terminal::{json, note, say, warn, write_file};

/// The certificate, next to its results.
const CERTIFICATE: &str = "certificate.json";

pub(super) fn certify(args: &CertifyArgs, paths: &Paths) -> Result<Exit, Failure> {
    let program = Program::new(&args.subject, paths)?;
    let run_args = RunArgs {
        subject: args.subject.clone(),
        selection: Selection { dialects: args.dialects.clone(), ..Selection::default() },
        place: args.place.clone(),
        ..RunArgs::default()
    };
    let exit = run::shown(&run_args, paths)?;
    let place = run::place(&run_args, program.as_ref().map_or(REFERENCE, |program| &program.folder));
    // A certificate of an earlier run would be about another record.
    let path = place.join(CERTIFICATE);
    drop(std::fs::remove_file(&path));
    if exit == Exit::Incomplete {
        warn("no certificate: not all tests ran");
        return Ok(exit);
    }
    let results = place.join(RESULTS);
    let bytes = bytes(&results)?;
    let mut recorded = RunRecord::read(bytes.as_slice()).map_err(|error| error.in_file(&results))?;
    let (specs, carried) = carried()?;
    if let Some(other) = other_corpus(&recorded, &carried) {
        warn(format!("no certificate: {other}"));
        return Ok(Exit::NotAsExpected);
    }
    if paths.has_own_specs()? {
        warn(
            "no certificate: it would be of specs (--spec, or the folder `specs` here) that this conform does not carry",
        );
        return Ok(Exit::NotAsExpected);
    }
    explain(&mut recorded, &specs, &carried)?;
    let certificate = match Certificate::of(&recorded, args.profile, &bytes) {
        Ok(certificate) => certificate,
        Err(why) => {
            let lists = match wrong(&Summary::of(&recorded)) {
                0 => String::new(),
                _ => format!("; `conform report {}` lists them", results.display()),
            };
            warn(format!("no certificate: {why}{lists}"));
            return Ok(Exit::NotAsExpected);
        }
    };
    write_file(&path, json(&certificate)?.as_bytes())?;
    say(&certificate.statement)?;
    note(format!("certified in {}", path.display()));
    Ok(Exit::AsExpected)
}

pub(super) fn verify(args: &VerifyArgs) -> Result<Exit, Failure> {
    let inside = args.certificate.join(CERTIFICATE);
    if args.certificate.is_dir() && !inside.is_file() && !args.certificate.ends_with(CERTIFICATE) {
        let (folder, name) = (args.certificate.display(), CERTIFICATE);
        return Err(Failure::usage(format!(
            "{folder}: there is no {name} in it; `conform certify` writes one where all holds"
        )));
    }
    let certificate = if inside.is_file() { &inside } else { &args.certificate };
    let results = args.results.as_deref().map(record_at).unwrap_or_else(|| certificate.with_file_name(RESULTS));
    let certificate: Certificate = {
        let text = input::text(certificate)?;
        parse_json(&certificate.display().to_string(), &text).map_err(|problem| Problem {
            message: format!("this is not a certificate: {}", problem.message),
            ..problem
        })?
    };
    let bytes = bytes(&results)?;
    let mut broken = Vec::new();
    let is = digest(&bytes);
    if is != certificate.results {
        let name = results.file_name().unwrap_or_default().display();
        let (said, is) = (certificate.results.replace(':', " "), is.replace(':', " "));
        broken.push(format!("{name} is not the certified file ({said}; it is {is})"));
    }
    // A changed file may no longer be a record; the change is reported all the same.
    match RunRecord::read(bytes.as_slice()) {
        Ok(recorded) => broken.extend(contents(&certificate, recorded, &bytes)?),
        Err(why) if broken.is_empty() => {
            return Err(why.in_file(&results).into());
        }
        Err(why) => broken.push(format!("it cannot be read: {why}")),
    }
    for sentence in broken.iter().take(20) {
        say(format!("does not hold: {}", line(sentence)))?;
    }
    if broken.len() > 20 {
        say(format!("… and {} more", broken.len() - 20))?;
    }
    if !broken.is_empty() {
        return Ok(Exit::NotAsExpected);
    }
    say(format!("holds: {}", line(&certificate.statement)))?;
    Ok(Exit::AsExpected)
}

/// The claims of a certificate that are not true of its record.
fn contents(certificate: &Certificate, mut recorded: RunRecord, bytes: &[u8]) -> Result<Vec<String>, Failure> {
    let (specs, corpus) = carried()?;
    let other = other_corpus(&recorded, &corpus);
    if other.is_none() {
        explain(&mut recorded, &specs, &corpus)?;
    }
    let mut broken = certificate::verify(certificate, &recorded, bytes);
    let missing = certificate::missing(&recorded, &corpus, &specs)?;
    match other {
        // What later cases ask does not fail an earlier certificate.
        Some(_) if recorded.plan.conform != env!("CARGO_PKG_VERSION") => note(format!(
            "it is of conform {}, and this is {}: now {} more would be asked",
            line(&recorded.plan.conform),
            env!("CARGO_PKG_VERSION"),
            counted(missing.len(), "test")
        )),
        Some(other) => broken.push(other),
        None => broken.extend(missing),
    }
    Ok(broken)
}

/// The specs and the corpus of this program: a certificate is about nothing else.
fn carried() -> Result<(Specs, Corpus), Failure> {
    let specs = Specs::builtin()?;
    let corpus = Corpus::carried(&[], &specs)?;
    Ok((specs, corpus))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut file = input::reader(path)?;
    file.read_to_end(&mut bytes).map_err(Failure::unreadable(path))?;
    Ok(bytes)
}
