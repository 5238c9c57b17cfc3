//! What the page shows without any script: the verdict, the grid, the run.

use serde::Serialize;

use crate::hello::{Hello, Op, Types};
use crate::report::repeat::whole;
use crate::report::summary::{Cell, Counts, Headline, Ids, Mark, OF_ALL, Summary, ask_mark, label};
use crate::results::{DialectPlan, VerdictRecord};
use crate::shown::{self, counted};
use crate::verdict::{Colour, Verdict, spelled};

/// Without a script, so many findings are named.
const NAMED: usize = 200;
/// So many dialects are always open.
const FEW: usize = 2;

#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) name: String,
    version: String,
    language: String,
    pub(super) headline: HeadlineView,
    pub(super) lede: String,
    stats: Vec<Stat>,
    stale: Vec<String>,
    dialects: Vec<DialectView>,
    legend: Vec<Legend>,
    about: Vec<Fact>,
    totals: Vec<Total>,
    findings: Vec<FindingView>,
    more: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct HeadlineView {
    pub(super) mark: &'static str,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
struct Stat {
    mark: &'static str,
    label: &'static str,
    value: String,
    of: String,
}

#[derive(Debug, Serialize)]
struct DialectView {
    name: String,
    mark: &'static str,
    /// Among many, one in which nothing is to be seen is shut.
    open: bool,
    green: usize,
    of: usize,
    unasked: usize,
    rows: Vec<RowView>,
}

#[derive(Debug, Serialize)]
struct RowView {
    id: String,
    name: String,
    label: String,
    decode: CellView,
    encode: CellView,
    /// Passed, of so many.
    derived: Option<(usize, usize)>,
    derived_mark: &'static str,
}

#[derive(Debug, Serialize)]
struct CellView {
    mark: &'static str,
    word: &'static str,
    counts: String,
    title: String,
}

#[derive(Debug, Serialize)]
struct Legend {
    mark: &'static str,
    word: &'static str,
    means: &'static str,
}

#[derive(Debug, Serialize)]
struct Fact {
    term: &'static str,
    said: String,
    code: bool,
}

#[derive(Debug, Serialize)]
struct Total {
    mark: &'static str,
    word: &'static str,
    means: &'static str,
    authored: usize,
    derived: usize,
}

#[derive(Debug, Serialize)]
struct FindingView {
    mark: &'static str,
    verdict: String,
    ask: String,
    note: String,
}

impl View {
    pub(super) fn of(summary: &Summary<'_>) -> Self {
        let hello = &summary.plan.hello;
        let headline = Headline::of(summary);
        Self {
            name: shown::short(&hello.name, 100),
            version: shown::short(&hello.version, 60),
            language: shown::short(&hello.language, 60),
            headline: HeadlineView { mark: headline.mark.name(), text: headline.text },
            lede: lede(summary),
            stats: stats(summary),
            stale: summary.end.stale.iter().map(|sentence| shown::line(sentence)).collect(),
            dialects: summary.plan.dialects.iter().map(|dialect| dialect_view(summary, dialect)).collect(),
            legend: Mark::ALL.map(|mark| Legend { mark: mark.name(), word: mark.word(), means: mark.means() }).into(),
            about: about(summary),
            totals: totals(summary),
            findings: summary.findings.iter().take(NAMED).map(|finding| finding_view(finding)).collect(),
            more: summary.findings.len().saturating_sub(NAMED),
        }
    }
}

/// One sentence: what was asked, of what, by whose word.
fn lede(summary: &Summary<'_>) -> String {
    let plan = summary.plan;
    let dialects: Vec<&str> = plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
    let only = plan.selection.only.as_ref().map(|only| format!(", of which only {only} was asked"));
    let word = if plan.reading == "document" { "the documents, read literally" } else { "what engines exchange" };
    shown::line(&format!(
        "Asked to decode and encode the Godot-family binary format ({}), byte for byte, by {} of conform's corpus{}{}; judged by {word}.",
        dialects.join(", "),
        counted(plan.texts, "case"),
        plan.corpus.spaced_version(),
        only.unwrap_or_default()
    ))
}

fn stats(summary: &Summary<'_>) -> Vec<Stat> {
    let ids = summary.ids();
    let sum = |count: fn(&Cell) -> usize| summary.cells.values().map(count).sum::<usize>();
    let share = |label, passed: usize, judged: usize, whole: Mark| {
        let mark = if judged == 0 {
            Mark::Empty
        } else if passed == judged {
            Mark::Green
        } else {
            whole
        };
        Stat { mark: mark.name(), label, value: passed.to_string(), of: judged.to_string() }
    };
    let worst = if summary.red() > 0 { Mark::Red } else { Mark::Amber };
    let mut stats = vec![
        share("type ids green, both directions", ids.both, ids.all, worst),
        share("authored asks passed", sum(|cell| cell.passed), sum(|cell| cell.judged), worst),
        share("derived asks passed", sum(|cell| cell.derived_passed), sum(|cell| cell.derived_judged), worst),
    ];
    let mut count = |label, mark: Mark, value: usize| {
        if value > 0 {
            stats.push(Stat { mark: mark.name(), label, value: value.to_string(), of: String::new() });
        }
    };
    count("known failures, as listed", Mark::Known, summary.known());
    count("asks not claimed, not asked", Mark::NotClaimed, sum(|cell| cell.not_claimed));
    count("open asks, recorded only", Mark::Open, sum(|cell| cell.open));
    count("asks that were not run", Mark::Red, sum(|cell| cell.not_run));
    stats
}

fn dialect_view(summary: &Summary<'_>, dialect: &DialectPlan) -> DialectView {
    let types = dialect.types.iter().enumerate().map(|(id, name)| (Some(id), name.as_str()));
    let rows = types
        .chain(OF_ALL.map(|(layout, _)| (None, layout)))
        .filter_map(|(id, layout)| row(summary, dialect, id, layout))
        .collect();
    let Ids { all, asked, green, .. } = summary.ids_of(dialect);
    let mark = summary.mark_of(dialect);
    let open = summary.plan.dialects.len() <= FEW || mark != Mark::Green;
    DialectView { name: dialect.name.clone(), mark: mark.name(), open, green, of: asked, unasked: all - asked, rows }
}

/// A row of the grid; `None` where there was nothing to ask, in a selection or of the packet.
fn row(summary: &Summary<'_>, dialect: &DialectPlan, id: Option<usize>, layout: &str) -> Option<RowView> {
    let decode = summary.cell(&dialect.name, layout, "decode");
    let encode = summary.cell(&dialect.name, layout, "encode");
    let empty = decode.mark(true) == Mark::Empty && encode.mark(false) == Mark::Empty && decode.open + encode.open == 0;
    if empty && (id.is_none() || summary.plan.selection.only.is_some()) {
        return None;
    }
    let (passed, judged) =
        (decode.derived_passed + encode.derived_passed, decode.derived_judged + encode.derived_judged);
    let known = decode.red + encode.red == decode.known + encode.known;
    let derived_mark = match judged {
        0 => Mark::Empty,
        _ if passed == judged => Mark::Green,
        _ if decode.derived_red + encode.derived_red == 0 => Mark::Amber,
        _ if known => Mark::Known,
        _ => Mark::Red,
    };
    Some(RowView {
        id: id.map(|id| id.to_string()).unwrap_or_default(),
        name: layout.to_owned(),
        label: label(layout).to_owned(),
        decode: cell_view(decode, true, layout),
        encode: cell_view(encode, false, layout),
        derived: (judged > 0).then_some((passed, judged)),
        derived_mark: derived_mark.name(),
    })
}

fn cell_view(cell: Cell, decode: bool, layout: &str) -> CellView {
    let mark = cell.mark(decode);
    let direction = if decode { "decode" } else { "encode" };
    let mut title = format!("{direction} {layout}: {}", mark.means());
    for (count, what) in [
        (cell.judged, "authored asks judged"),
        (cell.passed, "of them passed"),
        (cell.red, "red"),
        (cell.known, "of them expected"),
        (cell.amber, "amber"),
        (cell.open, "open"),
        (cell.not_claimed, "not claimed"),
        (cell.not_run, "not run"),
    ] {
        if count > 0 {
            title.push_str(&format!("; {count} {what}"));
        }
    }
    let counts = if cell.judged > 0 { format!("{}/{}", cell.passed, cell.judged) } else { String::new() };
    CellView { mark: mark.name(), word: mark.word(), counts, title }
}

fn about(summary: &Summary<'_>) -> Vec<Fact> {
    let plan = summary.plan;
    let hello = &plan.hello;
    let mut facts = Vec::new();
    let mut fact = |term, said: String, code| {
        if !said.is_empty() {
            facts.push(Fact { term, said: shown::line(&said), code });
        }
    };
    fact("command", whole(plan), true);
    fact("says it is", format!("{} {} {}", hello.name, hello.version, hello.language).trim_end().to_owned(), false);
    fact("can", hello.ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(", "), false);
    fact("claims", claims(hello), false);
    fact("cannot tell", hello.lossy.iter().map(|lossy| lossy.name()).collect::<Vec<_>>().join(", "), false);
    fact("reading", plan.reading.clone(), false);
    fact("selection", plan.selection.only.clone().unwrap_or_default(), true);
    fact("corpus", plan.corpus.named(), true);
    fact("texts", format!("{} as written; asks are cases × operations", counted(plan.texts, "case")), false);
    if summary.length_not_told > 0 {
        fact(
            "not judged",
            format!("consumed length in {} answers that do not tell it", summary.length_not_told),
            false,
        );
    }
    fact("conform", plan.conform.clone(), false);
    facts
}

/// The types that it claims, where not all.
fn claims(hello: &Hello) -> String {
    match &hello.types {
        None => "every type".to_owned(),
        Some(Types::Both(both)) => both.join(", "),
        Some(Types::Each { decode, encode }) => {
            let way = |op: Op, types: &[String]| format!("{}: {}", op.name(), types.join(", "));
            format!("{}; {}", way(Op::Decode, decode), way(Op::Encode, encode))
        }
    }
}

fn totals(summary: &Summary<'_>) -> Vec<Total> {
    let total = |verdict: &Verdict| {
        let Counts { authored, derived } = summary.count(*verdict);
        let mark = match verdict.colour() {
            Colour::Green => Mark::Green,
            Colour::Red => Mark::Red,
            Colour::Amber => Mark::Amber,
            Colour::Neutral => Mark::neutral(*verdict),
        };
        (authored + derived > 0).then(|| Total {
            mark: mark.name(),
            word: verdict.name(),
            means: verdict.means(),
            authored,
            derived,
        })
    };
    Verdict::ALL.iter().filter_map(total).collect()
}

fn finding_view(finding: &VerdictRecord) -> FindingView {
    FindingView {
        mark: ask_mark(finding).name(),
        verdict: spelled(finding.verdict, finding.reason),
        ask: shown::line(&finding.ask),
        note: finding.detail.as_ref().map(|detail| shown::short(&detail.note, 200)).unwrap_or_default(),
    }
}
