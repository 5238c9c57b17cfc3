//! Headings and grid tables of reStructuredText.

use crate::read::{Heading, PageRow, PageTable, PageTables};

/// Reads a page. The error is a line, from 1, and what is wrong there.
pub(super) fn read(text: &str) -> Result<PageTables, (usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut page = PageTables::default();
    let mut at = 0;
    while at < lines.len() {
        if is_rule(lines[at].trim_start()) {
            let table = Grid { lines: &lines, first: at }.read()?;
            at = table.1;
            page.tables.push(table.0);
            continue;
        }
        if at > 0 && is_underline(lines[at]) && lines[at].chars().count() >= lines[at - 1].chars().count() {
            let text = unescaped(lines[at - 1].trim());
            if !text.is_empty() && !is_underline(&text) {
                page.headings.push(Heading { line: at, text });
            }
        }
        at += 1;
    }
    Ok(page)
}

/// `+---+===+`.
fn is_rule(line: &str) -> bool {
    line.len() > 2 && line.starts_with('+') && line.ends_with('+') && line.chars().all(|letter| "+-=".contains(letter))
}

fn is_underline(line: &str) -> bool {
    let mut letters = line.chars();
    let first = letters.next().filter(|letter| "=-~^\"'#*+.:".contains(*letter));
    line.len() > 1 && first.is_some_and(|first| letters.all(|letter| letter == first))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    plain
}

/// A grid table that begins at a line.
struct Grid<'a> {
    lines: &'a [&'a str],
    first: usize,
}

impl Grid<'_> {
    /// The table, and the line after it.
    fn read(&self) -> Result<(PageTable, usize), (usize, String)> {
        let indent = self.lines[self.first].len() - self.lines[self.first].trim_start().len();
        let rule = self.lines[self.first].trim_start();
        let bars: Vec<usize> =
            rule.char_indices().filter(|(_, letter)| *letter == '+').map(|(place, _)| place).collect();
        let broken = |at: usize, why: &str| {
            let message = format!("the table that starts on line {} is broken: {why}", self.first + 1);
            Err((at + 1, message))
        };
        let mut rows: Vec<PageRow> = Vec::new();
        let mut cells: Vec<String> = vec![String::new(); bars.len() - 1];
        let (mut begun, mut head, mut at) = (self.first + 1, 0, self.first + 1);
        loop {
            let line = match self.lines.get(at) {
                Some(line) if !line.trim().is_empty() => line.get(indent..).unwrap_or(line.trim_start()),
                _ => break,
            };
            if is_rule(line) {
                if line.char_indices().any(|(place, letter)| letter == '+' && !bars.contains(&place))
                    || line.len() != rule.len()
                {
                    return broken(
                        at,
                        "this rule has different columns than the first; cells that span columns are not supported",
                    );
                }
                if begun < at {
                    let done = std::mem::replace(&mut cells, vec![String::new(); bars.len() - 1]);
                    rows.push(PageRow {
                        line: begun + 1,
                        cells: done.iter().map(|cell| unescaped(cell.trim())).collect(),
                    });
                }
                if line.contains('=') {
                    head = rows.len();
                }
                (begun, at) = (at + 1, at + 1);
                continue;
            }
            let letters: Vec<char> = line.chars().collect();
            if bars.iter().any(|bar| letters.get(*bar) != Some(&'|')) || letters.len() != rule.len() {
                return broken(at, "a cell does not match its column; put each `|` under a `+`");
            }
            for (cell, pair) in cells.iter_mut().zip(bars.windows(2)) {
                let text: String = letters[pair[0] + 1..pair[1]].iter().collect();
                *cell = format!("{cell} {}", text.trim());
            }
            at += 1;
        }
        if begun != at {
            return broken(at.saturating_sub(1), "it has no rule at the end; add one");
        }
        let head =
            if head == 0 { Vec::new() } else { rows.drain(..head).next().map(|row| row.cells).unwrap_or_default() };
        // A table without `=` has its head in the first row.
        let head = if head.is_empty() && !rows.is_empty() { rows.remove(0).cells } else { head };
        Ok((PageTable { line: self.first + 1, head, rows }, at))
    }
}
