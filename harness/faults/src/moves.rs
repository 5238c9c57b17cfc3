//! Numbers of a vector or matrix in other places: what is said of it, and so the name of the fault. A function that reads a vector
//! reads those within other types too.

use std::collections::BTreeMap;

use variant_specs::Layout;

/// Each number has the place of the first, and comes from the second, or is zero.
type Moves<'a> = Vec<(&'a str, &'a str)>;

/// What is said of a number that comes from nowhere.
const ZERO: &str = "zero";

/// What is wrong, if the numbers of a layout come from these places.
pub(super) fn said(layout: &Layout, from: &[usize]) -> String {
    let own: Moves<'_> = layout.fields.iter().map(String::as_str).zip(names(layout, from)).collect();
    let moves = of_vectors(&own).unwrap_or(own);
    let moved: Moves<'_> = moves.iter().copied().filter(|(own, other)| own != other).collect();
    if let [(first, second), (third, fourth)] = moved[..]
        && (first, second) == (fourth, third)
    {
        return format!("{first} and {second} swapped");
    }
    let is_there = |name: &&str| moves.iter().any(|(_, other)| other == name);
    if moves.iter().all(|(own, _)| is_there(own)) {
        // The packet's order: where each number that is read came from.
        let is_whole = moves.len() == layout.fields.len();
        let places: Vec<usize> = if is_whole { layout.wire.clone() } else { (0..moves.len()).collect() };
        let order: Vec<&str> = places.iter().filter_map(|place| moves.get(*place)).map(|(_, from)| *from).collect();
        return format!("its numbers are in the order {}", order.join(", "));
    }
    let wrong: Vec<String> = moved.iter().map(|(own, other)| format!("{other} where {own} belongs")).collect();
    format!("has {}", wrong.join(", "))
}

fn names<'a>(layout: &'a Layout, from: &[usize]) -> Vec<&'a str> {
    from.iter().map(|place| layout.fields.get(*place).map_or(ZERO, String::as_str)).collect()
}

/// The moves of one vector, where all vectors of a type have the same: those that are the axes of a matrix may have none.
fn of_vectors<'a>(moves: &Moves<'a>) -> Option<Moves<'a>> {
    let mut vectors: BTreeMap<&str, Moves<'a>> = BTreeMap::new();
    for (own, other) in moves {
        match (own.rsplit_once('.'), other.rsplit_once('.')) {
            (Some((vector, own)), Some((same, other))) if vector == same => {
                vectors.entry(vector).or_default().push((own, other));
            }
            (Some((vector, own)), None) if *other == ZERO => vectors.entry(vector).or_default().push((own, ZERO)),
            (None, _) if own == other => {}
            _ => return None,
        }
    }
    let first = vectors.values().find(|moves| is_moved(moves))?.clone();
    let is_axis = |vector: &str| first.iter().any(|(name, _)| *name == vector);
    // Where nothing but axes is moved, these are read or written by themselves.
    let is_free = vectors.iter().any(|(vector, moves)| !is_axis(vector) && is_moved(moves));
    let is_left = |vector: &str, moves: &Moves<'_>| is_free && is_axis(vector) && !is_moved(moves);
    vectors.iter().all(|(vector, moves)| *moves == first || is_left(vector, moves)).then_some(first)
}

fn is_moved(moves: &Moves<'_>) -> bool {
    moves.iter().any(|(own, other)| own != other)
}

/// The name of a fault of which this is said: its first words, if it is long.
pub(super) fn named(said: &str) -> String {
    const MOST: usize = 10;
    said.split([' ', '.', ',']).filter(|word| !word.is_empty()).take(MOST).collect::<Vec<_>>().join("-")
}
