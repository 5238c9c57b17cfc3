//! Protocol checks: what an adapter must get right before its codec can be judged, in the order in which its author
//! meets it. Each failed check says how to fix it.

mod check;
mod conversation;
mod dialects;
mod ending;
mod handshake;
mod hint;
mod lines;
mod numbers;
mod refusals;
mod samples;
mod texts;

use std::time::Instant;

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, JudgedBy, Specs};

use crate::external::{Command, Limits, handshake, start};
use variant_values::handshake::Handshake;
use variant_values::implementation::ImplementationError;

use self::check::{Failed, shown_time};
use self::conversation::Conversation;

pub use self::check::{Check, Found};

type CheckFn = fn(&mut Conversation<'_>) -> Result<Found, Failed>;

/// The checks after the handshake. The last two are about what the adapter printed.
const CHECKS: [(&str, CheckFn); 33] = [
    ("flushes after one line", lines::flushes),
    ("replies in time", lines::in_time),
    ("echoes `seq` exactly", lines::echoes_seq),
    ("ignores unknown keys", lines::unknown_keys),
    ("reads lines that end in CRLF", lines::crlf),
    ("waits for the end of a line", lines::two_halves),
    ("reads a line of 1 MiB", lines::long_line),
    ("replies to all that is sent at once", lines::many_in_flight),
    ("replies `unsupported` to an unknown operation", refusals::unknown_op),
    ("replies `unsupported` to an unknown dialect", refusals::unknown_dialect),
    ("refuses an empty packet", refusals::empty_packet),
    ("survives a packet of garbage", refusals::garbage),
    ("replies as before after a refusal", refusals::as_before),
    ("survives lines that are not requests", refusals::no_request),
    ("replies to a value of 1,000 levels", refusals::deep),
    ("knows every dialect of its handshake reply", dialects::known),
    ("replies in the dialect of each request", dialects::in_turn),
    ("keeps 2^53 + 1", |talk| numbers::int(talk, (1 << 53) + 1)),
    ("keeps the smallest int", |talk| numbers::int(talk, i64::MIN)),
    ("keeps every digit of a float", numbers::digits),
    ("keeps -0.0", numbers::negative_zero),
    ("keeps a subnormal float", numbers::subnormal),
    ("keeps infinity", numbers::infinity),
    ("keeps the payload of a quiet NaN", numbers::nan_payload),
    ("keeps floats of 32 bits", numbers::singles),
    ("keeps characters beyond U+FFFF", texts::four_bytes),
    ("keeps quotes and control characters", texts::escapes),
    ("replies to U+0000", texts::nul),
    ("replies to a long text", texts::long),
    ("finishes and exits with 0 at the end of its input", ending::end_of_input),
    ("has the same handshake reply after a restart", ending::same_handshake),
    ("prints only the protocol on standard output", ending::stdout_is_clean),
    ("is quiet on standard error", ending::stderr_is_quiet),
];

/// Runs all checks on a program, and reports each as it is done.
pub fn vet(command: &Command, limits: &Limits, specs: &Specs, report: &mut dyn FnMut(Check)) {
    let mut report = |title, found| report(Check { title, found });
    let Some(mut talk) = open(command, limits, specs, &mut report) else { return };
    for (place, (title, check)) in CHECKS.into_iter().enumerate() {
        if limits.interrupt.is_set() {
            report(title, Found::Bad("interrupted".to_owned()));
            return;
        }
        let found = check(&mut talk).unwrap_or_else(|Failed(why)| Found::Bad(why));
        let is_bad = matches!(found, Found::Bad(_));
        report(title, found);
        if is_bad {
            // If it does not flush, all others would fail for this one reason.
            if place == 0 {
                return;
            }
            // Replies may be on their way that answer nothing that is asked from now on.
            talk.restart();
        }
    }
}

/// The first checks, up to the handshake.
fn open<'a>(
    command: &'a Command,
    limits: &'a Limits,
    specs: &'a Specs,
    report: &mut dyn FnMut(&'static str, Found),
) -> Option<Conversation<'a>> {
    let from = Instant::now();
    let mut passed = |title, result: Result<String, &ImplementationError>| {
        report(title, result.map_or_else(|ImplementationError(why)| Found::Bad(why.clone()), Found::Good));
    };
    let session = start(command, limits, from + limits.start_up);
    passed("starts", session.as_ref().map(|_| String::new()));
    let mut session = session.ok()?;
    let reply = handshake(&mut session, specs, Instant::now() + limits.start_up);
    passed("replies to hello", reply.as_ref().map(|_| shown_time(from.elapsed())));
    let (handshake, object) = reply.ok()?;
    report("has a complete and valid handshake reply", handshake::check(&handshake, &object, specs));
    let dialect = dialect(&handshake, specs)?;
    Some(Conversation::new(command, limits, specs, dialect, handshake, session))
}

/// The first dialect of the adapter with numbers of 64 bits, since those show most; else the first.
fn dialect<'s>(handshake: &Handshake, specs: &'s Specs) -> Option<&'s Dialect> {
    let mut spoken = handshake.dialects.iter().filter_map(|name| specs.dialect(name));
    let first = spoken.clone().next();
    spoken.find(|dialect| Codec::new(dialect, JudgedBy::Engines).encode(&Value::Int(i64::MAX)).is_ok()).or(first)
}
