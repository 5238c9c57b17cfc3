//! What is wrong first in a reply: the field, the value that it is of, and words for both.

use std::collections::BTreeSet;

use variant_codec::{Role, Span};
use variant_corpus::verdict::{Reason, Verdict};
use variant_corpus::{Class, FieldOwners};
use variant_specs::{Layout, Scalar, Shape};
use variant_values::compare::differs_in_order;
use variant_values::fields::{FieldValue, any_index, fields_of};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Input};
use variant_values::reference;
use variant_values::value_text::ExpectedValue;

use super::bench::Bench;
use super::subject::{Blamed, Subject};

impl Bench<'_> {
    /// Whether nothing is wrong but the order of the pairs of dictionaries, and what is wrong first.
    pub(super) fn seen<'s>(&self, subject: &'s Subject<'_>) -> &'s (bool, Option<Blamed>) {
        subject.seen.get_or_init(|| {
            // Where no value is wrong, the fields of a packet, which take memory, are not looked at.
            let has_none = match subject.reply() {
                Some(Answer::Refused(_) | Answer::Unsupported(_)) => true,
                Some(Answer::Garbled(_)) => subject.is_heavy(),
                _ => subject.failure.is_some_and(|of| of.verdict == Verdict::Fail(Reason::AcceptedInvalid)),
            };
            let blamed = if has_none { None } else { self.blamed(subject) };
            (self.is_in_other_order(subject), blamed)
        })
    }

    fn is_in_other_order(&self, subject: &Subject<'_>) -> bool {
        let right = match &subject.right {
            Some(Answer::Value { value, .. }) => Some(value.clone()),
            Some(Answer::Bytes(bytes)) => bytes.get(subject.frame()..).and_then(|packet| self.read(packet)),
            _ => None,
        };
        let (Some(right), Some(seen)) = (right, self.value_of(subject)) else { return false };
        let right = ExpectedValue { value: right, any_nan: Vec::new() };
        differs_in_order(&right, &seen, self.lossy, &self.dialect.layouts)
    }

    /// What is wrong first: the field, in the innermost value that has it.
    fn blamed(&self, subject: &Subject<'_>) -> Option<Blamed> {
        let packet = match &subject.right {
            Some(Answer::Bytes(bytes)) => bytes.as_slice(),
            _ => &subject.test.packet()?.bytes[..],
        };
        let packet = packet.get(subject.frame()..)?;
        let (trace, Ok(_)) = reference::allowing(&self.codec, subject.request.objects).traced(packet) else {
            return None;
        };
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
                let (layout, shape, family) = (layout.name.clone(), layout.shape, family_of(layout.shape));
                let becomes = if name == "header" { self.becomes(&headers, &span.path, subject) } else { None };
                let becomes = becomes.filter(|other| *other != layout);
                let (field, path) = (any_index(name), any_index(&span.path));
                let part = part(&field, span.role, shape);
                let special = special(packet.get(span.bytes.clone())?, span.role);
                let of = |path: &str| path.rsplit_once('.').map_or("", |(parent, _)| parent).to_owned();
                let is_text = |other: &&Span| other.role == Role::Text && of(&other.path) == of(&span.path);
                let text = trace.spans.iter().find(is_text).filter(|_| part.ends_with("text"));
                let traits = traits(packet, text.unwrap_or(span));
                let blamed =
                    Blamed { layout, family, part, field, becomes, key: None, special, traits, path, is_whole: false };
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
        (!is_moved && !is_kept && !self.stays_as_sent(subject, path, becomes)).then(|| becomes.to_owned())
    }

    /// Whether the value that was sent there, to be sent on, has this type already.
    fn stays_as_sent(&self, subject: &Subject<'_>, path: &str, layout: &str) -> bool {
        let Input::Reencode(packet) = &subject.request.input else { return false };
        let (trace, _) = reference::allowing(&self.codec, subject.request.objects).traced(packet);
        trace.spans.iter().any(|span| match span.role {
            Role::Header(own) => span.path == path && self.dialect.layouts.get(own).name == layout,
            _ => false,
        })
    }
}

