//! `conform findings`.

use std::path::PathBuf;

use variant_corpus::findings::{self, Findings, page};

use super::paths::Paths;
use super::terminal::{show, write_file};
use super::{Exit, Failure, FindingsArgs};

pub(super) fn findings(args: &FindingsArgs, paths: &Paths) -> Result<Exit, Failure> {
    let folders: Vec<PathBuf> = if args.name.is_empty() {
        paths.listed()?
    } else {
        // A list is enough: its page does not depend on how the adapter is started.
        let folder = |name: &String| match paths.adapters().map(|adapters| adapters.join(name)) {
            Ok(listed) if listed.join(findings::FILE).exists() => Ok(listed),
            Ok(_) | Err(_) => Ok(paths.adapter(name)?.findings()),
        };
        args.name.iter().map(folder).collect::<Result<_, Failure>>()?
    };
    if folders.is_empty() {
        return Err(Failure(Exit::NothingRan, format!("no adapter here has a {}", findings::FILE)));
    }
    for folder in folders {
        let text = page(&Findings::load(&folder.join(findings::FILE))?);
        if args.write {
            write_file(&folder.join(findings::PAGE), text.as_bytes())?;
        } else {
            show(&text)?;
        }
    }
    Ok(Exit::AsExpected)
}
