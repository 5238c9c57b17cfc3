//! The reference codec as an implementation like any other.

use std::borrow::Cow;
use std::collections::HashMap;

use variant_codec::{Codec, DecodeError, Decoded, EncodeError, Framing, Options, Value};
use variant_specs::{JudgedBy, Specs};

use crate::handshake::{Handshake, Op, PROTOCOL};
use crate::implementation::{Answer, Implementation, Input, Outcomes, Request, Requests};

/// The name of the reference codec: in its handshake, in `conform diff` and as the folder of its results.
pub const NAME: &str = "reference";

/// The reference codec, in process, in every dialect.
#[derive(Debug)]
pub struct Reference {
    handshake: Handshake,
    /// The codec of each dialect.
    codecs: HashMap<String, Codec>,
}

impl Reference {
    /// The codecs of all dialects by one judge.
    pub fn new(specs: &Specs, judged_by: JudgedBy) -> Self {
        let dialects = specs.all().map(|dialect| dialect.name.clone()).collect();
        let codecs = specs.all().map(|dialect| (dialect.name.clone(), Codec::new(dialect, judged_by)));
        Self { handshake: handshake(dialects), codecs: codecs.collect() }
    }

    /// The answer to one request; [`Answer::Unsupported`] if its dialect is unknown.
    pub fn answer(&self, request: &Request) -> Answer {
        match self.codecs.get(&*request.dialect) {
            None => Answer::Unsupported(format!("no dialect {}", request.dialect)),
            Some(codec) => answer(codec, request),
        }
    }
}

impl Implementation for Reference {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| Ok((place, self.answer(&request).into()))))
    }
}

/// The handshake of the reference codec in these dialects.
pub fn handshake(dialects: Vec<String>) -> Handshake {
    Handshake {
        protocol: PROTOCOL,
        name: NAME.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        language: "rust".to_owned(),
        dialects,
        ops: vec![Op::Decode, Op::Encode, Op::Reencode],
        options: vec!["objects".to_owned()],
        framing: Framing::ALL.to_vec(),
        ..Handshake::default()
    }
}

/// The codec; if `objects`, a copy of it that allows objects.
pub fn allowing(codec: &Codec, objects: bool) -> Cow<'_, Codec> {
    if objects { Cow::Owned(codec.clone().with(Options { objects })) } else { Cow::Borrowed(codec) }
}

/// The answer of a codec to a request, whatever dialect the request names.
pub fn answer(codec: &Codec, request: &Request) -> Answer {
    let codec = &*allowing(codec, request.objects);
    let encoded = |value| match encode(codec, value, request.framing) {
        Ok(packet) => Answer::Bytes(packet),
        Err(error) => Answer::Refused(error.to_string().into()),
    };
    let packet = match &request.input {
        Input::Encode(value) => return encoded(value),
        Input::Decode(packet) | Input::Reencode(packet) => packet,
    };
    match decode(codec, packet, request.framing) {
        Ok(decoded) if matches!(request.input, Input::Reencode(_)) => encoded(&decoded.value),
        Ok(decoded) => Answer::Value { value: decoded.value, used: u64::try_from(decoded.used).ok() },
        Err(error) => Answer::Refused(error.into()),
    }
}

/// Reads a packet, which has its length prefix if there is a framing.
pub fn decode(codec: &Codec, packet: &[u8], framing: Option<Framing>) -> Result<Decoded, DecodeError> {
    framing.map_or_else(|| codec.decode(packet), |framing| codec.decode_framed(packet, framing))
}

/// Writes a packet, with its length prefix if there is a framing.
pub fn encode(codec: &Codec, value: &Value, framing: Option<Framing>) -> Result<Vec<u8>, EncodeError> {
    framing.map_or_else(|| codec.encode(value), |framing| codec.encode_framed(value, framing))
}
