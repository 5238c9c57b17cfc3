//! What was written, as a value of a dialect.

use std::fmt;

use smallvec::SmallVec;
use variant_codec::{
    Array, Dictionary, ElementType, EntryTypes, F32, F64, Image, InputEvent, NodePath, Numbers, Object, Signal, Text,
    TypedArray, Value,
};
use variant_specs::{Dialect, Layout, LayoutId, Scalar, Shape};

use super::Node;
use crate::protocol::decode_hex;

/// A value to compare with: reals written `nan` stand for any NaN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The value; a canonical NaN where any will do.
    pub value: Value,
    /// Which reals are any NaN, counted from 0 in the order in which they stand in the value.
    pub any_nan: Vec<usize>,
}

/// How a real may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// In the corpus: with a point, so that nobody writes an int by mistake.
    Corpus,
    /// In a reply: any number.
    Reply,
}

/// Why something is no value, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// The path, outermost first: `vector2[1]`; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for ValueError {}

/// The value that `node` writes in this dialect.
///
/// # Errors
/// What is wrong with it, and where: an unknown layout, a number out of range, a missing component…
pub fn resolve(node: &Node, dialect: &Dialect, strictness: Strictness) -> Result<Expected, ValueError> {
    let mut resolver = Resolver { dialect, strictness, reals: 0, any_nan: Vec::new() };
    let value = resolver.value(node)?;
    Ok(Expected { value, any_nan: resolver.any_nan })
}

type Result<T, E = ValueError> = std::result::Result<T, E>;

struct Resolver<'a> {
    dialect: &'a Dialect,
    strictness: Strictness,
    /// Reals met so far.
    reals: usize,
    any_nan: Vec<usize>,
}

