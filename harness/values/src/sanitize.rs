//! Text of an implementation or a file, made safe to print: of limited length, without control characters, without
//! characters that hide or reorder the text around them, and without lines that a CI system obeys.

use std::fmt::Write;
use std::time::Duration;

/// Sanitizes one line; line ends are escaped too.
pub fn line(text: &str) -> String {
    escaped(text, char::is_control)
}

/// Sanitizes lines; line ends and tabs stay.
pub fn lines(text: &str) -> String {
    escaped(text, moves)
}

/// As [`lines`], for bytes that may not be UTF-8.
pub fn bytes(bytes: &[u8]) -> String {
    lines(&String::from_utf8_lossy(bytes).replace("\r\n", "\n"))
}

/// The same JSON, in which the strings have escapes for what [`line()`] escapes: whoever reads it gets the same strings.
pub fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if moves(letter) || hides(letter) || commands(&text[at..], false) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// The first `most` bytes as text, and the full length if something is cut.
pub fn beginning(of: &[u8], most: usize) -> String {
    let (kept, cut) = of.split_at(most.min(of.len()));
    let mut text = bytes(kept);
    if !cut.is_empty() {
        let _ = write!(text, "… ({} bytes)", of.len());
    }
    text
}

/// Whether a text has characters that [`lines`] escapes.
pub fn is_unfit(text: &str) -> bool {
    text.contains(|letter| moves(letter) || hides(letter))
}

/// More letters than any command begins with.
const AHEAD: usize = 16;

/// One sanitized line of at most `most` characters.
pub fn short(text: &str, most: usize) -> String {
    // What is behind has no place in it.
    let end = text.char_indices().nth(most + AHEAD).map_or(text.len(), |(end, _)| end);
    let line = line(&text[..end]);
    if line.chars().count() <= most { line } else { line.chars().take(most.saturating_sub(1)).chain(['…']).collect() }
}

fn escaped(text: &str, unfit: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at_start = true;
    for (at, letter) in text.char_indices() {
        let commands = commands(&text[at..], at_start);
        at_start = letter == '\n' || at_start && letter.is_whitespace();
        if commands {
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else if unfit(letter) || hides(letter) {
            // Writing to a String cannot fail.
            let _ = write!(shown, "{}", letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Whether a command to a CI system begins here: GitHub's `::error::` at the start of a line and its older `##[error]`
/// anywhere, as Azure's `##vso[…]` and TeamCity's `##teamcity[…]`.
fn commands(rest: &str, at_start: bool) -> bool {
    let command = |name: &str| rest.strip_prefix("##").is_some_and(|rest| rest.starts_with(name));
    at_start && rest.starts_with("::") || ["[", "vso[", "teamcity["].into_iter().any(command)
}

/// Control characters other than line ends and tabs.
fn moves(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
}

/// Characters that are invisible or change the direction of text, and noncharacters, some of which XML refuses.
fn hides(letter: char) -> bool {
    let is_noncharacter = u32::from(letter) & 0xfffe == 0xfffe || matches!(letter, '\u{fdd0}'..='\u{fdef}');
    is_noncharacter
        || matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        )
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}')
        || matches!(letter, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A time for a sentence, rounded: `2 s`, `2.6 s`, `800 ms`.
pub fn time(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    match (tenths / 10, tenths % 10) {
        (0, _) => format!("{} ms", time.as_micros().div_ceil(1000)),
        (seconds, 0) => format!("{seconds} s"),
        (seconds, tenth) => format!("{seconds}.{tenth} s"),
    }
}

/// A number and a word, in the plural unless the number is 1: `1 case`, `2 cases`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A text with a backslash before each of these letters, which would begin markup.
pub fn backslashed(text: &str, special: &str) -> String {
    text.chars().flat_map(|letter| special.contains(letter).then_some('\\').into_iter().chain([letter])).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{beginning, bytes, line, lines, short, time};

    #[test]
    fn times_are_rounded() {
        let shown = [0, 1, 1_000, 799_100, 949_999, 950_000, 1_980_395, 2_560_293, 60_000_000]
            .map(|micros| time(Duration::from_micros(micros)));
        assert_eq!(shown, ["0 ms", "1 ms", "1 ms", "800 ms", "950 ms", "1 s", "2 s", "2.6 s", "60 s"]);
    }

    #[test]
    fn nothing_moves_the_cursor_or_turns_the_text() {
        assert_eq!(line("\x1b[2Ja\nb"), "\\u{1b}[2Ja\\nb");
        assert_eq!(lines("\ta\n\x08b"), "\ta\n\\u{8}b");
        assert_eq!(line("evil\u{202e}gpj.exe"), "evil\\u{202e}gpj.exe");
        assert_eq!(line("\u{ffff}"), "\\u{ffff}");
        assert_eq!(line("é <b>"), "é <b>");
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(lines("::stop-commands::x\n \t::error::y"), "\\u{3a}:stop-commands::x\n \t\\u{3a}:error::y");
        assert_eq!(line("a ##[error]b ##vso[x]"), "a \\u{23}#[error]b \\u{23}#vso[x]");
        assert_eq!(line("a::b, ## heading, ###[x]"), "a::b, ## heading, #\\u{23}#[x]");
    }

    #[test]
    fn json_stays_the_same() {
        let strings = ["a ##[error]b ##vso[x]", "\u{9b}\u{85}\u{ad}\u{e0041}\u{2028}\u{fffe}", "é <b> # ## ##x \n"];
        let shown = super::json(&serde_json::to_string_pretty(&strings).unwrap());
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), strings);
        assert!(!super::is_unfit(&shown) && !shown.contains("##[") && shown.contains("\\udb40\\udc41"), "{shown}");
    }

    #[test]
    fn nothing_is_invisible() {
        assert_eq!(line("so\u{ad}ft\u{e0041}\u{9b}31m"), "so\\u{ad}ft\\u{e0041}\\u{9b}31m");
        assert_eq!(line("\u{3164}\u{1fffe}"), "\\u{3164}\\u{1fffe}");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(short("abcd", 3), "ab…");
        assert_eq!(short("abc", 3), "abc");
    }

    #[test]
    fn bytes_become_text() {
        assert_eq!(bytes(b"\x1b[2Jred\r\nnext\t\xff"), "\\u{1b}[2Jred\nnext\t\u{fffd}");
        assert_eq!(beginning(b"abcdef", 3), "abc… (6 bytes)");
        assert_eq!(beginning(b"abc", 3), "abc");
    }
}
