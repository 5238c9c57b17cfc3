//! Null implementations: what answers without looking. None of them may get a type id green.

use variant_codec::{Codec, Numbers, Value};
use variant_specs::{Reading, Scalar, Shape, Specs};

use variant_corpus::Corpus;
use variant_corpus::findings::Tracker;
use variant_corpus::test::Derivation;
use variant_runner::record::RunRecord;
use variant_runner::run::{Run, RunError};
use variant_runner::summary::Summary;
use variant_wire::handshake::{Handshake, Op, PROTOCOL};
use variant_wire::implementation::{
    Answer, AnsweredValue, Implementation, ImplementationError, Input, Outcome, RefusalReason, Request,
};
use variant_wire::reference::Reference;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// Every packet is null, and every value the packet of null.
    AllIsNull,
    /// Everything is refused.
    RefusesAll,
    /// What came goes back.
    Echo,
    /// One answer, with something in it.
    Constant,
    /// The right answer to the request before.
    OneLate,
    /// Nothing is supported.
    Unsupported,
}

impl Null {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::AllIsNull, Self::RefusesAll, Self::Echo, Self::Constant, Self::OneLate, Self::Unsupported];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllIsNull => "all is null",
            Self::RefusesAll => "refuses all",
            Self::Echo => "echo",
            Self::Constant => "one answer",
            Self::OneLate => "one answer late",
            Self::Unsupported => "all unsupported",
        }
    }
}

/// What came of a null implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nulled {
    /// How it answers.
    pub null: Null,
    /// What it claims to be able to do.
    pub ops: Vec<Op>,
    /// The type ids that it got green: dialect and layout.
    pub green: Vec<String>,
    /// How many asks it failed.
    pub failed: usize,
}

/// What a hello may claim: all, or one operation alone.
const CLAIMS: [&[Op]; 5] =
    [&[Op::Decode, Op::Encode, Op::Reencode], &[Op::Decode, Op::Encode], &[Op::Decode], &[Op::Encode], &[Op::Reencode]];

/// Runs every null implementation, under every claim.
///
/// # Errors
/// As [`Run::run`].
pub fn run_all(specs: &Specs, corpus: &Corpus, dialects: &[String]) -> Result<Vec<Nulled>, RunError> {
    let mut all = Vec::new();
    for ops in CLAIMS {
        for null in Null::ALL {
            all.push(run(specs, corpus, dialects, null, ops)?);
        }
    }
    Ok(all)
}

fn run(specs: &Specs, corpus: &Corpus, dialects: &[String], null: Null, ops: &[Op]) -> Result<Nulled, RunError> {
    let mut subject = Subject::new(specs, null, ops);
    let run = Run { derivation: Derivation::None, ..Run::new(specs, corpus, dialects.to_vec()) };
    let mut record = Vec::new();
    run.run(&mut subject, &mut Tracker::default(), &mut record, &|_, _| {})?;
    let recorded = RunRecord::read(record.as_slice())
        .map_err(|error| RunError::Record(std::io::Error::other(format!("{}: {error}", null.name()))))?;
    let summary = Summary::of(&recorded);
    let mut green = summary.green_ids();
    // Who only writes, and always null, writes the type that has no other value right.
    if null == Null::AllIsNull && !ops.contains(&Op::Decode) {
        green.retain(|id| !is_empty(specs, id));
    }
    Ok(Nulled { null, ops: ops.to_vec(), green, failed: summary.red() })
}

/// Whether `DIALECT/LAYOUT` is a type without a body.
fn is_empty(specs: &Specs, id: &str) -> bool {
    let layout = id.split_once('/').and_then(|(_, layout)| specs.layouts.id_of(layout));
    layout.is_some_and(|layout| specs.layouts.get(layout).shape == Shape::Empty)
}

/// A null implementation at work.
struct Subject<'a> {
    null: Null,
    handshake: Handshake,
    specs: &'a Specs,
    reference: Reference,
    /// The right answer to the last request.
    last: Answer,
}

impl<'a> Subject<'a> {
    fn new(specs: &'a Specs, null: Null, ops: &[Op]) -> Self {
        let reference = Reference::new(specs, Reading::Engine);
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

    /// The same answer to everything.
    fn always(&self, request: &Request, value: Value) -> Answer {
        let Some(dialect) = self.specs.dialect(&request.dialect) else { return refused() };
        let packet = Codec::new(dialect, Reading::Engine).encode(&value).unwrap_or_default();
        match request.input {
            Input::Decode(_) => {
                Answer::Value { used: u64::try_from(packet.len()).ok(), value: AnsweredValue::Known(value) }
            }
            Input::Encode(_) | Input::Reencode(_) => Answer::Bytes(packet),
        }
    }

    fn echo(&self, request: &Request) -> Answer {
        match &request.input {
            Input::Reencode(packet) => Answer::Bytes(packet.clone()),
            Input::Decode(packet) => match self.bytes(&request.dialect, packet) {
                Some(value) => {
                    Answer::Value { used: u64::try_from(packet.len()).ok(), value: AnsweredValue::Known(value) }
                }
                None => refused(),
            },
            Input::Encode(value) => Answer::Bytes(if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.clone()
            } else {
                format!("{value:?}").into_bytes()
            }),
        }
    }

    /// These bytes as a byte array.
    fn bytes(&self, dialect: &str, bytes: &[u8]) -> Option<Value> {
        let dialect = self.specs.dialect(dialect)?;
        let mut layouts = dialect.types.iter().map(|entry| (entry.layout, dialect.layout(entry)));
        let (layout, _) =
            layouts.find(|(_, layout)| layout.shape == Shape::Packed && layout.of == Some(Scalar::Byte))?;
        Some(Value::Packed(layout, Numbers::Bytes(bytes.to_vec())))
    }
}

impl Implementation for Subject<'_> {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            answered(place, self.answer(&request).into());
        }
        Ok(())
    }
}

fn refused() -> Answer {
    Answer::Refused(RefusalReason { text: "no".to_owned(), ..RefusalReason::default() })
}
