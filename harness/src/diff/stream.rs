//! The questions of a campaign, batch by batch: each batch follows from the seed and its number alone, whoever asks
//! it and in whatever order.

use std::sync::Arc;

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, Reading};

use super::grammar::{Form, Grammar, Kind};
use super::grow::{Extent, Grower, Swarm};
use super::mutate::Mutator;
use super::numbers;
use super::parts;
use super::random::Random;
use crate::ask::hash;
use crate::hello::{Hello, Op};
use crate::implementation::{Question, Request};

/// Questions in a whole batch.
pub const BATCH: usize = 512;
/// How often something is drawn again that some side does not claim, before the batch does without it.
const TRIES: usize = 4096;

/// Where questions come from.
#[derive(Debug)]
pub struct Stream {
    name: Arc<str>,
    dialect: Dialect,
    codec: Codec,
    array: Option<u32>,
    /// The types that every side claims to encode.
    encode: Grammar,
    /// The types that every side claims to decode.
    decode: Grammar,
    /// Packets to begin with, beside those that are made.
    seeds: Vec<Vec<u8>>,
    /// Which of the operations every side has.
    ops: Vec<Op>,
    /// Sides that do not claim everything.
    hellos: Vec<Hello>,
    extent: Extent,
    seed: u64,
}

impl Stream {
    /// The questions of a seed, for sides that said this hello.
    pub fn new(dialect: &Dialect, hellos: &[&Hello], seeds: Vec<Vec<u8>>, extent: Extent, seed: u64) -> Self {
        let grammar = Grammar::of(dialect);
        let claimed = |op| grammar.only(|layout| hellos.iter().all(|hello| hello.claims(layout, op)));
        let has = |op: &Op| hellos.iter().all(|hello| hello.ops.contains(op));
        Self {
            name: dialect.name.as_str().into(),
            dialect: dialect.clone(),
            codec: Codec::new(dialect, Reading::Engine),
            array: dialect.type_of_shape(variant_specs::Shape::Array).map(|entry| entry.id),
            encode: claimed(Op::Encode),
            decode: claimed(Op::Decode),
            seeds,
            ops: [Op::Decode, Op::Encode, Op::Reencode].into_iter().filter(has).collect(),
            hellos: hellos.iter().filter(|hello| hello.types.is_some()).map(|hello| (*hello).clone()).collect(),
            extent,
            // The same seed is another stream in another dialect.
            seed: seed ^ hash(&dialect.name),
        }
    }

    /// The operations that are asked: those that every side has.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The questions of a batch. Fewer than [`BATCH`] only where the sides claim hardly anything in common.
    pub fn batch(&self, index: u64) -> Vec<Request> {
        let mut random = Random::of_part(self.seed, index);
        let encode = Swarm::draw(&self.encode, &mut random);
        let decode = Swarm::draw(&self.decode, &mut random);
        let mut batch = Batch { stream: self, random, encode, decode, questions: Vec::with_capacity(BATCH + 4) };
        for _ in 0..TRIES {
            if batch.questions.len() >= BATCH {
                break;
            }
            batch.some();
        }
        let mut questions = batch.questions;
        questions.truncate(BATCH);
        let dialect = &self.name;
        questions
            .into_iter()
            .map(|question| Request { dialect: Arc::clone(dialect), question, objects: false, framing: None })
            .collect()
    }

    fn claims(&self, question: &Question) -> bool {
        let (op, packet) = match question {
            Question::Encode(_) => return true,
            Question::Decode(packet) => (Op::Decode, packet),
            Question::Reencode(packet) => (Op::Reencode, packet),
        };
        self.hellos.is_empty()
            || parts::layouts(packet, &self.codec).iter().all(|layout| {
                let name = parts::name(*layout, &self.codec);
                self.hellos.iter().all(|hello| hello.claims(name, op))
            })
    }
}

struct Batch<'a> {
    stream: &'a Stream,
    random: Random,
    encode: Swarm,
    decode: Swarm,
    questions: Vec<Question>,
}

