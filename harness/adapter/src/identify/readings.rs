//! Which layout an implementation reads at each id: the table of ids, as its answers show it.

use std::sync::Arc;

use variant_codec::Value;
use variant_specs::{Dialect, Layouts, Shape};
use variant_wire::fields::layout_of;
use variant_wire::implementation::{Answer, AnsweredValue, Implementation, ImplementationError, Input, Request};
use variant_wire::sanitize;
use variant_wire::value_text::SyntaxTree;

use super::probe::{self, Probe};

/// An id that no dialect has: what is read there is what the implementation says of ids that it does not know.
const UNKNOWN: u32 = 0xfd;

/// Probes and the answers to them.
pub(super) struct Readings<'a> {
    layouts: &'a Layouts,
    /// In the order in which they were sent.
    pub(super) all: Vec<ProbeReading>,
}

/// A probe, the answer to it, and the layout that the answer names.
pub(super) struct ProbeReading {
    pub(super) probe: Probe,
    pub(super) answer: Answer,
    layout: Option<String>,
}

/// What is read at an id, seen from a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundLayout {
    /// The layout that the dialect has there.
    Own,
    /// A layout that is also read where the dialect has it: a confusion of two types, and not another table.
    Confused(String),
    /// A layout that is not read where the dialect has it.
    Another(String),
    /// None: how it is refused.
    Nothing(String),
    /// Every request was unsupported, which says nothing about the dialect.
    Unknown,
}

impl<'a> Readings<'a> {
    /// Sends probes of the ids before `end`: first what no layout reads wrong, then what fits the layouts that were read.
    pub(super) fn take(
        implementation: &mut dyn Implementation,
        layouts: &'a Layouts,
        dialect: &Arc<str>,
        end: u32,
    ) -> Result<Self, ImplementationError> {
        let ids = || (0..end).chain([UNKNOWN]);
        let mut readings = Self { layouts, all: Vec::new() };
        readings.send(implementation, dialect, ids().map(probe::zeros).collect())?;
        let unread: Vec<u32> = ids().filter(|id| readings.is_refused(*id)).collect();
        readings.send(implementation, dialect, unread.iter().copied().flat_map(probe::one).collect())?;
        let unread = unread.into_iter().filter(|id| readings.is_refused(*id));
        let probes = unread.map(probe::node_path).collect();
        readings.send(implementation, dialect, probes)?;
        let fitting =
            |id| readings.only_shape(id).map_or_else(|| vec![probe::two(id)], |shape| probe::values(id, shape));
        let probes = ids().filter(|id| readings.layouts_at(*id).next().is_some()).flat_map(fitting).collect();
        readings.send(implementation, dialect, probes)?;
        Ok(readings)
    }

    fn send(
        &mut self,
        implementation: &mut dyn Implementation,
        dialect: &Arc<str>,
        mut probes: Vec<Probe>,
    ) -> Result<(), ImplementationError> {
        probes.retain(|probe| self.all.iter().all(|reading| reading.probe != *probe));
        let mut requests = probes.iter().map(|probe| Request {
            dialect: Arc::clone(dialect),
            input: Input::Decode(probe.packet.clone()),
            objects: false,
            framing: None,
            kind: None,
        });
        let mut answers: Vec<Option<Answer>> = vec![None; probes.len()];
        implementation.send(&mut requests, &mut |place, outcome| answers[place] = Some(outcome.answer))?;
        for (probe, answer) in probes.into_iter().zip(answers) {
            if let Some(answer) = answer {
                let layout = named(&answer, self.layouts);
                self.all.push(ProbeReading { probe, answer, layout });
            }
        }
        Ok(())
    }

    /// How many packets got a reply other than `unsupported`.
    pub(super) fn answered(&self) -> usize {
        let silent = |reading: &&ProbeReading| {
            matches!(reading.answer, Answer::Unsupported(_) | Answer::NotRun(_) | Answer::Skipped(_))
        };
        self.all.len() - self.all.iter().filter(silent).count()
    }

