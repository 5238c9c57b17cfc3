//! The tables of a report: a row for each type, or fewer where there is no room.

use indexmap::IndexMap;
use strum::VariantArray as _;

use super::extent::Extent;
use super::style::{BOLD, FAINT, style_of};
use crate::matrix::has_empty_row;
use variant_runner::ability::word;
use variant_runner::results::DialectPlan;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Ability, Summary, TypeScore};
use variant_values::sanitize::line as escaped;

/// The letters of a type's name, and of each ability, where there is room, and of each ability where there is less.
const NAME: usize = 36;
const WORD: usize = 14;
const NARROW: usize = 8;

/// The letters of the columns: of a type's name, and of each ability.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    word: usize,
}

impl Columns {
    /// Those of a terminal of this width.
    fn of(width: usize) -> Self {
        let abilities = Ability::VARIANTS.len();
        if width >= NAME + abilities * WORD {
            return Self { name: NAME, word: WORD };
        }
        Self { name: width.saturating_sub(abilities * NARROW).clamp(NARROW, NAME), word: NARROW }
    }

    /// A row of a name, which has so many letters, and of words: these are below it if it leaves no room for them.
    fn row(self, name: &str, letters: usize, words: &str) -> String {
        if letters <= self.name {
            return format!("{name}{}{words}", " ".repeat(self.name - letters));
        }
        format!("{name}\n{}{words}", " ".repeat(self.name))
    }
}

/// A table for each dialect. The first has a row for each type of which something is wrong, and so has each if everything is
/// shown; types that have the same status share a line.
pub(super) fn tables(summary: &Summary<'_>, extent: Extent<'_>) -> Vec<String> {
    if summary.plan.campaign.is_some() {
        return Vec::new();
    }
    let dialects = summary.plan.dialects.iter().filter(|dialect| summary.touches(&dialect.name));
    let tables =
        dialects.enumerate().map(|(place, dialect)| table(summary, dialect, extent.width, place == 0 || extent.full));
    tables.flatten().collect()
}

fn table(summary: &Summary<'_>, dialect: &DialectPlan, width: usize, has_rows: bool) -> Vec<String> {
    let columns = Columns::of(width);
    let word = columns.word;
    let heads: String = Ability::VARIANTS.iter().map(|ability| format!("{:>word$}", ability.name())).collect();
    let title = escaped(&dialect.title());
    let heads = columns.row(&title, title.chars().count(), &heads);
    let mut lines = vec![String::new(), format!("{BOLD}{heads}{BOLD:#}")];
    let mut folded: IndexMap<String, Vec<String>> = IndexMap::new();
    let has_row =
        |(id, _, score): &(Option<usize>, &str, TypeScore)| !score.is_empty() || has_empty_row(summary.plan, *id);
    for (id, layout, score) in summary.rows(dialect).filter(has_row) {
        let name = escaped(dialect.type_name(layout));
        if score.is_fine() || !has_rows {
            folded.entry(abilities_in_words(&score)).or_default().push(name);
        } else {
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            let fits = name.len() + layout.len() + 5 <= columns.name;
            let own = if id.is_empty() || name == layout || !fits { String::new() } else { escaped(layout) };
            let letters = name.chars().count() + own.len() + if own.is_empty() { 4 } else { 5 };
            let own = if own.is_empty() { own } else { format!(" {FAINT}{own}{FAINT:#}") };
            lines.push(columns.row(&format!("{id:>3} {name}{own}"), letters, &cells(&score, word)));
        }
    }
    for (words, names) in folded {
        lines.push(format!("    {words}: {}", names.join(", ")));
    }
    lines.push(format!("{:>3} {}", "", summary.score_of(dialect).sentence()));
    lines
}

/// The words of a type's abilities, in columns of so many letters.
fn cells(score: &TypeScore, width: usize) -> String {
    let cells = score.marks().map(|mark| {
        let style = style_of(mark);
        format!("{style}{:>width$}{style:#}", short_word(mark, width))
    });
    cells.concat()
}

/// The word of an ability, in a column of so many letters.
fn short_word(mark: CellStatus, width: usize) -> &'static str {
    match mark {
        CellStatus::NotSupported => "-",
        CellStatus::Known if width <= NARROW => "known",
        _ => word(mark),
    }
}

/// What can be said of a type in words: `reads, safe; not writes, exact`.
fn abilities_in_words(score: &TypeScore) -> String {
    let named = |wanted: &[CellStatus]| -> Vec<&'static str> {
        let all = Ability::VARIANTS.iter().filter(|ability| wanted.contains(&score.mark(**ability)));
        all.map(|ability| ability.name()).collect()
    };
    let parts = [
        ("", named(&[CellStatus::Ok]), ""),
        ("not ", named(&[CellStatus::Fail]), ""),
        ("not ", named(&[CellStatus::Known]), " (known)"),
        ("not run: ", named(&[CellStatus::NotRun]), ""),
    ];
    let said = |(before, names, after): (&'static str, Vec<&'static str>, &'static str)| {
        names.into_iter().map(move |name| format!("{before}{name}{after}"))
    };
    let each = parts.into_iter().flat_map(said);
    let each: Vec<String> = each.collect();
    if each.is_empty() { "not supported".to_owned() } else { each.join(", ") }
}
