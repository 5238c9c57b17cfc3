//! `conform`: the conformance suite for the Godot-family binary serialization format.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
