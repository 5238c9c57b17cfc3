//! The reference codec as an implementation like any other.

use std::borrow::Cow;
use std::collections::HashMap;

use variant_codec::{Codec, DecodeError, Options};
use variant_specs::{Reading, Specs};

use crate::hello::{Hello, Op, PROTOCOL};
use crate::implementation::{Answer, AnsweredValue, Complaint, Implementation, Outcome, Question, Request, Unusable};

/// How it is called: in its hello, as a side of `conform diff`, and where its results are kept.
pub const NAME: &str = "reference";

/// The reference codec, in process, in every dialect.
#[derive(Debug)]
pub struct Reference {
    hello: Hello,
    codecs: HashMap<String, Codec>,
}

impl Reference {
    /// The codec of every dialect under a reading.
    pub fn new(specs: &Specs, reading: Reading) -> Self {
        let codec = |dialect: &variant_specs::Dialect| (dialect.name.clone(), Codec::new(dialect, reading));
        Self {
            hello: hello(specs.all().map(|dialect| dialect.name.clone()).collect()),
            codecs: specs.all().map(codec).collect(),
        }
    }

    /// The answer to one request.
    pub fn answer(&self, request: &Request) -> Answer {
        let Some(codec) = self.codecs.get(request.dialect.as_ref()) else {
            return Answer::Unsupported(format!("no dialect {}", request.dialect));
        };
        answer(codec, request)
    }
}

impl Implementation for Reference {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn answer_at_once(&mut self, request: &Request) -> Option<Answer> {
        Some(self.answer(request))
    }

    fn ask(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), Unusable> {
        for (place, request) in requests.enumerate() {
            answered(place, self.answer(&request).into());
        }
        Ok(())
    }
}

/// What the reference codec says of itself, in these dialects.
pub(crate) fn hello(dialects: Vec<String>) -> Hello {
    Hello {
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
pub(crate) fn allowing<'c>(codec: &'c Codec, request: &Request) -> Cow<'c, Codec> {
    if request.objects { Cow::Owned(codec.clone().with(Options { objects: true })) } else { Cow::Borrowed(codec) }
}

/// What this codec makes of a request, as an answer.
pub(crate) fn answer(codec: &Codec, request: &Request) -> Answer {
    let codec = allowing(codec, request);
    let decode = |packet| match request.framing {
        None => codec.decode(packet),
        Some(framing) => codec.decode_framed(packet, framing),
    };
    let encode = |value| {
        let packet = match request.framing {
            None => codec.encode(value),
            Some(framing) => codec.encode_framed(value, framing),
        };
        packet.map_or_else(|error| refused(error.to_string()), Answer::Bytes)
    };
    match &request.question {
        Question::Encode(value) => encode(value),
        Question::Decode(packet) => match decode(packet) {
            Ok(decoded) => {
                Answer::Value { value: AnsweredValue::Known(decoded.value), used: u64::try_from(decoded.used).ok() }
            }
            Err(error) => refused_packet(error),
        },
        Question::Reencode(packet) => match decode(packet) {
            Ok(decoded) => encode(&decoded.value),
            Err(error) => refused_packet(error),
        },
    }
}

fn refused(text: String) -> Answer {
    Answer::Refused(Complaint { text, ..Complaint::default() })
}

fn refused_packet(error: DecodeError) -> Answer {
    Answer::Refused(Complaint {
        kind: Some(error.kind.name().to_owned()),
        at: u64::try_from(error.at).ok(),
        text: error.to_string(),
    })
}
