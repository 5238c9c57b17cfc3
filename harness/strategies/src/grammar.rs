//! The values of a dialect, as data for the generator. A new layout of a known shape needs nothing here.

use std::sync::Arc;

use variant_codec::{ElementType, Text};
use variant_specs::{Dialect, FieldForm, LayoutId, RecordField, Shape, any_field};

/// The values of a dialect.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    pub(super) dialect: Arc<Dialect>,
    /// One for each type.
    pub(super) productions: Vec<Production>,
    /// What a field of form `type` may say.
    pub(super) elements: Vec<TypedElement>,
}

/// The values of one type.
#[derive(Debug, Clone)]
pub(super) struct Production {
    pub(super) layout: LayoutId,
    /// The fields of a record that need no permission.
    pub(super) fields: Vec<RecordField>,
    /// Whether its values contain other values.
    pub(super) is_container: bool,
    /// The element type of a container that has only these values; `None` if no container can declare it.
    pub(super) of: Option<ElementType>,
}

/// A declared element type, and what the elements are.
#[derive(Debug, Clone)]
pub(super) struct TypedElement {
    pub(super) of: ElementType,
    /// The index of the elements' production; `None`: the array is always empty.
    pub(super) production: Option<usize>,
}

impl Grammar {
    pub(super) fn of(dialect: &Dialect) -> Self {
        let layouts = dialect.types.iter().map(|entry| entry.layout);
        let productions = layouts.filter_map(|layout| production(layout, dialect)).collect();
        Self::with(productions, Arc::new(dialect.clone()))
    }

    fn with(productions: Vec<Production>, dialect: Arc<Dialect>) -> Self {
        let elements = elements(&productions, &dialect);
        Self { dialect, productions, elements }
    }

    /// Only the types whose layout's name is wanted.
    #[must_use]
    pub(super) fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let is_wanted = |production: &&Production| wanted(&self.dialect.layouts.get(production.layout).name);
        let productions = self.productions.iter().filter(is_wanted).cloned().collect();
        Self::with(productions, Arc::clone(&self.dialect))
    }
}

/// `None` for records that the dialect does not have.
fn production(layout: LayoutId, dialect: &Dialect) -> Option<Production> {
    let of = declared_as(layout, dialect);
    let described = dialect.layouts.get(layout);
    let is_record = described.shape == Shape::Record;
    let fields = if is_record { permitted(dialect.rules.record(described)?) } else { Vec::new() };
    let is_container = described.shape.is_container() || any_field(&fields, FieldForm::is_of_values);
    Some(Production { layout, fields, is_container, of })
}

/// The fields, without those that need a permission, which nobody gives here: the permission alone is left of them.
fn permitted(fields: &[RecordField]) -> Vec<RecordField> {
    let of_list = |list: &[RecordField]| {
        let asking = list.iter().find(|field| field.form == FieldForm::Permission);
        asking.map_or_else(|| permitted(list), |field| vec![field.clone()])
    };
    let of_field = |field: &RecordField| {
        let FieldForm::Choice { by, of, otherwise } = &field.form else { return field.clone() };
        let of = of.iter().map(|(number, list)| (*number, of_list(list))).collect();
        let form = FieldForm::Choice { by: by.clone(), of, otherwise: of_list(otherwise) };
        RecordField { name: field.name.clone(), form }
    };
    fields.iter().map(of_field).collect()
}

/// The element type that a container of these values declares: their type. For objects, whose own classes need
/// permission, it is the class that replaces them. For nulls there is none.
fn declared_as(layout: LayoutId, dialect: &Dialect) -> Option<ElementType> {
    let declared = dialect.layouts.get(layout);
    if declared.objects {
        let array = dialect.type_of_shape(Shape::Array)?;
        return dialect.layout(array).stand_in.as_deref().map(|class| ElementType::Class(Text::from(class)));
    }
    (declared.shape != Shape::Empty).then_some(ElementType::Layout(layout))
}

/// The types of elements that a record may name: every type, a class of objects, and an id that is no type.
fn elements(productions: &[Production], dialect: &Dialect) -> Vec<TypedElement> {
    let class = TypedElement { of: ElementType::Class(Text::from("Node")), production: None };
    let unknown = TypedElement { of: ElementType::Id(dialect.max + 1), production: None };
    let types = productions.iter().enumerate().map(|(index, production)| TypedElement {
        of: ElementType::Layout(production.layout),
        production: (!production.is_container).then_some(index),
    });
    types.chain([class, unknown]).collect()
}
