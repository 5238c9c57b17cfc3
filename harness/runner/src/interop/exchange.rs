//! Runs an exchange: each participant writes, then each reads what all have written.

use variant_codec::{Array, Codec, Component, Dictionary, Value};
use variant_corpus::observed::Observed;
use variant_corpus::test::{Test, Variants, tests};
use variant_corpus::{Class, Corpus, CorpusId};
use variant_specs::{Dialect, JudgedBy, Layouts, Specs};
use variant_values::compare::{Comparison, compare};
use variant_values::handshake::{Handshake, Lossy, Op};
use variant_values::implementation::{Answer, Implementation, ImplementationError, Input, InvalidValue, Request};
use variant_values::value_text::{ExpectedValue, Form, value_json};
use variant_values::{reference, sanitize};

use crate::run::RunError;

use super::{
    Arrival, ExchangedCase, ExchangedPacket, Fate, InteropPlan, InteropRecord, ParticipantRecord, SCHEMA, Unwritten,
};

/// An answer is kept with at most so many letters.
const LETTERS: usize = 300;

#[derive(Debug)]
pub struct Exchange<'a> {
    corpus: CorpusId,
    participants: Vec<(String, Handshake)>,
    cases: Vec<PendingCase<'a>>,
}

/// A canonical value, and the packets that were written of it.
#[derive(Debug)]
struct PendingCase<'a> {
    test: Test,
    dialect: &'a Dialect,
    packets: Vec<PendingPacket>,
    record: ExchangedCase,
}

/// A packet. Of one that is not canonical it matters what its writer cannot tell apart.
#[derive(Debug)]
struct PendingPacket {
    bytes: Vec<u8>,
    lossy: Vec<Lossy>,
    /// What it means, if that is the value but for ids of objects: an engine gives its own.
    meant: Option<ExpectedValue>,
    record: ExchangedPacket,
}

impl<'a> Exchange<'a> {
    /// An exchange of every canonical value of these dialects, with nobody in it yet.
    pub fn new(specs: &'a Specs, corpus: &Corpus, dialects: &[&'a Dialect]) -> Result<Self, RunError> {
        let mut cases = Vec::new();
        for dialect in dialects {
            let tests = tests(corpus, specs, dialect, JudgedBy::Engines, Variants::None)?;
            let wanted = |test: &Test| {
                let is_written = test.op == Op::Encode && test.expected.class == Class::Canonical;
                let is_type = || dialect.types.iter().any(|of| *dialect.layout(of).name == *test.layout);
                // Whoever reads the packet of an `encode` case gets another value, by the format.
                is_written && is_type() && !test.case.encode && test.case.framing.is_none()
            };
            cases.extend(tests.into_iter().filter(wanted).map(|test| PendingCase::new(test, dialect)));
        }
        Ok(Self { corpus: corpus.id(), participants: Vec::new(), cases })
    }

    /// Adds a participant, and has it write every value that it claims to write.
    pub fn write(&mut self, name: &str, participant: &mut dyn Implementation) -> Result<(), RunError> {
        let place = self.participants.len();
        let handshake = participant.handshake().clone();
        let claimed = |case: &&mut PendingCase<'_>| case.is_claimed(&handshake, Op::Encode);
        let mut cases: Vec<&mut PendingCase<'a>> = self.cases.iter_mut().filter(claimed).collect();
        let requests: Vec<Request> = cases.iter().filter_map(|case| case.test.request()).collect();
        send(participant, requests, |at, answer| {
            cases[at].written(&answer, place, &handshake);
        })?;
        self.participants.push((name.to_owned(), handshake));
        Ok(())
    }

    /// Adds a writer that need not be here: an engine, by what it once wrote. One that is here writes for itself.
    pub fn recorded(&mut self, observed: &Observed) {
        if self.participants.iter().any(|(_, handshake)| observed.is_of(handshake)) {
            return;
        }
        let place = self.participants.len();
        let mut handshake = reference::handshake(Vec::new());
        handshake.version.clone_from(&observed.version);
        for case in &mut self.cases {
            if let Some(bytes) = observed.wrote.get(&case.record.case).and_then(|hex| hex::decode(hex).ok()) {
                case.written(&Answer::Bytes(bytes), place, &handshake);
            }
        }
        self.participants.push((format!("{} (recorded)", observed.short_name()), handshake));
    }

    /// Has the participant at this place read every packet of what it claims to read, and write it again.
    pub fn read(&mut self, place: usize, participant: &mut dyn Implementation) -> Result<(), RunError> {
        let handshake = participant.handshake().clone();
        for op in [Op::Decode, Op::Reencode] {
            let (mut places, mut requests) = (Vec::new(), Vec::new());
            for (at, case) in self.cases.iter_mut().enumerate() {
                if !case.is_claimed(&handshake, op) {
                    continue;
                }
                match op {
                    Op::Reencode => case.record.relays.push(place),
                    Op::Decode | Op::Encode => case.record.readers.push(place),
                }
                for (packet, written) in case.packets.iter().enumerate() {
                    places.push((at, packet));
                    requests.push(case.request(op, written.bytes.clone()));
                }
            }
            let cases = &mut self.cases;
            send(participant, requests, |request, answer| {
                let (case, packet) = places[request];
                cases[case].arrived(packet, op, &answer, place, &handshake);
            })?;
        }
        Ok(())
    }

    /// What the only participant wrote: the packet of each case, in hex. One that means another value is left out, like an
    /// object whose id the engine gives itself.
    pub fn written(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases.iter().filter_map(|case| {
            let packet = case.packets.first()?;
            let (fate, _) = case.bytes(&packet.bytes, None, &[]);
            (fate == Fate::Same).then_some((case.record.case.as_str(), packet.record.bytes.as_str()))
        })
    }

    /// What was exchanged. A value that nobody claims is left out.
    pub fn record(self) -> InteropRecord {
        let named = |(name, handshake): (String, Handshake)| ParticipantRecord { name, version: handshake.version };
        let participants = self.participants.into_iter().map(named).collect();
        let cases: Vec<ExchangedCase> = self.cases.into_iter().map(PendingCase::record).filter(is_claimed).collect();
        let conform = env!("CARGO_PKG_VERSION").to_owned();
        let plan = InteropPlan { schema: SCHEMA, conform, corpus: self.corpus, participants, cases: cases.len() };
        InteropRecord { plan, cases }
    }
}

