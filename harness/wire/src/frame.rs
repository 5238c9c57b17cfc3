//! Binary frames: the same requests and replies as in lines of JSON, for adapters whose handshake has `frames`. All
//! numbers of a head are little-endian; values are CBOR.

use variant_codec::Framing;
use variant_specs::Layouts;

use crate::handshake::{Handshake, Op};
use crate::implementation::{Answer, AnsweredValue, Input, RefusalReason, Request};
use crate::protocol::{Line, added, prefix};
use crate::value_text::write_cbor;

/// The first byte of a frame. No text has it, so what a library prints is not taken for one.
pub const MARK: u8 = 0xff;
/// How long the head of a request is: mark, operation, dialect, options, length, `seq`.
pub const REQUEST_HEAD: usize = 16;
/// How long the head of a reply is: mark, status, length of `kind`, zero, length, `seq`, `used` or `at`.
pub const REPLY_HEAD: usize = 24;
/// `used` or `at` that is not known.
const UNKNOWN: u64 = u64::MAX;
/// Bits of the options.
const OBJECTS: u8 = 1;
const U32_LE: u8 = 2;
const U32_BE: u8 = 4;

/// What a head says of its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How many bytes follow the head.
    pub length: usize,
    /// The number of the request.
    pub seq: u64,
}

impl Head {
    /// Reads the head of a request or reply; `None` if so few bytes are no head.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let length = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
        let seq = u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
        Some(Self { length: usize::try_from(length).ok()?, seq })
    }
}

/// Appends the frame of a request. Returns false if there is none, since the handshake does not name its dialect.
pub(crate) fn write_request(
    out: &mut Vec<u8>,
    seq: u64,
    request: &Request,
    layouts: &Layouts,
    handshake: &Handshake,
) -> bool {
    let dialect = handshake.dialects.iter().position(|name| **name == *request.dialect);
    let Some(dialect) = dialect.and_then(|place| u8::try_from(place).ok()) else { return false };
    let op = match request.op() {
        Op::Decode => b'd',
        Op::Encode => b'e',
        Op::Reencode => b'r',
    };
    let objects = if request.objects && handshake.has_option("objects") { OBJECTS } else { 0 };
    let framing = match request.framing.filter(|_| handshake.framed.is_none()) {
        None => 0,
        Some(Framing::U32Le) => U32_LE,
        Some(Framing::U32Be) => U32_BE,
    };
    let from = out.len();
    out.extend_from_slice(&[MARK, op, dialect, objects | framing, 0, 0, 0, 0]);
    out.extend_from_slice(&seq.to_le_bytes());
    match &request.input {
        Input::Decode(bytes) | Input::Reencode(bytes) => {
            if let Some(framing) = added(request, handshake) {
                out.extend_from_slice(&prefix(framing, bytes));
            }
            out.extend_from_slice(bytes);
        }
        Input::Encode(value) => write_cbor(out, value, layouts),
    }
    write_length(out, from, REQUEST_HEAD);
    true
}

/// What the head of a request says beside [`Head`]: operation, place of the dialect in the handshake, options.
pub(crate) struct RequestHead {
    pub(crate) op: u8,
    pub(crate) dialect: usize,
    pub(crate) objects: bool,
    pub(crate) framing: Option<Framing>,
}

impl RequestHead {
    pub(crate) fn of([_, op, dialect, options, ..]: &[u8; REQUEST_HEAD]) -> Self {
        let framing = match options & (U32_LE | U32_BE) {
            0 => None,
            U32_LE => Some(Framing::U32Le),
            _ => Some(Framing::U32Be),
        };
        Self { op: *op, dialect: usize::from(*dialect), objects: options & OBJECTS != 0, framing }
    }
}

/// Appends the frame of a reply of the reference codec.
pub(crate) fn write_reply(out: &mut Vec<u8>, seq: u64, answer: &Answer, layouts: &Layouts) {
    let from = out.len();
    let mut head = |status: u8, kind: &str, at: Option<u64>| {
        out.extend_from_slice(&[MARK, status, u8::try_from(kind.len()).unwrap_or(0), 0, 0, 0, 0, 0]);
        out.extend_from_slice(&seq.to_le_bytes());
        out.extend_from_slice(&at.unwrap_or(UNKNOWN).to_le_bytes());
        out.extend_from_slice(kind.as_bytes());
    };
    match answer {
        Answer::Value { value: AnsweredValue::Known(value), used } => {
            head(b'v', "", *used);
            write_cbor(out, value, layouts);
        }
        Answer::Bytes(bytes) => {
            head(b'b', "", None);
            out.extend_from_slice(bytes);
        }
        Answer::Refused(said) => {
            head(b'r', said.kind.as_deref().unwrap_or_default(), said.at);
            out.extend_from_slice(said.text.as_bytes());
        }
        Answer::Unsupported(why) => {
            head(b'u', "", None);
            out.extend_from_slice(why.as_bytes());
        }
        // The reference codec never answers so.
        Answer::Value { value: AnsweredValue::Json(_) | AnsweredValue::Cbor(_), .. }
        | Answer::Garbled(_)
        | Answer::Crashed(_)
        | Answer::TimedOut(_)
        | Answer::OrderDependent(_)
        | Answer::NotRun(_)
        | Answer::Skipped(_) => {
            head(b'u', "", None);
            out.extend_from_slice(b"internal error");
        }
    }
    write_length(out, from, REPLY_HEAD);
}

fn write_length(out: &mut [u8], from: usize, head: usize) {
    // Nothing is that long.
    let length = u32::try_from(out.len() - from - head).unwrap_or(u32::MAX);
    out[from + 4..from + 8].copy_from_slice(&length.to_le_bytes());
}

/// Reads a whole frame from an adapter. A value is not read yet.
pub fn read_reply(frame: &[u8]) -> Line {
    let (Some(Head { seq, .. }), Some((head, payload))) = (Head::of(frame), frame.split_first_chunk::<REPLY_HEAD>())
    else {
        return Line::Noise;
    };
    let [_, status, kind, _, ..] = *head;
    let at = frame.get(16..).and_then(<[u8]>::first_chunk).map(|at| u64::from_le_bytes(*at));
    let at = at.filter(|at| *at != UNKNOWN);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match status {
        b'v' => Line::Reply(seq, Answer::Value { value: AnsweredValue::Cbor(payload.into()), used: at }),
        b'b' => Line::Reply(seq, Answer::Bytes(payload.to_vec())),
        b'r' => match payload.split_at_checked(usize::from(kind)) {
            Some((kind, said)) => {
                let kind = Some(text(kind)).filter(|kind| !kind.is_empty());
                Line::Reply(seq, Answer::Refused(RefusalReason { kind, at, text: text(said) }))
            }
            None => {
                Line::Garbled(seq, format!("`kind` has {kind} bytes, and all that follows the head {}", payload.len()))
            }
        },
        b'u' => Line::Reply(seq, Answer::Unsupported(text(payload))),
        other => Line::Garbled(
            seq,
            format!(
                "the status of a frame is {other:#04x}; it must be `v` (value), `b` (bytes), `r` (refused) or `u` (unsupported)"
            ),
        ),
    }
}
