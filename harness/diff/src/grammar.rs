//! What values a dialect has, as data: made from the dialect, read by the fast generator ([`super::grow`]) and by
//! proptest's strategies ([`super::strategy`]). A layout of a known shape needs nothing here.

use variant_codec::{ElementType, Text};
use variant_specs::{
    Dialect, KeyRule, Layout, LayoutId, NodePathProperty, ObjectRule, RidRule, Scalar, Shape, TypedContainers,
};

/// The values of a dialect.
#[derive(Debug, Clone)]
pub struct Grammar {
    /// One entry a type.
    pub kinds: Vec<Kind>,
    /// A repeated key is not repeated in what comes back.
    pub unique_keys: bool,
}

/// The values of one type.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its layout.
    pub layout: LayoutId,
    /// The layout's name.
    pub name: String,
    /// What they are.
    pub form: Form,
    /// What a container says that holds nothing else; none: no container can say it.
    pub of: Option<ElementType>,
}

/// What the values of a type are.
#[derive(Debug, Clone)]
pub enum Form {
    /// Nothing to choose.
    Null,
    /// True or false.
    Bool,
    /// An integer, of 64 bits where `wide`.
    Int {
        /// Whether there is a form for more than 32 bits.
        wide: bool,
    },
    /// A float, of 64 bits where `wide`.
    Float {
        /// Whether there is a form for more than 32 bits.
        wide: bool,
    },
    /// A text.
    Text,
    /// Numbers: one element of them, or any number of elements where `packed`.
    Numbers {
        /// What each is; never [`Scalar::Real`].
        scalar: Scalar,
        /// How many an element has.
        arity: usize,
        /// Any number of elements.
        packed: bool,
    },
    /// Any number of texts.
    Texts,
    /// A path.
    NodePath {
        /// It may have a property of its own.
        property: bool,
    },
    /// A handle, by id where `by_id`, else nothing but its header.
    Rid {
        /// Whether there is an id.
        by_id: bool,
    },
    /// A function, of which nothing is sent.
    Callable,
    /// A name and the id of an object.
    Signal,
    /// An object, by id where `by_id`, else none.
    Object {
        /// Whether there is an id.
        by_id: bool,
    },
    /// A picture; bytes of a pixel by format.
    Image(Vec<(u32, u32)>),
    /// An event: how many words each type carries.
    InputEvent(Vec<(u32, usize)>),
    /// Values in a row.
    Array {
        /// It may say of what type they are.
        typed: bool,
    },
    /// Pairs of values.
    Dictionary {
        /// It may say of what types keys and values are.
        typed: bool,
    },
    /// Values of one of these types in a row.
    Typed(Vec<Element>),
}

/// The type of a typed array, and which kind of the grammar its elements are.
#[derive(Debug, Clone)]
pub struct Element {
    /// What the array says.
    pub of: ElementType,
    /// The place in [`Grammar::kinds`] of what stands in it; none: it is always empty.
    pub kind: Option<usize>,
}

impl Grammar {
    /// The grammar of a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        let mut kinds: Vec<Kind> = dialect
            .types
            .iter()
            .filter_map(|entry| {
                let layout = dialect.layout(entry);
                let form = form(layout, dialect)?;
                let of = said_of(entry.layout, dialect);
                Some(Kind { layout: entry.layout, name: layout.name.clone(), form, of })
            })
            .collect();
        let elements = elements(&kinds, dialect);
        for kind in &mut kinds {
            if let Form::Typed(of) = &mut kind.form {
                of.clone_from(&elements);
            }
        }
        Self { kinds, unique_keys: dialect.rules.keys != KeyRule::Repeated }
    }

    /// The same without the types for which that is false.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let keep: Vec<bool> = self.kinds.iter().map(|kind| wanted(&kind.name)).collect();
        let place = |old: usize| keep[..old].iter().filter(|kept| **kept).count();
        let mut kinds = self.kinds.clone();
        for kind in &mut kinds {
            if let Form::Typed(elements) = &mut kind.form {
                elements.retain(|element| element.kind.is_none_or(|kind| keep[kind]));
                elements.iter_mut().for_each(|element| element.kind = element.kind.map(place));
            }
        }
        let mut kept = keep.iter();
        kinds.retain(|_| *kept.next().unwrap_or(&false));
        Self { kinds, unique_keys: self.unique_keys }
    }
}

impl Form {
    /// Whether other values stand in it.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Array { .. } | Self::Dictionary { .. } | Self::Typed(_))
    }
}

fn form(layout: &Layout, dialect: &Dialect) -> Option<Form> {
    let wide = dialect.rules.wide_numbers;
    let numbers = |packed| {
        let scalar = dialect.scalar(layout);
        Form::Numbers { scalar, arity: layout.arity(), packed }
    };
    Some(match layout.shape {
        Shape::Empty => Form::Null,
        Shape::Bool => Form::Bool,
        Shape::Int => Form::Int { wide },
        Shape::Float => Form::Float { wide },
        Shape::Text => Form::Text,
        Shape::Fields => numbers(false),
        Shape::Packed => numbers(true),
        Shape::PackedText => Form::Texts,
        Shape::Array => Form::Array { typed: dialect.rules.typed_containers != TypedContainers::None },
        Shape::Dictionary => Form::Dictionary { typed: dialect.rules.typed_containers == TypedContainers::All },
        Shape::NodePath => Form::NodePath { property: dialect.rules.node_path_property == NodePathProperty::Own },
        Shape::Rid => match dialect.rules.rid {
            RidRule::Empty => Form::Rid { by_id: false },
            RidRule::Id => Form::Rid { by_id: true },
            RidRule::Unsupported => return None,
        },
        Shape::Object => match dialect.rules.object {
            ObjectRule::ById => Form::Object { by_id: true },
            ObjectRule::Empty => Form::Object { by_id: false },
            ObjectRule::Unsupported => return None,
        },
        Shape::Image => Form::Image(layout.pixels.clone()),
        Shape::InputEvent => {
            Form::InputEvent(layout.events.iter().map(|event| (event.id, event.fields.len())).collect())
        }
        Shape::Typed => Form::Typed(Vec::new()),
        Shape::Callable => Form::Callable,
        Shape::Signal => Form::Signal,
    })
}

/// What a container says that holds nothing but this: its type; of objects, whose class nobody may name without
/// permission, the class that stands in for all; of nulls there is none.
fn said_of(layout: LayoutId, dialect: &Dialect) -> Option<ElementType> {
    match dialect.layouts.get(layout).shape {
        Shape::Empty => None,
        Shape::Object => {
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
        | Shape::Rid
        | Shape::Image
        | Shape::InputEvent
        | Shape::Typed
        | Shape::Callable
        | Shape::Signal => Some(ElementType::Layout(layout)),
    }
}

/// What typed arrays may be of: every type, a class of objects where they are named, and an id that is no type.
fn elements(kinds: &[Kind], dialect: &Dialect) -> Vec<Element> {
    let class = Element { of: ElementType::Class(Text::from("Node")), kind: None };
    let unknown = Element { of: ElementType::Id(dialect.max + 1), kind: None };
    let types = kinds.iter().enumerate().map(|(place, kind)| Element {
        of: ElementType::Layout(kind.layout),
        kind: (!kind.form.is_container()).then_some(place),
    });
    types.chain([class, unknown]).collect()
}
