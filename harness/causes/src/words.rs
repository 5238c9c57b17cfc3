//! The words of a refusal or crash, without what differs from packet to packet.

use std::borrow::Cow;

/// The most characters that are kept.
const LONGEST: usize = 90;

/// The words without numbers, hex, offsets and quoted names: what two refusals for one reason have in common.
pub fn words(text: &str) -> String {
    let mut kept = String::new();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let prefixes = ["refused: ", "unsupported: ", "crashed: ", "garbled: ", "timed out: "];
    let first = prefixes.iter().find_map(|prefix| first.strip_prefix(prefix)).unwrap_or(first);
    for word in unquoted(&unwrapped(first)).split_whitespace() {
        // How a process ends does not differ from packet to packet.
        let told = kept.ends_with("exited with status") || kept.ends_with("killed by signal");
        let word = if !told && word.chars().any(|letter| letter.is_ascii_digit()) { "…" } else { word };
        if word == "…" && kept.ends_with('…') {
            continue;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    if kept.chars().count() > LONGEST {
        kept = kept.chars().take(LONGEST).chain(['…']).collect();
    }
    kept
}

/// `ValueError: too short` for `ValueError('too short')`, as Python shows exceptions.
fn unwrapped(text: &str) -> Cow<'_, str> {
    let whole = || {
        let (name, rest) = text.split_once('(')?;
        let inner = rest.strip_suffix(')')?;
        let quote = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let message = inner.strip_prefix(quote)?.strip_suffix(quote)?;
        name.chars().all(char::is_alphanumeric).then(|| format!("{name}: {message}"))
    };
    whole().map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The text with `…` in place of what is in quotes or brackets.
fn unquoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut until = None;
    let mut before = ' ';
    for letter in text.chars() {
        match (until, letter) {
            (Some(end), letter) if letter == end => until = None,
            (Some(_), _) => {}
            (None, '"' | '`') => until = Some(letter),
            // Not the apostrophe of "doesn't".
            (None, '\'') if !before.is_alphanumeric() => until = Some('\''),
            (None, '[') => until = Some(']'),
            (None, '<') => until = Some('>'),
            (None, _) => kept.push(letter),
        }
        if until.is_some() && matches!(letter, '"' | '`' | '[' | '<' | '\'') && !kept.ends_with('…') {
            kept.push('…');
        }
        before = letter;
    }
    kept
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::words;

    #[rstest]
    #[case("refused: Decode buffer error: Invalid type -32768", "Decode buffer error: Invalid type …")]
    #[case("Invalid type 0x1f at offset 12", "Invalid type … at offset …")]
    #[case("unknown type \"vector9\" in 'packet'", "unknown type … in …")]
    #[case("refused: ValueError('Unsupported variant type: 78')", "ValueError: Unsupported variant type: …")]
    #[case("crashed: exited with status 70", "exited with status 70")]
    #[case("it doesn't fit", "it doesn't fit")]
    #[case("", "")]
    fn numbers_and_names_are_left_out(#[case] text: &str, #[case] kept: &str) {
        assert_eq!(words(text), kept);
    }
}
