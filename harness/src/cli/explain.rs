//! `conform explain`.

use std::io::Read;
use std::path::Path;

use variant_conformance::explain::{Explanation, explain as explain_packet, render};
use variant_specs::Specs;

use super::{Exit, ExplainArgs, Failure, SettingArgs, setting};

pub(super) fn explain(args: &ExplainArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let packet = packet(&args.packet)?;
    let named = args.dialect.clone().into_iter().collect::<Vec<_>>();
    let names = setting::dialects(&named, &specs, args.reading.get())?;
    let explanations = groups(&packet, &names, args, &specs);
    let readable = explanations.iter().any(|(_, explanation)| explanation.outcome.is_ok());
    // Without a dialect, only those that can read it are shown, unless none can.
    for (names, explanation) in &explanations {
        if args.dialect.is_some() || !readable || explanation.outcome.is_ok() {
            show(names, explanation, &packet, args.dialect.is_none());
        }
    }
    Ok(if readable { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// Dialects that read the packet alike stand together.
fn groups(packet: &[u8], names: &[String], args: &ExplainArgs, specs: &Specs) -> Vec<(Vec<String>, Explanation)> {
    let mut groups: Vec<(Vec<String>, Explanation)> = Vec::new();
    for dialect in names.iter().filter_map(|name| specs.dialect(name)) {
        let explanation = explain_packet(packet, dialect, args.reading.get());
        match groups.iter_mut().find(|(_, other)| other.rows == explanation.rows) {
            Some((alike, _)) => alike.push(dialect.name.clone()),
            None => groups.push((vec![dialect.name.clone()], explanation)),
        }
    }
    groups
}

fn show(names: &[String], explanation: &Explanation, packet: &[u8], with_names: bool) {
    if with_names {
        anstream::println!("{}", names.join(", "));
    }
    for line in render(&explanation.rows) {
        anstream::println!("{line}");
    }
    match &explanation.outcome {
        Ok(decoded) => anstream::println!("{} of {} bytes consumed", decoded.used, packet.len()),
        Err(error) => anstream::println!("refused: {error}"),
    }
}

/// The packet that the argument names: stdin, a file, or hex with or without spaces.
fn packet(text: &str) -> Result<Vec<u8>, Failure> {
    if text == "-" {
        let mut input = Vec::new();
        std::io::stdin()
            .read_to_end(&mut input)
            .map_err(|error| Failure::usage(format!("stdin cannot be read: {error}")))?;
        return Ok(hex_of(&String::from_utf8_lossy(&input)).unwrap_or(input));
    }
    if let Some(packet) = hex_of(text) {
        return Ok(packet);
    }
    if Path::new(text).is_file() {
        return std::fs::read(text).map_err(|error| Failure::usage(format!("{text}: cannot be read: {error}")));
    }
    Err(Failure::usage(format!("{text:?} is neither hex (two digits a byte, spaces allowed) nor a file")))
}

fn hex_of(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.split_whitespace().collect();
    hex::decode(digits).ok()
}
