//! Finds out what a failure shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::{Codec, Options, Value};
use variant_specs::{Dialect, KeyRule, Layout, Reading, Scalar, Shape};

use crate::difference::{Compared, Difference, Meant, TEXT, TYPED, in_one_order, of_values, real};
use crate::explanation::{
    exchanged, has_dictionary, is_headerless, is_unsigned, length_in_front, narrowed, reverse, rounded, turned,
    without_padding,
};
use crate::feature::{Feature, Special, features, first, is_least};
use crate::lack::{Lack, UNREAD_PADDING};
use crate::packet_fields::PacketFields;
use crate::sent::Sent;
use crate::symptom::{Failure, OPPOSITE, ReadHash, Reply, Symptom, Wrong, WrongComponent};
use crate::words::words;
use variant_codec::Framing;
use variant_corpus::test::Test;
use variant_corpus::verdict::{Reason, Verdict};
use variant_corpus::{Class, MaskedPacket};
use variant_wire::fields::fields_of;
use variant_wire::handshake::Lossy;
use variant_wire::implementation::{Answer, Input, Request};
use variant_wire::reference;

const KEY_AND_VALUE: &str = "key and value";

/// Finds out what failures show, in one dialect.
#[derive(Debug)]
pub struct Examiner<'a> {
    dialect: &'a Dialect,
    reading: Reading,
    codec: Codec,
    /// That of the other reading.
    other: Codec,
    lossy: &'a [Lossy],
}

impl<'a> Examiner<'a> {
    /// For an implementation that is `lossy` in these ways.
    pub fn new(dialect: &'a Dialect, reading: Reading, lossy: &'a [Lossy]) -> Self {
        let codec = |reading| Codec::new(dialect, reading);
        Self { dialect, reading, codec: codec(reading), other: codec(reading.other()), lossy }
    }

    /// What a failure shows.
    pub fn symptom(&self, failure: &Failure<'_>) -> Symptom {
        let Failure { test, verdict, amber, reason, erratum, reply } = failure;
        let codec = reference::allowing(&self.codec, test.case.objects);
        let sent = Sent {
            layout: &test.layout,
            input: test.request().map(|request| request.input),
            packet: test.expected.packet.as_ref(),
            value: test.expected.value.as_ref().map(|value| &value.value),
            framing: test.case.framing,
            used: test.expected.used,
            rejects: test.expected.rejects.map(|rejects| (rejects.kind, rejects.at)),
            is_invalid: test.expected.class == Class::Invalid,
            rule: test.rule,
            whole: self.whole(test, &codec),
        };
        Symptom {
            case: test.id.parts().case.to_owned(),
            test: test.id.to_string(),
            layout: Arc::clone(&test.layout),
            layouts: Arc::clone(&test.layouts),
            op: test.op,
            rule: test.rule,
            amber: *amber,
            refused: *reason == Some(Reason::RefusedValid)
                || *reason == Some(Reason::UnsupportedButClaimed) && !sent.is_invalid,
            invalid: sent.is_invalid.then(|| sent.accepted(&codec)),
            size: sent.packet.map_or(0, |packet| packet.bytes.len()),
            difference: self.difference(&sent, (*verdict, *reason), *erratum, reply, &codec),
            features: self.features(test),
            tail: sent.tail(),
            ends: sent.ends(&codec),
            as_other: self.as_other(test, reply),
            erratum: test.erratum.clone(),
            components: self.components(&sent, reply),
            arity: self.layout(&test.layout).map_or(1, Layout::arity),
            integers: self.layout(&test.layout).is_some_and(|layout| self.is_of_integers(layout)),
            element: self.layout(&test.layout).and_then(|layout| self.element(layout)),
            read: ReadHash::of(reply),
            sizes: sent.sizes(reply),
            took_all: sent.took_all(reply),
            levels: sent.levels(&codec),
        }
    }

    fn layout(&self, name: &str) -> Option<&Layout> {
        let layouts = self.codec.layouts();
        layouts.id_of(name).map(|id| layouts.get(id))
    }

