//! Objects, by their id or with all their properties.

use alloc::boxed::Box;
use alloc::vec::Vec;

use variant_specs::{Bit31, FLAG_1, ObjectRule};

use super::{Decoder, Result, put};
use crate::error::Refusal;
use crate::text::Text;
use crate::trace::{Role, Step, Trace};
use crate::value::{Object, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn object(&mut self, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        match self.codec.rules.object {
            ObjectRule::Unsupported => return Err(self.refuse_header(Refusal::UnsupportedForm)),
            ObjectRule::Empty => {
                put_object(place, Object::Null);
                return Ok(());
            }
            ObjectRule::ById => {}
        }
        if flags & FLAG_1 != 0 {
            let id = self.long("id", Role::Id)?;
            put_object(place, if id == 0 { Object::Null } else { Object::Id(id) });
            return Ok(());
        }
        if !self.codec.options.objects {
            return Err(self.refuse_header(Refusal::BadObject));
        }
        self.full_object(depth, place)
    }

    /// Reads an object with its properties. What not every level needs is in other functions: without optimisation,
    /// each temporary takes stack of its own at every level.
    fn full_object(&mut self, depth: usize, place: &mut Value) -> Result<()> {
        let Some((class, count)) = self.head_of_object()? else {
            put_object(place, Object::Null);
            return Ok(());
        };
        let mut properties = self.room_for(count);
        for index in 0..count {
            self.property(index, &mut properties)?;
            self.value(depth + 1, &mut properties[index].1)?;
            self.trace.leave();
            self.trace.leave();
        }
        put_object(place, Object::Full { class, properties });
        Ok(())
    }

    /// The class, and how many properties follow; `None` if the class has no name, since nothing follows then.
    fn head_of_object(&mut self) -> Result<Option<(Text, usize)>> {
        self.trace.enter(Step::Name("class"));
        let class = self.text()?;
        self.trace.leave();
        if class.as_bytes().is_empty() {
            return Ok(None);
        }
        // Each property has at least the length of its name and the header of its value.
        Ok(Some((class, self.count("property-count", Bit31::Empty, 8)?)))
    }

    /// Reads a property up to its value, and adds it with null in the value's place.
    fn property(&mut self, index: usize, properties: &mut Vec<(Text, Value)>) -> Result<()> {
        self.trace.enter(Step::Element("properties", index));
        self.trace.enter(Step::Name("name"));
        let name = self.text()?;
        self.trace.leave();
        self.trace.enter(Step::Name("value"));
        properties.push((name, Value::Null));
        Ok(())
    }
}

fn put_object(place: &mut Value, object: Object) {
    put(place, Value::Object(Box::new(object)));
}
