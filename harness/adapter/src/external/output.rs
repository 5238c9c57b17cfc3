//! What an adapter prints outside the protocol: only the beginning and the end of it are kept, and no path of this machine, since records are
//! published and the file's name is enough.

use variant_values::sanitize::bytes;

/// How much of an output is kept, in bytes.
pub(super) const KEPT: usize = 4 << 10;

/// How much of that is the beginning: Go says there what ended it, and Python at the end.
const HEAD: usize = 1 << 10;

/// The beginning and the end of an output, however much arrives.
#[derive(Debug, Default)]
pub(crate) struct EndsBuffer {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: usize,
}

impl EndsBuffer {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (head, tail) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        let excess = self.tail.len().saturating_sub(KEPT - HEAD);
        self.tail.drain(..excess);
        self.dropped += excess;
    }

    pub(super) fn push_line(&mut self, line: &[u8]) {
        self.push(line);
        self.push(b"\n");
    }

    /// Takes what was kept, sanitized and without folders.
    pub(crate) fn take(&mut self) -> String {
        let Self { head, tail, dropped } = std::mem::take(self);
        without_folders(&match dropped {
            0 => bytes(&[head, tail].concat()).trim_end().to_owned(),
            _ => format!("{}…\n[{dropped} bytes between]\n…{}", bytes(&head), bytes(&tail).trim_end()),
        })
    }
}

/// The same text, in which absolute paths are cut to the file's name: `File "/home/a/x.py"` becomes `File "…/x.py"`.
pub(crate) fn without_folders(text: &str) -> String {
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

    use super::{EndsBuffer, HEAD, KEPT, without_folders};

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = EndsBuffer::default();
        kept.push(&[b'a'; KEPT]);
        kept.push(b"bcd");
        let (head, tail) = ("a".repeat(HEAD), "a".repeat(KEPT - HEAD - 3));
        assert_eq!(kept.take(), format!("{head}…\n[3 bytes between]\n…{tail}bcd"));
        assert_eq!(kept.take(), "");
    }

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
