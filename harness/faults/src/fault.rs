//! A fault: the reference codec with one thing wrong. Several compose to one codec.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use variant_codec::{Codec, DecodeError, Decoded, EncodeError, Framing, Numbers, Refusal, Role, Spans, Value};
use variant_specs::{Dialect, JudgedBy, LayoutId, Layouts, Scalar};

use super::packet::{self, MutatedField, Splice};
use super::place::{Place, children_of, place_of, stands};
use super::repeats::{Kept, Repeats, join, join_repeated, pairs};
use variant_values::fields::layout_id_of;
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Answer, Implementation, Input, Outcomes, RefusalReason, Request, Requests};
use variant_values::reference;

/// The reference codec with one thing wrong.
pub struct Fault {
    /// The id, like `godot-3/vector2/x-and-y-swapped:decode`.
    pub id: String,
    /// Its name in reports and lists: the same in every dialect, and in both directions.
    pub name: String,
    /// What is wrong, in a sentence.
    pub description: String,
    /// Names of the layouts that it changes; empty: all.
    pub about: Vec<Arc<str>>,
    /// The direction that it is in; `None`: both.
    pub op: Option<Op>,
    /// Where the only values stand that it changes.
    pub(super) place: Option<Place>,
    /// What to do, where that is more than to do it right.
    pub advice: Option<String>,
    /// Whether only tests whose headers are literal bytes can detect it: the others follow the table of ids.
    pub(super) in_ids: bool,
    pub(super) family: Option<FaultFamily>,
    pub(super) mutation: Mutation,
}

/// Faults that explain a part of what others of their family do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultFamily {
    /// How deep values may nest.
    Depth,
    /// Which bits of the header are the id.
    IdMask,
    /// Suggested by failures: what the catalogue knows says the same in fewer words.
    Suggested,
}

