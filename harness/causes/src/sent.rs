//! What was sent, and what it says about a wrong reply.

use std::ops::Range;

use variant_codec::{Codec, Framing, Refusal, Role, Span, Step, Trace, Value};
use variant_specs::Shape;

use crate::difference::{Difference, TEXT, is_padded};
use crate::explanation::{has_other_true, without_padding};
use crate::lack::{Accepted, Lack};
use crate::packet_fields::PacketFields;
use crate::symptom::Reply;
use variant_corpus::MaskedPacket;
use variant_corpus::test::Rule;
use variant_wire::implementation::Input;
use variant_wire::reference;

/// How deep the values of a packet are within each other.
#[derive(Default)]
struct Levels {
    now: usize,
    most: usize,
}

impl Trace for Levels {
    const ON: bool = true;

    fn field(&mut self, _: Range<usize>, _: &str, role: Role) {
        if matches!(role, Role::Header(_)) {
            self.most = self.most.max(self.now + 1);
        }
    }

    fn enter(&mut self, _: Step<'_>) {
        self.now += 1;
    }

    fn leave(&mut self) {
        self.now = self.now.saturating_sub(1);
    }
}

/// What was sent, and what is expected: by a test, or by a reply that is right.
pub(crate) struct Sent<'a> {
    pub(crate) layout: &'a str,
    pub(crate) input: Option<Input>,
    pub(crate) packet: Option<&'a MaskedPacket>,
    pub(crate) value: Option<&'a Value>,
    pub(crate) framing: Option<Framing>,
    pub(crate) used: Option<usize>,
    /// Why and where it must be refused, where that is written down.
    pub(crate) rejects: Option<(Refusal, usize)>,
    pub(crate) is_invalid: bool,
    pub(crate) rule: Option<Rule>,
    /// The fields of the whole packet, of which a part may have been sent.
    pub(crate) whole: Option<PacketFields<'a>>,
}

