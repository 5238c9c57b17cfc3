//! The matrix as a page of Markdown.

use std::fmt::Write;

use strum::VariantArray as _;
use variant_runner::summary::Ability;

use super::{AbilityCell, DialectRow, ImplementationRow, Matrix, MatrixTable, Ran, TypeRow};
use variant_runner::status::CellStatus;
use variant_values::sanitize::{backslashed, short};

/// The page, as it is in `reports/matrix.md`.
pub fn markdown(matrix: &Matrix) -> String {
    let meaning = |ability: &Ability| format!("| {} | {}: {} |\n", ability.letter(), ability.name(), ability.means());
    let legend: String = Ability::VARIANTS.iter().map(meaning).collect();
    let mut page = format!(
        "# Matrix\n\nWritten by `conform matrix`: every implementation that could be run, on corpus {} (`{}`), judged by what engines \
         do. Every number is counted from its record.\n\n\
         | letter | of a type, it |\n|---|---|\n{}\
         | – | is not so; where that is known, the link explains it |\n\
         | · | is not supported, and not tested |\n\n\
         ## Implementations\n\n\
         | implementation | version | language | dialect | types | reads | writes | exact | safe | unexpected | known failures | findings |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|---|--:|---|\n",
        plain(&matrix.corpus.version),
        plain(&matrix.corpus.digest.chars().take(19).collect::<String>()),
        legend,
    );
    for (row, ran) in &matrix.implementations {
        page.push_str(&implementation(row, ran));
    }
    page.extend(matrix.tables().iter().map(dialect));
    page
}

/// A line for each of its dialects; one that was not run has one line that says so.
fn implementation(row: &ImplementationRow, ran: &Result<Ran, String>) -> String {
    let findings = row.findings.as_ref().map_or(String::new(), |page| format!("[findings](../{page})"));
    let ran = match ran {
        Ok(ran) => ran,
        Err(why) => {
            let (name, why) = (plain(&row.name), plain(why));
            return format!("| {name} | | | | **not run**: {why} | | | | | | | | {findings} |\n");
        }
    };
    let mut lines = String::new();
    for (number, dialect) in ran.dialects.iter().enumerate() {
        let first = |text: String| if number == 0 { text } else { String::new() };
        let unexpected = ran.unexpected().map_or_else(|| "none".to_owned(), |what| format!("**{what}**"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            lines,
            "| {} | {} | {} | {} | {} |{} {} | {} | {} |",
            first(plain(&row.name)),
            first(plain(&ran.version)),
            first(plain(&ran.language)),
            plain(&dialect.title),
            dialect.score.all,
            Ability::VARIANTS.iter().map(|ability| count(dialect, *ability)).collect::<String>(),
            first(unexpected),
            first(ran.known.to_string()),
            first(findings.clone()),
        );
    }
    lines
}

/// How many types have an ability.
fn count(dialect: &DialectRow, ability: Ability) -> String {
    dialect.score.count(ability).map_or_else(|| " · |".to_owned(), |count| format!(" {count} |"))
}

/// A line for each type, a column for each implementation.
fn dialect(table: &MatrixTable<'_>) -> String {
    let mut text = format!("\n## {}\n\n| id | type |", plain(table.title));
    table.columns.iter().for_each(|of| text.push_str(&format!(" {} |", plain(&of.name))));
    text.push_str(&format!("\n|---|---|{}\n", "---|".repeat(table.columns.len())));
    for (of, cells) in &table.rows {
        text.push_str(&format!("| {} | {} |", of.id.map_or(String::new(), |id| id.to_string()), plain(&of.name)));
        for row in cells {
            text.push_str(&format!(" {} |", row.map_or_else(|| "····".to_owned(), cell)));
        }
        text.push('\n');
    }
    text
}

/// The letters of the abilities of a type, with a link to the first of its findings; the others are on the same page.
fn cell(row: &TypeRow) -> String {
    let letter = |of: &AbilityCell| match of.mark {
        CellStatus::Ok => of.ability.letter(),
        CellStatus::NotSupported | CellStatus::None => '·',
        CellStatus::Warning | CellStatus::Known | CellStatus::Fail | CellStatus::Undecided | CellStatus::NotRun => '–',
    };
    let letters: String = row.abilities.iter().map(letter).collect();
    row.findings.first().map_or(letters.clone(), |page| format!("[{letters}](../{page})"))
}

/// Text of an adapter, in a cell of a table.
fn plain(text: &str) -> String {
    backslashed(&short(text, 120), "|<>`*_[]\\")
}
