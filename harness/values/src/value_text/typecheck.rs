//! From a syntax tree to a value of a dialect.

mod record;

use variant_codec::{Array, Dictionary, ElementType, EntryTypes, NodePath, Numbers, Value};
use variant_specs::{Dialect, Layout, LayoutId, Scalar, Shape};

use super::error::{Result, ValueError, error};
use super::read::{bool, bytes, each, gather, int, list, null, ranged, text, word};
use super::real::{Reals, Strictness};
use crate::SyntaxTree;

/// 2^63, the double that is nearest to the largest int.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

/// A value to compare with, in which reals written `nan` match any NaN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedValue {
    /// The value, with the canonical NaN where any NaN matches.
    pub value: Value,
    /// Which reals match any NaN: their positions among all reals of the value, from 0.
    pub any_nan: Vec<usize>,
}

/// The value of a syntax tree in this dialect.
///
/// # Errors
/// [`ValueError`], with what is wrong and where: an unknown layout, a number out of range, a missing component.
pub fn typecheck(node: &SyntaxTree, dialect: &Dialect, strictness: Strictness) -> Result<ExpectedValue, ValueError> {
    let mut typechecker = Typechecker { dialect, reals: Reals::new(strictness) };
    let value = typechecker.value(node)?;
    Ok(ExpectedValue { value, any_nan: typechecker.reals.any_nan })
}

struct Typechecker<'a> {
    dialect: &'a Dialect,
    reals: Reals,
}

