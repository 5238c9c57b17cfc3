//! Protocol checks: what an adapter must get right before its codec can be judged, in the order in which its author
//! meets it. Each that fails says in a sentence what mends it.

mod handshake;
mod lines;
mod mend;
mod numbers;
mod parting;
mod refusals;
mod samples;
mod talk;
mod texts;

use std::time::{Duration, Instant};

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, Reading, Specs};

use crate::external::{Command, Limits, Wire};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::ImplementationError;

use self::talk::Talk;

/// One check and what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What an adapter does that passes it.
    pub title: &'static str,
    /// What was found.
    pub found: Found,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is as it should be; a figure, where there is one.
    Good(String),
    /// It works, and could be better.
    Remark(String),
    /// It is wrong: what, and what mends it.
    Bad(String),
    /// It could not be looked at: why.
    Skipped(String),
}

/// Looks at one thing; an error is what is wrong, and what mends it.
type Look = fn(&mut Talk<'_>) -> Result<Found, String>;

/// All that is looked at once it has said hello.
const CHECKS: [(&str, Look); 29] = [
    ("flushes after one line", lines::flushes),
    ("answers in time", lines::in_time),
    ("echoes `seq` exactly", lines::echoes_seq),
    ("takes `seq` in any order", lines::any_order),
    ("ignores keys that it does not know", lines::unknown_keys),
    ("reads lines that end in CRLF", lines::crlf),
    ("waits for the end of a line", lines::two_halves),
    ("reads a line of 1 MiB", lines::long_line),
    ("answers all that is sent at once", lines::many_in_flight),
    ("answers `unsupported` to an operation that it does not know", refusals::unknown_op),
    ("answers `unsupported` to a dialect that it does not know", refusals::unknown_dialect),
    ("refuses an empty packet", refusals::empty_packet),
    ("survives a packet of garbage", refusals::garbage),
    ("answers as before after a refusal", refusals::as_before),
    ("survives what is no request", refusals::no_request),
    ("keeps 2^53 + 1", numbers::beyond_double),
    ("keeps the smallest int", numbers::smallest_int),
    ("keeps every digit of a float", numbers::digits),
    ("keeps -0.0", numbers::negative_zero),
    ("keeps a subnormal float", numbers::subnormal),
    ("keeps infinity", numbers::infinity),
    ("keeps the payload of a NaN", numbers::nan_payload),
    ("keeps floats of 32 bits", numbers::singles),
    ("keeps text beyond the first plane", texts::four_bytes),
    ("keeps quotes and control characters", texts::escapes),
    ("answers about U+0000", texts::nul),
    ("answers a long text", texts::long),
    ("finishes and exits with 0 at the end of its input", parting::end_of_input),
    ("says the same hello when it is started again", parting::same_hello),
];

/// What is looked at behind all others, since it is about all of them.
const LAST: [(&str, Look); 2] = [
    ("prints nothing but the protocol on standard output", parting::stdout_is_clean),
    ("is quiet on standard error", parting::stderr_is_quiet),
];

/// Puts a program through all checks, telling each as it is done. Whether all of them are good, or almost.
pub fn vet(command: &Command, limits: &Limits, specs: &Specs, tell: &mut dyn FnMut(&Check)) -> bool {
    let mut all = true;
    let mut tell = |title, found| {
        all &= !matches!(found, Found::Bad(_));
        tell(&Check { title, found });
    };
    if let Some(mut talk) = open(command, limits, specs, &mut tell) {
        for (title, look) in CHECKS.into_iter().chain(LAST) {
            if limits.interrupt.is_set() {
                tell(title, Found::Bad("interrupted".to_owned()));
                break;
            }
            let found = look(&mut talk).unwrap_or_else(Found::Bad);
            let silent = title == CHECKS[0].0 && matches!(found, Found::Bad(_));
            tell(title, found);
            if silent {
                // All others would fail for this one reason.
                break;
            }
        }
    }
    all
}

/// The first checks, without which there is nobody to talk with.
fn open<'a>(
    command: &'a Command,
    limits: &'a Limits,
    specs: &'a Specs,
    tell: &mut dyn FnMut(&'static str, Found),
) -> Option<Talk<'a>> {
    let from = Instant::now();
    let bad = |ImplementationError(why): ImplementationError| Found::Bad(why);
    let wire = match Wire::open(command, limits) {
        Ok(wire) => {
            tell("starts", Found::Good(String::new()));
            wire
        }
        Err(why) => {
            tell("starts", bad(why));
            return None;
        }
    };
    let (wire, said, object) = match wire.greet() {
        Ok(greeted) => {
            tell("answers the hello", Found::Good(figure(from.elapsed())));
            greeted
        }
        Err(why) => {
            tell("answers the hello", bad(why));
            return None;
        }
    };
    let found = handshake::look(&said, &object, specs);
    tell("its hello says all that is needed, in known words", found);
    let dialect = dialect(&said, specs)?;
    Some(Talk::new(command, limits, specs, dialect, said, wire))
}

/// The first dialect that it speaks and that carries numbers of 64 bits, of which there is most to see; else the first.
fn dialect<'s>(handshake: &Handshake, specs: &'s Specs) -> Option<&'s Dialect> {
    let mut spoken = handshake.dialects.iter().filter_map(|name| specs.dialect(name));
    let first = spoken.clone().next();
    spoken.find(|dialect| Codec::new(dialect, Reading::Engine).encode(&Value::Int(i64::MAX)).is_ok()).or(first)
}

/// A time as a person reads it.
fn figure(time: Duration) -> String {
    format!("{time:.1?}")
}
