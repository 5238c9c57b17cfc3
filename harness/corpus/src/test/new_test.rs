//! A variant before it is a test, and the case of which it is made.

use std::sync::Arc;

use bytes::Bytes;
use variant_specs::{Dialect, JudgedBy};

use super::operations::ops;
use super::rule::Rule;
use crate::{Case, Class, Expectation, Listing, MaskedPacket};
use variant_values::handshake::Op;

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

    pub(super) fn variant(rule: Rule, suffix: String, expected: Expectation) -> Self {
        Self { rule: Some(rule), suffix: Some(suffix), ..Self::of_case(Arc::new(expected)) }
    }

    pub(super) fn refused(rule: Rule, suffix: String, bytes: impl Into<Bytes>) -> Self {
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
    pub(super) fn listing(&self) -> Option<&'a Listing> {
        self.case.side(self.judged_by, self.dialect).listing
    }
}

/// What is expected of a packet that must be refused.
pub(super) fn refused(bytes: impl Into<Bytes>) -> Expectation {
    Expectation { class: Class::Invalid, packet: Some(MaskedPacket::whole(bytes)), ..Expectation::default() }
}