    /// What is read at an id, seen from a dialect, and a packet that shows it.
    pub(super) fn at(&self, id: u32, dialect: &Dialect) -> (FoundLayout, &[u8]) {
        let own = dialect.type_of(id).map(|entry| dialect.layout(entry).name.as_str());
        if let Some(own) = own.and_then(|own| self.of(id).find(|reading| reading.layout.as_deref() == Some(own))) {
            return (FoundLayout::Own, &own.probe.packet);
        }
        let first = self.of(id).find_map(|reading| Some((reading, reading.layout.as_deref()?)));
        if let Some((reading, layout)) = first {
            let place = dialect.layouts.id_of(layout).and_then(|layout| dialect.id_of(layout));
            let found = if self.layouts_at(UNKNOWN).any(|unknown| unknown == layout) {
                FoundLayout::Nothing(layout.to_owned())
            } else if place.is_some_and(|place| self.layouts_at(place).any(|other| other == layout)) {
                FoundLayout::Confused(layout.to_owned())
            } else {
                FoundLayout::Another(layout.to_owned())
            };
            return (found, &reading.probe.packet);
        }
        let words = self.of(id).find_map(|reading| Some((reading, silence(&reading.answer)?)));
        words.map_or((FoundLayout::Unknown, &[]), |(reading, words)| {
            (FoundLayout::Nothing(words.to_owned()), &reading.probe.packet)
        })
    }

    /// The readings of an id.
    pub(super) fn of(&self, id: u32) -> impl Iterator<Item = &ProbeReading> {
        self.all.iter().filter(move |reading| reading.probe.id == id)
    }

    fn layouts_at(&self, id: u32) -> impl Iterator<Item = &str> {
        self.of(id).filter_map(|reading| reading.layout.as_deref())
    }

    /// Whether every packet of an id was refused, and none read or without a reply.
    fn is_refused(&self, id: u32) -> bool {
        self.of(id).all(|reading| matches!(reading.answer, Answer::Refused(_))) && self.of(id).next().is_some()
    }

    /// The shape of what is read at this id and at no other. Only of that is it known what it does with a count.
    fn only_shape(&self, id: u32) -> Option<Shape> {
        let layout = self.layouts_at(id).next()?;
        let elsewhere = |reading: &ProbeReading| reading.probe.id != id && reading.layout.as_deref() == Some(layout);
        if self.all.iter().any(elsewhere) {
            return None;
        }
        Some(self.layouts.get(self.layouts.id_of(layout)?).shape)
    }
}

/// The layout that an answer names.
fn named(answer: &Answer, layouts: &Layouts) -> Option<String> {
    let Answer::Value { value, .. } = answer else { return None };
    match value {
        AnsweredValue::Known(value) => Some(name_of(value, layouts)),
        AnsweredValue::Json(_) | AnsweredValue::Cbor(_) => {
            let tree: SyntaxTree = serde_json::from_str(&value.json()?).ok()?;
            Some(sanitize::short(tree.tagged()?.0, 40))
        }
    }
}

/// The layout of a value, by name.
pub(super) fn name_of(value: &Value, layouts: &Layouts) -> String {
    layout_of(value, layouts).map_or_else(|| "no type".to_owned(), |layout| layout.name.clone())
}

/// An answer without a value, in words; `None` if it says nothing about what is read.
fn silence(answer: &Answer) -> Option<&'static str> {
    match answer {
        Answer::Refused(_) => Some("refused"),
        Answer::Value { .. } | Answer::Bytes(_) | Answer::Garbled(_) => Some("no valid reply"),
        Answer::Crashed(_) | Answer::TimedOut(_) | Answer::OrderDependent(_) => Some("no reply: it crashed or hung"),
        Answer::Unsupported(_) | Answer::NotRun(_) | Answer::Skipped(_) => None,
    }
}
