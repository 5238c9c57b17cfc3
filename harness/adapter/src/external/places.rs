//! Paths of this machine in what a program says: records are published, and the file's name is enough.

/// The same text, in which absolute paths are cut to the file's name: `File "/home/a/x.py"` becomes `File "…/x.py"`.
pub(super) fn without_folders(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, ' ');
    while let Some(next) = rest.chars().next() {
        let begins = before.is_whitespace() || "\"'`([<=,@".contains(before);
        let folders = if begins { folders(rest, before) } else { 0 };
        if folders > 0 {
            kept.push_str("…/");
            (rest, before) = (&rest[folders..], '/');
        } else {
            kept.push(next);
            (rest, before) = (&rest[next.len_utf8()..], next);
        }
    }
    kept
}

/// The length of the folders of an absolute path with which a text begins; 0 if there are none.
fn folders(text: &str, before: char) -> usize {
    let bytes = text.as_bytes();
    let has_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1..3) == Some(b":\\");
    if !(text.starts_with("file:///") || text.starts_with('/') && !text.starts_with("//") || has_drive) {
        return 0;
    }
    // In quotes there may be spaces.
    let ends = |letter: char| match before {
        '"' | '\'' | '`' => letter == before || letter == '\n',
        _ => letter.is_whitespace() || "\"'`)]>,;".contains(letter),
    };
    let path = &text[..text.find(ends).unwrap_or(text.len())];
    path.rfind(['/', '\\']).map_or(0, |last| if last == 0 { 0 } else { last + 1 })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::without_folders;

    #[rstest]
    #[case("  File \"/home/alice/my code/x.py\", line 3", "  File \"…/x.py\", line 3")]
    #[case("at f (/a/b/c.js:1:2)\nat /a/b/d.js:3:4", "at f (…/c.js:1:2)\nat …/d.js:3:4")]
    #[case("at file:///a/b/c.mjs:1:2", "at …/c.mjs:1:2")]
    #[case("\t/a/b/c.go:12 +0x1d", "\t…/c.go:12 +0x1d")]
    #[case("at C:\\Users\\alice\\X.cs:line 4", "at …/X.cs:line 4")]
    #[case("src/x.rs:1, 1 / 2 / 3, // why, http://a/b, /tmp", "src/x.rs:1, 1 / 2 / 3, // why, http://a/b, /tmp")]
    fn only_names_of_files_are_kept(#[case] said: &str, #[case] kept: &str) {
        assert_eq!(without_folders(said), kept);
    }
}
