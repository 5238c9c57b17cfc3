//! How a dialect reads bytes.

use serde::Serialize;
use variant_codec::{Codec, DecodeError, Decoded, Framing, Refusal, Value};
use variant_specs::Dialect;

use super::question::Question;
use super::split::Split;
use crate::explain::{Explainer, Explanation};
use crate::literal::literal;
use crate::row::Row;
use crate::sanitize::{self, counted, short};
use crate::value_text::{Form, value_json};

/// At most so many packets that have names are shown, and so many letters of a value.
const PACKETS: usize = 64;
const LETTERS: usize = 1 << 16;
/// Nobody writes the value of a longer packet as text: it takes more letters than that.
const SHORT: usize = 4 * LETTERS;
const LONG: &str = "a value too long to show";
/// So many letters of a value are in a line.
const LINE: usize = 80;

/// How some dialects read the bytes, all alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DialectReading {
    /// The names of the dialects, the newest first: `godot-3`.
    pub dialects: Vec<String>,
    /// The dialects as people know them: `Godot 3.1–3.6 (godot-3)`.
    pub title: String,
    /// What they read, or why they do not, in a line.
    pub line: String,
    /// The length prefix of each packet, if there is one.
    pub framing: Option<Framing>,
    /// The packets, in order.
    pub packets: Vec<PacketReading>,
    /// How many packets are left out.
    pub more: usize,
    /// Bytes behind the last packet.
    pub trailing: usize,
    /// Bytes in which no more packets were looked for.
    pub unread: usize,
    /// How many bytes are missing of the frame that begins behind the last packet.
    #[serde(skip)]
    pub(super) missing: usize,
    /// Where the last packet ends, or that frame would.
    #[serde(skip)]
    end: usize,
    /// What no engine writes: unknown flags, noise for numbers, padding that is not zero.
    pub oddities: Vec<String>,
    /// The type ids in the headers.
    #[serde(skip)]
    pub(super) ids: Vec<u32>,
}

/// One packet as a dialect reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PacketReading {
    /// What it is called in its file; empty if it has no name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where it begins, after the length prefix of it.
    pub offset: usize,
    /// How many bytes it has; fewer than the frame has if bytes are left.
    pub length: usize,
    /// How many bytes are consumed, with the length prefix.
    pub used: usize,
    /// The fields; offsets count from the beginning of the input. The last row may say how many are left out.
    pub rows: Vec<Row>,
    /// How many fields have no row.
    #[serde(skip)]
    pub(super) left_out: usize,
    /// The value as JSON; absent if the packet is refused, or it is very long.
    pub value: Option<String>,
    /// The value as a script of the engine has it; absent if none can.
    pub literal: Option<String>,
    /// How the packet is refused, in words.
    pub refused: Option<String>,
    /// What a reader gets that is not allowed objects, if that differs.
    pub permission: Option<String>,
    /// Where it is refused.
    #[serde(skip)]
    refused_at: usize,
}