impl Typechecker<'_> {
    fn value(&mut self, node: &SyntaxTree) -> Result<Value> {
        let (tag, body) = node
            .tagged()
            .ok_or_else(|| error(format!("{} where a value was expected, which names its layout", node.kind())))?;
        let layout = self.dialect.layouts.id_of(tag).ok_or_else(|| error(format!("no layout is called {tag:?}")))?;
        self.body(layout, body).map_err(|error| error.within(tag))
    }

    fn body(&mut self, id: LayoutId, body: &SyntaxTree) -> Result<Value> {
        let layouts = std::sync::Arc::clone(&self.dialect.layouts);
        let layout = layouts.get(id);
        match layout.shape {
            Shape::Empty => null(body).map(|()| Value::Null),
            Shape::Bool => bool(body).map(Value::Bool),
            Shape::Int => self.int(body).map(Value::Int),
            Shape::Float => self.reals.float(body).map(Value::Float),
            Shape::Text => text(body).map(|text| Value::Text(id, text)),
            Shape::Fields => self.numbers(layout, body).map(|numbers| Value::Fields(id, numbers)),
            Shape::Packed => self.packed(layout, body).map(|numbers| Value::Packed(id, numbers)),
            Shape::PackedText => each(list(body)?, text).map(|texts| Value::PackedText(id, texts)),
            Shape::Array => self.array(body).map(Value::Array),
            Shape::Dictionary => self.dictionary(body).map(Value::Dictionary),
            Shape::NodePath => node_path(body).map(|path| Value::NodePath(Box::new(path))),
            Shape::Record => self.record(layout, body).map(|components| Value::Record(id, components)),
        }
    }

    /// 2^63 has no int. One with the same double stands for it, and not the largest, which it must not be equal to.
    fn int(&self, node: &SyntaxTree) -> Result<i64> {
        let beyond = match node {
            SyntaxTree::BigInt(int) => Some(*int),
            SyntaxTree::Text(text) => text.parse::<u64>().ok().filter(|int| i64::try_from(*int).is_err()),
            SyntaxTree::Null
            | SyntaxTree::Bool(_)
            | SyntaxTree::Int(_)
            | SyntaxTree::Real(_)
            | SyntaxTree::List(_)
            | SyntaxTree::Map(_)
            | SyntaxTree::Tagged(..) => None,
        };
        match beyond {
            #[expect(clippy::cast_precision_loss, reason = "it is compared as a double")]
            Some(beyond) if self.reals.strictness == Strictness::RoundedReply && beyond as f64 == TOO_LARGE => {
                Ok(i64::MAX - 1)
            }
            Some(_) | None => int(node),
        }
    }

    fn numbers(&mut self, layout: &Layout, body: &SyntaxTree) -> Result<Numbers> {
        let nodes = list(body)?;
        if nodes.len() != layout.arity() {
            return Err(error(format!("{} numbers where {} were expected", nodes.len(), layout.arity())));
        }
        self.row(layout, nodes.iter())
    }

    fn packed(&mut self, layout: &Layout, body: &SyntaxTree) -> Result<Numbers> {
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

    fn row<'n>(&mut self, layout: &Layout, nodes: impl Iterator<Item = &'n SyntaxTree>) -> Result<Numbers> {
        match self.dialect.scalar(layout) {
            Scalar::Byte => {
                gather::<[u8; 1]>(nodes, |node| ranged(int(node)?)).map(|bytes| Numbers::Bytes(bytes.into_vec()))
            }
            Scalar::Int32 => gather(nodes, |node| ranged(int(node)?)).map(Numbers::Int32),
            Scalar::Int64 => gather(nodes, |node| self.int(node)).map(Numbers::Int64),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => {
                gather(nodes, |node| self.reals.single(node)).map(Numbers::Float32)
            }
            Scalar::Float64 => gather(nodes, |node| self.reals.double(node)).map(Numbers::Float64),
        }
    }

    fn array(&mut self, body: &SyntaxTree) -> Result<Array> {
        let (items, shared, [of]) = attributed(body, "items", ["of"])?;
        let of = of.map(|of| self.element_type(of)).transpose()?.map(Box::new);
        let mut values: Vec<Value> = Vec::with_capacity(items.len());
        let mut before: Option<&SyntaxTree> = None;
        for (index, item) in items.iter().enumerate() {
            let reals = self.reals.met;
            let value = match values.last() {
                Some(same) if before.is_some_and(|before| before.is(item)) => same.clone(),
                Some(_) | None => self.value(item).map_err(|error| error.at(index))?,
            };
            values.push(value);
            // A value with reals is read again each time, because each real is counted.
            before = Some(item).filter(|_| self.reals.met == reals);
        }
        Ok(Array { items: values, of, shared })
    }

    fn dictionary(&mut self, body: &SyntaxTree) -> Result<Dictionary> {
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

    /// A layout's name, `{class: NAME}`, `{script: PATH}`, or an id that is no type of the dialect.
    fn element_type(&self, node: &SyntaxTree) -> Result<ElementType> {
        match node {
            SyntaxTree::Text(name) => {
                let layout = self.dialect.layouts.id_of(name);
                layout.map(ElementType::Layout).ok_or_else(|| error(format!("no layout is called {name:?}")))
            }
            SyntaxTree::Map(pairs) => match pairs.as_slice() {
                [(key, class)] if key == "class" => text(class).map(ElementType::Class),
                [(key, path)] if key == "script" => text(path).map(ElementType::Script),
                _ => Err(error("an element type is a layout, {class}, {script} or an id")),
            },
            SyntaxTree::Null
            | SyntaxTree::Bool(_)
            | SyntaxTree::Int(_)
            | SyntaxTree::BigInt(_)
            | SyntaxTree::Real(_)
            | SyntaxTree::List(_) => {
                let id = word(node)?;
                // An id that is a type's id means that type, however it is written.
                Ok(self.dialect.type_of(id).map_or(ElementType::Id(id), |entry| ElementType::Layout(entry.layout)))
            }
            SyntaxTree::Tagged(..) => Err(error("an element type is a layout, {class}, {script} or an id")),
        }
    }
}

/// The elements of a container, whether it is shared, and its types.
type Attributed<'a, const N: usize> = (&'a [SyntaxTree], bool, [Option<&'a SyntaxTree>; N]);

/// Reads a list alone, or `{NAME: list, shared: true}` with types.
fn attributed<'a, const N: usize>(body: &'a SyntaxTree, name: &str, types: [&str; N]) -> Result<Attributed<'a, N>> {
    let SyntaxTree::Map(pairs) = body else { return list(body).map(|nodes| (nodes, false, [None; N])) };
    let (mut nodes, mut shared, mut found) = (None, false, [None; N]);
    for (key, node) in pairs {
        match (key.as_str(), types.iter().position(|of| of == key)) {
            ("shared", _) => shared = bool(node)?,
            (key, _) if key == name => nodes = Some(list(node)?),
            (_, Some(place)) => found[place] = Some(node).filter(|node| **node != SyntaxTree::Null),
            (other, None) => {
                let types = types.map(|of| format!(", `{of}`")).concat();
                return Err(error(format!("unknown key {other:?}; there are `{name}`, `shared`{types}")));
            }
        }
    }
    Ok((nodes.ok_or_else(|| error(format!("`{name}` is missing")))?, shared, found))
}

fn node_path(body: &SyntaxTree) -> Result<NodePath> {
    let SyntaxTree::Map(pairs) = body else {
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
