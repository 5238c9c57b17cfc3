//! `conform report`.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use variant_conformance::report::html;
use variant_conformance::report::recorded::Recorded;
use variant_conformance::report::summary::Summary;
use variant_conformance::report::text::{Extent, render};

use super::output::write_file;
use super::{Exit, Failure, Format, ReportArgs};

pub(super) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let recorded = read(&args.results)?;
    let summary = Summary::of(&recorded);
    if args.format == Format::Text && args.out.is_none() {
        anstream::print!("{}", render(&summary, extent(args)));
        return Ok(Exit::AsExpected);
    }
    let text = match args.format {
        Format::Text => anstream::adapter::strip_str(&render(&summary, extent(args))).to_string(),
        Format::Html => page(&recorded, &summary, beside(args))?,
    };
    match &args.out {
        Some(path) => write_file(path, text.as_bytes())?,
        // A reader that has seen enough is no failure.
        None => drop(std::io::stdout().write_all(text.as_bytes())),
    }
    Ok(Exit::AsExpected)
}

fn extent(args: &ReportArgs) -> Extent {
    if args.full { Extent { full: usize::MAX, named: usize::MAX, lines: usize::MAX } } else { Extent::default() }
}

/// Whether the record stands beside the page under the name that the page links to.
fn beside(args: &ReportArgs) -> bool {
    let folder = |path: &Path| path.parent().map(Path::to_path_buf);
    args.results.file_name().is_some_and(|name| name == super::run::RESULTS)
        && args.out.as_deref().is_some_and(|out| folder(out) == folder(&args.results))
}

/// The page of a record.
pub(super) fn page(recorded: &Recorded, summary: &Summary<'_>, beside: bool) -> Result<String, Failure> {
    html::page(recorded, summary, beside).map_err(|error| Failure::usage(format!("the page cannot be made: {error}")))
}

/// Reads a recorded run.
pub(super) fn read(path: &Path) -> Result<Recorded, Failure> {
    let unreadable = |error: String| Failure::usage(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    Recorded::read(BufReader::new(file)).map_err(unreadable)
}
