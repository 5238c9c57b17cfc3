//! `conform site`.

use std::path::Path;

use variant_adapter::folder::Adapter;
use variant_report::site::{SiteInputs, TestedImplementation, build};
use variant_runner::interop::InteropRecord;
use variant_runner::record::RunRecord;
use variant_values::input;
use variant_values::reference::NAME as REFERENCE;

use crate::args::SiteArgs;
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::records::read_explained;
use crate::subject::known_findings;
use crate::terminal::{say, write_file};

pub(super) fn site(args: &SiteArgs, paths: &Paths) -> Result<Exit, Failure> {
    let explorer = args.explorer.as_deref().map(input::bytes).transpose()?;
    let (specs, corpus) = paths.load()?;
    let records =
        args.results.iter().map(|path| read_explained(path, &specs, &corpus)).collect::<Result<Vec<_>, _>>()?;
    let interop = args.interop.as_deref().map(exchange).transpose()?;
    let inputs = SiteInputs {
        specs: &specs,
        corpus: &corpus,
        implementations: implementations(&records, paths)?,
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

/// The implementations of these records: of several records of one, the last is shown.
fn implementations<'a>(records: &'a [RunRecord], paths: &Paths) -> Result<Vec<TestedImplementation<'a>>, Failure> {
    let mut found: Vec<TestedImplementation<'a>> = Vec::new();
    for record in records {
        // The reference codec needs no name on a command line.
        let name = match record.plan.implementation.as_str() {
            "" => record.plan.handshake.name.clone(),
            name => name.to_owned(),
        };
        if let Some(known) = found.iter_mut().find(|known| known.row.name == name) {
            known.record = record;
        } else {
            found.push(described(TestedImplementation::new(name, record), paths)?);
        }
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
