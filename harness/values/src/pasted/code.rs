//! A list of bytes as source code has it, made plain: without comments and casts, with numbers for letters.

use super::strings::{bytes, literals};

/// How a comment begins and ends.
const COMMENTS: [(&str, &str); 3] = [("//", "\n"), ("#", "\n"), ("/*", "*/")];

/// What stands before a number and says that it is a byte.
const CASTS: [&str; 6] = ["(byte)", "(sbyte)", "(char)", "(unsigned char)", "(uint8_t)", "(u8)"];

/// The ends of numbers that say the same.
const ENDS: [&str; 6] = ["_u8", "u8", "_i8", "i8", "u", "U"];

/// The text with plain numbers where it has comments, casts, suffixes and letters.
pub(super) fn plain_list(text: &str) -> String {
    let mut list = with_numbers(&without_comments(text));
    for cast in CASTS {
        list = list.replace(cast, "");
    }
    if list.contains("std::byte") {
        for (of, plain) in [("std::byte{", ""), ("std::byte(", ""), ("},", ","), ("),", ",")] {
            list = list.replace(of, plain);
        }
    }
    let words = list.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.map(without_end).collect()
}

/// A number, and the letter behind it, without what says that it is a byte.
fn without_end(word: &str) -> String {
    let (number, behind) = match word.char_indices().last() {
        Some((at, letter)) if !letter.is_ascii_alphanumeric() => word.split_at(at),
        _ => (word, ""),
    };
    let end = ENDS.iter().find_map(|end| number.strip_suffix(end));
    let plain = end.filter(|_| number.starts_with(|digit: char| digit.is_ascii_digit())).unwrap_or(number);
    format!("{plain}{behind}")
}

/// A text with the number of each letter in quotes, where it has no other literals.
fn with_numbers(text: &str) -> String {
    let Some((letters, behind)) = literals(text) else { return text.to_owned() };
    let mut numbers = String::new();
    for letter in &letters {
        // Only Erlang has whole texts in a list of bytes.
        let of_list = |bytes: &Vec<u8>| bytes.len() == 1 || text.starts_with("<<") && !bytes.is_empty();
        let Some(bytes) = bytes(letter).ok().filter(of_list) else { return text.to_owned() };
        numbers.push_str(letter.before);
        numbers.push_str(&bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(","));
    }
    numbers + behind
}

fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut left = text;
    while let Some((start, (_, end))) = COMMENTS.iter().filter_map(|of| Some((left.find(of.0)?, of))).min() {
        code.push_str(&left[..start]);
        left = left[start..].find(end).map_or("", |at| &left[start + at..]);
        left = left.strip_prefix("*/").unwrap_or(left);
    }
    code + left
}
