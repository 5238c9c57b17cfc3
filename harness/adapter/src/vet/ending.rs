//! The end of input, a restart, and what was printed outside the protocol.

use super::check::{Failed, Found, GOOD};
use super::conversation::Conversation;
use crate::external::Transport;
use variant_values::implementation::Answer;

/// How many requests are in flight when the input ends.
const IN_FLIGHT: usize = 16;

/// All requests are answered, then it exits.
pub(super) fn end_of_input(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let input = talk.probe()?;
    let mut lines = Vec::new();
    for _ in 0..IN_FLIGHT.min(talk.handshake.max_in_flight.unwrap_or(IN_FLIGHT)) {
        lines.push(talk.next_line(input.clone()).1);
    }
    talk.send_bytes(&lines.concat())?;
    talk.close_input()?;
    for answered in 0..lines.len() {
        talk.receive().map_err(|why| {
            let sent = lines.len();
            Failed(format!(
                "{sent} requests and the end of input came together, and {answered} got a reply: {why}; reply to all \
                 requests, then exit"
            ))
        })?;
    }
    let problem = match talk.shutdown() {
        Some(Answer::Crashed(ending) | Answer::TimedOut(ending)) => ending.to_string(),
        Some(Answer::Garbled(why)) => why,
        _ => return Ok(GOOD),
    };
    Err(Failed(format!("{problem}; exit with 0; what needs longer, such as a sanitizer, gets it from `--timeout 10`")))
}

/// A run starts it again after a crash, and must recognise it. This process gets only valid requests, so it has no
/// reason to complain.
pub(super) fn same_handshake(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    // The check before may have ended it already.
    talk.shutdown();
    for input in talk.probes() {
        talk.send(input)?;
    }
    talk.shutdown();
    match &talk.changed {
        Some(changed) => {
            Err(Failed(format!("its handshake reply changed ({changed}); it must not depend on time or chance")))
        }
        None => Ok(GOOD),
    }
}

pub(super) fn stdout_is_clean(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    if talk.command.transport == Transport::Tcp {
        return Ok(Found::skipped("the protocol has its own connection"));
    }
    let Some(first) = talk.strays.first() else { return Ok(GOOD) };
    Ok(Found::Remark(format!(
        "it printed lines outside the protocol, such as: {first}; complete lines do no harm, but a partial line spoils the \
         reply after it: redirect what the library prints to standard error, like the skeletons of `conform new-adapter`"
    )))
}

/// Standard error is shown with failures, so it should say something about them.
pub(super) fn stderr_is_quiet(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let Some(last) = talk.stderr.lines().last() else { return Ok(GOOD) };
    Ok(Found::Remark(format!("nothing was wrong, but its standard error ends with: {last}")))
}
