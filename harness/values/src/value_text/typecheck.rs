//! From a syntax tree to a value of a dialect.

mod record;

use variant_codec::{Array, Dictionary, ElementType, EntryTypes, NodePath, Numbers, Text, Value};
use variant_specs::{Dialect, Layout, LayoutId, Scalar, Shape};

use super::error::{Result, ValueError, error};
use super::read::{Keys, bool, bytes, each, int, list, null, ranged, text};
use super::real::{Reals, Strictness};
use crate::SyntaxTree;
use crate::suggest::layout_meant;

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
        let layout = self.layout(tag)?;
        self.body(layout, body).map_err(|error| error.within(tag))
    }

    fn layout(&self, name: &str) -> Result<LayoutId> {
        let unknown =
            || format!("no layout is called {name:?}{}", layout_meant(name, std::slice::from_ref(self.dialect)));
        self.dialect.layouts.id_of(name).ok_or_else(|| error(unknown()))
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
            Shape::Fields => {
                self.row(layout, components(layout, body)?.iter()).map(|numbers| Value::Fields(id, numbers))
            }
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
        let written = match node {
            SyntaxTree::Int(int) => Some(*int),
            SyntaxTree::Text(text) => text.parse().ok(),
            _ => None,
        };
        #[expect(clippy::cast_precision_loss, reason = "it is compared as a double")]
        let is_largest = written.is_some_and(|int: i128| int as f64 == TOO_LARGE);
        match int(node) {
            Err(_) if is_largest && self.reals.strictness == Strictness::RoundedReply => Ok(i64::MAX - 1),
            read => read,
        }
    }

    fn packed(&mut self, layout: &Layout, body: &SyntaxTree) -> Result<Numbers> {
        if layout.of == Some(Scalar::Byte) {
            return bytes(body).map(Numbers::Bytes);
        }
        let elements = list(body)?;
        if layout.arity() == 1 {
            return self.row(layout, elements.iter());
        }
        let elements: Vec<&[SyntaxTree]> = each(elements, |element| components(layout, element))?;
        self.row(layout, elements.into_iter().flatten())
    }

    fn row<'n>(&mut self, layout: &Layout, nodes: impl Iterator<Item = &'n SyntaxTree>) -> Result<Numbers> {
        match self.dialect.scalar(layout) {
            Scalar::Byte => each(nodes, |node| ranged(int(node)?)).map(Numbers::Bytes),
            Scalar::Int32 => each(nodes, |node| ranged(int(node)?)).map(Numbers::Int32),
            Scalar::Int64 => each(nodes, |node| self.int(node)).map(Numbers::Int64),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => {
                each(nodes, |node| self.reals.single(node)).map(Numbers::Float32)
            }
            Scalar::Float64 => each(nodes, |node| self.reals.double(node)).map(Numbers::Float64),
        }
    }

    fn array(&mut self, body: &SyntaxTree) -> Result<Array> {
        let (nodes, shared, [of]) = attributed(body, "items", ["of"])?;
        let of = of.map(|of| self.element_type(of)).transpose()?.map(Box::new);
        // All tests of a run are in memory: no more room than that is taken.
        let mut items = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            items.push(self.value(node).map_err(|error| error.at(index))?);
        }
        Ok(Array { items, of, shared })
    }

    fn dictionary(&mut self, body: &SyntaxTree) -> Result<Dictionary> {
        let (pairs, shared, types) = attributed(body, "entries", ["key", "value"])?;
        let [key, value] = types.map(|of| of.map(|of| self.element_type(of)).transpose());
        let of = EntryTypes { key: key?, value: value? };
        let of = (of != EntryTypes::default()).then(|| Box::new(of));
        let entries = each(pairs, |pair| match list(pair)? {
            [key, value] => Ok((self.value(key)?, self.value(value)?)),
            other => Err(error(format!("{} values where a key and a value were expected", other.len()))),
        })?;
        Ok(Dictionary { entries, of, shared })
    }

    /// A layout's name, `{class: NAME}`, `{script: PATH}`, or an id that is no type of the dialect.
    fn element_type(&self, node: &SyntaxTree) -> Result<ElementType> {
        match node {
            SyntaxTree::Text(name) => self.layout(name).map(ElementType::Layout),
            SyntaxTree::Map(pairs) => match pairs.as_slice() {
                [(key, class)] if key == "class" => text(class).map(ElementType::Class),
                [(key, path)] if key == "script" => text(path).map(ElementType::Script),
                _ => Err(error("an element type is a layout, {class}, {script} or an id")),
            },
            _ => {
                let id = ranged(int(node)?)?;
                // An id that is a type's id means that type, however it is written.
                Ok(self.dialect.type_of(id).map_or(ElementType::Id(id), |entry| ElementType::Layout(entry.layout)))
            }
        }
    }
}

/// As many nodes as a vector of this layout has numbers.
fn components<'n>(layout: &Layout, node: &'n SyntaxTree) -> Result<&'n [SyntaxTree]> {
    let nodes = list(node)?;
    if nodes.len() == layout.arity() {
        return Ok(nodes);
    }
    Err(error(format!("{} numbers where {} were expected", nodes.len(), layout.arity())))
}

/// The elements of a container, whether it is shared, and its types.
type Attributed<'a, const N: usize> = (&'a [SyntaxTree], bool, [Option<&'a SyntaxTree>; N]);

/// Reads a list alone, or `{NAME: list, shared: true}` with types.
fn attributed<'a, const N: usize>(body: &'a SyntaxTree, name: &str, types: [&str; N]) -> Result<Attributed<'a, N>> {
    if let SyntaxTree::List(nodes) = body {
        return Ok((nodes, false, [None; N]));
    }
    let Ok(mut keys) = Keys::of(body) else { return Ok((list(body)?, false, [None; N])) };
    let form = || error(format!("a list of {name} was expected, or {{{name}: list}}"));
    let nodes = list(keys.find(name).ok_or_else(form)?)?;
    let shared = keys.find("shared").map_or(Ok(false), bool)?;
    let types = types.map(|of| keys.find(of).filter(|node| **node != SyntaxTree::Null));
    keys.end()?;
    Ok((nodes, shared, types))
}

fn node_path(body: &SyntaxTree) -> Result<NodePath> {
    let mut keys = Keys::of(body)?;
    let texts = |node: Option<&SyntaxTree>| node.map_or(Ok(Vec::new()), |node| each(list(node)?, text));
    let path = NodePath {
        absolute: keys.find("absolute").map_or(Ok(false), bool)?,
        names: texts(keys.find("names"))?,
        subnames: texts(keys.find("subnames"))?,
        property: keys.find("property").map_or(Ok(Text::default()), text)?,
    };
    keys.end()?;
    Ok(path)
}
