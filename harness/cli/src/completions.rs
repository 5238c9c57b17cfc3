//! `conform completions` and `conform man`.

use std::path::Path;

use clap::Command;
use clap_complete::{Shell, generate};

use crate::failure::{Exit, Failure};
use crate::terminal::show;

pub(super) fn completions(shell: Shell, mut command: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(shell, &mut command, "conform", &mut script);
    show(&String::from_utf8_lossy(&script))?;
    Ok(Exit::AsExpected)
}

pub(super) fn man(folder: &Path, command: Command) -> Result<Exit, Failure> {
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(Failure::unwritable(folder))?;
    Ok(Exit::AsExpected)
}
