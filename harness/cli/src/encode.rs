//! `conform encode`.

use std::path::Path;

use variant_values::convert;
use variant_values::input;

use crate::args::EncodeArgs;
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::terminal::{show, write_file};

pub(super) fn encode(args: &EncodeArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let dialect = args.dialects.one(&specs)?;
    let dialect = dialect
        .ok_or_else(|| Failure::usage("name the dialect to write: --dialect godot-4.6, or a version, --dialect 4.6"))?;
    let framing = args.prefix.framing.and_then(|prefix| prefix.0);
    let values = values(&args.values)?;
    let lines: Vec<&str> = values.lines().filter(|line| !line.trim().is_empty()).collect();
    let packet = |(place, line): (usize, &&str)| {
        convert::encode(line, dialect, framing).map_err(|error| {
            let line = if lines.len() > 1 { format!("line {}: ", place + 1) } else { String::new() };
            Failure(Exit::NotAsExpected, format!("{line}{error} ({})", dialect.title()))
        })
    };
    let packets = lines.iter().enumerate().map(packet).collect::<Result<Vec<_>, _>>()?;
    if packets.is_empty() {
        return Err(Failure::usage("there is no value here; give one as JSON, like {\"int\":5}"));
    }
    match &args.out.out {
        Some(file) => write_file(file, &packets.concat())?,
        None => show(&packets.iter().map(|packet| hex::encode(packet) + "\n").collect::<String>())?,
    }
    Ok(Exit::AsExpected)
}

/// The text of the values: an argument that is JSON, a file, or stdin.
fn values(given: &str) -> Result<String, Failure> {
    if given.trim_start().starts_with('{') {
        return Ok(given.to_owned());
    }
    let path = Path::new(if given == "-" { "stdin" } else { given });
    if given != "-" && !path.exists() {
        let why =
            "no such file, and no value; a value is JSON that names its type, like {\"int\":5} or {\"vector2\":[1,2]}";
        return Err(Failure::at(path)(why));
    }
    let content = if given == "-" { input::stdin()? } else { input::bytes(path)? };
    String::from_utf8(content)
        .map_err(|_| Failure::usage(format!("{}: is no text: give values as JSON", path.display())))
}
