//! `conform site`.

use std::path::Path;

use variant_adapter::folder::Adapter;
use variant_report::site::{SiteInputs, TestedImplementation, build, listed};
use variant_runner::interop::InteropRecord;
use variant_runner::record::RunRecord;
use variant_values::input;
use variant_values::reference::NAME as REFERENCE;

use super::paths::Paths;
use super::records::{explain, read_explained};
use super::subject::known_findings;
use super::terminal::{say, warn, write_file};
use super::{Exit, Failure, SiteArgs};

/// The list of implementations that are tested elsewhere, beside their records.
const LIST: &str = "implementations.yaml";

pub(super) fn site(args: &SiteArgs, paths: &Paths) -> Result<Exit, Failure> {
    let explorer = args.explorer.as_deref().map(input::bytes).transpose()?;
    let (specs, corpus) = paths.load()?;
    let records =
        args.results.iter().map(|path| read_explained(path, &specs, &corpus)).collect::<Result<Vec<_>, _>>()?;
    let mut listed = listed(args)?;
    for (record, _) in listed.iter_mut().filter_map(|of| of.shown.as_mut()) {
        explain(record, &specs, &corpus)?;
    }
    let interop = args.interop.as_deref().map(exchange).transpose()?;
    let unshown = listed.iter().filter(|of| of.shown.is_none());
    let inputs = SiteInputs {
        specs: &specs,
        corpus: &corpus,
        implementations: implementations(&records, &listed, paths)?,
        refused: unshown.map(|of| (of.name.clone(), of.refused.clone().unwrap_or_default())).collect(),
        interop: interop.as_ref(),
        explorer,
    };
    let files = build(&inputs).map_err(Failure::page)?;
    for (path, bytes) in &files {
        let path = args.folder.join(Path::new(path));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::unwritable(folder))?;
        }
        write_file(&path, bytes)?;
    }
    say(format!("{}: {} files; open index.html", args.folder.display(), files.len()))?;
    Ok(Exit::AsExpected)
}

fn exchange(path: &Path) -> Result<InteropRecord, Failure> {
    InteropRecord::read(input::reader(path)?).map_err(Failure::at(path))
}

/// An implementation of the list.
struct Listed {
    name: String,
    /// The record that is shown, and as it came.
    shown: Option<(RunRecord, Vec<u8>)>,
    /// Why its newest record is not shown.
    refused: Option<String>,
}

/// The implementations of the list, each with its newest record, or else with the last good one.
fn listed(args: &SiteArgs) -> Result<Vec<Listed>, Failure> {
    let Some(records) = &args.fetched else { return Ok(Vec::new()) };
    let list = &records.join(LIST);
    let text = input::yaml(list)?;
    let names = listed::parse(&list.display().to_string(), &text)?.into_keys();
    Ok(names
        .map(|name| {
            let last = fetched(&records.join(format!("{name}.last.jsonl"))).ok();
            let newest = fetched(&records.join(format!("{name}.jsonl"))).and_then(|(record, bytes)| {
                match listed::refusal(&record, last.as_ref().map(|(last, _)| last)) {
                    Some(why) => Err(why),
                    None => Ok((record, bytes)),
                }
            });
            match newest {
                Ok(newest) => Listed { name, shown: Some(newest), refused: None },
                Err(why) => {
                    warn(format!("{name}: its record is refused: {why}"));
                    Listed { name, shown: last, refused: Some(why) }
                }
            }
        })
        .collect())
}

/// A record that was fetched, and its bytes; or why there is none.
fn fetched(path: &Path) -> Result<(RunRecord, Vec<u8>), String> {
    if !path.exists() {
        return Err("it could not be fetched".to_owned());
    }
    let bytes = input::bytes(path).map_err(|problem| problem.message)?;
    let record = RunRecord::read(bytes.as_slice()).map_err(|error| match error.line() {
        0 => error.to_string(),
        line => format!("line {line}: {error}"),
    })?;
    Ok((record, bytes))
}

/// The implementations of these records: the last record of each is shown, those before it are its history. And those of
/// the list, unless a record of ours has the name.
fn implementations<'a>(
    records: &'a [RunRecord],
    listed: &'a [Listed],
    paths: &Paths,
) -> Result<Vec<TestedImplementation<'a>>, Failure> {
    let mut found: Vec<TestedImplementation<'a>> = Vec::new();
    for record in records {
        // The reference codec needs no name on a command line.
        let name = match record.plan.implementation.as_str() {
            "" => record.plan.handshake.name.clone(),
            name => name.to_owned(),
        };
        if let Some(known) = found.iter_mut().find(|known| known.row.name == name) {
            known.earlier.push(std::mem::replace(&mut known.record, record));
        } else {
            found.push(described(TestedImplementation::new(name, record), paths)?);
        }
    }
    for of in listed {
        let Some((record, source)) = &of.shown else { continue };
        if found.iter().any(|known| known.row.name == of.name) {
            let why = "a record of --results already has this name; use another name in the list";
            return Err(Failure::usage(format!("{}: {why}", of.name)));
        }
        let mut shown = TestedImplementation::new(of.name.as_str(), record);
        shown.row.refused.clone_from(&of.refused);
        shown.source = Some(source.clone());
        found.push(shown);
    }
    Ok(found)
}

/// With what the folder of the adapter says of it, if it is one of ours.
fn described<'a>(mut of: TestedImplementation<'a>, paths: &Paths) -> Result<TestedImplementation<'a>, Failure> {
    if of.row.name == REFERENCE {
        of.row.about = "the reference codec of this project".to_owned();
        return Ok(of);
    }
    let Ok(adapters) = paths.adapters() else { return Ok(of) };
    let Ok(adapter) = Adapter::load(&adapters, &of.row.name) else { return Ok(of) };
    of.row.about = adapter.about.clone();
    of.row.home = adapter.home.clone();
    of.findings = known_findings(&adapter)?;
    Ok(of)
}
