//! The headers in a packet of a case, by its listing.

use std::sync::Arc;

use variant_specs::Dialect;

use crate::{CaseSide, Row};

/// A header in the listing of a case.
pub(super) struct Header {
    pub(super) layout: Arc<str>,
    pub(super) word: u32,
    /// Where it ends in the packet.
    pub(super) end: usize,
}

/// The headers of one side of a case that are of a type, in their order.
pub(super) fn headers(judged_by: CaseSide<'_>, dialect: &Dialect) -> Vec<Header> {
    let Some(listing) = judged_by.listing else { return Vec::new() };
    let Ok(packet) = listing.packet(dialect) else { return Vec::new() };
    let typed = |start: usize| {
        let end = start + 4;
        let word = u32::from_le_bytes(packet.bytes.get(start..end)?.try_into().ok()?);
        let entry = dialect.type_of(word & dialect.header.id_mask)?;
        Some(Header { layout: dialect.layout(entry).name.as_str().into(), word, end })
    };
    listing.rows.iter().flat_map(Row::headers).filter_map(typed).collect()
}
