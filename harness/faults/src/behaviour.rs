//! Behavioural mutants: faults of real codecs that no table can express.

mod containers;
pub(crate) mod converted;
mod cuts;
pub(crate) mod doubles;
mod floats;
mod frames;
pub(crate) mod keys;
mod lengths;
mod numbers;
mod packed;
pub(crate) mod packets;
mod paths;
pub(crate) mod reals;
pub(crate) mod records;
pub(crate) mod texts;
mod typed;

use variant_codec::{Array, DecodeError, Decoded, Refusal, Value};
use variant_specs::{Dialect, FieldForm, Layout, LayoutId, RecordField, Shape};

use super::fault::{Fault, Mutation, Place, Reader, RequestHistory, all_in};
use super::packet::{MutatedField, Splice};
use packets::{reads_instead, written};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Request};

/// How a fault acts in a dialect.
type Act = Box<dyn Fn(&Dialect) -> Option<Mutation>>;

/// A fault of real codecs. The mutation is `None` in dialects that cannot have it.
pub(super) struct CodecFault {
    name: &'static str,
    /// What it does.
    sentence: &'static str,
    /// The name of the cause that it is a part of; `None`: it is one by itself.
    cause: Option<&'static str>,
    /// Where the only values stand that it changes.
    place: Option<Place>,
    /// What becomes of texts, if that is all.
    of_texts: Option<fn(&str) -> String>,
    mutation: Act,
}

/// A fault that does nothing: its methods say what it does.
fn fault(name: &'static str, sentence: &'static str) -> CodecFault {
    CodecFault { name, sentence, cause: None, place: None, of_texts: None, mutation: Box::new(|_| None) }
}

impl CodecFault {
    fn part_of(self, cause: &'static str) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// The same, of values that stand there alone.
    fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The same, in dialects with this rule.
    fn needs(self, rule: &'static str) -> Self {
        let mutation = self.mutation;
        Self { mutation: Box::new(move |dialect| mutation(dialect).filter(|_| dialect.has(rule))), ..self }
    }

    fn by(self, mutation: impl Fn(&Dialect) -> Option<Mutation> + 'static) -> Self {
        Self { mutation: Box::new(mutation), ..self }
    }

    fn decoded(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| decoded(change))
    }

    fn encoded(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| encoded(change))
    }

    fn both(self, change: fn(&mut Value)) -> Self {
        self.by(move |_| both(change))
    }

    /// Such values are read as null.
    fn read_as_null(self, which: fn(&Value) -> bool) -> Self {
        self.by(move |_| decoded_as_null(which))
    }

    fn refuses(self, which: fn(&Value) -> bool) -> Self {
        self.by(move |_| refuses(which))
    }

    fn reads(self, how: fn(&MutatedField<'_>) -> Option<Splice>) -> Self {
        self.by(move |_| reads(how))
    }

    fn writes(self, how: fn(&MutatedField<'_>) -> Option<Vec<u8>>) -> Self {
        self.by(move |_| writes(how))
    }

    fn accepts(self, how: fn(&Reader<'_>, &[u8], DecodeError) -> Result<Decoded, DecodeError>) -> Self {
        self.by(move |_| accepts(how))
    }

    /// Where a packet is refused for this reason, another is read instead.
    fn reads_instead(self, kind: Refusal, other: fn(&[u8], usize) -> Option<Vec<u8>>) -> Self {
        self.by(move |_| reads_instead(kind, other))
    }

    fn answers(self, how: fn(&Request, Answer, &RequestHistory) -> Answer) -> Self {
        self.by(move |_| answers(how))
    }

    /// Packets are changed after they are written.
    fn written(self, change: fn(&Request, Vec<u8>) -> Vec<u8>) -> Self {
        self.by(move |_| written(change))
    }

    /// A part of a value is changed, in both directions.
    fn of<C: Copy + Send + Sync + 'static>(self, change: C, value: fn(&mut Value, C)) -> Self {
        self.by(move |_| both(move |own| value(own, change)))
    }
}

/// Every fault, in the reader and in the writer, each on its own.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    faults().flat_map(|fault| of_fault(dialect, &fault)).chain(doubles::mutants(dialect)).collect()
}

fn faults() -> impl Iterator<Item = CodecFault> {
    let all = [
        lengths::faults(),
        texts::faults(),
        paths::faults(),
        numbers::faults(),
        floats::faults(),
        reals::faults(),
        records::faults(),
        containers::faults(),
        converted::faults(),
        packed::faults(),
        typed::faults(),
        keys::faults(),
        packets::faults(),
        cuts::faults(),
        frames::faults(),
    ];
    all.into_iter().flatten()
}

