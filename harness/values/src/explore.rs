//! Bytes of which nothing is known: what they are, and every dialect that can read them, best first, field by field.
//! `conform explain` and the explorer of the site are two views of this.

mod lines;
mod question;
mod reading;
mod split;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use variant_specs::{DOUBLE, Dialect, Specs, titles};

pub use lines::lines;
pub use question::Question;
pub use reading::{DialectReading, PacketReading};

use self::split::Split;
use crate::foreign::{self, Foreign, Inside};
use crate::pasted::{self, Pasted};
use crate::row::spaced;
use crate::sanitize::counted;

/// What bytes are, and all their readings, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exploration {
    /// The bytes that are read: unpacked, if they were packed.
    #[serde(serialize_with = "as_hex")]
    pub bytes: Vec<u8>,
    /// What they are, a sentence each: unpacked gzip, behind a header of somebody's own, no packet at all.
    pub said: Vec<String>,
    /// The readings; those that refuse the bytes come last.
    pub readings: Vec<DialectReading>,
    /// What else a person may want to know, a sentence each.
    pub notes: Vec<String>,
}

/// So many times is unpacked what was unpacked.
const LAYERS: usize = 4;
/// A packet is looked for behind at most so many bytes of somebody's own.
const OWN: usize = 64;
/// It is not looked for in more bytes.
const SEARCHED: usize = 1 << 20;
/// So many ids are compared.
const IDS: usize = 3;

/// Says what bytes are, and reads them in every dialect that engines speak.
pub fn explore(bytes: &[u8], specs: &Specs, asked: &Question<'_>) -> Exploration {
    let explorer = Explorer { specs, asked, dialects: asked.dialects(specs) };
    let mut found = Exploration { bytes: Vec::new(), said: Vec::new(), readings: Vec::new(), notes: Vec::new() };
    let mut bytes = Cow::Borrowed(bytes);
    for _ in 0..LAYERS {
        let Some(unpacked) = explorer.layer(&bytes, &mut found) else { break };
        bytes = Cow::Owned(unpacked);
    }
    found.bytes = bytes.into_owned();
    explorer.notes(&mut found);
    found
}

struct Explorer<'a> {
    specs: &'a Specs,
    asked: &'a Question<'a>,
    dialects: Vec<&'a Dialect>,
}

