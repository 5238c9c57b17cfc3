//! A mutant: the reference codec with one thing wrong.

use std::fmt;
use std::sync::Arc;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Value};
use variant_specs::{Dialect, Reading};

use super::packet::{self, Field, Splice};
use variant_wire::handshake::Op;
use variant_wire::implementation::{Answer, AnsweredValue, Input, RefusalReason, Request};
use variant_wire::reference;

/// The reference codec with one thing wrong.
pub struct Mutant {
    /// `godot-3/vector2/x-and-y-swapped:decode`.
    pub id: String,
    /// What is wrong, in a sentence.
    pub says: String,
    /// The layouts that it is about; empty: all.
    pub about: Vec<Arc<str>>,
    pub(super) scope: Scope,
    pub(super) fault: Fault,
}

/// Which asks could notice a mutant. All others are left out: they would say nothing, and take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Any.
    Anything,
    /// Those in which one of its layouts stands.
    Layouts,
    /// Of these, those whose headers are bytes that a person wrote: the others move with the table of ids.
    LiteralHeaders,
}

/// What is wrong.
pub(super) enum Fault {
    /// The tables, in one direction or both.
    Tables(Box<Dialect>, Option<Op>),
    /// What is done with them.
    Twist(Box<Twist>),
}

/// Changes a value, or one within it.
pub(super) type Change = Box<dyn Fn(&mut Value) + Send + Sync>;
/// A last word on an answer: what was asked, what the codec would answer, and what it remembers.
pub(super) type LastWord = Box<dyn Fn(&Request, Answer, &mut Memory) -> Answer + Send + Sync>;
/// What a lenient reader makes of a packet that is refused.
pub(super) type Leniency = fn(&Codec, &[u8], DecodeError) -> Result<Decoded, DecodeError>;

/// What is read in the place of a field.
pub(super) type Reader = dyn Fn(&Field<'_>) -> Option<Splice> + Send + Sync;
/// What is written in the place of a field.
pub(super) type Writer = dyn Fn(&Field<'_>) -> Option<Vec<u8>> + Send + Sync;
/// Whether a value is refused.
pub(super) type Refuser = dyn Fn(&Value) -> bool + Send + Sync;

/// What a faulty codec does otherwise than the reference codec. Whatever is `None` it does right.
#[derive(Default)]
pub(super) struct Twist {
    /// Other tables.
    pub(super) tables: Option<Box<Dialect>>,
    /// A field is read another way.
    pub(super) reads: Option<Box<Reader>>,
    /// A field is written another way.
    pub(super) writes: Option<Box<Writer>>,
    /// What becomes of each value that was read.
    pub(super) takes: Option<Change>,
    /// What becomes of each value before it is written.
    pub(super) gives: Option<Change>,
    /// Values that are refused in both directions.
    pub(super) refuses: Option<Box<Refuser>>,
    /// Packets that are not refused.
    pub(super) forgives: Option<Leniency>,
    /// Anything else.
    pub(super) answers: Option<LastWord>,
}

/// What a faulty codec remembers of earlier requests.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// How many requests there were before this one.
    pub(super) asked: usize,
    /// The answer to the last one, as it should have been.
    pub(super) last: Option<Answer>,
    /// How many were refused.
    pub(super) refused: usize,
}

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutant").field("id", &self.id).field("says", &self.says).finish_non_exhaustive()
    }
}

impl Mutant {
    /// The faulty codec, as it is when nobody has asked it anything.
    pub fn subject<'m>(&'m self, codec: &'m Codec, reading: Reading) -> Subject<'m> {
        self.subject_with(Memory::default(), codec, reading)
    }

    /// The faulty codec, which remembers that.
    pub(super) fn subject_with<'m>(&'m self, memory: Memory, codec: &'m Codec, reading: Reading) -> Subject<'m> {
        let changed = match &self.fault {
            Fault::Tables(dialect, _) => Some(dialect),
            Fault::Twist(twist) => twist.tables.as_ref(),
        };
        let faulty = changed.map(|dialect| Codec::new(dialect, reading));
        Subject { fault: &self.fault, codec, faulty, memory }
    }
}

/// A faulty codec at work.
pub struct Subject<'m> {
    fault: &'m Fault,
    codec: &'m Codec,
    /// The codec of the changed tables.
    faulty: Option<Codec>,
    memory: Memory,
}

