//! What an adapter says, made fit to be shown: bounded, Unicode, and without anything that moves a cursor.

use std::fmt::Write;

use crate::hello::{Hello, Types};
use crate::implementation::Answer;

/// The longest sentence that is kept from an answer.
const SENTENCE: usize = 1000;
/// The longest name that is kept from a hello.
const NAME: usize = 100;

/// The beginning of a text, cut after about `limit` bytes.
pub(super) fn shown(bytes: &[u8], limit: usize) -> String {
    let (kept, cut) = bytes.split_at(limit.min(bytes.len()));
    let mut text = escaped(kept);
    if !cut.is_empty() {
        let _ = write!(text, "… ({} bytes)", bytes.len());
    }
    text
}

/// The whole text; lines stay lines.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(is_unfit) {
        return text.into_owned();
    }
    let mut fit = String::with_capacity(text.len());
    for char in text.replace("\r\n", "\n").chars() {
        if is_unfit(char) {
            let _ = write!(fit, "{}", char.escape_default());
        } else {
            fit.push(char);
        }
    }
    fit
}

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
pub(super) fn clean_hello(hello: &mut Hello) {
    for text in [&mut hello.name, &mut hello.version, &mut hello.language] {
        clean(text, NAME);
    }
    for text in [&mut hello.ints, &mut hello.reals, &mut hello.text].into_iter().flatten() {
        clean(text, NAME);
    }
    let types: [&mut [String]; 2] = match &mut hello.types {
        None => [&mut [], &mut []],
        Some(Types::Both(both)) => [both, &mut []],
        Some(Types::Each { decode, encode }) => [decode, encode],
    };
    for text in types.into_iter().flatten().chain(&mut hello.dialects).chain(&mut hello.options) {
        clean(text, NAME);
    }
}

fn clean(text: &mut String, limit: usize) {
    if text.len() > limit || text.contains(is_unfit) {
        *text = shown(text.as_bytes(), limit);
    }
}

/// Control characters, and those that reorder or hide what stands beside them.
fn is_unfit(char: char) -> bool {
    let hides =
        matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    (char.is_control() && char != '\n' && char != '\t') || hides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_move_the_cursor_or_hide_another() {
        assert_eq!(escaped(b"\x1b[2Jred\r\nnext\t\xff"), "\\u{1b}[2Jred\nnext\t\u{fffd}");
        assert_eq!(escaped("a\u{202e}b".as_bytes()), "a\\u{202e}b");
    }

    #[test]
    fn a_cut_says_how_long_the_whole_was() {
        assert_eq!(shown(b"abcdef", 3), "abc… (6 bytes)");
        assert_eq!(shown(b"abc", 3), "abc");
    }
}