impl Explorer<'_> {
    /// Reads bytes, and says what they are; what is inside, if they must be unpacked first.
    fn layer(&self, bytes: &[u8], found: &mut Exploration) -> Option<Vec<u8>> {
        let from = self.asked.offset.unwrap_or(0).min(bytes.len());
        found.readings = self.readings(bytes, from);
        if from > 0 && from == self.asked.offset.unwrap_or(0) {
            found.said.push(behind(from));
        }
        if bytes.len() == from {
            found.said.push(match self.asked.offset {
                Some(offset) if offset > from => format!("There are only {}.", counted(from, "byte")),
                _ => "There is nothing here: a packet has four bytes or more.".to_owned(),
            });
            found.readings.clear();
        }
        if from > 0 || found.readings.first().is_some_and(DialectReading::is_clean) {
            return None;
        }
        match foreign::by_magic(bytes) {
            Some(Foreign { name, inside: Inside::Unpacked(inside), .. }) => {
                found.said.push(format!("This is {name}; unpacked, {}.", counted(inside.len(), "byte")));
                return Some(inside);
            }
            Some(Foreign { name, inside: Inside::Entries(entries), .. }) => {
                found.said.push(format!("This is {name}: {}.", counted(entries.len(), "packet")));
                let split = Split { pieces: entries, ..Split::default() };
                found.readings = self.ranked(|dialect| vec![DialectReading::new(bytes, &split, dialect, self.asked)]);
                return None;
            }
            Some(foreign) => {
                self.foreign(foreign, found);
                return None;
            }
            None => {}
        }
        let is_packet = found.readings.iter().any(DialectReading::is_plausible);
        if let Some(foreign) = foreign::by_content(bytes, !is_packet) {
            if let Some((what, number, inside)) = self.in_text(bytes) {
                found.said.push(format!("This is {what} in it is {}.", counted(inside.len(), "byte")));
                if number > 1 {
                    found
                        .said
                        .push(format!("There are {number} in it that may be packets; this is the first that is."));
                }
                return Some(inside);
            }
            self.foreign(foreign, found);
        } else if let Some((own, readings)) = self.behind(bytes) {
            let best = &readings[0];
            if best.is_clean() && !is_packet {
                found.said.push(behind(own));
                found.readings = readings;
            } else if best.is_clean() || !is_packet {
                let (title, line) = (&best.title, &best.line);
                found
                    .notes
                    .push(format!("From byte {own} on it could be a packet, with --offset {own}: {title}: {line}"));
            }
        }
        None
    }

    /// The bytes in a text that are packets, and where they are: hex in lines of a log, a text or list in JSON. If all
    /// together are none, the first that are, and how many there are.
    fn in_text(&self, bytes: &[u8]) -> Option<(String, usize, Vec<u8>)> {
        let text = std::str::from_utf8(bytes.get(..SEARCHED).map_or(bytes, |_| &[])).ok()?;
        let is_packet = |inside: &[u8]| {
            let readings = self.readings(inside, 0);
            readings.first().is_some_and(|best| best.is_clean() && best.says_something())
        };
        let found = pasted::in_text(text);
        for alike in found.chunk_by(|(one, _), (other, _)| one == other) {
            let all: Vec<u8> = alike.iter().flat_map(|(_, inside)| inside).copied().collect();
            if is_packet(&all) && alike.len() > 1 {
                return Some((alike[0].0.clone(), 1, all));
            }
        }
        // The same list may be found as numbers, too.
        let number = found.iter().map(|(_, inside)| inside).collect::<BTreeSet<_>>().len();
        found.into_iter().find(|(_, inside)| is_packet(inside)).map(|(what, inside)| (what, number, inside))
    }

    fn foreign(&self, foreign: Foreign, found: &mut Exploration) {
        let Foreign { name, next, .. } = foreign;
        found.said.push(format!("This is {name}, no packet: {next}."));
        // How dialects refuse what is no packet says nothing.
        found.readings.retain(DialectReading::is_read);
    }

    fn readings(&self, bytes: &[u8], from: usize) -> Vec<DialectReading> {
        let framed = match self.asked.framing {
            Some(framing) => framing.map(|framing| Split::forced(bytes, from, framing)).into_iter().collect(),
            None => Split::all_framed(bytes, from),
        };
        let may_be_bare = self.asked.framing.is_none_or(|framing| framing.is_none());
        self.ranked(|dialect| {
            let bare = may_be_bare.then(|| Split::bare(bytes, from, dialect));
            let read = |split| DialectReading::new(bytes, split, dialect, self.asked);
            let mut own: Vec<DialectReading> = framed.iter().chain(&bare).map(read).collect();
            // Nearly any bytes are the beginning of a frame.
            own.retain(|reading| self.asked.framing.is_some() || reading.missing == 0 || reading.is_packet());
            own.sort_by_key(DialectReading::badness);
            let clean = own.iter().filter(|reading| reading.is_clean()).count();
            own.truncate(clean.max(1));
            own
        })
    }

    /// The readings of all dialects, those that are alike joined, the best first.
    fn ranked(&self, read: impl Fn(&Dialect) -> Vec<DialectReading>) -> Vec<DialectReading> {
        let mut readings: Vec<DialectReading> = Vec::new();
        for dialect in &self.dialects {
            for reading in read(dialect) {
                match readings.iter_mut().find(|other| other.is_like(&reading)) {
                    Some(other) if other.dialects.iter().any(|name| name == dialect.base()) => {}
                    Some(other) => other.dialects.push(dialect.name.clone()),
                    None => readings.push(reading),
                }
            }
        }
        // That a double-precision build, which hardly anybody has, refuses them says nothing.
        readings.retain(|reading| reading.is_read() || !reading.dialects.iter().all(|name| name.ends_with(DOUBLE)));
        // Of equals, what most dialects read; then the newest.
        readings.sort_by_key(|reading| (reading.badness(), usize::MAX - reading.dialects.len()));
        for reading in &mut readings {
            reading.title = self.title(reading);
        }
        readings
    }

    fn title(&self, reading: &DialectReading) -> String {
        let dialects: Vec<&Dialect> = reading.dialects.iter().filter_map(|name| self.specs.dialect(name)).collect();
        match &dialects[..] {
            [dialect] => dialect.title(),
            dialects => titles(dialects),
        }
    }

    /// A packet behind bytes of somebody's own: how many those are, and its readings. If other bytes follow each, the longest.
    fn behind(&self, bytes: &[u8]) -> Option<(usize, Vec<DialectReading>)> {
        if bytes.len() > SEARCHED || self.asked.offset.is_some() {
            return None;
        }
        // A header alone may be anywhere.
        let last = bytes.len().checked_sub(8)?.min(OWN);
        let mut longest = (0, None);
        for own in 1..=last {
            let readings = self.readings(bytes, own);
            let Some(best) = readings.first().filter(|best| best.is_packet() && best.says_something()) else {
                continue;
            };
            if best.is_clean() {
                return Some((own, readings));
            }
            let length = best.packets[0].length;
            if longest.0 < length {
                longest = (length, Some((own, readings)));
            }
        }
        longest.1
    }

    fn notes(&self, found: &mut Exploration) {
        let Some(best) = found.readings.first() else { return };
        if best.is_clean() && best.framing.is_none() && best.packets.len() == 1 && found.said.is_empty() {
            let length = u32::try_from(best.packets[0].length).unwrap_or(u32::MAX).to_le_bytes();
            found.notes.push(format!(
                "Bare, as var_to_bytes and PacketPeer have it; get_var of a file or a StreamPeer needs its length in front: {}.",
                spaced(&length)
            ));
        }
        found.notes.extend(best.ids.iter().take(IDS).filter_map(|id| collision(*id, &self.dialects)));
    }
}