fn is_claimed(case: &ExchangedCase) -> bool {
    !case.readers.is_empty() || !case.packets.is_empty() || !case.unwritten.is_empty()
}

/// Sends these, and reports the place and the answer of each.
fn send(
    participant: &mut dyn Implementation,
    requests: Vec<Request>,
    mut answered: impl FnMut(usize, Answer),
) -> Result<(), ImplementationError> {
    let mut reported = vec![false; requests.len()];
    for outcome in participant.send(Box::new(requests.into_iter())) {
        let (place, outcome) = outcome?;
        reported[place] = true;
        answered(place, outcome.answer);
    }
    for (place, _) in reported.into_iter().enumerate().filter(|(_, reported)| !reported) {
        answered(place, Answer::NotRun("there was no reply".to_owned()));
    }
    Ok(())
}

impl<'a> PendingCase<'a> {
    fn new(test: Test, dialect: &'a Dialect) -> Self {
        let record = ExchangedCase {
            case: test.id.parts().case.to_owned(),
            readers: Vec::new(),
            relays: Vec::new(),
            packets: Vec::new(),
            unwritten: Vec::new(),
        };
        Self { test, dialect, packets: Vec::new(), record }
    }

    fn is_claimed(&self, handshake: &Handshake, op: Op) -> bool {
        handshake.dialects.contains(&self.dialect.name) && self.test.is_claimed(handshake, op)
    }

    fn request(&self, op: Op, bytes: Vec<u8>) -> Request {
        Request {
            dialect: self.test.dialect.clone(),
            input: if op == Op::Reencode { Input::Reencode(bytes) } else { Input::Decode(bytes) },
            objects: self.test.case.objects,
            framing: None,
            kind: Some(self.test.kind()),
        }
    }

    fn written(&mut self, answer: &Answer, by: usize, handshake: &Handshake) {
        let Answer::Bytes(bytes) = answer else {
            let why = words(answer);
            match self.record.unwritten.iter_mut().find(|unwritten| unwritten.why == why) {
                Some(unwritten) => unwritten.by.push(by),
                None => self.record.unwritten.push(Unwritten { why, by: vec![by] }),
            }
            return;
        };
        let canonical =
            self.test.expected.packet.as_ref().is_some_and(|packet| packet.first_difference(bytes).is_none());
        let lossy = if canonical { Vec::new() } else { handshake.lossy.clone() };
        if let Some(packet) = self.packets.iter_mut().find(|packet| packet.bytes == *bytes && packet.lossy == lossy) {
            packet.record.from.push(by);
            return;
        }
        let record =
            ExchangedPacket { bytes: hex::encode(bytes), from: vec![by], decode: Vec::new(), reencode: Vec::new() };
        let meant = self.with_own_ids(bytes);
        self.packets.push(PendingPacket { bytes: bytes.clone(), lossy, meant, record });
    }

