//! The tables of a report: a row for each type, or fewer where there is no room.

use anstyle::Style;
use indexmap::IndexMap;

use super::{AMBER, BOLD, FAINT, GREEN, RED, TerminalReport, wrapped};
use variant_runner::results::DialectPlan;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Cell, TypeScore, label};
use variant_values::sanitize::line as escaped;

impl TerminalReport<'_> {
    /// A table for each dialect, in at most so many lines: types that have the same status share a line if they must.
    pub(super) fn tables(&self, most: usize) -> Vec<String> {
        if self.summary.plan.campaign.is_some() {
            return Vec::new();
        }
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
        let mut folded: IndexMap<String, Vec<String>> = IndexMap::new();
        for (id, layout, score) in self.summary.rows(dialect) {
            let shown = match id {
                Some(_) => !selected || !score.is_empty(),
                None => score.decode.judged.authored + score.decode.not_claimed > 0,
            };
            if !shown {
                continue;
            }
            let name = escaped(label(layout));
            let folds = match form {
                TableForm::Each => false,
                TableForm::Folded => score.is_fine(),
                TableForm::Words => true,
            };
            if folds {
                folded.entry(words(&score)).or_default().push(name);
            } else {
                let id = id.map(|id| id.to_string()).unwrap_or_default();
                lines.push(row(&format!("{id:>3} {name:<20}"), &score));
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
fn row(name: &str, score: &TypeScore) -> String {
    let derived = score.derived();
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
    format!("{name}{}{}{style}{:>21}{style:#}", cell(score.decode), cell(score.encode), derived.trim())
}

/// The status of a type in words: `decode ok, encode FAIL`.
fn words(score: &TypeScore) -> String {
    let [decode, encode] = score.marks();
    if decode == encode {
        return format!("{} both ways", decode.word());
    }
    format!("decode {}, encode {}", decode.word(), encode.word())
}

/// A cell of the grid: a word, and how many of the judged tests passed.
fn cell(cell: Cell) -> String {
    let mark = cell.mark();
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
