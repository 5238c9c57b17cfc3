//! Frames, for those who claim them: each gets the reply that the same request gets as a line.

use std::time::Duration;

use super::conversation::{Conversation, NoReply};
use super::{Failed, Found, GOOD};
use crate::external::SHOWN;
use variant_wire::implementation::{Answer, AnsweredValue, RefusalReason};
use variant_wire::sanitize::beginning;

/// Where the operation is in a frame.
const OP: usize = 1;

const HINT: &str = "a request that begins with the byte ff is a frame, and its reply is one too; adapters/README.md has \
                    the bytes of both. To receive lines only, leave `frames` out of the handshake reply";

pub(super) fn as_lines(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let empty = talk.of_packet(&[]);
    for input in talk.probes().into_iter().chain(empty) {
        let line = talk.exchange(input.clone())?;
        let seq = (1 << 32) + talk.next_seq();
        let frame = talk.frame(seq, input);
        let reply = talk.send_line(seq, &frame).map_err(|why| why.hint(HINT))?;
        let [by_line, by_frame] = [line, reply].map(|answer| meant(talk, answer));
        if by_line? != by_frame? {
            let frame = beginning(&frame, SHOWN);
            return Err(Failed(format!("the frame {frame} got a different reply than the same request as a line")));
        }
    }
    in_halves(talk)?;
    unknown_op(talk)
}

fn in_halves(talk: &mut Conversation<'_>) -> Result<(), Failed> {
    let seq = talk.next_seq();
    let frame = talk.frame(seq, talk.probe()?);
    let (head, rest) = frame.split_at(frame.len() / 2);
    talk.send_bytes(head)?;
    match talk.wait(Duration::from_millis(100)) {
        Err(NoReply::Silence(_)) => {
            let reply = talk.send_line(seq, rest);
            reply.map(|_| ()).map_err(|why| why.hint("read until the frame is as long as its header says"))
        }
        Ok(_) | Err(NoReply::Malformed(_)) => Err(Failed("it replied to a partial frame".to_owned()).hint(HINT)),
        Err(NoReply::Ended(how)) => Err(Failed(format!("after a partial frame {how}")).hint(HINT)),
    }
}

/// Later versions of the protocol may have more operations.
fn unknown_op(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let seq = talk.next_seq();
    let mut frame = talk.frame(seq, talk.probe()?);
    frame[OP] = b'?';
    if let Answer::Unsupported(_) = talk.send_line(seq, &frame)? {
        return Ok(GOOD);
    }
    Err(Failed("a frame with an unknown operation got a reply other than `u` (unsupported)".to_owned()))
}

/// The answer with its value read, and without what is free to differ.
fn meant(talk: &Conversation<'_>, answer: Answer) -> Result<Answer, Failed> {
    if let Answer::Refused(_) = answer {
        return Ok(Answer::Refused(RefusalReason::default()));
    }
    if let Answer::Unsupported(_) = answer {
        return Ok(Answer::Unsupported(String::new()));
    }
    let Answer::Value { value, used } = answer else { return Ok(answer) };
    let read = value.read(talk.dialect, &talk.handshake.lossy).map_err(|error| Failed(error.to_string()))?;
    Ok(Answer::Value { value: AnsweredValue::Known(read.into_owned()), used })
}
