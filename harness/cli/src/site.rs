//! `conform site`.

use std::path::Path;

use variant_adapter::folder::Adapter;
use variant_corpus::findings::{self, Findings};
use variant_runner::record::RunRecord;
use variant_site::{Implementation, Inputs, build};
use variant_wire::reference::NAME as REFERENCE;

use super::paths::Paths;
use super::report::no_page;
use super::terminal::{read_record, say, write_file};
use super::{Exit, Failure, SiteArgs};

pub(super) fn site(args: &SiteArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let records = args.results.iter().map(|path| read_record(path)).collect::<Result<Vec<_>, _>>()?;
    let explorer = args.explorer.as_ref().map(|path| std::fs::read(path).map_err(Failure::cannot_be("read", path)));
    let inputs = Inputs {
        specs: &specs,
        corpus: &corpus,
        implementations: implementations(&records, paths)?,
        explorer: explorer.transpose()?,
    };
    let files = build(&inputs).map_err(no_page)?;
    for file in &files {
        let path = args.folder.join(Path::new(&file.path));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::cannot_be("made", folder))?;
        }
        write_file(&path, &file.bytes)?;
    }
    say(format!("{}: {} files; open index.html", args.folder.display(), files.len()))?;
    Ok(Exit::AsExpected)
}

/// The implementations of these records: the last record of each is shown, those before it are its history.
fn implementations<'a>(records: &'a [RunRecord], paths: &Paths) -> Result<Vec<Implementation<'a>>, Failure> {
    let mut found: Vec<Implementation<'a>> = Vec::new();
    for record in records {
        // The reference codec needs no name on a command line.
        let name = match record.plan.implementation.as_str() {
            "" => record.plan.handshake.name.clone(),
            name => name.to_owned(),
        };
        if let Some(known) = found.iter_mut().find(|known| known.name == name) {
            known.earlier.push(std::mem::replace(&mut known.record, record));
        } else {
            found.push(described(Implementation::new(name, record), paths)?);
        }
    }
    Ok(found)
}

/// With what the folder of the adapter says of it, if it is one of ours.
fn described<'a>(mut of: Implementation<'a>, paths: &Paths) -> Result<Implementation<'a>, Failure> {
    if of.name == REFERENCE {
        of.about = "the reference codec of this project".to_owned();
        return Ok(of);
    }
    let Ok(adapters) = paths.adapters() else { return Ok(of) };
    let Ok(adapter) = Adapter::load(&adapters, &of.name) else { return Ok(of) };
    of.about = adapter.about().to_owned();
    of.home = adapter.home().to_owned();
    let list = adapter.folder.join(findings::FILE);
    if list.is_file() {
        of.findings = Findings::load(&list)?;
    }
    Ok(of)
}
