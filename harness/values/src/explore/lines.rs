//! An exploration as lines for a terminal: one answer first.

use variant_specs::Dialect;

use super::{DialectReading, Exploration, PacketReading};
use crate::row::aligned;
use crate::sanitize::{self, short};

/// At most so many other readings and refusals are named.
const OTHERS: usize = 12;
/// The longest value that is shown, in letters.
const VALUE: usize = 2000;
/// So many rows are shown in all, if no dialect is named.
const ROWS: usize = 64;

/// What is found, as lines: the reading in this dialect, or the best one, in full; all others in a line each.
pub fn lines(found: &Exploration, dialect: Option<&Dialect>) -> Vec<String> {
    let mut lines: Vec<String> = found.said.clone();
    let is_meant = |reading: &&DialectReading| {
        dialect
            .is_some_and(|dialect| reading.dialects.iter().any(|name| *name == dialect.base() || *name == dialect.name))
    };
    let shown = match dialect {
        Some(_) => found.readings.iter().find(is_meant),
        None => found.readings.first(),
    };
    if let Some(reading) = shown {
        let rows = if dialect.is_some() { usize::MAX } else { ROWS };
        in_full(reading, found.bytes.len(), rows, &mut lines);
    }
    // One that is asked for by name is meant alone, unless it cannot read the bytes.
    let is_answered = dialect.is_some() && shown.is_some_and(DialectReading::is_read);
    let others = || {
        let others = found.readings.iter().filter(|reading| !shown.is_some_and(|shown| std::ptr::eq(*reading, shown)));
        others.filter(|_| !is_answered)
    };
    for other in others().take(OTHERS) {
        let is_bare = other.framing.is_none() && shown.is_some_and(|shown| shown.framing.is_some());
        let framed = if is_bare && other.is_read() { " without a length in front" } else { "" };
        lines.push(format!("{}{framed}: {}", other.title, other.line));
    }
    let more = others().count().saturating_sub(OTHERS);
    if more > 0 {
        lines.push(format!("… {more} more readings"));
    }
    lines.extend(found.notes.iter().cloned());
    lines.iter().map(|line| sanitize::line(line)).collect()
}

fn in_full(reading: &DialectReading, length: usize, mut rows: usize, lines: &mut Vec<String>) {
    let refused = reading.packets.iter().any(|packet| packet.refused.is_some());
    let line = if refused && reading.packets.len() == 1 { "refused" } else { &reading.line };
    lines.push(format!("{}: {line}", reading.title));
    let many = reading.packets.len() > 1;
    for (place, packet) in reading.packets.iter().enumerate() {
        if !packet.name.is_empty() {
            lines.push(format!("{} = {}", packet.name, short(packet.shown(), 200)));
            continue;
        }
        if many {
            let what = if reading.framing.is_some() { "frame" } else { "packet" };
            let of = reading.packets.len() + reading.more;
            lines.push(format!("{what} {} of {of}: {}", place + 1, short(packet.shown(), 200)));
        }
        if rows > 0 {
            of_packet(packet, length, rows, !many, lines);
            rows = rows.saturating_sub(packet.rows.len());
        }
    }
    if reading.more > 0 {
        lines.push(format!("… {} more packets", reading.more));
    }
    if !reading.oddities.is_empty() {
        lines.push(format!("odd: {}", reading.oddities.join("; ")));
    }
}

fn of_packet(packet: &PacketReading, length: usize, rows: usize, is_only: bool, lines: &mut Vec<String>) {
    let shown = packet.rows.len().min(rows);
    lines.extend(aligned(&packet.rows[..shown]));
    if shown < packet.rows.len() {
        // The last row may stand for others.
        let left = packet.rows.len() - shown + packet.left_out.saturating_sub(1);
        let all = if packet.left_out == 0 { "all" } else { "more" };
        lines.push(format!("… {left} more rows; --dialect shows {all}"));
    }
    if let Some(refused) = &packet.refused {
        lines.push(format!("refused: {refused}"));
    } else if is_only {
        lines.push(if packet.used > length {
            format!("{} bytes consumed; there are {length}, because the last padding is missing", packet.used)
        } else {
            format!("{} of {length} bytes consumed", packet.used)
        });
    }
    // As adapters get and send it: whoever writes one looks here how a type is written.
    if let Some(value) = packet.value.as_deref() {
        lines.push(format!("as JSON: {}", short(&sanitize::json(value), VALUE)));
    }
    lines.extend(packet.permission.iter().cloned());
}
