//! Which dialect an implementation actually speaks, whatever it says: small packets of every id, and who reads them so.

mod probe;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
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

/// What came of asking an implementation under one dialect's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The name under which it was asked.
    pub asked_as: String,
    /// How many packets it answered.
    pub answered: usize,
    /// The dialects that it leaves at the fewest ids, first of all.
    pub nearest: Vec<Match>,
}

/// How well one dialect fits, and others that cannot be told from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The dialects: more than one where they read all these packets alike.
    pub dialects: Vec<String>,
    /// How many types it has.
    pub types: usize,
    /// How many of them the implementation claims to read: of the others it may refuse each.
    pub claimed: usize,
    /// Where the implementation reads otherwise.
    pub departures: Vec<Departure>,
}

/// An id that is read otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The id.
    pub id: u32,
    /// What the dialect has there.
    pub expected: String,
    /// What the implementation reads there.
    pub actual: String,
    /// A packet that shows it.
    pub packet: String,
}

/// Asks an implementation, under each name that it claims or under those that are given.
///
/// # Errors
/// Where it cannot decode, or could not be used.
pub fn identify(
    implementation: &mut dyn Implementation,
    specs: &Specs,
    names: &[String],
) -> Result<Vec<Identified>, ImplementationError> {
    let handshake = implementation.handshake().clone();
    if !handshake.ops.contains(&Op::Decode) {
        return Err(ImplementationError(
            "it does not decode, and that is what is asked: it offers no `decode`".to_owned(),
        ));
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
            (&other.departures, other.types, other.claimed) == (&found.departures, found.types, found.claimed)
        };
        match nearest.iter_mut().find(alike) {
            Some(same) => same.dialects.extend(found.dialects),
            None if found.claimed > 0 => nearest.push(found),
            None => {}
        }
    }
    nearest.sort_by_key(|found| (found.departures.len(), Reverse(found.claimed)));
    Ok(Identified { asked_as: name.to_owned(), answered, nearest })
}

struct Comparer<'a> {
    dialect: &'a Dialect,
    handshake: &'a Handshake,
}

impl Comparer<'_> {
    fn compare(&self, probes: &[Probe], answers: &[Option<Answer>]) -> Match {
        let codec = Codec::new(self.dialect, Reading::Engine);
        let mut departures: Vec<Departure> = Vec::new();
        for (probe, answer) in probes.iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let expected = codec.decode(&probe.packet).map(|decoded| decoded.value);
            let differs = self.differs(probe.id, &expected, answer);
            let known = departures.last().is_some_and(|departure| departure.id == probe.id);
            if let Some(actual) = differs.filter(|_| !known) {
                departures.push(Departure {
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
            departures,
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

    /// What was answered, where the dialect expects something else.
    fn differs(&self, id: u32, expected: &Result<Value, DecodeError>, answer: &Answer) -> Option<String> {
        let value = match (answer, expected) {
            (Answer::Value { value, .. }, _) => self.value(value),
            // What it does not claim to do says nothing of what it speaks.
            (Answer::Unsupported(_) | Answer::NotRun(_), _) | (Answer::Refused(_), Err(_)) => return None,
            (Answer::Refused(_), Ok(_)) => return self.claims(id).then(|| "refused".to_owned()),
            (Answer::Bytes(_) | Answer::Garbled(_), _) => return Some("no answer that the protocol knows".to_owned()),
            (Answer::Crashed(_) | Answer::TimedOut(_) | Answer::OrderDependent(_), _) => {
                return Some("no answer: it died or hung".to_owned());
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

    /// The value that was answered; or its tag, where this dialect cannot hold it.
    fn value(&self, value: &AnsweredValue) -> Result<Value, String> {
        value.read(self.dialect).map(Cow::into_owned).map_err(|error| match error {
            AnsweredValueError::NoSuchValue { layout, .. } => sanitize::short(&layout, 40),
            AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_) => "no value".to_owned(),
        })
    }

    fn layout(&self, value: &Value, expected: &Value) -> String {
        let (actual, wanted) = (self.layout_name(value), self.layout_name(expected));
        if actual == wanted { format!("{actual}, of another value") } else { actual }
    }

    fn layout_name(&self, value: &Value) -> String {
        layout_of(value, &self.dialect.layouts).map_or_else(|| "no type".to_owned(), |layout| layout.name.clone())
    }
}

impl Identified {
    /// Whether it speaks exactly one dialect, or several that cannot be told apart.
    pub fn is_exact(&self) -> bool {
        self.answered > 0 && self.nearest.first().is_some_and(|found| found.departures.is_empty())
    }

    /// Who it is, where nothing speaks against it.
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

    /// The same of one that claims a part: the fewer types it has, the more dialects it may speak.
    fn partial(&self) -> String {
        let fitting: Vec<&Match> = self.nearest.iter().filter(|found| found.departures.is_empty()).collect();
        let described =
            |found: &&Match| format!("{} ({} of {} types)", found.dialects.join(" or "), found.claimed, found.types);
        let names = fitting.iter().map(described).collect::<Vec<_>>().join(" or ");
        let several = fitting.iter().map(|found| found.dialects.len()).sum::<usize>() > 1;
        let apart = if several { "; these packets do not tell them apart" } else { "" };
        format!("it speaks {names}, as far as it claims{apart}")
    }

    /// As a person reads it.
    pub fn render(&self, specs: &Specs) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail, here and below.
        let _ = match self.nearest.first() {
            _ if self.answered == 0 => writeln!(text, "asked as {}: it answers nothing", self.asked_as),
            None => writeln!(text, "asked as {}: there is no dialect to compare it with", self.asked_as),
            Some(found) if found.departures.is_empty() => {
                writeln!(text, "asked as {}: {}", self.asked_as, self.exact(found))
            }
            Some(found) => writeln!(
                text,
                "asked as {}: no known dialect; the nearest is {}, which it leaves at {} of {} ids{}",
                self.asked_as,
                found.dialects.join(", "),
                found.departures.len(),
                found.types,
                if found.is_partial() {
                    format!(", and it claims {} of its types", found.claimed)
                } else {
                    String::new()
                }
            ),
        };
        let Some(found) = self.nearest.first().filter(|found| self.answered > 0 && !found.departures.is_empty()) else {
            return text;
        };
        let _ = writeln!(text, "{:>4}  {:<22}{:<28}shown by", "id", "expected", "it reads");
        for Departure { id, expected, actual, packet } in &found.departures {
            let shown = if packet.len() > 40 { format!("{}…", &packet[..40]) } else { packet.clone() };
            let _ = writeln!(text, "{id:>4}  {expected:<22}{actual:<28}{shown}");
        }
        let ids: BTreeSet<u32> = found.departures.iter().map(|departure| departure.id).collect();
        for said in ids.into_iter().filter_map(|id| collision(id, specs.dialects.iter())) {
            let _ = writeln!(text, "{said}");
        }
        text
    }
}

impl Match {
    fn is_partial(&self) -> bool {
        self.claimed < self.types
    }
}
