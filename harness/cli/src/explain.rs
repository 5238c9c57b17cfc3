//! `conform explain`.

use std::io::Read;
use std::path::Path;

use variant_specs::{Dialect, Specs};
use variant_wire::explain::{Explanation, collision, explain as explain_packet, explain_framed, render};

use super::paths::{self, Paths};
use super::{Exit, ExplainArgs, Failure};

pub(super) fn explain(args: &ExplainArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let packet = packet(&args.packet)?;
    let dialects = dialects(args, &specs)?;
    let explanations = groups(&packet, &dialects, args);
    let readable = explanations.iter().any(|(_, explanation)| explanation.outcome.is_ok());
    // Without a dialect, only those that can read it are shown, unless none can.
    for (names, explanation) in &explanations {
        if args.dialect.is_some() || !readable || explanation.outcome.is_ok() {
            show(names, explanation, &packet, args.dialect.is_none());
        }
    }
    if args.dialect.is_none() {
        collisions(&explanations, &specs);
    }
    Ok(if readable { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// The named dialect; without a name, all dialects in every precision that they have.
fn dialects<'s>(args: &ExplainArgs, specs: &'s Specs) -> Result<Vec<&'s Dialect>, Failure> {
    let names = paths::dialects(args.dialect.as_slice(), specs, args.reading)?;
    let doubles =
        specs.doubles.iter().filter(|double| args.dialect.is_none() && names.iter().any(|name| name == double.base()));
    Ok(names.iter().filter_map(|name| specs.dialect(name)).chain(doubles).collect())
}

/// Groups the dialects that read the packet alike. A double-precision dialect is left out if its single-precision one
/// reads the packet alike.
fn groups(packet: &[u8], dialects: &[&Dialect], args: &ExplainArgs) -> Vec<(Vec<String>, Explanation)> {
    let mut groups: Vec<(Vec<String>, Explanation)> = Vec::new();
    for dialect in dialects {
        let explanation = match args.framing {
            None => explain_packet(packet, dialect, args.reading),
            Some(framing) => explain_framed(packet, framing, dialect, args.reading),
        };
        match groups.iter_mut().find(|(_, other)| other.rows == explanation.rows) {
            Some((alike, _)) if alike.iter().any(|name| name == dialect.base()) => {}
            Some((alike, _)) => alike.push(dialect.name.clone()),
            None => groups.push((vec![dialect.name.clone()], explanation)),
        }
    }
    groups
}

/// Prints a line for each id in the packet that is not the same type in all dialects.
fn collisions(explanations: &[(Vec<String>, Explanation)], specs: &Specs) {
    let mut ids: Vec<u32> = explanations.iter().flat_map(|(_, explanation)| explanation.ids.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    for said in ids.into_iter().filter_map(|id| collision(id, specs.dialects.iter())) {
        anstream::println!("{said}");
    }
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
        std::io::stdin().read_to_end(&mut input).map_err(Failure::cannot_be("read", Path::new("stdin")))?;
        return Ok(hex_of(&String::from_utf8_lossy(&input)).unwrap_or(input));
    }
    if let Some(packet) = hex_of(text) {
        return Ok(packet);
    }
    if Path::new(text).is_file() {
        return std::fs::read(text).map_err(Failure::cannot_be("read", Path::new(text)));
    }
    Err(Failure::usage(format!("{text:?} is neither hex (two digits a byte, spaces allowed) nor a file")))
}

fn hex_of(text: &str) -> Option<Vec<u8>> {
    hex::decode(text.split_whitespace().collect::<String>()).ok()
}
