//! Two responses side by side.

use std::ops::Range;

use variant_codec::{Codec, Framing, Role, Value};
use variant_specs::UnwrittenPadding;

use super::frame;
use super::parts;
use super::response::Response;
use super::signature::DisagreementKind;
use variant_corpus::MaskedPacket;
use variant_wire::compare::{Comparison, compare};
use variant_wire::fields::{FieldValue, fields_of};
use variant_wire::handshake::{Handshake, Lossy};
use variant_wire::value_text::ExpectedValue;

/// How two responses compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Agreement {
    Same,
    /// The same, except for what a host language cannot tell apart.
    Relaxed,
    /// How the second differs from the first, and the path of the field; empty for the whole response.
    Different(DisagreementKind, String),
}

/// A response, and what its host language cannot tell apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossyResponse<'a> {
    pub(super) response: &'a Response,
    pub(super) lossy: &'a [Lossy],
}

impl<'a> LossyResponse<'a> {
    pub(super) fn of((response, (_, handshake)): (&&'a Response, &'a (String, Handshake))) -> Self {
        Self { response, lossy: &handshake.lossy }
    }
}

/// Compares responses to one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseComparer<'a> {
    pub(super) codec: &'a Codec,
    /// How packets have their length prefix; `None`: they have none.
    pub(super) framing: Option<Framing>,
    /// Dictionary entries may come in any order.
    pub(super) any_order: bool,
    /// Padding that may contain anything.
    pub(super) unwritten: UnwrittenPadding,
}

impl ResponseComparer<'_> {
    /// How the second differs from the first.
    pub(super) fn compare(&self, left: LossyResponse<'_>, right: LossyResponse<'_>) -> Agreement {
        let whole = |kind| Agreement::Different(kind, String::new());
        if left.response.is_plainly_same(right.response) {
            return Agreement::Same;
        }
        let lossy = [left.lossy, right.lossy];
        match (left.response, right.response) {
            (Response::Refused(_), _) => whole(DisagreementKind::Accepts),
            (_, Response::Refused(_)) => whole(DisagreementKind::Refuses),
            (Response::Value(a, a_used), Response::Value(b, b_used)) => {
                let agreement = self.values(a, b, lossy);
                let different = matches!(agreement, Agreement::Different(..));
                // A participant that does not report its length agrees with any.
                let same_length = a_used.is_none() || b_used.is_none() || a_used == b_used;
                if different || same_length { agreement } else { whole(DisagreementKind::Length) }
            }
            (Response::Bytes(a), Response::Bytes(b)) => match self.framing {
                None => self.bytes(a, b, lossy),
                Some(framing) => self.frames(a, b, lossy, framing),
            },
            (Response::NoValue(a), Response::NoValue(b)) if a == b => Agreement::Same,
            _ => whole(DisagreementKind::Value),
        }
    }

    fn values(&self, left: &Value, right: &Value, lossy: [&[Lossy]; 2]) -> Agreement {
        let mut all: Vec<Lossy> = lossy.concat();
        if self.any_order {
            all.push(Lossy::DictionaryOrder);
        }
        let one_way = |expected: &Value, actual: &Value| {
            let expected = ExpectedValue { value: expected.clone(), any_nan: Vec::new() };
            compare(&expected, actual, &all, self.codec.layouts())
        };
        let mut comparison = one_way(left, right);
        // `compare` expects the language that loses something on its second side.
        if matches!(comparison, Comparison::Different(_)) && !lossy[0].is_empty() {
            let other = one_way(right, left);
            if !matches!(other, Comparison::Different(_)) {
                comparison = other;
            }
        }
        match comparison {
            Comparison::Same => Agreement::Same,
            Comparison::Relaxed(relaxed) if self.any_order && relaxed.iter().all(|l| *l == Lossy::DictionaryOrder) => {
                Agreement::Same
            }
            Comparison::Relaxed(_) => Agreement::Relaxed,
            Comparison::Different(path) => {
                let both = [left, right].iter().all(|value| self.is_nan(value, &path));
                Agreement::Different(if both { DisagreementKind::NanBits } else { DisagreementKind::Value }, path)
            }
        }
    }

    /// Whether the field at this path is a NaN.
    fn is_nan(&self, value: &Value, path: &str) -> bool {
        let fields = fields_of(value, self.codec.layouts());
        fields.iter().find(|field| field.path == path).is_some_and(|field| match &field.value {
            FieldValue::Single(float) => float.get().is_nan(),
            FieldValue::Double(float) => float.get().is_nan(),
            FieldValue::Header(_)
            | FieldValue::Count(_)
            | FieldValue::Bool(_)
            | FieldValue::Int(_)
            | FieldValue::Id(_)
            | FieldValue::Text(_)
            | FieldValue::Bytes(_) => false,
        })
    }

    /// Packets behind their lengths: if both lengths are right, the packets are compared.
    fn frames(&self, left: &[u8], right: &[u8], lossy: [&[Lossy]; 2], framing: Framing) -> Agreement {
        // No packet is empty: four zero bytes are the packet of null, not a length of 0.
        let whole = |input: &[u8]| {
            frame::inside(input, framing).filter(|inside| inside.end == input.len() && !inside.is_empty())
        };
        match (whole(left), whole(right)) {
            (Some(a), Some(b)) => self.bytes(&left[a], &right[b], lossy),
            _ => Agreement::Different(DisagreementKind::Bytes, frame::FIELD.to_owned()),
        }
    }

    fn bytes(&self, left: &[u8], right: &[u8], lossy: [&[Lossy]; 2]) -> Agreement {
        let unwritten = self.unwritten(left);
        let Some(at) = (MaskedPacket { bytes: left.to_vec().into(), unwritten }).first_difference(right) else {
            return Agreement::Same;
        };
        let whole = |bytes: &[u8]| {
            let decoded = self.codec.decode(bytes).ok()?;
            (decoded.used == bytes.len()).then_some(decoded.value)
        };
        let field = || frame::field(left, at, None, self.codec).unwrap_or_else(|| "trailing".to_owned());
        let (Some(a), Some(b)) = (whole(left), whole(right)) else {
            return Agreement::Different(DisagreementKind::Bytes, field());
        };
        match self.values(&a, &b, lossy) {
            Agreement::Same if self.any_order && left.len() == right.len() => Agreement::Same,
            Agreement::Same => Agreement::Different(DisagreementKind::Form, field()),
            Agreement::Different(DisagreementKind::Value, path) => Agreement::Different(DisagreementKind::Bytes, path),
            other @ (Agreement::Relaxed | Agreement::Different(..)) => other,
        }
    }

    /// The padding that may contain anything.
    fn unwritten(&self, packet: &[u8]) -> Vec<Range<usize>> {
        let of_names = |path: &str| {
            let part = path.rsplit('.').nth(1).unwrap_or_default();
            part.starts_with("names[") || part.starts_with("subnames[")
        };
        let is_unwritten: &dyn Fn(&str) -> bool = match self.unwritten {
            UnwrittenPadding::None => return Vec::new(),
            UnwrittenPadding::NodePath => &of_names,
            UnwrittenPadding::All => &|_| true,
        };
        let spans = parts::spans(packet, self.codec).into_iter();
        spans.filter(|span| span.role == Role::Padding && is_unwritten(&span.path)).map(|span| span.bytes).collect()
    }
}
