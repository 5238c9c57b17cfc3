//! Objects, by their id or with all their properties.

use variant_specs::{FLAG_1, ObjectRule, Shape};

use super::{Encoder, Result};
use crate::value::Object;

impl<'a> Encoder<'a> {
    #[inline(never)]
    pub(super) fn object(&mut self, object: &Object, depth: usize) -> Result<()> {
        match (self.codec.rules.object, object) {
            (ObjectRule::Empty, Object::Null) => self.header_of(Shape::Object, 0),
            (ObjectRule::Unsupported, _) | (ObjectRule::Empty, Object::Id(_) | Object::Full { .. }) => {
                Err(self.unsupported(Shape::Object))
            }
            (ObjectRule::ById, Object::Null) => self.header_of(Shape::Empty, 0),
            (ObjectRule::ById, Object::Id(id)) => {
                self.header_of(Shape::Object, FLAG_1)?;
                self.packet.extend_from_slice(&id.to_le_bytes());
                Ok(())
            }
            (ObjectRule::ById, Object::Full { class, properties }) if self.codec.options.objects => {
                self.header_of(Shape::Object, 0)?;
                self.text(class, false)?;
                self.count(properties.len())?;
                properties.iter().try_for_each(|(name, value)| {
                    self.text(name, false)?;
                    self.value(value, depth + 1)
                })
            }
            (ObjectRule::ById, Object::Full { .. }) => Err(self.unsupported(Shape::Object)),
        }
    }
}