impl DialectReading {
    pub(super) fn new(bytes: &[u8], split: &Split, dialect: &Dialect, asked: &Question<'_>) -> Self {
        let shown = &split.pieces[..split.pieces.len().min(PACKETS)];
        let (mut packets, mut oddities, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for (name, place) in shown {
            let start = place.start - split.framing.map_or(0, |_| Framing::PREFIX);
            let (judged_by, framing) = (asked.judged_by, split.framing);
            let explainer = Explainer { judged_by, framing, most: asked.rows, ..Explainer::new(dialect) };
            let mut explained = explainer.explain_at(start, &bytes[start..place.end]);
            oddities.append(&mut explained.oddities);
            ids.extend(explained.ids.iter().filter(|id| !ids.contains(*id)).copied().collect::<Vec<_>>());
            let is_refused = |error: &DecodeError| error.kind == Refusal::BadObject;
            let asks = explained.objects || explained.outcome.as_ref().is_err_and(is_refused);
            let without = asks.then(|| Codec::new(dialect, judged_by).decode(&bytes[place.clone()]));
            // Some containers are read only by those who are not allowed what they are of.
            if explained.outcome.is_err() && without.as_ref().is_some_and(Result::is_ok) {
                let refused = explained.refused;
                explained = Explainer { objects: false, ..explainer }.explain_at(start, &bytes[start..place.end]);
                explained.refused = refused;
            }
            packets.push(PacketReading::new(name, place.start, place.len(), explained, without, dialect));
        }
        let trailing = split.trailing;
        if let Some(last) = packets.last_mut().filter(|_| trailing > 0) {
            let at = bytes.len() - trailing;
            let behind = if split.missing > 0 {
                "a frame that is cut"
            } else if split.framing.is_some() {
                "bytes after the frame"
            } else {
                "bytes after the packet"
            };
            last.rows.push(Row::of_bytes(at, &bytes[at..], "trailing", behind.to_owned()));
        }
        let mut reading = Self {
            dialects: vec![dialect.name.clone()],
            title: String::new(),
            line: String::new(),
            framing: split.framing,
            packets,
            more: split.more + split.pieces.len() - shown.len(),
            unread: split.unread,
            missing: split.missing,
            end: if split.missing > 0 { bytes.len() } else { bytes.len() - trailing },
            trailing,
            oddities,
            ids,
        };
        reading.line = reading.words();
        reading
    }

    /// Whether all packets are read.
    pub(super) fn is_read(&self) -> bool {
        !self.packets.is_empty() && self.packets.iter().all(|packet| packet.refused.is_none())
    }

    /// Whether all is read, and an engine may have written it.
    pub(super) fn is_clean(&self) -> bool {
        self.is_packet() && self.trailing == 0
    }

    /// The same, whatever is behind it.
    pub(super) fn is_packet(&self) -> bool {
        self.is_read() && self.oddities.is_empty()
    }

    /// Whether it begins as a packet does, and an engine may have written what there is of it.
    pub(super) fn is_plausible(&self) -> bool {
        let begins = |packet: &PacketReading| packet.refused.is_none() || packet.refused_at > packet.offset;
        let is_whole = self.trailing == 0 || self.missing > 0;
        self.oddities.is_empty() && is_whole && self.packets.iter().all(begins)
    }

    /// Whether there is more in it than zeros.
    pub(super) fn says_something(&self) -> bool {
        self.packets.iter().any(|packet| packet.length > 4)
    }

    /// What makes one reading worse than another, the worst first: it ends early; what no engine writes; no lengths where
    /// lengths fit.
    pub(super) fn badness(&self) -> (usize, usize, bool) {
        let early = self.packets.iter().find(|packet| packet.refused.is_some()).map(|packet| packet.refused_at);
        let early = early.or(Some(self.end).filter(|_| self.trailing > 0 || self.packets.is_empty()));
        (early.map_or(0, |at| usize::MAX - at), self.oddities.len(), self.framing.is_none())
    }

    /// Whether another dialect reads the same, or refuses for the same reason.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let refused = !self.is_read() && !other.is_read();
        self.framing == other.framing
            && (refused && self.line == other.line
                || self.oddities == other.oddities
                    && (self.trailing, self.more) == (other.trailing, other.more)
                    && self.packets.len() == other.packets.len()
                    && self.packets.iter().zip(&other.packets).all(|(one, other)| one.is_like(other)))
    }

