//! A `.ksy` file as Rust types. What Kaitai's names mean is in its user guide.

use indexmap::IndexMap;
use serde::Serialize;
use serde_yaml::Value;

#[derive(Serialize, Default)]
pub(super) struct KaitaiType {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doc: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) params: Vec<Param>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) seq: Vec<KaitaiField>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(super) instances: IndexMap<String, Attributes>,
}

#[derive(Serialize, Clone)]
pub(super) struct Param {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct KaitaiField {
    pub(super) id: String,
    #[serde(flatten)]
    pub(super) attributes: Attributes,
}

/// What a field or an instance has beside its name: all of an instance.
#[derive(Serialize, Default)]
pub(super) struct Attributes(IndexMap<&'static str, Value>);

impl Attributes {
    /// An instance with a value.
    pub(super) fn value(expression: impl Into<Value>) -> Self {
        Self::default().with("value", expression)
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.insert(name, value.into());
        self
    }
}

impl KaitaiField {
    pub(super) fn of(id: impl Into<String>, kind: impl Into<Value>) -> Self {
        Self { id: id.into(), attributes: Attributes::default().with("type", kind) }
    }

    pub(super) fn bytes(id: impl Into<String>, size: impl Into<Value>) -> Self {
        Self { id: id.into(), attributes: Attributes::default().with("size", size) }
    }

    pub(super) fn with(self, name: &'static str, value: impl Into<Value>) -> Self {
        Self { attributes: self.attributes.with(name, value), ..self }
    }

    pub(super) fn times(self, count: impl Into<Value>) -> Self {
        self.with("repeat", "expr").with("repeat-expr", count)
    }

    pub(super) fn only_if(self, condition: impl Into<Value>) -> Self {
        self.with("if", condition)
    }

    pub(super) fn valid(self, expression: impl Into<Value>) -> Self {
        self.with("valid", mapping([("expr", expression.into())]))
    }
}

/// A type that depends on an expression.
pub(super) fn switch(on: &str, cases: impl IntoIterator<Item = (String, String)>) -> Value {
    let cases = mapping(cases.into_iter().map(|(case, kind)| (case, kind.into())));
    mapping([("switch-on", on.into()), ("cases", cases)])
}

pub(super) fn mapping<K: Into<Value>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
    Value::Mapping(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

impl KaitaiType {
    pub(super) fn new(seq: impl IntoIterator<Item = KaitaiField>) -> Self {
        Self { seq: seq.into_iter().collect(), ..Self::default() }
    }

    pub(super) fn and(mut self, field: KaitaiField) -> Self {
        self.seq.push(field);
        self
    }

    pub(super) fn with(mut self, id: impl Into<String>, instance: Attributes) -> Self {
        self.instances.insert(id.into(), instance);
        self
    }

    pub(super) fn given(mut self, id: &str, kind: &'static str) -> Self {
        self.need(Param { id: id.to_owned(), kind });
        self
    }

    /// A parameter, unless there is something of that name already.
    pub(super) fn need(&mut self, param: Param) {
        let known = self.params.iter().map(|param| &param.id).chain(self.seq.iter().map(|field| &field.id));
        if !known.chain(self.instances.keys()).any(|id| *id == param.id) {
            self.params.push(param);
        }
    }
}
