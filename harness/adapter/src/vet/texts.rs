//! Texts that JSON must escape, or that some languages cannot hold.

use variant_codec::{Text, Value};
use variant_specs::Shape;

use super::check::{Failed, Found, GOOD};
use super::conversation::Conversation;
use super::hint::{Hint, both_ways};
use variant_values::handshake::Op;
use variant_values::implementation::Input;

/// The length of a long text, in bytes.
const LONG: usize = 256 << 10;

pub(super) fn four_bytes(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let hint = Hint {
        reply: "write standard output as UTF-8, and characters beyond U+FFFF as they are or as two \\u escapes",
        read: "read standard input as UTF-8, with characters beyond U+FFFF as they are or as two \\u escapes",
        codec: "counts characters or UTF-16 units instead of bytes, or does not read UTF-8",
        form_known: talk.handshake.text.is_some(),
        ..Hint::default()
    };
    echo(talk, "😀 é 漢 𝄞", hint)
}

pub(super) fn escapes(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let escaped = "JSON writes quotes, backslashes and control characters as \\\", \\\\ and \\u00XX";
    let hint = Hint {
        reply: escaped,
        read: &format!("{escaped}; set \"text\":\"hex\" in the handshake reply to receive hex"),
        codec: "changes one of them",
        form_known: talk.handshake.text.is_some(),
        ..Hint::default()
    };
    echo(talk, "\"\\/\u{1}\u{1f}\n\r\t{}[]\u{7f}", hint)
}

pub(super) fn long(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let lines = "read and write lines of any length, in one piece";
    let hint = Hint { reply: lines, read: lines, codec: "cuts long texts", ..Hint::default() };
    echo(talk, &"long ".repeat(LONG / 5), hint)
}

/// What a text with U+0000 means is for a run to judge, but it must get a reply.
pub(super) fn nul(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let Some((layout, value)) = text(talk, "a\0b") else { return Ok(without_text()) };
    let packet = talk.codec.encode(&value).ok();
    for input in packet.map(Input::Decode).into_iter().chain([Input::Encode(value)]) {
        let op = if matches!(input, Input::Encode(_)) { Op::Encode } else { Op::Decode };
        if talk.claims(&layout, op) {
            let hint = "JSON writes U+0000 as \\u0000; or reply with {\"string\":{\"utf8\":\"610062\"}}";
            talk.send(input).map_err(|why| Failed(format!("{}: {why}", op.name())).hint(hint))?;
        }
    }
    Ok(GOOD)
}

fn echo(talk: &mut Conversation<'_>, written: &str, hint: Hint<'_>) -> Result<Found, Failed> {
    match text(talk, written) {
        Some((layout, value)) => both_ways(talk, &layout, &value, hint),
        None => Ok(without_text()),
    }
}

/// A text of the first text type that is claimed.
fn text(talk: &Conversation<'_>, written: &str) -> Option<(String, Value)> {
    let mut types = talk.dialect.types.iter().map(|entry| (entry.layout, talk.dialect.layout(entry)));
    let (id, layout) = types.find(|(_, layout)| {
        layout.shape == Shape::Text && talk.handshake.ops.iter().any(|op| talk.handshake.claims(&layout.name, *op))
    })?;
    Some((layout.name.clone(), Value::Text(id, Text::from_bytes(written.as_bytes()))))
}

fn without_text() -> Found {
    Found::skipped("it supports no type of text")
}
