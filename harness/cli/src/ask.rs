//! `conform explain --ask`: what implementations make of the same bytes.

use std::sync::Arc;

use variant_corpus::Corpus;
use variant_corpus::test::{Variants, tests};
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::explore::Exploration;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Implementation, Input, Request};
use variant_values::reference::NAME as REFERENCE;
use variant_values::sanitize::{counted, short};
use variant_values::value_text::{Form, value_json};

use crate::failure::Failure;
use crate::paths::Paths;
use crate::subject::{Program, ProgramLimits, Side, start};
use crate::terminal::{say, warn};

/// Asks for every implementation that there is.
const ALL: &str = "all";
/// At most so many packets are sent.
const PACKETS: usize = 8;
/// So many letters of an answer are in a line.
const LETTERS: usize = 100;

/// Prints what each of these makes of the packets that were found, in each dialect that may be meant.
pub(super) fn ask(
    names: &[String],
    found: &Exploration,
    dialect: Option<&Dialect>,
    paths: &Paths,
) -> Result<(), Failure> {
    let (specs, corpus) = paths.load()?;
    let dialects = dialect.map_or_else(|| read_in(found, &specs), |dialect| vec![dialect]);
    let packets = packets(found);
    let mut tables = Vec::new();
    for dialect in dialects {
        for packet in &packets {
            tables.push(Table { dialect, packet: packet.clone(), answers: Vec::new() });
        }
    }
    for side in sides(names, paths)? {
        let program = Program::new(&side.subject, paths)?;
        match start(program.as_ref(), &specs, JudgedBy::Engines) {
            Ok(mut implementation) => {
                fill(&mut tables, &side.shown, implementation.as_mut());
                implementation.finish();
            }
            Err(failure) if names.iter().any(|name| name == ALL) => {
                warn(format!("{}: not asked: {}", side.shown, failure.1));
            }
            Err(failure) => return Err(failure),
        }
    }
    for table in &tables {
        table.print(&specs, &corpus)?;
    }
    Ok(())
}

fn sides(names: &[String], paths: &Paths) -> Result<Vec<Side>, Failure> {
    let limits = ProgramLimits::default();
    // Without a folder of adapters there is still the reference codec, and what engines did.
    if names.iter().any(|name| name == ALL) && paths.adapters().is_ok() {
        return Side::all(limits, paths);
    }
    let others = names.iter().map(String::as_str).filter(|name| ![REFERENCE, ALL].contains(name));
    Ok([REFERENCE].into_iter().chain(others).map(|name| Side::new(name, limits)).collect())
}

/// The dialects that read the bytes; if none does, the newest.
fn read_in<'s>(found: &Exploration, specs: &'s Specs) -> Vec<&'s Dialect> {
    let read = found.readings.iter().filter(|reading| reading.packets.iter().all(|packet| packet.refused.is_none()));
    let mut names: Vec<&String> = read.flat_map(|reading| &reading.dialects).collect();
    if names.is_empty() {
        names.extend(found.readings.first().and_then(|reading| reading.dialects.first()));
    }
    names.into_iter().filter_map(|name| specs.dialect(name)).collect()
}

/// The packets of the best reading, without what is around them; if there is none, all bytes.
fn packets(found: &Exploration) -> Vec<Vec<u8>> {
    let places = found.readings.first().map(|best| best.packets.as_slice()).unwrap_or_default();
    let whole = places.len() == 1 && found.readings.first().is_some_and(|best| best.framing.is_none());
    let cut = |offset: usize, length: usize| found.bytes.get(offset..offset + length).unwrap_or_default().to_vec();
    match places {
        [] => vec![found.bytes.clone()],
        // Bytes that are left over are sent too: whether they are refused is a question.
        [one] if whole => vec![found.bytes.get(one.offset..).unwrap_or_default().to_vec()],
        many => many.iter().take(PACKETS).map(|packet| cut(packet.offset, packet.length)).collect(),
    }
}

/// What everybody answers to one packet in one dialect.
struct Table<'s> {
    dialect: &'s Dialect,
    packet: Vec<u8>,
    /// The operation, an answer, and who gives it; equal answers together.
    answers: Vec<(Op, String, Vec<String>)>,
}

