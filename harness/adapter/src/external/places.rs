//! Paths of this machine in what a program says: records are published, and the file's name is enough.

/// The same text, in which absolute paths are cut to the file's name: `File "/home/a/x.py"` becomes `File "…/x.py"`.
pub(super) fn without_folders(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(next) = rest.chars().next() {
        let before = kept.chars().next_back().unwrap_or(' ');
        let is_root = next == '/' && !rest.starts_with("//")
            || rest.starts_with("file:///")
            || next.is_ascii_alphabetic() && rest[1..].starts_with(":\\");
        // In quotes there may be spaces.
        let ends = |letter: char| match before {
            '"' | '\'' | '`' => letter == before || letter == '\n',
            _ => letter.is_whitespace() || "\"'`)]>,;".contains(letter),
        };
        let is_path = is_root && (before.is_whitespace() || "\"'`([<=,@".contains(before));
        let path = if is_path { rest.split(ends).next().unwrap_or_default() } else { "" };
        let folders = path.rfind(['/', '\\']).unwrap_or(0);
        kept.push_str(if folders > 0 { "…/" } else { &rest[..next.len_utf8()] });
        rest = &rest[if folders > 0 { folders + 1 } else { next.len_utf8() }..];
    }
    kept
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
