//! `conform document`, and `conform lint --document`.

use std::path::Path;

use variant_document::check::check;
use variant_document::{Page, SourceFormat, read, render};
use variant_specs::Dialect;
use variant_syntax::input;
use variant_wire::diagnostic::Problem;

use super::paths::{self, Paths};
use super::report::no_page;
use super::terminal::{put, say};
use super::{DocumentArgs, Exit, Failure};

pub(super) fn document(args: &DocumentArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialect = paths::dialect(&args.dialect, &specs)?;
    put(&render(&Page::new(&corpus, &specs, dialect), args.format).map_err(no_page)?, args.out.as_deref())?;
    Ok(Exit::AsExpected)
}

/// Lists each row of somebody else's page that disagrees with what engines do.
pub(super) fn lint(file: &Path, dialect: Option<&str>, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialect: Option<&Dialect> = dialect.map(|name| paths::dialect(name, &specs)).transpose()?;
    let name = file.display().to_string();
    let unknown = || Failure::usage(format!("{name}: neither .rst nor .md; rename the file to match its format"));
    let format = SourceFormat::of_file(&name).ok_or_else(unknown)?;
    let text = input::text(file).map_err(|error| Problem::of_input(file, &error))?;
    let page = read(&name, &text, format)?;
    let checked = check(&name, &page, &corpus, &specs, dialect)?;
    for mismatch in &checked.mismatches {
        say(format!("{name}:{}: {mismatch}", mismatch.line))?;
    }
    let (compared, wrong) = (checked.compared, checked.mismatches.len());
    say(format!("{name}: compared with {}; {compared} rows, {wrong} problems", checked.dialect.name))?;
    Ok(if wrong == 0 { Exit::AsExpected } else { Exit::NotAsExpected })
}
