//! Behavioural mutants: habits of real codecs that no table can express.

mod containers;
mod keys;
mod numbers;
mod packets;
mod texts;

use variant_codec::{Codec, DecodeError, Decoded, Value};
use variant_specs::{Dialect, LayoutId};

use super::mutant::{Fault, Memory, Mutant, Scope, Twist};
use super::packet::{Field, Splice};
use variant_wire::implementation::{Answer, Request};

/// A habit: what it is called, what it does, and how, in a dialect that has what it takes.
#[derive(Clone, Copy)]
pub(super) struct Habit {
    name: &'static str,
    says: &'static str,
    twist: fn(&Dialect) -> Option<Twist>,
}

const fn habit(name: &'static str, says: &'static str, twist: fn(&Dialect) -> Option<Twist>) -> Habit {
    Habit { name, says, twist }
}

/// The layout of this name, where the dialect has it.
fn named(dialect: &Dialect, name: &str) -> Option<LayoutId> {
    dialect.layouts.id_of(name).filter(|layout| dialect.id_of(*layout).is_some())
}

/// Every habit, in the reader and in the writer, each on its own.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Mutant> {
    habits().flat_map(|habit| of_habit(dialect, habit)).collect()
}

fn habits() -> impl Iterator<Item = Habit> {
    let all = [texts::HABITS, numbers::HABITS, containers::HABITS, keys::HABITS, packets::HABITS];
    all.into_iter().flatten().copied()
}

fn of_habit(dialect: &Dialect, habit: Habit) -> Vec<Mutant> {
    let Some(twist) = (habit.twist)(dialect) else { return Vec::new() };
    let mutant = |direction: &str, twist| Mutant {
        id: format!("{}/behaviour/{}:{direction}", dialect.name, habit.name),
        says: habit.says.to_owned(),
        about: Vec::new(),
        scope: Scope::Anything,
        fault: Fault::Twist(Box::new(twist)),
    };
    let reads = twist.reads.is_some() || twist.takes.is_some() || twist.forgives.is_some();
    let writes = twist.writes.is_some() || twist.gives.is_some();
    let undivided = twist.refuses.is_some() || twist.answers.is_some() || twist.tables.is_some();
    match (reads, writes) {
        (true, true) if !undivided => {
            let Twist { reads, takes, forgives, writes, gives, .. } = twist;
            vec![
                mutant("decode", Twist { reads, takes, forgives, ..Twist::default() }),
                mutant("encode", Twist { writes, gives, ..Twist::default() }),
            ]
        }
        (true, false) if !undivided => vec![mutant("decode", twist)],
        (false, true) if !undivided => vec![mutant("encode", twist)],
        (_, _) => vec![mutant("both", twist)],
    }
}

/// Values are changed after they were read.
fn takes(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { takes: Some(Box::new(change)), ..Twist::default() })
}

/// Values are changed before they are written.
fn gives(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { gives: Some(Box::new(change)), ..Twist::default() })
}

/// Values are changed on both ways.
fn both(change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { takes: Some(Box::new(change.clone())), gives: Some(Box::new(change)), ..Twist::default() })
}

/// Values are refused on both ways.
fn refuses(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { refuses: Some(Box::new(which)), ..Twist::default() })
}

/// Fields are read another way.
fn reads(how: impl Fn(&Field<'_>) -> Option<Splice> + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { reads: Some(Box::new(how)), ..Twist::default() })
}

/// Fields are written another way.
fn writes(how: impl Fn(&Field<'_>) -> Option<Vec<u8>> + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { writes: Some(Box::new(how)), ..Twist::default() })
}

/// Packets are not refused.
fn forgives(how: fn(&Codec, &[u8], DecodeError) -> Result<Decoded, DecodeError>) -> Option<Twist> {
    Some(Twist { forgives: Some(how), ..Twist::default() })
}

/// The last word on an answer.
fn answers(how: impl Fn(&Request, Answer, &mut Memory) -> Answer + Send + Sync + 'static) -> Option<Twist> {
    Some(Twist { answers: Some(Box::new(how)), ..Twist::default() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::habits;

    #[test]
    fn there_are_enough_and_no_two_of_one_name() {
        let names: BTreeSet<&str> = habits().map(|habit| habit.name).collect();
        assert_eq!(names.len(), habits().count());
        assert!(names.len() >= 60, "{} habits", names.len());
    }
}
