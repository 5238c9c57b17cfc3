//! Counts and lengths that cannot be right.

use std::collections::BTreeSet;

use variant_specs::Shape;

use crate::MaskedPacket;
use crate::kind::{Count, CountBit, FieldKind, FieldKinds};
use crate::test::new_test::{NewTest, ParentCase};
use crate::test::rule::Rule;

/// The flag in the count of a container, and in the first word of a node path.
const HIGH_BIT: u32 = 1 << 31;

/// For every count and length: the first number that cannot fit in the bytes left, 2^31 - 1, and one that looks right to
/// whoever keeps it in three bytes; also -1 and -2^31 if bit 31 is not a flag. Never one more than is there: then a text's
/// padding would be read as text. For that of a packed array also numbers that look right to whoever keeps the count in two
/// bytes, or its size in 32 bits.
pub(super) fn make(parent: ParentCase<'_>, packet: &MaskedPacket, variants: &mut Vec<NewTest>) {
    let Some(listing) = parent.listing() else { return };
    let mut kinds = FieldKinds::new(parent.dialect);
    for row in &listing.rows {
        let Some(bytes) = packet.bytes.get(row.bytes()) else { return };
        let Ok(field) = kinds.next(row, bytes) else { return };
        let (FieldKind::Count(Count { least, bit_31 }), Some(layout)) = (field.kind, field.layout) else { continue };
        let left = packet.bytes.len() - row.bytes().end;
        let Ok(beyond) = u32::try_from(left / least + 1) else { continue };
        let own = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        let mut words = wrong_counts(own & !HIGH_BIT, beyond, bit_31);
        if layout.shape == Shape::Packed {
            let wrapping = wrapping(own, least, layout.arity());
            words.extend(wrapping.into_iter().map(|word| (word.to_string(), word, word >= HIGH_BIT)));
        }
        for (name, word, negative) in words {
            // Every count of the new form has the bit that marks it.
            let word = if bit_31 == CountBit::Set { word | HIGH_BIT } else { word };
            let mut bytes = packet.bytes.to_vec();
            bytes[row.bytes()].copy_from_slice(&word.to_le_bytes());
            let mut refused = NewTest::refused(Rule::Count, format!("count-{name}-at-{}", row.offset), bytes);
            refused.field = Some(row.field().into());
            refused.about = Some((layout.name.clone(), row.field().to_owned()));
            refused.negative = negative;
            variants.push(refused);
        }
    }
}

/// The words to write, by their names in ids, and whether they are negative.
fn wrong_counts(own: u32, beyond: u32, bit_31: CountBit) -> Vec<(String, u32, bool)> {
    let words = [beyond, HIGH_BIT - 1, own + (1 << 24)];
    let mut words: Vec<(String, u32, bool)> = words.into_iter().map(|word| (word.to_string(), word, false)).collect();
    if bit_31 == CountBit::Sign {
        words.extend([("minus-1".to_owned(), u32::MAX, true), ("minus-2147483648".to_owned(), HIGH_BIT, true)]);
    }
    words
}

/// Counts that become this one in two bytes; that do, times the size of an element, in 32 bits; and that do, times two. And
/// the first that becomes few bytes, or few numbers, in 32 bits, where none becomes as many as there are.
fn wrapping(count: u32, size: usize, arity: usize) -> BTreeSet<u32> {
    let of_size = 1u32.checked_shl(32 - size.trailing_zeros()).filter(|_| size.is_multiple_of(2));
    let added = [Some(1 << 16), of_size, Some(HIGH_BIT)];
    // What is there already is another test.
    let sums = added.into_iter().flatten().filter_map(|more| count.checked_add(more));
    let factors = [size, arity].into_iter().filter(|factor| !factor.is_power_of_two());
    let least = factors.filter_map(|factor| Some(u32::MAX / u32::try_from(factor).ok()? + 1));
    sums.filter(|sum| *sum != HIGH_BIT).chain(least).collect()
}
