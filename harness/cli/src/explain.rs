//! `conform explain`.

use std::io::IsTerminal as _;
use std::path::Path;

use variant_values::explore::{Exploration, Question, explore_pasted, explore_text, lines};
use variant_values::input;
use variant_values::pasted::{self, Pasted, PastedError};

use crate::args::{BytesArgs, ExplainArgs};
use crate::ask::ask;
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::terminal::prose;

/// So many rows are shown of a packet whose dialect is named: more is no reading for people.
const ROWS: usize = 1 << 16;

pub(super) fn explain(args: &ExplainArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let dialect = args.dialects.one(&specs)?;
    let judged_by = args.asked.judged_by;
    paths::dialects(&args.dialects.dialect, &specs, judged_by)?;
    let rows = if dialect.is_some() { ROWS } else { Question::default().rows };
    let framing = args.input.prefix.framing.map(|prefix| prefix.0);
    let asked = Question { dialect, framing, offset: args.offset, judged_by, rows };
    let found = match given(&args.input)? {
        Given::Bytes(pasted) => explore_pasted(&pasted, &specs, &asked),
        Given::Text(text) => explore_text(&text, &specs, &asked).map_err(|error| no_bytes(&text, &error))?,
    };
    lines(&found, dialect).into_iter().try_for_each(|line| prose(&line))?;
    if !args.ask.is_empty() {
        ask(&args.ask, &found, dialect, paths)?;
    }
    let meant = dialect.map(|dialect| dialect.name.as_str());
    Ok(if is_read(&found, meant) { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// Whether the dialect that is meant reads the bytes; without one, whether any does.
fn is_read(found: &Exploration, dialect: Option<&str>) -> bool {
    found.readings.iter().any(|reading| {
        let is_meant = dialect.is_none_or(|meant| reading.dialects.iter().any(|name| name == meant));
        is_meant && reading.packets.iter().all(|packet| packet.refused.is_none())
    })
}

pub(super) enum Given {
    /// Bytes, from a file or stdin, or written as hex.
    Bytes(Pasted),
    /// A text, which may be bytes in some other form.
    Text(String),
}

/// What the arguments name: stdin, a file, or bytes in any form, of which spaces make several arguments. Hex is never a
/// file; what may be base64 may be the name of one.
pub(super) fn given(args: &BytesArgs) -> Result<Given, Failure> {
    let text = args.bytes.join(" ");
    if text == "-" {
        return stdin().map(Given::Bytes);
    }
    let path = Path::new(&text);
    match pasted::read(&text) {
        Ok(pasted) if pasted.is_hex => Ok(Given::Bytes(pasted)),
        _ if path.exists() => Ok(Given::Bytes(pasted::of_file(input::bytes(path)?))),
        Ok(_) | Err(_) => Ok(Given::Text(text)),
    }
}

/// Why a text is no bytes; or, if it looks like the name of one, that there is no such file.
pub(super) fn no_bytes(text: &str, error: &PastedError) -> Failure {
    let is_name = !text.contains(char::is_whitespace) && (text.contains('/') || Path::new(text).extension().is_some());
    Failure::usage(if is_name && matches!(error, PastedError::NoForm(_)) {
        format!("there is no such file: {error}")
    } else {
        format!("{error}; there is no file of that name either")
    })
}

fn stdin() -> Result<Pasted, Failure> {
    if std::io::stdin().is_terminal() {
        super::terminal::note("paste the bytes, then press Ctrl-D");
    }
    Ok(pasted::of_file(input::stdin()?))
}
