//! The cases of a record as the page's script reads them: every text and every line of a listing once.

use std::collections::HashMap;

use serde::Serialize;

use crate::report::listing::{Column, Columns, Line, packet_lines};
use crate::report::recorded::Recorded;
use crate::report::repeat::around;
use crate::report::summary::{ask_mark, label, parts};
use crate::results::{Detail, Plan, Refused, VerdictRecord};
use crate::shown;
use crate::verdict::spelled;

/// The block.
#[derive(Debug, Serialize)]
pub(super) struct Data {
    /// The command that repeats an ask: what stands before the ask's id, and what behind it.
    again: [String; 2],
    verdicts: Vec<VerdictData>,
    texts: Vec<String>,
    /// Offset, bytes, field, meaning.
    lines: Vec<(Option<usize>, String, String, String)>,
    dialects: Vec<DialectData>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
struct VerdictData {
    word: String,
    mark: &'static str,
}

#[derive(Debug, Serialize)]
struct DialectData {
    name: String,
    types: Vec<TypeData>,
}

#[derive(Debug, Serialize)]
struct TypeData {
    id: Option<usize>,
    name: String,
    label: String,
    /// Derived asks that passed: they are counted, not written out.
    derived: usize,
    cases: Vec<CaseData>,
}

#[derive(Debug, Serialize)]
struct CaseData {
    name: String,
    class: String,
    asks: Vec<AskData>,
}

#[derive(Debug, Serialize)]
struct AskData {
    /// The operation.
    o: String,
    /// The rule, where it was derived.
    #[serde(skip_serializing_if = "str::is_empty")]
    r: String,
    /// Its verdict's place in [`Data::verdicts`].
    v: usize,
    /// Whether it is good practice only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    l: bool,
    /// Whether it is an expected failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    k: bool,
    /// The erratum.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Whether the consumed length was not told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    n: bool,
    /// What was relaxed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    x: Vec<crate::hello::Lossy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<Vec<String>>,
    /// Why it refused: our reason, and its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Refused>,
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<DetailData>,
}

/// Numbers are places in [`Data::texts`]; empty texts are left out.
#[derive(Debug, Serialize)]
struct DetailData {
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<usize>,
    /// The packet that was sent, as places in [`Data::lines`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packet: Vec<usize>,
    /// The expected side, where it is a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    es: Option<usize>,
    /// The actual side, where it is a sentence.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    actual: Option<usize>,
    /// Pairs of places in [`Data::lines`], expected and actual; `null` where one side lacks the field.
    rows: Vec<Option<usize>>,
}

impl Data {
    /// The data of a record.
    pub(super) fn of(recorded: &Recorded) -> Self {
        let mut builder = Builder::new(&recorded.plan);
        for record in &recorded.verdicts {
            builder.add(record);
        }
        for tally in &recorded.tallies {
            let (dialect, layout) = tally.of.split_once('/').unwrap_or(("", &tally.of));
            builder.type_of(dialect, layout).derived += tally.pass;
        }
        builder.finish()
    }
}

struct Builder {
    data: Data,
    verdicts: HashMap<VerdictData, usize>,
    texts: HashMap<String, usize>,
    lines: HashMap<Line, usize>,
    /// Where the case of this dialect, layout and name stands.
    cases: HashMap<(String, String, String), usize>,
}

impl Builder {
    fn new(plan: &Plan) -> Self {
        let dialect = |dialect: &crate::results::DialectPlan| DialectData {
            name: dialect.name.clone(),
            types: dialect.types.iter().enumerate().map(|(id, name)| TypeData::new(Some(id), name)).collect(),
        };
        let data = Data {
            again: around(plan).map(|part| shown::line(&part)),
            verdicts: Vec::new(),
            texts: Vec::new(),
            lines: Vec::new(),
            dialects: plan.dialects.iter().map(dialect).collect(),
        };
        Self { data, verdicts: HashMap::new(), texts: HashMap::new(), lines: HashMap::new(), cases: HashMap::new() }
    }

    fn add(&mut self, record: &VerdictRecord) {
        let (dialect, layout, op) = parts(&record.ask);
        let path = record.ask.strip_suffix(op).and_then(|path| path.strip_suffix(':')).unwrap_or(&record.ask);
        let name = path.splitn(3, '/').nth(2).unwrap_or(path);
        let (name, rule) = name.split_once('~').unwrap_or((name, ""));
        let ask = self.ask(record, op, rule);
        let key = (dialect.to_owned(), layout.to_owned(), name.to_owned());
        let place = self.cases.get(&key).copied();
        let home = self.type_of(dialect, layout);
        let place = place.unwrap_or_else(|| {
            home.cases.push(CaseData { name: name.to_owned(), class: record.class.clone(), asks: Vec::new() });
            home.cases.len() - 1
        });
        if let Some(case) = home.cases.get_mut(place) {
            if rule.is_empty() {
                case.class.clone_from(&record.class);
            }
            case.asks.push(ask);
        }
        self.cases.insert(key, place);
    }

