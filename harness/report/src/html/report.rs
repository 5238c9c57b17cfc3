//! The page of one run: the lines of its record, what was found in them, and what is shown without a script.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde_json::json as object;

use super::data::{clean, json};
use super::groups::groups_of;
use super::render;
use crate::headline::Headline;
use crate::matrix::{DialectRow, dialect_row, has_empty_row};
use crate::repeat::{around, whole};
use variant_faults::OF_ORDER;
use variant_runner::record::RunRecord;
use variant_runner::record_writer;
use variant_runner::results::OF_ALL;
use variant_runner::results::{DialectPlan, Plan};
use variant_runner::status::CellStatus;
use variant_runner::summary::{Summary, Total};
use variant_specs::JudgedBy;
use variant_values::handshake::Types;
use variant_values::sanitize::{self, counted};

const SCRIPT: &str = include_str!("../pages/report.js");

/// The page of one recorded run. With `beside`, it links to `results.jsonl` in its own folder; `findings` is the way to the
/// page of its findings, if there is one.
pub fn page(recorded: &RunRecord, beside: bool, findings: Option<&str>) -> Result<String, Error> {
    let summary = &Summary::of(recorded);
    let plan = summary.plan;
    let headline = Headline::of(summary);
    let causes = groups_of(summary, findings);
    let [before, after] = around(plan).map(|part| sanitize::line(&part));
    let all = sanitize::line(&whole(plan));
    let explained = object!({
        "causes": causes,
        // In the order of the record's lines.
        "marks": recorded.verdicts.iter().map(CellStatus::of).collect::<Vec<_>>(),
        "labels": BTreeMap::from(OF_ALL),
        "again": {"before": before, "after": after, "all": all},
        "of_order": OF_ORDER,
    });
    let dialects: Vec<DialectRow> = plan.dialects.iter().map(|dialect| dialect_of(summary, dialect)).collect();
    render(
        "report.html",
        &format!("{}: {}", sanitize::short(&plan.handshake.name, 100), headline.text),
        &lede(plan),
        headline.mark,
        SCRIPT,
        context! {
            kind => "conformance report",
            skip_to => "cases",
            skip_text => "to the cases",
            record => packed(recorded),
            explained => json(&explained),
            beside => beside,
            headline => headline.text,
            lede => lede(plan),
            plan => Value::from(Serde(&clean(plan))),
            claims => claims(plan),
            causes => Value::from(Serde(&causes)),
            command => all,
            stale => Value::from(Serde(&clean(&summary.end.stale))),
            dialects => Value::from(Serde(&clean(&dialects))),
            totals => totals(summary),
            length_not_told => summary.length_not_told,
        },
    )
}

/// The record as base64 of gzip: it ends no block, and a record of 20 megabytes has less than one.
fn packed(recorded: &RunRecord) -> String {
    let mut lines = CleanLines(GzEncoder::new(Vec::new(), Compression::default()));
    // Writing to memory cannot fail.
    let _ = record_writer::write(recorded, &mut lines);
    STANDARD.encode(lines.0.finish().unwrap_or_default())
}

/// Takes the lines of a record one by one, so that no text in them turns what is around it.
struct CleanLines<W>(W);

impl<W: Write> Write for CleanLines<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        // Without a backslash, what a line has is what it says.
        let is_plain = !text.contains('\\') && !sanitize::is_unfit(text.trim_end());
        let record = if is_plain { None } else { serde_json::from_slice::<serde_json::Value>(line).ok() };
        match record {
            Some(record) => writeln!(self.0, "{}", clean(&record))?,
            None => self.0.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One sentence: what was tested, with which cases, and which source wins.
fn lede(plan: &Plan) -> String {
    let dialects: Vec<String> = plan.dialects.iter().map(DialectPlan::title).collect();
    let only = plan.selection.only.as_ref().map(|only| format!(", only {only}")).unwrap_or_default();
    let judged_by =
        if plan.judged_by == JudgedBy::Documents { "the documents, read literally" } else { "what engines do" };
    sanitize::line(&format!(
        "Godot's binary Variant format ({}), byte for byte: tested with {} of conform's corpus{}{only}, \
         judged by {judged_by}.",
        dialects.join(", "),
        counted(plan.texts, "case"),
        plan.corpus.spaced_version(),
    ))
}

/// The types that the handshake claims, for each operation where they differ.
fn claims(plan: &Plan) -> String {
    sanitize::line(&match &plan.handshake.types {
        None => "every type".to_owned(),
        Some(Types::Both(both)) => both.join(", "),
        Some(Types::Each { decode, encode }) => {
            format!("decode: {}; encode: {}", decode.join(", "), encode.join(", "))
        }
    })
}

/// A dialect's grid.
fn dialect_of(summary: &Summary<'_>, dialect: &DialectPlan) -> DialectRow {
    let mut row = dialect_row(dialect, summary, &BTreeMap::new());
    row.types.retain(|of| !of.is_empty() || has_empty_row(summary.plan, of.id));
    row
}

/// A line for each verdict.
fn totals(summary: &Summary<'_>) -> Value {
    let total = |Total { verdict, counts, known }: Total| {
        let mark = CellStatus::of_verdict(verdict);
        context! {
            mark => Value::from(Serde(&mark)),
            word => verdict.name(),
            means => verdict.means(),
            of_cases => counts.of_cases,
            variants => counts.variants,
            known_of_cases => known.of_cases,
            known_variants => known.variants,
        }
    };
    summary.totals().into_iter().map(total).collect()
}