impl Bench<'_> {
    /// Whether a canonical case of this type passes in which there is such a text, or such a number in one of these fields.
    pub(super) fn keeps(&self, layout: &str, fields: &BTreeSet<&str>, op: Op, what: &str) -> bool {
        self.passes_about(&[layout.into()]).into_iter().map(|place| &self.passes[place]).any(|subject| {
            let has = |packet: &[u8]| {
                let (trace, _) = reference::allowing(&self.codec, subject.request.objects).traced(packet);
                let is_meant =
                    |span: &&Span| span.role == Role::Text || fields.contains(any_index(&span.path).as_str());
                trace.spans.iter().filter(is_meant).any(|span| traits(packet, span).contains(&what))
            };
            let packet = subject.test.packet().and_then(|packet| packet.bytes.get(subject.frame()..));
            let test = subject.test;
            let is_own = test.op == op && test.rule.is_none() && test.expected.class == Class::Canonical;
            is_own && *test.layout == *layout && packet.is_some_and(has)
        })
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
        Self { layout, family: KEYS, field, part, becomes, key, special: None, ..self }
    }

    /// The same, said of the whole value, which is of this type.
    pub(super) fn of_whole(self, layout: &Layout) -> Self {
        let field = end_of(&self.path, 5);
        let part = field.rsplit_once('.').map_or_else(|| field.clone(), |(value, _)| value.to_owned());
        let (layout, family) = (layout.name.clone(), family_of(layout.shape));
        Self { layout, family, part, field, becomes: None, key: None, special: None, is_whole: true, ..self }
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

/// What a text or a number in a packet is, in words, the rarest first.
fn traits(packet: &[u8], span: &Span) -> Vec<&'static str> {
    let Some(bytes) = packet.get(span.bytes.clone()) else { return Vec::new() };
    let all = match span.role {
        Role::Text => of_text(&String::from_utf8_lossy(bytes)),
        Role::Number(Scalar::Int32) => {
            bytes.try_into().map_or(Vec::new(), |bytes| of_int(i32::from_le_bytes(bytes).into(), 32))
        }
        Role::Number(Scalar::Int64) => {
            bytes.try_into().map_or(Vec::new(), |bytes| of_int(i64::from_le_bytes(bytes), 64))
        }
        _ => Vec::new(),
    };
    all.into_iter().filter(|(has, _)| *has).map(|(_, what)| what).collect()
}

fn of_text(text: &str) -> Vec<(bool, &'static str)> {
    let any = |is: fn(char) -> bool| text.contains(is);
    let is_at_end = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    vec![
        (any(|c| c == '\u{feff}'), "a byte order mark stands"),
        (any(|c| c > '\u{ffff}'), "a character beyond U+FFFF stands"),
        (any(|c| c == '\n'), "a line feed stands"),
        (any(|c| c != '\0' && c.is_ascii_control()), "a control character stands"),
        (any(|c| c == '"' || c == '\\'), "a quote or a backslash stands"),
        (is_at_end, "white space stands at an end"),
        (any(|c| !c.is_ascii()), "a letter beyond ASCII stands"),
    ]
}

fn of_int(int: i64, bits: u32) -> Vec<(bool, &'static str)> {
    let does_not_fit = |bits: u32| int < -1 << (bits - 1) || int >= 1 << (bits - 1);
    vec![
        (int == i64::MIN, "-2^63 stands"),
        (bits == 32 && int == i64::from(i32::MIN), "-2^31 stands"),
        (does_not_fit(54), "an int beyond 2^53 stands"),
        (does_not_fit(32), "an int stands that 32 bits do not hold"),
        (does_not_fit(16), "an int stands that 16 bits do not hold"),
        (int < 0, "a negative int stands"),
        (does_not_fit(8), "an int stands that 8 bits do not hold"),
    ]
}

/// A word for types that most codecs have one function for.
pub(super) fn family_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Empty | Shape::Bool | Shape::Int | Shape::Float => "simple values",
        Shape::Text | Shape::NodePath => "texts",
        Shape::Fields => "vectors",
        Shape::Packed | Shape::PackedText => "packed arrays",
        Shape::Array | Shape::Dictionary => "containers",
        Shape::Record => "records",
    }
}

/// The part of a value that its numbers are.
pub(super) const NUMBERS: &str = "numbers";

/// What is said in the place of a type of what is wrong of a key.
pub(super) const KEYS: &str = "dictionary keys";

/// The part of a value that a field belongs to.
fn part(field: &str, role: Role, shape: Shape) -> String {
    let parent = field.rsplit_once('.').map_or("", |(parent, _)| parent);
    let is_container = matches!(shape, Shape::Array | Shape::Dictionary);
    match role {
        // What stands before the count says which types the elements have.
        _ if is_container && !field.starts_with('[') && !matches!(field, "header" | "count") => "types".to_owned(),
        Role::Number(_) => NUMBERS.to_owned(),
        Role::Length | Role::Text | Role::Nul | Role::Padding => format!("{parent} text").trim_start().to_owned(),
        _ => field.to_owned(),
    }
}