/// Changes the tables.
pub(super) type TableChange = Box<dyn Fn(&mut Dialect) + Send + Sync>;
/// Changes a value, or one within it.
pub(super) type Change = Box<dyn Fn(&mut Value) + Send + Sync>;
/// Replaces an answer, given the request, the answer of the codec, and earlier answers.
pub(super) type Rewriter = Box<dyn Fn(&Request, Answer, &RequestHistory) -> Answer + Send + Sync>;
/// Reads a packet that the codec refused, with a reader that has all the other faults.
pub(super) type Leniency = Box<dyn Fn(&Reader<'_>, &[u8], DecodeError) -> Result<Decoded, DecodeError> + Send + Sync>;
/// What is read instead of a field.
pub(super) type FieldReader = dyn Fn(&MutatedField<'_>) -> Option<Splice> + Send + Sync;
/// What is written instead of a field.
pub(super) type FieldWriter = dyn Fn(&MutatedField<'_>) -> Option<Vec<u8>> + Send + Sync;
/// Whether a whole value is refused.
pub(super) type Refuser = dyn Fn(&Value) -> bool + Send + Sync;

/// What is taken for the length in front of a packet, given the right one.
pub(super) type LengthChange = fn(Framing, u32) -> u32;

/// How a faulty codec differs from the reference codec. Where a field is `None`, it does not.
#[derive(Default)]
pub(super) struct Mutation {
    pub(super) tables: Option<TableChange>,
    /// Whether the tables are those of another dialect: others change them after that.
    pub(super) other_dialect: bool,
    pub(super) reads: Option<Box<FieldReader>>,
    /// Whether that is about what a text means: who takes other bytes for the text comes before.
    pub(super) reads_meaning: bool,
    /// How repeated keys are read.
    pub(super) repeats: Option<Repeats>,
    pub(super) writes: Option<Box<FieldWriter>>,
    /// Applied to each value after it is decoded.
    pub(super) decoded: Option<Change>,
    /// Applied to each value after that: it becomes one of another type.
    pub(super) converted: Option<Change>,
    /// Applied to each value before it is encoded.
    pub(super) encoded: Option<Change>,
    /// Whether it puts the pairs of dictionaries in another order: a codec has one.
    pub(super) reorders: bool,
    /// Whether a whole value is refused, in both directions.
    pub(super) refuses: Option<Box<Refuser>>,
    pub(super) accepts: Option<Leniency>,
    pub(super) length_read: Option<LengthChange>,
    pub(super) length_written: Option<LengthChange>,
    pub(super) answers: Option<Rewriter>,
}

impl Mutation {
    /// Whether values are changed after they are decoded.
    pub(super) fn changes_decoded(&self) -> bool {
        self.repeats.is_some() || self.decoded.is_some() || self.converted.is_some()
    }

    /// Whether values are changed, in any direction.
    pub(super) fn changes_values(&self) -> bool {
        self.changes_decoded() || self.encoded.is_some()
    }

    /// Whether what is written is changed.
    pub(super) fn changes_written(&self) -> bool {
        self.writes.is_some() || self.length_written.is_some() || self.encoded.is_some()
    }

    /// Whether it changes values one by one: neither the tables nor how keys are compared.
    pub(super) fn is_of_values(&self) -> bool {
        self.tables.is_none() && self.repeats.is_none()
    }

    /// Whether packets are read in another way: what other faults see of them is another.
    pub(super) fn reads_otherwise(&self) -> bool {
        self.tables.is_some()
            || self.repeats.is_some()
            || self.reads.is_some()
            || self.accepts.is_some()
            || self.length_read.is_some()
    }

    /// Its reader and its writer, each on its own.
    pub(super) fn divided(mut self) -> [(Op, Self); 2] {
        let (writes, encoded) = (self.writes.take(), self.encoded.take());
        let length_written = self.length_written.take();
        let writer = Self { writes, encoded, length_written, reorders: self.reorders, ..Self::default() };
        [(Op::Decode, self), (Op::Encode, writer)]
    }

    /// Whether its reader differs, and whether its writer does.
    pub(super) fn directions(&self) -> (bool, bool) {
        let both = self.refuses.is_some() || self.answers.is_some() || self.tables.is_some();
        (
            both || self.reads.is_some()
                || self.accepts.is_some()
                || self.length_read.is_some()
                || self.changes_decoded(),
            both || self.changes_written(),
        )
    }
}

/// Earlier requests to a faulty codec.
#[derive(Debug, Default)]
pub(super) struct RequestHistory {
    pub(super) requests: usize,
    /// The correct answer to the last one.
    pub(super) last: Option<Answer>,
    pub(super) refused: usize,
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Fault {
    /// A fault whose id has these parts.
    pub(super) fn new(dialect: &Dialect, part: &str, name: &str, op: Option<Op>, mutation: Mutation) -> Self {
        Self {
            id: format!("{}/{part}/{name}:{}", dialect.name, op.map_or("both", Op::name)),
            name: name.to_owned(),
            description: format!("{}: {}", dialect.type_name_of(part), name.replace('-', " ")),
            about: Vec::new(),
            op,
            place: None,
            advice: None,
            in_ids: false,
            family: None,
            mutation,
        }
    }

    /// A fault of the tables.
    pub(super) fn of_tables(
        dialect: &Dialect,
        part: &str,
        name: &str,
        op: Option<Op>,
        change: impl Fn(&mut Dialect) + Send + Sync + 'static,
    ) -> Self {
        Self::new(dialect, part, name, op, Mutation { tables: Some(Box::new(change)), ..Mutation::default() })
    }

    /// The same fault: only tests with a value of one of these layouts can detect it.
    pub(super) fn about<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { about: names.into_iter().map(Arc::from).collect(), ..self }
    }

    pub(super) fn called(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    pub(super) fn described(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    pub(super) fn of(self, family: FaultFamily) -> Self {
        Self { family: Some(family), ..self }
    }

    pub(super) fn part(&self) -> Part<'_> {
        Part { mutation: &self.mutation, op: self.op, only: None, place: self.place }
    }
}

/// A fault of a composed codec, in one direction or both.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) mutation: &'a Mutation,
    pub(super) op: Option<Op>,
    /// The layout of the only values that it changes.
    pub(super) only: Option<LayoutId>,
    /// Where the only values stand that it changes.
    pub(super) place: Option<Place>,
}

impl Part<'_> {
    fn is_in(&self, op: Op) -> bool {
        self.op.is_none_or(|own| own == op)
    }

    /// Whether it may change the answer to such a request.
    pub(super) fn shows_in(&self, op: Op) -> bool {
        let (reads, writes) = self.mutation.directions();
        let (reads, writes) = (reads && self.is_in(Op::Decode), writes && self.is_in(Op::Encode));
        match op {
            Op::Decode => reads,
            Op::Encode => writes,
            Op::Reencode => reads || writes,
        }
    }

    fn is_of(&self, layout: LayoutId, place: Place) -> bool {
        self.only.is_none_or(|own| own == layout) && stands(place, self.place)
    }

    fn is_of_all(&self) -> bool {
        self.only.is_none() && self.place.is_none()
    }
}

/// When a faulty codec makes one pair of keys that are, or have become, the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Of those of a packet as they are read, and again when all are changed.
    Table,
    /// When all are changed: each pair is put into a table as it was read.
    Inserted,
    /// The same, where keys are compared by their bits.
    InsertedByBits,
    /// Of those of a packet as they are read: what they have become stays a list.
    List,
}

impl Pairs {
    /// What else a codec may do that has faults.
    pub(super) const OTHERS: [Self; 3] = [Self::Inserted, Self::InsertedByBits, Self::List];

    fn are_inserted(self) -> bool {
        matches!(self, Self::Inserted | Self::InsertedByBits)
    }
}

/// What a faulty codec reads and writes with.
#[derive(Debug, Clone)]
pub(super) struct Codecs {
    reader: Codec,
    writer: Codec,
    right: Codec,
    pairs: Pairs,
    /// Whether padding is up to a multiple of four bytes of all that was written.
    aligns: bool,
}

impl Codecs {
    /// Those of a codec with these faults. `codec` is the correct one.
    pub(super) fn new(parts: &[Part<'_>], codec: &Codec, dialect: &Dialect, judged_by: JudgedBy) -> Self {
        let of = |op: Op| {
            let changes = |others: bool| {
                let of_tables =
                    parts.iter().filter(move |part| part.is_in(op) && part.mutation.other_dialect == others);
                of_tables.filter_map(|part| part.mutation.tables.as_ref())
            };
            let mut changes = changes(true).chain(changes(false)).peekable();
            if changes.peek().is_none() {
                return codec.clone();
            }
            let mut changed = dialect.clone();
            changes.for_each(|change| change(&mut changed));
            Codec::new(&changed, judged_by)
        };
        Self {
            reader: of(Op::Decode),
            writer: of(Op::Encode),
            right: codec.clone(),
            pairs: Pairs::Table,
            aligns: false,
        }
    }

    /// The same, of a codec that makes one pair of keys then.
    pub(super) fn joining(&self, pairs: Pairs) -> Self {
        Self { pairs, ..self.clone() }
    }

    /// The same, of a codec that aligns what it writes.
    pub(super) fn aligning(&self) -> Self {
        Self { aligns: true, ..self.clone() }
    }

    /// Whether a request is about a value of this layout, or one that is within another.
    fn asks_for(&self, own: LayoutId, request: &Request) -> bool {
        let right = &*reference::allowing(&self.right, request.objects);
        let is_one = |value: &Value| layout_id_of(value, right.layouts()) == Some(own);
        match &request.input {
            Input::Encode(value) => all_in(value).any(is_one),
            Input::Decode(packet) | Input::Reencode(packet) => {
                right.decode(packet).is_ok_and(|decoded| all_in(&decoded.value).any(is_one))
            }
        }
    }
}

/// The answer of a codec with these faults.
pub(super) fn answer(parts: &[Part<'_>], codecs: &Codecs, history: &mut RequestHistory, request: &Request) -> Answer {
    let right = answer_of(parts, codecs, request).unwrap_or_else(Answer::Refused);
    if parts.iter().all(|part| part.mutation.answers.is_none()) {
        return right;
    }
    let mut answer = right.clone();
    let is_of = |part: &&Part<'_>| part.only.is_none_or(|own| codecs.asks_for(own, request));
    let is_in = |part: &&Part<'_>| request.op() == Op::Reencode || part.is_in(request.op());
    for part in parts.iter().filter(is_in).filter(is_of) {
        if let Some(rewrite) = &part.mutation.answers {
            answer = rewrite(request, answer, history);
        }
    }
    history.requests += 1;
    history.refused += usize::from(matches!(right, Answer::Refused(_)));
    history.last = Some(right);
    answer
}

/// How often a packet that was refused is repaired before it is given up.
const REPAIRS: usize = 4;

/// A reader with faults.
pub(super) struct Reader<'a> {
    parts: &'a [Part<'a>],
    pub(super) codec: &'a Codec,
    repairs: usize,
}

impl Reader<'_> {
    /// Decodes a packet with the faults of this reader.
    pub(super) fn decode(&self, packet: &[u8]) -> Result<Decoded, DecodeError> {
        let reads = reading(self.parts).filter_map(|part| Some((part, part.mutation.reads.as_deref()?)));
        let mut reads: Vec<(&Part<'_>, &FieldReader)> = reads.collect();
        reads.sort_by_key(|(part, _)| part.mutation.reads_meaning);
        let decoded = match reads.as_slice() {
            [] => self.codec.decode(packet),
            reads => packet::read(self.codec, packet, &|field| read_by(reads, field)),
        };
        let Err(error) = decoded else { return decoded };
        let Some(repairs) = self.repairs.checked_sub(1) else { return Err(error) };
        let again = Reader { repairs, ..*self };
        let is_of = |part: &&Part<'_>| {
            let is_own = |(layout, place)| part.is_of(layout, place);
            part.is_of_all() || self.refused_in(packet, error).is_some_and(is_own)
        };
        let repaired = reading(self.parts).filter(|part| part.mutation.accepts.is_some()).filter(is_of);
        let repaired = repaired.filter_map(|part| part.mutation.accepts.as_ref());
        repaired.map(|accept| accept(&again, packet, error)).find(Result::is_ok).unwrap_or(Err(error))
    }

    /// The layout of the value in which a packet is refused, and where that stands; `None` where it is the header of a
    /// value that cannot be read.
    fn refused_in(&self, packet: &[u8], error: DecodeError) -> Option<(LayoutId, Place)> {
        let (trace, _) = self.codec.traced(packet);
        let (layout, end) = header_before(&trace, error.at)?;
        let start = end.checked_sub(4)?;
        let path = trace.spans.iter().find(|span| span.bytes.start == start)?.path.strip_suffix("header")?;
        let is_read = self.codec.decode(packet.get(start..error.at)?).is_ok();
        (!is_read).then_some((layout, place_of(path)))
    }
}

