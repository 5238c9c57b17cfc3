//! The generator: values of a grammar, mostly small ones, full of boundaries.

mod record;

use smallvec::SmallVec;
use variant_codec::{Array, Component, Dictionary, ElementType, EntryTypes, F32, F64, NodePath, Numbers, Text, Value};
use variant_specs::{KeyRule, Layout, LayoutId, NodePathProperty, Scalar, Shape, TypedContainers};

use super::grammar::{Grammar, Production};
use super::numbers;
use super::random::Random;

/// How deep values may be nested.
const DEPTH: usize = 5;
/// How many values there may be in all; also the most numbers of a packed array. Whatever the limit, a few arrays and texts
/// have 254 to 257 elements, about as many as a byte can count.
const SIZE: usize = 60;

/// The types of a value, or of a batch of values: others have other types, so that one type does not hide the faults of
/// another for ever.
#[derive(Debug, Clone)]
pub struct Swarm {
    leaves: Vec<usize>,
    containers: Vec<usize>,
    /// One in so many values is a container.
    nesting: usize,
    /// One in so many containers declares an element type, if it can.
    typing: usize,
    /// Names in paths have only letters.
    plain_names: bool,
}

impl Swarm {
    /// All types of the grammar.
    pub(super) fn whole(grammar: &Grammar) -> Self {
        let (containers, leaves) =
            (0..grammar.productions.len()).partition(|place| grammar.productions[*place].is_container);
        Self { leaves, containers, nesting: 4, typing: 4, plain_names: false }
    }

    /// A random selection of the grammar's types; empty only if the grammar is.
    pub(super) fn draw(grammar: &Grammar, random: &mut Random) -> Self {
        let rare = random.one_in(3);
        let in_it = |random: &mut Random| if rare { random.one_in(8) } else { random.one_in(2) };
        let Self { leaves, containers, .. } = Self::whole(grammar);
        let mut some = |from: &[usize], least: usize| {
            let mut drawn: Vec<usize> = from.iter().copied().filter(|_| in_it(random)).collect();
            if drawn.len() < least && !from.is_empty() {
                drawn.push(*random.pick(from));
            }
            drawn
        };
        let least = usize::from(!leaves.is_empty());
        let (leaves, containers) = (some(&leaves, least), some(&containers, 1 - least));
        let (nesting, typing, plain_names) = (2 + random.below(6), 1 + random.below(6), !random.one_in(8));
        Self { leaves, containers, nesting, typing, plain_names }
    }
}

/// A random value with the types of this swarm. With `repeated_keys`, dictionaries may repeat a key.
pub(super) fn value(grammar: &Grammar, swarm: &Swarm, random: &mut Random, repeated_keys: bool) -> Value {
    Generator { grammar, swarm, random, left: SIZE, repeated_keys }.value_at(1)
}

struct Generator<'a> {
    grammar: &'a Grammar,
    swarm: &'a Swarm,
    random: &'a mut Random,
    /// How many more values there may be.
    left: usize,
    /// Whether dictionaries may repeat a key.
    repeated_keys: bool,
}

impl<'a> Generator<'a> {
    fn value_at(&mut self, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        let swarm = self.swarm;
        let room = depth < DEPTH && self.left > 0;
        // The outermost value is a container more often: only a container has further values.
        let nested =
            room && (self.random.one_in(if depth == 1 { 2 } else { swarm.nesting }) || swarm.leaves.is_empty());
        let from = if nested && !swarm.containers.is_empty() { &swarm.containers } else { &swarm.leaves };
        if from.is_empty() {
            return Value::Null;
        }
        let kind = *self.random.pick(from);
        self.of_kind(kind, depth)
    }

