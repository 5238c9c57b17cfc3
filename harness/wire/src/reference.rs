//! The reference codec as an implementation like any other.

use std::borrow::Cow;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Options};
use variant_specs::{Reading, Specs};

use crate::handshake::{Handshake, Op, PROTOCOL};
use crate::implementation::{
    Answer, AnsweredValue, Implementation, ImplementationError, Input, Outcome, RefusalReason, Request,
};

/// How it is called: in its hello, as a side of `conform diff`, and where its results are kept.
pub const NAME: &str = "reference";

/// The reference codec, in process, in every dialect.
#[derive(Debug)]
pub struct Reference {
    handshake: Handshake,
    codecs: Vec<Spoken>,
    /// The place of the dialect that was asked last: most often it is the next too.
    last: usize,
}

/// A dialect that it speaks.
#[derive(Debug)]
struct Spoken {
    dialect: String,
    codec: Codec,
    /// The same, where objects are allowed.
    permitting: Codec,
}

impl Reference {
    /// The codec of every dialect under a reading.
    pub fn new(specs: &Specs, reading: Reading) -> Self {
        let spoken = |dialect: &variant_specs::Dialect| {
            let codec = Codec::new(dialect, reading);
            let permitting = codec.clone().with(Options { objects: true });
            Spoken { dialect: dialect.name.clone(), codec, permitting }
        };
        Self {
            handshake: handshake(specs.all().map(|dialect| dialect.name.clone()).collect()),
            codecs: specs.all().map(spoken).collect(),
            last: 0,
        }
    }

    /// The answer to one request.
    pub fn answer(&self, request: &Request) -> Answer {
        match self.place(&request.dialect) {
            Some(place) => self.codecs[place].answer(request),
            None => Answer::Unsupported(format!("no dialect {}", request.dialect)),
        }
    }

    fn place(&self, dialect: &str) -> Option<usize> {
        self.codecs.iter().position(|spoken| spoken.dialect == dialect)
    }

    /// The same, looking first at the dialect that was asked last.
    fn answer_next(&mut self, request: &Request) -> Answer {
        if self.codecs.get(self.last).is_none_or(|spoken| spoken.dialect != *request.dialect) {
            self.last = self.place(&request.dialect).unwrap_or(self.codecs.len());
        }
        self.codecs.get(self.last).map_or_else(|| self.answer(request), |spoken| spoken.answer(request))
    }
}

impl Spoken {
    fn answer(&self, request: &Request) -> Answer {
        answer_allowed(if request.objects { &self.permitting } else { &self.codec }, request)
    }
}

impl Implementation for Reference {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn answer_at_once(&mut self, request: &Request) -> Option<Answer> {
        Some(self.answer_next(request))
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            let answer = self.answer_next(&request);
            answered(place, answer.into());
        }
        Ok(())
    }
}

/// What the reference codec says of itself, in these dialects.
pub fn handshake(dialects: Vec<String>) -> Handshake {
    Handshake {
        protocol: PROTOCOL,
        name: NAME.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        language: "rust".to_owned(),
        dialects,
        ops: vec![Op::Decode, Op::Encode, Op::Reencode],
        types: None,
        lossy: Vec::new(),
        max_in_flight: None,
        max_line: None,
        ints: None,
        reals: None,
        text: None,
        options: vec!["objects".to_owned(), "framing".to_owned()],
    }
}

/// The codec with what the request allows.
pub fn allowing<'c>(codec: &'c Codec, request: &Request) -> Cow<'c, Codec> {
    if request.objects { Cow::Owned(codec.clone().with(Options { objects: true })) } else { Cow::Borrowed(codec) }
}

/// What this codec makes of a request, as an answer.
pub fn answer(codec: &Codec, request: &Request) -> Answer {
    answer_allowed(&allowing(codec, request), request)
}

/// The same of a codec that has what the request allows.
pub fn answer_allowed(codec: &Codec, request: &Request) -> Answer {
    let encode = |value| {
        let packet = match request.framing {
            None => codec.encode(value),
            Some(framing) => codec.encode_framed(value, framing),
        };
        packet.map_or_else(|error| refused(error.to_string()), Answer::Bytes)
    };
    match &request.input {
        Input::Encode(value) => encode(value),
        Input::Decode(packet) => match decode(codec, packet, request.framing) {
            Ok(decoded) => {
                Answer::Value { value: AnsweredValue::Known(decoded.value), used: u64::try_from(decoded.used).ok() }
            }
            Err(error) => refused_packet(error),
        },
        Input::Reencode(packet) => match decode(codec, packet, request.framing) {
            Ok(decoded) => encode(&decoded.value),
            Err(error) => refused_packet(error),
        },
    }
}

/// Reads a packet, behind its length where there is one.
pub fn decode(codec: &Codec, packet: &[u8], framing: Option<Framing>) -> Result<Decoded, DecodeError> {
    match framing {
        None => codec.decode(packet),
        Some(framing) => codec.decode_framed(packet, framing),
    }
}

fn refused(text: String) -> Answer {
    Answer::Refused(RefusalReason { text, ..RefusalReason::default() })
}

fn refused_packet(error: DecodeError) -> Answer {
    Answer::Refused(RefusalReason {
        kind: Some(error.kind.name().to_owned()),
        at: u64::try_from(error.at).ok(),
        text: error.to_string(),
    })
}
