//! Where findings and rows are in the text of a list: a YAML reader does not say.

use std::ops::Range;

/// Lines, from 0, of a list in block style.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingPlaces {
    findings: Vec<FindingPlace>,
    /// The line after the last finding.
    pub(super) end: usize,
}

#[derive(Debug, Clone)]
struct FindingPlace {
    line: usize,
    rows: Vec<Range<usize>>,
}

impl FindingPlaces {
    pub(super) fn of(text: &str) -> Self {
        let mut places = Self { findings: Vec::new(), end: text.lines().count() };
        let (mut within, mut rows_at) = (false, None);
        for (number, line) in text.lines().enumerate() {
            let content = line.trim_start();
            let indent = line.len() - content.len();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if indent == 0 && !content.starts_with("- ") {
                if within {
                    places.end = number;
                }
                within = content.starts_with("findings:");
            } else if indent == 0 && within {
                places.findings.push(FindingPlace { line: number, rows: Vec::new() });
                rows_at = None;
            } else if let Some(block) = places.findings.last_mut().filter(|_| within) {
                match rows_at {
                    _ if indent == 2 && content.starts_with("tests:") => rows_at = Some(None),
                    Some(None) if content.starts_with("- ") => {
                        rows_at = Some(Some(indent));
                        block.rows.push(number..number + 1);
                    }
                    Some(Some(at)) if indent == at && content.starts_with("- ") => block.rows.push(number..number + 1),
                    Some(Some(at)) if indent > at => {
                        if let Some(row) = block.rows.last_mut() {
                            row.end = number + 1;
                        }
                    }
                    Some(_) | None => rows_at = None,
                }
            }
        }
        places
    }

    /// The line of a finding, from 1; the first of the file where it is not known.
    pub(super) fn line(&self, finding: usize) -> usize {
        self.findings.get(finding).map_or(1, |block| block.line + 1)
    }

    /// The lines of a row; those of its finding's first where they are not known.
    pub(super) fn row(&self, finding: usize, row: usize) -> Range<usize> {
        let Some(block) = self.findings.get(finding) else { return 0..0 };
        block.rows.get(row).cloned().unwrap_or(block.line..block.line)
    }
}
