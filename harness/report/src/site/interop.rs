//! Who can read what whom wrote: a table for each dialect, and a page for each participant: who reads it, what it reads, and the packets that
//! did not arrive.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use variant_runner::interop::{Arrival, ExchangedCase, InteropCell, InteropRecord, InteropTable, TypeCount};
use variant_values::sanitize;

use crate::interop::{counts, instead};
use crate::site::content::Site;
use crate::site::errata::hex_words;
use crate::site::links;
use crate::site::links::LINKED;
use crate::site::pages::Pages;

/// The record as it was given, for programs.
const RECORD: &str = "interop.jsonl";
/// At most so many packets of a type are shown, and so many bytes of one.
const PACKETS: usize = 12;
const BYTES: usize = 64;

#[derive(Debug, Serialize)]
struct Who<'a> {
    name: &'a str,
    version: String,
    /// The file name of its page as a reader, without `.html`.
    page: String,
}

/// The packets of a type that did not arrive.
#[derive(Debug, Default, Serialize)]
struct LostType<'a> {
    layout: &'a str,
    packets: Vec<Value>,
    more: usize,
    /// Who wrote no packet of it, and why: a case, the writers, their words.
    unwritten: Vec<(&'a str, Vec<&'a str>, String)>,
}

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let page = [
        "interop.html",
        "interop.html",
        "Interop: who can read what others write",
        "Which types arrive when implementations read what others write",
    ];
    let Some(record) = site.inputs.interop else {
        return pages.render(page, context! { tables => Vec::<Value>::new() });
    };
    let who = record.plan.participants.iter();
    let who: Vec<Who<'_>> = who
        .map(|of| Who { name: &of.name, version: sanitize::short(&of.version, 60), page: links::slug(&of.name) })
        .collect();
    let mut tables = record.tables();
    tables.retain(|table| !table.rows.is_empty());
    tables.sort_by_key(|table| site.matrix.dialects.iter().position(|name| *name == table.dialect));
    let views: Value = tables.iter().map(|table| table_of(table, &who)).collect();
    pages.render(page, context! { tables => views, record => RECORD })?;
    let mut lines = Vec::new();
    // Writing to memory cannot fail.
    let _ = record.write(&mut lines);
    pages.add(RECORD, lines);
    for (place, reader) in who.iter().enumerate() {
        if !tables.iter().any(|table| table.readers.contains(&place) || table.writers.contains(&place)) {
            continue;
        }
        let dialects: Value = tables.iter().filter_map(|table| arrivals(table, place, record, &who)).collect();
        let page: [&str; 4] = [
            &format!("interop/{}.html", reader.page),
            "reader.html",
            &sanitize::short(&format!("What {} reads from others, and who reads it", reader.name), 160),
            "Which packets of other implementations it reads, refuses, or misreads",
        ];
        let known = site.inputs.implementations.iter().find(|of| of.row.name == reader.name);
        pages.render(
            page,
            context! {
                who => Value::from(Serde(reader)),
                home => known.and_then(|known| known.row.page.as_deref()),
                dialects => dialects,
                record => RECORD,
            },
        )?;
    }
    Ok(())
}

/// The file name of the page that shows what this one reads of others and they of it, if it took part.
pub(crate) fn page_of(site: &Site<'_>, name: &str) -> Option<String> {
    let record = site.inputs.interop?;
    let place = record.plan.participants.iter().position(|participant| participant.name == name)?;
    let takes_part = |table: &InteropTable| {
        !table.rows.is_empty() && (table.readers.contains(&place) || table.writers.contains(&place))
    };
    record.tables().iter().any(takes_part).then(|| links::slug(name))
}

/// How many types arrive each way: `20/22`, or nothing if the reader does not claim this way.
fn halves(cell: &InteropCell) -> Value {
    let half = |way| {
        context! { mark => Value::from(Serde(&cell.mark(way))), counts => counts(cell, way) }
    };
    [0, 1].into_iter().map(half).collect()
}

