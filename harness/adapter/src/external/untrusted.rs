//! What an adapter says of itself and of its refusals, made fit to be shown as soon as it is heard.

use variant_wire::handshake::{Handshake, Types};
use variant_wire::implementation::Answer;
use variant_wire::sanitize::{beginning, is_unfit};

/// The longest sentence that is kept from an answer.
const SENTENCE: usize = 1000;
/// The longest name that is kept from a hello.
const NAME: usize = 100;

/// Bounds and escapes the sentences of an answer. Values and bytes are the judge's to look into.
pub(super) fn clean_answer(answer: &mut Answer) {
    match answer {
        Answer::Refused(said) => {
            clean(&mut said.text, SENTENCE);
            if let Some(kind) = &mut said.kind {
                clean(kind, NAME);
            }
        }
        Answer::Unsupported(text)
        | Answer::Garbled(text)
        | Answer::Crashed(text)
        | Answer::TimedOut(text)
        | Answer::OrderDependent(text)
        | Answer::NotRun(text) => clean(text, SENTENCE),
        Answer::Value { .. } | Answer::Bytes(_) => {}
    }
}

/// Bounds and escapes every text of a hello.
pub(super) fn clean_handshake(handshake: &mut Handshake) {
    for text in [&mut handshake.name, &mut handshake.version, &mut handshake.language] {
        clean(text, NAME);
    }
    for text in [&mut handshake.ints, &mut handshake.reals, &mut handshake.text].into_iter().flatten() {
        clean(text, NAME);
    }
    let types: [&mut [String]; 2] = match &mut handshake.types {
        None => [&mut [], &mut []],
        Some(Types::Both(both)) => [both, &mut []],
        Some(Types::Each { decode, encode }) => [decode, encode],
    };
    for text in types.into_iter().flatten().chain(&mut handshake.dialects).chain(&mut handshake.options) {
        clean(text, NAME);
    }
}

fn clean(text: &mut String, limit: usize) {
    if text.len() > limit || is_unfit(text) {
        *text = beginning(text.as_bytes(), limit);
    }
}
