//! A mutant: the reference codec with one thing wrong.

use std::fmt;
use std::sync::Arc;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Value};
use variant_specs::{Dialect, Reading};

use super::packet::{self, MutatedField, Splice};
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{
    Answer, AnsweredValue, Implementation, ImplementationError, Input, Outcome, RefusalReason, Request,
};
use variant_wire::reference;

/// The reference codec with one thing wrong.
pub struct Mutant {
    /// The id, like `godot-3/vector2/x-and-y-swapped:decode`.
    pub id: String,
    /// What is wrong, in a sentence.
    pub description: String,
    /// Names of the layouts that it changes; empty: all.
    pub about: Vec<Arc<str>>,
    pub(super) scope: TestScope,
    pub(super) mutation: Mutation,
}

/// Which tests can detect a mutant. All others are left out: they would pass, and take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestScope {
    Anything,
    /// Those with a value of one of its layouts.
    Layouts,
    /// Of these, those whose headers are literal bytes: the others follow the table of ids.
    LiteralHeaders,
}

/// Changes a value, or one within it.
pub(super) type Change = Box<dyn Fn(&mut Value) + Send + Sync>;
/// Replaces an answer, given the request, the answer of the codec, and earlier answers.
pub(super) type Rewriter = Box<dyn Fn(&Request, Answer, &RequestHistory) -> Answer + Send + Sync>;
/// Reads a packet that the codec refused.
pub(super) type Leniency = Box<dyn Fn(&Codec, &[u8], DecodeError) -> Result<Decoded, DecodeError> + Send + Sync>;
/// What is read instead of a field.
pub(super) type FieldReader = dyn Fn(&MutatedField<'_>) -> Option<Splice> + Send + Sync;
/// What is written instead of a field.
pub(super) type FieldWriter = dyn Fn(&MutatedField<'_>) -> Option<Vec<u8>> + Send + Sync;
/// Whether a value is refused.
pub(super) type Refuser = dyn Fn(&Value) -> bool + Send + Sync;

/// How a faulty codec differs from the reference codec. Where a field is `None`, it does not.
#[derive(Default)]
pub(super) struct Mutation {
    /// Other tables, in one direction or both.
    pub(super) tables: Option<(Box<Dialect>, Option<Op>)>,
    pub(super) reads: Option<Box<FieldReader>>,
    pub(super) writes: Option<Box<FieldWriter>>,
    /// Applied to each value after it is decoded.
    pub(super) decoded: Option<Change>,
    /// Applied to each value before it is encoded.
    pub(super) encoded: Option<Change>,
    /// Which values are refused, in both directions.
    pub(super) refuses: Option<Box<Refuser>>,
    pub(super) accepts: Option<Leniency>,
    pub(super) answers: Option<Rewriter>,
}

/// Earlier requests to a faulty codec.
#[derive(Debug, Default)]
pub(super) struct RequestHistory {
    pub(super) requests: usize,
    /// The correct answer to the last one.
    pub(super) last: Option<Answer>,
    pub(super) refused: usize,
}

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutant").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Mutant {
    /// A mutant whose id has these parts.
    pub(super) fn new(dialect: &Dialect, part: &str, name: &str, op: Option<Op>, mutation: Mutation) -> Self {
        Self {
            id: format!("{}/{part}/{name}:{}", dialect.name, op.map_or("both", Op::name)),
            description: format!("{part}: {}", name.replace('-', " ")),
            about: Vec::new(),
            scope: TestScope::Anything,
            mutation,
        }
    }

    /// A mutant of the tables.
    pub(super) fn of_tables(dialect: &Dialect, part: &str, name: &str, changed: Dialect, op: Option<Op>) -> Self {
        let tables = Some((Box::new(changed), op));
        Self::new(dialect, part, name, op, Mutation { tables, ..Mutation::default() })
    }

    /// The same mutant, with only tests of these layouts in scope.
    pub(super) fn about(self, scope: TestScope, about: Vec<Arc<str>>) -> Self {
        Self { scope, about, ..self }
    }

    /// The codecs that read and write for it. `codec` is the correct one.
    pub(super) fn codecs(&self, codec: &Codec, reading: Reading) -> Codecs {
        let mut codecs = Codecs { reader: codec.clone(), writer: codec.clone() };
        if let Some((tables, op)) = &self.mutation.tables {
            let changed = Codec::new(tables, reading);
            if *op != Some(Op::Encode) {
                codecs.reader = changed.clone();
            }
            if *op != Some(Op::Decode) {
                codecs.writer = changed;
            }
        }
        codecs
    }

    /// The answer of the faulty codec.
    pub(super) fn answer(&self, codecs: &Codecs, history: &mut RequestHistory, request: &Request) -> Answer {
        let answer = self.mutation.answer(codecs, request).unwrap_or_else(Answer::Refused);
        let Some(rewrite) = &self.mutation.answers else { return answer };
        let rewritten = rewrite(request, answer.clone(), history);
        history.requests += 1;
        history.refused += usize::from(matches!(answer, Answer::Refused(_)));
        history.last = Some(answer);
        rewritten
    }
}

/// What a faulty codec reads and writes with.
#[derive(Debug)]
pub(super) struct Codecs {
    reader: Codec,
    writer: Codec,
}

impl Mutation {
    fn answer(&self, codecs: &Codecs, request: &Request) -> Result<Answer, RefusalReason> {
        let reader = &*reference::allowing(&codecs.reader, request.objects);
        let writer = &*reference::allowing(&codecs.writer, request.objects);
        match &request.input {
            Input::Decode(bytes) => {
                let decoded = self.decode(reader, bytes, request.framing)?;
                let used = u64::try_from(decoded.used).ok();
                Ok(Answer::Value { value: AnsweredValue::Known(decoded.value), used })
            }
            Input::Encode(value) => self.encode(writer, value.clone(), request.framing),
            Input::Reencode(bytes) => {
                let decoded = self.decode(reader, bytes, request.framing)?;
                self.encode(writer, decoded.value, request.framing)
            }
        }
    }

    fn decode(&self, codec: &Codec, bytes: &[u8], framing: Option<Framing>) -> Result<Decoded, RefusalReason> {
        let decoded = match framing {
            None => self.decode_packet(codec, bytes),
            // The frame is read correctly, the packet in it is not.
            Some(framing) => codec.decode_framed(bytes, framing).and_then(|Decoded { used, .. }| {
                let decoded = self.decode_packet(codec, &bytes[Framing::PREFIX..used])?;
                Ok(Decoded { used, ..decoded })
            }),
        };
        let mut decoded = decoded.map_err(|error| RefusalReason {
            kind: Some(error.kind.name().to_owned()),
            at: u64::try_from(error.at).ok(),
            text: error.to_string(),
        })?;
        if let Some(change) = &self.decoded {
            each(&mut decoded.value, change);
        }
        self.refuse(&decoded.value)?;
        Ok(decoded)
    }

    fn decode_packet(&self, codec: &Codec, bytes: &[u8]) -> Result<Decoded, DecodeError> {
        let decoded = match &self.reads {
            None => codec.decode(bytes),
            Some(reads) => packet::read(codec, bytes, reads),
        };
        decoded.or_else(|error| self.accepts.as_ref().map_or(Err(error), |accept| accept(codec, bytes, error)))
    }

    fn encode(&self, codec: &Codec, mut value: Value, framing: Option<Framing>) -> Result<Answer, RefusalReason> {
        self.refuse(&value)?;
        if let Some(change) = &self.encoded {
            each(&mut value, change);
        }
        let mut packet = codec.encode(&value).map_err(|error| refusal(&error.to_string()))?;
        if let Some(writes) = &self.writes {
            packet = packet::write(codec, packet, writes);
        }
        if let Some(framing) = framing {
            let prefix = framing.prefix(u32::try_from(packet.len()).unwrap_or(u32::MAX));
            packet = [&prefix, packet.as_slice()].concat();
        }
        Ok(Answer::Bytes(packet))
    }

    fn refuse(&self, value: &Value) -> Result<(), RefusalReason> {
        let Some(refuses) = &self.refuses else { return Ok(()) };
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            if refuses(value) {
                return Err(refusal("this faulty codec refuses it"));
            }
            left.extend(value.children());
        }
        Ok(())
    }
}

