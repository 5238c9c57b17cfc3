//! Values that are simpler than a value.

use variant_codec::{Array, Component, Dictionary, F32, F64, NodePath, Numbers, Text, Value};
use variant_specs::{FieldForm, LayoutId, Layouts, RecordField};

use super::{Shrinker, Steps, Weight, packet_weight};
use crate::generate::is_one_key;
use crate::parts::is_of;

impl Steps<Value> for Shrinker {
    fn simpler(&self, value: &Value) -> Box<dyn Iterator<Item = Value>> {
        let all = if self.children { simpler_or_null(value) } else { simpler_values(value) };
        let Self { codec, only, .. } = self.clone();
        let comes_back = move |value: &Value| {
            let is_same = |packet: &[u8]| codec.decode(packet).is_ok_and(|decoded| decoded.value == *value);
            let is_meant = |only: &[LayoutId]| {
                codec.encode(value).is_ok_and(|packet| is_of(&packet, &codec, only) && is_same(&packet))
            };
            records_fit(value, codec.layouts()) && only.as_deref().is_none_or(is_meant)
        };
        Box::new(all.into_iter().filter(comes_back))
    }

    /// That of its packet. For a value that cannot be encoded, the length is how many simpler values the array of its
    /// children has.
    fn weight(&self, value: &Value) -> Weight {
        if let Ok(packet) = self.codec.encode(value) {
            return packet_weight(&packet);
        }
        let items = value.children().into_iter().cloned().collect();
        (simpler_values(&Value::Array(Array { items, of: None, shared: false })).len(), 0, 0)
    }
}

/// Whether each record has the fields that its words choose: a simpler word may choose others.
fn records_fit(value: &Value, layouts: &Layouts) -> bool {
    fn fit(fields: &[RecordField], components: &[Component]) -> bool {
        Component::with_fields(fields, components).is_some_and(|pairs| {
            pairs.into_iter().all(|pair| match pair {
                (RecordField { form: FieldForm::Repeat { of, .. }, .. }, Some(Component::List(elements))) => {
                    elements.iter().all(|element| fit(of, element))
                }
                _ => true,
            })
        })
    }
    // A rule of the dialect may leave a record without fields.
    let fits = |id: LayoutId, all: &[Component]| all.is_empty() || fit(&layouts.get(id).record, all);
    !matches!(value, Value::Record(id, all) if !fits(*id, all))
        && value.children().into_iter().all(|child| records_fit(child, layouts))
}

/// Simpler values, the boldest steps first: fewer elements, then each element simpler.
pub(super) fn simpler_values(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(bool) => bool.then_some(Value::Bool(false)).into_iter().collect(),
        Value::Int(int) => ints(*int).into_iter().map(Value::Int).collect(),
        Value::Float(float) => doubles(*float).into_iter().map(Value::Float).collect(),
        Value::Text(layout, text) => texts(text).into_iter().map(|text| Value::Text(*layout, text)).collect(),
        Value::Fields(layout, all) => numbers(all, false).into_iter().map(|n| Value::Fields(*layout, n)).collect(),
        Value::Packed(layout, all) => numbers(all, true).into_iter().map(|n| Value::Packed(*layout, n)).collect(),
        Value::PackedText(layout, all) => {
            lists(all, &Text::default(), texts).into_iter().map(|texts| Value::PackedText(*layout, texts)).collect()
        }
        Value::Array(array) => {
            let fewer = lists(&array.items, &Value::Null, simpler_or_null);
            let plain = array.shared.then(|| Value::Array(Array { shared: false, ..array.clone() }));
            let untyped = array.of.is_some().then(|| Value::Array(Array { of: None, ..array.clone() }));
            let fewer = fewer.into_iter().map(|items| Value::Array(Array { items, of: array.of.clone(), ..*array }));
            plain.into_iter().chain(untyped).chain(fewer).collect()
        }
        Value::Dictionary(dictionary) => {
            let pairs = |(key, value): &(Value, Value)| -> Vec<(Value, Value)> {
                let values = simpler_or_null(value).into_iter().map(|value| (key.clone(), value));
                values.chain(simpler_or_null(key).into_iter().map(|key| (key, value.clone()))).collect()
            };
            let shared = dictionary.shared;
            let plain = shared.then(|| Value::Dictionary(Dictionary { shared: false, ..dictionary.clone() }));
            let of = &dictionary.of;
            let untyped = of.is_some().then(|| Value::Dictionary(Dictionary { of: None, ..dictionary.clone() }));
            let fewer = fewer(&dictionary.entries)
                .into_iter()
                .chain(each_simpler(&dictionary.entries, pairs))
                .chain(repeated(&dictionary.entries));
            let fewer = fewer.map(|entries| Value::Dictionary(Dictionary { entries, of: of.clone(), shared }));
            plain.into_iter().chain(untyped).chain(fewer).collect()
        }
        Value::NodePath(path) => paths(path).into_iter().map(|path| Value::NodePath(Box::new(path))).collect(),
        Value::Record(layout, all) => {
            let simpler = images(all).into_iter().chain(each_simpler(all, components));
            simpler.map(|all| Value::Record(*layout, all)).collect()
        }
    }
}

