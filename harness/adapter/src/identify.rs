//! Finds the dialect that an implementation actually speaks, whatever it claims, by small packets of every type id.

mod probe;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write;
use std::sync::Arc;

use variant_codec::{Codec, DecodeError, Value};
use variant_specs::{Dialect, Reading, Specs};

use probe::{Probe, probes};
use variant_wire::compare::{Comparison, compare};
use variant_wire::explain::collision;
use variant_wire::fields::layout_of;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{
    Answer, AnsweredValue, AnsweredValueError, Implementation, ImplementationError, Input, Request,
};
use variant_wire::sanitize;
use variant_wire::value_text::Expected;

/// What an implementation speaks when tested under one dialect's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The dialect's name in the requests, like `godot-3`.
    pub tested_as: String,
    /// How many packets got a reply other than `unsupported`.
    pub answered: usize,
    /// The dialects of which it claims a type, those that differ at the fewest ids first.
    pub nearest: Vec<Match>,
}

/// How well a dialect fits. Dialects that these packets cannot distinguish are one match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Their names: more than one if they read all these packets alike.
    pub dialects: Vec<String>,
    /// How many types each has.
    pub types: usize,
    /// How many of these the implementation claims to read; it may refuse the others.
    pub claimed: usize,
    /// The type ids at which the implementation differs, at most one entry each; empty if it fits.
    pub mismatches: Vec<Mismatch>,
}

/// An id that the implementation reads differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The type id, as in the header.
    pub id: u32,
    /// The layout that the dialect has there, or `no type`.
    pub expected: String,
    /// What the implementation reads there: a layout, or words such as `refused`.
    pub actual: String,
    /// A packet that shows it, in hex.
    pub packet: String,
}

/// Tests an implementation under these names, or if there are none, under each that it claims.
///
/// # Errors
/// It does not support `decode`, or the program cannot be run.
pub fn identify(
    implementation: &mut dyn Implementation,
    specs: &Specs,
    names: &[String],
) -> Result<Vec<Identified>, ImplementationError> {
    let handshake = implementation.handshake().clone();
    if !handshake.ops.contains(&Op::Decode) {
        return Err(ImplementationError("identify needs `decode`, which is not in its `ops`".to_owned()));
    }
    let names = if names.is_empty() { &handshake.dialects } else { names };
    names.iter().map(|name| one(implementation, specs, &handshake, name)).collect()
}

fn one(
    implementation: &mut dyn Implementation,
    specs: &Specs,
    handshake: &Handshake,
    name: &str,
) -> Result<Identified, ImplementationError> {
    let last = specs.dialects.iter().map(|dialect| dialect.max).max().unwrap_or(0);
    let probes: Vec<Probe> = (0..=last).flat_map(probes).collect();
    let dialect: Arc<str> = name.into();
    let mut requests = probes.iter().map(|probe| Request {
        dialect: Arc::clone(&dialect),
        input: Input::Decode(probe.packet.clone()),
        objects: false,
        framing: None,
    });
    let mut answers: Vec<Option<Answer>> = vec![None; probes.len()];
    implementation.send(&mut requests, &mut |place, outcome| answers[place] = Some(outcome.answer))?;
    let spoken = |answer: &&Option<Answer>| !matches!(answer, None | Some(Answer::Unsupported(_) | Answer::NotRun(_)));
    let answered = answers.iter().filter(spoken).count();
    let mut nearest: Vec<Match> = Vec::new();
    for dialect in specs.all() {
        let found = Comparer { dialect, handshake }.compare(&probes, &answers);
        let alike = |other: &&mut Match| {
            (&other.mismatches, other.types, other.claimed) == (&found.mismatches, found.types, found.claimed)
        };
        match nearest.iter_mut().find(alike) {
            Some(same) => same.dialects.extend(found.dialects),
            None if found.claimed > 0 => nearest.push(found),
            None => {}
        }
    }
    nearest.sort_by_key(|found| (found.mismatches.len(), Reverse(found.claimed)));
    Ok(Identified { tested_as: name.to_owned(), answered, nearest })
}

struct Comparer<'a> {
    dialect: &'a Dialect,
    handshake: &'a Handshake,
}

