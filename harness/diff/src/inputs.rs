//! The requests of a campaign, batch by batch. Each batch follows from its own seed, and that from the seed of the campaign and
//! the number of the batch, in whatever order batches are made.

use std::sync::Arc;

use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use variant_codec::{Codec, Framing, Value};
use variant_specs::{Dialect, JudgedBy};
use variant_strategies::{Deep, Mutator, Random, Swarm, Values};

use super::frame;
use super::parts;
use super::seed_corpus::SeedCorpus;
use variant_corpus::test::hash;
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Input, Request};

/// How many requests a whole batch has.
pub const BATCH: usize = 512;
/// How many mutants are made of a packet. In as many requests, five each find as many faults as three did, and cost
/// less time to make.
const MUTANTS: usize = 5;
/// How many inputs are tried for a batch: participants may claim hardly anything in common.
const TRIES: usize = 4096;

#[derive(Debug, Clone)]
pub(super) struct Inputs {
    name: Arc<str>,
    dialect: Arc<Dialect>,
    codec: Arc<Codec>,
    array: Option<u32>,
    /// Values of the types that every participant claims to encode.
    encode: Values,
    /// Values of the types that every participant claims to decode. Keys may be repeated.
    decode: Values,
    /// Packets of containers in containers, about as deep as a limit of some program.
    deep: Deep,
    /// Packets to begin with, besides generated ones.
    seeds: SeedCorpus,
    /// The operations that every participant has.
    ops: Vec<Op>,
    /// Every participant supports a length prefix of packets, in each form.
    framing: bool,
    /// Every participant supports the option `objects`.
    objects: bool,
    /// The handshakes of participants that do not claim every type.
    handshakes: Vec<Handshake>,
    seed: u64,
}

impl Inputs {
    /// The requests of a seed, for participants with these handshakes.
    pub(super) fn new(dialect: &Dialect, handshakes: &[&Handshake], seeds: SeedCorpus, seed: u64) -> Self {
        let values = Values::of(dialect);
        let claimed =
            |op| values.clone().only(|layout| handshakes.iter().all(|handshake| handshake.claims(layout, op)));
        let knows = |option: &str| handshakes.iter().all(|handshake| handshake.has_option(option));
        let has = |op: &Op| handshakes.iter().all(|handshake| handshake.ops.contains(op));
        Self {
            name: dialect.name.as_str().into(),
            dialect: Arc::new(dialect.clone()),
            codec: Arc::new(Codec::new(dialect, JudgedBy::Engines)),
            array: dialect.type_of_shape(variant_specs::Shape::Array).map(|entry| entry.id),
            encode: claimed(Op::Encode),
            decode: claimed(Op::Decode).with_repeated_keys(),
            deep: Deep::of(dialect),
            seeds,
            ops: [Op::Decode, Op::Encode, Op::Reencode].into_iter().filter(has).collect(),
            framing: Framing::ALL.into_iter().all(|framing| handshakes.iter().all(|one| one.frames(framing))),
            objects: knows("objects"),
            handshakes: handshakes.iter().copied().filter(|of| of.types.is_some()).cloned().collect(),
            // The same seed gives other requests in another dialect.
            seed: seed ^ hash(&dialect.name),
        }
    }

    /// The requests of the batch with this number: fewer than [`BATCH`] only if participants claim hardly anything in common.
    pub(super) fn batch(&self, number: u64) -> Vec<Request> {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        seed[8..16].copy_from_slice(&number.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Default::default(), rng);
        let Ok(mut random) = Random::of(&mut runner) else { return Vec::new() };
        let encode = self.encode.swarm(&mut random);
        let decode = self.decode.swarm(&mut random);
        let requests = Vec::with_capacity(BATCH + 8);
        let mutator = Mutator::new(Arc::clone(&self.dialect), Arc::clone(&self.codec));
        let mut batch = Batch { inputs: self, random, encode, decode, packet: Vec::new(), mutator, requests };
        let mut tries = 0..TRIES;
        while batch.requests.len() < BATCH && tries.next().is_some() {
            batch.input();
        }
        let mut requests = batch.requests;
        requests.truncate(BATCH);
        requests
    }

    fn claims(&self, op: Op, packet: &[u8]) -> bool {
        if op == Op::Decode && parts::is_too_deep(packet, &self.codec) {
            return false;
        }
        self.handshakes.is_empty()
            || parts::layouts(packet, &self.codec).iter().all(|layout| {
                let name = parts::name(*layout, &self.codec);
                self.handshakes.iter().all(|handshake| handshake.claims(name, op))
            })
    }
}

struct Batch<'a> {
    inputs: &'a Inputs,
    random: Random,
    encode: Swarm,
    decode: Swarm,
    /// The packet that was made last. The buffer is reused.
    packet: Vec<u8>,
    mutator: Mutator,
    requests: Vec<Request>,
}

#[derive(Debug, Clone, Copy, Default)]
struct InputOptions {
    framing: Option<Framing>,
    objects: bool,
}

