//! Packets that are read or written another way, field by field.
//!
//! A faulty reader is the reference codec on a packet in which the field is rewritten first, to what the reader would
//! read there. A faulty writer rewrites the fields of a correct packet.

use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Refusal, Role, Step, Trace, TracePath};
use variant_specs::{LayoutId, Scalar};

use super::place::{Place, place_of};

/// A field of a packet.
#[derive(Debug)]
pub(super) struct MutatedField<'a> {
    /// The layout of its value.
    pub(super) layout: LayoutId,
    /// Its name within that value: `x`, `count`, `names[0].length`.
    pub(super) name: &'a str,
    /// What it is for: a count, a length, padding.
    pub(super) role: Role,
    /// What the field before it is for.
    pub(super) before: Option<Role>,
    /// Its place in the packet.
    pub(super) at: Range<usize>,
    /// Its bytes, as other faults have changed them.
    pub(super) bytes: &'a [u8],
    /// Its bytes in the right packet.
    pub(super) right: &'a [u8],
    /// All bytes after it.
    pub(super) behind: &'a [u8],
    /// Where its value stands.
    pub(super) place: Place,
}

impl MutatedField<'_> {
    /// Its first four bytes as a number.
    pub(super) fn word(&self) -> Option<u32> {
        self.bytes.first_chunk().copied().map(u32::from_le_bytes)
    }

    /// Whether it is padding behind a text.
    pub(super) fn is_padding_of_text(&self) -> bool {
        self.role == Role::Padding && matches!(self.before, Some(Role::Text | Role::Nul))
    }

    /// It is read from so many of its bytes: the others are what follows.
    pub(super) fn narrowed(&self, count: usize) -> Splice {
        let mut read = self.bytes.to_vec();
        read[count..].fill(0);
        Splice::Instead(count, read)
    }

    /// It takes so many bytes more.
    pub(super) fn widened(&self, more: usize) -> Splice {
        Splice::Instead(self.bytes.len() + more, self.bytes.to_vec())
    }

    pub(super) fn is_header(&self) -> bool {
        matches!(self.role, Role::Header(_))
    }
}

/// What a faulty reader makes of a field.
#[derive(Debug)]
pub(super) enum Splice {
    /// It reads this instead, of the same length.
    As(Vec<u8>),
    /// It reads this instead of so many bytes from the beginning of the field on, which have to be there.
    Instead(usize, Vec<u8>),
    /// The same, but what is not there counts as read.
    Beyond(usize, Vec<u8>),
    /// It refuses the packet.
    Refuse,
}

/// A reader that reads less than it should may miss so many bytes at the end.
const MISSING: usize = 256;

/// After this many fields, a reader reads correctly: each field that steers costs another pass over the packet.
const MOST: usize = 20_000;

