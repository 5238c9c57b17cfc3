//! What an implementation says, without what changes from input to input.

/// The class of an exception, or its text without what changes from input to input. `None` if there is no text.
pub(super) fn class(text: &str) -> Option<String> {
    let class = exception(text).map_or_else(|| plain(text), str::to_owned);
    (!class.is_empty()).then_some(class)
}

/// A word with `N` for each number in it: digits that belong to a name, as in `int32` or `UTF-8`, stay.
fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    let (mut in_name, mut in_number) = (false, false);
    // A character is as good as another.
    if let Some(code) = word.strip_prefix("U+") {
        return "U+N".to_owned() + code.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    for c in word.chars() {
        let begins = c.is_ascii_digit() && !in_name && !in_number;
        if begins {
            out.push('N');
        }
        // A hexadecimal number, a fraction and a unit are part of it.
        in_number = begins || in_number && (c.is_alphanumeric() || c == '.');
        in_name = !in_number && (c.is_alphabetic() || c == '_' || in_name && (c.is_alphanumeric() || c == '-'));
        if !in_number {
            out.push(c);
        }
    }
    out
}

/// The name of the exception in a text.
fn exception(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"._".contains(c));
    words.find(|word| word.ends_with("Error") || word.ends_with("Exception"))
}

/// How a process ended, and the first words of the line in which it said why: they name the error, and not what it is about.
pub(super) fn ending(did: &str, said: Option<&str>) -> String {
    const MOST: usize = 6;
    let said = said.map(|said| exception(said).map_or_else(|| plain(said), str::to_owned)).unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().take(MOST).collect();
    if words.is_empty() { our_words(did) } else { format!("{}: {}", our_words(did), words.join(" ")) }
}

/// What is wrong with a reply: where in it is another matter.
pub(super) fn what_is_invalid(why: &str) -> String {
    our_words(why.rsplit_once(": ").map_or(why, |(_, what)| what))
}

/// A text of an implementation without numbers and without what is in quotes, in few words.
fn plain(text: &str) -> String {
    without_values(text, &['"', '`'], 60)
}

/// The same of what conform says: what is between backquotes are words of the protocol.
pub(super) fn our_words(text: &str) -> String {
    without_values(text, &['"'], 120)
}

fn without_values(text: &str, quotes: &[char], most: usize) -> String {
    let (mut out, mut quote) = (String::new(), None);
    for c in text.lines().next().unwrap_or_default().chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if quotes.contains(&c) => {
                quote = Some(c);
                out.push('…');
            }
            None if c == '\'' && !out.ends_with(char::is_alphanumeric) => {
                quote = Some(c);
                out.push('…');
            }
            None => out.push(c),
        }
    }
    let mut words: Vec<String> = Vec::new();
    for word in out.split_whitespace() {
        // What is no word is a value, or a type or a file of a language.
        let is_path = word.contains('.') && word.split('.').all(|part| part.starts_with(char::is_alphabetic));
        if word.chars().any(|c| "[]{}".contains(c)) || is_path {
            if words.last().is_none_or(|last| last != "…") {
                words.push("…".to_owned());
            }
            continue;
        }
        // How a process exits says what ended it.
        let is_status = words.last().is_some_and(|last| last == "status" || last == "signal");
        words.push(if is_status { word.to_owned() } else { without_numbers(word) });
    }
    let whole = words.join(" ");
    match whole.char_indices().nth(most) {
        None => whole,
        // No word is cut. An id has no `…`.
        Some((end, _)) => {
            whole[..end]
                .rsplit_once(' ')
                .map_or(&whole[..end], |(first, _)| first)
                .trim_end_matches([':', ',', ';'])
                .to_owned()
                + " …"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{class, plain};

    #[test]
    fn one_exception_is_one_class_whatever_it_quotes() {
        let texts = [
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            "UnicodeDecodeError: 'utf-8' codec can't decode bytes in position 3-4: unexpected end of data",
        ];
        assert_eq!(texts.map(class), [Some("UnicodeDecodeError".to_owned()), Some("UnicodeDecodeError".to_owned())]);
        assert_eq!(plain("no type has the id 27"), "no type has the id N");
        assert_eq!(plain("byte 12 is not UTF-8"), "byte N is not UTF-8");
        assert_eq!(class("unknown key \"a b\" at 12"), Some("unknown key … at N".to_owned()));
    }
}