impl Batch<'_> {
    /// One input, sent in more than one way: making it costs more than sending it.
    fn input(&mut self) {
        match self.random.below(32) {
            0..=23 => self.value_and_packet(),
            24..=28 => {
                self.seed_or_packet();
                self.push_packet();
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

    /// A value to encode, and its packet, as it is or mutated.
    fn value_and_packet(&mut self) {
        if self.inputs.encode.is_empty() {
            self.own_packet();
            return self.push_packet();
        }
        if self.random.one_in(128)
            && let Some(beyond) = self.inputs.encode.beyond(&mut self.random)
        {
            return self.encode(beyond);
        }
        let value = self.inputs.encode.draw(&self.encode, &mut self.random);
        self.write(&value);
        // In the packet of a number, only the header can be wrong, so it is mutated less often.
        let whole = if matches!(value, Value::Int(_) | Value::Float(_) | Value::Fields(..)) { 7 } else { 4 };
        self.encode(value);
        if self.random.below(8) < whole { self.push_packet() } else { self.mutate() }
    }

    fn encode(&mut self, value: Value) {
        let options = self.options();
        self.push(Input::Encode(value), options);
    }

    fn write(&mut self, value: &Value) {
        self.packet.clear();
        // Every value of the grammar can be encoded. For any other, the packet stays empty.
        let _ = self.inputs.codec.encode_into(value, &mut self.packet);
    }

    /// Makes a value and its packet. Keys may be repeated.
    fn own_packet(&mut self) {
        let value = self.inputs.decode.draw(&self.decode, &mut self.random);
        self.write(&value);
    }

    fn seed_or_packet(&mut self) {
        let seeds = &self.inputs.seeds.packets;
        if seeds.is_empty() || !self.random.one_in(3) {
            return self.own_packet();
        }
        self.packet.clone_from(self.random.pick(seeds));
    }

    /// Sends a few mutants of the packet that was made last.
    fn mutate(&mut self) {
        self.mutator.take(&self.packet);
        for _ in 0..MUTANTS {
            self.mutator.mutate(&mut self.random, &mut self.packet);
            self.push_packet();
        }
    }

    fn push_packet(&mut self) {
        let options = self.options();
        self.push_with(options);
    }

    fn push_with(&mut self, options: InputOptions) {
        let claimed = |op| self.inputs.claims(op, &self.packet);
        // Mostly both: re-encoding may hide what is decoded wrong, and decoding cannot show what is encoded wrong.
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
        if reencode {
            self.push(Input::Reencode(input.clone()), options);
        }
        if decode {
            self.push(Input::Decode(input), options);
        }
    }

    /// The packet with its length prefix: mostly the right one, with or without more bytes at the end.
    fn framed(&mut self, framing: Framing) -> Vec<u8> {
        let mut input = frame::framed(&self.packet, framing);
        let length = u32::try_from(self.packet.len()).unwrap_or(0);
        match self.random.below(8) {
            0..=3 => {}
            // Two in a row, as a file has them.
            4 => {
                self.own_packet();
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

    /// One request in sixteen has the length prefix.
    fn options(&mut self) -> InputOptions {
        let framed = self.inputs.framing && self.random.one_in(16);
        InputOptions { framing: framed.then(|| *self.random.pick(&Framing::ALL)), objects: false }
    }

    /// Sends an object of the corpus, whole or cut, alone or in an array; or a packet without objects. Three in four
    /// are sent with objects allowed.
    fn permitted(&mut self) {
        if !self.inputs.objects {
            return;
        }
        let seeds = &self.inputs.seeds.permitted;
        if seeds.is_empty() || self.random.one_in(4) {
            self.own_packet();
        } else {
            let object: &Vec<u8> = self.random.pick(seeds);
            self.packet.clear();
            if let Some(array) = self.inputs.array.filter(|_| self.random.one_in(2)) {
                self.packet.extend([array, 1].map(u32::to_le_bytes).concat());
            }
            self.packet.extend_from_slice(object);
            if self.random.one_in(4) {
                self.packet.truncate(self.random.below(self.packet.len()));
            }
        }
        let options = InputOptions { objects: !self.random.one_in(4), ..self.options() };
        self.push_with(options);
    }

    /// Containers in containers. No JSON can carry such a value, so the request is `reencode`.
    fn deep(&mut self) {
        let packet = self.inputs.deep.draw(&mut self.random);
        if !packet.is_empty() && self.inputs.claims(Op::Reencode, &packet) {
            self.push(Input::Reencode(packet), InputOptions::default());
        }
    }

    fn push(&mut self, input: Input, options: InputOptions) {
        let InputOptions { framing, objects } = options;
        let request = Request { dialect: Arc::clone(&self.inputs.name), input, objects, framing, kind: None };
        if self.inputs.ops.contains(&request.op()) {
            self.requests.push(request);
        }
    }
}
