//! Counts an exchange: a table for each dialect, of writers and readers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Arrival, ExchangedCase, Fate, InteropRecord};
use crate::status::CellStatus;

/// Who reads what whom wrote, in one dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InteropTable {
    /// The dialect's name.
    pub dialect: String,
    /// Who writes it, by their places, in order.
    pub writers: Vec<usize>,
    /// Who reads it, by their places, in order.
    pub readers: Vec<usize>,
    /// For each writer the cell of each reader; `None` if there is no type that both claim.
    pub rows: Vec<Vec<Option<InteropCell>>>,
}

/// What became of what one writer wrote for one reader.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InteropCell {
    /// The types that both claim, in the order of their ids.
    pub types: Vec<TypeCount>,
}

/// What became of the values of one type. The first count of each pair is of values that were read, the second of values
/// that were read and written again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TypeCount {
    pub layout: String,
    /// Values that arrived as they were sent.
    pub same: [usize; 2],
    pub other: [usize; 2],
    pub refused: [usize; 2],
    /// Values at which the reader crashed, hung or gave no answer.
    pub failed: [usize; 2],
    /// Values that the writer claims and did not write.
    pub unsent: usize,
}

impl TypeCount {
    /// Values that were sent: read, or read and written again.
    pub fn sent(&self, way: usize) -> usize {
        self.same[way] + self.other[way] + self.refused[way] + self.failed[way]
    }

    /// Whether all of its values arrived, and there was one.
    pub fn survives(&self, way: usize) -> bool {
        self.same[way] > 0 && self.same[way] == self.sent(way) && self.unsent == 0
    }

    fn with_fate(&mut self, fate: Fate) -> &mut [usize; 2] {
        match fate {
            Fate::Same => &mut self.same,
            Fate::Other => &mut self.other,
            Fate::Refused => &mut self.refused,
            Fate::Failed => &mut self.failed,
        }
    }
}

impl InteropCell {
    /// How many types survive, of how many. `way` is 0 for reading, 1 for reading and writing again; `None` if the reader
    /// does not claim that.
    pub fn types(&self, way: usize) -> Option<(usize, usize)> {
        let tried = |of: &&TypeCount| of.sent(way) > 0 || way == 0 && of.unsent > 0;
        let all = self.types.iter().filter(tried).count();
        (all > 0).then(|| (self.types.iter().filter(|of| of.survives(way)).count(), all))
    }

    /// Whether all types survive, some, or none.
    pub fn mark(&self, way: usize) -> CellStatus {
        match self.types(way) {
            None => CellStatus::None,
            Some((green, all)) if green == all => CellStatus::Ok,
            Some((0, _)) if self.types.iter().all(|of| of.same[way] == 0) => CellStatus::Fail,
            Some(_) => CellStatus::Warning,
        }
    }

    pub fn sum(&self, count: impl Fn(&TypeCount) -> usize) -> usize {
        self.types.iter().map(count).sum()
    }

    fn of_layout(&mut self, layout: &str) -> &mut TypeCount {
        // The cases of a type are mostly together.
        let at = self.types.iter().rposition(|of| of.layout == layout).unwrap_or_else(|| {
            self.types.push(TypeCount { layout: layout.to_owned(), ..TypeCount::default() });
            self.types.len() - 1
        });
        &mut self.types[at]
    }
}

impl InteropRecord {
    /// A table for each dialect, in the order of the record.
    pub fn tables(&self) -> Vec<InteropTable> {
        let mut order: Vec<&str> = Vec::new();
        let mut pairs: BTreeMap<&str, BTreeMap<(usize, usize), InteropCell>> = BTreeMap::new();
        for case in &self.cases {
            let (dialect, layout) = case.dialect_and_layout();
            if !order.contains(&dialect) {
                order.push(dialect);
            }
            count(case, layout, pairs.entry(dialect).or_default());
        }
        order.into_iter().map(|dialect| table(dialect, pairs.remove(dialect).unwrap_or_default())).collect()
    }
}

fn count(case: &ExchangedCase, layout: &str, pairs: &mut BTreeMap<(usize, usize), InteropCell>) {
    for packet in &case.packets {
        let arrived = packet.decode.iter().map(|arrival| (0, arrival));
        for (way, Arrival { fate, by, .. }) in arrived.chain(packet.reencode.iter().map(|arrival| (1, arrival))) {
            for (reader, writer) in by.iter().flat_map(|reader| packet.from.iter().map(move |from| (*reader, *from))) {
                pairs.entry((writer, reader)).or_default().of_layout(layout).with_fate(*fate)[way] += 1;
            }
        }
    }
    for writer in case.unwritten.iter().flat_map(|unwritten| &unwritten.by) {
        for reader in &case.readers {
            pairs.entry((*writer, *reader)).or_default().of_layout(layout).unsent += 1;
        }
    }
}

fn table(dialect: &str, mut pairs: BTreeMap<(usize, usize), InteropCell>) -> InteropTable {
    let (writers, readers): (BTreeSet<usize>, BTreeSet<usize>) = pairs.keys().copied().unzip();
    let [writers, readers] = [writers, readers].map(|places| places.into_iter().collect::<Vec<_>>());
    let row = |writer: &usize| readers.iter().map(|reader| pairs.remove(&(*writer, *reader))).collect();
    let rows = writers.iter().map(row).collect();
    InteropTable { dialect: dialect.to_owned(), writers, readers, rows }
}

#[cfg(test)]
mod tests {
    use super::super::{ExchangedPacket, Unwritten};
    use super::*;

    fn arrival(fate: Fate, by: &[usize]) -> Arrival {
        Arrival { fate, answer: String::new(), by: by.to_vec() }
    }

    #[test]
    fn a_value_is_counted_for_each_writer_and_reader() {
        let packet = ExchangedPacket {
            bytes: "00".to_owned(),
            from: vec![0, 1],
            decode: vec![arrival(Fate::Same, &[0]), arrival(Fate::Refused, &[2])],
            reencode: vec![arrival(Fate::Other, &[0])],
        };
        let case = ExchangedCase {
            case: "godot-3/int/five".to_owned(),
            readers: vec![0, 2],
            relays: vec![0],
            packets: vec![packet],
            unwritten: vec![Unwritten { why: "no".to_owned(), by: vec![2] }],
        };
        let mut pairs = BTreeMap::new();
        count(&case, "int", &mut pairs);
        let table = table("godot-3", pairs);
        assert_eq!((table.writers.as_slice(), table.readers.as_slice()), ([0, 1, 2].as_slice(), [0, 2].as_slice()));
        let cell = |writer: usize, reader: usize| table.rows[writer][reader / 2].as_ref();
        assert_eq!(cell(0, 0).map(|cell| (cell.types(0), cell.mark(0))), Some((Some((1, 1)), CellStatus::Ok)));
        assert_eq!(cell(1, 0).map(|cell| (cell.types(1), cell.mark(1))), Some((Some((0, 1)), CellStatus::Fail)));
        assert_eq!(cell(1, 2).map(|cell| (cell.types(0), cell.types(1))), Some((Some((0, 1)), None)));
        assert_eq!(cell(2, 0).map(|cell| (cell.types(0), cell.sum(|of| of.unsent))), Some((Some((0, 1)), 1)));
        assert_eq!(cell(0, 2).map(|cell| cell.sum(|of| of.refused[0])), Some(1));
    }
}
