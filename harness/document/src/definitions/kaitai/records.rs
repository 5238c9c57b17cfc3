//! Records: the fields that a layout lists.

use variant_specs::{FLAG, FieldForm, Layout, RecordField, least_bytes};

use super::bodies::{LOW_BITS, counted};
use super::model::{Attributes, KaitaiField, KaitaiType, switch};
use super::texts::{length, padding};
use super::{IDS, Ksy, body_name, call};

/// Whether a choice among these fields is made by the field of this name.
fn chooses(fields: &[RecordField], name: &str) -> bool {
    fields.iter().any(|field| {
        matches!(&field.form, FieldForm::Choice { by, .. } if by == name)
            || field.form.lists().into_iter().any(|list| chooses(list, name))
    })
}

fn length_of(name: &str) -> String {
    format!("len_{name}")
}

/// Words that some language reserves: no field can be called so.
const RESERVED: [&str; 12] =
    ["class", "default", "else", "for", "if", "import", "in", "new", "package", "return", "switch", "while"];

fn identifier(name: &str) -> String {
    let identifier = crate::definitions::identifier(name);
    if RESERVED.contains(&identifier.as_str()) { identifier + "_" } else { identifier }
}

type KaitaiTypes = Vec<(String, KaitaiType)>;

impl Ksy<'_> {
    /// The types that a record needs: its body is the last one. There is none if its header is all.
    pub(super) fn record(&self, layout: &Layout) -> KaitaiTypes {
        let mut types = KaitaiTypes::new();
        let fields = self.dialect.rules.record(layout).unwrap_or_default();
        if !fields.is_empty() {
            let body = self.list(layout, &layout.name, fields, &mut types);
            types.push((body_name(&layout.name), body));
        }
        types
    }

    /// A type with these fields. Those that it needs are added to `types`, with names that begin with `path`.
    fn list(&self, layout: &Layout, path: &str, fields: &[RecordField], types: &mut KaitaiTypes) -> KaitaiType {
        let mut body = KaitaiType::default();
        for field in fields {
            let name = identifier(&field.name);
            let path = format!("{path}_{name}");
            match &field.form {
                FieldForm::Word | FieldForm::Size => body.seq.push(KaitaiField::of(name, "u4")),
                FieldForm::Flag => body = body.given("flag_1", "bool"),
                FieldForm::Permission => {}
                FieldForm::Id => body.seq.push(KaitaiField::of(name, "u8")),
                FieldForm::Float32 => body.seq.push(KaitaiField::of(name, "f4")),
                FieldForm::Real => {
                    body = self.with_width(layout, body);
                    body.seq.push(KaitaiField::of(name, self.number(layout)));
                }
                FieldForm::Text => {
                    if chooses(fields, &field.name) {
                        let length = Attributes::value(format!("{name}.content.text.length"));
                        body = body.with(length_of(&name), length);
                    }
                    body.seq.push(KaitaiField::of(name, "text"));
                }
                FieldForm::Value => {
                    body = body.given("depth", "u4");
                    body.seq.push(KaitaiField::of(name, "variant(depth + 1)"));
                }
                FieldForm::Type { class, .. } => body = self.element_type_field(body, &name, class),
                FieldForm::Values { count, bit_31 } => {
                    let number = format!("num_{name}");
                    let items = KaitaiField::of(name, "variant(depth + 1)").times(number.as_str());
                    body = counted(body, &number, &identifier(count), *bit_31, 4).and(items).given("depth", "u4");
                }
                FieldForm::Bytes { .. } => {
                    let size = format!("len_{name}");
                    let behind = padding(&size, self.dialect.rules.byte_padding_optional_at_end);
                    let behind = KaitaiField { id: format!("{name}_padding"), ..behind };
                    body.seq.extend([length(&size, 1), KaitaiField::bytes(&name, size.as_str()), behind]);
                }
                FieldForm::Padding { bytes } => body.seq.push(KaitaiField::bytes(&name, bytes.to_string())),
                FieldForm::Repeat { count, bit_31, of } => {
                    let number = format!("num_{name}");
                    let element = self.list_in(layout, &path, of, types, &mut body);
                    body = counted(body, &number, &identifier(count), *bit_31, least_bytes(of));
                    body.seq.push(KaitaiField::of(name, element).times(number));
                }
                FieldForm::Choice { by, of, otherwise } => {
                    let by_flag = by == FLAG;
                    let is_text = fields.iter().any(|field| field.name == *by && field.form == FieldForm::Text);
                    let by = if is_text { length_of(&identifier(by)) } else { identifier(by) };
                    let value = |number: u32| if by_flag { (number == 1).to_string() } else { number.to_string() };
                    let mut case = |value: String, name: &str, fields: &[RecordField]| {
                        (value, self.list_in(layout, &format!("{path}_{name}"), fields, types, &mut body))
                    };
                    let chosen = of.iter().filter(|(_, fields)| !fields.is_empty());
                    let mut cases: Vec<_> =
                        chosen.map(|(number, fields)| case(value(*number), &number.to_string(), fields)).collect();
                    if !otherwise.is_empty() {
                        let other = of.first().filter(|_| by_flag).map(|(number, _)| value(1 - number));
                        cases.push(case(other.unwrap_or_else(|| "_".to_owned()), "otherwise", otherwise));
                    }
                    body = body.given(&by, if by_flag { "bool" } else { "u4" });
                    let without = of.iter().filter(|(_, fields)| fields.is_empty() && !otherwise.is_empty());
                    let condition: Vec<_> = without.map(|(number, _)| format!("{by} != {}", value(*number))).collect();
                    let kind = match &cases[..] {
                        [(value, only)] if value == "_" => only.as_str().into(),
                        _ => switch(&by, cases),
                    };
                    let choice = KaitaiField::of(name, kind);
                    body.seq.push(if condition.is_empty() { choice } else { choice.only_if(condition.join(" and ")) });
                }
            }
        }
        body
    }

    /// The id of a type, and for objects the class.
    fn element_type_field(&self, body: KaitaiType, name: &str, class: &str) -> KaitaiType {
        let id = Attributes::value(format!("{name} & {LOW_BITS}"));
        let body = body.and(KaitaiField::of(name, "u4")).with(format!("{name}_id"), id);
        let Some(objects) = self.dialect.objects() else { return body };
        let class = KaitaiField::of(format!("{name}_class"), "variant(depth + 1)")
            .only_if(format!("{name}_id == {} and not flag_1", objects.id))
            .valid(format!("_.type == {IDS}::{class}"));
        body.and(class).given("depth", "u4").given("flag_1", "bool")
    }

    /// A type of its own with these fields, as it is called in `body`.
    fn list_in(
        &self,
        layout: &Layout,
        path: &str,
        fields: &[RecordField],
        types: &mut KaitaiTypes,
        body: &mut KaitaiType,
    ) -> String {
        let list = self.list(layout, path, fields, types);
        let called = call(path, &list);
        list.params.iter().for_each(|param| body.need(param.clone()));
        types.push((path.to_owned(), list));
        called
    }
}
