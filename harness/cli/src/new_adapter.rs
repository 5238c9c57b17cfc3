//! `conform new-adapter`.

use std::path::{Path, PathBuf};

use variant_adapter::folder::Adapter;
use variant_adapter::skeleton;

use super::{Exit, Failure, NewAdapterArgs, SettingArgs, setting};

pub(super) fn new_adapter(args: &NewAdapterArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let written = skeleton::write(&args.language, &args.folder);
    for path in written.map_err(|error| Failure::usage(error.to_string()))? {
        anstream::println!("{}", path.display());
    }
    let name = args.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = args.folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let adapter = Adapter::load(parent, &name)?;
    anstream::println!("\nnext:");
    if let Some(install) = adapter.install() {
        anstream::println!("  (cd {} && {install})", args.folder.display());
    }
    let place = place(parent, setting_args);
    anstream::println!("  conform vet {name}{place}     # does it speak the protocol?");
    anstream::println!("  conform run {name}{place}     # is its codec right?");
    Ok(Exit::AsExpected)
}

/// The option that finds the adapter, unless it is found anyway.
fn place(parent: &Path, setting_args: &SettingArgs) -> String {
    let known = setting::adapters(setting_args).ok().and_then(|folder: PathBuf| folder.canonicalize().ok());
    if known.is_some() && parent.canonicalize().ok() == known {
        String::new()
    } else {
        format!(" --adapters {}", variant_report::repeat::quoted(&parent.display().to_string()))
    }
}
