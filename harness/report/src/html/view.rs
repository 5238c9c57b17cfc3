//! What the page shows without any script: the verdict, the grid, the run.

use serde::Serialize;

use super::{CellView, Stat};
use crate::repeat::whole;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::results::DialectPlan;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Cell, Counts, Headline, Summary, TypeScore, label};
use variant_specs::Reading;
use variant_values::handshake::{Handshake, Op, Types};
use variant_values::sanitize::{self, counted};

/// With at most this many dialects, all are open.
const FEW: usize = 2;

#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) name: String,
    version: String,
    language: String,
    pub(super) mark: CellStatus,
    pub(super) headline: String,
    pub(super) lede: String,
    stats: Vec<Stat>,
    stale: Vec<String>,
    dialects: Vec<ReportView>,
    about: Vec<Fact>,
    totals: Vec<Total>,
}

#[derive(Debug, Serialize)]
struct ReportView {
    name: String,
    mark: CellStatus,
    /// Among many dialects, one without a problem is closed.
    open: bool,
    /// How many types pass.
    types: String,
    rows: Vec<RowView>,
}

#[derive(Debug, Serialize)]
struct RowView {
    id: Option<usize>,
    name: String,
    label: String,
    decode: CellView,
    encode: CellView,
    /// How many derived tests passed, and how many were judged; `None` if none was.
    derived: Option<(usize, usize)>,
    derived_mark: CellStatus,
}

#[derive(Debug, Serialize)]
struct Fact {
    term: &'static str,
    said: String,
    code: bool,
}

#[derive(Debug, Serialize)]
struct Total {
    mark: CellStatus,
    word: &'static str,
    means: &'static str,
    authored: usize,
    derived: usize,
}

impl View {
    pub(super) fn of(summary: &Summary<'_>) -> Self {
        let handshake = &summary.plan.handshake;
        let headline = Headline::of(summary);
        Self {
            name: sanitize::short(&handshake.name, 100),
            version: sanitize::short(&handshake.version, 60),
            language: sanitize::short(&handshake.language, 60),
            mark: headline.mark,
            headline: headline.text,
            lede: lede(summary),
            stats: stats(summary),
            stale: summary.end.stale.iter().map(|sentence| sanitize::line(sentence)).collect(),
            dialects: summary.plan.dialects.iter().map(|dialect| dialect_view(summary, dialect)).collect(),
            about: about(summary),
            totals: summary.verdicts.iter().map(|(verdict, counts)| total(*verdict, *counts)).collect(),
        }
    }
}

/// One sentence: what was tested, with which cases, and which source wins.
fn lede(summary: &Summary<'_>) -> String {
    let plan = summary.plan;
    let dialects: Vec<&str> = plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
    let only = plan.selection.only.as_ref().map(|only| format!(", only {only}")).unwrap_or_default();
    let reading = if plan.reading == Reading::Document { "the documents, read literally" } else { "what engines do" };
    sanitize::line(&format!(
        "Godot's binary Variant format ({}), byte for byte: tested with {} of conform's corpus{}{only}, \
         judged by {reading}.",
        dialects.join(", "),
        counted(plan.texts, "case"),
        plan.corpus.spaced_version(),
    ))
}

fn stats(summary: &Summary<'_>) -> Vec<Stat> {
    let ids = summary.ids();
    let sum = |count: fn(&Cell) -> usize| summary.cells.values().map(count).sum::<usize>();
    let worst = if summary.red() > 0 { CellStatus::Fail } else { CellStatus::Part };
    let share = |label, passed: usize, judged: usize| {
        let mark = match judged {
            0 => CellStatus::None,
            _ if passed == judged => CellStatus::Ok,
            _ => worst,
        };
        Stat { mark, label, value: passed, of: Some(judged) }
    };
    let count = |label, mark, value| Stat { mark, label, value, of: None };
    let shares = [
        share("types pass both ways", ids.both, ids.all),
        share("authored tests passed", sum(|cell| cell.passed.authored), sum(|cell| cell.judged.authored)),
        share("derived tests passed", sum(|cell| cell.passed.derived), sum(|cell| cell.judged.derived)),
    ];
    let counts = [
        count("known failures", CellStatus::Known, summary.known()),
        count("tests not claimed, not run", CellStatus::Unclaimed, sum(|cell| cell.not_claimed)),
        count("open tests, recorded only", CellStatus::Open, sum(|cell| cell.open)),
        count("tests that did not run", CellStatus::Fail, sum(|cell| cell.not_run)),
    ];
    shares.into_iter().chain(counts.into_iter().filter(|stat| stat.value > 0)).collect()
}

