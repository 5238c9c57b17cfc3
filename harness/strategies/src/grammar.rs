//! The values of a dialect, as data for the generator. A new layout of a known shape needs nothing here.

use variant_codec::{ElementType, Text};
use variant_specs::{
    Dialect, FieldForm, KeyRule, Layout, LayoutId, NodePathProperty, RecordField, Scalar, Shape, TypedContainers,
    any_field,
};

/// The values of a dialect.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    /// One for each type.
    pub(super) productions: Vec<Production>,
    /// What a field of form `type` may say.
    pub(super) elements: Vec<TypedElement>,
    /// Whether readers keep only one of equal keys.
    pub(super) unique_keys: bool,
}

/// The values of one type.
#[derive(Debug, Clone)]
pub(super) struct Production {
    pub(super) layout: LayoutId,
    /// The layout's name, as in specs: `vector2`.
    pub(super) name: String,
    pub(super) kind: ValueKind,
    /// The element type of a container that has only these values; `None` if no container can declare it.
    pub(super) of: Option<ElementType>,
}

/// What the values of a type are.
#[derive(Debug, Clone)]
pub(super) enum ValueKind {
    Null,
    Bool,
    /// `wide`: there is a form with 64 bits.
    Int {
        wide: bool,
    },
    /// `wide`: there is a form with 64 bits.
    Float {
        wide: bool,
    },
    Text,
    /// `arity` numbers, or any number of times as many if `packed`. The scalar is never [`Scalar::Real`].
    Numbers {
        scalar: Scalar,
        arity: usize,
        packed: bool,
    },
    Texts,
    /// `property`: the path may have a property of its own.
    NodePath {
        property: bool,
    },
    /// For each format, how many bytes a pixel has.
    Image(Vec<(u32, u32)>),
    /// `typed`: it may declare the type of its elements.
    Array {
        typed: bool,
    },
    /// `typed`: it may declare the types of its keys and values.
    Dictionary {
        typed: bool,
    },
    /// The fields of a record, what its reals are, and whether it may be null.
    Record {
        fields: Vec<RecordField>,
        real: Scalar,
        nullable: bool,
    },
}

/// A declared element type, and what the elements are.
#[derive(Debug, Clone)]
pub(super) struct TypedElement {
    pub(super) of: ElementType,
    /// The index of the elements' production; `None`: the array is always empty.
    pub(super) production: Option<usize>,
}

impl Grammar {
    /// The grammar of a dialect.
    pub(super) fn of(dialect: &Dialect) -> Self {
        let productions: Vec<Production> = dialect
            .types
            .iter()
            .filter_map(|entry| {
                let layout = dialect.layout(entry);
                let kind = kind(layout, dialect)?;
                let of = declared_as(entry.layout, dialect);
                Some(Production { layout: entry.layout, name: layout.name.clone(), kind, of })
            })
            .collect();
        let elements = elements(&productions, dialect);
        Self { productions, elements, unique_keys: dialect.rules.keys != KeyRule::Repeated }
    }

    /// Only the types whose layout's name is wanted.
    #[must_use]
    pub(super) fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let keep: Vec<bool> = self.productions.iter().map(|one| wanted(&one.name)).collect();
        let place = |old: usize| keep[..old].iter().filter(|kept| **kept).count();
        let mut productions = self.productions.clone();
        let mut elements = self.elements.clone();
        elements.retain(|element| element.production.is_none_or(|index| keep[index]));
        elements.iter_mut().for_each(|element| element.production = element.production.map(place));
        let mut kept = keep.iter();
        productions.retain(|_| *kept.next().unwrap_or(&false));
        Self { productions, elements, unique_keys: self.unique_keys }
    }
}

impl ValueKind {
    /// Whether it contains other values.
    pub(super) fn is_container(&self) -> bool {
        match self {
            Self::Array { .. } | Self::Dictionary { .. } => true,
            Self::Record { fields, .. } => any_field(fields, FieldForm::is_of_values),
            Self::Null
            | Self::Bool
            | Self::Int { .. }
            | Self::Float { .. }
            | Self::Text
            | Self::Numbers { .. }
            | Self::Texts
            | Self::NodePath { .. }
            | Self::Image(_) => false,
        }
    }
}

fn kind(layout: &Layout, dialect: &Dialect) -> Option<ValueKind> {
    let wide = dialect.rules.wide_numbers;
    let numbers = |packed| {
        let scalar = dialect.scalar(layout);
        ValueKind::Numbers { scalar, arity: layout.arity(), packed }
    };
    Some(match layout.shape {
        Shape::Empty => ValueKind::Null,
        Shape::Bool => ValueKind::Bool,
        Shape::Int => ValueKind::Int { wide },
        Shape::Float => ValueKind::Float { wide },
        Shape::Text => ValueKind::Text,
        Shape::Fields => numbers(false),
        Shape::Packed => numbers(true),
        Shape::PackedText => ValueKind::Texts,
        Shape::Array => ValueKind::Array { typed: dialect.rules.typed_containers != TypedContainers::None },
        Shape::Dictionary => ValueKind::Dictionary { typed: dialect.rules.typed_containers == TypedContainers::All },
        Shape::NodePath => ValueKind::NodePath { property: dialect.rules.node_path_property == NodePathProperty::Own },
        Shape::Record if !layout.pixels.is_empty() => ValueKind::Image(layout.pixels.clone()),
        Shape::Record => ValueKind::Record {
            fields: permitted(dialect.rules.record(layout)?),
            real: dialect.scalar(layout),
            nullable: layout.nullable,
        },
    })
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
    match declared.shape {
        Shape::Empty => None,
        Shape::Record if declared.objects => {
            let array = dialect.type_of_shape(Shape::Array)?;
            dialect.layout(array).stand_in.as_deref().map(|class| ElementType::Class(Text::from(class)))
        }
        Shape::Bool
        | Shape::Int
        | Shape::Float
        | Shape::Text
        | Shape::Fields
        | Shape::Packed
        | Shape::PackedText
        | Shape::Array
        | Shape::Dictionary
        | Shape::NodePath
        | Shape::Record => Some(ElementType::Layout(layout)),
    }
}

/// The types of elements that a record may name: every type, a class of objects, and an id that is no type.
fn elements(productions: &[Production], dialect: &Dialect) -> Vec<TypedElement> {
    let class = TypedElement { of: ElementType::Class(Text::from("Node")), production: None };
    let unknown = TypedElement { of: ElementType::Id(dialect.max + 1), production: None };
    let types = productions.iter().enumerate().map(|(index, production)| TypedElement {
        of: ElementType::Layout(production.layout),
        production: (!production.kind.is_container()).then_some(index),
    });
    types.chain([class, unknown]).collect()
}
