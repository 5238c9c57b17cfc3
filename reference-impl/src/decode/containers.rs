//! Arrays and dictionaries, and the types of elements.

use alloc::boxed::Box;
use alloc::vec::Vec;

use variant_specs::{Bit31, FLAG_1, Shape, SharedBit};

use super::{Decoder, HIGH_BIT, Result, put};
use crate::codec::TypePlan;
use crate::cursor::refused;
use crate::error::Refusal;
use crate::keys::Unique;
use crate::text::Text;
use crate::trace::{Role, Step, Trace};
use crate::value::{Array, Dictionary, ElementType, EntryTypes, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn array(&mut self, plan: &TypePlan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let of = if flags == 0 { None } else { self.container_type(plan, flags, None)?.map(Box::new) };
        let (count, shared) = self.container_count(4)?;
        put(place, Value::Array(Array { items: self.items(count, depth)?, of, shared }));
        Ok(())
    }

    #[inline(never)]
    pub(super) fn dictionary(&mut self, plan: &TypePlan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let of = if flags == 0 { None } else { self.entry_types(plan, flags)? };
        let (count, shared) = self.container_count(8)?;
        let mut entries = self.entries(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            let (key, value) = entries.next_pair();
            self.trace.enter(Step::Name("key"));
            self.value(depth + 1, key)?;
            self.trace.leave();
            self.trace.enter(Step::Name("value"));
            self.value(depth + 1, value)?;
            self.trace.leave();
            self.trace.leave();
            entries.join();
        }
        put(place, Value::Dictionary(Dictionary { entries: entries.into_pairs(), of, shared }));
        Ok(())
    }

    pub(super) fn items(&mut self, count: usize, depth: usize) -> Result<Vec<Value>> {
        let mut items = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            items.resize_with(index + 1, || Value::Null);
            self.value(depth + 1, &mut items[index])?;
            self.trace.leave();
        }
        Ok(items)
    }

    fn entries(&mut self, count: usize) -> Unique<'a> {
        Unique::new(self.room_for(count), self.codec.rules.keys, &self.codec.layouts)
    }

    /// Reads a count of elements of at least `least` bytes, and its high bit if the dialect keeps that.
    fn container_count(&mut self, least: usize) -> Result<(usize, bool)> {
        let high = self.input.ahead().is_some_and(|word| u32::from_le_bytes(*word) & HIGH_BIT != 0);
        let count = self.count("count", Bit31::Ignored, least)?;
        Ok((count, high && self.codec.rules.shared_bit == SharedBit::Kept))
    }

    #[inline(never)]
    fn entry_types(&mut self, plan: &TypePlan, flags: u32) -> Result<Option<Box<EntryTypes>>> {
        let key = self.container_type(plan, flags, Some("key"))?;
        let value = self.container_type(plan, flags >> 2, Some("value"))?;
        let untyped = key.is_none() && value.is_none();
        Ok((!untyped).then(|| Box::new(EntryTypes { key, value })))
    }

    /// Reads what the elements of a container are, as the two bits from flag 1 on say: of a type, a class or a script.
    /// It is a function of its own, so that a deep path takes little stack.
    #[inline(never)]
    fn container_type(
        &mut self,
        plan: &TypePlan,
        flags: u32,
        part: Option<&'static str>,
    ) -> Result<Option<ElementType>> {
        let kind = flags >> 16 & 0b11;
        if kind == 0 {
            return Ok(None);
        }
        part.inspect(|part| self.trace.enter(Step::Name(part)));
        let of = match kind {
            1 => self.built_in()?,
            2 => Some(self.class_of_elements()?),
            _ => Some(ElementType::Script(self.script(plan)?)),
        };
        part.inspect(|_| self.trace.leave());
        let stand_in = self.codec.stand_in(plan.layout).filter(|_| !self.codec.options.objects);
        Ok(match (of, stand_in) {
            (Some(of), Some(stand_in)) if self.codec.is_of_objects(&of) => Some(ElementType::Class(stand_in)),
            (of, _) => of,
        })
    }

    /// Reads a type of the dialect; null means no type.
    fn built_in(&mut self) -> Result<Option<ElementType>> {
        let before = self.input.at();
        let id = self.word("type", Role::Word)?;
        let element = self.codec.plan(id).ok_or_else(|| refused(before, Refusal::UnknownType))?;
        Ok((element.shape != Shape::Empty).then_some(ElementType::Layout(element.layout)))
    }

    /// Reads a class; an empty name means any class.
    fn class_of_elements(&mut self) -> Result<ElementType> {
        let class = self.named("class")?;
        let any = self.codec.layouts.objects().filter(|_| class.as_bytes().is_empty());
        Ok(any.map_or(ElementType::Class(class), ElementType::Layout))
    }

    fn script(&mut self, plan: &TypePlan) -> Result<Text> {
        let before = self.input.at();
        let path = self.named("script")?;
        let begins = self.codec.scripts(plan.layout);
        // If objects are not allowed, no engine looks for the script.
        if self.codec.options.objects && !begins.is_none_or(|begins| path.as_bytes().starts_with(begins.as_bytes())) {
            return Err(refused(before, Refusal::BadObject));
        }
        Ok(path)
    }

    /// Reads the type of elements, a field of a record. A function of its own, so that a deep path takes little stack.
    #[inline(never)]
    pub(super) fn element_type(&mut self, name: &str, class: &str, flags: u32, depth: usize) -> Result<ElementType> {
        let id = self.word(name, Role::Word)? & !HIGH_BIT;
        match self.codec.plan(id) {
            Some(of) if self.codec.layouts.get(of.layout).objects && flags & FLAG_1 == 0 => self.class(class, depth),
            Some(of) => Ok(ElementType::Layout(of.layout)),
            None => Ok(ElementType::Id(id)),
        }
    }

    /// Reads a class: a whole value of this layout.
    fn class(&mut self, of: &str, depth: usize) -> Result<ElementType> {
        let before = self.input;
        if let Value::Text(layout, class) = self.nested("class", depth)?
            && self.codec.layouts.get(layout).name == of
        {
            return Ok(ElementType::Class(class));
        }
        Err(before.refuse(Refusal::BadObject))
    }
}