    fn of_kind(&mut self, place: usize, depth: usize) -> Value {
        let grammar = self.grammar;
        let Production { layout: id, fields, .. } = &grammar.productions[place];
        let (layout, rules) = (self.layout(place), &grammar.dialect.rules);
        match layout.shape {
            Shape::Empty => Value::Null,
            Shape::Bool => Value::Bool(self.random.one_in(2)),
            Shape::Int if rules.wide_numbers => Value::Int(numbers::int64(self.random)),
            Shape::Int => Value::Int(i64::from(numbers::int32(self.random))),
            Shape::Float => Value::Float(self.float(rules.wide_numbers)),
            Shape::Text => Value::Text(*id, numbers::text(self.random, SIZE)),
            Shape::Fields => Value::Fields(*id, self.numbers(layout, 1)),
            Shape::Packed => {
                let many = self.random.one_in(64);
                let elements = if many { self.random.below(SIZE + 1) } else { self.count_of_many() };
                Value::Packed(*id, self.numbers(layout, elements))
            }
            Shape::PackedText => {
                let count = self.count_of_many();
                Value::PackedText(*id, (0..count).map(|_| numbers::text(self.random, SIZE)).collect())
            }
            Shape::NodePath => self.node_path(rules.node_path_property == NodePathProperty::Own),
            Shape::Array => {
                let (of, filling) = self.filling(rules.typed_containers != TypedContainers::None);
                let count = self.count_of_many();
                let mut items = Vec::with_capacity(count);
                items.extend((0..count).filter_map(|_| self.filled(filling, depth + 1)));
                Value::Array(Array { items, of: of.map(Box::new), shared: false })
            }
            Shape::Dictionary => self.dictionary(rules.typed_containers == TypedContainers::All, depth),
            Shape::Record if !layout.pixels.is_empty() => Value::Record(*id, self.image(&layout.pixels)),
            Shape::Record => {
                let mut components = self.record(fields, grammar.dialect.scalar(layout), depth);
                // Id zero is written as null.
                if layout.nullable
                    && let Some(Component::Id(id)) = components.last_mut()
                {
                    *id = (*id).max(1);
                }
                Value::Record(*id, components)
            }
        }
    }