    fn type_of(&mut self, dialect: &str, layout: &str) -> &mut TypeData {
        let dialects = &mut self.data.dialects;
        let place = dialects.iter().position(|known| known.name == dialect).unwrap_or_else(|| {
            dialects.push(DialectData { name: dialect.to_owned(), types: Vec::new() });
            dialects.len() - 1
        });
        let types = &mut dialects[place].types;
        let place = types.iter().position(|known| known.name == layout).unwrap_or_else(|| {
            types.push(TypeData::new(None, layout));
            types.len() - 1
        });
        &mut types[place]
    }

    fn ask(&mut self, record: &VerdictRecord, op: &str, rule: &str) -> AskData {
        let verdict = VerdictData { word: spelled(record.verdict, record.reason), mark: ask_mark(record).name() };
        AskData {
            o: op.to_owned(),
            r: rule.to_owned(),
            v: place(&mut self.verdicts, &mut self.data.verdicts, &verdict, Clone::clone),
            l: record.level == "should",
            k: record.expected_failure,
            e: record.erratum.clone(),
            at: record.at,
            field: record.field.as_deref().map(shown::line),
            n: record.length_not_told,
            x: record.relaxed.clone(),
            like: record.like.clone(),
            why: record
                .refusal
                .as_ref()
                .map(|Refused { ours, theirs }| Refused { ours: ours.clone(), theirs: shown::line(theirs) }),
            d: record.detail.as_deref().map(|detail| self.detail(record, detail)),
        }
    }

    fn detail(&mut self, record: &VerdictRecord, detail: &Detail) -> DetailData {
        let sides = Columns::of(record, detail);
        let rows = sides
            .pairs()
            .into_iter()
            .flat_map(|(expected, actual)| [expected, actual])
            .map(|line| line.map(|line| place(&mut self.lines, &mut self.data.lines, line, row)))
            .collect();
        let packet = packet_lines(&detail.packet)
            .iter()
            .map(|line| place(&mut self.lines, &mut self.data.lines, line, row))
            .collect();
        let mut sentence = |side: &Column| match side {
            Column::Sentence(said) => Some(self.text(said).unwrap_or_else(|| self.intern(""))),
            Column::Listing(_) => None,
        };
        DetailData {
            es: sentence(&sides.expected),
            actual: sentence(&sides.actual),
            rows,
            packet,
            sent: self.text(&detail.sent),
            answer: self.text(&detail.answer),
            rule: self.text(&detail.rule),
            note: self.text(&detail.note),
            place: self.text(&detail.place),
            noise: self.text(&detail.noise),
        }
    }

    fn text(&mut self, text: &str) -> Option<usize> {
        (!text.is_empty()).then(|| self.intern(&shown::lines(text)))
    }

    fn intern(&mut self, text: &str) -> usize {
        place(&mut self.texts, &mut self.data.texts, &text.to_owned(), Clone::clone)
    }

    /// Types without a case stay: the grid links to them. Decode comes before encode, derived asks last.
    fn finish(mut self) -> Data {
        for case in self.data.dialects.iter_mut().flat_map(|dialect| &mut dialect.types).flat_map(|of| &mut of.cases) {
            case.asks.sort_by(|a, b| (natural(&a.r), &a.o).cmp(&(natural(&b.r), &b.o)));
        }
        self.data
    }
}

impl TypeData {
    fn new(id: Option<usize>, name: &str) -> Self {
        Self { id, name: name.to_owned(), label: label(name).to_owned(), derived: 0, cases: Vec::new() }
    }
}

fn row(line: &Line) -> (Option<usize>, String, String, String) {
    (line.offset, line.bytes.clone(), shown::line(&line.name), shown::line(&line.meaning))
}

/// The place of an item, which is put there if it is new.
fn place<K: Clone + Eq + std::hash::Hash, V>(
    places: &mut HashMap<K, usize>,
    items: &mut Vec<V>,
    key: &K,
    item: impl FnOnce(&K) -> V,
) -> usize {
    if let Some(place) = places.get(key) {
        return *place;
    }
    items.push(item(key));
    places.insert(key.clone(), items.len() - 1);
    items.len() - 1
}

/// `truncated-at-9` before `truncated-at-10`.
fn natural(rule: &str) -> (&str, i64) {
    let digits = rule.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |last| last + 1);
    (&rule[..digits], rule[digits..].parse().unwrap_or(0))
}
