//! The questions of a campaign, batch by batch: each batch follows from the seed and its number alone, whoever asks
//! it and in whatever order.

use std::sync::Arc;

use variant_codec::{Codec, Framing, Value};
use variant_specs::{Dialect, Reading};

use super::frame;
use super::grammar::{Form, Grammar, Kind};
use super::grow::{Extent, Grower, Swarm};
use super::mutate::{Fields, Mutator};
use super::numbers;
use super::parts;
use super::random::Random;
use super::seeds::Seeds;
use variant_corpus::test::hash;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Input, Request};

/// Questions in a whole batch.
pub const BATCH: usize = 512;
/// How many packets are made of one by changing it. Five find as many faults as three did, of as many questions, and cost
/// less to make.
const MUTANTS: usize = 5;
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
    seeds: Seeds,
    /// Which of the operations every side has.
    ops: Vec<Op>,
    /// Every side knows packets behind their length.
    framing: bool,
    /// Every side knows that objects may be allowed.
    objects: bool,
    /// Sides that do not claim everything.
    hellos: Vec<Handshake>,
    extent: Extent,
    seed: u64,
}

impl Stream {
    /// The questions of a seed, for sides that said this hello.
    pub fn new(dialect: &Dialect, hellos: &[&Handshake], seeds: Seeds, extent: Extent, seed: u64) -> Self {
        let grammar = Grammar::of(dialect);
        let claimed = |op| grammar.only(|layout| hellos.iter().all(|handshake| handshake.claims(layout, op)));
        let knows = |option: &str| hellos.iter().all(|handshake| handshake.has_option(option));
        let has = |op: &Op| hellos.iter().all(|handshake| handshake.ops.contains(op));
        Self {
            name: dialect.name.as_str().into(),
            dialect: dialect.clone(),
            codec: Codec::new(dialect, Reading::Engine),
            array: dialect.type_of_shape(variant_specs::Shape::Array).map(|entry| entry.id),
            encode: claimed(Op::Encode),
            decode: claimed(Op::Decode),
            seeds,
            ops: [Op::Decode, Op::Encode, Op::Reencode].into_iter().filter(has).collect(),
            framing: knows("framing"),
            objects: knows("objects"),
            hellos: hellos
                .iter()
                .filter(|handshake| handshake.types.is_some())
                .map(|handshake| (*handshake).clone())
                .collect(),
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
    // Never inlined: profiles tell what making the questions costs.
    #[inline(never)]
    pub fn batch(&self, index: u64) -> Vec<Request> {
        let mut random = Random::of_part(self.seed, index);
        let encode = Swarm::draw(&self.encode, &mut random);
        let decode = Swarm::draw(&self.decode, &mut random);
        let requests = Vec::with_capacity(BATCH + 8);
        let (packet, whole, other, fields) = (Vec::new(), Vec::new(), Vec::new(), Fields::default());
        let mut batch = Batch { stream: self, random, encode, decode, packet, whole, other, fields, requests };
        for _ in 0..TRIES {
            if batch.requests.len() >= BATCH {
                break;
            }
            batch.some();
        }
        let mut requests = batch.requests;
        requests.truncate(BATCH);
        requests
    }

    fn claims(&self, op: Op, packet: &[u8]) -> bool {
        self.hellos.is_empty()
            || parts::layouts(packet, &self.codec).iter().all(|layout| {
                let name = parts::name(*layout, &self.codec);
                self.hellos.iter().all(|handshake| handshake.claims(name, op))
            })
    }
}

struct Batch<'a> {
    stream: &'a Stream,
    random: Random,
    encode: Swarm,
    decode: Swarm,
    /// The packet that was made last: room that is used again.
    packet: Vec<u8>,
    /// The packet before it was changed.
    whole: Vec<u8>,
    /// The one that was changed before, to take parts of.
    other: Vec<u8>,
    /// The fields of the packet before it was changed.
    fields: Fields,
    requests: Vec<Request>,
}

/// What is asked beside a question.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    framing: Option<Framing>,
    objects: bool,
}