    fn layout(&self, place: usize) -> &'a Layout {
        self.grammar.dialect.layouts.get(self.grammar.productions[place].layout)
    }

    /// The element type that a container declares, and the production of its elements: nulls too, if they are objects.
    fn filling(&mut self, typed: bool) -> (Option<ElementType>, Option<usize>) {
        let swarm = self.swarm;
        if !typed || !self.random.one_in(swarm.typing) {
            return (None, None);
        }
        let productions = swarm.leaves.len() + swarm.containers.len();
        let place = self.random.below(productions);
        let kind = swarm.leaves.get(place).or_else(|| swarm.containers.get(place - swarm.leaves.len()));
        let of = kind.and_then(|kind| self.grammar.productions[*kind].of.clone());
        let kind = kind.copied().filter(|_| of.is_some());
        (of, kind)
    }

    /// An element of a container; `None` if it would be too deep.
    fn filled(&mut self, filling: Option<usize>, depth: usize) -> Option<Value> {
        let Some(place) = filling else { return Some(self.value_at(depth)) };
        self.left = self.left.saturating_sub(1);
        if self.layout(place).nullable && self.random.one_in(2) {
            return Some(Value::Null);
        }
        let room = !self.grammar.productions[place].is_container || depth < DEPTH && self.left > 0;
        room.then(|| self.of_kind(place, depth))
    }

    /// How many elements: few, and never more than are left.
    fn count(&mut self) -> usize {
        let count = match self.random.below(16) {
            0 | 1 => 0,
            2..=7 => 1,
            8..=11 => 2,
            12 | 13 => 3,
            _ => self.random.below(9),
        };
        count.min(self.left)
    }

    /// Like `count`, but sometimes about as many as a byte can count.
    fn count_of_many(&mut self) -> usize {
        if self.random.one_in(512) { numbers::beyond_a_byte(self.random) } else { self.count() }
    }

    fn float(&mut self, wide: bool) -> F64 {
        if wide && !self.random.one_in(3) {
            return numbers::double(self.random);
        }
        let single = numbers::single(self.random);
        // A narrow NaN does not come back with the same bits.
        if single.get().is_nan() && !wide { F32(0x3f80_0000).widen() } else { single.widen() }
    }

    fn numbers(&mut self, layout: &Layout, elements: usize) -> Numbers {
        let random = &mut *self.random;
        let of = 0..elements * layout.arity();
        match self.grammar.dialect.scalar(layout) {
            Scalar::Byte => Numbers::Bytes(of.map(|_| random.byte()).collect()),
            Scalar::Int32 => Numbers::Int32(of.map(|_| numbers::int32(random)).collect()),
            Scalar::Int64 => Numbers::Int64(of.map(|_| numbers::int64(random)).collect()),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => {
                Numbers::Float32(of.map(|_| numbers::single(random)).collect())
            }
            Scalar::Float64 => Numbers::Float64(of.map(|_| numbers::double(random)).collect()),
        }
    }

    fn node_path(&mut self, property: bool) -> Value {
        let mut texts = |most: usize| -> Vec<Text> {
            let count = self.random.below(most);
            let plain = self.swarm.plain_names;
            let mut name = || if plain { numbers::name(self.random) } else { numbers::text(self.random, SIZE) };
            (0..count).map(|_| name()).collect()
        };
        let (names, subnames, property) = (texts(4), texts(3), if property { texts(2) } else { Vec::new() });
        let property = property.into_iter().next().unwrap_or_default();
        Value::NodePath(Box::new(NodePath { absolute: self.random.one_in(2), names, subnames, property }))
    }

    /// A key. Most dictionaries of real programs have texts as keys, so it is half of the time.
    fn key(&mut self, keys: Option<usize>, depth: usize) -> Option<Value> {
        match (keys, self.text_layout()) {
            (None, Some(layout)) if self.random.one_in(2) => {
                self.left = self.left.saturating_sub(1);
                Some(Value::Text(layout, numbers::text(self.random, SIZE)))
            }
            _ => self.filled(keys, depth),
        }
    }

    /// One of the types of text.
    fn text_layout(&mut self) -> Option<LayoutId> {
        let layouts = self.grammar.productions.iter().map(|production| production.layout);
        let is_text = |layout: &LayoutId| self.grammar.dialect.layouts.get(*layout).shape == Shape::Text;
        let texts: SmallVec<[LayoutId; 4]> = layouts.filter(is_text).collect();
        (!texts.is_empty()).then(|| *self.random.pick(&texts))
    }

    fn dictionary(&mut self, typed: bool, depth: usize) -> Value {
        let (key_of, keys) = self.filling(typed);
        let (value_of, values) = self.filling(typed);
        let count = self.count();
        let mut entries: Vec<(Value, Value)> = Vec::with_capacity(count);
        for _ in 0..count {
            let Some(mut key) = self.key(keys, depth + 1) else { break };
            if self.repeated_keys && !entries.is_empty() && self.random.one_in(3) {
                key = self.random.pick(&entries).0.clone();
                // A string and a string name of one text are two keys to some readers.
                if let (Value::Text(layout, _), None, Some(other)) = (&mut key, key_of.as_ref(), self.text_layout()) {
                    *layout = other;
                }
            } else if key_of.is_none() && !entries.is_empty() && self.random.one_in(4) {
                let other = self.random.pick(&entries).0.clone();
                key = self.same_number(&other).unwrap_or(key);
            }
            let free = self.grammar.dialect.rules.keys == KeyRule::Repeated
                || self.repeated_keys
                || is_plain(&key) && entries.iter().all(|(other, _)| !is_one_key(other, &key));
            let Some(value) = self.filled(values, depth + 1) else { break };
            if free {
                entries.push((key, value));
            }
        }
        let typed = key_of.is_some() || value_of.is_some();
        let of = typed.then(|| Box::new(EntryTypes { key: key_of, value: value_of }));
        Value::Dictionary(Dictionary { entries, of, shared: false })
    }

    /// The same number as a value of any type: 1, 1.0 and true are one key to some readers.
    fn same_number(&mut self, key: &Value) -> Option<Value> {
        let number = if let Value::Bool(bool) = key {
            f64::from(u8::from(*bool))
        } else if let Value::Int(int) = key {
            f64::from(i32::try_from(*int).ok()?)
        } else if let Value::Float(float) = key {
            float.get()
        } else {
            return None;
        };
        let mut same: SmallVec<[Value; 3]> = SmallVec::new();
        for place in &self.swarm.leaves {
            let shape = self.layout(*place).shape;
            // In every dialect, a float has 32 bits at least.
            let is_narrow = F64::from(number).nearest().widen().get() == number;
            #[expect(clippy::cast_possible_truncation, reason = "what is no integer of 32 bits is left out")]
            let int = number as i32;
            if shape == Shape::Bool && (number == 0.0 || number == 1.0) {
                same.push(Value::Bool(number == 1.0));
            } else if shape == Shape::Int && f64::from(int) == number {
                same.push(Value::Int(i64::from(int)));
            } else if shape == Shape::Float && is_narrow {
                same.push(Value::Float(F64::from(number)));
            }
        }
        (!same.is_empty()).then(|| self.random.pick(&same).clone())
    }
}

/// Whether two keys are equal. Some engines take texts of different types for equal.
pub(super) fn is_one_key(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Text(_, left), Value::Text(_, right)) => left == right,
        (left, right) => left == right,
    }
}

/// Whether the key equals only keys with the same bits. That is false for keys with a real that is zero or NaN, and for
/// values that are compared by identity.
fn is_plain(key: &Value) -> bool {
    match key {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(..) | Value::PackedText(..) | Value::NodePath(_) => {
            true
        }
        Value::Float(float) => is_own(*float),
        Value::Fields(_, numbers) | Value::Packed(_, numbers) => match numbers {
            Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => true,
            Numbers::Float32(floats) => floats.iter().all(|float| is_own(float.widen())),
            Numbers::Float64(floats) => floats.iter().all(|float| is_own(*float)),
        },
        Value::Array(_) | Value::Dictionary(_) | Value::Record(..) => false,
    }
}

fn is_own(float: F64) -> bool {
    !float.get().is_nan() && float.get() != 0.0
}
