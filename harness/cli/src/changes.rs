//! `conform changes`.

use std::path::Path;

use variant_corpus::Corpus;
use variant_corpus::released::{Aliases, Changes, Released};
use variant_specs::Specs;

use super::run::show;
use super::{ChangesArgs, Exit, Failure, SettingArgs, setting};

pub(super) fn changes(args: &ChangesArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let old = released(&args.old, &specs)?;
    let new = released(&args.new, &specs)?;
    let folder = if args.new.is_dir() { Some(args.new.as_path()) } else { args.new.parent() };
    let aliases = folder.map(Aliases::load).transpose()?.unwrap_or_default();
    show(&Changes::between(&old, &new, &aliases).to_string())?;
    Ok(Exit::AsExpected)
}

/// The cases of a corpus folder, or of a list.
fn released(path: &Path, specs: &Specs) -> Result<Released, Failure> {
    if path.is_dir() {
        return Ok(Released::of(&Corpus::load(path, specs)?, specs)?);
    }
    let missing = || Failure::usage(format!("{}: neither a corpus folder nor a list of cases", path.display()));
    Released::load(path)?.ok_or_else(missing)
}
