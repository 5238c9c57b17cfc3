//! Variants: what follows from the text of a case by a fixed rule. No rule needs a codec to know what to expect.

mod containers;
mod counts;
mod cuts;
mod headers;

use std::sync::Arc;

use bytes::Bytes;
use strum::{EnumString, IntoStaticStr};
use variant_codec::Refusal;
use variant_specs::{Dialect, FLAG_1, JudgedBy};

use super::ops;
use crate::{Case, Class, Expectation, Level, Listing, MaskedPacket};
use variant_values::handshake::Op;

/// How a variant is made of its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Rule {
    /// The packet ends early.
    TruncatedAt,
    /// Other bytes follow the packet.
    FollowedByBytes,
    /// Every byte of padding is `ff`.
    PaddingFf,
    /// A count or length that cannot be right.
    Count,
    /// The value is in an array before an int.
    InArray,
    /// The value is in a dictionary before another entry.
    InDictionary,
    /// A header bit that means nothing.
    Flag,
    /// Another type id, followed by zero bytes.
    Id,
    /// Values nested as deep as the dialect allows, or deeper.
    Depth,
    /// The packet is decoded and encoded again.
    SentOn,
    /// The same request again, in the same process and in a new one: the replies must be equal.
    AskedAgain,
    /// The same request alone in a new process: what failed after others must fail there too.
    Alone,
    /// A packet of many elements and one of eight times as many, to measure how their time grows.
    Grown,
    /// The end of input, after all requests.
    Exit,
}

impl Rule {
    /// Its name, as in ids and errata: `truncated-at`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The rule by which a variant was made, from what follows `~` in its id: `truncated-at-9`.
    pub fn of(suffix: &str) -> Option<Self> {
        if suffix == containers::DECODED { Some(Self::Depth) } else { family(suffix).parse().ok() }
    }

    /// Whether it sends a request again, or only ends the input, to see what a single request does not show.
    pub fn is_repetition(self) -> bool {
        matches!(self, Self::AskedAgain | Self::Alone | Self::Grown | Self::Exit)
    }
}

/// What follows `~` in an id, without the numbers that distinguish tests by one rule: `truncated-at-9`,
/// `count-minus-1-at-4`.
pub fn family(suffix: &str) -> &str {
    let number = |step: &str| step == "minus" || step.starts_with(|letter: char| letter.is_ascii_digit());
    let end = suffix.match_indices('-').find(|(at, _)| suffix[at + 1..].split('-').next().is_some_and(number));
    end.map_or(suffix, |(at, _)| &suffix[..at])
}

/// A test of a case, or a variant, before it has an id.
#[derive(Debug, Clone, Default)]
pub(super) struct NewTest {
    pub(super) rule: Option<Rule>,
    /// What follows the case's name and `~` in the id of a variant.
    pub(super) suffix: Option<String>,
    pub(super) expected: Arc<Expectation>,
    /// The operations: those that follow from the class, if nothing else is said.
    pub(super) ops: &'static [Op],
    /// The layout and field that it is about, if any.
    pub(super) about: Option<(String, String)>,
    /// The field that it falsifies, or that is missing or cut, as `Test::field` names it.
    pub(super) field: Option<Arc<str>>,
    /// Whether its number is negative if read as signed.
    pub(super) negative: bool,
    /// The packet to send, where it is not the one that is expected.
    pub(super) sent: Option<Arc<MaskedPacket>>,
    /// Whether it is good practice only, whatever its case is.
    pub(super) good_practice: bool,
}

impl NewTest {
    pub(super) fn of_case(expected: Arc<Expectation>) -> Self {
        Self { ops: ops(&expected), expected, ..Self::default() }
    }

    fn variant(rule: Rule, suffix: String, expected: Expectation) -> Self {
        Self { rule: Some(rule), suffix: Some(suffix), ..Self::of_case(Arc::new(expected)) }
    }

    fn refused(rule: Rule, suffix: String, bytes: impl Into<Bytes>) -> Self {
        Self::variant(rule, suffix, refused(bytes))
    }
}

/// The case that variants are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParentCase<'a> {
    pub(super) case: &'a Case,
    /// What the case expects by the judge.
    pub(super) expected: &'a Expectation,
    pub(super) dialect: &'a Dialect,
    pub(super) judged_by: JudgedBy,
    /// Whether it is the first canonical case of its layout: some rules apply once a layout.
    pub(super) first: bool,
}

impl<'a> ParentCase<'a> {
    fn listing(&self) -> Option<&'a Listing> {
        self.case.side(self.judged_by, self.dialect).listing
    }
}

pub(super) fn make(parent: ParentCase<'_>) -> Vec<NewTest> {
    let mut variants = Vec::new();
    if parent.expected.class == Class::Canonical
        && !parent.case.encode
        && let (Some(value), Some(packet)) = (&parent.expected.value, &parent.expected.packet)
    {
        cuts::make(parent, packet, &mut variants);
        if parent.case.framing.is_some() {
            // What is inside a frame is tested without one.
            return variants;
        }
        counts::make(parent, packet, &mut variants);
        containers::make(parent, value, packet, &mut variants);
        if parent.first {
            headers::flags(parent, packet, &mut variants);
            containers::depths(parent, value, &mut variants);
        }
    }
    if parent.expected.class == Class::Readable
        && let (Some(value), Some(packet)) = (&parent.expected.value, &parent.expected.packet)
        && says_width(parent, packet)
    {
        containers::make(parent, value, packet, &mut variants);
    }
    variants.extend(containers::decoded(parent));
    if refuses_max(parent) {
        headers::ids(parent, &mut variants);
    }
    variants
}

/// Whether the header of a packet says that its reals are wide, and all of it is read.
fn says_width(parent: ParentCase<'_>, packet: &MaskedPacket) -> bool {
    let ParentCase { dialect, expected, .. } = parent;
    let Some(header) = packet.header().filter(|header| header & FLAG_1 != 0) else { return false };
    let layout = dialect.type_of(header & dialect.header.id_mask).map(|entry| dialect.layout(entry));
    layout.is_some_and(|layout| dialect.says_width(layout)) && expected.used == Some(packet.bytes.len())
}

/// Decoding and encoding again gives the canonical packet. `written` is that of a readable case, if it is known.
pub(super) fn sent_on(parent: ParentCase<'_>, written: Option<(Expectation, Level)>, ops: &[Op]) -> Option<NewTest> {
    let canonical = parent.expected.class == Class::Canonical && !parent.case.encode && !ops.contains(&Op::Reencode);
    let own = || canonical.then(|| (parent.expected.clone(), parent.case.level));
    let (expected, level) = written.or_else(own)?;
    let sent = parent.expected.packet.clone().filter(|packet| expected.packet.as_ref() != Some(packet)).map(Arc::new);
    let variants = NewTest::variant(Rule::SentOn, Rule::SentOn.name().to_owned(), expected);
    Some(NewTest { ops: &[Op::Reencode], sent, good_practice: level == Level::Should, ..variants })
}

/// Whether this is the case of the `max` row: the first id that is no type.
fn refuses_max(parent: ParentCase<'_>) -> bool {
    let Expectation { rejects, packet, .. } = parent.expected;
    rejects.is_some_and(|rejects| rejects.kind == Refusal::UnknownType)
        && packet.as_ref().is_some_and(|packet| packet.header() == Some(parent.dialect.max))
}

fn refused(bytes: impl Into<Bytes>) -> Expectation {
    Expectation { class: Class::Invalid, packet: Some(MaskedPacket::whole(bytes)), ..Expectation::default() }
}