/// A refusal with this text, without kind and offset.
pub(super) fn refusal(text: &str) -> RefusalReason {
    RefusalReason { text: text.to_owned(), ..RefusalReason::default() }
}

/// Changes every value within, then the value itself.
pub(super) fn each(value: &mut Value, change: &Change) {
    value.children_mut().into_iter().for_each(|child| each(child, change));
    change(value);
}

/// A mutant as an implementation, in one dialect: for the differential mode.
#[derive(Debug)]
pub struct Faulty {
    mutant: Mutant,
    codecs: Codecs,
    handshake: Handshake,
    history: RequestHistory,
}

impl Faulty {
    /// A mutant of this dialect, before any request.
    pub fn new(mutant: Mutant, dialect: &Dialect, reading: Reading) -> Self {
        let handshake = Handshake { name: mutant.id.clone(), ..reference::handshake(vec![dialect.name.clone()]) };
        let codecs = mutant.codecs(&Codec::new(dialect, reading), reading);
        Self { mutant, codecs, handshake, history: RequestHistory::default() }
    }
}

impl Implementation for Faulty {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            answered(place, self.mutant.answer(&self.codecs, &mut self.history, &request).into());
        }
        Ok(())
    }

    fn refresh(&mut self) -> bool {
        self.history = RequestHistory::default();
        true
    }
}
