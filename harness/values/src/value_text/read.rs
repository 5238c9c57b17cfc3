//! The parts of a value that are the same in every dialect: an integer, a text, a list, the keys of a map.

use std::fmt::Display;

use variant_codec::Text;
use variant_specs::{FieldForm, RecordField};

use super::error::{Result, ValueError, error};
use crate::SyntaxTree;
use crate::json::decode_hex;

fn expected(what: &str, node: &SyntaxTree) -> ValueError {
    error(format!("{} where {what} was expected", node.kind()))
}

pub(super) fn null(node: &SyntaxTree) -> Result<()> {
    if *node == SyntaxTree::Null { Ok(()) } else { Err(expected("null", node)) }
}

pub(super) fn bool(node: &SyntaxTree) -> Result<bool> {
    if let SyntaxTree::Bool(bool) = node { Ok(*bool) } else { Err(expected("true or false", node)) }
}

pub(super) fn int(node: &SyntaxTree) -> Result<i64> {
    match node {
        SyntaxTree::Int(int) => ranged(*int),
        SyntaxTree::Text(text) => {
            let read = text.parse().ok().filter(|_| !text.starts_with('+'));
            read.ok_or_else(|| error(format!("{text:?} is not a decimal integer of 64 bits")))
        }
        _ => Err(expected("an integer", node)),
    }
}

pub(super) fn ranged<I: Copy + Display, N: TryFrom<I>>(int: I) -> Result<N> {
    N::try_from(int).map_err(|_| error(format!("{int} does not fit in {} bits", 8 * size_of::<N>())))
}

/// An unsigned id, as a number or decimal string.
pub(super) fn id(node: &SyntaxTree) -> Result<u64> {
    match node {
        SyntaxTree::Int(id) => u64::try_from(*id).map_err(|_| error(format!("{id} is negative"))),
        SyntaxTree::Text(text) if !text.starts_with('+') => {
            text.parse().map_err(|_| error(format!("{text:?} is no id, which is unsigned and of 64 bits")))
        }
        _ => Err(expected("an id", node)),
    }
}

/// A string, or `{"utf8":"hex"}` for what JSON cannot carry.
pub(super) fn text(node: &SyntaxTree) -> Result<Text> {
    match node {
        SyntaxTree::Text(text) => Ok(Text::from(text.as_str())),
        SyntaxTree::Map(pairs) => match pairs.as_slice() {
            [(key, hex)] if key == "utf8" => bytes(hex).map(|bytes| Text::from_bytes(&bytes)),
            _ => Err(error("a text is a string or {utf8: \"hex\"}")),
        },
        _ => Err(error(format!("{} where a text was expected; text is quoted", node.kind()))),
    }
}

pub(super) fn bytes(node: &SyntaxTree) -> Result<Vec<u8>> {
    let SyntaxTree::Text(text) = node else {
        return Err(error(format!("{} where hex was expected; hex is quoted", node.kind())));
    };
    decode_hex(text).map_err(|problem| error(format!("{text:?} is not hex: {problem}")))
}

pub(super) fn list(node: &SyntaxTree) -> Result<&[SyntaxTree]> {
    if let SyntaxTree::List(nodes) = node { Ok(nodes) } else { Err(expected("a list", node)) }
}

/// The only field of a record or element, which is written without its name. `None` if there are more fields, or may be.
pub(super) fn only_field(fields: &[RecordField]) -> Option<&RecordField> {
    let [field] = fields else { return None };
    (has_component(&field.form) && !matches!(field.form, FieldForm::Choice { .. })).then_some(field)
}

pub(super) fn has_component(form: &FieldForm) -> bool {
    !matches!(form, FieldForm::Size | FieldForm::Permission | FieldForm::Padding { .. })
}

/// The keys of a map, each taken once.
pub(super) struct Keys<'n>(Vec<&'n (String, SyntaxTree)>);

impl<'n> Keys<'n> {
    pub(super) fn of(body: &'n SyntaxTree) -> Result<Self> {
        let SyntaxTree::Map(pairs) = body else { return Err(expected("a map", body)) };
        Ok(Self(pairs.iter().collect()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    pub(super) fn find(&mut self, name: &str) -> Option<&'n SyntaxTree> {
        let place = self.0.iter().position(|(key, _)| key == name)?;
        Some(&self.0.swap_remove(place).1)
    }

    pub(super) fn take(&mut self, name: &str) -> Result<&'n SyntaxTree> {
        self.find(name).ok_or_else(|| error(format!("`{name}` is missing")))
    }

    /// Fails if a key is left.
    pub(super) fn end(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(error(format!("unknown key {key:?}"))),
        }
    }
}

/// Reads each node; an error says which it was.
pub(super) fn each<'n, T, All: FromIterator<T>>(
    nodes: impl IntoIterator<Item = &'n SyntaxTree>,
    mut read: impl FnMut(&'n SyntaxTree) -> Result<T>,
) -> Result<All> {
    nodes.into_iter().enumerate().map(|(index, node)| read(node).map_err(|error| error.at(index))).collect()
}