    fn is_of_integers(&self, layout: &Layout) -> bool {
        layout.shape == Shape::Fields && self.dialect.scalar(layout) == Scalar::Int32
    }

    /// How many bytes an element of an array of numbers takes.
    fn element(&self, layout: &Layout) -> Option<usize> {
        let bytes = match self.dialect.scalar(layout) {
            Scalar::Byte => return None,
            Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel => 4,
            Scalar::Int64 | Scalar::Float64 => 8,
        };
        (layout.shape == Shape::Packed).then(|| layout.arity() * bytes)
    }

    /// The numbers that are wrong, if the reply is a row or array of as many.
    fn components(&self, sent: &Sent<'_>, reply: &Reply) -> Vec<WrongComponent> {
        /// Of an array with more, none is looked at: each is compared with all others.
        const MOST: usize = 400;
        let wrong = match reply {
            Reply::Value(value, _) => Some(value.clone()),
            Reply::Bytes(packet) => reference::decode(&self.codec, packet, sent.framing).ok().map(|read| read.value),
            Reply::Words(_) => None,
        };
        let (right, wrong) = match (sent.value, &wrong) {
            (Some(right @ Value::Fields(of, _)), Some(wrong @ Value::Fields(other, _)))
            | (Some(right @ Value::Packed(of, _)), Some(wrong @ Value::Packed(other, _)))
                if of == other =>
            {
                (right, wrong)
            }
            _ => return Vec::new(),
        };
        let layouts = self.codec.layouts();
        let (right, wrong) = (fields_of(right, layouts), fields_of(wrong, layouts));
        if right.len() != wrong.len() || right.len() > MOST {
            return Vec::new();
        }
        // Of `[3].origin.x`, what is behind the element, and all of the same element.
        let name = |path: &str| path.split_once("].").map_or(path, |(_, name)| name).to_owned();
        let element = |path: &str| path.split_once("].").map(|(element, _)| element.to_owned());
        let mut components = Vec::new();
        for (one, other) in right.iter().zip(&wrong).filter(|(right, wrong)| right != wrong) {
            let alike =
                right.iter().filter(|field| element(&field.path) == element(&one.path) && field.path != one.path);
            let mut instead: BTreeSet<String> =
                alike.filter(|field| field.value == other.value).map(|field| name(&field.path)).collect();
            instead.extend(self::real(&other.value).filter(|real| real.is_finite()).map(|real| real.to_string()));
            let opposite = real(&one.value).zip(real(&other.value)).is_some_and(|(one, other)| one == -other);
            instead.extend(opposite.then(|| OPPOSITE.to_owned()));
            components.push(WrongComponent { name: name(&one.path), instead });
        }
        components
    }

    /// Whether a reply is that of the other reading.
    fn as_other(&self, test: &Test, reply: &Reply) -> bool {
        let other = reference::allowing(&self.other, test.case.objects);
        let Some(request) = test.request() else { return false };
        match (&request.input, reply) {
            (Input::Decode(packet), Reply::Value(value, _)) => {
                reference::decode(&other, packet, request.framing).is_ok_and(|decoded| decoded.value == *value)
            }
            (_, Reply::Bytes(bytes)) => {
                matches!(reference::answer_allowed(&other, &request), Answer::Bytes(right) if right == *bytes)
            }
            _ => false,
        }
    }