    /// The value of a packet that has other ids of objects than it was asked for, and differs in nothing else.
    fn with_own_ids(&self, bytes: &[u8]) -> Option<ExpectedValue> {
        let codec = Codec::new(self.dialect, JudgedBy::Engines);
        let codec = reference::allowing(&codec, self.test.case.objects);
        let value = reference::decode(&codec, bytes, None).ok()?.value;
        let expected = self.test.expected.value.as_ref()?;
        let layouts = &self.dialect.layouts;
        let is_alike = value != expected.value && without_ids(&value, layouts) == without_ids(&expected.value, layouts);
        is_alike.then(|| ExpectedValue { value, any_nan: expected.any_nan.clone() })
    }

    fn arrived(&mut self, packet: usize, op: Op, answer: &Answer, by: usize, handshake: &Handshake) {
        let lossy = [&self.packets[packet].lossy[..], &handshake.lossy].concat();
        let (fate, answer) = match answer {
            Answer::Value { value, .. } if op == Op::Decode => self.compared(value, Some(packet), &lossy),
            Answer::Invalid { why: InvalidValue::NoSuchValue(error), .. } if op == Op::Decode => {
                (Fate::Other, sanitize::short(&format!("a value that the dialect does not have: {error}"), LETTERS))
            }
            Answer::Invalid { why, .. } if op == Op::Decode => {
                (Fate::Failed, sanitize::short(&why.to_string(), LETTERS))
            }
            Answer::Bytes(bytes) if op == Op::Reencode => self.bytes(bytes, Some(packet), &lossy),
            Answer::Refused(_) | Answer::Unsupported(_) => (Fate::Refused, words(answer)),
            _ => (Fate::Failed, words(answer)),
        };
        let packet = &mut self.packets[packet];
        let arrivals = if op == Op::Reencode { &mut packet.record.reencode } else { &mut packet.record.decode };
        match arrivals.iter_mut().find(|arrival| arrival.fate == fate && arrival.answer == answer) {
            Some(arrival) => arrival.by.push(by),
            None => arrivals.push(Arrival { fate, answer, by: vec![by] }),
        }
    }

    /// A packet that was written again is read by the reference codec.
    fn bytes(&self, bytes: &[u8], packet: Option<usize>, lossy: &[Lossy]) -> (Fate, String) {
        let codec = Codec::new(self.dialect, JudgedBy::Engines);
        let codec = reference::allowing(&codec, self.test.case.objects);
        match reference::decode(&codec, bytes, None) {
            Ok(decoded) => self.compared(&decoded.value, packet, lossy),
            Err(error) => {
                let text = format!("a packet that is refused, {error}: {}", hex::encode(bytes));
                (Fate::Other, sanitize::short(&text, LETTERS))
            }
        }
    }

    /// Compares what arrived with what the packet means, or with the value of the case.
    fn compared(&self, value: &Value, packet: Option<usize>, lossy: &[Lossy]) -> (Fate, String) {
        let layouts = &self.dialect.layouts;
        let meant = packet.and_then(|packet| self.packets[packet].meant.as_ref());
        let expected = meant.or(self.test.expected.value.as_deref());
        match expected.map(|expected| compare(expected, value, lossy, layouts)) {
            Some(Comparison::Same | Comparison::DeclaredLoss(_)) => (Fate::Same, String::new()),
            Some(Comparison::Different(_)) | None => {
                (Fate::Other, sanitize::short(&value_json(value, layouts, Form::default()), LETTERS))
            }
        }
    }

    fn record(self) -> ExchangedCase {
        ExchangedCase { packets: self.packets.into_iter().map(|packet| packet.record).collect(), ..self.record }
    }
}

fn without_ids(value: &Value, layouts: &Layouts) -> Value {
    let all = |values: &[Value]| values.iter().map(|value| without_ids(value, layouts)).collect();
    if let Value::Array(array) = value {
        return Value::Array(Array { items: all(&array.items), ..array.clone() });
    }
    if let Value::Dictionary(dictionary) = value {
        let entries = dictionary.entries.iter();
        let entries = entries.map(|(key, value)| (without_ids(key, layouts), without_ids(value, layouts))).collect();
        return Value::Dictionary(Dictionary { entries, ..dictionary.clone() });
    }
    let Value::Record(id, components) = value else { return value.clone() };
    let objects = layouts.get(*id).objects;
    let without = |component: &Component| match component {
        Component::Id(_) if objects => Component::Id(0),
        Component::Value(value) => Component::Value(without_ids(value, layouts)),
        Component::Values(values) => Component::Values(all(values)),
        other => other.clone(),
    };
    Value::Record(*id, components.iter().map(without).collect())
}

/// An answer that is none, in its own words.
fn words(answer: &Answer) -> String {
    let text = match answer {
        Answer::Refused(reason) => reason.words(),
        other => other.words(),
    };
    // What follows the first line is a trace of the program, and of the machine.
    sanitize::short(text.lines().next().unwrap_or_default(), LETTERS)
}
