//! Node paths, in the new form and in the old.

use alloc::boxed::Box;
use alloc::vec::Vec;

use variant_specs::{NodePathProperty, OldNodePath};

use super::{Decoder, HIGH_BIT, Result};
use crate::error::Refusal;
use crate::text::Text;
use crate::trace::{Role, Step, Trace};
use crate::value::{NodePath, Value};

/// The flag of a node path that has one text more than its counts say.
pub(crate) const FLAG_ONE_MORE: u32 = 2;

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn node_path(&mut self) -> Result<Value> {
        let before = self.input;
        if self.input.word()? & HIGH_BIT == 0 {
            self.input = before;
            return self.old_node_path();
        }
        self.input = before;
        let names = (self.word("name-count", Role::Count)? & !HIGH_BIT) as usize;
        let subnames_at = self.input;
        let subnames = self.word("subname-count", Role::Count)? as usize;
        let flags = self.word("flags", Role::Flags)?;
        // Each name has at least its length.
        let room = self.input.left() / 4;
        if names > room {
            return Err(before.refuse(Refusal::Length));
        }
        if subnames > room - names {
            return Err(subnames_at.refuse(Refusal::Length));
        }
        let names = self.texts("names", names)?;
        let own_property = self.codec.rules.node_path_property == NodePathProperty::Own;
        let one_more = flags & FLAG_ONE_MORE != 0;
        let subnames = self.texts("subnames", subnames + usize::from(one_more && !own_property))?;
        let mut path = NodePath { absolute: flags & 1 != 0, names, subnames, property: Text::default() };
        if one_more && own_property {
            self.trace.enter(Step::Name("property"));
            path.property = self.padded_text(false)?;
            self.trace.leave();
        }
        Ok(Value::NodePath(Box::new(path)))
    }

    fn old_node_path(&mut self) -> Result<Value> {
        match self.codec.rules.old_node_path {
            OldNodePath::Refused => Err(self.input.refuse(Refusal::UnsupportedForm)),
            OldNodePath::Read => self.text().map(|text| self.spelled(&text)),
            OldNodePath::ReadUnpadded => {
                let length = self.length("length", Role::Length, 1)?;
                let before = self.input.at();
                let (bytes, _) = self.text_bytes(length)?;
                self.any_text(bytes, before).map(|text| self.spelled(&text))
            }
        }
    }

    /// The path that an old form spells: `/root/a:b`.
    fn spelled(&self, text: &Text) -> Value {
        let mut path = spelled(text);
        // The property is after the last colon, and may be empty.
        if self.codec.rules.node_path_property == NodePathProperty::Own && !text.as_bytes().ends_with(b":") {
            path.property = path.subnames.pop().unwrap_or_default();
        }
        Value::NodePath(Box::new(path))
    }
}

/// The path that an old form spells: `/root/a:b`.
fn spelled(text: &Text) -> NodePath {
    let bytes = text.as_bytes();
    let (absolute, rest) = bytes.strip_prefix(b"/").map_or((false, bytes), |rest| (true, rest));
    let mut parts = rest.split(|&byte| byte == b':');
    let names = parts.next().unwrap_or_default();
    let texts = |bytes: &[u8]| -> Vec<Text> {
        bytes.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).map(Text::from_bytes).collect()
    };
    NodePath {
        absolute,
        names: texts(names),
        subnames: parts.filter(|name| !name.is_empty()).map(Text::from_bytes).collect(),
        property: Text::default(),
    }
}
