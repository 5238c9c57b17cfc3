//! Input events.

use variant_specs::Shape;

use super::{Encoder, Result};
use crate::error::EncodeError;
use crate::value::InputEvent;

impl<'a> Encoder<'a> {
    #[inline(never)]
    pub(super) fn input_event(&mut self, event: &InputEvent) -> Result<()> {
        let plan = self.codec.plan_of_shape(Shape::InputEvent)?;
        let layout = self.codec.layouts.get(plan.layout);
        if layout.event(event.kind).len() != event.words.len() {
            return Err(EncodeError::WrongNumbers(layout.name.clone()).into());
        }
        self.word(plan.id);
        self.word(event.kind);
        self.word(event.device);
        // The three words themselves are counted.
        self.count(4 * (3 + event.words.len()))?;
        event.words.iter().for_each(|word| self.word(*word));
        Ok(())
    }
}
