//! `conform decode`.

use variant_codec::Framing;
use variant_specs::{Dialect, Specs};
use variant_values::convert;
use variant_values::explore::{Exploration, Question, explore};
use variant_values::pasted;
use variant_values::sanitize;

use crate::args::DecodeArgs;
use crate::explain::{Given, given, no_bytes};
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::terminal::{note, show};

/// The values of a long file are not kept together.
const SHOWN_AT_ONCE: usize = 1 << 20;

pub(super) fn decode(args: &DecodeArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let dialect = args.dialects.one(&specs)?;
    let bytes = match given(&args.input)? {
        Given::Bytes(pasted) => pasted,
        Given::Text(text) => pasted::read(&text).map_err(|error| no_bytes(&text, &error))?,
    };
    if bytes.is_cut {
        return Err(Failure::usage("the text leaves bytes out; give all of them"));
    }
    let framing = args.input.prefix.framing.map(|prefix| prefix.0);
    let (bytes, dialect, framing) = match (dialect, framing) {
        (Some(dialect), Some(framing)) => (bytes.bytes, dialect, framing),
        _ => guessed(&bytes.bytes, dialect, framing, &specs)?,
    };
    let mut text = String::new();
    for value in convert::decode(&bytes, dialect, framing) {
        match value {
            Ok(value) => text.push_str(&(sanitize::json(&value) + "\n")),
            Err(error) => {
                show(&text)?;
                return Err(Failure(Exit::NotAsExpected, format!("{}: {error}", dialect.title())));
            }
        }
        if text.len() > SHOWN_AT_ONCE {
            show(&text)?;
            text.clear();
        }
    }
    show(&text)?;
    Ok(Exit::AsExpected)
}

/// The bytes, unpacked, with the dialect and framing that fit best where none is named; says which those are.
fn guessed<'s>(
    bytes: &[u8],
    dialect: Option<&'s Dialect>,
    framing: Option<Option<Framing>>,
    specs: &'s Specs,
) -> Result<(Vec<u8>, &'s Dialect, Option<Framing>), Failure> {
    let found = explore(bytes, specs, &Question { dialect, framing, rows: 1, ..Question::default() });
    let is_meant = |name: &String| dialect.is_none_or(|dialect| dialect.name == *name || dialect.base() == name);
    let best = found.readings.iter().find(|reading| reading.dialects.iter().any(is_meant));
    let Some(best) = best.filter(|best| best.packets.iter().all(|packet| packet.refused.is_none())) else {
        return Err(Failure(Exit::NotAsExpected, no_packets(&found)));
    };
    let named = best.dialects.first().and_then(|name| specs.dialect(name));
    let Some(meant) = dialect.or(named) else { return Err(Failure(Exit::NotAsExpected, no_packets(&found))) };
    if dialect.is_none() {
        let length = if best.framing.is_some() { ", with lengths in front" } else { "" };
        note(format!("read as {}{length}; --dialect names another", meant.title()));
    }
    Ok((found.bytes, meant, best.framing))
}

fn no_packets(found: &Exploration) -> String {
    let said = found.said.join(" ");
    let refused = found.readings.first().map(|best| format!("{}: {}", best.title, best.line)).unwrap_or_default();
    format!("there are no packets here. {said}{}{refused}", if said.is_empty() { "" } else { " " })
}
