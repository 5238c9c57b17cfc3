//! Whose type ids an adapter has.

use std::collections::BTreeMap;

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, JudgedBy};

use super::conversation::{Conversation, input};
use super::{Failed, Found, samples};
use variant_values::handshake::Op;
use variant_values::implementation::read_value;
use variant_values::protocol::Reply;

/// Checks that what the adapter writes has the type ids of the dialect. Of one that only reads, that it does not read the
/// packets of another dialect.
pub(super) fn of_the_dialect(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let dialect = talk.dialect;
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for (layout, value) in samples::values(dialect) {
        values.entry(layout).or_insert(value);
    }
    let mask = dialect.header.mask(JudgedBy::Engines);
    let (mut written, mut read) = (Vec::new(), false);
    for (layout, value) in &values {
        if talk.claims(layout, Op::Encode) {
            if let Reply::Bytes(packet) = talk.send(input(Op::Encode, &[], value))?
                && let Some(header) = packet.first_chunk()
            {
                written.push((layout.as_str(), u32::from_le_bytes(*header) & mask));
            }
        } else {
            read |= talk.claims(layout, Op::Decode);
        }
    }
    let is = |other: &Dialect, (layout, id): &(&str, u32)| {
        other.layouts.id_of(layout).and_then(|layout| other.id_of(layout)) == Some(*id)
    };
    if let Some((layout, id)) = written.iter().find(|one| !is(dialect, one)) {
        let others = talk.specs.dialects.iter().filter(|other| written.iter().all(|one| is(other, one)));
        let others: Vec<&str> = others.map(|other| other.name.as_str()).collect();
        let shown = format!("it writes {layout} with the id {id}");
        if others.is_empty() {
            return Ok(Found::Remark(format!("{shown}, as no dialect does; `conform run` says more")));
        }
        return Err(wrong(dialect, &others, &shown));
    }
    if read && written.is_empty() {
        return reads(talk, &values);
    }
    Ok(if written.is_empty() { Found::skipped("it supports no type whose id can be seen") } else { super::GOOD })
}

/// Whether it reads packets of the dialect, or rather those of another.
fn reads(talk: &mut Conversation<'_>, values: &BTreeMap<String, Value>) -> Result<Found, Failed> {
    let dialect = talk.dialect;
    for (layout, value) in values {
        if !talk.handshake.claims(layout, Op::Decode) {
            continue;
        }
        let Ok(own) = talk.codec.encode(value) else { continue };
        let mut of_packet: BTreeMap<Vec<u8>, Vec<&str>> = BTreeMap::new();
        for other in &talk.specs.dialects {
            if let Ok(packet) = Codec::new(other, JudgedBy::Engines).encode(value) {
                of_packet.entry(packet).or_default().push(&other.name);
            }
        }
        of_packet.remove(&own);
        for (packet, others) in of_packet {
            let reply = talk.send(input(Op::Decode, &packet, value))?;
            let is_read = matches!(&reply, Reply::Value { json, .. } if read_value(json, dialect, &talk.handshake.lossy).is_ok_and(|read| read == *value));
            if is_read && talk.codec.decode(&packet).map_or(true, |decoded| decoded.value != *value) {
                return Err(wrong(dialect, &others, &format!("it reads {} as {layout}", hex::encode(packet))));
            }
        }
    }
    Ok(super::GOOD)
}

fn wrong(dialect: &Dialect, others: &[&str], shown: &str) -> Failed {
    let others = others.join(" or ");
    Failed(format!(
        "{shown}: its type ids are those of {others}; list {others} in `dialects` if that is what it speaks, or take the ids \
         of {}",
        dialect.name
    ))
}