impl Subject<'_> {
    /// Its answer to a request.
    pub fn answer(&mut self, request: &Request) -> Answer {
        match self.fault {
            Fault::Tables(_, op) => self.by_tables(*op, request),
            Fault::Twist(twist) => self.twisted(twist, request),
        }
    }

    /// What it remembers.
    pub(super) fn into_memory(self) -> Memory {
        self.memory
    }

    fn faulty(&self) -> &Codec {
        self.faulty.as_ref().unwrap_or(self.codec)
    }

    /// One codec reads, the other writes.
    fn by_tables(&self, op: Option<Op>, request: &Request) -> Answer {
        let faulty = self.faulty();
        let (reader, writer) = match op {
            None => (faulty, faulty),
            Some(Op::Decode) => (faulty, self.codec),
            Some(Op::Encode | Op::Reencode) => (self.codec, faulty),
        };
        match &request.input {
            Input::Decode(_) => reference::answer(reader, request),
            Input::Encode(_) => reference::answer(writer, request),
            Input::Reencode(packet) => {
                let input = Input::Decode(packet.clone());
                let read = reference::answer(reader, &Request { input, ..request.clone() });
                let Answer::Value { value: AnsweredValue::Known(value), .. } = read else { return read };
                let input = Input::Encode(value);
                reference::answer(writer, &Request { input, ..request.clone() })
            }
        }
    }

    fn twisted(&mut self, twist: &Twist, request: &Request) -> Answer {
        let answer = self.by_twist(twist, request);
        let Some(last_word) = &twist.answers else { return answer };
        let twisted = last_word(request, answer.clone(), &mut self.memory);
        self.memory.asked += 1;
        self.memory.refused += usize::from(matches!(answer, Answer::Refused(_)));
        self.memory.last = Some(answer);
        twisted
    }

    fn by_twist(&self, twist: &Twist, request: &Request) -> Answer {
        let codec = &*reference::allowing(self.faulty(), request.objects);
        match &request.input {
            Input::Decode(bytes) => match decode(twist, codec, bytes, request.framing) {
                Ok(decoded) => {
                    Answer::Value { value: AnsweredValue::Known(decoded.value), used: u64::try_from(decoded.used).ok() }
                }
                Err(said) => Answer::Refused(said),
            },
            Input::Encode(value) => encode(twist, codec, value, request.framing),
            Input::Reencode(bytes) => match decode(twist, codec, bytes, request.framing) {
                Ok(decoded) => encode(twist, codec, &decoded.value, request.framing),
                Err(said) => Answer::Refused(said),
            },
        }
    }
}

fn decode(twist: &Twist, codec: &Codec, bytes: &[u8], framing: Option<Framing>) -> Result<Decoded, RefusalReason> {
    let decoded = match framing {
        None => decode_packet(twist, codec, bytes),
        Some(framing) => {
            // Who frames a packet well still reads what is in it in its own way.
            let used = codec.decode_framed(bytes, framing).map_err(said)?.used;
            decode_packet(twist, codec, &bytes[Framing::PREFIX..used]).map(|decoded| Decoded { used, ..decoded })
        }
    };
    let mut decoded = decoded.map_err(said)?;
    if let Some(takes) = &twist.takes {
        each(&mut decoded.value, takes);
    }
    refuse(twist, &decoded.value)?;
    Ok(decoded)
}

fn decode_packet(twist: &Twist, codec: &Codec, bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let decoded = match &twist.reads {
        None => codec.decode(bytes),
        Some(reads) => packet::read(codec, bytes, reads),
    };
    decoded.or_else(|error| match twist.forgives {
        None => Err(error),
        Some(forgives) => forgives(codec, bytes, error),
    })
}

fn encode(twist: &Twist, codec: &Codec, value: &Value, framing: Option<Framing>) -> Answer {
    let mut value = value.clone();
    if let Err(said) = refuse(twist, &value) {
        return Answer::Refused(said);
    }
    if let Some(gives) = &twist.gives {
        each(&mut value, gives);
    }
    let packet = match codec.encode(&value) {
        Ok(packet) => packet,
        Err(error) => return Answer::Refused(RefusalReason { text: error.to_string(), ..RefusalReason::default() }),
    };
    let packet = match &twist.writes {
        None => packet,
        Some(writes) => packet::write(codec, packet, writes),
    };
    let Some(framing) = framing else { return Answer::Bytes(packet) };
    let prefix = framing.prefix(u32::try_from(packet.len()).unwrap_or(u32::MAX));
    Answer::Bytes([&prefix, packet.as_slice()].concat())
}

fn said(error: DecodeError) -> RefusalReason {
    RefusalReason {
        kind: Some(error.kind.name().to_owned()),
        at: u64::try_from(error.at).ok(),
        text: error.to_string(),
    }
}

fn refuse(twist: &Twist, value: &Value) -> Result<(), RefusalReason> {
    let Some(refuses) = &twist.refuses else { return Ok(()) };
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        if refuses(value) {
            return Err(RefusalReason { text: "this faulty codec refuses it".to_owned(), ..RefusalReason::default() });
        }
        left.extend(value.children());
    }
    Ok(())
}

/// Changes every value within, then the value itself.
pub(super) fn each(value: &mut Value, change: &Change) {
    value.children_mut().into_iter().for_each(|child| each(child, change));
    change(value);
}
