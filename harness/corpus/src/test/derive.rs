//! Derived asks: what follows from a case by a stated rule, from its text alone.
//!
//! A rule whose answer only a codec could compute is no rule.

mod containers;
mod counts;
mod cuts;
mod headers;

use std::sync::Arc;

use variant_codec::Refusal;
use variant_specs::{Dialect, Reading};

use crate::{Case, Class, Expectation, Listing, Packet};
use variant_wire::handshake::Op;

/// How an ask was derived from its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The packet ends early.
    TruncatedAt,
    /// Other bytes follow the packet.
    FollowedByBytes,
    /// All padding is ff.
    PaddingFf,
    /// A count or length that cannot be right.
    Count,
    /// The value stands in an array before an int.
    InArray,
    /// The value stands in a dictionary before another entry.
    InDictionary,
    /// A header bit that means nothing.
    Flag,
    /// Another type id, and zeros.
    Id,
    /// As many values on a path as the dialect allows, or one more.
    Depth,
    /// The same question again, in the same process and in a fresh one: the answer must be the same.
    AskedAgain,
    /// The same question alone, with an eye on memory, where a run took too much of it.
    Weighed,
}

impl Rule {
    /// Its name, as in ids and errata.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruncatedAt => "truncated-at",
            Self::FollowedByBytes => "followed-by-bytes",
            Self::PaddingFf => "padding-ff",
            Self::Count => "count",
            Self::InArray => "in-array",
            Self::InDictionary => "in-dictionary",
            Self::Flag => "flag",
            Self::Id => "id",
            Self::Depth => "depth",
            Self::AskedAgain => "asked-again",
            Self::Weighed => "weighed",
        }
    }
}

/// A derived ask.
#[derive(Debug, Clone)]
pub(super) struct Derived {
    /// The rule.
    pub(super) rule: Rule,
    /// What is added to the case's name, behind `~`.
    pub(super) suffix: String,
    /// What is expected.
    pub(super) expected: Arc<Expectation>,
    /// The operation, where the class does not tell.
    pub(super) op: Option<Op>,
    /// The layout and field that it is about, where it is about one.
    pub(super) about: Option<(String, String)>,
    /// The number is negative, read as signed.
    pub(super) negative: bool,
}

impl Derived {
    fn new(rule: Rule, suffix: String, expected: Expectation) -> Self {
        Self { rule, suffix, expected: Arc::new(expected), op: None, about: None, negative: false }
    }

    fn refused(rule: Rule, suffix: String, bytes: Vec<u8>) -> Self {
        Self::new(rule, suffix, refused(bytes))
    }
}

/// What a case is derived from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parent<'a> {
    /// The case.
    pub(super) case: &'a Case,
    /// Its expectation under the reading.
    pub(super) expected: &'a Expectation,
    /// The dialect.
    pub(super) dialect: &'a Dialect,
    /// The reading.
    pub(super) reading: Reading,
    /// Whether it is the first canonical case of its layout: some rules ask once a layout.
    pub(super) first: bool,
}

impl<'a> Parent<'a> {
    fn listing(&self) -> Option<&'a Listing> {
        self.case.side(self.reading).listing.as_ref()
    }
}

/// The asks that follow from a case.
pub(super) fn derive(parent: Parent<'_>) -> Vec<Derived> {
    let mut derived = Vec::new();
    if parent.expected.class == Class::Canonical
        && let (Some(value), Some(packet)) = (&parent.expected.value, &parent.expected.packet)
    {
        cuts::derive(parent, value, packet, &mut derived);
        if parent.case.framing.is_some() {
            // What is inside of a frame is asked without one.
            return derived;
        }
        counts::derive(parent, packet, &mut derived);
        containers::derive(parent, value, packet, &mut derived);
        if parent.first {
            headers::flags(parent, value, packet, &mut derived);
            containers::depths(parent, value, &mut derived);
        }
    }
    if refuses_max(parent) {
        headers::ids(parent, &mut derived);
    }
    derived
}

/// Whether this is the case of the `max` row: the first id that is no type.
fn refuses_max(parent: Parent<'_>) -> bool {
    let kind = parent.expected.rejects.map(|rejects| rejects.kind);
    let header = parent.expected.packet.as_ref().and_then(|packet| packet.bytes.first_chunk().copied());
    kind == Some(Refusal::UnknownType) && header.map(u32::from_le_bytes) == Some(parent.dialect.max)
}

fn refused(bytes: Vec<u8>) -> Expectation {
    let packet = Packet { bytes, unwritten: Vec::new() };
    Expectation { class: Class::Invalid, value: None, packet: Some(packet), rejects: None, used: None }
}
