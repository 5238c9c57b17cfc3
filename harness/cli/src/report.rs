//! `conform report`.

use std::path::{Path, PathBuf};

use variant_report::text::{Extent, cause_ids, render, render_cause};
use variant_report::{annotations, badge, html, junit, markdown, outputs};
use variant_runner::record::joined;
use variant_runner::results::DialectPlan;
use variant_runner::summary::Summary;
use variant_values::suggest::{did_you_mean, nearest};

use crate::args::{ReportArgs, ReportFormat};
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::records::{RESULTS, explain, read_record, record_at};
use crate::run_dir::FINDINGS;
use crate::terminal::{json, put, put_coloured, warn, width};

pub(super) fn report(args: &ReportArgs, paths: &Paths) -> Result<Exit, Failure> {
    let [first, ..] = args.results.as_slice() else { return Err(Failure::usage("name a record")) };
    if args.cause.is_some() && args.written.format() != ReportFormat::Text {
        return Err(Failure::usage("--cause is for text: every other report is about all causes"));
    }
    let results = record_at(first);
    let read = |path: &PathBuf| Ok((path.display().to_string(), read_record(path)?));
    let records = args.results.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let mut recorded = joined(records).map_err(Failure::usage)?;
    let (specs, corpus) = paths.load()?;
    explain(&mut recorded, &specs, &corpus)?;
    let unknown = recorded.plan.dialects.iter().find(|dialect| specs.dialect(&dialect.name).is_none());
    if let Some(DialectPlan { name, .. }) = unknown {
        warn(format!(
            "no dialect {name} is known here, so causes may be missing: give its file with --spec, as the run did"
        ));
    }
    if !args.dialects.dialect.is_empty() && args.written.format() != ReportFormat::Badge {
        return Err(Failure::usage("--dialect is for a badge: every other report is about all that was tested"));
    }
    let summary = Summary::of(&recorded);
    let out = args.written.out();
    let text = match args.written.format() {
        ReportFormat::Text => {
            let record = results.display().to_string();
            let width = if out.is_some() { usize::MAX } else { width() };
            let extent = Extent { full: args.extent.full, width, record: Some(&record) };
            let text = match &args.cause {
                Some(id) => render_cause(&summary, id, width).ok_or_else(|| no_cause(&summary, id))?,
                None => render(&summary, extent),
            };
            put_coloured(&text, out)?;
            return Ok(Exit::AsExpected);
        }
        ReportFormat::Badge => {
            badges(&summary, args)?;
            return Ok(Exit::AsExpected);
        }
        ReportFormat::Html => {
            let findings = results.with_file_name(FINDINGS);
            let folder = out.and_then(Path::parent).filter(|_| findings.is_file());
            let findings = folder.and_then(|folder| html::link(folder, &findings));
            let is_beside = out.is_some_and(|out| results == out.with_file_name(RESULTS));
            html::page(&recorded, is_beside, findings.as_deref()).map_err(Failure::page)?
        }
        ReportFormat::Junit => junit::junit(&recorded).map_err(Failure::usage)?,
        ReportFormat::Markdown => markdown::markdown(&summary),
        ReportFormat::Annotations => annotations::annotations(&summary),
        ReportFormat::Outputs => outputs::outputs(&summary),
    };
    put(&text, out)?;
    Ok(Exit::AsExpected)
}

/// Says which causes there are, or which one was meant.
fn no_cause(summary: &Summary<'_>, id: &str) -> Failure {
    let ids = cause_ids(summary);
    if ids.is_empty() {
        return Failure::usage("the record has no causes: nothing failed");
    }
    let hint = did_you_mean(nearest(id, ids.iter().map(String::as_str)));
    let hint = if hint.is_empty() { format!("; its causes are: {}", ids.join(", ")) } else { hint };
    Failure::usage(format!("the record has no cause `{id}`{hint}"))
}

/// Writes one badge, or for several dialects a folder with one each.
fn badges(summary: &Summary<'_>, args: &ReportArgs) -> Result<(), Failure> {
    let dialects = badge::dialects(summary, &args.dialects.dialect).map_err(Failure::usage)?;
    let badge = |dialect| badge::badge(summary, dialect).map_err(Failure::usage).and_then(|badge| json(&badge));
    let is_folder = args.written.out().is_some_and(Path::is_dir);
    if let ([dialect], false) = (dialects.as_slice(), is_folder) {
        return put(&badge(dialect)?, args.written.out());
    }
    let Some(folder) = args.written.out() else {
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
        return Err(Failure::usage(format!(
            "a badge is for one dialect: choose one of {} with --dialect, or name a folder for all of them with --out",
            names.join(", ")
        )));
    };
    let files = dialects.into_iter().map(|dialect| (folder.join(format!("{}.json", dialect.name)), dialect));
    files.into_iter().try_for_each(|(file, dialect)| put(&badge(dialect)?, Some(&file)))
}
