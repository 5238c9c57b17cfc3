//! Faults with arrays, dictionaries, and nesting.

use variant_codec::{Array, Dictionary, Role, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use crate::builder::{CodecFault, both, fault, of_shape, reads, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};
use crate::place::Place;

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("empty-array-is-null", "an empty array is read as null")
            .read_as_null(|value| matches!(value, Value::Array(array) if array.items.is_empty())),
        fault("empty-dictionary-is-an-array", "an empty dictionary becomes an empty array").both(|value| {
            if matches!(value, Value::Dictionary(dictionary) if dictionary.entries.is_empty()) {
                *value = Value::Array(Array::default());
            }
        }),
        fault("array-of-one-unwrapped", "an array of one becomes its element").both(|value| {
            if let Value::Array(array) = value
                && array.items.len() == 1
            {
                *value = array.items.remove(0);
            }
        }),
        fault("arrays-flattened", "arrays within arrays become one").items(flatten),
        fault("last-element-lost", "the last element of an array is lost").items(|items| drop(items.pop())),
        fault("elements-turned-round", "an array is in reverse order").items(|items| items.reverse()),
        fault("nulls-dropped", "nulls in an array are dropped")
            .items(|items| items.retain(|item| *item != Value::Null)),
        fault("last-pair-lost", "the last pair of a dictionary is lost").both(|value| {
            if let Value::Dictionary(dictionary) = value {
                drop(dictionary.entries.pop());
            }
        }),
        fault("pairs-count-twice", "the count of a dictionary is that of its keys and values together").by(|dialect| {
            let dictionary = of_shape(dialect, Shape::Dictionary)?;
            let of = move |field: &MutatedField<'_>, change: fn(u32) -> u32| {
                let count = field.word().filter(|_| field.role == Role::Count && field.layout == dictionary)?;
                Some((count & 1 << 31 | change(count & !(1 << 31))).to_le_bytes().to_vec())
            };
            let read = reads(move |field| of(field, |count| count / 2).map(Splice::As))?;
            Some(Mutation { reads: read.reads, ..writes(move |field| of(field, |count| 2 * count))? })
        }),
        fault("shared-lost", "the shared bit of a container is lost").by(|dialect| shared(dialect, false)),
        fault("shared-everywhere", "every container is shared").by(|dialect| shared(dialect, true)),
        fault("count-of-a-byte", "of 256 elements or more, only those beyond are kept")
            .items(|items| items.truncate(items.len() % 256)),
        fault("big-arrays-refused", "arrays of more than 255 elements are refused")
            .refuses(|value| matches!(value, Value::Array(array) if array.items.len() > 255)),
        fault("masked-counts-are-signed", "a count with bit 31 set is negative, and read as none").by(|dialect| {
            let containers: Vec<LayoutId> =
                [Shape::Array, Shape::Dictionary].into_iter().filter_map(|shape| of_shape(dialect, shape)).collect();
            reads(move |field| {
                let negative = field.role == Role::Count && field.bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                (negative && containers.contains(&field.layout)).then(|| Splice::As(vec![0; field.bytes.len()]))
            })
        }),
        fault("falsy-values-are-null", "values of a dictionary that are false, 0 or empty texts become null")
            .by(|_| null_where(is_falsy))
            .at(Place::Value),
        fault("falsy-is-null", "false, 0, and what is empty become null").by(|_| null_where(is_falsy_in_python)),
        fault("falsy-is-null-as-in-javascript", "false, 0, NaN and empty texts become null")
            .by(|_| null_where(is_falsy))
            .part_of("falsy-is-null"),
        fault(
            "falsy-values-but-floats-are-null",
            "values of a dictionary that are false, the integer 0 or empty texts become null",
        )
        .by(|_| null_where(|value| is_falsy(value) && !matches!(value, Value::Float(_))))
        .at(Place::Value),
        fault("null-in-containers-not-written", "within containers, null writes no bytes")
            .writes(|field| (field.is_header() && field.bytes == [0; 4]).then(Vec::new))
            .at(Place::Within),
    ]
}

impl CodecFault {
    /// The elements of arrays.
    fn items(self, change: fn(&mut Vec<Value>)) -> Self {
        self.of(change, |value, change| {
            if let Value::Array(array) = value {
                change(&mut array.items);
            }
        })
    }
}

fn shared(dialect: &Dialect, is: bool) -> Option<Mutation> {
    dialect.has("shared-bit=kept").then_some(())?;
    both(move |value| {
        if let Value::Array(Array { shared, .. }) | Value::Dictionary(Dictionary { shared, .. }) = value {
            *shared = is;
        }
    })
}

/// Such values become null.
fn null_where(which: fn(&Value) -> bool) -> Option<Mutation> {
    both(move |value| {
        if which(value) {
            *value = Value::Null;
        }
    })
}

/// What counts as false in languages in which values do.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Bool(bool) => !bool,
        Value::Int(int) => *int == 0,
        Value::Float(float) => float.get() == 0.0 || float.get().is_nan(),
        Value::Text(_, text) => text.as_bytes().is_empty(),
        _ => false,
    }
}

/// What counts as false in Python: NaN does not, and whatever is empty does.
fn is_falsy_in_python(value: &Value) -> bool {
    match value {
        Value::Float(float) => float.get() == 0.0,
        Value::Array(array) => array.items.is_empty(),
        Value::Dictionary(dictionary) => dictionary.entries.is_empty(),
        Value::Packed(_, numbers) => numbers.is_empty(),
        Value::PackedText(_, texts) => texts.is_empty(),
        value => is_falsy(value),
    }
}

fn flatten(items: &mut Vec<Value>) {
    let inner = |item| if let Value::Array(inner) = item { inner.items } else { vec![item] };
    *items = std::mem::take(items).into_iter().flat_map(inner).collect();
}
