//! Texts that JSON must escape, or that are no text in some languages.

use variant_codec::{Text, Value};
use variant_specs::Shape;

use super::Found;
use super::mend::Mend;
use super::numbers::both_ways;
use super::talk::Talk;
use variant_wire::handshake::Op;
use variant_wire::implementation::Input;

/// How long a long text is.
const LONG: usize = 256 << 10;

pub(super) fn four_bytes(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "write standard output as UTF-8, and characters beyond U+FFFF as they are or as two \\u escapes",
        read: "read standard input as UTF-8, with characters beyond U+FFFF as they are or as two \\u escapes",
        codec: "counts characters or UTF-16 units where the length is in bytes, or reads another encoding than UTF-8",
        ..texts(talk)
    };
    echo(talk, "😀 é 漢 𝄞", mend)
}

pub(super) fn escapes(talk: &mut Talk<'_>) -> Result<Found, String> {
    let escaped = "a JSON text has \\\", \\\\ and \\u00XX for quotes, backslashes and control characters";
    let mend = Mend {
        answer: escaped,
        read: &format!("{escaped}; to be sent hex say \"text\":\"hex\" in the hello"),
        codec: "changes one of them",
        ..texts(talk)
    };
    echo(talk, "\"\\/\u{1}\u{1f}\n\r\t{}[]\u{7f}", mend)
}

pub(super) fn long(talk: &mut Talk<'_>) -> Result<Found, String> {
    let lines = "read and write lines of any length, in one piece";
    let mend = Mend { answer: lines, read: lines, codec: "cuts long texts", said: false, ..texts(talk) };
    echo(talk, &"long ".repeat(LONG / 5), mend)
}

/// What a text with a NUL in it means is for a run to judge; but it must be answered.
pub(super) fn nul(talk: &mut Talk<'_>) -> Result<Found, String> {
    let Some((layout, value)) = text(talk, "a\0b") else { return Ok(unclaimed()) };
    let mend = "JSON writes U+0000 as \\u0000; or answer {\"string\":{\"utf8\":\"610062\"}}";
    for op in [Op::Decode, Op::Encode] {
        if !talk.handshake.ops.contains(&op) || !talk.handshake.claims(&layout, op) {
            continue;
        }
        let input = match op {
            Op::Encode => Input::Encode(value.clone()),
            Op::Decode | Op::Reencode => match talk.codec.encode(&value) {
                Ok(packet) => Input::Decode(packet),
                Err(_) => continue,
            },
        };
        talk.send(input).map_err(|why| format!("{}: {why}; {mend}", op.name()))?;
    }
    Ok(Found::Good(String::new()))
}

/// What holds of all texts.
fn texts(talk: &Talk<'_>) -> Mend<'static> {
    Mend { answer: "", read: "", said: talk.handshake.text.is_some(), lossy: "", codec: "" }
}

fn echo(talk: &mut Talk<'_>, written: &str, mend: Mend<'_>) -> Result<Found, String> {
    match text(talk, written) {
        Some((layout, value)) => both_ways(talk, &layout, &value, mend),
        None => Ok(unclaimed()),
    }
}

/// A text of the first text type that is claimed.
fn text(talk: &Talk<'_>, written: &str) -> Option<(String, Value)> {
    let mut types = talk.dialect.types.iter().map(|entry| (entry.layout, talk.dialect.layout(entry)));
    let (id, layout) = types.find(|(_, layout)| {
        layout.shape == Shape::Text && talk.handshake.ops.iter().any(|op| talk.handshake.claims(&layout.name, *op))
    })?;
    Some((layout.name.clone(), Value::Text(id, Text::from_bytes(written.as_bytes()))))
}

fn unclaimed() -> Found {
    Found::Skipped("it claims no type of text".to_owned())
}
