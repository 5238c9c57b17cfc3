//! `conform explain`.

use std::path::Path;

use variant_specs::{Dialect, Specs};
use variant_syntax::input;
use variant_wire::diagnostic::Problem;
use variant_wire::explain::{Explanation, collision, explain as explain_packet, explain_framed, render};
use variant_wire::pasted::{self, Pasted, PastedForm};
use variant_wire::sanitize;
use variant_wire::value_text::{Form, value_json};

use super::paths::{self, Paths};
use super::terminal::say;
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
            show(names, explanation, &packet, &specs, args.dialect.is_none())?;
        }
    }
    if args.dialect.is_none() {
        collisions(&explanations, &specs)?;
    }
    Ok(if readable { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// The named dialect; without a name, all that engines speak, in every precision that they have.
fn dialects<'s>(args: &ExplainArgs, specs: &'s Specs) -> Result<Vec<&'s Dialect>, Failure> {
    let mut names = paths::dialects(args.dialect.as_slice(), specs, args.reading)?;
    if args.dialect.is_none() {
        names.retain(|name| specs.spoken().any(|dialect| dialect.name == *name));
    }
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
fn collisions(explanations: &[(Vec<String>, Explanation)], specs: &Specs) -> Result<(), Failure> {
    let mut ids: Vec<u32> = explanations.iter().flat_map(|(_, explanation)| explanation.ids.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().filter_map(|id| collision(id, specs.spoken())).try_for_each(say)
}

/// The longest value that is shown, in characters.
const LONGEST_VALUE: usize = 2000;

fn show(
    names: &[String],
    explanation: &Explanation,
    packet: &[u8],
    specs: &Specs,
    with_names: bool,
) -> Result<(), Failure> {
    if with_names {
        say(names.join(", "))?;
    }
    render(&explanation.rows).into_iter().try_for_each(say)?;
    match &explanation.outcome {
        Ok(decoded) => {
            say(format!("{} of {} bytes consumed", decoded.used, packet.len()))?;
            // As adapters get and send it: whoever writes one looks here how a type is written.
            let value = sanitize::json(&value_json(&decoded.value, &specs.layouts, Form::default()));
            say(format!("as JSON: {}", sanitize::short(&value, LONGEST_VALUE)))
        }
        Err(error) => say(format!("refused: {error}")),
    }
}

/// The packet that the argument names: stdin, a file, or bytes in any form that the explorer reads too. Hex is never a
/// file; what may be base64 may be the name of one.
fn packet(text: &str) -> Result<Vec<u8>, Failure> {
    if text == "-" {
        let path = Path::new("stdin");
        let input = input::stream(std::io::stdin()).map_err(|error| Problem::of_input(path, &error))?;
        let written = std::str::from_utf8(&input).ok().and_then(|text| pasted::read(text).ok());
        return Ok(written.map_or(input, |written| written.bytes));
    }
    let path = Path::new(text);
    match pasted::read(text) {
        Ok(Pasted { bytes, form: PastedForm::Hex }) => Ok(bytes),
        _ if path.exists() => Ok(input::bytes(path).map_err(|error| Problem::of_input(path, &error))?),
        Ok(Pasted { bytes, .. }) => Ok(bytes),
        Err(error) => Err(Failure::usage(format!("{error}; there is no file of that name either"))),
    }
}
