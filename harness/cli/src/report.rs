//! `conform report`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use variant_report::text::{Extent, render};
use variant_report::{annotations, badge, ctrf, html, junit, markdown, sarif, tap};
use variant_runner::record::RunRecord;
use variant_runner::summary::Summary;

use super::output::write_file;
use super::run::show;
use super::{Exit, Failure, Format, ReportArgs};

pub(super) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let recorded = read(&args.results)?;
    let summary = Summary::of(&recorded);
    if args.format == Format::Badge {
        return badges(&recorded, &summary, args);
    }
    if args.format == Format::Text && args.out.is_none() {
        show(&render(&summary, extent(args)))?;
        return Ok(Exit::AsExpected);
    }
    let text = match args.format {
        Format::Text => anstream::adapter::strip_str(&render(&summary, extent(args))).to_string(),
        Format::Html => page(&recorded, &summary, beside(args))?,
        Format::Junit => junit::junit(&recorded).map_err(Failure::usage)?,
        Format::Markdown => markdown::markdown(&recorded, &summary, markdown::STEP),
        Format::Ctrf => json(&ctrf::ctrf(&recorded)),
        Format::Tap => tap::tap(&recorded),
        Format::Sarif => json(&sarif::sarif(&recorded, &summary)),
        Format::Annotations => annotations::annotations(&summary),
        // Told apart above: it may be several files.
        Format::Badge => String::new(),
    };
    put(&text, args.out.as_deref())?;
    Ok(Exit::AsExpected)
}

/// Writes a text to a file or to stdout.
pub(super) fn put(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(text),
    }
}

/// One badge, or one for each dialect in a folder of its own.
fn badges(recorded: &RunRecord, summary: &Summary<'_>, args: &ReportArgs) -> Result<Exit, Failure> {
    let dialects = badge::dialects(recorded, args.dialect.as_deref()).map_err(Failure::usage)?;
    let badge = |dialect| badge::badge(recorded, summary, dialect).map_err(Failure::usage);
    if let [dialect] = dialects.as_slice() {
        put(&json(&badge(dialect)?), args.out.as_deref())?;
        return Ok(Exit::AsExpected);
    }
    let Some(folder) = &args.out else {
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
        return Err(Failure::usage(format!(
            "a badge is of one dialect: choose one of {} with --dialect, or name a folder for all with --out",
            names.join(", ")
        )));
    };
    for dialect in dialects {
        put(&json(&badge(dialect)?), Some(&folder.join(format!("{}.json", dialect.name))))?;
    }
    Ok(Exit::AsExpected)
}

fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

fn extent(args: &ReportArgs) -> Extent {
    if args.full { Extent { full: usize::MAX, named: usize::MAX, lines: usize::MAX } } else { Extent::default() }
}

/// Whether the record stands beside the page under the name that the page links to.
fn beside(args: &ReportArgs) -> bool {
    let folder = |path: &Path| path.parent().map(Path::to_path_buf);
    args.results.file_name().is_some_and(|name| name == super::folder::RESULTS)
        && args.out.as_deref().is_some_and(|out| folder(out) == folder(&args.results))
}

/// The page of a record.
pub(super) fn page(recorded: &RunRecord, summary: &Summary<'_>, beside: bool) -> Result<String, Failure> {
    html::page(recorded, summary, beside).map_err(|error| Failure::usage(format!("the page cannot be made: {error}")))
}

/// Reads a recorded run.
pub(super) fn read(path: &Path) -> Result<RunRecord, Failure> {
    let unreadable = |error: String| Failure::usage(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    RunRecord::read(BufReader::new(file)).map_err(|error| unreadable(error.to_string()))
}
