//! Whose field it is: the value that a row of a listing, or a span of a decoder's trace, belongs to.

/// The values around a place in a packet, outermost first, by the prefix of their fields' paths.
///
/// Paths must come in the order of the packet.
#[derive(Debug)]
pub struct FieldOwners<P, T>(Vec<(P, T)>);

impl<P, T> Default for FieldOwners<P, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: AsRef<str>, T> FieldOwners<P, T> {
    /// Adds the value whose fields have this prefix: the path of its header without `header`.
    pub fn enter(&mut self, prefix: P, value: T) {
        self.leave(prefix.as_ref());
        self.0.pop_if(|(other, _)| other.as_ref() == prefix.as_ref());
        self.0.push((prefix, value));
    }

    /// The value that the field at this path belongs to, and the field's name within that value.
    pub fn owner<'p>(&mut self, path: &'p str) -> Option<(&T, &'p str)> {
        self.leave(path);
        self.0.last().map(|(prefix, value)| (value, &path[prefix.as_ref().len()..]))
    }

    /// Drops the values that do not contain this path.
    fn leave(&mut self, path: &str) {
        while self.0.pop_if(|(prefix, _)| !path.starts_with(prefix.as_ref())).is_some() {}
    }
}