impl Batch<'_> {
    /// One input, and the questions about it.
    fn some(&mut self) {
        match self.random.below(16) {
            0..=7 => self.encoding(),
            8..=11 => {
                let packet = self.packet();
                self.ask_packet(packet);
            }
            12..=14 => {
                let packet = self.seed_or_packet();
                let other = if self.random.one_in(8) { self.seed_or_packet() } else { Vec::new() };
                self.mutated(packet.clone(), &other);
                self.mutated(packet, &other);
            }
            _ if self.random.one_in(64) => self.deep(),
            _ => {
                let packet = self.seed_or_packet();
                self.ask_packet(packet);
            }
        }
    }

    /// What is changed twice need not be made twice: making it costs more.
    fn mutated(&mut self, mut packet: Vec<u8>, other: &[u8]) {
        let Self { stream, random, .. } = self;
        Mutator { dialect: &stream.dialect, codec: &stream.codec, other, random }.mutate(&mut packet);
        self.ask_packet(packet);
    }

    fn encoding(&mut self) {
        if self.stream.encode.kinds.is_empty() {
            return;
        }
        let value = if self.random.one_in(128) { self.beyond() } else { None };
        let value = value.unwrap_or_else(|| self.value(false));
        self.push(Question::Encode(value));
    }

    /// A value that the dialect cannot carry: an int that is too wide for it. It is to be refused.
    fn beyond(&mut self) -> Option<Value> {
        let is_narrow = |kind: &Kind| matches!(kind.form, Form::Int { wide: false });
        self.stream.encode.kinds.iter().find(|kind| is_narrow(kind))?;
        let int = numbers::int64(&mut self.random);
        i32::try_from(int).is_err().then_some(Value::Int(int))
    }

    fn value(&mut self, repeated_keys: bool) -> Value {
        let stream = self.stream;
        let (grammar, swarm) =
            if repeated_keys { (&stream.decode, &self.decode) } else { (&stream.encode, &self.encode) };
        Grower::new(grammar, swarm, &mut self.random, stream.extent, repeated_keys).value()
    }

    /// The packet of a value; keys may be repeated in it.
    fn packet(&mut self) -> Vec<u8> {
        let value = self.value(true);
        self.stream.codec.encode(&value).unwrap_or_default()
    }

    fn seed_or_packet(&mut self) -> Vec<u8> {
        if !self.stream.seeds.is_empty() && self.random.one_in(3) {
            return self.random.pick(&self.stream.seeds).clone();
        }
        self.packet()
    }

    fn ask_packet(&mut self, packet: Vec<u8>) {
        if self.random.one_in(3) {
            return self.push(Question::Reencode(packet));
        }
        if self.random.one_in(4) {
            self.push(Question::Reencode(packet.clone()));
        }
        self.push(Question::Decode(packet));
    }

    /// Arrays in arrays, near the limits that programs have. No JSON holds such a value, so bytes are asked for.
    fn deep(&mut self) {
        let Some(array) = self.stream.array else { return };
        let around = *self.random.pick(&[16, 32, 48, 64, 128, 256, 500, 512, 1000, 1022, 1024]);
        let levels = around + self.random.below(5);
        let word = |word: u32| word.to_le_bytes();
        let mut packet: Vec<u8> = (0..levels).flat_map(|_| [word(array), word(1)]).flatten().collect();
        let innermost: [[u8; 4]; 2] = if self.random.one_in(2) { [word(array), word(0)] } else { [word(0), word(0)] };
        packet.extend_from_slice(&innermost.concat()[..if innermost[0] == word(0) { 4 } else { 8 }]);
        self.push(Question::Reencode(packet));
    }

    fn push(&mut self, question: Question) {
        let op = op_of(&question);
        if self.stream.ops.contains(&op) && self.stream.claims(&question) {
            self.questions.push(question);
        }
    }
}

/// The operation of a question.
pub(super) fn op_of(question: &Question) -> Op {
    match question {
        Question::Decode(_) => Op::Decode,
        Question::Encode(_) => Op::Encode,
        Question::Reencode(_) => Op::Reencode,
    }
}
