//! Headings and tables of Markdown.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::read::{Heading, PageRow, PageTable, PageTables};

#[expect(clippy::wildcard_enum_match_arm, reason = "most of Markdown is not about tables")]
/// Reads a page. Every text is Markdown, so this cannot fail.
pub(super) fn read(text: &str) -> PageTables {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(place, _)| place + 1)).collect();
    let line_of = |place: usize| starts.partition_point(|start| *start <= place);
    let mut page = PageTables::default();
    let mut words = String::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableCell) => words.clear(),
            Event::Start(Tag::Table(_)) => {
                page.tables.push(PageTable { line: line_of(range.start), head: Vec::new(), rows: Vec::new() });
            }
            Event::Start(Tag::TableRow) => {
                if let Some(table) = page.tables.last_mut() {
                    table.rows.push(PageRow { line: line_of(range.start), cells: Vec::new() });
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                page.headings.push(Heading { line: line_of(range.start), text: words.trim().to_owned() });
            }
            Event::End(TagEnd::TableCell) => {
                if let Some(table) = page.tables.last_mut() {
                    let cells = table.rows.last_mut().map_or(&mut table.head, |row| &mut row.cells);
                    cells.push(words.trim().to_owned());
                }
            }
            Event::Text(part) | Event::Code(part) => words += &part,
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    page
}