    /// What a reply to a request lacks beside one that is right: there is no test.
    pub fn beside(&self, request: &Request, layout: &str, right: &Reply, wrong: &Wrong<'_>) -> Difference {
        let codec = reference::allowing(&self.codec, request.objects);
        let (sent, value) = match (&request.input, right) {
            (Input::Encode(value), Reply::Bytes(bytes)) => (Some(bytes), Some(value)),
            (Input::Encode(value), _) => (None, Some(value)),
            (Input::Reencode(_), Reply::Bytes(bytes)) => (Some(bytes), None),
            (Input::Decode(bytes) | Input::Reencode(bytes), Reply::Value(value, _)) => (Some(bytes), Some(value)),
            (Input::Decode(bytes) | Input::Reencode(bytes), _) => (Some(bytes), None),
        };
        let packet = sent.map(|bytes| MaskedPacket { bytes: bytes.clone().into(), unwritten: Vec::new() });
        let body = |packet: &MaskedPacket| {
            let bytes = packet.bytes.get(request.framing.map_or(0, |_| Framing::PREFIX)..)?;
            codec.decode(bytes).is_ok().then(|| PacketFields::of(bytes, &codec))
        };
        let sent = Sent {
            layout,
            input: Some(request.input.clone()),
            packet: packet.as_ref(),
            value,
            framing: request.framing,
            used: if let Reply::Value(_, Some(used)) = right { usize::try_from(*used).ok() } else { None },
            rejects: None,
            is_invalid: wrong.reason == Some(Reason::AcceptedInvalid),
            rule: None,
            whole: packet.as_ref().and_then(body),
        };
        self.difference(&sent, (wrong.verdict, wrong.reason), None, wrong.reply, &codec)
    }

    /// What is special about the smallest request that is refused: what all that are refused have in common, if anything.
    pub fn refused_where(&self, request: &Request) -> Option<Difference> {
        let codec = reference::allowing(&self.codec, request.objects);
        let value = match &request.input {
            Input::Encode(value) => Some(value.clone()),
            Input::Decode(packet) | Input::Reencode(packet) => {
                reference::decode(&codec, packet, request.framing).ok().map(|decoded| decoded.value)
            }
        };
        if let (Input::Decode(packet), None) = (&request.input, request.framing)
            && let Some((Err(_), _)) = without_padding(packet, &codec)
        {
            return Some(Difference::new(Lack::RefusesWhere(UNREAD_PADDING.to_owned()), TEXT));
        }
        let special = Special {
            rule: None,
            input: Some(&request.input),
            framing: request.framing,
            value: value.as_ref(),
            codec: &codec,
        };
        let (what, of) =
            first(&features(&special, &self.known_flags()).into_iter().filter(|feature| !is_least(feature)).collect())?;
        Some(Difference::new(Lack::RefusesWhere(what.to_owned()), of))
    }

    /// What is special about a test.
    pub(crate) fn features(&self, test: &Test) -> BTreeSet<Feature> {
        let input = test.request().map(|request| request.input);
        let value = test.expected.value.as_ref().map(|value| &value.value);
        let codec = &reference::allowing(&self.codec, test.case.objects);
        let special = Special { rule: test.rule, input: input.as_ref(), framing: test.case.framing, value, codec };
        features(&special, &self.known_flags())
    }

    /// The header flags that mean something, of the type of a header.
    fn known_flags(&self) -> impl Fn(u32) -> Option<u32> {
        |header| {
            let entry = self.dialect.type_of(header & 0xff)?;
            Some(self.dialect.known_flags(self.dialect.layout(entry), self.reading))
        }
    }

