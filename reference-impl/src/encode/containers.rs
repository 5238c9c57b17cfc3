//! The counts of arrays and dictionaries, and the types of elements.

use variant_specs::{Shape, SharedBit, TypedContainers};

use super::{Encoder, Result, length};
use crate::Text;
use crate::codec::TypePlan;
use crate::decode::HIGH_BIT;
use crate::value::{Dictionary, ElementType, Value};

impl<'a> Encoder<'a> {
    #[inline]
    pub(super) fn container_count(&mut self, count: usize, shared: bool) -> Result<()> {
        let kept = shared && self.codec.rules.shared_bit == SharedBit::Kept;
        let count = length(count)?;
        self.word(count | if kept { HIGH_BIT } else { 0 });
        Ok(())
    }

    /// Writes the header of an array with a type, and the type. It is a function of its own, so that
    /// a deep path takes little stack.
    #[inline(never)]
    pub(super) fn array_type(&mut self, of: &ElementType) -> Result<()> {
        if self.codec.rules.typed_containers == TypedContainers::None {
            return Err(self.unsupported(Shape::Array));
        }
        self.header_of(Shape::Array, self.kind_of(of, Shape::Array) << 16)?;
        self.container_type(of, Shape::Array)
    }

    /// Writes the header of a dictionary, and its types.
    #[inline(never)]
    pub(super) fn dictionary_header(&mut self, dictionary: &Dictionary) -> Result<()> {
        let Some(of) = &dictionary.of else { return self.header_of(Shape::Dictionary, 0) };
        if self.codec.rules.typed_containers != TypedContainers::All {
            return Err(self.unsupported(Shape::Dictionary));
        }
        let kind = |of: &Option<ElementType>| of.as_ref().map_or(0, |of| self.kind_of(of, Shape::Dictionary));
        self.header_of(Shape::Dictionary, kind(&of.key) << 16 | kind(&of.value) << 18)?;
        [&of.key, &of.value].into_iter().flatten().try_for_each(|of| self.container_type(of, Shape::Dictionary))
    }

    /// The two bits of the header that say how a container's type is given.
    fn kind_of(&self, of: &ElementType, container: Shape) -> u32 {
        match of {
            ElementType::Layout(_) | ElementType::Id(_) => 1,
            ElementType::Script(_) if self.stand_in(container).is_none() => 3,
            ElementType::Class(_) | ElementType::Script(_) => 2,
        }
    }

    /// The class that is written in the place of each other one.
    fn stand_in(&self, container: Shape) -> Option<Text> {
        let layout = self.codec.plan_of_shape(container).ok()?.layout;
        self.codec.stand_in(layout).filter(|_| !self.codec.options.objects)
    }

    fn container_type(&mut self, of: &ElementType, container: Shape) -> Result<()> {
        match of {
            ElementType::Layout(of) => {
                let id = self.codec.plan_of(*of)?.id;
                self.word(id);
                Ok(())
            }
            ElementType::Class(name) | ElementType::Script(name) => {
                let stand_in = self.stand_in(container);
                self.text(stand_in.as_ref().unwrap_or(name), false)
            }
            ElementType::Id(_) => Err(self.unsupported(container)),
        }
    }

    /// Writes the type of elements, a field of a record, and returns whether flag 1 is in the header then. It is a function
    /// of its own, so that a deep path takes little stack.
    #[inline(never)]
    pub(super) fn element_type(
        &mut self,
        plan: &TypePlan,
        of: &ElementType,
        class: &str,
        depth: usize,
    ) -> Result<bool> {
        match of {
            ElementType::Layout(layout) => {
                let element = self.codec.plan_of(*layout)?;
                self.word(element.id);
                return Ok(self.codec.layouts.get(*layout).objects);
            }
            ElementType::Class(name) => {
                let layouts = &self.codec.layouts;
                let (objects, layout) =
                    layouts.objects().zip(layouts.id_of(class)).ok_or_else(|| self.not_its_fields(plan))?;
                let objects = self.codec.plan_of(objects)?.id;
                self.word(objects);
                self.value(&Value::Text(layout, name.clone()), depth + 1)?;
            }
            ElementType::Id(id) => self.word(*id),
            ElementType::Script(_) => return Err(self.not_its_fields(plan)),
        }
        Ok(false)
    }
}
