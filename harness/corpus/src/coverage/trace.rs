//! What a case covers, measured from the reference decoder's trace of its packet.

use std::collections::BTreeSet;

use variant_codec::{Codec, DecodeError, Options, Refusal, Role, Span};
use variant_specs::{Dialect, JudgedBy, LayoutId};

use super::boundary::Boundary;
use crate::{Case, Class, FieldOwners, MaskedPacket, TableRow};
use variant_values::fields::any_index;

/// The decoder's trace of a case by one judge.
#[derive(Debug)]
pub(super) struct CaseTrace {
    pub(super) class: Class,
    packet: MaskedPacket,
    spans: Vec<Span>,
    refused: Option<DecodeError>,
    /// For each span: the layout that it is a field of, and its name within that.
    owners: Vec<Option<(LayoutId, String)>>,
}

impl CaseTrace {
    /// `None` if the case has no packet, or one with its length prefix.
    pub(super) fn new(case: &Case, dialect: &Dialect, judged_by: JudgedBy) -> Option<Self> {
        let side = case.side(judged_by, dialect);
        let packet = side.listing.filter(|_| case.framing.is_none())?.packet(dialect).ok()?;
        let codec = Codec::new(dialect, judged_by).with(Options { objects: case.objects });
        let (trace, decoded) = codec.traced(&packet.bytes);
        let owners = owners(&trace.spans);
        Some(Self { class: side.class, packet, spans: trace.spans, refused: decoded.err(), owners })
    }

    /// Whether it shows a row of a table under one of the row's names: a field has a value there that differs from zero and
    /// from its neighbours. Offsets and lengths are not compared if the documents are known to be wrong about them
    /// (`moved`).
    pub(super) fn shows(&self, row: &TableRow, name: &str, moved: bool) -> bool {
        let neighbour =
            |place: Option<usize>| place.and_then(|place| self.spans.get(place)).map(|span| self.bytes(span));
        let shows = |(place, span): (usize, &Span)| {
            let bytes = self.bytes(span);
            row.describes(name, &span.path, &span.bytes, moved)
                && bytes.iter().any(|byte| *byte != 0)
                && neighbour(place.checked_sub(1)) != Some(bytes)
                && neighbour(Some(place + 1)) != Some(bytes)
        };
        self.class.has_value() && (0..).zip(&self.spans).any(shows)
    }

    fn bytes(&self, span: &Span) -> &[u8] {
        &self.packet.bytes[span.bytes.clone()]
    }

    /// Its fields of a layout, with `[i]` for any index.
    pub(super) fn fields(&self, layout: LayoutId) -> BTreeSet<String> {
        let own = self.owners.iter().flatten().filter(|(owner, _)| *owner == layout);
        own.map(|(_, name)| any_index(name)).collect()
    }

    pub(super) fn boundaries(&self, layout: LayoutId, dialect: &Dialect) -> BTreeSet<Boundary> {
        let mut boundaries = BTreeSet::new();
        if self.class == Class::Undecided {
            return boundaries;
        }
        let of = dialect.layouts.get(layout);
        for (place, owner) in self.owners.iter().enumerate() {
            if let Some((owner, name)) = owner
                && *owner == layout
            {
                boundaries.extend(Boundary::of(self.spans[place].role, name, self.bytes(&self.spans[place])));
            }
        }
        boundaries.extend(self.refused_count(layout));
        if self.class == Class::Invalid && Boundary::cuts_a_fieldless_header(&self.packet.bytes, of, dialect) {
            boundaries.insert(Boundary::CutHeader);
        }
        boundaries
    }

    /// The boundary of a count that was refused; `None` if the decoder could not read the count, because it was cut.
    fn refused_count(&self, layout: LayoutId) -> Option<Boundary> {
        let error = self.refused.filter(|error| error.kind == Refusal::Length)?;
        let (owner, name) = self.owners.iter().flatten().last()?;
        let bytes = self.packet.bytes.get(error.at..error.at + 4)?;
        let traced = self.spans.iter().any(|span| span.bytes.start == error.at);
        (*owner == layout && traced).then(|| Boundary::of(Role::Word, name, bytes))?
    }

    /// The id of the outermost value, if it could be read.
    pub(super) fn id(&self, dialect: &Dialect) -> Option<u32> {
        let first = self.spans.first().filter(|span| matches!(span.role, Role::Header(_)))?;
        let word = u32::from_le_bytes(self.packet.bytes[first.bytes.clone()].try_into().ok()?);
        Some(word & dialect.header.id_mask)
    }

    /// The first header, if it was refused because it names no type.
    pub(super) fn no_type(&self) -> Option<u32> {
        self.refused.filter(|error| error.kind == Refusal::UnknownType && error.at == 0)?;
        self.packet.bytes.first_chunk().copied().map(u32::from_le_bytes)
    }
}

/// The layout and the name that each span has as a field; `None` for headers.
fn owners(spans: &[Span]) -> Vec<Option<(LayoutId, String)>> {
    let mut values = FieldOwners::default();
    let mut owners = Vec::with_capacity(spans.len());
    for span in spans {
        if let Role::Header(layout) = span.role {
            values.enter(span.path.strip_suffix("header").unwrap_or(&span.path), layout);
            owners.push(None);
        } else {
            owners.push(values.owner(&span.path).map(|(layout, name)| (*layout, name.to_owned())));
        }
    }
    owners
}