impl Resolver<'_> {
    fn value(&mut self, node: &Node) -> Result<Value> {
        let (tag, body) = node
            .tagged()
            .ok_or_else(|| error(format!("{} where a value was expected, which names its layout", node.kind())))?;
        let layout = self.dialect.layouts.id_of(tag).ok_or_else(|| error(format!("no layout is called {tag:?}")))?;
        self.body(layout, body).map_err(|error| error.within(tag))
    }

    fn body(&mut self, id: LayoutId, body: &Node) -> Result<Value> {
        let layouts = std::sync::Arc::clone(&self.dialect.layouts);
        let layout = layouts.get(id);
        match layout.shape {
            Shape::Empty => null(body).map(|()| Value::Null),
            Shape::Bool => bool(body).map(Value::Bool),
            Shape::Int => int(body).map(Value::Int),
            Shape::Float => self.double(body).map(Value::Float),
            Shape::Text => text(body).map(|text| Value::Text(id, text)),
            Shape::Fields => self.numbers(layout, body).map(|numbers| Value::Fields(id, numbers)),
            Shape::Packed => self.packed(layout, body).map(|numbers| Value::Packed(id, numbers)),
            Shape::PackedText => each(list(body)?, text).map(|texts| Value::PackedText(id, texts)),
            Shape::Array => self.array(body).map(Value::Array),
            Shape::Dictionary => self.dictionary(body).map(Value::Dictionary),
            Shape::NodePath => node_path(body).map(|path| Value::NodePath(Box::new(path))),
            Shape::Rid => optional_id(body).map(Value::Rid),
            Shape::Object => self.object(body).map(|object| Value::Object(Box::new(object))),
            Shape::Image => image(body).map(|image| Value::Image(Box::new(image))),
            Shape::InputEvent => self.input_event(layout, body).map(|event| Value::InputEvent(Box::new(event))),
            Shape::Typed => self.typed(body).map(|typed| Value::Typed(id, Box::new(typed))),
            Shape::Callable => null(body).map(|()| Value::Callable),
            Shape::Signal => signal(body).map(|signal| Value::Signal(Box::new(signal))),
        }
    }

    fn numbers(&mut self, layout: &Layout, body: &Node) -> Result<Numbers> {
        let nodes = list(body)?;
        if nodes.len() != layout.arity() {
            return Err(error(format!("{} numbers where {} were expected", nodes.len(), layout.arity())));
        }
        self.row(layout, nodes.iter())
    }

    fn packed(&mut self, layout: &Layout, body: &Node) -> Result<Numbers> {
        if layout.of == Some(Scalar::Byte) {
            return bytes(body).map(Numbers::Bytes);
        }
        let elements = list(body)?;
        if layout.arity() == 1 {
            return self.row(layout, elements.iter());
        }
        let mut nodes = Vec::with_capacity(elements.len() * layout.arity());
        for (index, element) in elements.iter().enumerate() {
            let numbers = list(element).map_err(|error| error.at(index))?;
            if numbers.len() != layout.arity() {
                return Err(
                    error(format!("{} numbers where {} were expected", numbers.len(), layout.arity())).at(index)
                );
            }
            nodes.extend(numbers);
        }
        self.row(layout, nodes.into_iter())
    }

    fn row<'n>(&mut self, layout: &Layout, nodes: impl Iterator<Item = &'n Node>) -> Result<Numbers> {
        match self.dialect.scalar(layout) {
            Scalar::Byte => {
                gather::<[u8; 1]>(nodes, |node| ranged(int(node)?)).map(|bytes| Numbers::Bytes(bytes.into_vec()))
            }
            Scalar::Int32 => gather(nodes, |node| ranged(int(node)?)).map(Numbers::Int32),
            Scalar::Int64 => gather(nodes, int).map(Numbers::Int64),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => {
                gather(nodes, |node| self.single(node)).map(Numbers::Float32)
            }
            Scalar::Float64 => gather(nodes, |node| self.double_of(node)).map(Numbers::Float64),
        }
    }

    fn array(&mut self, body: &Node) -> Result<Array> {
        let (items, shared, [of]) = attributed(body, "items", ["of"])?;
        let of = of.map(|of| self.element_type(of)).transpose()?.map(Box::new);
        let mut values: Vec<Value> = Vec::with_capacity(items.len());
        let mut before: Option<&Node> = None;
        for (index, item) in items.iter().enumerate() {
            let reals = self.reals;
            let value = match values.last() {
                Some(same) if before.is_some_and(|before| before.is(item)) => same.clone(),
                Some(_) | None => self.value(item).map_err(|error| error.at(index))?,
            };
            values.push(value);
            // Reals are counted, each in its place.
            before = Some(item).filter(|_| self.reals == reals);
        }
        Ok(Array { items: values, of, shared })
    }

    fn dictionary(&mut self, body: &Node) -> Result<Dictionary> {
        let (pairs, shared, types) = attributed(body, "entries", ["key", "value"])?;
        let [key, value] = types.map(|of| of.map(|of| self.element_type(of)).transpose());
        let of = EntryTypes { key: key?, value: value? };
        let of = (of != EntryTypes::default()).then(|| Box::new(of));
        let mut entries = Vec::with_capacity(pairs.len());
        for (index, pair) in pairs.iter().enumerate() {
            let entry = match list(pair)? {
                [key, value] => self.value(key).and_then(|key| Ok((key, self.value(value)?))),
                other => Err(error(format!("{} values where a key and a value were expected", other.len()))),
            };
            entries.push(entry.map_err(|error| error.at(index))?);
        }
        Ok(Dictionary { entries, of, shared })
    }

    fn object(&mut self, body: &Node) -> Result<Object> {
        let Node::Map(pairs) = body else {
            return null(body).map(|()| Object::Null);
        };
        match pairs.as_slice() {
            [(key, id)] if key == "id" => optional_id(id)?.map(Object::Id).ok_or_else(|| error("`id` is null")),
            [(first, class), (second, properties)] if first == "class" && second == "properties" => {
                let properties = list(properties)?.iter().map(|property| match list(property)? {
                    [name, value] => Ok((text(name)?, self.value(value)?)),
                    _ => Err(error("a property is a name and a value")),
                });
                Ok(Object::Full { class: text(class)?, properties: properties.collect::<Result<_>>()? })
            }
            _ => Err(error("an object is null, {id} or {class, properties}")),
        }
    }

    fn input_event(&mut self, layout: &Layout, body: &Node) -> Result<InputEvent> {
        let mut keys = Keys::of(body)?;
        let (kind, device) = (word(keys.take("type")?)?, word(keys.take("device")?)?);
        let mut words = SmallVec::new();
        for (name, real) in layout.event(kind) {
            let node = keys.take(name)?;
            words.push(if *real { self.single(node)?.0 } else { word(node)? });
        }
        keys.end()?;
        Ok(InputEvent { kind, device, words })
    }

    fn typed(&mut self, body: &Node) -> Result<TypedArray> {
        let mut keys = Keys::of(body)?;
        let (of, nodes) = (self.element_type(keys.take("of")?)?, list(keys.take("items")?)?);
        keys.end()?;
        let mut items = Vec::with_capacity(nodes.len());
        for (index, item) in nodes.iter().enumerate() {
            items.push(self.value(item).map_err(|error| error.at(index))?);
        }
        Ok(TypedArray { of, items })
    }

    /// A layout's name, `{class: NAME}`, `{script: PATH}`, or an id that is no type of the dialect.
    fn element_type(&self, node: &Node) -> Result<ElementType> {
        match node {
            Node::Text(name) => {
                let layout = self.dialect.layouts.id_of(name);
                layout.map(ElementType::Layout).ok_or_else(|| error(format!("no layout is called {name:?}")))
            }
            Node::Map(pairs) => match pairs.as_slice() {
                [(key, class)] if key == "class" => text(class).map(ElementType::Class),
                [(key, path)] if key == "script" => text(path).map(ElementType::Script),
                _ => Err(error("an element type is a layout, {class}, {script} or an id")),
            },
            Node::Null | Node::Bool(_) | Node::Int(_) | Node::BigInt(_) | Node::Real(_) | Node::List(_) => {
                let id = word(node)?;
                // However it is written, an id that is a type is that type.
                Ok(self.dialect.type_of(id).map_or(ElementType::Id(id), |entry| ElementType::Layout(entry.layout)))
            }
            Node::Tagged(..) => Err(error("an element type is a layout, {class}, {script} or an id")),
        }
    }

    /// A 32-bit real: a number is rounded once, bits are taken as they are.
    fn single(&mut self, node: &Node) -> Result<F32> {
        if let Some(bits) = bits(node, 8)? {
            self.reals += 1;
            return Ok(F32(u32::try_from(bits).map_err(|_| error("bits of a 32-bit real have 8 digits"))?));
        }
        let number = self.number(node)?;
        #[expect(clippy::cast_possible_truncation, reason = "rounded once, as the notation says")]
        let single = number as f32;
        if single.is_infinite() && number.is_finite() {
            return Err(error(format!("{number} does not fit in 32 bits")));
        }
        Ok(F32::from(single))
    }

    /// The `float` type: 16 digits, or 8 for a widened 32-bit float.
    fn double(&mut self, node: &Node) -> Result<F64> {
        if let Some(bits) = bits(node, 8).ok().flatten() {
            self.reals += 1;
            return Ok(F32(u32::try_from(bits).map_err(|_| error("8 digits are 32 bits"))?).widen());
        }
        self.double_of(node)
    }

    /// A double that stands in a packed array or in a double-precision build: 16 digits.
    fn double_of(&mut self, node: &Node) -> Result<F64> {
        if let Some(bits) = bits(node, 16)? {
            self.reals += 1;
            return Ok(F64(bits));
        }
        self.number(node).map(F64::from)
    }

    fn number(&mut self, node: &Node) -> Result<f64> {
        self.reals += 1;
        match node {
            Node::Real(real) => Ok(*real),
            #[expect(clippy::cast_precision_loss, reason = "a whole number where a real stands is that real")]
            Node::Int(int) if self.strictness == Strictness::Reply => Ok(*int as f64),
            #[expect(clippy::cast_precision_loss, reason = "a whole number where a real stands is that real")]
            Node::BigInt(int) if self.strictness == Strictness::Reply => Ok(*int as f64),
            Node::Int(int) => Err(error(format!("{int} is an integer; a real is written with a point: {int}.0"))),
            Node::Text(word) => self.named(word),
            Node::Null | Node::Bool(_) | Node::BigInt(_) | Node::List(_) | Node::Map(_) | Node::Tagged(..) => {
                Err(error(format!("{} where a real was expected", node.kind())))
            }
        }
    }

    fn named(&mut self, word: &str) -> Result<f64> {
        match word {
            "nan" => {
                self.any_nan.push(self.reals - 1);
                Ok(f64::NAN)
            }
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "-0" => Ok(-0.0),
            _ => Err(error(format!(
                "{word:?} is no real: a number, \"nan\", \"inf\", \"-inf\", or bits as \"0x7fc00001\""
            ))),
        }
    }
}