impl Comparer<'_> {
    fn compare(&self, probes: &[Probe], answers: &[Option<Answer>]) -> Match {
        let codec = Codec::new(self.dialect, Reading::Engine);
        let mut mismatches: Vec<Mismatch> = Vec::new();
        for (probe, answer) in probes.iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let expected = codec.decode(&probe.packet).map(|decoded| decoded.value);
            let differs = self.differs(probe.id, &expected, answer);
            let known = mismatches.last().is_some_and(|mismatch| mismatch.id == probe.id);
            if let Some(actual) = differs.filter(|_| !known) {
                mismatches.push(Mismatch {
                    id: probe.id,
                    expected: self.named(probe.id),
                    actual,
                    packet: hex::encode(&probe.packet),
                });
            }
        }
        let types = self.dialect.types.iter().map(|entry| entry.id);
        Match {
            dialects: vec![self.dialect.name.clone()],
            types: self.dialect.types.len(),
            claimed: types.filter(|id| self.claims(*id)).count(),
            mismatches,
        }
    }

    /// Whether the implementation claims to read what this dialect has at an id.
    fn claims(&self, id: u32) -> bool {
        let entry = self.dialect.type_of(id);
        entry.is_some_and(|entry| self.handshake.claims(&self.dialect.layout(entry).name, Op::Decode))
    }

    fn named(&self, id: u32) -> String {
        let entry = self.dialect.type_of(id);
        entry.map_or_else(|| "no type".to_owned(), |entry| self.dialect.layout(entry).name.clone())
    }

    /// What it reads, if the dialect expects something else.
    fn differs(&self, id: u32, expected: &Result<Value, DecodeError>, answer: &Answer) -> Option<String> {
        let value = match (answer, expected) {
            (Answer::Value { value, .. }, _) => self.value(value),
            // An unsupported request says nothing about the dialect.
            (Answer::Unsupported(_) | Answer::NotRun(_), _) | (Answer::Refused(_), Err(_)) => return None,
            (Answer::Refused(_), Ok(_)) => return self.claims(id).then(|| "refused".to_owned()),
            (Answer::Bytes(_) | Answer::Garbled(_), _) => return Some("no valid reply".to_owned()),
            (Answer::Crashed(_) | Answer::TimedOut(_) | Answer::OrderDependent(_), _) => {
                return Some("no reply: it crashed or hung".to_owned());
            }
        };
        match (value, expected) {
            (Ok(value), Ok(expected)) => {
                let wanted = Expected { value: expected.clone(), any_nan: Vec::new() };
                match compare(&wanted, &value, &self.handshake.lossy, &self.dialect.layouts) {
                    Comparison::Same | Comparison::Relaxed(_) => None,
                    Comparison::Different(_) => Some(self.layout(&value, expected)),
                }
            }
            (Ok(value), Err(_)) => Some(self.layout_name(&value)),
            (Err(tag), Ok(_) | Err(_)) => Some(tag),
        }
    }

    /// The value in the reply; or its tag, if this dialect has no such value.
    fn value(&self, value: &AnsweredValue) -> Result<Value, String> {
        value.read(self.dialect).map(Cow::into_owned).map_err(|error| match error {
            AnsweredValueError::NoSuchValue { layout, .. } => sanitize::short(&layout, 40),
            AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_) => "no value".to_owned(),
        })
    }

    fn layout(&self, value: &Value, expected: &Value) -> String {
        let (actual, wanted) = (self.layout_name(value), self.layout_name(expected));
        if actual == wanted { format!("{actual}, with another value") } else { actual }
    }

    fn layout_name(&self, value: &Value) -> String {
        layout_of(value, &self.dialect.layouts).map_or_else(|| "no type".to_owned(), |layout| layout.name.clone())
    }
}

impl Identified {
    /// Whether a dialect fits without a mismatch; several may, if these packets cannot distinguish them.
    pub fn is_exact(&self) -> bool {
        self.answered > 0 && self.nearest.first().is_some_and(|found| found.mismatches.is_empty())
    }

    /// What it speaks if nothing differs.
    fn exact(&self, found: &Match) -> String {
        if found.is_partial() {
            return self.partial();
        }
        match found.dialects.as_slice() {
            [only] => format!("it speaks {only}, all {} types", found.types),
            several => format!(
                "it speaks {}: {} types, and these packets do not tell them apart",
                several.join(" or "),
                found.types
            ),
        }
    }

    /// The same if it claims only some types: the fewer, the more dialects it may speak.
    fn partial(&self) -> String {
        let fitting: Vec<&Match> = self.nearest.iter().filter(|found| found.mismatches.is_empty()).collect();
        let described =
            |found: &&Match| format!("{} ({} of {} types)", found.dialects.join(" or "), found.claimed, found.types);
        let names = fitting.iter().map(described).collect::<Vec<_>>().join(" or ");
        let several = fitting.iter().map(|found| found.dialects.len()).sum::<usize>() > 1;
        let apart = if several { "; these packets do not tell them apart" } else { "" };
        format!("it speaks {names}, as far as it claims types{apart}")
    }

    /// A text for people: one line, and a table of the ids that differ from the nearest dialect.
    pub fn render(&self, specs: &Specs) -> String {
        let tested_as = &self.tested_as;
        let found = match self.nearest.first() {
            _ if self.answered == 0 => return format!("tested as {tested_as}: it replies to nothing\n"),
            None => return format!("tested as {tested_as}: there is no dialect to compare it with\n"),
            Some(found) if found.mismatches.is_empty() => {
                return format!("tested as {tested_as}: {}\n", self.exact(found));
            }
            Some(found) => found,
        };
        let claims =
            if found.is_partial() { format!(", and it claims {} of its types", found.claimed) } else { String::new() };
        let mut text = format!(
            "tested as {tested_as}: no known dialect; the nearest is {}, from which it differs at {} of {} ids{claims}\n\
             {:>4}  {:<22}{:<28}shown by\n",
            found.dialects.join(", "),
            found.mismatches.len(),
            found.types,
            "id",
            "expected",
            "it reads",
        );
        // Writing to a String cannot fail.
        for Mismatch { id, expected, actual, packet } in &found.mismatches {
            let shown = if packet.len() > 40 { format!("{}…", &packet[..40]) } else { packet.clone() };
            let _ = writeln!(text, "{id:>4}  {expected:<22}{actual:<28}{shown}");
        }
        for mismatch in &found.mismatches {
            if let Some(collision) = collision(mismatch.id, specs.dialects.iter()) {
                let _ = writeln!(text, "{collision}");
            }
        }
        text
    }
}

impl Match {
    fn is_partial(&self) -> bool {
        self.claimed < self.types
    }
}
