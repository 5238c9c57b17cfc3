//! What is wrong first in a reply: the field, the value that it is of, and words for both.

use variant_codec::{Role, Spans};
use variant_corpus::FieldOwners;
use variant_specs::{Layout, Scalar, Shape};
use variant_values::fields::{FieldValue, any_index, fields_of};
use variant_values::implementation::Answer;
use variant_values::reference;

use super::bench::Bench;
use super::subject::Subject;

/// What is wrong first in a reply.
#[derive(Clone)]
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

impl Bench<'_> {
    /// What is wrong first: the field, in the innermost value that has it.
    pub(super) fn blamed(&self, subject: &Subject<'_>) -> Option<Blamed> {
        let packet = match &subject.right {
            Some(Answer::Bytes(bytes)) => bytes.as_slice(),
            _ => &subject.test.packet()?.bytes[..],
        };
        let packet = packet.get(subject.frame()..)?;
        let mut trace = Spans::default();
        reference::allowing(&self.codec, subject.request.objects).decode_traced(packet, &mut trace).ok()?;
        let path = subject.failure?.field.as_deref().filter(|path| !path.is_empty());
        // A packet that cannot be read has no fields, but a first byte that is wrong.
        let byte = match (subject.reply(), path) {
            (Some(Answer::Bytes(bytes)), None) => {
                Some(packet.iter().zip(bytes.get(subject.frame()..)?).take_while(|(one, other)| one == other).count())
            }
            _ => None,
        };
        let headers: Vec<(&str, &str)> = trace
            .spans
            .iter()
            .filter_map(|span| match span.role {
                Role::Header(layout) => Some((&*span.path, &*self.dialect.layouts.get(layout).name)),
                _ => None,
            })
            .collect();
        let mut owners = FieldOwners::default();
        for span in &trace.spans {
            if let Role::Header(layout) = span.role {
                owners.enter(span.path.strip_suffix("header").unwrap_or(""), layout);
            }
            if path.is_some_and(|path| span.path == path) || byte.is_some_and(|byte| span.bytes.contains(&byte)) {
                let (layout, name) = owners.owner(&span.path)?;
                let layout = self.dialect.layouts.get(*layout);
                let (layout, shape, alike) = (layout.name.clone(), layout.shape, alike(layout.shape));
                let becomes = if name == "header" { self.becomes(&headers, &span.path, subject) } else { None };
                let becomes = becomes.filter(|other| *other != layout);
                let (field, path) = (any_index(name), any_index(&span.path));
                let part = part(&field, span.role, shape);
                let special = special(packet.get(span.bytes.clone())?, span.role);
                let blamed = Blamed { layout, alike, part, field, becomes, key: None, special, path, is_whole: false };
                // In another order, each key is there.
                let is_moved = blamed.is_in_key()
                    && blamed.becomes.is_some()
                    && self.value_of(subject).is_some_and(|value| self.has_key(&value, &blamed.layout));
                return Some(if is_moved { Blamed { becomes: None, ..blamed }.of_key() } else { blamed });
            }
        }
        None
    }

    /// The type of the value whose header this is, in the reply: it has become one of that. Where the next one beside it has its
    /// type, or it has that of the next, it stands somewhere else; where one before it keeps that type, what was read before is
    /// to blame.
    fn becomes(&self, headers: &[(&str, &str)], path: &str, subject: &Subject<'_>) -> Option<String> {
        let value = self.value_of(subject)?;
        let fields = fields_of(&value, &self.dialect.layouts);
        let seen = |path: &str| {
            fields.iter().find_map(|field| match &field.value {
                FieldValue::Header(layout) if field.path == path => Some(layout.as_str()),
                _ => None,
            })
        };
        let at = headers.iter().position(|(own, _)| *own == path)?;
        let (own, becomes) = (headers[at].1, seen(path)?);
        let is_beside = |(other, _): &&(&str, &str)| any_index(other) == any_index(path);
        let is_kept =
            headers[..at].iter().filter(is_beside).any(|(path, layout)| *layout == own && seen(path) == Some(own));
        let next = headers[at + 1..].iter().find(is_beside);
        let is_moved = next.is_some_and(|(path, next)| {
            seen(path).is_some_and(|seen| seen != *next && (seen == own || becomes == *next))
        });
        (!is_moved && !is_kept).then(|| becomes.to_owned())
    }
}

impl Blamed {
    /// Whether it is in the key of a pair: `[0].key.header`.
    pub(super) fn is_in_key(&self) -> bool {
        self.path.contains("].key.")
    }

    /// The same, as a matter of the dictionary.
    pub(super) fn of_key(self) -> Self {
        let becomes = self.becomes.filter(|_| self.path.ends_with("].key.header"));
        let key = becomes.is_some().then_some(self.layout);
        let (layout, field, part) = (KEYS.to_owned(), "key".to_owned(), String::new());
        Self { layout, alike: KEYS, field, part, becomes, key, special: None, ..self }
    }

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

/// The part of a value that a field belongs to.
fn part(field: &str, role: Role, shape: Shape) -> String {
    let parent = field.rsplit_once('.').map_or("", |(parent, _)| parent);
    let is_container = matches!(shape, Shape::Array | Shape::Dictionary);
    match role {
        // What stands before the count says which types the elements have.
        _ if is_container && !field.starts_with('[') && !matches!(field, "header" | "count") => "types".to_owned(),
        Role::Number(_) => "numbers".to_owned(),
        Role::Length | Role::Text | Role::Nul | Role::Padding => format!("{parent} text").trim_start().to_owned(),
        _ => field.to_owned(),
    }
}
