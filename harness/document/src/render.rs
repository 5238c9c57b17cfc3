//! A page as reStructuredText or Markdown.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Value};

use crate::page::Page;
use variant_values::sanitize::backslashed;

#[derive(Debug, Clone, Copy)]
pub enum PageFormat {
    /// reStructuredText with grid tables, as godot-docs has it.
    Rst,
    /// Markdown with pipe tables.
    Markdown,
}

pub fn render(page: &Page, format: PageFormat) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    let (template, markup) = match format {
        PageFormat::Rst => (include_str!("templates/page.rst"), ("\\*`|_", "``")),
        PageFormat::Markdown => (include_str!("templates/page.md"), ("\\*`|_<[", "`")),
    };
    environment.add_filter("text", move |text: String| escaped(&text, markup));
    environment.add_filter("grid", move |rows: Vec<Vec<String>>, head: Vec<String>| {
        let cells = |row: Vec<String>| row.iter().map(|cell| escaped(cell, markup)).collect();
        grid(&std::iter::once(head).chain(rows).map(cells).collect::<Vec<_>>())
    });
    environment.add_filter("under", |text: String, letter: String| letter.repeat(text.chars().count()));
    environment.template_from_str(template)?.render(Value::from(Serde(page)))
}

/// A text without markup but for code between backticks: a backslash before each letter that would begin some.
fn escaped(text: &str, (special, fence): (&str, &str)) -> String {
    let plain = |text: &str| backslashed(text, special);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(text);
    }
    let part = |(place, part): (usize, &&str)| {
        if place.is_multiple_of(2) { plain(part) } else { format!("{fence}{part}{fence}") }
    };
    parts.iter().enumerate().map(part).collect()
}

/// A grid table of reStructuredText; the first row is its head.
fn grid(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).map_or("", String::as_str).to_owned();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0))
        .collect();
    let rule = |letter: &str| -> String {
        widths.iter().map(|width| format!("+{}", letter.repeat(width + 2))).collect::<String>() + "+\n"
    };
    let mut text = rule("-");
    for (place, row) in rows.iter().enumerate() {
        let cells = widths.iter().enumerate().map(|(column, width)| format!("| {:<width$} ", cell(row, column)));
        text += &(cells.collect::<String>() + "|\n");
        text += &rule(if place == 0 { "=" } else { "-" });
    }
    text
}
