//! Input events.

use alloc::boxed::Box;

use smallvec::SmallVec;
use variant_specs::Scalar;

use super::{Decoder, Result};
use crate::codec::Plan;
use crate::trace::{Role, Trace};
use crate::value::{InputEvent, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn input_event(&mut self, plan: &Plan) -> Result<Value> {
        let kind = self.word("type", Role::Word)?;
        let device = self.word("device", Role::Word)?;
        self.word("size", Role::Length)?;
        let mut words = SmallVec::new();
        for (name, real) in self.codec.layouts.get(plan.layout).event(kind) {
            let role = if *real { Role::Number(Scalar::Float32) } else { Role::Word };
            words.push(self.word(name, role)?);
        }
        Ok(Value::InputEvent(Box::new(InputEvent { kind, device, words })))
    }
}