    fn difference(
        &self,
        sent: &Sent<'_>,
        (verdict, reason): (Verdict, Option<Reason>),
        erratum: Option<&str>,
        reply: &Reply,
        codec: &Codec,
    ) -> Difference {
        let layout = sent.layout;
        let said = match reply {
            Reply::Words(text) => words(text),
            Reply::Value(..) | Reply::Bytes(_) => String::new(),
        };
        if let Some(erratum) = erratum {
            let lack = match self.reading {
                Reading::Engine => Lack::Erratum,
                Reading::Document => Lack::EngineErratum,
            };
            return Difference::new(lack(erratum.to_owned()), "");
        }
        if verdict == Verdict::Fail
            && let Some(bits) = sent.id_bits(reply, codec)
        {
            return Difference::new(Lack::IdBits(bits), "header");
        }
        if verdict == Verdict::Fail
            && let Some(place) = sent.unpadded(reply, codec)
        {
            return Difference::new(Lack::PaddingLength, place);
        }
        match (verdict, reason) {
            (Verdict::Crashed, _) => Difference::new(Lack::Crashes(said), sent.part(codec)),
            (Verdict::TimedOut, _) => Difference::new(Lack::Hangs, sent.part(codec)),
            (Verdict::Garbled, _) => Difference::new(Lack::Garbles(said), layout),
            (Verdict::OrderDependent, _) => Difference::new(Lack::DependsOnOrder, ""),
            (Verdict::Nondeterministic, _) => Difference::new(Lack::Varies, ""),
            (Verdict::Resource, _) => Difference::new(Lack::Resources, layout),
            (Verdict::Relaxed, _) => Difference::new(Lack::Declared, ""),
            (_, Some(Reason::RefusedValid)) => Difference::new(Lack::Refuses(said), layout),
            (_, Some(Reason::UnsupportedButClaimed)) if sent.is_invalid => Difference::new(Lack::NotRefused(said), ""),
            (_, Some(Reason::UnsupportedButClaimed)) => Difference::new(Lack::Unsupported(said), layout),
            (_, Some(Reason::AcceptedInvalid)) => {
                Difference::new(Lack::Accepts(sent.accepted(codec)), sent.part(codec))
            }
            (_, Some(Reason::WrongLength)) => sent.length(reply),
            (_, Some(Reason::Internal)) => Difference::new(Lack::Other("a fault of this suite".to_owned()), layout),
            (Verdict::Fail | Verdict::NonCanonical, Some(Reason::WrongValue | Reason::WrongBytes) | None) => {
                self.compared(sent, reply, codec)
            }
            (Verdict::Pass | Verdict::Open | Verdict::NotClaimed | Verdict::NotRun | Verdict::Skipped, _) => {
                Difference::new(Lack::Other(verdict.name().to_owned()), layout)
            }
        }
    }

    /// How a wrong value or packet differs.
    fn compared(&self, sent: &Sent<'_>, reply: &Reply, codec: &Codec) -> Difference {
        let decoded;
        match (reply, sent.value, sent.packet) {
            (Reply::Value(wrong, consumed), Some(right), packet) => {
                let difference = of_values(right, wrong, self.lossy, codec.layouts());
                if self.keeps_first(sent, right, wrong, codec) {
                    return Difference::new(Lack::FirstValue, "dictionary");
                }
                // Read in each other's place, a path may be relative too: the flag alone is the simpler reason.
                let simple = matches!(difference.lack, Lack::Absolute | Lack::Relative);
                let exchanged = packet.filter(|_| !simple).and_then(|packet| exchanged(&packet.bytes, wrong, codec));
                if let Some((exchanged, place)) = exchanged {
                    return Difference::new(exchanged, place);
                }
                if self.turns(right, wrong, codec) {
                    return Difference::new(Lack::Exchanged(KEY_AND_VALUE.to_owned()), "dictionary");
                }
                if let Some(packet) = packet
                    && let Some(place) = narrowed(&packet.bytes, (wrong, *consumed), codec)
                {
                    return Difference::new(Lack::WideRead, place);
                }
                if packet.is_some_and(|packet| is_headerless(&packet.bytes, wrong, codec)) {
                    return Difference::new(Lack::Headerless, TYPED);
                }
                sent.read(difference, codec)
            }
            (Reply::Bytes(wrong), value, Some(packet)) => {
                let (packet, wrong) = match sent.framing {
                    None => (packet.clone(), wrong.as_slice()),
                    // The right length of a wrong packet is right.
                    Some(framing) if length_in_front(wrong, framing) != wrong.len().checked_sub(Framing::PREFIX) => {
                        return Difference::new(Lack::Prefix, "");
                    }
                    Some(_) => {
                        let bytes = packet.bytes.slice(Framing::PREFIX..);
                        (MaskedPacket { bytes, unwritten: Vec::new() }, &wrong[Framing::PREFIX..])
                    }
                };
                let prefixed =
                    wrong.strip_suffix(&packet.bytes[..]).is_some_and(|prefix| prefix.len() == Framing::PREFIX);
                let length = [Framing::U32Le, Framing::U32Be].map(|framing| length_in_front(wrong, framing));
                if sent.framing.is_none() && prefixed && length.contains(&Some(packet.bytes.len())) {
                    return Difference::new(Lack::NeedlessPrefix, "");
                }
                // A test of `reencode` need not have its value.
                decoded = codec.decode(&packet.bytes).ok().map(|decoded| decoded.value);
                if let (Some(right), Ok(wrong)) = (value.or(decoded.as_ref()), codec.decode(wrong))
                    && self.keeps_first(sent, right, &wrong.value, codec)
                {
                    return Difference::new(Lack::FirstValue, "dictionary");
                }
                if let Some(right) = value.or(decoded.as_ref())
                    && has_dictionary(right)
                    && codec.encode(&turned(right)).is_ok_and(|turned| turned == wrong)
                    && packet.bytes[..] != *wrong
                {
                    return Difference::new(Lack::Exchanged(KEY_AND_VALUE.to_owned()), "dictionary");
                }
                let compared = Compared { dialect: self.dialect, codec, lossy: self.lossy };
                let difference = compared.packets(Meant { packet: &packet, value: value.or(decoded.as_ref()) }, wrong);
                sent.read(difference, codec)
            }
            (Reply::Words(words), Some(right), _) if is_unsigned(right, words) => {
                Difference::new(Lack::WideSign, "int")
            }
            (Reply::Words(words), Some(right), _) => match rounded(right, words, codec.layouts()) {
                Some(layout) => Difference::new(Lack::LongDigits, layout),
                None => Difference::new(Lack::NoValue, sent.layout),
            },
            (Reply::Words(_), ..) => Difference::new(Lack::NoValue, sent.layout),
            (Reply::Value(..) | Reply::Bytes(_), ..) => Difference::new(Lack::Bytes, sent.layout),
        }
    }

