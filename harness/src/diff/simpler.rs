//! What is simpler than a value or a packet: the next steps of every shrinking, here and in proptest's value trees.

use std::iter::{once, once_with, successors};
use std::rc::Rc;

use smallvec::SmallVec;
use variant_codec::{
    Array, Codec, Dictionary, ElementType, F32, F64, Framing, Image, InputEvent, NodePath, Numbers, Object, Signal,
    Text, TypedArray, Value,
};

use super::frame;
use crate::ask::is_deep;
use crate::implementation::{Question, Request};

/// The packet's length, its bytes that are not zero, and their sum: less of it is simpler.
pub(super) fn weight(question: &Question, codec: &Codec) -> (usize, usize, u64) {
    let of = |packet: &[u8]| {
        let set = packet.iter().filter(|byte| **byte != 0).count();
        (packet.len(), set, packet.iter().map(|byte| u64::from(*byte)).sum())
    };
    match question {
        Question::Decode(packet) | Question::Reencode(packet) => of(packet),
        Question::Encode(value) => codec.encode(value).map_or_else(
            |_| {
                (
                    values(&Value::Array(Array {
                        items: value.children().into_iter().cloned().collect(),
                        of: None,
                        shared: false,
                    }))
                    .len(),
                    0,
                    0,
                )
            },
            |packet| of(&packet),
        ),
    }
}

/// Questions that are simpler, the boldest first. Each is made when it is wanted: of a packet there are more than twice as
/// many as it has bytes, and mostly one of the first few is taken.
pub(super) fn requests<'a>(request: &'a Request, codec: &'a Codec) -> Box<dyn Iterator<Item = Request> + 'a> {
    let least = weight(&request.question, codec);
    let inputs = |input: &'a [u8]| match request.framing {
        None => packets(input.to_vec(), codec),
        Some(framing) => frames(input, framing, codec),
    };
    let all: Box<dyn Iterator<Item = Question>> = match &request.question {
        // Whatever stands in it shows what a frame is.
        Question::Encode(value) if request.framing.is_some() => {
            Box::new(values_or_null(value).into_iter().map(Question::Encode))
        }
        Question::Encode(value) => Box::new(values(value).into_iter().map(Question::Encode)),
        Question::Decode(input) => Box::new(inputs(input).map(Question::Decode)),
        Question::Reencode(input) => Box::new(inputs(input).map(Question::Reencode)),
    };
    let simpler = all.filter(move |simpler| weight(simpler, codec) < least);
    Box::new(simpler.map(|question| Request { question, ..request.clone() }))
}

/// Packets, made when they are wanted.
type Packets<'a> = Box<dyn Iterator<Item = Vec<u8>> + 'a>;

/// Simpler packets in frames that fit, with and without what stands behind; then the bytes themselves.
fn frames<'a>(input: &'a [u8], framing: Framing, codec: &'a Codec) -> Packets<'a> {
    let bytes = packets(input.to_vec(), codec);
    let Some(inside) = frame::inside(input, framing) else { return bytes };
    let behind = &input[inside.end..];
    let simpler = move || packets(input[inside.clone()].to_vec(), codec);
    let alone = simpler().map(move |packet| frame::framed(&packet, framing));
    let before = simpler().map(move |packet| [&frame::framed(&packet, framing), behind].concat());
    Box::new(alone.chain(before).chain(bytes))
}

/// Simpler packets: those of simpler values where it is one, then the bytes themselves with parts left out or zero.
fn packets(packet: Vec<u8>, codec: &Codec) -> Packets<'_> {
    let packet: Rc<[u8]> = packet.into();
    let read = of_value(&packet, codec);
    Box::new(
        read.into_iter().flatten().chain(without_parts(&packet)).chain(less_counted(&packet)).chain(lower(&packet)),
    )
}

/// What the value of a packet has that is simpler, where there is one.
fn of_value<'a>(packet: &Rc<[u8]>, codec: &'a Codec) -> Option<Packets<'a>> {
    let value = codec.decode(packet).ok()?;
    let used = value.used.min(packet.len());
    let again = codec.encode(&value.value).ok();
    let behind = packet[used..].to_vec();
    // Only where that is what it says, or else what is odd about it would be lost at once. What is deep is made less deep
    // faster by leaving bytes out.
    let is_own = again.as_deref() == Some(&packet[..used]) && !is_deep(&value.value);
    let again = again.map(|again| [again, behind.clone()].concat());
    let values = once_with(move || if is_own { values(&value.value) } else { Vec::new() }).flatten();
    let values = values.filter_map(move |value| Some([codec.encode(&value).ok()?, behind.clone()].concat()));
    Some(Box::new(again.into_iter().chain(values).chain(once(packet[..used].to_vec()))))
}