    fn words(&self) -> String {
        let Some(first) = self.packets.first() else { return "nothing".to_owned() };
        if let Some(refused) = self.packets.iter().find_map(|packet| packet.refused.as_ref()) {
            return format!("refused, {refused}");
        }
        let number = self.packets.len() + self.more;
        // What is odd is hardly meant: its type is enough.
        let is_odd = !self.oddities.is_empty();
        let value = |packet| if is_odd { PacketReading::kind(packet) } else { PacketReading::shown(packet) };
        let values: Vec<&str> = self.packets.iter().map(value).collect();
        let value = short(&values.join(", "), LINE);
        let mut words = match (self.framing, number) {
            _ if !first.name.is_empty() => counted(number, "packet"),
            (Some(Framing::U32Be), _) => {
                format!("{} of store_var / put_var, big-endian: {value}", counted(number, "frame"))
            }
            (Some(_), _) => format!("{} of store_var / put_var: {value}", counted(number, "frame")),
            (None, 1) => value,
            (None, _) => format!("{number} packets in a row: {value}"),
        };
        if self.missing > 0 {
            let (there, missing) = (counted(self.trailing, "byte"), self.missing);
            words += &format!(", then a frame that is cut: {there} of it, and {missing} are missing");
        } else if self.trailing > 0 {
            words += &format!(", then {} left over", counted(self.trailing, "byte"));
        }
        if self.unread > 0 {
            words += &format!(", then {} that were not looked at", counted(self.unread, "byte"));
        }
        if !self.oddities.is_empty() {
            words += ", but odd";
        }
        words
    }
}

impl PacketReading {
    fn new(
        name: &str,
        offset: usize,
        length: usize,
        explained: Explanation,
        without: Option<Result<Decoded, DecodeError>>,
        dialect: &Dialect,
    ) -> Self {
        let Explanation { mut rows, more, more_at, outcome, refused, .. } = explained;
        if more > 0 {
            let last = rows.pop_if(|row| ["trailing", "?"].contains(&row.name.as_str()));
            rows.push(Row::more(more, Some(more_at)));
            rows.extend(last);
        }
        for row in &mut rows {
            // A letter that nobody sees is shown as its number, as on a terminal.
            row.name = sanitize::line(&row.name);
            row.meaning = sanitize::line(&row.meaning);
        }
        let value = outcome.as_ref().ok().map(|decoded| &decoded.value);
        let short_value = value.filter(|_| length <= SHORT);
        let fits = |text: String| Some(text).filter(|text| text.len() <= LETTERS);
        let json = |value: &Value| value_json(value, &dialect.layouts, Form::default());
        let permission = match (&outcome, without) {
            (Ok(_), _) if !refused.is_empty() => Some(format!("with permission for objects it is refused ({refused})")),
            (Ok(decoded), Some(Ok(without))) if decoded.value == without.value => None,
            (Err(error), Some(Err(without))) if *error == without => None,
            (_, None) => None,
            (_, Some(Ok(without))) => {
                let value = if length <= SHORT { &short(&json(&without.value), LINE) } else { LONG };
                Some(format!("without permission for objects it is {value}"))
            }
            (_, Some(Err(refused))) => {
                Some(format!("without permission for objects it is refused ({refused}; engines say ERR_UNAUTHORIZED)"))
            }
        };
        Self {
            name: sanitize::line(name),
            offset,
            length,
            used: outcome.as_ref().map_or(0, |decoded| decoded.used),
            rows,
            left_out: more,
            literal: short_value.and_then(|value| literal(value, dialect)).and_then(fits),
            refused: outcome.as_ref().err().map(|_| refused.clone()),
            permission,
            refused_at: outcome.as_ref().err().map_or(0, |error| offset + error.at),
            value: short_value.map(json).and_then(fits),
        }
    }

    /// Whether the same is read; not every dialect has a script that could write it.
    fn is_like(&self, other: &Self) -> bool {
        self.rows == other.rows && self.value == other.value && self.used == other.used && self.refused == other.refused
    }

    /// The name of its type.
    fn kind(&self) -> &str {
        self.value.as_deref().and_then(|json| json.split('"').nth(1)).unwrap_or("a value")
    }

    /// The value in short, or how it is refused.
    pub(super) fn shown(&self) -> &str {
        self.refused.as_deref().or(self.literal.as_deref()).or(self.value.as_deref()).unwrap_or(LONG)
    }
}