/// Bits as `"0x7fc00001"`, where the node is that, of just this many digits.
fn bits(node: &Node, digits: usize) -> Result<Option<u64>> {
    let Node::Text(text) = node else { return Ok(None) };
    let Some(hex) = text.strip_prefix("0x") else { return Ok(None) };
    let bits = u64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == digits && !hex.starts_with('+'));
    bits.map(Some).ok_or_else(|| error(format!("{text:?} is not 0x and {digits} hex digits")))
}

fn null(node: &Node) -> Result<()> {
    if *node == Node::Null { Ok(()) } else { Err(error(format!("{} where null was expected", node.kind()))) }
}

fn bool(node: &Node) -> Result<bool> {
    if let Node::Bool(bool) = node {
        Ok(*bool)
    } else {
        Err(error(format!("{} where true or false was expected", node.kind())))
    }
}

fn int(node: &Node) -> Result<i64> {
    match node {
        Node::Int(int) => Ok(*int),
        Node::Text(text) => decimal(text).ok_or_else(|| error(format!("{text:?} is no decimal integer of 64 bits"))),
        Node::BigInt(int) => Err(error(format!("{int} does not fit in 64 bits"))),
        Node::Null | Node::Bool(_) | Node::Real(_) | Node::List(_) | Node::Map(_) | Node::Tagged(..) => {
            Err(error(format!("{} where an integer was expected", node.kind())))
        }
    }
}