/// The packet without its halves, quarters and so on, down to single bytes.
fn without_parts<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let (packet, length) = (Rc::clone(packet), packet.len());
    let smaller = |part: &usize| Some(if *part > 4 { part / 2 } else { part - 1 }).filter(|part| *part > 0);
    let parts = successors(Some(length / 2).filter(|part| *part > 0), smaller);
    Box::new(parts.flat_map(move |part| {
        let (packet, step) = (Rc::clone(&packet), if part >= 4 { part & !3 } else { part });
        (0..length).step_by(step).map(move |from| [&packet[..from], &packet[length.min(from + step)..]].concat())
    }))
}

/// A count or length less, and what it counted gone: one thing of a few words, or so many bytes.
fn less_counted<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let packet = Rc::clone(packet);
    let words = (0..packet.len().saturating_sub(3)).step_by(4);
    Box::new(words.flat_map(move |at| less_at(&packet, at)))
}

/// The same of the word that stands there.
fn less_at(packet: &[u8], at: usize) -> Vec<Vec<u8>> {
    let word = packet[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let fewer = (word & 0x7fff_ffff > 0).then(|| word - 1);
    let fewer = fewer.into_iter().chain([0, word & 0xff, word & 0x8000_0000, word & 0xffff, 1, word / 2]);
    let mut all: Vec<Vec<u8>> =
        [1, 4].into_iter().filter_map(|gone| with_fewer_bytes(packet, at, word, gone)).collect();
    for less in fewer.filter(|less| *less < word) {
        let mut lesser = packet.to_vec();
        lesser[at..at + 4].copy_from_slice(&less.to_le_bytes());
        if less + 1 == word {
            for gone in [4, 8, 12, 16] {
                let starts = (at + 4..packet.len()).step_by(4).filter(|from| from + gone <= packet.len()).take(8);
                all.extend(starts.map(|from| [&lesser[..from], &lesser[from + gone..]].concat()));
            }
        }
        all.push(lesser);
    }
    all
}

/// A length less by so many, and as many bytes gone behind it.
fn with_fewer_bytes(packet: &[u8], at: usize, word: u32, gone: u8) -> Option<Vec<u8>> {
    let less = word.checked_sub(gone.into())?;
    let rest = packet.get(at + 4 + usize::from(gone)..)?;
    Some([&packet[..at], &less.to_le_bytes(), rest].concat())
}

/// A byte less.
fn lower<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let packet = Rc::clone(packet);
    Box::new((0..packet.len().min(256)).flat_map(move |at| {
        let (packet, old) = (Rc::clone(&packet), packet[at]);
        let lesser = [0, old / 2, old.wrapping_sub(1), old & 0x80].into_iter().filter(move |less| *less < old);
        lesser.map(move |less| {
            let mut lesser = packet.to_vec();
            lesser[at] = less;
            lesser
        })
    }))
}