fn as_hex<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn behind(own: usize) -> String {
    format!("Read from byte {own} on, behind {} of your own.", counted(own, "byte"))
}

/// The layouts of a type id in each dialect, as a sentence; `None` if the dialects agree.
fn collision(id: u32, dialects: &[&Dialect]) -> Option<String> {
    let mut types: Vec<(&str, &str, Vec<&Dialect>)> = Vec::new();
    let mut without: Vec<&Dialect> = Vec::new();
    for dialect in dialects.iter().filter(|dialect| dialect.name == dialect.base()) {
        let Some(entry) = dialect.type_of(id) else {
            without.push(dialect);
            continue;
        };
        let layout = dialect.layout(entry).name.as_str();
        match types.iter_mut().find(|(other, ..)| *other == layout) {
            Some((.., alike)) => alike.push(dialect),
            None => types.push((layout, dialect.type_name(entry), vec![dialect])),
        }
    }
    if types.len() < 2 {
        return None;
    }
    let said = types.iter().map(|(_, name, dialects)| format!("{name} in {}", titles(dialects)));
    let nowhere = (!without.is_empty()).then(|| format!("no type in {}", titles(&without)));
    Some(format!("Type {id} is {}.", said.chain(nowhere).collect::<Vec<_>>().join(" | ")))
}

/// Reads a text as bytes, or says what it is, and explores it.
pub fn explore_text(text: &str, specs: &Specs, asked: &Question<'_>) -> Result<Exploration, pasted::PastedError> {
    match pasted::read(text) {
        Ok(pasted) => Ok(explore_pasted(&pasted, specs, asked)),
        Err(error) => match foreign::kind_of_text(text) {
            Some((name, _)) if !error.is_advice() => {
                let found = explore(text.as_bytes(), specs, asked);
                let is_known = name != foreign::TEXT || found.readings.first().is_some_and(DialectReading::is_clean);
                if is_known { Ok(found) } else { Err(error) }
            }
            Some(_) | None => Err(error),
        },
    }
}

/// [`explore`], with what was said about the text that the bytes are from.
pub fn explore_pasted(pasted: &Pasted, specs: &Specs, asked: &Question<'_>) -> Exploration {
    let mut found = explore(&pasted.bytes, specs, asked);
    if let Some(refused) = &pasted.refused {
        found.said.insert(0, format!("As bytes: {refused}."));
    }
    if pasted.is_cut {
        found.said.insert(0, format!("The text leaves bytes out: these are the first {}.", pasted.bytes.len()));
        // That the newest dialects miss bytes is no surprise.
        let newest: Vec<String> = asked.dialects(specs).into_iter().map(|dialect| dialect.name.clone()).collect();
        let place = |reading: &DialectReading| newest.iter().position(|name| reading.dialects.contains(name));
        found.readings.sort_by_key(|reading| (!reading.is_clean(), !reading.is_plausible(), place(reading)));
    }
    found
}

/// Reads a text as bytes, and explores them: the whole answer as JSON, the same wherever it is asked for. It is
/// `{"error": …}` if the text is no bytes.
pub fn pasted_json(text: &str, specs: &Specs) -> String {
    let answer = explore_text(text, specs, &Question::default());
    let text = match &answer {
        Ok(answer) => serde_json::to_string(answer),
        Err(error) => serde_json::to_string(&serde_json::json!({"error": error.to_string()})),
    };
    // Plain data cannot fail to become JSON.
    text.unwrap_or_default()
}