fn decimal(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

fn ranged<N: TryFrom<i64>>(int: i64) -> Result<N> {
    N::try_from(int).map_err(|_| error(format!("{int} does not fit in {} bits", 8 * size_of::<N>())))
}

/// `null`, or an unsigned id as a number or decimal string.
fn optional_id(node: &Node) -> Result<Option<u64>> {
    match node {
        Node::Null => Ok(None),
        Node::BigInt(id) => Ok(Some(*id)),
        Node::Int(id) => ranged_id(*id).map(Some),
        Node::Text(text) if !text.starts_with('+') => {
            text.parse().map(Some).map_err(|_| error(format!("{text:?} is no id of 64 bits")))
        }
        Node::Bool(_) | Node::Real(_) | Node::Text(_) | Node::List(_) | Node::Map(_) | Node::Tagged(..) => {
            Err(error(format!("{} where an id was expected", node.kind())))
        }
    }
}

fn ranged_id(id: i64) -> Result<u64> {
    u64::try_from(id).map_err(|_| error(format!("{id} is negative")))
}

/// A string, or `{"utf8":"hex"}` for what JSON cannot carry.
fn text(node: &Node) -> Result<Text> {
    match node {
        Node::Text(text) => Ok(Text::from(text.as_str())),
        Node::Map(pairs) => match pairs.as_slice() {
            [(key, hex)] if key == "utf8" => bytes(hex).map(|bytes| Text::from_bytes(&bytes)),
            _ => Err(error("a text is a string or {utf8: \"hex\"}")),
        },
        Node::Null
        | Node::Bool(_)
        | Node::Int(_)
        | Node::BigInt(_)
        | Node::Real(_)
        | Node::List(_)
        | Node::Tagged(..) => Err(error(format!("{} where a text was expected; text is quoted", node.kind()))),
    }
}

fn bytes(node: &Node) -> Result<Vec<u8>> {
    let Node::Text(text) = node else {
        return Err(error(format!("{} where hex was expected; hex is quoted", node.kind())));
    };
    decode_hex(text).map_err(|problem| error(format!("{text:?} is not hex: {problem}")))
}

fn list(node: &Node) -> Result<&[Node]> {
    if let Node::List(nodes) = node {
        Ok(nodes)
    } else {
        Err(error(format!("{} where a list was expected", node.kind())))
    }
}

/// What stands in a container: the list, whether it is shared, and its types.
type Attributed<'a, const N: usize> = (&'a [Node], bool, [Option<&'a Node>; N]);

/// The list alone, or `{NAME: list, shared: true}`, with types beside it.
fn attributed<'a, const N: usize>(body: &'a Node, name: &str, types: [&str; N]) -> Result<Attributed<'a, N>> {
    let Node::Map(pairs) = body else { return list(body).map(|nodes| (nodes, false, [None; N])) };
    let (mut nodes, mut shared, mut found) = (None, false, [None; N]);
    for (key, node) in pairs {
        match (key.as_str(), types.iter().position(|of| of == key)) {
            ("shared", _) => shared = bool(node)?,
            (key, _) if key == name => nodes = Some(list(node)?),
            (_, Some(place)) => found[place] = Some(node).filter(|node| **node != Node::Null),
            (other, None) => {
                let types = types.map(|of| format!(", `{of}`")).concat();
                return Err(error(format!("unknown key {other:?}; there are `{name}`, `shared`{types}")));
            }
        }
    }
    Ok((nodes.ok_or_else(|| error(format!("`{name}` is missing")))?, shared, found))
}

