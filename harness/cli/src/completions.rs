//! `conform completions` and `conform man`.

use clap::Command;

use super::args::{CompletionsArgs, ManArgs};
use super::terminal::show;
use super::{Exit, Failure};

pub(super) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "conform", &mut script);
    show(&String::from_utf8_lossy(&script))?;
    Ok(Exit::AsExpected)
}

pub(super) fn man(args: &ManArgs, command: Command) -> Result<Exit, Failure> {
    let written = std::fs::create_dir_all(&args.folder).and_then(|()| clap_mangen::generate_to(command, &args.folder));
    written.map_err(Failure::unwritable(&args.folder))?;
    Ok(Exit::AsExpected)
}
