//! What faults of real codecs are made with.

use std::sync::Arc;

use variant_codec::{Array, Codec, DecodeError, Decoded, Framing, Refusal, Value};
use variant_specs::{Dialect, FieldForm, JudgedBy, Layout, LayoutId, Layouts, RecordField, Shape};
use variant_values::implementation::{Answer, Ending, RefusalReason, Request};
use variant_values::reference;

use crate::fault::{Mutation, Reader, RequestHistory, all_in};
use crate::packet::{MutatedField, Splice};
use crate::place::Place;

/// How a fault acts in a dialect.
type Act = Box<dyn Fn(&Dialect) -> Option<Mutation>>;

/// A fault of real codecs. The mutation is `None` in dialects that cannot have it.
pub(crate) struct CodecFault {
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) sentence: &'static str,
    /// The name of the cause that it is a part of; `None`: it is one by itself.
    pub(crate) cause: Option<&'static str>,
    /// Where the only values stand that it changes.
    pub(crate) place: Option<Place>,
    /// What becomes of texts, if that is all.
    pub(crate) of_texts: Option<fn(&str) -> String>,
    pub(crate) mutation: Act,
}

/// A fault that does nothing: its methods say what it does.
pub(crate) fn fault(name: &'static str, sentence: &'static str) -> CodecFault {
    CodecFault { name, sentence, cause: None, place: None, of_texts: None, mutation: Box::new(|_| None) }
}

impl CodecFault {
    pub(crate) fn part_of(self, cause: &'static str) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// The same, of values that stand there alone.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The same, in dialects with this rule.
    pub(crate) fn needs(self, rule: &'static str) -> Self {
        let mutation = self.mutation;
        Self { mutation: Box::new(move |dialect| mutation(dialect).filter(|_| dialect.has(rule))), ..self }
    }

    pub(crate) fn by(self, mutation: impl Fn(&Dialect) -> Option<Mutation> + 'static) -> Self {
        Self { mutation: Box::new(mutation), ..self }
    }

    pub(crate) fn decoded(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| decoded(change))
    }