/// Each repeated key made simpler everywhere at once: changed in one place, it would be another key. Texts of two types are
/// repeated keys too.
fn repeated(entries: &[(Value, Value)]) -> Vec<Vec<(Value, Value)>> {
    let in_place_of = |old: &Value, less: &Value| match (old, less) {
        (Value::Text(layout, _), Value::Text(_, text)) => Value::Text(*layout, text.clone()),
        (_, less) => less.clone(),
    };
    let mut lists = Vec::new();
    for (place, (key, _)) in entries.iter().enumerate().take(64) {
        let is_first = entries[..place].iter().all(|(other, _)| !is_one_key(other, key));
        if is_first && entries[place + 1..].iter().any(|(other, _)| is_one_key(other, key)) {
            let with = |less: &Value| {
                let pair = |(old, value): &(Value, Value)| {
                    let new = if is_one_key(old, key) { in_place_of(old, less) } else { old.clone() };
                    (new, value.clone())
                };
                entries.iter().map(pair).collect()
            };
            lists.extend(simpler_or_null(key).iter().map(with));
        }
    }
    lists
}

/// A component made simpler.
fn components(component: &Component) -> Vec<Component> {
    match component {
        // Which fields there are tells it.
        Component::Flag(_) => Vec::new(),
        Component::Word(word) => {
            smaller(u64::from(*word)).filter_map(|less| u32::try_from(less).ok()).map(Component::Word).collect()
        }
        Component::Id(id) => smaller(*id).map(Component::Id).collect(),
        Component::Single(single) => singles(*single).into_iter().map(Component::Single).collect(),
        Component::Double(double) => doubles(*double).into_iter().map(Component::Double).collect(),
        Component::Text(text) => texts(text).into_iter().map(Component::Text).collect(),
        Component::Bytes(bytes) => fewer(bytes).into_iter().map(Component::Bytes).collect(),
        Component::Value(value) => simpler_or_null(value).into_iter().map(Component::Value).collect(),
        // Values of a type stay of it.
        Component::Type(_) => Vec::new(),
        Component::Values(values) => {
            let simpler = fewer(values).into_iter().chain(each_simpler(values, simpler_values));
            simpler.map(Component::Values).collect()
        }
        Component::List(elements) => {
            let simpler = |element: &Vec<Component>| each_simpler(element, components);
            fewer(elements).into_iter().chain(each_simpler(elements, simpler)).map(Component::List).collect()
        }
    }
}

fn smaller(id: u64) -> impl Iterator<Item = u64> {
    [0, 1, 7, id & 0xff, id >> 32, id / 2].into_iter().filter(move |less| *less < id)
}

/// Null, the value's children, and its simpler values.
fn simpler_or_null(value: &Value) -> Vec<Value> {
    let null = (*value != Value::Null).then_some(Value::Null);
    null.into_iter().chain(value.children().into_iter().cloned()).chain(simpler_values(value)).collect()
}

/// No items, halves, each item left out, all items the simplest, each item simpler.
fn lists<T: Clone + PartialEq>(all: &[T], simplest: &T, simpler: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let many = all.iter().filter(|item| *item != simplest).count() > 1;
    let plain = many.then(|| vec![simplest.clone(); all.len()]);
    fewer(all).into_iter().chain(plain).chain(each_simpler(all, simpler)).collect()
}

fn each_simpler<T: Clone>(all: &[T], simpler: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    for (index, one) in all.iter().enumerate().take(64) {
        for less in simpler(one) {
            let mut list = all.to_vec();
            list[index] = less;
            lists.push(list);
        }
    }
    lists
}

fn fewer<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    if all.is_empty() {
        return Vec::new();
    }
    let mut lists = vec![Vec::new()];
    if all.len() > 2 {
        lists.push(all[..all.len() / 2].to_vec());
        lists.push(all[all.len() / 2..].to_vec());
    }
    if all.len() > 1 {
        let without = |place: usize| [&all[..place], &all[place + 1..]].concat();
        lists.extend((0..all.len().min(64)).map(without));
    }
    lists
}

fn ints(int: i64) -> Vec<i64> {
    let less = [0, 1, -1, int / 2, int / 256, int - int.signum(), 1 << 31, 1 << 32];
    less.into_iter().filter(|less| less.unsigned_abs() < int.unsigned_abs()).collect()
}

fn doubles(float: F64) -> Vec<F64> {
    let masks = [0, 0x3ff0_0000_0000_0000, 0x3fe0_0000_0000_0000].map(F64).into_iter();
    let parts = [float.0 & 0xfff0_0000_0000_0000, float.0 & 0xffff_0000_0000_0000, float.0 & 0xffff_ffff_0000_0000];
    let tenth = F64(0x3fb9_9999_9999_999a);
    masks.chain(parts.map(F64)).chain([tenth]).filter(|less| *less != float).collect()
}