    /// Whether the keys of a dictionary have become the values, and the values the keys.
    fn turns(&self, right: &Value, wrong: &Value, codec: &Codec) -> bool {
        // What is written so is read with the keys that are one joined.
        let turned = || codec.decode(&codec.encode(&turned(right)).ok()?).ok();
        has_dictionary(right) && right != wrong && turned().is_some_and(|turned| turned.value == *wrong)
    }

    /// Whether a value is wrong because the first value of a repeated key was kept, not the last: that is what comes of
    /// the packet with its entries from the last to the first.
    fn keeps_first(&self, sent: &Sent<'_>, right: &Value, wrong: &Value, codec: &Codec) -> bool {
        let first = || {
            let mut verbatim = self.dialect.clone();
            verbatim.rules.keys = KeyRule::Repeated;
            let verbatim = Codec::new(&verbatim, self.reading).with(Options { objects: true });
            let mut value = verbatim.decode(sent.body()?).ok()?.value;
            reverse(&mut value);
            Some(in_one_order(&codec.decode(&verbatim.encode(&value).ok()?).ok()?.value))
        };
        // Written and read, as the other was: a null object is written as null.
        let again = codec.encode(wrong).ok().and_then(|packet| codec.decode(&packet).ok());
        let wrong = in_one_order(again.as_ref().map_or(wrong, |again| &again.value));
        has_dictionary(right) && in_one_order(right) != wrong && first().is_some_and(|first| first == wrong)
    }

    /// The fields of the whole packet of a case: a derived test may have only a part of it.
    fn whole<'c>(&self, test: &Test, codec: &'c Codec) -> Option<PacketFields<'c>> {
        let listing = test.case.reading(self.reading, self.dialect).listing.as_ref()?;
        let packet = listing.packet(self.dialect).ok()?;
        let skipped = test.case.framing.map_or(0, |_| Framing::PREFIX);
        Some(PacketFields::of(packet.bytes.get(skipped..)?, codec))
    }
}