    pub(crate) fn encoded(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| encoded(change))
    }

    pub(crate) fn both(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| both(change))
    }

    /// Such values are read as null.
    pub(crate) fn read_as_null(self, which: fn(&Value) -> bool) -> Self {
        self.by(move |_| decoded_as_null(which))
    }

    pub(crate) fn refuses(self, which: fn(&Value) -> bool) -> Self {
        self.by(move |_| refuses(which))
    }

    pub(crate) fn reads(self, how: fn(&MutatedField<'_>) -> Option<Splice>) -> Self {
        self.by(move |_| reads(how))
    }

    pub(crate) fn writes(self, how: fn(&MutatedField<'_>) -> Option<Vec<u8>>) -> Self {
        self.by(move |_| writes(how))
    }

    pub(crate) fn accepts(self, how: fn(&Reader<'_>, &[u8], DecodeError) -> Result<Decoded, DecodeError>) -> Self {
        self.by(move |_| accepts(how))
    }

    /// Where a packet is refused for this reason, another is read instead.
    pub(crate) fn reads_instead(self, kind: Refusal, other: fn(&[u8], usize) -> Option<Vec<u8>>) -> Self {
        self.by(move |_| reads_instead(kind, other))
    }

    pub(crate) fn answers(self, how: fn(&Request, Answer, &RequestHistory) -> Answer) -> Self {
        self.by(move |_| answers(how))
    }

    /// Packets are changed after they are written.
    pub(crate) fn written(self, change: fn(&Request, Vec<u8>) -> Vec<u8>) -> Self {
        self.by(move |_| written(change))
    }

    /// A part of a value is changed, in both directions.
    pub(crate) fn of<C: Copy + Send + Sync + 'static>(self, change: C, value: fn(&mut Value, C)) -> Self {
        self.by(move |_| both(move |own| value(own, change)))
    }
}

/// Packets are changed after they are written.
pub(crate) fn written(change: impl Fn(&Request, Vec<u8>) -> Vec<u8> + Send + Sync + 'static) -> Option<Mutation> {
    answers(move |request, answer, _| match answer {
        Answer::Bytes(bytes) => Answer::Bytes(change(request, bytes)),
        other => other,
    })
}

/// Packets are changed after they are written, given the codec that reads them; a length in front is that of what they become.
pub(crate) fn rewritten(
    dialect: &Dialect,
    change: impl Fn(&Codec, &[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> Option<Mutation> {
    let codec = Codec::new(dialect, JudgedBy::Engines);
    written(move |request, bytes| {
        let codec = &*reference::allowing(&codec, request.objects);
        let packet = if request.framing.is_some() { bytes.get(Framing::PREFIX..) } else { Some(bytes.as_slice()) };
        let Some(changed) = packet.and_then(|packet| change(codec, packet)) else { return bytes };
        match (request.framing, u32::try_from(changed.len())) {
            (Some(framing), Ok(length)) => [&framing.prefix(length)[..], &changed].concat(),
            _ => changed,
        }
    })
}

/// Where a packet is refused for this reason, another is read instead.
pub(crate) fn reads_instead(kind: Refusal, other: fn(&[u8], usize) -> Option<Vec<u8>>) -> Option<Mutation> {
    accepts(move |reader, packet, error| match other(packet, error.at) {
        Some(other) if error.kind == kind => reader.decode(&other),
        Some(_) | None => Err(error),
    })
}

/// Values are changed after they are decoded.
pub(crate) fn decoded(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { decoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are changed before they are encoded.
pub(crate) fn encoded(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { encoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are changed in both directions.
pub(crate) fn both(change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { decoded: Some(Box::new(change.clone())), encoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are refused in both directions, also within others.
pub(crate) fn refuses(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    refuses_whole(move |value| all_in(value).any(&which))
}

/// Values are refused in both directions.
pub(crate) fn refuses_whole(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { refuses: Some(Box::new(which)), ..Mutation::default() })
}

/// Fields are read another way.
pub(crate) fn reads(how: impl Fn(&MutatedField<'_>) -> Option<Splice> + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { reads: Some(Box::new(how)), ..Mutation::default() })
}

/// Fields are written another way.
pub(crate) fn writes(how: impl Fn(&MutatedField<'_>) -> Option<Vec<u8>> + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { writes: Some(Box::new(how)), ..Mutation::default() })
}

/// Packets that the codec refuses are read.
pub(crate) fn accepts(
    how: impl Fn(&Reader<'_>, &[u8], DecodeError) -> Result<Decoded, DecodeError> + Send + Sync + 'static,
) -> Option<Mutation> {
    Some(Mutation { accepts: Some(Box::new(how)), ..Mutation::default() })
}

/// Answers are replaced, depending on the request and on earlier ones.
pub(crate) fn answers(
    how: impl Fn(&Request, Answer, &RequestHistory) -> Answer + Send + Sync + 'static,
) -> Option<Mutation> {
    Some(Mutation { answers: Some(Box::new(how)), ..Mutation::default() })
}

/// These values are decoded as null.
pub(crate) fn decoded_as_null(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    decoded(move |value| {
        if which(value) {
            *value = Value::Null;
        }
    })
}

/// The layout of this name, where the dialect has it.
pub(crate) fn named(dialect: &Dialect, name: &str) -> Option<LayoutId> {
    dialect.layouts.id_of(name).filter(|layout| dialect.id_of(*layout).is_some())
}

/// The first layout of this shape, where the dialect has one.
pub(crate) fn of_shape(dialect: &Dialect, shape: Shape) -> Option<LayoutId> {
    dialect.type_of_shape(shape).map(|entry| entry.layout)
}

/// The layouts of the dialect that are the type of their elements, and values.
pub(crate) fn typed_arrays(dialect: &Dialect) -> impl Iterator<Item = LayoutId> {
    let is_typed = |record: &[RecordField]| {
        matches!(record, [of, items]
            if matches!(of.form, FieldForm::Type { .. }) && matches!(items.form, FieldForm::Values { .. }))
    };
    dialect.types.iter().map(|entry| entry.layout).filter(move |layout| is_typed(&dialect.layouts.get(*layout).record))
}

/// The layouts of the dialect that are so.
pub(crate) fn layouts_where(dialect: &Dialect, is: impl Fn(&Layout) -> bool) -> Vec<LayoutId> {
    let layouts = dialect.types.iter().map(|entry| entry.layout);
    layouts.filter(|id| is(dialect.layouts.get(*id))).collect()
}

/// The first two layouts of this shape, if the dialect has two.
pub(crate) fn two_of_shape(dialect: &Dialect, shape: Shape) -> Option<[LayoutId; 2]> {
    let mut layouts = dialect.types.iter().filter(|entry| dialect.layout(entry).shape == shape);
    Some([layouts.next()?.layout, layouts.next()?.layout])
}

pub(crate) fn array(items: Vec<Value>) -> Value {
    Value::Array(Array { items, ..Array::default() })
}

/// Changes each layout of a dialect.
pub(crate) fn change_layouts(dialect: &mut Dialect, change: impl Fn(LayoutId, &mut Layout)) {
    let mut layouts = Vec::new();
    for (id, layout) in dialect.layouts.iter() {
        let mut layout = layout.clone();
        change(id, &mut layout);
        layouts.push(layout);
    }
    dialect.layouts = Arc::new(Layouts::new(layouts));
}

/// Whether it is refused for this reason.
pub(crate) fn is_refused_as(answer: &Answer, refusal: Refusal) -> bool {
    matches!(answer, Answer::Refused(RefusalReason { kind: Some(kind), .. }) if kind == refusal.name())
}

/// What is seen of a process that takes all memory.
pub(crate) fn killed() -> Answer {
    Answer::Crashed(Ending::new("killed by signal 9"))
}