/// Simpler values, the boldest first: what stands in it, less of it, each part simpler.
pub(super) fn values(value: &Value) -> Vec<Value> {
    match value {
        Value::Null | Value::Rid(None) | Value::Callable => Vec::new(),
        Value::Rid(Some(id)) => smaller(*id).map(|id| Value::Rid(Some(id))).collect(),
        Value::Signal(signal) => {
            let ids = smaller(signal.object).map(|object| Signal { object, name: signal.name.clone() });
            let names = texts(&signal.name).into_iter().map(|name| Signal { name, ..**signal });
            names.chain(ids).map(|signal| Value::Signal(Box::new(signal))).collect()
        }
        Value::Bool(bool) => {
            if *bool {
                vec![Value::Bool(false)]
            } else {
                Vec::new()
            }
        }
        Value::Int(int) => ints(*int).into_iter().map(Value::Int).collect(),
        Value::Float(float) => doubles(*float).into_iter().map(Value::Float).collect(),
        Value::Text(layout, text) => texts(text).into_iter().map(|text| Value::Text(*layout, text)).collect(),
        Value::Fields(layout, numbers) => same_count(numbers).into_iter().map(|n| Value::Fields(*layout, n)).collect(),
        Value::Packed(layout, numbers) => packed(numbers).into_iter().map(|n| Value::Packed(*layout, n)).collect(),
        Value::PackedText(layout, all) => {
            lists(all, texts).into_iter().map(|texts| Value::PackedText(*layout, texts)).collect()
        }
        Value::Array(array) => {
            let fewer = lists(&array.items, values_or_null);
            let plain = array.shared.then(|| Value::Array(Array { shared: false, ..array.clone() }));
            let untyped = array.of.is_some().then(|| Value::Array(Array { of: None, ..array.clone() }));
            let fewer = fewer.into_iter().map(|items| Value::Array(Array { items, of: array.of.clone(), ..*array }));
            plain.into_iter().chain(untyped).chain(fewer).collect()
        }
        Value::Dictionary(dictionary) => {
            let pairs = |(key, value): &(Value, Value)| -> Vec<(Value, Value)> {
                let values = values_or_null(value).into_iter().map(|value| (key.clone(), value));
                values.chain(values_or_null(key).into_iter().map(|key| (key, value.clone()))).collect()
            };
            let shared = dictionary.shared;
            let plain = shared.then(|| Value::Dictionary(Dictionary { shared: false, ..dictionary.clone() }));
            let of = &dictionary.of;
            let untyped = of.is_some().then(|| Value::Dictionary(Dictionary { of: None, ..dictionary.clone() }));
            let fewer = lists(&dictionary.entries, pairs).into_iter().chain(repeated(&dictionary.entries));
            let fewer = fewer.map(|entries| Value::Dictionary(Dictionary { entries, of: of.clone(), shared }));
            plain.into_iter().chain(untyped).chain(fewer).collect()
        }
        Value::NodePath(path) => paths(path).into_iter().map(|path| Value::NodePath(Box::new(path))).collect(),
        Value::Object(object) => match object.as_ref() {
            Object::Null => Vec::new(),
            Object::Id(id) => {
                let less = smaller(*id).filter(|less| *less > 0);
                less.map(|id| Value::Object(Box::new(Object::Id(id)))).collect()
            }
            Object::Full { class, properties } => {
                let pairs = |(name, value): &(Text, Value)| -> Vec<(Text, Value)> {
                    values_or_null(value).into_iter().map(|value| (name.clone(), value)).collect()
                };
                let fewer = lists(properties, pairs).into_iter();
                fewer
                    .map(|properties| Value::Object(Box::new(Object::Full { class: class.clone(), properties })))
                    .collect()
            }
        },
        Value::Image(image) => images(image).into_iter().map(|image| Value::Image(Box::new(image))).collect(),
        Value::InputEvent(event) => {
            let simpler = |at: usize| {
                let words: SmallVec<[u32; 2]> =
                    event.words.iter().enumerate().map(|(n, word)| if n == at { 0 } else { *word }).collect();
                InputEvent { words, ..event.as_ref().clone() }
            };
            let device = (event.device != 0).then(|| InputEvent { device: 0, ..event.as_ref().clone() });
            let events = (0..event.words.len()).filter(|at| event.words[*at] != 0).map(simpler).chain(device);
            events.map(|event| Value::InputEvent(Box::new(event))).collect()
        }
        Value::Typed(layout, typed) => {
            let of = |of: ElementType, items: Vec<Value>| Value::Typed(*layout, Box::new(TypedArray { of, items }));
            let fewer = lists(&typed.items, values);
            fewer.into_iter().map(|items| of(typed.of.clone(), items)).collect()
        }
    }
}

/// Each key that is repeated made simpler wherever it stands: one that is simpler alone is another key.
fn repeated(entries: &[(Value, Value)]) -> Vec<Vec<(Value, Value)>> {
    let mut lists = Vec::new();
    for (place, (key, _)) in entries.iter().enumerate().take(64) {
        let is_first = entries[..place].iter().all(|(other, _)| other != key);
        if is_first && entries[place + 1..].iter().any(|(other, _)| other == key) {
            let with = |less: &Value| {
                let pair = |(old, value): &(Value, Value)| (if old == key { less } else { old }.clone(), value.clone());
                entries.iter().map(pair).collect()
            };
            lists.extend(values_or_null(key).iter().map(with));
        }
    }
    lists
}

/// Smaller ids.
fn smaller(id: u64) -> impl Iterator<Item = u64> {
    [0, 1, 7, id & 0xff, id >> 32, id / 2].into_iter().filter(move |less| *less < id)
}

fn values_or_null(value: &Value) -> Vec<Value> {
    let null = (*value != Value::Null).then_some(Value::Null);
    null.into_iter().chain(value.children().into_iter().cloned()).chain(values(value)).collect()
}

