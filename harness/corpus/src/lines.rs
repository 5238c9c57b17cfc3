//! The lines of a corpus file that messages point at. YAML has locations for its own errors only.

use std::collections::BTreeMap;

/// Lines by what begins on them, from 1.
pub(super) struct Lines<'a> {
    /// The lines of each `- name:`, by the name.
    names: BTreeMap<&'a str, Vec<usize>>,
    /// The line of each `bytes:`.
    pub(super) bytes: Vec<usize>,
    /// The line of each `written-as:`.
    pub(super) written: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut lines = Self { names: BTreeMap::new(), bytes: Vec::new(), written: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if let Some(rest) = line.strip_prefix("- name:") {
                let name = rest.split('#').next().unwrap_or_default().trim().trim_matches('"');
                lines.names.entry(name).or_default().push(index + 1);
            } else if line.starts_with("bytes:") {
                lines.bytes.push(index + 1);
            } else if line.starts_with("written-as:") {
                lines.written.push(index + 1);
            }
        }
        lines
    }

    /// The lines on which a case of this name begins: more than one is an error.
    pub(super) fn of_case(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        self.names.get(name).into_iter().flatten().copied()
    }
}

pub(super) fn after(lines: &[usize], behind: usize) -> impl Iterator<Item = usize> + '_ {
    lines[lines.partition_point(|line| *line <= behind)..].iter().copied()
}