fn of_fault(dialect: &Dialect, own: &CodecFault) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend((own.mutation)(dialect).map(|mutation| named_as(dialect, own, own.name, mutation)));
    // Texts of string arrays have a function of their own, or that of all.
    if let Some(change) = own.of_texts {
        let name = format!("{}-in-arrays-too", own.name);
        faults.extend(both(move |value| texts::all(value, change)).map(|all| named_as(dialect, own, &name, all)));
    }
    faults.into_iter().flatten().collect()
}

fn named_as(dialect: &Dialect, own: &CodecFault, name: &str, mutation: Mutation) -> Vec<Fault> {
    let mutant = |op, mutation| {
        let fault = Fault::new(dialect, "behaviour", name, op, mutation);
        Fault { place: own.place, ..fault }.called(own.cause.unwrap_or(own.name)).described(own.sentence)
    };
    let undivided = mutation.refuses.is_some() || mutation.answers.is_some() || mutation.tables.is_some();
    match mutation.directions() {
        _ if undivided => vec![mutant(None, mutation)],
        (true, true) => mutation.divided().map(|(op, mutation)| mutant(Some(op), mutation)).into(),
        (true, false) => vec![mutant(Some(Op::Decode), mutation)],
        (false, _) => vec![mutant(Some(Op::Encode), mutation)],
    }
}

/// Values are changed after they are decoded.
fn decoded(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { decoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are changed before they are encoded.
fn encoded(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { encoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are changed in both directions.
fn both(change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { decoded: Some(Box::new(change.clone())), encoded: Some(Box::new(change)), ..Mutation::default() })
}

/// Values are refused in both directions, also within others.
fn refuses(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    refuses_whole(move |value| all_in(value).any(&which))
}

/// Values are refused in both directions.
fn refuses_whole(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { refuses: Some(Box::new(which)), ..Mutation::default() })
}

/// Fields are read another way.
fn reads(how: impl Fn(&MutatedField<'_>) -> Option<Splice> + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { reads: Some(Box::new(how)), ..Mutation::default() })
}

/// Fields are written another way.
fn writes(how: impl Fn(&MutatedField<'_>) -> Option<Vec<u8>> + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { writes: Some(Box::new(how)), ..Mutation::default() })
}

/// Packets that the codec refuses are read.
fn accepts(
    how: impl Fn(&Reader<'_>, &[u8], DecodeError) -> Result<Decoded, DecodeError> + Send + Sync + 'static,
) -> Option<Mutation> {
    Some(Mutation { accepts: Some(Box::new(how)), ..Mutation::default() })
}

/// Answers are replaced, depending on the request and on earlier ones.
fn answers(how: impl Fn(&Request, Answer, &RequestHistory) -> Answer + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { answers: Some(Box::new(how)), ..Mutation::default() })
}

/// These values are decoded as null.
fn decoded_as_null(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    decoded(move |value| {
        if which(value) {
            *value = Value::Null;
        }
    })
}

/// The layout of this name, where the dialect has it.
fn named(dialect: &Dialect, name: &str) -> Option<LayoutId> {
    dialect.layouts.id_of(name).filter(|layout| dialect.id_of(*layout).is_some())
}

/// The first layout of this shape, where the dialect has one.
fn of_shape(dialect: &Dialect, shape: Shape) -> Option<LayoutId> {
    dialect.type_of_shape(shape).map(|entry| entry.layout)
}

/// The layouts of the dialect that are the type of their elements, and values.
fn typed_arrays(dialect: &Dialect) -> impl Iterator<Item = LayoutId> {
    let is_typed = |record: &[RecordField]| {
        matches!(record, [of, items]
            if matches!(of.form, FieldForm::Type { .. }) && matches!(items.form, FieldForm::Values { .. }))
    };
    dialect.types.iter().map(|entry| entry.layout).filter(move |layout| is_typed(&dialect.layouts.get(*layout).record))
}

/// The layouts of the dialect that are so.
fn layouts_where(dialect: &Dialect, is: impl Fn(&Layout) -> bool) -> Vec<LayoutId> {
    let layouts = dialect.types.iter().map(|entry| entry.layout);
    layouts.filter(|id| is(dialect.layouts.get(*id))).collect()
}

/// The first two layouts of this shape, if the dialect has two.
fn two_of_shape(dialect: &Dialect, shape: Shape) -> Option<[LayoutId; 2]> {
    let mut layouts = dialect.types.iter().filter(|entry| dialect.layout(entry).shape == shape);
    Some([layouts.next()?.layout, layouts.next()?.layout])
}

fn array(items: Vec<Value>) -> Value {
    Value::Array(Array { items, ..Array::default() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::faults;

    #[test]
    fn no_two_have_one_name() {
        let names: BTreeSet<&str> = faults().map(|fault| fault.name).collect();
        assert_eq!(names.len(), faults().count());
    }
}
