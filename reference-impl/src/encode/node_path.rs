//! Node paths.

use variant_specs::{NodePathProperty, Shape};

use super::{Encoder, Result, length};
use crate::decode::HIGH_BIT;
use crate::decode::node_path::FLAG_ONE_MORE;
use crate::value::NodePath;

impl<'a> Encoder<'a> {
    #[inline(never)]
    pub(super) fn node_path(&mut self, path: &NodePath) -> Result<()> {
        let property = !path.property.as_bytes().is_empty();
        if property && self.codec.rules.node_path_property != NodePathProperty::Own {
            return Err(self.unsupported(Shape::NodePath));
        }
        self.header_of(Shape::NodePath, 0)?;
        let names = length(path.names.len())?;
        self.word(names | HIGH_BIT);
        self.count(path.subnames.len())?;
        self.word(u32::from(path.absolute) | if property { FLAG_ONE_MORE } else { 0 });
        let property = property.then_some(&path.property);
        path.names.iter().chain(&path.subnames).chain(property).try_for_each(|name| self.text(name, false))
    }
}
