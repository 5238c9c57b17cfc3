//! The fields of a packet as it is read: the first of them, and what an explanation says of all.

use std::ops::Range;

use variant_codec::{Role, Spans, Step, Trace};
use variant_specs::LayoutId;

use super::explainer::Explainer;
use super::oddity::Oddities;
use crate::fields::word;

/// A trace that keeps the first fields: in values a thousand levels deep, the paths of all take megabytes.
pub(super) struct FieldTrace<'a> {
    pub(super) packet: &'a [u8],
    pub(super) explainer: &'a Explainer<'a>,
    pub(super) kept: Spans,
    pub(super) more: usize,
    /// Where the last field ends, and what it is for.
    pub(super) end: usize,
    pub(super) last: Option<Role>,
    /// The layout of the first value in which another one begins, and of the value that began last.
    pub(super) outer: Option<LayoutId>,
    pub(super) begun: Option<LayoutId>,
    pub(super) ids: Vec<u32>,
    pub(super) objects: bool,
    pub(super) oddities: Oddities,
}

impl<'a> FieldTrace<'a> {
    pub(super) fn new(packet: &'a [u8], explainer: &'a Explainer<'a>) -> Self {
        Self {
            packet,
            explainer,
            kept: Spans::default(),
            more: 0,
            end: 0,
            last: None,
            outer: None,
            begun: None,
            ids: Vec::new(),
            objects: false,
            oddities: Oddities::default(),
        }
    }

    /// Whether fields are kept still; then nobody asks for paths.
    fn has_room(&self) -> bool {
        self.kept.spans.len() < self.explainer.most
    }

    pub(super) fn add_id(&mut self, header: Range<usize>) {
        let Some(header) = self.packet.get(header) else { return };
        let id = word(header) & self.explainer.dialect.header.mask(self.explainer.judged_by);
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }
}

impl Trace for FieldTrace<'_> {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role) {
        (self.end, self.last) = (bytes.end, Some(role));
        if let Role::Header(layout) = role {
            self.outer = self.outer.or(self.begun);
            self.begun = Some(layout);
            self.add_id(bytes.clone());
            self.objects |= self.explainer.dialect.layouts.get(layout).objects;
        }
        if let Some(field) = self.packet.get(bytes.clone()) {
            self.oddities.note(field, bytes.start, role, self.explainer.dialect);
        }
        if self.has_room() {
            self.kept.field(bytes, name, role);
        } else {
            self.more += 1;
        }
    }

    fn enter(&mut self, step: Step<'_>) {
        if self.has_room() {
            self.kept.enter(step);
        }
    }

    fn leave(&mut self) {
        if self.has_room() {
            self.kept.leave();
        }
    }
}