impl Sent<'_> {
    /// The difference, in the light of the packet that was read.
    pub(crate) fn read(&self, difference: Difference, codec: &Codec) -> Difference {
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = &self.input else { return difference };
        let other = difference.lack == Lack::True && has_other_true(packet, codec);
        if other { Difference::new(Lack::OtherTrue, difference.place) } else { difference }
    }

    /// What the number of bytes consumed lacks.
    pub(crate) fn length(&self, reply: &Reply) -> Difference {
        let tail = self.tail();
        let (Reply::Value(_, Some(used)), Some(packet)) = (reply, self.packet) else {
            return Difference::new(Lack::Length, tail);
        };
        let right = self.used.unwrap_or(packet.bytes.len());
        let last = self.last().map(|span| (span.role, span.bytes.len()));
        let short = usize::try_from(*used).ok().and_then(|used| right.checked_sub(used));
        if let (Some((Role::Bool, width)), Some(short @ 1..=3)) = (last, short) {
            return Difference::new(Lack::FieldWidth(width.saturating_sub(short)), tail);
        }
        let padding = self.last().filter(|span| span.role == Role::Padding).map_or(0, |span| span.bytes.len());
        let padded =
            padding > 0 && right.checked_sub(padding).and_then(|right| u64::try_from(right).ok()) == Some(*used);
        let lack = match (padded, short) {
            (true, _) => Lack::PaddingLength,
            (false, Some(_)) => Lack::Length,
            (false, None) => Lack::ExtraLength,
        };
        Difference::new(lack, tail)
    }

    /// Where the padding is that was not skipped, if that explains a reply that is wrong.
    pub(crate) fn unpadded(&self, reply: &Reply, codec: &Codec) -> Option<String> {
        let (Reply::Value(value, Some(used)), None) = (reply, self.framing) else { return None };
        let (read, place) = without_padding(self.body()?, codec)?;
        let same = read.is_ok_and(|read| read.value == *value && u64::try_from(read.used) == Ok(*used));
        // Who only does without the last padding gives the same.
        let other = !self.is_invalid || self.accepted(codec) != Accepted::MissingPadding;
        (same && other).then_some(place)
    }

    /// How many bytes the packet has, and how many were read or written instead.
    pub(crate) fn sizes(&self, reply: &Reply) -> Option<(usize, usize)> {
        let right = self.packet.filter(|_| self.framing.is_none() && !self.is_invalid)?.bytes.len();
        match reply {
            Reply::Value(_, used) => Some((self.used.unwrap_or(right), usize::try_from(used.as_ref().copied()?).ok()?)),
            Reply::Bytes(bytes) => Some((right, bytes.len())),
            Reply::Words(_) => None,
        }
    }

    /// Whether a reply says that all that was sent was read, where something is behind the value.
    pub(crate) fn took_all(&self, reply: &Reply) -> bool {
        let (Reply::Value(_, Some(used)), Some((right, wrong))) = (reply, self.sizes(reply)) else { return false };
        right != wrong && self.body().is_some_and(|packet| u64::try_from(packet.len()) == Ok(*used))
    }

    /// How many bits of the id are looked at, if that explains a reply.
    pub(crate) fn id_bits(&self, reply: &Reply, codec: &Codec) -> Option<u32> {
        let (Reply::Value(value, used), Some(Input::Decode(packet)), None) = (reply, &self.input, self.framing) else {
            return None;
        };
        let id = *packet.first()?;
        let is_type = codec.decode(packet).err().is_none_or(|error| error.kind != Refusal::UnknownType);
        (3..8).rev().find(|bits| {
            let mut masked = packet.clone();
            masked[0] = id & ((1 << bits) - 1);
            let read = || codec.decode(&masked).ok();
            let same = |used: u64, read: usize| u64::try_from(read) == Ok(used);
            // A type that becomes null may do so for any reason.
            masked[0] != id
                && (masked[0] != 0 || !is_type)
                && read().is_some_and(|read| read.value == *value && used.is_some_and(|used| same(used, read.used)))
        })
    }

    /// How many levels of values the packet has that is read or written.
    pub(crate) fn levels(&self, codec: &Codec) -> usize {
        let packet = self.body().or_else(|| Some(&self.packet.filter(|_| self.framing.is_none())?.bytes[..]));
        let Some(packet) = packet else { return 0 };
        let mut levels = Levels::default();
        let _ = codec.decode_traced(packet, &mut levels);
        levels.most
    }

    /// The packet that is read, without a length prefix.
    pub(crate) fn body(&self) -> Option<&[u8]> {
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = &self.input else { return None };
        packet.get(self.framing.map_or(0, |_| Framing::PREFIX)..)
    }

    /// What ends in its packet before something else.
    pub(crate) fn ends(&self, codec: &Codec) -> Vec<(String, bool)> {
        // A packet that is cut does not have what would come next.
        match self.whole.as_ref().filter(|_| self.rule == Some(Rule::TruncatedAt)) {
            Some(whole) => whole.ends(),
            None => self.body().map(|packet| PacketFields::of(packet, codec).ends()).unwrap_or_default(),
        }
    }

    fn last(&self) -> Option<&Span> {
        self.whole.as_ref()?.spans.last()
    }

    /// What the value of its packet ends with.
    pub(crate) fn tail(&self) -> String {
        let Some(fields) = &self.whole else { return self.layout.to_owned() };
        let Some(last) = fields.spans.iter().rposition(|span| span.role != Role::Padding) else {
            return self.layout.to_owned();
        };
        if matches!(fields.spans[last].role, Role::Text | Role::Nul | Role::Length) {
            TEXT.to_owned()
        } else {
            fields.owner(last)
        }
    }

    /// What is wrong with a packet that must be refused.
    pub(crate) fn accepted(&self, codec: &Codec) -> Accepted {
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = &self.input else {
            return Accepted::NoPacket;
        };
        let error = reference::decode(codec, packet, self.framing).err();
        match self.rejects.or(error.map(|error| (error.kind, error.at))) {
            Some((Refusal::Length, at)) => {
                let word = packet.get(at..).and_then(|rest| rest.first_chunk().copied()).map(i32::from_le_bytes);
                if word.is_some_and(|word| word < 0) { Accepted::NegativeCount } else { Accepted::BeyondTheEnd }
            }
            Some((Refusal::Truncated, _)) => {
                // Whether zeros up to a multiple of four make a packet of it that ends with padding.
                let mut padded = packet.clone();
                padded.resize(packet.len().next_multiple_of(4), 0);
                let is_padding = || {
                    let fields = PacketFields::of(padded.get(self.framing.map_or(0, |_| Framing::PREFIX)..)?, codec);
                    (fields.spans.last()?.role == Role::Padding).then_some(())
                };
                let padding = padded.len() > packet.len()
                    && reference::decode(codec, &padded, self.framing).is_ok()
                    && is_padding().is_some();
                if padding { Accepted::MissingPadding } else { Accepted::BeyondTheEnd }
            }
            Some((Refusal::UnknownType, _)) => Accepted::UnknownType,
            Some((Refusal::UnknownFlag, _)) => Accepted::UnknownFlag,
            Some((Refusal::BadUtf8, _)) => Accepted::BadUtf8,
            Some((Refusal::TooDeep, _)) => Accepted::TooDeep,
            Some((Refusal::BadObject, _)) => Accepted::BadObject,
            Some((Refusal::UnsupportedForm, _)) => Accepted::UnsupportedForm,
            None => Accepted::Other,
        }
    }

    /// The part of a value that is wrong in an invalid packet; the layout of any other.
    pub(crate) fn part(&self, codec: &Codec) -> String {
        let layout = self.layout.to_owned();
        let Some(Input::Decode(packet) | Input::Reencode(packet)) = self.input.as_ref().filter(|_| self.is_invalid)
        else {
            return layout;
        };
        if self.framing.is_some() {
            return variant_corpus::FRAMING.to_owned();
        }
        let at = match codec.decode(packet) {
            Err(error) => self.rejects.map_or(error.at, |(_, at)| at),
            Ok(_) => return layout,
        };
        // The whole packet says what the cut one would have had there.
        let whole = self.whole.as_ref().filter(|fields| self.rule.is_some() && fields.at(at).is_some());
        let own;
        let fields = match whole {
            Some(fields) => fields,
            None => {
                own = PacketFields::of(packet, codec);
                &own
            }
        };
        let exact = fields.at(at);
        let Some(place) = exact.or_else(|| fields.spans.len().checked_sub(1)) else {
            return "header".to_owned();
        };
        let of = fields.layout(place).map(|layout| (layout.shape, layout.name.as_str()));
        match (fields.spans[place].role, of) {
            // What ends behind a header lacks what would come next.
            (Role::Header(_), Some((shape, _))) if exact.is_none() && shape == Shape::Fields => {
                "row of numbers".to_owned()
            }
            (Role::Header(_), _) | (_, None) => "header".to_owned(),
            (role, Some((_, name))) if name == "byte_array" && is_padded(role) => "byte_array".to_owned(),
            (Role::Text | Role::Length | Role::Nul, _) => TEXT.to_owned(),
            (Role::Padding, Some((shape, _))) if shape != Shape::Packed => TEXT.to_owned(),
            (_, Some((Shape::Packed, name))) if name != "byte_array" => "packed array".to_owned(),
            (_, Some((Shape::Fields, _))) => "row of numbers".to_owned(),
            (_, Some((_, name))) => name.to_owned(),
        }
    }
}
