//! A `.ksy` file as Rust types. What Kaitai's names mean is in its user guide.

use indexmap::IndexMap;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Definition {
    pub(super) meta: Meta,
    pub(super) doc: String,
    pub(super) seq: Vec<KaitaiField>,
    pub(super) types: IndexMap<String, KaitaiType>,
    pub(super) enums: IndexMap<&'static str, IndexMap<u32, String>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Meta {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) ks_version: &'static str,
    pub(super) endian: &'static str,
}

#[derive(Serialize, Default)]
pub(super) struct KaitaiType {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doc: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) params: Vec<Param>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) seq: Vec<KaitaiField>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(super) instances: IndexMap<String, Instance>,
}

#[derive(Serialize, Clone)]
pub(super) struct Param {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) struct KaitaiField {
    pub(super) id: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<KaitaiKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    size_eos: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminator: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    names: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat_expr: Option<String>,
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<Valid>,
}

#[derive(Serialize, Clone)]
#[serde(untagged)]
pub(super) enum KaitaiKind {
    Plain(String),
    #[serde(rename_all = "kebab-case")]
    Switch {
        switch_on: String,
        cases: IndexMap<String, String>,
    },
}

/// One of the two is there.
#[derive(Serialize, Default)]
#[serde(rename_all = "kebab-case")]
struct Valid {
    #[serde(skip_serializing_if = "Option::is_none")]
    expr: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    in_enum: bool,
}

#[derive(Serialize, Default)]
pub(super) struct Instance {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pos: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    names: Option<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl KaitaiKind {
    pub(super) fn switch(switch_on: &str, cases: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::Switch { switch_on: switch_on.to_owned(), cases: cases.into_iter().collect() }
    }
}

impl From<&str> for KaitaiKind {
    fn from(name: &str) -> Self {
        Self::Plain(name.to_owned())
    }
}

impl From<String> for KaitaiKind {
    fn from(name: String) -> Self {
        Self::Plain(name)
    }
}

impl KaitaiField {
    pub(super) fn of(id: impl Into<String>, kind: impl Into<KaitaiKind>) -> Self {
        Self { id: id.into(), kind: Some(kind.into()), ..Self::default() }
    }

    pub(super) fn bytes(id: &str, size: impl Into<String>) -> Self {
        Self { id: id.to_owned(), size: Some(size.into()), ..Self::default() }
    }

    /// All that is left, up to a NUL if that ends it.
    pub(super) fn rest_as_text(id: &str, ends_at_nul: bool) -> Self {
        let terminator = ends_at_nul.then_some(0);
        Self { size_eos: true, terminator, encoding: Some("UTF-8"), ..Self::of(id, "str") }
    }

    pub(super) fn called(self, id: String) -> Self {
        Self { id, ..self }
    }

    pub(super) fn sized(self, size: &str) -> Self {
        Self { size: Some(size.to_owned()), ..self }
    }

    pub(super) fn times(self, count: impl Into<String>) -> Self {
        Self { repeat: Some("expr"), repeat_expr: Some(count.into()), ..self }
    }

    pub(super) fn only_if(self, condition: impl Into<String>) -> Self {
        Self { condition: Some(condition.into()), ..self }
    }

    pub(super) fn valid(self, expression: impl Into<String>) -> Self {
        Self { valid: Some(Valid { expr: Some(expression.into()), in_enum: false }), ..self }
    }

    pub(super) fn one_of(self, names: &'static str) -> Self {
        Self { valid: Some(Valid { expr: None, in_enum: true }), names: Some(names), ..self }
    }
}

impl Instance {
    pub(super) fn value(expression: impl Into<String>) -> Self {
        Self { value: Some(expression.into()), ..Self::default() }
    }

    pub(super) fn named(self, names: &'static str) -> Self {
        Self { names: Some(names), ..self }
    }

    pub(super) fn peek(pos: u32, size: u32) -> Self {
        Self { pos: Some(pos), size: Some(size), ..Self::default() }
    }
}

impl KaitaiType {
    pub(super) fn new(seq: impl IntoIterator<Item = KaitaiField>) -> Self {
        Self { seq: seq.into_iter().collect(), ..Self::default() }
    }

    pub(super) fn and(mut self, field: KaitaiField) -> Self {
        self.seq.push(field);
        self
    }

    pub(super) fn with(mut self, id: impl Into<String>, instance: Instance) -> Self {
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

    pub(super) fn doc(self, doc: &str) -> Self {
        Self { doc: Some(doc.to_owned()), ..self }
    }
}