fn signal(body: &Node) -> Result<Signal> {
    let mut keys = Keys::of(body)?;
    let (name, object) = (text(keys.take("name")?)?, optional_id(keys.take("object")?)?);
    keys.end()?;
    Ok(Signal { name, object: object.ok_or_else(|| error("`object` is null; no object is id 0"))? })
}

fn node_path(body: &Node) -> Result<NodePath> {
    let Node::Map(pairs) = body else {
        return Err(error(format!("{} where {{absolute, names, subnames}} was expected", body.kind())));
    };
    let mut path = NodePath::default();
    for (key, node) in pairs {
        match key.as_str() {
            "absolute" => path.absolute = bool(node)?,
            "names" => path.names = each(list(node)?, text)?,
            "subnames" => path.subnames = each(list(node)?, text)?,
            "property" => path.property = text(node)?,
            other => {
                let known = "`absolute`, `names`, `subnames`, `property`";
                return Err(error(format!("unknown key {other:?}; there are {known}")));
            }
        }
    }
    Ok(path)
}

fn image(body: &Node) -> Result<Image> {
    let mut keys = Keys::of(body)?;
    let image = Image {
        format: word(keys.take("format")?)?,
        mipmaps: word(keys.take("mipmaps")?)?,
        width: word(keys.take("width")?)?,
        height: word(keys.take("height")?)?,
        data: bytes(keys.take("data")?)?,
    };
    keys.end()?;
    Ok(image)
}

/// An unsigned number of 32 bits.
fn word(node: &Node) -> Result<u32> {
    let int = int(node)?;
    u32::try_from(int).map_err(|_| error(format!("{int} does not fit in 32 bits without a sign")))
}

/// The keys of a map, each to be taken once.
struct Keys<'n> {
    rest: Vec<&'n (String, Node)>,
}

impl<'n> Keys<'n> {
    fn of(body: &'n Node) -> Result<Self> {
        match body {
            Node::Map(pairs) => Ok(Self { rest: pairs.iter().collect() }),
            Node::Null
            | Node::Bool(_)
            | Node::Int(_)
            | Node::BigInt(_)
            | Node::Real(_)
            | Node::Text(_)
            | Node::List(_)
            | Node::Tagged(..) => Err(error(format!("{} where a map was expected", body.kind()))),
        }
    }

    fn take(&mut self, key: &str) -> Result<&'n Node> {
        let place = self.rest.iter().position(|(name, _)| name == key);
        place.map(|place| &self.rest.swap_remove(place).1).ok_or_else(|| error(format!("`{key}` is missing")))
    }

    /// Nothing may be left.
    fn end(self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some((key, _)) => Err(error(format!("unknown key {key:?}"))),
        }
    }
}

fn each<T>(nodes: &[Node], one: impl Fn(&Node) -> Result<T>) -> Result<Vec<T>> {
    nodes.iter().enumerate().map(|(index, node)| one(node).map_err(|error| error.at(index))).collect()
}

fn gather<'n, A: smallvec::Array>(
    nodes: impl Iterator<Item = &'n Node>,
    mut one: impl FnMut(&Node) -> Result<A::Item>,
) -> Result<SmallVec<A>> {
    nodes.enumerate().map(|(index, node)| one(node).map_err(|error| error.at(index))).collect()
}

fn error(message: impl Into<String>) -> ValueError {
    ValueError { path: String::new(), message: message.into() }
}

impl ValueError {
    fn within(mut self, tag: &str) -> Self {
        self.path.insert_str(0, tag);
        self
    }

    fn at(mut self, index: usize) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }
}
