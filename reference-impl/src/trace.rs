//! A trace of a decoding: which bytes are which field. Costs nothing when it is off.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

use variant_specs::{LayoutId, Scalar};

/// Receives every field of a packet as it is read.
pub trait Trace {
    /// Whether the trace wants the fields; if false, nothing is called.
    const ON: bool;
    /// The bytes of one field.
    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role);
    /// The fields that follow are within this component, up to the matching [`Trace::leave`].
    fn enter(&mut self, step: Step<'_>);
    /// The component of the last open [`Trace::enter`] has ended.
    fn leave(&mut self);
}

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The header of a value with this layout.
    Header(LayoutId),
    /// How many elements follow.
    Count,
    /// How many bytes of text follow.
    Length,
    /// Flags of a value (those of the header are in the header).
    Flags,
    /// A truth value, in one word.
    Bool,
    /// An unsigned word of the value.
    Word,
    /// An id of eight bytes, which has no sign.
    Id,
    /// A number of the value. Never [`Scalar::Real`]: the width is known here.
    Number(Scalar),
    /// The bytes of a text.
    Text,
    /// Bytes of the value.
    Bytes,
    /// A NUL that ends a text.
    Nul,
    /// Bytes that mean nothing.
    Padding,
}

/// A component of a compound value, as it is written in paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A component with a name, like `key`.
    Name(&'a str),
    /// A component with an index, like `[3]`.
    Index(usize),
    /// A component of a list with a name, like `names[3]`.
    Element(&'a str, usize),
}

/// A trace that receives nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Untraced;

impl Trace for Untraced {
    const ON: bool = false;
    #[inline(always)]
    fn field(&mut self, _: Range<usize>, _: &str, _: Role) {}
    #[inline(always)]
    fn enter(&mut self, _: Step<'_>) {}
    #[inline(always)]
    fn leave(&mut self) {}
}

/// One field of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The bytes of the packet that it takes.
    pub bytes: Range<usize>,
    /// Its path: `header`, `[1].key.text`, `names[0].length`.
    pub path: String,
    /// What the field is for.
    pub role: Role,
}

/// The place that a trace is at: the components that are entered and not left.
#[derive(Debug, Clone, Default)]
pub struct TracePath {
    text: String,
    /// Lengths of `text` before each step.
    steps: Vec<usize>,
}

impl TracePath {
    /// What the paths of the fields here begin with: nothing, or text that ends with a point.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.text
    }

    /// Goes into a component.
    pub fn enter(&mut self, step: Step<'_>) {
        self.steps.push(self.text.len());
        // Writing to a String cannot fail.
        let _ = match step {
            Step::Name(name) => write!(self.text, "{name}."),
            Step::Index(index) => write!(self.text, "[{index}]."),
            Step::Element(name, index) => write!(self.text, "{name}[{index}]."),
        };
    }

    /// Goes back to where the last [`TracePath::enter`] was called.
    pub fn leave(&mut self) {
        let length = self.steps.pop().unwrap_or(0);
        self.text.truncate(length);
    }
}

/// A trace that keeps every field. Where decoding fails, it holds the fields before the failure.
#[derive(Debug, Clone, Default)]
pub struct Spans {
    /// The fields in the order of the wire: they tile the packet.
    pub spans: Vec<Span>,
    place: TracePath,
}

impl Trace for Spans {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role) {
        let prefix = self.place.prefix();
        let mut path = String::with_capacity(prefix.len() + name.len());
        path.push_str(prefix);
        path.push_str(name);
        if name.is_empty() {
            path.pop();
        }
        self.spans.push(Span { bytes, path, role });
    }

    fn enter(&mut self, step: Step<'_>) {
        self.place.enter(step);
    }

    fn leave(&mut self) {
        self.place.leave();
    }
}
