//! What is wrong first in a reply: the field, the value that it is of, and words for both.

use variant_codec::Role;
use variant_specs::{Layout, Scalar, Shape};

/// What is wrong first in a reply.
pub(super) struct Blamed {
    /// The type of its value.
    pub(super) layout: String,
    /// A word for the types that are like it.
    pub(super) alike: &'static str,
    /// The part of its value that it belongs to: a text with its length and padding, or the numbers.
    pub(super) part: String,
    /// Its name, at any index.
    pub(super) field: String,
    /// The type that the value has in the reply, where it is another one.
    pub(super) becomes: Option<String>,
    /// The type of a key that becomes one of another type.
    pub(super) key: Option<String>,
    /// What is special of the real number that was expected there: one function mostly reads or writes those of all types.
    pub(super) special: Option<&'static str>,
    /// The name of the field in the whole value.
    pub(super) path: String,
    /// Whether it is said of the whole value.
    pub(super) is_whole: bool,
}

impl Blamed {
    /// The same, said of the whole value, which is of this type.
    pub(super) fn of_whole(self, layout: &Layout) -> Self {
        let field = end_of(&self.path, 5);
        let part = field.rsplit_once('.').map_or_else(|| field.clone(), |(value, _)| value.to_owned());
        let (layout, alike) = (layout.name.clone(), alike(layout.shape));
        Self { layout, alike, part, field, becomes: None, key: None, special: None, path: self.path, is_whole: true }
    }
}

/// At most so many steps of a path, the last ones.
pub(super) fn end_of(path: &str, most: usize) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    match steps.len().checked_sub(most) {
        None | Some(0) => path.to_owned(),
        Some(before) => format!("….{}", steps[before..].join(".")),
    }
}

/// What is special of a real number, in words.
pub(super) fn special(bytes: &[u8], role: Role) -> Option<&'static str> {
    if !matches!(role, Role::Number(Scalar::Float32 | Scalar::Float64 | Scalar::Real | Scalar::Channel)) {
        return None;
    }
    let (number, is_subnormal) = if let Ok(bytes) = bytes.try_into() {
        let single = f32::from_le_bytes(bytes);
        (f64::from(single), single.is_subnormal())
    } else {
        let double = f64::from_le_bytes(bytes.try_into().ok()?);
        (double, double.is_subnormal())
    };
    match number {
        _ if is_subnormal => Some("a number too small to be normal"),
        number if number.is_nan() => Some("NaN"),
        number if number.is_infinite() => Some("infinity"),
        number if number == 0.0 && number.is_sign_negative() => Some("minus zero"),
        _ => None,
    }
}

/// A word for types that most codecs have one function for.
pub(super) fn alike(shape: Shape) -> &'static str {
    match shape {
        Shape::Empty | Shape::Bool | Shape::Int | Shape::Float => "simple values",
        Shape::Text | Shape::NodePath => "texts",
        Shape::Fields => "vectors",
        Shape::Packed | Shape::PackedText => "packed arrays",
        Shape::Array | Shape::Dictionary => "containers",
        Shape::Record => "records",
    }
}

/// What is said in the place of a type of what is wrong of a key.
pub(super) const KEYS: &str = "dictionary keys";

/// Whether a path leads into the key of a pair: `[0].key.header`.
pub(super) fn is_in_key(path: &str) -> bool {
    path.contains("].key.")
}

pub(super) fn part(field: &str, role: Role) -> String {
    let parent = field.rsplit_once('.').map_or("", |(parent, _)| parent);
    match role {
        Role::Number(_) => "numbers".to_owned(),
        Role::Length | Role::Text | Role::Nul | Role::Padding => format!("{parent} text").trim_start().to_owned(),
        _ => field.to_owned(),
    }
}