impl Batch<'_> {
    /// One input, and the questions about it. What is made is asked in more than one way: making it costs more than to
    /// ask it.
    fn some(&mut self) {
        match self.random.below(32) {
            0..=23 => self.value_and_packet(),
            24..=28 => {
                self.seed_or_packet();
                self.ask_packet();
            }
            29 | 30 => {
                self.seed_or_packet();
                self.mutate();
            }
            _ => match self.random.below(32) {
                0 => self.deep(),
                1..=4 => self.permitted(),
                _ => {
                    self.own_packet();
                    self.mutate();
                }
            },
        }
    }

    /// A value to encode, and its packet, as it is or changed.
    fn value_and_packet(&mut self) {
        if self.stream.encode.kinds.is_empty() {
            self.own_packet();
            return self.ask_packet();
        }
        if self.random.one_in(128)
            && let Some(beyond) = self.beyond()
        {
            return self.encode(beyond);
        }
        let value = self.value(false);
        self.write(&value);
        // Nothing but its header can be wrong about a number.
        let whole = if matches!(value, Value::Int(_) | Value::Float(_) | Value::Fields(..)) { 7 } else { 4 };
        self.encode(value);
        match self.random.below(8) < whole {
            true => self.ask_packet(),
            false => self.mutate(),
        }
    }

    fn encode(&mut self, value: Value) {
        let options = self.options();
        self.push(Input::Encode(value), options);
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

    /// Makes the packet of a value.
    fn write(&mut self, value: &Value) {
        self.packet.clear();
        // A value of the grammar can be written; of another nothing is left.
        let _ = self.stream.codec.encode_into(value, &mut self.packet);
    }

    /// Makes the packet of a value of its own; keys may be repeated in it.
    fn own_packet(&mut self) {
        let value = self.value(true);
        self.write(&value);
    }

    fn seed_or_packet(&mut self) {
        let seeds = &self.stream.seeds.packets;
        if seeds.is_empty() || !self.random.one_in(3) {
            return self.own_packet();
        }
        self.packet.clear();
        let seed: &Vec<u8> = self.random.pick(seeds);
        self.packet.extend_from_slice(seed);
    }

    /// Asks what a few other packets are that are nearly the one that was made last.
    fn mutate(&mut self) {
        std::mem::swap(&mut self.whole, &mut self.other);
        std::mem::swap(&mut self.packet, &mut self.whole);
        self.fields.forget();
        for _ in 0..MUTANTS {
            let Self { stream, random, packet, whole, other, fields, .. } = self;
            Mutator { dialect: &stream.dialect, codec: &stream.codec, other, random, fields }.mutate(whole, packet);
            self.ask_packet();
        }
    }

    /// Asks what the packet that was made last is.
    fn ask_packet(&mut self) {
        let options = self.options();
        self.ask_with(options);
    }

    fn ask_with(&mut self, options: Options) {
        let claimed = |op| self.stream.claims(op, &self.packet);
        // In both ways mostly: what is read wrong may be written as it was, and what is read well may be written wrong.
        // Making it costs more than asking it twice, and as many faults are found by as many questions.
        let (reencode, decode) = match self.random.below(8) {
            0 => (true, false),
            1 => (false, true),
            _ => (true, true),
        };
        let (reencode, decode) = (reencode && claimed(Op::Reencode), decode && claimed(Op::Decode));
        let input = match options.framing {
            Some(framing) if reencode || decode => self.framed(framing),
            _ => self.packet.as_slice().to_vec(),
        };
        match (reencode, decode) {
            (true, true) => {
                self.push(Input::Reencode(input.clone()), options);
                self.push(Input::Decode(input), options);
            }
            (true, false) => self.push(Input::Reencode(input), options),
            (false, true) => self.push(Input::Decode(input), options),
            (false, false) => {}
        }
    }

    /// The packet behind its length: a right one mostly, with or without more behind it.
    fn framed(&mut self, framing: Framing) -> Vec<u8> {
        let mut input = frame::framed(&self.packet, framing);
        let length = u32::try_from(self.packet.len()).unwrap_or(0);
        match self.random.below(8) {
            0..=3 => {}
            // Two in a row, as a file has them.
            4 => {
                let next = self.value(true);
                self.write(&next);
                input.extend(frame::framed(&self.packet, framing));
            }
            5 => {
                let more = 1 + self.random.below(9);
                input.extend((0..more).map(|_| self.random.byte()));
            }
            6 => {
                let others = [0, length.wrapping_sub(4), length.wrapping_sub(1), length.wrapping_add(1)];
                let others = others.into_iter().chain([length.wrapping_add(4), length.swap_bytes(), 1 << 31, u32::MAX]);
                let place = self.random.below(8);
                let prefix = framing.prefix(others.clone().nth(place).unwrap_or(0));
                input.iter_mut().zip(prefix).for_each(|(old, new)| *old = new);
            }
            _ => input.truncate(self.random.below(input.len())),
        }
        input
    }

    /// One question in sixteen is about a packet behind its length.
    fn options(&mut self) -> Options {
        let framed = self.stream.framing && self.random.one_in(16);
        Options { framing: framed.then(|| *self.random.pick(&Framing::ALL)), objects: false }
    }

    /// Objects with their properties, of classes that somebody wrote a case for: where they are allowed, and where they are
    /// not; whole or cut, alone, in an array, or where nothing needs the permission.
    fn permitted(&mut self) {
        if !self.stream.objects {
            return;
        }
        let seeds = &self.stream.seeds.permitted;
        if seeds.is_empty() || self.random.one_in(4) {
            self.own_packet();
        } else {
            let object: &Vec<u8> = self.random.pick(seeds);
            self.packet.clear();
            if let Some(array) = self.stream.array.filter(|_| self.random.one_in(2)) {
                self.packet.extend([array, 1].map(u32::to_le_bytes).concat());
            }
            self.packet.extend_from_slice(object);
            if self.random.one_in(4) {
                self.packet.truncate(self.random.below(self.packet.len()));
            }
        }
        let options = Options { objects: !self.random.one_in(4), ..self.options() };
        self.ask_with(options);
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
        if self.stream.claims(Op::Reencode, &packet) {
            self.push(Input::Reencode(packet), Options::default());
        }
    }

    fn push(&mut self, input: Input, options: Options) {
        if self.stream.ops.contains(&op_of(&input)) {
            let Options { framing, objects } = options;
            self.requests.push(Request { dialect: Arc::clone(&self.stream.name), input, objects, framing });
        }
    }
}

/// The operation of a question.
pub(super) fn op_of(input: &Input) -> Op {
    match input {
        Input::Decode(_) => Op::Decode,
        Input::Encode(_) => Op::Encode,
        Input::Reencode(_) => Op::Reencode,
    }
}
