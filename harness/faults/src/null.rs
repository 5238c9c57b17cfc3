//! Null implementations, which answer without looking at the request. None of them may get a type id green.

use strum::{IntoStaticStr, VariantArray};
use variant_codec::{Codec, Numbers, Value};
use variant_specs::{JudgedBy, Scalar, Shape, Specs};

use super::fault::refusal;
use variant_corpus::Corpus;
use variant_corpus::test::Variants;
use variant_runner::record::RunRecord;
use variant_runner::run::{Run, RunError};
use variant_runner::summary::Summary;
use variant_values::handshake::{Handshake, Op, PROTOCOL};
use variant_values::implementation::{Answer, Implementation, Input, Outcomes, Request, Requests};
use variant_values::reference::Reference;

/// A null implementation, by how it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
pub enum Null {
    /// Every packet is null, and every value is encoded as null.
    #[strum(serialize = "all is null")]
    AllIsNull,
    /// Every request is refused.
    #[strum(serialize = "refuses all")]
    RefusesAll,
    /// The input is the answer.
    #[strum(serialize = "echo")]
    Echo,
    /// Every packet is the integer 1, and every value is encoded as that.
    #[strum(serialize = "one answer")]
    Constant,
    /// Each request gets the correct answer to the one before it.
    #[strum(serialize = "one answer late")]
    OneLate,
    /// Every request is answered as unsupported.
    #[strum(serialize = "all unsupported")]
    Unsupported,
}

impl Null {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The result of a null implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NullResult {
    /// The implementation, by how it answers.
    pub null: Null,
    /// The operations that it claims.
    pub ops: Vec<Op>,
    /// The type ids that it got green, as `DIALECT/LAYOUT`.
    pub green: Vec<String>,
    /// How many tests it failed.
    pub failed: usize,
}

/// The operations that the null implementations claim: all, some, or only one.
const CLAIMS: [&[Op]; 5] =
    [&[Op::Decode, Op::Encode, Op::Reencode], &[Op::Decode, Op::Encode], &[Op::Decode], &[Op::Encode], &[Op::Reencode]];

/// Runs every null implementation, once for each choice of claimed operations.
///
/// # Errors
/// As for one: a case is wrong, there is nothing to test, or a record cannot be written or read back.
pub fn run_all(specs: &Specs, corpus: &Corpus, dialects: &[String]) -> Result<Vec<NullResult>, RunError> {
    let all = CLAIMS.iter().flat_map(|ops| Null::VARIANTS.iter().map(move |null| (*null, ops)));
    all.map(|(null, ops)| run(specs, corpus, dialects, null, ops)).collect()
}

/// Runs a null implementation that claims these operations.
///
/// # Errors
/// A case is wrong, there is nothing to test, or the record of the run cannot be written or read back.
pub fn run(
    specs: &Specs,
    corpus: &Corpus,
    dialects: &[String],
    null: Null,
    ops: &[Op],
) -> Result<NullResult, RunError> {
    let mut subject = NullSubject::new(specs, null, ops);
    let run = Run { derivation: Variants::None, ..Run::new(specs, corpus, dialects.to_vec()) };
    let mut record = Vec::new();
    run.run(&mut subject, &mut record, &|_, _| {})?;
    let record = RunRecord::read(record.as_slice())
        .map_err(|error| RunError::Record(std::io::Error::other(format!("{}: {error}", null.name()))))?;
    let summary = Summary::of(&record);
    let mut green = summary.whole_types();
    // Whoever only encodes, and always null, is right about the one type that has no other value.
    if null == Null::AllIsNull && !ops.contains(&Op::Decode) {
        green.retain(|id| !is_empty(specs, id));
    }
    Ok(NullResult { null, ops: ops.to_vec(), green, failed: summary.failures() })
}

/// Whether `DIALECT/LAYOUT` is a type without a body.
fn is_empty(specs: &Specs, id: &str) -> bool {
    let layout = id.split_once('/').and_then(|(_, layout)| specs.layouts.id_of(layout));
    layout.is_some_and(|layout| specs.layouts.get(layout).shape == Shape::Empty)
}

struct NullSubject<'a> {
    null: Null,
    handshake: Handshake,
    specs: &'a Specs,
    reference: Reference,
    /// The correct answer to the last request.
    last: Answer,
}

impl<'a> NullSubject<'a> {
    fn new(specs: &'a Specs, null: Null, ops: &[Op]) -> Self {
        let reference = Reference::new(specs, JudgedBy::Engines);
        let handshake = Handshake {
            protocol: PROTOCOL,
            name: null.name().to_owned(),
            ops: ops.to_vec(),
            ..reference.handshake().clone()
        };
        Self { null, handshake, specs, reference, last: refused() }
    }

    fn answer(&mut self, request: &Request) -> Answer {
        match self.null {
            Null::AllIsNull => self.always(request, Value::Null),
            Null::Constant => self.always(request, Value::Int(1)),
            Null::RefusesAll => refused(),
            Null::Unsupported => Answer::Unsupported("nothing is".to_owned()),
            Null::Echo => self.echo(request),
            Null::OneLate => std::mem::replace(&mut self.last, self.reference.answer(request)),
        }
    }

    fn always(&self, request: &Request, value: Value) -> Answer {
        let Some(dialect) = self.specs.dialect(&request.dialect) else { return refused() };
        let packet = Codec::new(dialect, JudgedBy::Engines).encode(&value).unwrap_or_default();
        match request.input {
            Input::Decode(_) => answered(value, packet.len()),
            Input::Encode(_) | Input::Reencode(_) => Answer::Bytes(packet),
        }
    }

    fn echo(&self, request: &Request) -> Answer {
        match &request.input {
            Input::Reencode(packet) => Answer::Bytes(packet.clone()),
            Input::Decode(packet) => {
                self.byte_array(&request.dialect, packet).map_or_else(refused, |value| answered(value, packet.len()))
            }
            Input::Encode(Value::Packed(_, Numbers::Bytes(bytes))) => Answer::Bytes(bytes.clone()),
            Input::Encode(value) => Answer::Bytes(format!("{value:?}").into_bytes()),
        }
    }

    fn byte_array(&self, dialect: &str, bytes: &[u8]) -> Option<Value> {
        let dialect = self.specs.dialect(dialect)?;
        let mut layouts = dialect.types.iter().map(|entry| (entry.layout, dialect.layout(entry)));
        let (layout, _) =
            layouts.find(|(_, layout)| layout.shape == Shape::Packed && layout.of == Some(Scalar::Byte))?;
        Some(Value::Packed(layout, Numbers::Bytes(bytes.to_vec())))
    }
}

impl Implementation for NullSubject<'_> {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| Ok((place, self.answer(&request).into()))))
    }
}

fn answered(value: Value, used: usize) -> Answer {
    Answer::Value { used: u64::try_from(used).ok(), value }
}

fn refused() -> Answer {
    Answer::Refused(refusal("no"))
}
