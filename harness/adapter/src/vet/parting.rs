//! The end, another beginning, and what was said besides.

use super::Found;
use super::talk::Talk;
use crate::external::Transport;

/// How many requests are under way when the input ends.
const UNDER_WAY: usize = 16;

/// All that was asked is answered, then it exits.
pub(super) fn end_of_input(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let mut lines = Vec::new();
    for _ in 0..UNDER_WAY.min(talk.handshake.max_in_flight.unwrap_or(UNDER_WAY)) {
        let seq = talk.next_seq();
        lines.push(talk.line(seq, input.clone()));
    }
    talk.send_bytes(&lines.concat())?;
    talk.wire()?.close_input();
    for answered in 0..lines.len() {
        talk.hear().map_err(|why| {
            format!(
                "{} requests and the end of input came together, and {answered} were answered: {why}; finish what \
                     was asked, then exit",
                lines.len()
            )
        })?;
    }
    let Some(parting) = talk.part() else { return Err("it is not running".to_owned()) };
    match parting.exit.problem {
        Some(problem) => Err(format!("it {problem}; when nothing is left to read, exit with 0")),
        None => Ok(Found::Good(String::new())),
    }
}

/// A run starts it again after a crash, and must know it again. This process is asked nothing that is wrong, so that
/// what it says besides can be held against it.
pub(super) fn same_hello(talk: &mut Talk<'_>) -> Result<Found, String> {
    drop(talk.part());
    for input in talk.probes() {
        talk.send(input)?;
    }
    drop(talk.part());
    match &talk.changed {
        Some(changed) => Err(format!("another hello came ({changed}); it may not depend on time or chance")),
        None => Ok(Found::Good(String::new())),
    }
}

/// Lines that are no replies.
pub(super) fn stdout_is_clean(talk: &mut Talk<'_>) -> Result<Found, String> {
    if talk.command.transport == Transport::Tcp {
        return Ok(Found::Skipped("the protocol has a connection of its own".to_owned()));
    }
    let Some(first) = talk.strays.first() else { return Ok(Found::Good(String::new())) };
    Ok(Found::Remark(format!(
        "it printed {} lines beside the protocol, as: {first}; that does no harm, but belongs on standard error",
        talk.stray_count
    )))
}

/// What stands on standard error is shown with failures, so it should say something about them.
pub(super) fn stderr_is_quiet(talk: &mut Talk<'_>) -> Result<Found, String> {
    let Some(last) = talk.stderr.lines().last() else { return Ok(Found::Good(String::new())) };
    Ok(Found::Remark(format!("though nothing was wrong it said, at the end: {last}")))
}