/// Nothing, halves, each one gone, each one simpler.
fn lists<T: Clone>(all: &[T], simpler: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = fewer(all);
    for (place, one) in all.iter().enumerate().take(64) {
        for less in simpler(one) {
            let mut list = all.to_vec();
            list[place] = less;
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

/// The same number of numbers: all zero, each zero, each simpler.
fn same_count(numbers: &Numbers) -> Vec<Numbers> {
    fn each<N: Copy + PartialEq>(all: &[N], zero: N, simpler: impl Fn(N) -> Vec<N>) -> Vec<Vec<N>> {
        let mut lists = Vec::new();
        if all.iter().filter(|one| **one != zero).count() > 1 {
            lists.push(vec![zero; all.len()]);
        }
        for (place, one) in all.iter().enumerate().take(64) {
            for less in simpler(*one) {
                let mut list = all.to_vec();
                list[place] = less;
                lists.push(list);
            }
        }
        lists
    }
    match numbers {
        Numbers::Bytes(bytes) => each(bytes, 0, |byte| if byte == 0 { Vec::new() } else { vec![0, 1.min(byte - 1)] })
            .into_iter()
            .map(Numbers::Bytes)
            .collect(),
        Numbers::Int32(all) => {
            let simpler =
                |int: i32| ints(i64::from(int)).into_iter().filter_map(|int| i32::try_from(int).ok()).collect();
            each(all, 0, simpler).into_iter().map(|all| Numbers::Int32(all.into())).collect()
        }
        Numbers::Int64(all) => each(all, 0, ints).into_iter().map(|all| Numbers::Int64(all.into())).collect(),
        Numbers::Float32(all) => {
            each(all, F32(0), singles).into_iter().map(|all| Numbers::Float32(all.into())).collect()
        }
        Numbers::Float64(all) => {
            each(all, F64(0), doubles).into_iter().map(|all| Numbers::Float64(all.into())).collect()
        }
    }
}

/// Fewer elements, then simpler ones. How many numbers an element has is not known here: halves and tails of all
/// small counts are tried, and the codec refuses what is none.
fn packed(numbers: &Numbers) -> Vec<Numbers> {
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
    let mut all: Vec<Numbers> = match numbers {
        Numbers::Bytes(all) => cut(all).into_iter().map(Numbers::Bytes).collect(),
        Numbers::Int32(all) => cut(all).into_iter().map(|all| Numbers::Int32(all.into())).collect(),
        Numbers::Int64(all) => cut(all).into_iter().map(|all| Numbers::Int64(all.into())).collect(),
        Numbers::Float32(all) => cut(all).into_iter().map(|all| Numbers::Float32(all.into())).collect(),
        Numbers::Float64(all) => cut(all).into_iter().map(|all| Numbers::Float64(all.into())).collect(),
    };
    all.extend(same_count(numbers));
    all
}

/// Nothing, halves, a letter less, letters that are plainer. Whole letters where it is text.
fn texts(text: &Text) -> Vec<Text> {
    let Some(letters) = text.as_str() else {
        return fewer(text.as_bytes()).into_iter().map(|bytes| Text::from_bytes(&bytes)).collect();
    };
    let letters: Vec<char> = letters.chars().collect();
    let plainer = |letter: &char| if *letter > 'a' { vec!['a'] } else { Vec::new() };
    lists(&letters, plainer)
        .into_iter()
        .map(|letters| Text::from(letters.iter().collect::<String>().as_str()))
        .collect()
}

fn paths(path: &NodePath) -> Vec<NodePath> {
    let names = lists(&path.names, texts).into_iter().map(|names| NodePath { names, ..path.clone() });
    let subnames = lists(&path.subnames, texts).into_iter().map(|subnames| NodePath { subnames, ..path.clone() });
    let property = texts(&path.property).into_iter().map(|property| NodePath { property, ..path.clone() });
    let relative = path.absolute.then(|| NodePath { absolute: false, ..path.clone() });
    names.chain(subnames).chain(property).chain(relative).collect()
}

fn images(image: &Image) -> Vec<Image> {
    let mut all = vec![Image::default(), Image { data: vec![0; image.data.len()], ..image.clone() }];
    if let Some((_, rest)) = image.data.split_first() {
        all.push(Image { data: rest.to_vec(), ..image.clone() });
    }
    let area = |image: &Image| u64::from(image.width) * u64::from(image.height);
    for (width, height) in [(1, 1), (1, image.height), (image.width, 1)] {
        let smaller = Image { width, height, ..image.clone() };
        let length = u64::try_from(image.data.len()).unwrap_or(0) * area(&smaller) / area(image).max(1);
        all.push(Image { data: image.data[..usize::try_from(length).unwrap_or(0)].to_vec(), ..smaller });
    }
    all.retain(|other| other != image);
    all
}