fn table_of(table: &InteropTable, who: &[Who<'_>]) -> Value {
    let of = |places: &[usize]| places.iter().filter_map(|place| who.get(*place)).collect::<Vec<_>>();
    let cells = |row: &Vec<Option<InteropCell>>| row.iter().map(|cell| cell.as_ref().map(halves)).collect::<Vec<_>>();
    let rows = of(&table.writers).into_iter().zip(table.rows.iter().map(cells));
    context! {
        name => table.dialect.as_str(),
        columns => Value::from(Serde(&of(&table.readers))),
        rows => rows.map(|(who, cells)| vec![Value::from(Serde(who)), cells.into()]).collect::<Vec<_>>(),
    }
}

/// What a participant makes of packets in one dialect, and others of its own; `None` if it takes no part.
fn arrivals(table: &InteropTable, reader: usize, record: &InteropRecord, who: &[Who<'_>]) -> Option<Value> {
    let row = |(place, cell): (&usize, Option<&Option<InteropCell>>)| Some(pair(who.get(*place)?, cell?.as_ref()?));
    let column = table.readers.iter().position(|place| *place == reader);
    let cells = table.rows.iter().map(|row| row.get(column?));
    let writers: Vec<_> = table.writers.iter().zip(cells).filter_map(row).collect();
    let own = table.writers.iter().position(|place| *place == reader).and_then(|place| table.rows.get(place));
    let readers: Vec<_> = table.readers.iter().zip(own.into_iter().flatten().map(Some)).filter_map(row).collect();
    let mut types: Vec<LostType<'_>> = Vec::new();
    for case in record.cases.iter().filter(|case| case.dialect_and_layout().0 == table.dialect) {
        lost(case, reader, who, &mut types);
    }
    let types = Value::from(Serde(&types));
    let takes_part = !writers.is_empty() || !readers.is_empty();
    takes_part
        .then(|| context! { name => table.dialect.as_str(), writers => writers, readers => readers, types => types })
}

/// What arrives with or from one other, and the types that do not arrive whole.
fn pair(who: &Who<'_>, cell: &InteropCell) -> Value {
    let is_lost = |of: &&TypeCount| !(of.survives(0) && (of.sent(1) == 0 || of.survives(1)));
    let lost: Vec<&str> = cell.types.iter().filter(is_lost).map(|of| of.layout.as_str()).collect();
    context! {
        who => Value::from(Serde(who)),
        halves => halves(cell),
        same => cell.sum(|of| of.same[0]),
        other => cell.sum(|of| of.other[0]),
        refused => cell.sum(|of| of.refused[0]),
        failed => cell.sum(|of| of.failed[0]),
        unsent => cell.sum(|of| of.unsent),
        lost => Value::from(Serde(&lost)),
    }
}

/// Adds what of a case did not reach a reader.
fn lost<'a>(case: &'a ExchangedCase, reader: usize, who: &'a [Who<'a>], types: &mut Vec<LostType<'a>>) {
    let names = |places: &[usize]| -> Vec<&'a str> {
        places.iter().filter_map(|place| who.get(*place)).map(|who| who.name).collect()
    };
    let fate = |arrival: &Arrival| instead(arrival.fate).filter(|_| arrival.by.contains(&reader));
    let mut found = Vec::new();
    for packet in &case.packets {
        let read = packet.decode.iter().find_map(|arrival| Some((fate(arrival)?, arrival, false)));
        // What is lost when it is read is lost when it is written again.
        let again = || packet.reencode.iter().find_map(|arrival| Some((fate(arrival)?, arrival, true)));
        let Some((fate, arrival, again)) = read.or_else(again) else { continue };
        let shown = packet.bytes.get(..BYTES * 2).unwrap_or(&packet.bytes);
        found.push(context! {
            case => case.case.as_str(),
            words => hex_words(shown),
            cut => shown.len() < packet.bytes.len(),
            hex => Some(packet.bytes.as_str()).filter(|hex| hex.len() <= LINKED * 2),
            from => Value::from(Serde(&names(&packet.from))),
            again => again,
            fate => fate,
            answer => arrival.answer.as_str(),
        });
    }
    let unwritten: Vec<_> = if case.readers.contains(&reader) {
        case.unwritten.iter().map(|none| (case.case.as_str(), names(&none.by), none.why.clone())).collect()
    } else {
        Vec::new()
    };
    if found.is_empty() && unwritten.is_empty() {
        return;
    }
    let layout = case.dialect_and_layout().1;
    if types.last().is_none_or(|last| last.layout != layout) {
        types.push(LostType { layout, ..LostType::default() });
    }
    let Some(of) = types.last_mut() else { return };
    let room = PACKETS.saturating_sub(of.packets.len());
    of.more += found.len().saturating_sub(room);
    of.packets.extend(found.into_iter().take(room));
    let room = PACKETS.saturating_sub(of.unwritten.len());
    of.more += unwritten.len().saturating_sub(room);
    of.unwritten.extend(unwritten.into_iter().take(room));
}