fn dialect_view(summary: &Summary<'_>, dialect: &DialectPlan) -> ReportView {
    let selected = summary.plan.selection.only.is_some();
    let rows = summary.rows(dialect).filter_map(|(id, layout, score)| row(selected, id, layout, score)).collect();
    let types = summary.ids_of(dialect).sentence();
    let mark = summary.mark_of(dialect);
    let open = summary.plan.dialects.len() <= FEW || mark != CellStatus::Ok;
    ReportView { name: sanitize::line(&dialect.name), mark, open, types, rows }
}

/// A row of the grid. A row without tests is left out (`None`) if it is no type's, or if only a selection was run.
fn row(selected: bool, id: Option<usize>, layout: &str, score: TypeScore) -> Option<RowView> {
    let TypeScore { decode, encode } = score;
    if score.is_empty() && decode.open + encode.open == 0 && (id.is_none() || selected) {
        return None;
    }
    let derived = score.derived();
    Some(RowView {
        id,
        name: sanitize::line(layout),
        label: sanitize::line(label(layout)),
        decode: cell_view(&decode, layout),
        encode: cell_view(&encode, layout),
        derived: (derived.judged > 0).then_some((derived.passed, derived.judged)),
        derived_mark: derived.mark,
    })
}

fn cell_view(cell: &Cell, layout: &str) -> CellView {
    let direction = if cell.decodes { "decode" } else { "encode" };
    let mut title = sanitize::line(&format!("{direction} {layout}: {}", cell.mark().means()));
    for (count, what) in [
        (cell.judged.authored, "authored tests judged"),
        (cell.passed.authored, "of them passed"),
        (cell.red.sum(), "red"),
        (cell.known.sum(), "of them known failures"),
        (cell.amber, "amber"),
        (cell.open, "open"),
        (cell.not_claimed, "not claimed"),
        (cell.not_run, "not run"),
    ] {
        if count > 0 {
            title.push_str(&format!("; {count} {what}"));
        }
    }
    CellView::of(cell, title)
}

fn about(summary: &Summary<'_>) -> Vec<Fact> {
    let plan = summary.plan;
    let handshake = &plan.handshake;
    let mut facts = Vec::new();
    let mut fact = |term, said: String, code| {
        if !said.is_empty() {
            facts.push(Fact { term, said: sanitize::line(&said), code });
        }
    };
    fact("command", whole(plan), true);
    fact(
        "implementation",
        format!("{} {} {}", handshake.name, handshake.version, handshake.language).trim_end().to_owned(),
        false,
    );
    fact("operations", handshake.ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(", "), false);
    fact("claims", claims(handshake), false);
    let lossy: Vec<_> = handshake.lossy.iter().map(|word| word.name()).collect();
    fact("cannot distinguish", lossy.join(", "), false);
    let limits: Vec<_> = handshake.limits.iter().map(|word| word.name()).collect();
    fact("limits", limits.join(", "), false);
    fact("reading", plan.reading.name().to_owned(), false);
    fact("selection", plan.selection.only.clone().unwrap_or_default(), true);
    fact("corpus", plan.corpus.named(), true);
    fact("cases", format!("{}; tests are cases × operations", counted(plan.texts, "case")), false);
    if summary.length_not_told > 0 {
        fact(
            "not judged",
            format!("the consumed length in {} replies that do not report it", summary.length_not_told),
            false,
        );
    }
    fact("conform", plan.conform.clone(), false);
    facts
}

/// The types that the handshake claims, for each operation where they differ.
fn claims(handshake: &Handshake) -> String {
    match &handshake.types {
        None => "every type".to_owned(),
        Some(Types::Both(both)) => both.join(", "),
        Some(Types::Each { decode, encode }) => {
            let way = |op: Op, types: &[String]| format!("{}: {}", op.name(), types.join(", "));
            format!("{}; {}", way(Op::Decode, decode), way(Op::Encode, encode))
        }
    }
}

fn total(verdict: Verdict, Counts { authored, derived }: Counts) -> Total {
    let mark = match verdict.severity() {
        Severity::Green => CellStatus::Ok,
        Severity::Red => CellStatus::Fail,
        Severity::Amber => CellStatus::Part,
        Severity::Neutral if verdict == Verdict::NotClaimed => CellStatus::Unclaimed,
        Severity::Neutral if matches!(verdict, Verdict::NotRun | Verdict::Skipped) => CellStatus::NotRun,
        Severity::Neutral => CellStatus::Open,
    };
    Total { mark, word: verdict.name(), means: verdict.means(), authored, derived }
}
