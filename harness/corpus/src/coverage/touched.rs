//! What a case touches: measured from the reference decoder's trace, not declared.

use std::collections::{BTreeMap, BTreeSet};

use variant_codec::{Codec, DecodeError, Options, Refusal, Role, Span, Spans};
use variant_specs::{Dialect, LayoutId, Reading};

use super::boundary::{Boundary, kind_of};
use crate::{Case, Class, FieldPlace, Packet, TableRow};
use variant_wire::fields::any_index;

/// What the decoder saw of a case under one reading.
#[derive(Debug)]
pub(super) struct Touched {
    /// The class under that reading.
    pub(super) class: Class,
    packet: Packet,
    spans: Vec<Span>,
    refused: Option<DecodeError>,
    /// For each span the layout that it is a field of, and its name within that.
    owners: Vec<Option<(LayoutId, String)>>,
}

impl Touched {
    /// Reads the case's packet; nothing where it has none, or one with its length in front.
    pub(super) fn new(case: &Case, dialect: &Dialect, reading: Reading) -> Option<Self> {
        let side = case.side(reading);
        let packet = side.listing.as_ref().filter(|_| case.framing.is_none())?.packet(dialect).ok()?;
        let mut trace = Spans::default();
        let codec = Codec::new(dialect, reading).with(Options { objects: case.objects });
        let refused = codec.decode_traced(&packet.bytes, &mut trace).err();
        let owners = owners(&trace.spans);
        Some(Self { class: side.class, packet, spans: trace.spans, refused, owners })
    }

    /// Whether it shows what stands in a row: a value that is not zero, and not that of a neighbour.
    pub(super) fn exposes(&self, row: &TableRow, moved: bool) -> bool {
        matches!(self.class, Class::Canonical | Class::Readable)
            && row.names.iter().any(|name| (0..self.spans.len()).any(|place| self.shows(place, row, name, moved)))
    }

    fn shows(&self, place: usize, row: &TableRow, name: &str, moved: bool) -> bool {
        let span = &self.spans[place];
        let bytes = self.bytes(place);
        let neighbours = [place.checked_sub(1), Some(place + 1).filter(|next| *next < self.spans.len())];
        let field = FieldPlace { name: &span.path, offset: span.bytes.start, length: bytes.len() };
        row.describes(name, field, moved)
            && bytes.iter().any(|byte| *byte != 0)
            && neighbours.iter().flatten().all(|other| self.bytes(*other) != bytes)
    }

    fn bytes(&self, place: usize) -> &[u8] {
        &self.packet.bytes[self.spans[place].bytes.clone()]
    }

    /// The fields of a layout that it has, with any index for `[i]`.
    pub(super) fn fields(&self, layout: LayoutId) -> BTreeSet<String> {
        let own = self.owners.iter().flatten().filter(|(owner, _)| *owner == layout);
        own.map(|(_, name)| any_index(name)).collect()
    }

    /// The boundaries at which fields of a layout are.
    pub(super) fn boundaries(&self, layout: LayoutId, dialect: &Dialect) -> BTreeSet<Boundary> {
        let mut boundaries = BTreeSet::new();
        if self.class == Class::Open {
            return boundaries;
        }
        let of = dialect.layouts.get(layout);
        for (place, owner) in self.owners.iter().enumerate() {
            if let Some((owner, name)) = owner
                && *owner == layout
            {
                boundaries.extend(Boundary::of(kind_of(self.spans[place].role), name, self.bytes(place)));
            }
        }
        boundaries.extend(self.refused_count(layout));
        if self.class == Class::Invalid && Boundary::cuts_a_fieldless_header(&self.packet.bytes, &of.name, dialect) {
            boundaries.insert(Boundary::CutHeader);
        }
        boundaries
    }

    /// A count that is refused has been read and told, unless the field itself was the last.
    fn refused_count(&self, layout: LayoutId) -> Option<Boundary> {
        let error = self.refused.filter(|error| error.kind == Refusal::Length)?;
        let (owner, name) = self.owners.iter().flatten().last()?;
        let bytes = self.packet.bytes.get(error.at..error.at + 4)?.try_into().ok()?;
        let told = self.spans.iter().any(|span| span.bytes.start == error.at);
        (*owner == layout && told)
            .then(|| Boundary::of(crate::kind::FieldKind::Word, name, &u32::from_le_bytes(bytes).to_le_bytes()))?
    }

    /// The flags in headers of a layout: bits above the id, as `0x0001`.
    pub(super) fn header_flags(&self, layout: LayoutId, dialect: &Dialect) -> BTreeSet<String> {
        let headers = self.spans.iter().filter(|span| span.role == Role::Header(layout));
        let words = headers.filter_map(|span| self.packet.bytes[span.bytes.clone()].try_into().ok());
        let flags = words.map(|word| u32::from_le_bytes(word) & !dialect.header.id_mask & 0xffff_0000);
        flags.filter(|flags| *flags != 0).map(|flags| format!("{:#06x}", flags >> 16)).collect()
    }

    /// The id of the outermost value, where it could be read.
    pub(super) fn id(&self, dialect: &Dialect) -> Option<u32> {
        let first = self.spans.first().filter(|span| matches!(span.role, Role::Header(_)))?;
        let word = u32::from_le_bytes(self.packet.bytes[first.bytes.clone()].try_into().ok()?);
        Some(word & dialect.header.id_mask)
    }

    /// The number in the header that was refused as no type.
    pub(super) fn no_type(&self) -> Option<u32> {
        self.refused.filter(|error| error.kind == Refusal::UnknownType && error.at == 0)?;
        self.packet.bytes.first_chunk().copied().map(u32::from_le_bytes)
    }
}

/// Whose field each span is: that of the value with the longest prefix of its path.
fn owners(spans: &[Span]) -> Vec<Option<(LayoutId, String)>> {
    let mut values: BTreeMap<&str, LayoutId> = BTreeMap::new();
    let mut owners = Vec::with_capacity(spans.len());
    for span in spans {
        if let Role::Header(layout) = span.role {
            values.insert(span.path.strip_suffix("header").unwrap_or(&span.path), layout);
            owners.push(None);
            continue;
        }
        let owner = prefixes(&span.path).find_map(|prefix| Some((prefix, *values.get(prefix)?)));
        owners.push(owner.map(|(prefix, layout)| (layout, span.path[prefix.len()..].to_owned())));
    }
    owners
}

/// The paths of the values that a field may stand in, the longest first: `[1].key.`, `[1].` and nothing for `[1].key.text`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('.').map(|(dot, _)| &path[..=dot]).chain([""])
}