/// Sends the packets to an implementation, in each dialect that it speaks.
fn fill(tables: &mut [Table<'_>], name: &str, implementation: &mut dyn Implementation) {
    let handshake = implementation.handshake().clone();
    let (mut requests, mut places) = (Vec::new(), Vec::new());
    let is_spoken = |table: &Table<'_>| handshake.dialects.contains(&table.dialect.name);
    for (place, table) in tables.iter().enumerate().filter(|(_, table)| is_spoken(table)) {
        for op in [Op::Decode, Op::Reencode].into_iter().filter(|op| handshake.ops.contains(op)) {
            let packet = table.packet.clone();
            let input = if op == Op::Decode { Input::Decode(packet) } else { Input::Reencode(packet) };
            let dialect = Arc::from(table.dialect.name.as_str());
            requests.push(Request { dialect, input, objects: false, framing: None, kind: None });
            places.push((place, op));
        }
    }
    for outcome in implementation.send(Box::new(requests.into_iter())) {
        match outcome {
            Ok((at, outcome)) => {
                let Some((place, op)) = places.get(at) else { continue };
                let table = &mut tables[*place];
                table.add(*op, shown(&outcome.answer, &table.packet, table.dialect), name);
            }
            Err(error) => {
                warn(format!("{name}: {error}"));
                break;
            }
        }
    }
}

/// An answer in words. Why it is refused differs from each to each, so it is left out.
fn shown(answer: &Answer, packet: &[u8], dialect: &Dialect) -> String {
    match answer {
        Answer::Value { value, used } => {
            let left = used.map_or(0, |used| packet.len().saturating_sub(usize::try_from(used).unwrap_or(usize::MAX)));
            let behind = if left > 0 { format!(", {} left over", counted(left, "byte")) } else { String::new() };
            value_json(value, &dialect.layouts, Form::default()) + &behind
        }
        Answer::Bytes(bytes) if bytes == packet => "the same bytes".to_owned(),
        Answer::Bytes(bytes) => hex::encode(bytes),
        Answer::Refused(_) => "refused".to_owned(),
        Answer::Invalid { json, why } => format!("no value of the dialect ({why}): {json}"),
        _ => answer.words(),
    }
}

impl Table<'_> {
    fn add(&mut self, op: Op, answer: String, name: &str) {
        match self.answers.iter_mut().find(|(of, known, _)| *of == op && *known == answer) {
            Some((_, _, names)) => names.push(name.to_owned()),
            None => self.answers.push((op, answer, vec![name.to_owned()])),
        }
    }

    fn print(&self, specs: &Specs, corpus: &Corpus) -> Result<(), Failure> {
        say(format!("\n{}: {}", self.dialect.title(), short(&hex::encode(&self.packet), LETTERS)))?;
        for op in [Op::Decode, Op::Reencode] {
            let mut answers: Vec<_> = self.answers.iter().filter(|(of, ..)| *of == op).collect();
            answers.sort_by_key(|(_, _, names)| std::cmp::Reverse(names.len()));
            let alike = if answers.len() == 1 { ", all alike" } else { "" };
            if answers.is_empty() {
                say(format!("  {}: nobody who was asked does this", op.name()))?;
                continue;
            }
            say(format!("  {}{alike}", op.name()))?;
            for (_, answer, names) in answers {
                say(format!("    {:>2}  {}", names.len(), short(answer, LETTERS)))?;
                say(format!("        {}", names.join(", ")))?;
            }
        }
        for line in self.recorded(specs, corpus)? {
            say(format!("  recorded: {line}"))?;
        }
        Ok(())
    }

    /// What engines that need not be here once did with these bytes, if a test has them.
    fn recorded(&self, specs: &Specs, corpus: &Corpus) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        let all = tests(corpus, specs, self.dialect, JudgedBy::Engines, Variants::All)?;
        for test in all.iter().filter(|test| test.packet().is_some_and(|packet| packet.bytes == self.packet)) {
            for observed in &corpus.observed {
                if let Some(answer) = observed.answers.get(test.id.as_str()) {
                    let (engine, op) = (observed.short_name(), test.op.name());
                    lines.push(format!("{engine}, {op}: {}", short(answer, LETTERS)));
                }
            }
        }
        let (own, packet) = (format!("{}/", self.dialect.name), hex::encode(&self.packet));
        for observed in &corpus.observed {
            if observed.wrote.iter().any(|(case, written)| case.starts_with(&own) && *written == packet) {
                lines.push(format!("{} writes these bytes", observed.short_name()));
            }
        }
        Ok(lines)
    }
}