fn singles(float: F32) -> Vec<F32> {
    let parts = [0, 0x3f80_0000, float.0 & 0xff80_0000, float.0 & 0xffff_0000];
    parts.map(F32).into_iter().filter(|less| less.0 < float.0).collect()
}

/// All zero, then each number simpler. For packed numbers, fewer of them come first.
fn numbers(numbers: &Numbers, packed: bool) -> Vec<Numbers> {
    fn all<N: Copy + PartialEq, L: From<Vec<N>>>(
        all: &[N],
        zero: N,
        packed: bool,
        simpler: impl Fn(N) -> Vec<N>,
        of: impl Fn(L) -> Numbers,
    ) -> Vec<Numbers> {
        let fewer = if packed { cut(all) } else { Vec::new() };
        let many = all.iter().filter(|one| **one != zero).count() > 1;
        let plain = many.then(|| vec![zero; all.len()]);
        let lists = fewer.into_iter().chain(plain).chain(each_simpler(all, |one| simpler(*one)));
        lists.map(|list| of(list.into())).collect()
    }
    let bytes = |byte: u8| if byte == 0 { Vec::new() } else { vec![0, 1.min(byte - 1)] };
    let int32s = |int: i32| ints(i64::from(int)).into_iter().filter_map(|int| i32::try_from(int).ok()).collect();
    match numbers {
        Numbers::Bytes(of) => all(of, 0, packed, bytes, Numbers::Bytes),
        Numbers::Int32(of) => all(of, 0, packed, int32s, Numbers::Int32),
        Numbers::Int64(of) => all(of, 0, packed, ints, Numbers::Int64),
        Numbers::Float32(of) => all(of, F32(0), packed, singles, Numbers::Float32),
        Numbers::Float64(of) => all(of, F64(0), packed, doubles, Numbers::Float64),
    }
}

/// Fewer numbers. How many an element has is not known here: small counts are tried from both ends, and the codec
/// refuses what is no array.
fn cut<N: Clone>(all: &[N]) -> Vec<Vec<N>> {
    let length = all.len();
    let mut cuts: Vec<Vec<N>> = if length == 0 { Vec::new() } else { vec![Vec::new()] };
    for keep in [1, 2, 3, 4, length / 2].into_iter().filter(|keep| *keep < length) {
        cuts.push(all[..keep].to_vec());
        cuts.push(all[length - keep..].to_vec());
    }
    for gone in [1, 2, 3, 4].into_iter().filter(|gone| *gone < length) {
        cuts.push(all[gone..].to_vec());
        cuts.push(all[..length - gone].to_vec());
    }
    cuts
}

/// No text, halves, one letter less, plainer letters. A text that is not UTF-8 only loses bytes.
fn texts(text: &Text) -> Vec<Text> {
    let Some(letters) = text.as_str() else {
        return fewer(text.as_bytes()).into_iter().map(|bytes| Text::from_bytes(&bytes)).collect();
    };
    let letters: Vec<char> = letters.chars().collect();
    let plainer = |letter: &char| if *letter > 'a' { vec!['a'] } else { Vec::new() };
    lists(&letters, &'a', plainer)
        .into_iter()
        .map(|letters| Text::from(letters.iter().collect::<String>().as_str()))
        .collect()
}

fn paths(path: &NodePath) -> Vec<NodePath> {
    let names = lists(&path.names, &Text::default(), texts).into_iter().map(|names| NodePath { names, ..path.clone() });
    let subnames = lists(&path.subnames, &Text::default(), texts)
        .into_iter()
        .map(|subnames| NodePath { subnames, ..path.clone() });
    let property = texts(&path.property).into_iter().map(|property| NodePath { property, ..path.clone() });
    let relative = path.absolute.then(|| NodePath { absolute: false, ..path.clone() });
    names.chain(subnames).chain(property).chain(relative).collect()
}

/// An image whose size and data become smaller together: only such a one fits.
fn images(image: &[Component]) -> Vec<Vec<Component>> {
    use Component::{Bytes, Word};
    let [Word(format), Word(mipmaps), Word(width), Word(height), Bytes(data)] = image else { return Vec::new() };
    let with = |words: [u32; 4], data: Vec<u8>| words.map(Word).into_iter().chain([Bytes(data)]).collect::<Vec<_>>();
    let area = |width: u32, height: u32| u64::from(width) * u64::from(height);
    let mut all = vec![with([0; 4], Vec::new()), with([*format, *mipmaps, *width, *height], vec![0; data.len()])];
    for (fewer, lower) in [(1, 1), (1, *height), (*width, 1)] {
        let length = u64::try_from(data.len()).unwrap_or(0) * area(fewer, lower) / area(*width, *height).max(1);
        let data = data[..usize::try_from(length).unwrap_or(0)].to_vec();
        all.push(with([*format, *mipmaps, fewer, lower], data));
    }
    all.retain(|other| other != image);
    all
}