/// The last header that stands before a byte: its layout, and where it ends.
pub(super) fn header_before(trace: &Spans, at: usize) -> Option<(LayoutId, usize)> {
    let mut before = trace.spans.iter().rev().filter(|span| span.bytes.start < at);
    before.find_map(|span| match span.role {
        Role::Header(layout) => Some((layout, span.bytes.end)),
        _ => None,
    })
}

fn reading<'a>(parts: &'a [Part<'a>]) -> impl Iterator<Item = &'a Part<'a>> {
    parts.iter().filter(|part| part.is_in(Op::Decode))
}

fn writing<'a>(parts: &'a [Part<'a>]) -> impl Iterator<Item = &'a Part<'a>> {
    parts.iter().filter(|part| part.is_in(Op::Encode))
}

/// What readers make of a field in turn: each sees what the one before has read.
fn read_by(reads: &[(&Part<'_>, &FieldReader)], field: &MutatedField<'_>) -> Option<Splice> {
    let mut read: Option<Vec<u8>> = None;
    let mut reads = reads.iter().filter(|(part, _)| part.is_of(field.layout, field.place));
    while let Some((_, own)) = reads.next() {
        let bytes = read.as_deref().unwrap_or(field.bytes);
        match own(&MutatedField { bytes, at: field.at.clone(), ..*field }) {
            Some(Splice::As(bytes)) => read = Some(bytes),
            Some(Splice::Instead(taken, with)) if read.is_none() => {
                let mut meanings = reads.filter(|(part, _)| part.mutation.reads_meaning);
                return meanings
                    .find_map(|(_, reads)| meant(reads, field, taken, &with))
                    .or(Some(Splice::Instead(taken, with)));
            }
            Some(own @ (Splice::Refuse | Splice::Beyond(..))) if read.is_none() => return Some(own),
            Some(_) | None => {}
        }
    }
    read.map(Splice::As)
}

/// What a reader makes of what another has read instead of so many bytes.
fn meant(
    reads: impl Fn(&MutatedField<'_>) -> Option<Splice>,
    field: &MutatedField<'_>,
    taken: usize,
    with: &[u8],
) -> Option<Splice> {
    let (bytes, behind) = with.split_at_checked(field.bytes.len())?;
    match reads(&MutatedField { bytes, behind, at: field.at.clone(), ..*field })? {
        Splice::Instead(_, with) | Splice::Beyond(_, with) => Some(Splice::Instead(taken, with)),
        Splice::As(_) | Splice::Refuse => None,
    }
}

fn written_by(writes: &[(&Part<'_>, &FieldWriter)], field: &MutatedField<'_>) -> Option<Vec<u8>> {
    let mut written: Option<Vec<u8>> = None;
    for (_, writes) in writes.iter().filter(|(part, _)| part.is_of(field.layout, field.place)) {
        let bytes = written.as_deref().unwrap_or(field.bytes);
        // What another has left out or widened is no such field any more.
        if bytes.len() == field.bytes.len() {
            written = writes(&MutatedField { bytes, at: field.at.clone(), ..*field }).or(written);
        }
    }
    written
}

fn answer_of(parts: &[Part<'_>], codecs: &Codecs, request: &Request) -> Result<Answer, RefusalReason> {
    let writer = &*reference::allowing(&codecs.writer, request.objects);
    match &request.input {
        Input::Decode(bytes) => {
            let mut decoded = decode(parts, codecs, request, bytes)?;
            fit(&mut decoded.value, codecs.right.layouts());
            let used = u64::try_from(decoded.used).ok();
            Ok(Answer::Value { value: decoded.value, used })
        }
        Input::Encode(value) => encode(parts, codecs, writer, value.clone(), request.framing),
        Input::Reencode(bytes) => {
            let decoded = decode(parts, codecs, request, bytes)?;
            encode(parts, codecs, writer, decoded.value, request.framing)
        }
    }
}

fn decode(parts: &[Part<'_>], codecs: &Codecs, request: &Request, bytes: &[u8]) -> Result<Decoded, RefusalReason> {
    let mut codec = reference::allowing(&codecs.reader, request.objects);
    let repeats: Vec<&Repeats> = reading(parts).filter_map(|part| part.mutation.repeats.as_ref()).collect();
    // Who keeps repeated keys compares none.
    let compares = codecs.reader.is_same_key(&Value::Null, &Value::Null);
    if !repeats.is_empty() || codecs.pairs.are_inserted() && compares {
        codec = Cow::Owned(codec.into_owned().keeping_repeated_keys());
    }
    let codec = &*codec;
    let reader = Reader { parts, codec, repairs: REPAIRS };
    let decoded = match request.framing {
        None => reader.decode(bytes),
        Some(framing) => decode_framed(parts, &reader, bytes, framing),
    };
    let mut decoded = decoded?;
    // What other faults make of a value is made before it becomes one of another type.
    let changes = reading(parts)
        .map(|part| (part, &part.mutation.decoded))
        .chain(reading(parts).map(|part| (part, &part.mutation.converted)));
    let keys = if repeats.is_empty() { &codecs.reader } else { &codecs.right };
    let pairs = if repeats.is_empty() && compares { codecs.pairs } else { Pairs::Table };
    Changes::new(changes, keys, repeats, pairs).make(&mut decoded.value, Place::Whole);
    refuse(reading(parts), &decoded.value, codec.layouts())?;
    Ok(decoded)
}

fn decode_framed(
    parts: &[Part<'_>],
    reader: &Reader<'_>,
    bytes: &[u8],
    framing: Framing,
) -> Result<Decoded, DecodeError> {
    let beyond = DecodeError { at: 0, kind: Refusal::Length };
    let (prefix, rest) = bytes.split_first_chunk().ok_or(beyond)?;
    let changes = reading(parts).filter_map(|part| part.mutation.length_read);
    let length = changes.fold(framing.length(*prefix), |length, change| change(framing, length));
    let packet = usize::try_from(length).ok().and_then(|length| rest.get(..length)).ok_or(beyond)?;
    Ok(Decoded { used: Framing::PREFIX + packet.len(), ..reader.decode(packet)? })
}

fn encode(
    parts: &[Part<'_>],
    codecs: &Codecs,
    codec: &Codec,
    mut value: Value,
    framing: Option<Framing>,
) -> Result<Answer, RefusalReason> {
    refuse(writing(parts), &value, codec.layouts())?;
    fit(&mut value, codec.layouts());
    let changes = writing(parts).map(|part| (part, &part.mutation.encoded));
    Changes::new(changes, codec, Vec::new(), codecs.pairs).make(&mut value, Place::Whole);
    let mut packet = codec.encode(&value).map_err(|error| {
        let limit = (error == EncodeError::TooDeep).then(|| Refusal::TooDeep.name().to_owned());
        RefusalReason { kind: limit, ..refusal(&error.to_string()) }
    })?;
    let writes = writing(parts).filter_map(|part| Some((part, part.mutation.writes.as_deref()?)));
    let writes: Vec<(&Part<'_>, &FieldWriter)> = writes.collect();
    if !writes.is_empty() {
        packet = packet::write(codec, packet, codecs.aligns, &|field| written_by(&writes, field));
    }
    if let Some(framing) = framing {
        let changes = writing(parts).filter_map(|part| part.mutation.length_written);
        let length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
        let length = changes.fold(length, |length, change| change(framing, length));
        packet = [&framing.prefix(length), packet.as_slice()].concat();
    }
    Ok(Answer::Bytes(packet))
}

fn refuse<'a>(
    mut parts: impl Iterator<Item = &'a Part<'a>>,
    value: &Value,
    layouts: &Layouts,
) -> Result<(), RefusalReason> {
    let is_refused = |part: &Part<'_>| {
        part.mutation.refuses.as_deref().is_some_and(|refuses| match part.only {
            None => refuses(value),
            Some(own) => all_in(value).any(|value| layout_id_of(value, layouts) == Some(own) && refuses(value)),
        })
    };
    if parts.any(is_refused) { Err(refusal(REFUSES)) } else { Ok(()) }
}

/// A value, and all that are within it, in the order of a packet.
pub(super) fn all_in(value: &Value) -> impl Iterator<Item = &Value> {
    let mut left = vec![value];
    std::iter::from_fn(move || {
        let value = left.pop()?;
        left.extend(value.children().into_iter().rev());
        Some(value)
    })
}

/// The text of a refusal that is the fault itself.
pub(super) const REFUSES: &str = "this faulty codec refuses it";

/// A refusal with this text, without kind and offset.
pub(super) fn refusal(text: &str) -> RefusalReason {
    RefusalReason { text: text.to_owned(), ..RefusalReason::default() }
}

/// Gives the numbers of packed arrays and vectors the width that their layout has: a faulty reader may have read others.
fn fit(value: &mut Value, layouts: &Layouts) {
    value.children_mut().into_iter().for_each(|child| fit(child, layouts));
    if let Value::Fields(layout, numbers) | Value::Packed(layout, numbers) = value {
        let other = match (layouts.get(*layout).of, &*numbers) {
            (Some(Scalar::Int64), Numbers::Int32(ints)) => {
                Numbers::Int64(ints.iter().map(|int| i64::from(*int)).collect())
            }
            #[expect(clippy::cast_possible_truncation, reason = "that is what such a writer does")]
            (Some(Scalar::Int32), Numbers::Int64(ints)) => Numbers::Int32(ints.iter().map(|int| *int as i32).collect()),
            (Some(Scalar::Float64), Numbers::Float32(reals)) => {
                Numbers::Float64(reals.iter().map(|real| real.widen()).collect())
            }
            (Some(Scalar::Float32), Numbers::Float64(reals)) => {
                Numbers::Float32(reals.iter().map(|real| real.nearest()).collect())
            }
            _ => return,
        };
        *numbers = other;
    }
}

/// What faults make of values.
struct Changes<'a> {
    all: Vec<(&'a Part<'a>, &'a Change)>,
    /// Which keys are one.
    codec: &'a Codec,
    repeats: Vec<&'a Repeats>,
    pairs: Pairs,
}

impl<'a> Changes<'a> {
    fn new(
        all: impl Iterator<Item = (&'a Part<'a>, &'a Option<Change>)>,
        codec: &'a Codec,
        repeats: Vec<&'a Repeats>,
        pairs: Pairs,
    ) -> Self {
        let all = all.filter_map(|(part, change)| Some((part, change.as_ref()?))).collect();
        Self { all, codec, repeats, pairs }
    }

    /// Makes all changes of every value within, then of the value itself: what is made of a container sees what was made
    /// of its elements.
    fn make(&self, value: &mut Value, place: Place) {
        if self.all.is_empty() && self.repeats.is_empty() && !self.pairs.are_inserted() {
            return;
        }
        for (place, child) in children_of(value) {
            self.make(child, place);
        }
        for (part, change) in &self.all {
            let is_of = || layout_id_of(value, self.codec.layouts()).is_some_and(|own| part.is_of(own, place));
            if part.is_of_all() || is_of() {
                change(value);
            }
        }
        match self.pairs {
            Pairs::Table | Pairs::Inserted => join_repeated(value, self.codec, &self.repeats),
            Pairs::InsertedByBits => pairs(value, |pairs| join(pairs, Value::eq, Kept::LastValue)),
            Pairs::List => {}
        }
    }
}

/// A codec with faults as an implementation, in one dialect.
#[derive(Debug)]
pub struct Faulty {
    faults: Vec<Fault>,
    codecs: Codecs,
    handshake: Handshake,
    history: RequestHistory,
}

impl Faulty {
    /// A codec with one fault of this dialect, before any request.
    pub fn new(fault: Fault, dialect: &Dialect, judged_by: JudgedBy) -> Self {
        Self::composed(vec![fault], dialect, judged_by)
    }

    /// A codec with several faults.
    pub fn composed(faults: Vec<Fault>, dialect: &Dialect, judged_by: JudgedBy) -> Self {
        let name = faults.iter().map(|fault| fault.id.as_str()).collect::<Vec<_>>().join(" ");
        let handshake = Handshake { name, ..reference::handshake(vec![dialect.name.clone()]) };
        let parts: Vec<Part<'_>> = faults.iter().map(Fault::part).collect();
        let codecs = Codecs::new(&parts, &Codec::new(dialect, judged_by), dialect, judged_by);
        Self { codecs, handshake, history: RequestHistory::default(), faults }
    }

    /// The same codec, under a name of its own.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.handshake.name);
        self
    }
}

impl Implementation for Faulty {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        let Self { faults, codecs, history, .. } = self;
        let parts: Vec<Part<'_>> = faults.iter().map(Fault::part).collect();
        Box::new(
            requests
                .enumerate()
                .map(move |(place, request)| Ok((place, answer(&parts, codecs, history, &request).into()))),
        )
    }

    fn restart(&mut self) -> bool {
        self.history = RequestHistory::default();
        true
    }
}
