//! `conform findings`.

use variant_adapter::folder;
use variant_corpus::findings;
use variant_corpus::findings::{Findings, page};

use super::paths::Paths;
use super::terminal::{show, write_file};
use super::{Exit, Failure, FindingsArgs};

pub(super) fn findings(args: &FindingsArgs, paths: &Paths) -> Result<Exit, Failure> {
    let adapters = paths.adapters()?;
    let listed = |name: &String| adapters.join(name).join(findings::FILE).is_file();
    let names = match args.name.as_slice() {
        [] => folder::names(&adapters).into_iter().filter(listed).collect(),
        names => names.to_vec(),
    };
    for folder in names.iter().map(|name| adapters.join(name)) {
        let text = page(&Findings::load(&folder.join(findings::FILE))?);
        if args.write {
            write_file(&folder.join(findings::PAGE), text.as_bytes())?;
        } else {
            show(&text)?;
        }
    }
    Ok(Exit::AsExpected)
}