/// Decodes a packet with a reader that reads fields as `reads` says.
pub(super) fn read(
    codec: &Codec,
    packet: &[u8],
    reads: &dyn Fn(&MutatedField<'_>) -> Option<Splice>,
) -> Result<Decoded, DecodeError> {
    let decoded = read_all(codec, packet, reads);
    let is_short = match &decoded {
        // Padding that may be missing at the end counts as read.
        Ok(decoded) => decoded.used > packet.len(),
        Err(error) => matches!(error.kind, Refusal::Truncated | Refusal::Length),
    };
    // What is missing may be something that this reader does not read.
    if is_short && !packet.is_empty() {
        let longer = read_all(codec, &[packet, &[0; MISSING]].concat(), reads);
        if let Some(longer) = longer.ok().filter(|longer| longer.used <= packet.len()) {
            return Ok(longer);
        }
    }
    decoded
}

fn read_all(
    codec: &Codec,
    packet: &[u8],
    reads: &dyn Fn(&MutatedField<'_>) -> Option<Splice>,
) -> Result<Decoded, DecodeError> {
    let whole = packet.len();
    let mut packet = packet.to_vec();
    let (mut done, mut grown, mut shrunk, mut looked_at) = (0, 0, 0, 0);
    loop {
        let mut fields = Fields::default();
        let decoded = codec.decode_traced(&packet, &mut fields);
        let edit = if looked_at < MOST { first_edit(&packet, &fields, done, reads) } else { None };
        looked_at += fields.fields.len();
        // A place behind all edits, in the packet as it was.
        let before = |at: usize| (at + shrunk).saturating_sub(grown);
        let Some(edit) = edit else {
            return match decoded {
                Ok(decoded) => Ok(Decoded { used: before(decoded.used), ..decoded }),
                Err(error) => Err(DecodeError { at: before(error.at).min(whole), ..error }),
            };
        };
        if let Some(kind) = edit.refused {
            return Err(DecodeError { at: before(edit.range.start).min(whole), kind });
        }
        let (before, after) = (edit.range.len() + edit.missing, edit.with.len());
        grown += after.saturating_sub(before);
        shrunk += before.saturating_sub(after);
        done = edit.resume;
        packet.splice(edit.range, edit.with);
    }
}

/// The packet of a writer that writes fields as `writes` says, from the correct one. One that `aligns` pads up to a multiple
/// of four bytes of all that it has written, not of the text alone.
pub(super) fn write(
    codec: &Codec,
    packet: Vec<u8>,
    aligns: bool,
    writes: &dyn Fn(&MutatedField<'_>) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut fields = Fields::default();
    if codec.decode_traced(&packet, &mut fields).is_err() {
        return packet;
    }
    let mut written = Vec::with_capacity(packet.len());
    // Of bytes that are none, nothing stands behind the count.
    let is_count_of_bytes = |field: &MutatedField<'_>| {
        field.role == Role::Count && codec.layouts().get(field.layout).of == Some(Scalar::Byte)
    };
    let mut is_unpadded = false;
    fields.for_each(&packet, |field| {
        if aligns && is_unpadded && !matches!(field.role, Role::Nul | Role::Bytes | Role::Padding) {
            written.resize(written.len().next_multiple_of(4), 0);
        }
        is_unpadded = matches!(field.role, Role::Text | Role::Nul | Role::Bytes) || is_count_of_bytes(field);
        match writes(field) {
            Some(bytes) => written.extend(bytes),
            None if aligns && field.role == Role::Padding => written.resize(written.len().next_multiple_of(4), 0),
            None => written.extend_from_slice(field.bytes),
        }
        true
    });
    written
}

struct Edit {
    range: Range<usize>,
    with: Vec<u8>,
    /// So many bytes behind the end count as read.
    missing: usize,
    /// Where the first field begins that no edit considered yet.
    resume: usize,
    /// Why the packet is refused, if it is.
    refused: Option<Refusal>,
}

/// The first edit of fields at `done` or later. Adjacent fields that only carry a value are changed in one edit.
fn first_edit(
    packet: &[u8],
    fields: &Fields,
    done: usize,
    reads: &dyn Fn(&MutatedField<'_>) -> Option<Splice>,
) -> Option<Edit> {
    let mut edit: Option<Edit> = None;
    fields.for_each(packet, |field| {
        if field.at.start < done {
            return true;
        }
        let steers = steers(field.role);
        if steers && edit.is_some() {
            return false;
        }
        match reads(field) {
            None => {}
            Some(Splice::As(bytes)) if !steers && bytes.len() == field.bytes.len() => {
                let whole = edit.get_or_insert_with(|| Edit {
                    range: field.at.start..field.at.start,
                    with: Vec::new(),
                    missing: 0,
                    resume: 0,
                    refused: None,
                });
                whole.with.extend_from_slice(&packet[whole.range.end..field.at.start]);
                whole.with.extend(bytes);
                whole.range.end = field.at.end;
                whole.resume = field.at.end;
            }
            Some(_) if edit.is_some() => return false,
            Some(splice) => {
                let (start, left) = (field.at.start, packet.len() - field.at.start);
                let mut missing = 0;
                let (range, with, refused) = match splice {
                    Splice::As(with) => (field.at.clone(), with, None),
                    Splice::Instead(taken, with) if taken <= left => (start..start + taken, with, None),
                    Splice::Beyond(taken, with) => {
                        missing = taken.saturating_sub(left);
                        (start..start + taken.min(left), with, None)
                    }
                    Splice::Instead(..) => (packet.len()..packet.len(), Vec::new(), Some(Refusal::Truncated)),
                    Splice::Refuse => (field.at.clone(), Vec::new(), Some(Refusal::UnsupportedForm)),
                };
                edit = Some(Edit { resume: start + with.len(), range, with, missing, refused });
                return false;
            }
        }
        true
    });
    edit
}

/// Whether what follows depends on a field.
fn steers(role: Role) -> bool {
    match role {
        Role::Header(_) | Role::Count | Role::Length | Role::Flags | Role::Padding | Role::Nul | Role::Word => true,
        Role::Bool | Role::Id | Role::Number(_) | Role::Text | Role::Bytes => false,
    }
}

/// The fields of a packet, each with the value that it belongs to. Names stand one after the other: whole paths take
/// the square of the depth.
#[derive(Debug, Default)]
struct Fields {
    fields: Vec<Field>,
    names: String,
    place: TracePath,
    /// The values that the trace is in: the length of their path, their layout, and where they stand.
    values: Vec<(usize, LayoutId, Place)>,
}

#[derive(Debug)]
struct Field {
    layout: LayoutId,
    /// Where its name is.
    name: Range<usize>,
    role: Role,
    at: Range<usize>,
    place: Place,
}

impl Trace for Fields {
    const ON: bool = true;

    fn field(&mut self, at: Range<usize>, name: &str, role: Role) {
        let place = self.place.prefix();
        if let Role::Header(layout) = role {
            self.values.push((place.len(), layout, place_of(place)));
        }
        let Some(&(start, layout, stands)) = self.values.last() else { return };
        let from = self.names.len();
        self.names.push_str(&place[start..]);
        self.names.push_str(name);
        if name.is_empty() {
            self.names.pop();
        }
        self.fields.push(Field { layout, name: from..self.names.len(), role, at, place: stands });
    }

    fn enter(&mut self, step: Step<'_>) {
        self.place.enter(step);
    }

    fn leave(&mut self) {
        self.place.leave();
        let here = self.place.prefix().len();
        while self.values.pop_if(|(start, ..)| *start > here).is_some() {}
    }
}

impl Fields {
    /// Calls `each` with each field until it returns false.
    fn for_each(&self, packet: &[u8], mut each: impl FnMut(&MutatedField<'_>) -> bool) {
        let mut before = None;
        for field in &self.fields {
            let at = field.at.start..field.at.end.min(packet.len());
            let bytes = &packet[at.clone()];
            let field = MutatedField {
                layout: field.layout,
                name: &self.names[field.name.clone()],
                role: field.role,
                before: before.replace(field.role),
                bytes,
                right: bytes,
                behind: &packet[at.end..],
                place: field.place,
                at,
            };
            if !each(&field) {
                return;
            }
        }
    }
}
