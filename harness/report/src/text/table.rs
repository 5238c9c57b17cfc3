//! The tables of a report: a row for each type, or fewer where there is no room.

use anstyle::Style;
use indexmap::IndexMap;

use super::{AMBER, BOLD, FAINT, GREEN, Page, RED, wrapped};
use variant_runner::results::DialectPlan;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Cell, DerivedCell, OF_ALL};
use variant_wire::sanitize::line as escaped;

impl Page<'_> {
    /// A table for each dialect, in at most so many lines: types that have the same status share a line if they must.
    pub(super) fn tables(&self, most: usize) -> Vec<String> {
        let dialects: Vec<&DialectPlan> =
            self.summary.plan.dialects.iter().filter(|dialect| self.summary.touches(&dialect.name)).collect();
        let of_form = |form: TableForm| -> Vec<String> {
            dialects.iter().flat_map(|dialect| self.dialect(dialect, form)).collect()
        };
        let forms = [TableForm::Each, TableForm::Folded, TableForm::Words];
        let last = forms.len() - 1;
        let fits = forms[..last].iter().map(|form| of_form(*form)).find(|lines| lines.len() <= most);
        fits.unwrap_or_else(|| of_form(forms[last]))
    }

    fn dialect(&self, dialect: &DialectPlan, form: TableForm) -> Vec<String> {
        let mut lines = vec![
            String::new(),
            format!("{BOLD}{:<24}{:>13}{:>13}{:>21}{BOLD:#}", escaped(&dialect.name), "decode", "encode", "derived"),
        ];
        // If only a selection was run, only the types that it has tests for.
        let selected = self.summary.plan.selection.only.is_some();
        let mut rows: Vec<(String, &str, Cell, Cell)> = Vec::new();
        for (id, layout) in dialect.types.iter().enumerate() {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            let encode = self.summary.cell(&dialect.name, layout, "encode");
            if !selected || [decode.mark(true), encode.mark(false)] != [CellStatus::None; 2] {
                rows.push((format!("{id:>3} {:<20}", escaped(layout)), layout, decode, encode));
            }
        }
        for (layout, name) in OF_ALL {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            if decode.judged.authored + decode.not_claimed > 0 {
                let encode = self.summary.cell(&dialect.name, layout, "encode");
                rows.push((format!("{:>3} {name:<20}", ""), name, decode, encode));
            }
        }
        let mut folded: IndexMap<String, Vec<String>> = IndexMap::new();
        for (name, layout, decode, encode) in rows {
            let fold = match form {
                TableForm::Each => None,
                TableForm::Folded => {
                    let fine = |mark: CellStatus| mark == CellStatus::Ok || mark.is_untested();
                    let fine = fine(decode.mark(true)) && fine(encode.mark(false)) && decode.red.sum() == 0;
                    fine.then(|| words(decode, encode))
                }
                TableForm::Words => Some(words(decode, encode)),
            };
            match fold {
                None => lines.push(row(&name, decode, encode)),
                Some(words) => folded.entry(words).or_default().push(escaped(layout)),
            }
        }
        for (words, names) in folded {
            lines.extend(wrapped(&format!("    {words}: "), &names, usize::MAX));
        }
        lines.push(format!("{:>3} {}", "", self.summary.ids_of(dialect).sentence()));
        lines
    }
}

/// How the types of a dialect are shown.
#[derive(Debug, Clone, Copy)]
enum TableForm {
    /// A row for each.
    Each,
    /// Those that are fine in a line, a row for each of the others.
    Folded,
    /// A line for all that have the same status.
    Words,
}

/// The row of a type.
fn row(name: &str, decode: Cell, encode: Cell) -> String {
    let derived = DerivedCell::of(&decode, &encode);
    let (word, style) = match derived.mark {
        CellStatus::Fail | CellStatus::Known => (derived.mark.word(), style_of(derived.mark)),
        CellStatus::None => ("-", FAINT),
        CellStatus::Ok
        | CellStatus::Part
        | CellStatus::Within
        | CellStatus::Unclaimed
        | CellStatus::Open
        | CellStatus::NotRun => ("", FAINT),
    };
    let derived = format!("{word} {}", derived.counts());
    format!("{name}{}{}{style}{:>21}{style:#}", cell(decode, true), cell(encode, false), derived.trim())
}

/// The status of a type in words: `decode ok, encode FAIL`.
fn words(decode: Cell, encode: Cell) -> String {
    match (decode.mark(true), encode.mark(false)) {
        (both, other) if both == other => format!("{} both ways", both.word()),
        (decode, encode) => format!("decode {}, encode {}", decode.word(), encode.word()),
    }
}

/// A cell of the grid: a word, and how many of the judged tests passed.
fn cell(cell: Cell, decode: bool) -> String {
    let mark = cell.mark(decode);
    let word = mark.word();
    let style = style_of(mark);
    let text = format!("{word} {}", cell.counts());
    format!("{style}{:>13}{style:#}", text.trim_end())
}

fn style_of(mark: CellStatus) -> Style {
    match mark {
        CellStatus::Ok => GREEN,
        CellStatus::Part | CellStatus::Known | CellStatus::Within => AMBER,
        CellStatus::Fail | CellStatus::NotRun => RED,
        CellStatus::Unclaimed | CellStatus::Open | CellStatus::None => FAINT,
    }
}
