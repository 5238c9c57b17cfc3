//! The lines of a corpus file that messages point at. YAML has locations for its own errors only.

/// Lines by what begins on them, from 1.
pub(super) struct Lines<'a> {
    /// The line of each `- name:`, and the name.
    names: Vec<(usize, &'a str)>,
    /// The line of each `bytes:`.
    bytes: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut lines = Self { names: Vec::new(), bytes: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if let Some(rest) = line.strip_prefix("- name:") {
                let name = rest.split('#').next().unwrap_or_default().trim().trim_matches('"');
                lines.names.push((index + 1, name));
            } else if line.starts_with("bytes:") {
                lines.bytes.push(index + 1);
            }
        }
        lines
    }

    /// The lines on which a case of this name begins: more than one is an error.
    pub(super) fn of_case<'b>(&'b self, name: &'b str) -> impl Iterator<Item = usize> + 'b {
        self.names.iter().filter(move |(_, other)| *other == name).map(|(line, _)| *line)
    }

    /// The lines of `bytes:` after a line.
    pub(super) fn of_bytes(&self, behind: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.bytes.partition_point(|line| *line <= behind);
        self.bytes[first..].iter().copied()
    }
}
